//! What a tool of a server answered, as text for a model.
//!
//! Text is carried as it is; of everything else it is told what it is and how large.

use serde_json::Value;

/// The content of a result, and whether it tells of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl Answer {
    /// Reads a result; none if it is not the result of a tool.
    pub(super) fn of(result: &Value) -> Option<Self> {
        let blocks = result.get("content").and_then(Value::as_array);
        let structured = result.get("structuredContent").filter(|value| !value.is_null());
        if blocks.is_none() && structured.is_none() && !result.as_object()?.is_empty() {
            return None;
        }
        let mut parts: Vec<_> = blocks.into_iter().flatten().map(described).collect();
        if let Some(structured) = structured {
            // Servers repeat it as text for those who read nothing else.
            let is_repeated = blocks.into_iter().flatten().any(|block| is_same(block, structured));
            if !is_repeated {
                let json = serde_json::to_string_pretty(structured).unwrap_or_default();
                parts.push(match parts.is_empty() {
                    true => json,
                    false => format!("Structured content:\n{json}"),
                });
            }
        }
        let is_error = result.get("isError") == Some(&Value::Bool(true));
        Some(Self { text: parts.join("\n"), is_error })
    }
}

fn described(block: &Value) -> String {
    let text = |key: &str| block.get(key).and_then(Value::as_str);
    let kind = text("mimeType").unwrap_or("of an unknown type");
    match text("type") {
        Some("text") => text("text").unwrap_or_default().to_owned(),
        Some(media @ ("image" | "audio")) => {
            let size = size(text("data").unwrap_or_default());
            format!("[{media}, {kind}, {size} bytes, not shown]")
        }
        Some("resource") => block.get("resource").map_or_else(String::new, resource),
        Some("resource_link") => {
            let uri = text("uri").unwrap_or_default();
            let name = text("title").or(text("name")).unwrap_or_default();
            let size = block.get("size").and_then(Value::as_u64);
            let size = size.map_or_else(String::new, |size| format!(", {size} bytes"));
            let about = text("description").map_or_else(String::new, |text| format!(": {text}"));
            format!("[link to the resource `{uri}` ({name}), {kind}{size}]{about}")
        }
        Some(other) => format!("[{other}, which jp does not know, not shown]"),
        None => "[a part without a type, not shown]".to_owned(),
    }
}

fn resource(resource: &Value) -> String {
    let text = |key: &str| resource.get(key).and_then(Value::as_str);
    let uri = text("uri").unwrap_or_default();
    match text("text") {
        Some(content) => format!("[resource `{uri}`]\n{content}"),
        None => {
            let kind = text("mimeType").unwrap_or("of an unknown type");
            let size = size(text("blob").unwrap_or_default());
            format!("[resource `{uri}`, {kind}, {size} bytes, not shown]")
        }
    }
}

/// How many bytes a text in base64 stands for.
fn size(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

fn is_same(block: &Value, structured: &Value) -> bool {
    let text = block.get("text").and_then(Value::as_str);
    text.and_then(|text| serde_json::from_str::<Value>(text).ok()).as_ref() == Some(structured)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(result: Value) -> String {
        Answer::of(&result).unwrap().text
    }

    #[test]
    fn text_is_joined_and_everything_else_is_described() {
        let result = json!({ "content": [
            { "type": "text", "text": "one\n" },
            { "type": "image", "data": "AAAA", "mimeType": "image/png" },
            { "type": "audio", "data": "AA==", "mimeType": "audio/wav" },
            { "type": "resource", "resource": { "uri": "a://b", "text": "inside" } },
            { "type": "resource", "resource": { "uri": "a://c", "blob": "AAA=" } },
            { "type": "resource_link", "uri": "a://d", "name": "d", "size": 7,
              "mimeType": "text/plain", "description": "more" },
            { "type": "hologram", "data": "AAAA" },
        ]});
        let expected = "one\n\n\
             [image, image/png, 3 bytes, not shown]\n\
             [audio, audio/wav, 1 bytes, not shown]\n\
             [resource `a://b`]\ninside\n\
             [resource `a://c`, of an unknown type, 2 bytes, not shown]\n\
             [link to the resource `a://d` (d), text/plain, 7 bytes]: more\n\
             [hologram, which jp does not know, not shown]";
        assert_eq!(text(result), expected);
    }

    #[test]
    fn structured_content_is_kept_and_not_repeated() {
        let structured = json!({ "a": [1, 2] });
        let both = json!({ "content": [{ "type": "text", "text": "{\"a\":[1,2]}" }],
            "structuredContent": structured });
        assert_eq!(text(both), "{\"a\":[1,2]}");
        let other = json!({ "content": [{ "type": "text", "text": "fine" }],
            "structuredContent": { "a": 1 } });
        assert_eq!(text(other), "fine\nStructured content:\n{\n  \"a\": 1\n}");
        assert_eq!(
            text(json!({ "content": [], "structuredContent": { "a": 1 } })),
            "{\n  \"a\": 1\n}"
        );
    }

    #[test]
    fn a_failure_is_told_from_a_success_and_both_from_nothing() {
        let failed = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true });
        assert_eq!(Answer::of(&failed), Some(Answer { text: "no".to_owned(), is_error: true }));
        let empty = Answer { text: String::new(), is_error: false };
        assert_eq!(Answer::of(&json!({ "content": [] })), Some(empty.clone()));
        assert_eq!(Answer::of(&json!({})), Some(empty));
        assert_eq!(Answer::of(&json!({ "tools": [] })), None);
        assert_eq!(Answer::of(&json!([])), None);
    }
}
