//! What a command says on its standard output beyond plain text: a typed outcome.
//!
//! A typed outcome is the whole output: a JSON object whose one member is `jp`, an object with a
//! `type`. So JSON that a command prints for its own sake is never taken for one.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Outcome, Question};
use crate::model::{AnswerType, Choice};

/// The one member of a typed outcome.
const KEY: &str = "jp";

/// What stands under the key.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Typed {
    Success {
        #[serde(default)]
        content: Value,
    },
    Error {
        message: String,
        #[serde(default)]
        details: Value,
    },
    NeedsInput {
        question: Map<String, Value>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: String,
    text: String,
    r#type: Form,
    #[serde(default)]
    options: Vec<Value>,
    default: Option<Value>,
    #[serde(default)]
    exclusive: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Form {
    Boolean,
    Select,
    Text,
    Secret,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Offer {
    value: String,
    description: Option<String>,
}

/// The typed outcome that an output is, if it is one; what is wrong with it if it is none of ours.
pub(super) fn typed(output: &[u8]) -> Option<Result<Outcome, String>> {
    if !begins_typed(output) {
        return None;
    }
    let Ok(Value::Object(mut object)) = serde_json::from_slice(output) else { return None };
    let inner = object.remove(KEY).filter(|inner| inner["type"].is_string())?;
    object.is_empty().then(|| outcome(inner))
}

/// Whether an output begins like a typed outcome: the rest of it may be missing.
pub(super) fn begins_typed(output: &[u8]) -> bool {
    let rest = output.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| rest.starts_with(b"\"jp\""))
}

fn outcome(inner: Value) -> Result<Outcome, String> {
    match serde_json::from_value(inner).map_err(|error| error.to_string())? {
        Typed::Success { content } => Ok(Outcome::success(text(content))),
        Typed::Error { message, details: Value::Null } => Ok(Outcome::error(message)),
        Typed::Error { message, details } => {
            Ok(Outcome::error(format!("{message}\n\n{}", text(details))))
        }
        Typed::NeedsInput { question } => {
            let asked = serde_json::from_value(Value::Object(question));
            let asked = asked.map_err(|error| format!("`question`: {error}"))?;
            Ok(Outcome::NeedsInput(question_of(asked)?))
        }
    }
}

fn question_of(asked: Asked) -> Result<Question, String> {
    let Asked { id, text, r#type, options, default, exclusive } = asked;
    if id.is_empty() || text.is_empty() {
        return Err("`question`: `id` and `text` must not be empty".to_owned());
    }
    if !options.is_empty() && !matches!(r#type, Form::Select) {
        return Err("`question`: only a `select` has `options`".to_owned());
    }
    // Nobody but a person may see a secret.
    let exclusive = exclusive || matches!(r#type, Form::Secret);
    let answer = match r#type {
        Form::Boolean => {
            let default = default.map(|value| value.as_bool().ok_or("true or false"));
            AnswerType::Boolean { default: expected(default)? }
        }
        Form::Text => AnswerType::Text { default: expected(default.map(string))? },
        Form::Select => {
            let options = options.into_iter().map(choice).collect::<Result<Vec<_>, _>>()?;
            let default = expected(default.map(string))?;
            check_choices(&options, default.as_deref())?;
            AnswerType::Select { options, default }
        }
        Form::Secret if default.is_some() => {
            return Err("`question`: a `secret` has no `default`".to_owned());
        }
        Form::Secret => AnswerType::Secret,
    };
    Ok(Question { id, text, answer, exclusive })
}

fn choice(value: Value) -> Result<Choice, String> {
    match value {
        Value::String(value) => Ok(Choice { value, description: None }),
        other => {
            let option = serde_json::from_value(other);
            let option: Offer = option.map_err(|error| format!("`options`: {error}"))?;
            Ok(Choice { value: option.value, description: option.description })
        }
    }
}

fn check_choices(options: &[Choice], default: Option<&str>) -> Result<(), String> {
    if options.is_empty() {
        return Err("`question`: a `select` needs `options`".to_owned());
    }
    for (index, option) in options.iter().enumerate() {
        if options[..index].iter().any(|earlier| earlier.value == option.value) {
            return Err(format!("`options`: `{}` is there twice", option.value));
        }
    }
    match default {
        Some(default) if options.iter().all(|option| option.value != default) => {
            Err(format!("`default`: `{default}` is none of the options"))
        }
        _ => Ok(()),
    }
}

fn string(value: Value) -> Result<String, &'static str> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err("a string"),
    }
}

fn expected<T>(default: Option<Result<T, &'static str>>) -> Result<Option<T>, String> {
    default.transpose().map_err(|what| format!("`default`: expected {what}"))
}

/// A string as it is, nothing as nothing, and anything else as JSON.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(inner: Value) -> Result<Outcome, String> {
        typed(json!({ "jp": inner }).to_string().as_bytes()).unwrap()
    }

    fn ask(question: Value) -> Result<Question, String> {
        match read(json!({ "type": "needs_input", "question": question }))? {
            Outcome::NeedsInput(question) => Ok(question),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_command_prints_for_its_own_sake_is_text() {
        let outputs = [
            "",
            "plain",
            "{}",
            "{\"type\": \"success\"}",
            "{\"type\": \"needs_input\", \"question\": {}}",
            "{\"jp\": \"konnichiwa\", \"en\": \"hello\"}",
            "{\"jp\": \"success\"}",
            "{\"jp\": {}}",
            "{\"jp\": {\"type\": 3}}",
            "{\"jp\": {\"type\": \"success\"}, \"other\": 1}",
            "[{\"jp\": {\"type\": \"success\"}}]",
            "{\"jp\": {\"type\": \"success\"}} and more",
            "{\"jp\": {\"type\": \"success\"}}{\"jp\": {\"type\": \"success\"}}",
            "{\"jp\": {\"type\": \"succ",
        ];
        for output in outputs {
            assert_eq!(typed(output.as_bytes()), None, "{output}");
        }
        assert_eq!(typed(b"{\"jp\": {\"type\": \"success\", \"content\": \"\xff\"}}"), None);
    }

    #[test]
    fn success_and_error_carry_texts() {
        let output = b"\n { \"jp\" : {\"type\": \"success\", \"content\": \"a\\u0000b\"} }\n\n";
        assert_eq!(typed(output), Some(Ok(Outcome::success("a\0b"))));
        assert_eq!(read(json!({ "type": "success" })), Ok(Outcome::success("")));
        let data = read(json!({ "type": "success", "content": { "b": [1], "a": null } }));
        assert_eq!(data, Ok(Outcome::success("{\"b\":[1],\"a\":null}")));
        let error = read(json!({ "type": "error", "message": "no" }));
        assert_eq!(error, Ok(Outcome::error("no")));
        let error = read(json!({ "type": "error", "message": "no", "details": "why" }));
        assert_eq!(error, Ok(Outcome::error("no\n\nwhy")));
    }

    #[test]
    fn questions_of_every_type_are_read() {
        let question = |id: &str, answer, exclusive| {
            Ok(Question { id: id.to_owned(), text: "?".to_owned(), answer, exclusive })
        };
        assert_eq!(
            ask(json!({ "id": "a", "text": "?", "type": "boolean", "default": false })),
            question("a", AnswerType::Boolean { default: Some(false) }, false)
        );
        assert_eq!(
            ask(json!({ "id": "a", "text": "?", "type": "text", "exclusive": true })),
            question("a", AnswerType::Text { default: None }, true)
        );
        assert_eq!(
            ask(json!({ "id": "a", "text": "?", "type": "secret" })),
            question("a", AnswerType::Secret, true)
        );
        let options = json!(["x", { "value": "y", "description": "why" }]);
        let choice = |value: &str, description: Option<&str>| Choice {
            value: value.to_owned(),
            description: description.map(str::to_owned),
        };
        assert_eq!(
            ask(json!({
                "id": "a", "text": "?", "type": "select", "options": options, "default": "y"
            })),
            question(
                "a",
                AnswerType::Select {
                    options: vec![choice("x", None), choice("y", Some("why"))],
                    default: Some("y".to_owned()),
                },
                false
            )
        );
    }

    #[test]
    fn what_is_wrong_with_a_typed_outcome_is_said() {
        let wrong = |inner| read(inner).unwrap_err();
        assert_eq!(
            wrong(json!({ "type": "sucess" })),
            "unknown variant `sucess`, expected one of `success`, `error`, `needs_input`"
        );
        assert_eq!(wrong(json!({ "type": "error" })), "missing field `message`");
        assert!(wrong(json!({ "type": "success", "contents": "" })).contains("`contents`"));
        let wrong = |question| ask(question).unwrap_err();
        assert_eq!(wrong(json!({ "id": "a" })), "`question`: missing field `text`");
        let select = |options, default: Value| {
            json!({
                "id": "a", "text": "?", "type": "select", "options": options, "default": default
            })
        };
        let table = [
            (select(json!([]), Value::Null), "`question`: a `select` needs `options`"),
            (select(json!(["x", "x"]), Value::Null), "`options`: `x` is there twice"),
            (select(json!(["x"]), json!("y")), "`default`: `y` is none of the options"),
            (select(json!(["x"]), json!(1)), "`default`: expected a string"),
            (
                json!({ "id": "a", "text": "?", "type": "boolean", "default": "yes" }),
                "`default`: expected true or false",
            ),
            (
                json!({ "id": "a", "text": "?", "type": "secret", "default": "x" }),
                "`question`: a `secret` has no `default`",
            ),
            (
                json!({ "id": "a", "text": "?", "type": "text", "options": ["x"] }),
                "`question`: only a `select` has `options`",
            ),
            (
                json!({ "id": "", "text": "?", "type": "text" }),
                "`question`: `id` and `text` must not be empty",
            ),
        ];
        for (question, expected) in table {
            assert_eq!(wrong(question), expected);
        }
    }
}
