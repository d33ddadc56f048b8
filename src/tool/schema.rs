//! Whether the arguments of a call are those that the parameters of a tool ask for.
//!
//! A schema is compiled when the first call comes, because most runs of jp call no tool. It never
//! fetches anything: a reference that leads out of the schema makes it invalid.

use std::sync::OnceLock;

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

/// The most problems that are told of one call.
const MOST_PROBLEMS: usize = 10;

/// The most characters of a value, or of what is said about the forms that it does not have.
const MOST_CHARACTERS: usize = 200;

/// A JSON Schema, and what it is compiled to.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    compiled: OnceLock<Result<Validator, String>>,
}

/// Why a value was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The value does not fit: each problem in words.
    Value(Vec<String>),
    /// The schema itself is not valid.
    Schema(String),
}

impl Schema {
    /// A schema that nobody has looked at yet.
    pub fn new(source: Value) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    /// Whether it is a valid JSON Schema; if not, what is wrong and where.
    pub fn verify(&self) -> Result<(), &str> {
        self.compiled().map(|_validator| ())
    }

    /// Whether a value fits; if not, every problem, up to a number.
    pub fn check(&self, value: &Value) -> Result<(), Misfit> {
        let validator = self.compiled().map_err(|problem| Misfit::Schema(problem.to_owned()))?;
        if validator.is_valid(value) {
            return Ok(());
        }
        let mut problems: Vec<_> = validator.iter_errors(value).map(|e| problem(&e)).collect();
        problems.dedup();
        let more = problems.len().saturating_sub(MOST_PROBLEMS);
        if more > 0 {
            problems.truncate(MOST_PROBLEMS);
            problems.push(format!("and {more} more"));
        }
        Err(Misfit::Value(problems))
    }

    fn compiled(&self) -> Result<&Validator, &str> {
        let compile = || {
            let options = jsonschema::options().should_validate_formats(true).offline();
            options.build(&self.source).map_err(|error| flaw(&error))
        };
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}

/// What is wrong with a schema, and where in it.
fn flaw(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Referencing(error) => format!("{error}; nothing is ever fetched"),
        _ => problem(error),
    }
}

/// What is wrong with a value: where, what was expected, and what came.
fn problem(error: &ValidationError<'_>) -> String {
    let place = match error.instance_path().as_str() {
        "" => String::new(),
        path => format!("`{}`: ", name(path.trim_start_matches('/'))),
    };
    format!("{place}{}", complaint(error))
}

fn complaint(error: &ValidationError<'_>) -> String {
    let came = || format!("got {}", shortened(&error.instance().to_string()));
    match error.kind() {
        ValidationErrorKind::Required { property } => match property.as_str() {
            Some(property) => format!("`{property}` is missing"),
            None => format!("{property} is missing"),
        },
        ValidationErrorKind::Type { kind } => format!("expected {}, {}", types(kind), came()),
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map_or(&[][..], Vec::as_slice);
            let options: Vec<_> = options.iter().map(Value::to_string).collect();
            format!("expected one of {}, {}", shortened(&options.join(", ")), came())
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!("expected {}, {}", shortened(&expected_value.to_string()), came())
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let names: Vec<_> = unexpected.iter().map(|name| format!("`{name}`")).collect();
            let word = if names.len() == 1 { "is" } else { "are" };
            format!("{} {word} unknown", shortened(&names.join(", ")))
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let forms = context
                .iter()
                .map(|errors| errors.iter().map(problem).collect::<Vec<_>>().join(" and "));
            let forms = forms.collect::<Vec<_>>().join("; or: ");
            format!("has none of the forms that it may have ({})", shortened(&forms))
        }
        ValidationErrorKind::PropertyNames { error } => {
            format!("one of its names is wrong: {}", complaint(error))
        }
        _ => format!("{}, {}", error.masked_with("the value"), came()),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(only) => only.to_string(),
        TypeKind::Multiple(several) => {
            several.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

/// A place in a value as people write it, `files/0/path`, from a JSON pointer.
fn name(pointer: &str) -> String {
    pointer.replace("~1", "/").replace("~0", "~")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(schema: Value, value: Value) -> Vec<String> {
        match Schema::new(schema).check(&value) {
            Err(Misfit::Value(problems)) => problems,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_problem_is_told_with_its_place_and_what_came() {
        let schema = json!({
            "type": "object",
            "required": ["path"],
            "additionalProperties": false,
            "properties": {
                "path": { "type": "string" },
                "count": { "type": ["integer", "null"] },
                "mode": { "enum": ["r", "w"] },
                "only": { "const": 1 },
                "lines": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
                "a/b": { "pattern": "^x$" },
                "day": { "format": "date" },
                "either": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            },
        });
        let value = json!({
            "count": "three", "mode": "x", "only": 2, "lines": [1, 0, "2"], "a/b": "y",
            "day": "tomorrow", "either": 3, "extra": 1, "more": 2,
        });
        let mut found = problems(schema, value);
        found.sort();
        assert_eq!(
            found,
            [
                "`a/b`: the value does not match \"^x$\", got \"y\"",
                "`count`: expected null or integer, got \"three\"",
                "`day`: the value is not a \"date\", got \"tomorrow\"",
                "`either`: has none of the forms that it may have \
                 (`either`: expected string, got 3; or: `either`: expected null, got 3)",
                "`extra`, `more` are unknown",
                "`lines/1`: the value is less than the minimum of 1, got 0",
                "`lines/2`: expected integer, got \"2\"",
                "`mode`: expected one of \"r\", \"w\", got \"x\"",
                "`only`: expected 1, got 2",
                "`path` is missing",
            ]
        );
    }

    #[test]
    fn many_problems_and_long_values_are_cut() {
        let schema = json!({ "type": "array", "items": { "type": "null" } });
        let found = problems(schema, json!(vec![1; 500]));
        assert_eq!(found.len(), 11);
        assert_eq!(found.last().unwrap(), "and 490 more");
        let found = problems(json!({ "type": "null" }), json!("ä".repeat(10_000)));
        assert_eq!(found[0].chars().count(), "expected null, got ".len() + 201);
    }

    #[test]
    fn a_schema_that_is_none_says_where() {
        let schema = Schema::new(json!({ "properties": { "a": { "type": "strnig" } } }));
        let problem = schema.verify().unwrap_err().to_owned();
        assert!(problem.starts_with("`properties/a/type`: "), "{problem}");
        assert_eq!(schema.check(&json!({})), Err(Misfit::Schema(problem)));
    }

    #[test]
    fn nothing_is_ever_fetched() {
        for uri in ["http://127.0.0.1:1/s.json", "file:///etc/hostname", "other.json"] {
            let schema = Schema::new(json!({ "properties": { "a": { "$ref": uri } } }));
            let problem = schema.verify().unwrap_err();
            assert!(problem.ends_with("; nothing is ever fetched"), "{uri}: {problem}");
        }
        let inside = json!({ "$defs": { "n": { "type": "null" } }, "$ref": "#/$defs/n" });
        assert_eq!(Schema::new(inside).check(&json!(null)), Ok(()));
    }

    #[test]
    fn a_pattern_that_never_ends_ends() {
        let schema = json!({ "pattern": "^(?=(a+)+b)(a+)+$" });
        let found = problems(schema, json!("a".repeat(40)));
        assert_eq!(found.len(), 1);
    }
}
