//! Calls and results cut short, so that a model still sees that a tool was called, and how.

use serde_json::Value;

use crate::model::{Arguments, Body};

/// Arguments up to this many bytes stay as they are.
const ARGUMENTS: usize = 400;

/// Of a longer text in them, this many characters stay.
const TEXT: usize = 100;

/// Arguments that are longer than this even so go as a whole.
const MOST: usize = 2_000;

/// Results up to this many bytes stay as they are.
const RESULT: usize = 200;

/// Arguments cut short, unless they are short.
pub(super) fn short_arguments(arguments: &Arguments) -> Option<Arguments> {
    let text = arguments.as_str();
    if text.len() <= ARGUMENTS {
        return None;
    }
    let cut = serde_json::from_str(text).ok().map(|value| cut(value).to_string());
    let cut = cut.filter(|cut| cut.len() <= MOST).unwrap_or_else(|| {
        serde_json::json!({ "left_out": format!("{} bytes", text.len()) }).to_string()
    });
    Some(Arguments::new(cut)).filter(|cut| cut.as_str().len() < text.len())
}

fn cut(value: Value) -> Value {
    match value {
        Value::String(text) => {
            let Some((end, _)) = text.char_indices().nth(TEXT) else { return text.into() };
            let left = text[end..].chars().count();
            format!("{}… ({left} characters left out)", &text[..end]).into()
        }
        Value::Array(values) => values.into_iter().map(cut).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, cut(value))).collect()
        }
        value => value,
    }
}

/// What stands for a result, unless it is short.
pub(super) fn short_result(content: &Body) -> Option<Body> {
    let bytes = content.as_bytes().len();
    let words = "is left out to save space; call the tool again if it is needed";
    (bytes > RESULT).then(|| format!("(The result of {bytes} bytes {words}.)").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_in_arguments_are_cut_and_the_rest_stays() {
        let long = "ü".repeat(300);
        let arguments = Arguments::new(format!(r#"{{"path":"a.txt","lines":["{long}"],"n":1}}"#));
        let short = short_arguments(&arguments).unwrap();
        let expected = format!(
            r#"{{"path":"a.txt","lines":["{}… (200 characters left out)"],"n":1}}"#,
            "ü".repeat(100)
        );
        assert_eq!(short.as_str(), expected);
        assert_eq!(short_arguments(&Arguments::new(r#"{"path":"a.txt"}"#)), None);
    }

    #[test]
    fn arguments_that_cannot_be_cut_go_as_a_whole() {
        let numbers = format!("[{}1]", "1,".repeat(2000));
        for text in [numbers, "no json ".repeat(200)] {
            let short = short_arguments(&Arguments::new(text.clone())).unwrap();
            assert_eq!(short.as_str(), format!(r#"{{"left_out":"{} bytes"}}"#, text.len()));
        }
    }

    #[test]
    fn a_short_result_stays() {
        assert_eq!(short_result(&"ok".into()), None);
        let short = short_result(&"x".repeat(5000).into()).unwrap();
        let text = short.to_text_lossy().into_owned();
        assert!(text.starts_with("(The result of 5000 bytes is left out"), "{text}");
    }
}
