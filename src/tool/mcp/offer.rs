//! What a server says its tools are, within limits.

use serde_json::{Map, Value, json};

/// The most tools of one server.
pub(super) const MOST_TOOLS: usize = 512;

/// The most characters of a description; what is longer is cut.
const LONGEST_DESCRIPTION: usize = 8_000;

/// The most bytes of a schema; a tool with a larger one is left out.
const LARGEST_SCHEMA: usize = 64 << 10;

/// The longest name that the protocol allows, and more.
const LONGEST_NAME: usize = 256;

/// A tool as its server offers it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Offer {
    /// The name on the wire.
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Value,
}

/// What counts of what a server offers, and what is said about the rest.
pub(super) fn sift(listed: Vec<Value>, allowed: Option<&[String]>) -> (Vec<Offer>, Vec<String>) {
    let mut offers: Vec<Offer> = Vec::new();
    let (mut more, mut odd, mut large) = (0, 0, 0);
    for tool in listed {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        if name.is_empty() || name.len() > LONGEST_NAME || name.contains(char::is_control) {
            odd += 1;
            continue;
        }
        let is_allowed = allowed.is_none_or(|allowed| allowed.iter().any(|known| known == name));
        if !is_allowed || offers.iter().any(|offer| offer.name == name) {
            continue;
        }
        if offers.len() == MOST_TOOLS {
            more += 1;
            continue;
        }
        match parameters(&tool) {
            Some(parameters) => offers.push(Offer {
                name: name.to_owned(),
                description: description(&tool),
                parameters,
            }),
            None => large += 1,
        }
    }
    let mut notes = Vec::new();
    if more > 0 {
        notes
            .push(format!("{more} more tools than {MOST_TOOLS} are left out: choose with `tools`"));
    }
    if odd > 0 {
        notes.push(format!("{odd} tools without a name that can be used are left out"));
    }
    if large > 0 {
        notes.push(format!("{large} tools whose parameters are too large are left out"));
    }
    for wanted in allowed.unwrap_or_default() {
        if !offers.iter().any(|offer| offer.name == *wanted) {
            notes.push(format!("it has no tool `{wanted}`, which `tools` names"));
        }
    }
    (offers, notes)
}

fn description(tool: &Value) -> String {
    let text = |key: &str| tool.get(key).and_then(Value::as_str);
    let text = text("description").or_else(|| text("title")).unwrap_or_default();
    match text.char_indices().nth(LONGEST_DESCRIPTION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The schema of an object; none if it is too large.
fn parameters(tool: &Value) -> Option<Value> {
    let schema = tool.get("inputSchema").and_then(Value::as_object).cloned();
    let mut schema = schema.unwrap_or_else(Map::new);
    // Providers insist on it.
    if schema.get("type") != Some(&json!("object")) {
        schema.insert("type".to_owned(), json!("object"));
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    let schema = Value::Object(schema);
    (schema.to_string().len() <= LARGEST_SCHEMA).then_some(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(offers: &[Offer]) -> Vec<&str> {
        offers.iter().map(|offer| offer.name.as_str()).collect()
    }

    #[test]
    fn a_tool_keeps_its_name_and_gets_what_models_insist_on() {
        let listed = vec![
            json!({ "name": "a/b", "description": "Does.", "inputSchema": { "type": "object",
                "properties": { "x": {} } }, "annotations": { "readOnlyHint": true } }),
            json!({ "name": "c", "title": "See", "inputSchema": {} }),
        ];
        let (offers, notes) = sift(listed, None);
        let expected = [
            Offer {
                name: "a/b".to_owned(),
                description: "Does.".to_owned(),
                parameters: json!({ "type": "object", "properties": { "x": {} } }),
            },
            Offer {
                name: "c".to_owned(),
                description: "See".to_owned(),
                parameters: json!({ "type": "object", "properties": {} }),
            },
        ];
        assert_eq!((offers.as_slice(), notes.as_slice()), (&expected[..], &[][..]));
    }

    #[test]
    fn a_list_says_which_tools_count_and_which_of_them_are_missing() {
        let listed = ["a", "b", "a"].map(|name| json!({ "name": name })).to_vec();
        let (offers, notes) = sift(listed, Some(&["b".to_owned(), "z".to_owned()]));
        assert_eq!(names(&offers), ["b"]);
        assert_eq!(notes, ["it has no tool `z`, which `tools` names"]);
    }

    #[test]
    fn everything_has_a_limit() {
        let mut listed: Vec<_> = (0..1000).map(|n| json!({ "name": format!("t{n}") })).collect();
        listed.insert(0, json!({ "name": "" }));
        listed.insert(0, json!({ "name": "big", "inputSchema": { "x": "y".repeat(70_000) } }));
        listed.insert(0, json!({ "name": "long", "description": "ä".repeat(10_000) }));
        let (offers, notes) = sift(listed, None);
        assert_eq!(offers.len(), MOST_TOOLS);
        assert_eq!(offers[0].description.chars().count(), 8_001);
        let expected = [
            "489 more tools than 512 are left out: choose with `tools`",
            "1 tools without a name that can be used are left out",
            "1 tools whose parameters are too large are left out",
        ];
        assert_eq!(notes, expected);
    }
}
