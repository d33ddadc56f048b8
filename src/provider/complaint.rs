//! What a server complains about, in whichever form, and what kind of trouble that is.

use serde_json::Value;

use super::Trouble;

/// The most of a complaint that is passed on.
const LONGEST: usize = 1000;

/// What a server complains about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    /// What kind of error it is in the server's words: its type and code.
    pub kind: String,
    /// The status that it names by itself.
    pub status: Option<u16>,
    /// What it says.
    pub message: String,
}

impl Complaint {
    /// Finds the complaint in the body of an answer that failed.
    pub fn in_body(body: &[u8]) -> Self {
        if let Some(complaint) = serde_json::from_slice(body).ok().as_ref().and_then(Self::in_json)
        {
            return complaint;
        }
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let is_page = text.starts_with('<');
        let message = if is_page { String::new() } else { shorten(text) };
        Self { message, ..Self::default() }
    }

    /// Finds the complaint in a JSON value, if it is one: each service has its own form.
    pub fn in_json(value: &Value) -> Option<Self> {
        let value = match value {
            Value::Array(values) => values.first()?,
            value => value,
        };
        let text = |value: &Value, key: &str| match value.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Array(values)) => Value::Array(values.clone()).to_string(),
            _ => String::new(),
        };
        let error = match value.get("error") {
            Some(Value::String(message)) => {
                return Some(Self { message: shorten(message), ..Self::default() });
            }
            Some(error @ Value::Object(_)) => error,
            _ if value.get("type").and_then(Value::as_str) == Some("error") => value,
            _ if value.get("detail").is_some() => {
                let message = shorten(&text(value, "detail"));
                return Some(Self { message, ..Self::default() });
            }
            _ if value.get("message").is_some_and(Value::is_string) => value,
            _ => return None,
        };
        let code = text(error, "code");
        let status = code.parse().ok().filter(|status| (400..600).contains(status));
        let kind = format!("{} {code} {}", text(error, "type"), text(error, "status"));
        let message = shorten(&text(error, "message"));
        Some(Self { kind: kind.to_lowercase(), status, message })
    }

    /// What kind of trouble it is, by the status of the answer if it came with one.
    pub fn trouble(&self, status: Option<u16>) -> Trouble {
        let message = self.message.to_lowercase();
        let says = |words: &[&str]| {
            words.iter().any(|word| message.contains(word) || self.kind.contains(word))
        };
        match status.or(self.status) {
            Some(401) => Trouble::Key,
            Some(403) if says(KEY) => Trouble::Key,
            Some(429) if says(SPENT) => Trouble::Refused,
            Some(408 | 425 | 429) => Trouble::Busy,
            Some(413) => Trouble::TooLong,
            Some(status @ 400..500) => {
                if says(TOO_LONG) {
                    Trouble::TooLong
                } else if says(NO_TOOLS) {
                    Trouble::Tools
                } else if says(BAD_KEY) {
                    Trouble::Key
                } else if is_about_model(&message, status) || says(&["model_not_found"]) {
                    Trouble::Model
                } else {
                    Trouble::Refused
                }
            }
            Some(500..) => Trouble::Server,
            Some(_) => Trouble::Refused,
            None => self.trouble_by_kind(&message),
        }
    }

    /// What kind of trouble it is when it comes in the middle of an answer, without a status.
    fn trouble_by_kind(&self, message: &str) -> Trouble {
        let kind = |word: &str| self.kind.contains(word);
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word) || kind(word));
        if kind("overloaded") || kind("api_error") || kind("timeout") || kind("server_error") {
            Trouble::Server
        } else if kind("rate_limit") || kind("too_many_requests") {
            Trouble::Busy
        } else if kind("authentication") || kind("permission") {
            Trouble::Key
        } else if says(TOO_LONG) {
            Trouble::TooLong
        } else if kind("not_found") || is_about_model(message, 400) {
            Trouble::Model
        } else if kind("invalid_request") || kind("billing") || says(SPENT) {
            Trouble::Refused
        } else {
            Trouble::Server
        }
    }
}

const KEY: &[&str] = &["key", "auth", "token", "credential", "permission"];
const BAD_KEY: &[&str] = &["api key", "api_key", "authentication_error"];
const SPENT: &[&str] = &["insufficient_quota", "billing", "credit balance"];
const NO_TOOLS: &[&str] = &[
    "does not support tool",
    "not support function",
    "tool use is not supported",
    "tools are not supported",
    "support tool use",
    "tools param requires",
];

const TOO_LONG: &[&str] = &[
    "context_length",
    "context length",
    "context window",
    "context size",
    "context limit",
    "exceed_context_size",
    "prompt is too long",
    "prompt too long",
    "prompt length",
    "input is too long",
    "input length",
    "input token count",
    "too many tokens",
    "reduce the length",
    "request_too_large",
];

fn is_about_model(message: &str, status: u16) -> bool {
    let denies = ["not found", "not exist", "invalid", "unknown", "not a valid", "no such"];
    message.contains("model")
        && (status == 404 || denies.iter().any(|word| message.contains(word)))
        // A model that is there and cannot do something is another matter.
        && !message.contains("support")
}

/// One line of at most a thousand characters.
fn shorten(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(status: u16, body: &str) -> Trouble {
        Complaint::in_body(body.as_bytes()).trouble(Some(status))
    }

    #[test]
    fn the_remedy_is_known_from_what_services_say() {
        let cases = [
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#,
                Trouble::Key,
            ),
            (
                400,
                r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]"#,
                Trouble::Key,
            ),
            (
                403,
                r#"{"type":"error","error":{"type":"permission_error","message":"no"}}"#,
                Trouble::Key,
            ),
            (403, r#"{"error":{"message":"Country not supported"}}"#, Trouble::Refused),
            (
                404,
                r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
                Trouble::Model,
            ),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
                Trouble::Model,
            ),
            (404, r#"{"error":"model 'x' not found"}"#, Trouble::Model),
            (
                400,
                r#"{"error":{"message":"x/y is not a valid model ID","code":400}}"#,
                Trouble::Model,
            ),
            (
                400,
                r#"{"message":"Invalid model: x","type":"invalid_model","code":"1500"}"#,
                Trouble::Model,
            ),
            (400, r#"{"error":"this model does not support tools"}"#, Trouble::Tools),
            (
                404,
                r#"{"error":{"message":"No endpoints found that support tool use","code":404}}"#,
                Trouble::Tools,
            ),
            (404, "404 page not found", Trouble::Refused),
            (
                400,
                r#"{"error":{"code":"context_length_exceeded","message":"too much"}}"#,
                Trouble::TooLong,
            ),
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
                Trouble::TooLong,
            ),
            (
                400,
                r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}"#,
                Trouble::TooLong,
            ),
            (413, "", Trouble::TooLong),
            (429, r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#, Trouble::Busy),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
                Trouble::Refused,
            ),
            (408, "", Trouble::Busy),
            (422, r#"{"detail":[{"msg":"Extra inputs are not permitted"}]}"#, Trouble::Refused),
            (402, r#"{"error":{"message":"Insufficient Balance"}}"#, Trouble::Refused),
            (
                503,
                r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
                Trouble::Server,
            ),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Trouble::Server,
            ),
            (307, "", Trouble::Refused),
        ];
        for (status, body, expected) in cases {
            assert_eq!(trouble(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn an_error_in_the_middle_of_an_answer_is_known_by_its_kind() {
        let cases = [
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Trouble::Server,
            ),
            (r#"{"error":{"code":502,"message":"upstream"}}"#, Trouble::Server),
            (r#"{"error":{"code":429,"message":"later"}}"#, Trouble::Busy),
            (r#"{"error":{"type":"rate_limit_error","message":"later"}}"#, Trouble::Busy),
            (r#"{"error":{"type":"invalid_request_error","message":"no"}}"#, Trouble::Refused),
            (r#"{"error":"model runner has stopped"}"#, Trouble::Server),
        ];
        for (body, expected) in cases {
            let value = serde_json::from_str(body).unwrap();
            assert_eq!(Complaint::in_json(&value).unwrap().trouble(None), expected, "{body}");
        }
    }

    #[test]
    fn a_complaint_is_one_short_line_and_no_web_page() {
        assert_eq!(Complaint::in_body(b" a\n\n b\t").message, "a b");
        assert_eq!(Complaint::in_body(b"<html>x").message, "");
        let long = "ü".repeat(5000);
        assert_eq!(Complaint::in_body(long.as_bytes()).message.chars().count(), LONGEST + 1);
    }
}
