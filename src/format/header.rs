//! The frontmatter of each event type, as types: what is read, what is written, and the source of
//! the schemas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{Flaw, yaml};
use crate::model::{AnswerId, CallId, InquiryId, ModelName, ToolName};

/// The part of a frontmatter that is its event type's own.
pub trait Header: Serialize + DeserializeOwned + JsonSchema {
    /// The keys, in the order in which they are written.
    const KEYS: &'static [&'static str];
}

macro_rules! header {
    (
        $(#[$doc:meta])*
        $name:ident { $( $(#[$attribute:meta])* $key:ident : $type:ty, )* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct $name { $( $(#[$attribute])* pub $key: $type, )* }

        impl Header for $name {
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];
        }
    };
}

header! {
    /// What every markdown event has beside its type.
    Common {
        /// When it happened: RFC 3339 with an offset.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("format" = "date-time"))]
        timestamp: Option<String>,
        /// How the body is written, if not as it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        encoding: Option<Encoding>,
        /// Whatever a provider or tool wants to find again.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    }
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// Lines of base64, because the bytes are not UTF-8.
    Base64,
}

header! {
    /// A request of the user.
    RequestHeader {
        /// The request came while a turn was running and belongs to that turn.
        #[serde(default, skip_serializing_if = "is_false")]
        interrupts: bool,
    }
}

header! {
    /// A message, a thought, or a structured answer of a model.
    BlockHeader {
        /// The model that wrote it, as `provider/model`.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<ModelName>,
        /// The answer that it is part of.
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<AnswerId>,
        /// Why the answer ended; on the last block of an answer only.
        #[serde(skip_serializing_if = "Option::is_none")]
        finish: Option<String>,
        /// The provider's signature over the body.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<SignatureHeader>,
    }
}

/// A provider's signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignatureHeader {
    /// The signature, opaque.
    pub value: String,
    /// The hash of the content that it covers: `sha256:` and hexadecimal digits.
    #[schemars(regex(pattern = "^sha256:[0-9a-f]{64}$"))]
    pub covers: String,
}

header! {
    /// A tool call of a model.
    ToolCallHeader {
        /// The name of the tool.
        tool: ToolName,
        /// The id that the result will name.
        id: CallId,
        /// The model that asked, as `provider/model`.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<ModelName>,
        /// The answer that it is part of.
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<AnswerId>,
        /// Why the answer ended; on the last block of an answer only.
        #[serde(skip_serializing_if = "Option::is_none")]
        finish: Option<String>,
        /// The provider's signature over the arguments.
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<SignatureHeader>,
    }
}

header! {
    /// The result of a tool call.
    ToolResultHeader {
        /// The id of the call.
        id: CallId,
        /// The name of the tool.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool: Option<ToolName>,
        /// Whether the body tells of a failure.
        #[serde(default)]
        is_error: bool,
    }
}

header! {
    /// A question that came up while a turn was running.
    InquiryRequestHeader {
        /// The id that the answer will name.
        id: InquiryId,
        /// What is being decided.
        kind: KindHeader,
        /// The tool that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool: Option<ToolName>,
        /// The call that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// What counts as an answer.
        answer: AnswerHeader,
        /// Only a person may answer.
        #[serde(default)]
        exclusive: bool,
    }
}

/// What a question decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KindHeader {
    /// Whether a tool may run.
    RunTool,
    /// Whether the result of a tool goes to the model.
    DeliverResult,
    /// Something that a tool wants to know.
    ToolQuestion,
}

/// What counts as an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerHeader {
    /// The form of the answer.
    #[serde(rename = "type")]
    pub form: AnswerForm,
    /// What can be chosen; for `select` only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionHeader>,
    /// The answer when none is given: true or false for `boolean`, else a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerForm {
    /// Yes or no.
    Boolean,
    /// One of several options.
    Select,
    /// Any text.
    Text,
    /// A text that is never stored.
    Secret,
}

/// One option of a select.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionHeader {
    /// What is stored when it is chosen.
    pub value: String,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

header! {
    /// What became of a question.
    InquiryResponseHeader {
        /// The id of the question.
        id: InquiryId,
        /// How it ended.
        outcome: OutcomeHeader,
        /// The form of the answer in the body; only if it was answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        answer_type: Option<AnswerForm>,
    }
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeHeader {
    /// The body holds the answer.
    Answered,
    /// Nobody wanted to answer.
    Cancelled,
    /// The answer was a secret and is not stored.
    Redacted,
}

header! {
    /// Something that was put beside a request.
    AttachmentHeader {
        /// Where it came from: a path, an address, or `-`.
        source: String,
        /// What it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Takes the keys of a header out of a frontmatter. The text is searched for the line of a flaw.
pub fn take<H: Header>(map: &mut Map<String, Value>, text: &str) -> Result<H, Flaw> {
    let mut own = Map::new();
    for key in H::KEYS {
        if let Some(value) = map.shift_remove(*key) {
            own.insert((*key).to_owned(), value);
        }
    }
    let own = Value::Object(own);
    H::deserialize(&own).map_err(|_error| explain::<H>(&own, text))
}

/// Reads once more, slowly, to tell which key is wrong.
fn explain<H: Header>(own: &Value, text: &str) -> Flaw {
    let Err(error) = serde_path_to_error::deserialize::<_, H>(own) else {
        return Flaw::at_line(1, "the frontmatter cannot be read");
    };
    let path = error.path().to_string();
    let key = path.split(['.', '[']).next().unwrap_or_default();
    let line = yaml::line_of(text, key).unwrap_or(1);
    let cause = error.into_inner().to_string();
    let message = match (missing_key(&cause), path.as_str()) {
        (Some(key), ".") => format!("key `{key}` is missing"),
        (Some(key), path) => format!("key `{path}.{key}` is missing"),
        (None, ".") => cause,
        (None, path) => format!("key `{path}`: {cause}"),
    };
    Flaw::at_line(line, message)
}

/// The key that serde misses.
pub fn missing_key(cause: &str) -> Option<&str> {
    cause.strip_prefix("missing field `")?.strip_suffix('`')
}

/// Writes a header behind what is already there.
pub fn put<H: Header>(map: &mut Map<String, Value>, header: &H) {
    let value = serde_json::to_value(header).expect("a header has only text keys");
    if let Value::Object(own) = value {
        map.extend(own);
    }
}
