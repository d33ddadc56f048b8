//! What a server wants to know from the user in the middle of a call, as questions.

use serde_json::{Map, Number, Value, json};

use crate::{
    model::{AnswerType, Choice},
    tool::{Host, Misfit, Question, Schema},
};

/// The most fields of a form that anybody is asked for.
const MOST_FIELDS: usize = 20;

/// How often a field is asked for until its answer fits.
const TRIES: usize = 3;

/// What the server is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    /// What was answered.
    Accept(Map<String, Value>),
    /// The user does not want to.
    Decline,
    /// Nobody answered.
    Cancel,
}

impl Reply {
    /// As it is sent.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Accept(content) => json!({ "action": "accept", "content": content }),
            Self::Decline => json!({ "action": "decline" }),
            Self::Cancel => json!({ "action": "cancel" }),
        }
    }
}

/// Asks the user what a server wants to know: one question for each field. `number` tells the
/// questions of one call apart.
pub(super) fn ask(request: &Value, server: &str, number: usize, host: &Host<'_>) -> Reply {
    let message = request.get("message").and_then(Value::as_str).unwrap_or_default();
    let message = format!("The server `{server}` asks: {message}");
    if request.get("mode").and_then(Value::as_str) == Some("url") {
        host.progress(&format!(
            "the server `{server}` wants you to open an address, which jp does not do: declined"
        ));
        return Reply::Decline;
    }
    let empty = Map::new();
    let schema = request.get("requestedSchema");
    let part = |name: &str| schema.and_then(|schema| schema.get(name));
    let properties = part("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = part("required").and_then(Value::as_array);
    let is_required = |name: &String| {
        required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
    };
    if properties.is_empty() {
        return confirm(message, number, host);
    }
    if properties.len() > MOST_FIELDS {
        host.progress(&format!(
            "the server `{server}` asks for {} things at once: declined",
            properties.len()
        ));
        return Reply::Decline;
    }
    let mut content = Map::new();
    for (name, schema) in properties {
        let field = Field { name, schema, is_required: is_required(name) };
        match field.ask(&message, number, host) {
            Asked::Value(Some(value)) => drop(content.insert(name.clone(), value)),
            Asked::Value(None) => {}
            Asked::Nobody => return Reply::Cancel,
            Asked::Misfit => return Reply::Decline,
        }
    }
    Reply::Accept(content)
}

/// A form without fields wants nothing but a yes.
fn confirm(text: String, number: usize, host: &Host<'_>) -> Reply {
    let answer = AnswerType::Boolean { default: None };
    let question = Question { id: format!("elicitation-{number}"), text, answer, exclusive: true };
    match host.ask(question) {
        Some(Value::Bool(true)) => Reply::Accept(Map::new()),
        Some(_) => Reply::Decline,
        None => Reply::Cancel,
    }
}

struct Field<'a> {
    name: &'a str,
    schema: &'a Value,
    is_required: bool,
}

enum Asked {
    Value(Option<Value>),
    Nobody,
    Misfit,
}

impl Field<'_> {
    fn ask(&self, message: &str, number: usize, host: &Host<'_>) -> Asked {
        let mut problem = String::new();
        for attempt in 0..TRIES {
            let suffix = if attempt == 0 { String::new() } else { format!("-{}", attempt + 1) };
            let question = Question {
                id: format!("elicitation-{number}-{}{suffix}", self.name),
                text: format!("{message}\n\n{}{problem}", self.text()),
                answer: self.answer(),
                exclusive: true,
            };
            let Some(answer) = host.ask(question) else { return Asked::Nobody };
            match self.value(&answer) {
                Ok(value) => return Asked::Value(value),
                Err(why) => problem = format!("\n\nThis does not fit: {why}"),
            }
        }
        Asked::Misfit
    }

    fn text(&self) -> String {
        let text = |key: &str| self.schema.get(key).and_then(Value::as_str);
        let mut lines = vec![match text("title") {
            Some(title) => format!("{title} (`{}`)", self.name),
            None => format!("`{}`", self.name),
        }];
        lines.extend(text("description").map(str::to_owned));
        let kind = match text("type") {
            Some("integer") => "A whole number is needed",
            Some("number") => "A number is needed",
            Some("array") => "Any of these, with commas between them",
            _ => "",
        };
        if !kind.is_empty() {
            let options: Vec<_> = self.options().into_iter().map(|choice| choice.value).collect();
            let list = if options.is_empty() {
                String::new()
            } else {
                format!(": {}", options.join(", "))
            };
            lines.push(format!("{kind}{list}."));
        }
        if let Some(format) = text("format") {
            lines.push(format!("It has the form of a {format}."));
        }
        if !self.is_required && !self.is_choice() {
            lines.push("It may be left empty.".to_owned());
        }
        lines.join("\n")
    }

    fn answer(&self) -> AnswerType {
        let default = self.schema.get("default");
        if self.is_boolean() {
            return AnswerType::Boolean { default: default.and_then(Value::as_bool) };
        }
        let text = default.map(|default| match default {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        });
        match self.is_choice() {
            true => AnswerType::Select { options: self.options(), default: text },
            false => AnswerType::Text { default: text },
        }
    }

    /// The answer as the field wants it; nothing for an optional one that was left empty.
    fn value(&self, answer: &Value) -> Result<Option<Value>, String> {
        let text = answer.as_str().map(str::trim);
        if text == Some("") && !self.is_required && !self.is_choice() {
            return Ok(None);
        }
        let kind = self.schema.get("type").and_then(Value::as_str).unwrap_or("string");
        let value = match (kind, text) {
            ("boolean", None) => answer.clone(),
            ("integer" | "number", Some(text)) => {
                let number = serde_json::from_str::<Number>(text);
                Value::Number(number.map_err(|_none| format!("`{text}` is no number"))?)
            }
            ("array", Some(text)) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                items.map(|item| json!(item)).collect()
            }
            _ => answer.clone(),
        };
        match Schema::new(self.schema.clone()).check(&value) {
            Ok(()) => Ok(Some(value)),
            Err(Misfit::Value(problems)) => Err(problems.join("; ")),
            Err(Misfit::Schema(problem)) => Err(problem),
        }
    }

    fn is_boolean(&self) -> bool {
        self.schema.get("type").and_then(Value::as_str) == Some("boolean")
    }

    fn is_choice(&self) -> bool {
        self.schema.get("type").and_then(Value::as_str) != Some("array")
            && !self.options().is_empty()
    }

    /// What can be chosen, in every form that servers write it.
    fn options(&self) -> Vec<Choice> {
        let items = self.schema.get("items").unwrap_or(self.schema);
        let array = |key: &str| items.get(key).and_then(Value::as_array);
        if let Some(values) = array("enum") {
            let names = array("enumNames");
            let described = values.iter().enumerate().filter_map(|(at, value)| {
                let name = names.and_then(|names| names.get(at)?.as_str());
                Some(Choice {
                    value: value.as_str()?.to_owned(),
                    description: name.map(str::to_owned),
                })
            });
            return described.collect();
        }
        let titled = array("oneOf").or_else(|| array("anyOf")).into_iter().flatten();
        let choice = |option: &Value| {
            Some(Choice {
                value: option.get("const")?.as_str()?.to_owned(),
                description: option.get("title").and_then(Value::as_str).map(str::to_owned),
            })
        };
        titled.filter_map(choice).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{cancel::Cancel, tool::Line};

    /// Somebody who has answers ready; what was asked and said is kept.
    struct Ready<'a> {
        answers: &'a [Value],
        questions: Mutex<Vec<Question>>,
        said: Mutex<Vec<String>>,
    }

    impl Line for Ready<'_> {
        fn progress(&self, text: &str) {
            self.said.lock().unwrap().push(text.to_owned());
        }

        fn ask(&self, question: Question) -> Option<Value> {
            let mut questions = self.questions.lock().unwrap();
            questions.push(question);
            self.answers.get(questions.len() - 1).cloned()
        }
    }

    /// Asks with answers that are given one after the other; what was asked is kept.
    fn asked(request: Value, answers: &[Value]) -> (Reply, Vec<Question>, Vec<String>) {
        let ready = Ready { answers, questions: Mutex::default(), said: Mutex::default() };
        let reply = ask(&request, "srv", 1, &Host::new(&Cancel::new(), &ready));
        (reply, ready.questions.into_inner().unwrap(), ready.said.into_inner().unwrap())
    }

    fn form(properties: Value, required: &[&str]) -> Value {
        json!({ "message": "Who?", "requestedSchema": {
            "type": "object", "properties": properties, "required": required } })
    }

    fn accepted(content: Value) -> Reply {
        Reply::Accept(content.as_object().unwrap().clone())
    }

    #[test]
    fn each_field_is_one_question_and_its_answer_has_the_right_type() {
        let request = form(
            json!({
                "name": { "type": "string", "title": "Your name", "description": "In full." },
                "age": { "type": "integer", "minimum": 0 },
                "size": { "type": "number" },
                "ok": { "type": "boolean", "default": true },
                "color": { "type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"] },
                "shade": { "type": "string", "oneOf": [{ "const": "d", "title": "Dark" }] },
                "tags": { "type": "array", "items": { "type": "string", "enum": ["a", "b", "c"] } },
                "note": { "type": "string" },
            }),
            &["name", "age"],
        );
        let answers = [
            json!("Ann"),
            json!(" 41 "),
            json!("1.5"),
            json!(false),
            json!("g"),
            json!("d"),
            json!("a, c"),
            json!(""),
        ];
        let (reply, questions, _) = asked(request, &answers);
        let expected = json!({ "name": "Ann", "age": 41, "size": 1.5, "ok": false, "color": "g",
            "shade": "d", "tags": ["a", "c"] });
        assert_eq!(reply, accepted(expected));
        assert_eq!(
            questions[0],
            Question {
                id: "elicitation-1-name".to_owned(),
                text: "The server `srv` asks: Who?\n\nYour name (`name`)\nIn full.".to_owned(),
                answer: AnswerType::Text { default: None },
                exclusive: true,
            }
        );
        let choice = |value: &str, description: &str| Choice {
            value: value.to_owned(),
            description: Some(description.to_owned()),
        };
        let answers: Vec<_> = questions.iter().map(|question| question.answer.clone()).collect();
        assert_eq!(answers[3], AnswerType::Boolean { default: Some(true) });
        let options = vec![choice("r", "Red"), choice("g", "Green")];
        assert_eq!(answers[4], AnswerType::Select { options, default: None });
        assert_eq!(
            answers[5],
            AnswerType::Select { options: vec![choice("d", "Dark")], default: None }
        );
        assert!(
            questions[6].text.ends_with(
                "Any of these, with commas between them: a, b, c.\nIt may be left empty."
            )
        );
    }

    #[test]
    fn an_answer_that_does_not_fit_is_asked_for_again_and_not_for_ever() {
        let request = form(json!({ "age": { "type": "integer", "minimum": 18 } }), &["age"]);
        let (reply, questions, _) = asked(request.clone(), &[json!("old"), json!("20")]);
        assert_eq!(reply, accepted(json!({ "age": 20 })));
        assert!(questions[1].text.ends_with("This does not fit: `old` is no number"));
        assert_ne!(questions[0].id, questions[1].id);
        let (reply, questions, _) = asked(request, &[json!("1"), json!("2"), json!("3")]);
        assert_eq!((reply, questions.len()), (Reply::Decline, 3));
    }

    #[test]
    fn nobody_who_answers_is_not_a_no() {
        let two = form(json!({ "a": { "type": "string" }, "b": { "type": "string" } }), &[]);
        assert_eq!(asked(two, &[json!("x")]).0, Reply::Cancel);
        let confirm = form(json!({}), &[]);
        assert_eq!(asked(confirm.clone(), &[json!(true)]).0, accepted(json!({})));
        assert_eq!(asked(confirm.clone(), &[json!(false)]).0, Reply::Decline);
        assert_eq!(asked(confirm, &[]).0, Reply::Cancel);
    }

    #[test]
    fn an_address_is_not_opened_and_it_is_said_so() {
        let request = json!({ "mode": "url", "message": "Log in", "url": "http://evil.example" });
        let (reply, questions, said) = asked(request, &[json!(true)]);
        assert_eq!((reply, questions.len()), (Reply::Decline, 0));
        let expected =
            "the server `srv` wants you to open an address, which jp does not do: declined";
        assert_eq!(said, [expected]);
    }

    #[test]
    fn nobody_is_asked_for_a_hundred_things() {
        let fields: Map<_, _> =
            (0..100).map(|n| (format!("f{n}"), json!({ "type": "string" }))).collect();
        let (reply, questions, _) = asked(form(Value::Object(fields), &[]), &[]);
        assert_eq!((reply, questions.len()), (Reply::Decline, 0));
    }
}
