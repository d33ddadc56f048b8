//! JSON kept as the text that it came as.

use serde::de::IgnoredAny;

/// A valid JSON text, verbatim: key order, number digits and white space are those of its author.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Json(String);

/// A text that is not JSON.
#[derive(Debug, thiserror::Error)]
#[error("not valid JSON: {message}")]
pub struct InvalidJson {
    /// The text as it was given.
    pub text: String,
    /// What the parser says.
    pub message: String,
    /// The line within the text, from 1.
    pub line: usize,
    /// The column within that line, from 1.
    pub column: usize,
}

impl Json {
    /// Checks a text and keeps it as it is.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidJson> {
        let text = text.into();
        match serde_json::from_str::<IgnoredAny>(&text) {
            Ok(_) => Ok(Self(text)),
            Err(error) => Err(InvalidJson {
                message: without_place(&error.to_string()),
                line: error.line(),
                column: error.column(),
                text,
            }),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the parser says without the place, which is told apart.
fn without_place(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(message, _)| message).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_kept_to_the_letter() {
        let text = "{ \"b\":1.50,\"a\" : 123456789012345678901234567890 }";
        assert_eq!(Json::new(text).unwrap().as_str(), text);
    }

    #[test]
    fn what_is_not_json_is_returned_with_its_place() {
        let error = Json::new("{\n  \"a\": trx\n}").unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (2, "{\n  \"a\": trx\n}"));
    }
}
