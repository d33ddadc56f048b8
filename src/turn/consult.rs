//! Lets the model answer what its tool asks, when the user has settled that it may.
//!
//! The question is put to the model by itself: the answer that called the tool is not complete
//! without the result, so no provider would take it along.

use serde_json::{Value, json};

use super::Setup;
use crate::{
    model::{Answer, AnswerType, InquiryRequest, ToolCall},
    projection::{Message, Role},
    provider::Query,
};

const TASK: &str = "You are using tools on behalf of a user. A tool that you called has a question \
                    before it can go on, and the user has decided that you answer it. Answer with \
                    nothing but the JSON that is asked for.";

/// What the model is asked.
pub fn query(setup: &Setup, call: &ToolCall, inquiry: &InquiryRequest) -> Query {
    let arguments = call.arguments.as_str();
    let question = inquiry.text.to_text_lossy();
    let text = format!("You called `{}` with\n\n{arguments}\n\nIt asks:\n\n{question}", call.tool);
    let message = |role| Message { turn: None, incomplete: false, addresses: Vec::new(), role };
    let user = Role::User { content: text.into(), attachments: Vec::new() };
    Query {
        model: setup.model.to_string(),
        messages: vec![message(Role::System { content: TASK.to_owned() }), message(user)],
        tools: Vec::new(),
        schema: Some(schema(&inquiry.answer)),
        sampling: setup.sampling,
        takes: setup.takes,
    }
}

fn schema(answer: &AnswerType) -> Value {
    let answer = match answer {
        AnswerType::Boolean { .. } => json!({ "type": "boolean" }),
        AnswerType::Select { options, .. } => {
            let values: Vec<_> = options.iter().map(|option| option.value.as_str()).collect();
            json!({ "type": "string", "enum": values })
        }
        AnswerType::Text { .. } | AnswerType::Secret => json!({ "type": "string" }),
    };
    json!({
        "type": "object",
        "properties": { "answer": answer },
        "required": ["answer"],
        "additionalProperties": false,
    })
}

/// What the model answered, if it is an answer.
pub fn read(text: &str, expected: &AnswerType) -> Option<Answer> {
    let said: Value = serde_json::from_str(text.trim()).ok()?;
    match (expected, said.get("answer")?) {
        (AnswerType::Boolean { .. }, Value::Bool(answer)) => Some(Answer::Boolean(*answer)),
        (AnswerType::Select { options, .. }, Value::String(answer)) => {
            let is_one = options.iter().any(|option| option.value == *answer);
            is_one.then(|| Answer::Select(answer.clone()))
        }
        (AnswerType::Text { .. }, Value::String(answer)) => {
            Some(Answer::Text(answer.as_str().into()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Choice;

    #[test]
    fn only_an_answer_of_the_right_form_counts() {
        let yes = AnswerType::Boolean { default: None };
        let text = AnswerType::Text { default: None };
        let options = vec![Choice { value: "a".to_owned(), description: None }];
        let one = AnswerType::Select { options, default: None };
        assert_eq!(read(" {\"answer\": true}\n", &yes), Some(Answer::Boolean(true)));
        assert_eq!(read(r#"{"answer": "a"}"#, &one), Some(Answer::Select("a".to_owned())));
        assert_eq!(read(r#"{"answer": "x"}"#, &text), Some(Answer::Text("x".into())));
        for (said, expected) in [
            (r#"{"answer": "yes"}"#, &yes),
            (r#"{"answer": "b"}"#, &one),
            (r#"{"answer": 1}"#, &text),
            ("true", &yes),
            ("", &yes),
            (r#"{"answer": "x"}"#, &AnswerType::Secret),
        ] {
            assert_eq!(read(said, expected), None, "{said}");
        }
    }
}
