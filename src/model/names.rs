//! The names by which models, tools, calls and questions are known to their makers.
//!
//! They come from outside and may hold any text; nothing here restricts them.

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// The id that a provider gave to one tool call.
    CallId
}
name! {
    /// The id of a question.
    InquiryId
}
name! {
    /// The name of a tool, as the model calls it.
    ToolName
}
name! {
    /// The name of a model, as `provider/model`.
    ModelName
}
name! {
    /// The id of one answer of a model; the blocks of one answer share it.
    AnswerId
}
