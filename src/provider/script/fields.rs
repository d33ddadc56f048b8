//! The keys of a table in a script, each taken once; what is left over is a problem.

use std::{ops::Range, time::Duration};

use serde_json::{Map, Number, Value};
use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

use super::problem::Problems;

/// A table of a script.
pub(super) struct Fields<'a, 't> {
    table: &'a DeTable<'t>,
    span: Range<usize>,
    /// The keys that were asked for.
    known: Vec<&'static str>,
}

impl<'a, 't> Fields<'a, 't> {
    /// The keys of a table that stands at this place.
    pub fn new(table: &'a DeTable<'t>, span: Range<usize>) -> Self {
        Self { table, span, known: Vec::new() }
    }

    /// The keys of a value, which must be a table.
    pub fn of(value: &'a Spanned<DeValue<'t>>, what: &str, to: &mut Problems) -> Option<Self> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            to.add(value.span(), format!("{what} must be a table"));
        }
        Some(Self::new(table?, value.span()))
    }

    /// Where the table stands.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// Where the value of a key stands; the whole table if it is not there.
    pub fn span_of(&self, key: &str) -> Range<usize> {
        self.table.get(key).map_or(self.span(), Spanned::span)
    }

    /// The value of a key.
    pub fn value(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'t>>> {
        self.known.push(key);
        self.table.get(key)
    }

    /// The elements of a list.
    pub fn list(&mut self, key: &'static str, to: &mut Problems) -> &'a [Spanned<DeValue<'t>>] {
        let Some(value) = self.value(key) else { return &[] };
        let Some(array) = value.get_ref().as_array() else {
            to.add(value.span(), format!("`{key}` must be a list"));
            return &[];
        };
        array
    }

    /// A text.
    pub fn string(&mut self, key: &'static str, to: &mut Problems) -> Option<String> {
        let value = self.value(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            to.add(value.span(), format!("`{key}` must be a text"));
        }
        text.map(str::to_owned)
    }

    /// A text, or a list of texts.
    pub fn strings(&mut self, key: &'static str, to: &mut Problems) -> Vec<String> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let texts = match value.get_ref() {
            DeValue::String(text) => Some(vec![text.to_string()]),
            DeValue::Array(array) => {
                array.iter().map(|value| value.get_ref().as_str().map(str::to_owned)).collect()
            }
            _ => None,
        };
        texts.unwrap_or_else(|| {
            to.add(value.span(), format!("`{key}` must be a text or a list of texts"));
            Vec::new()
        })
    }

    /// A whole number that is not negative.
    pub fn count(&mut self, key: &'static str, to: &mut Problems) -> Option<u64> {
        let value = self.value(key)?;
        let count = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if count.is_none() {
            to.add(value.span(), format!("`{key}` must be a whole number, not negative"));
        }
        count
    }

    /// A time in milliseconds.
    pub fn milliseconds(&mut self, key: &'static str, to: &mut Problems) -> Option<Duration> {
        self.count(key, to).map(Duration::from_millis)
    }

    /// Any value, as JSON.
    pub fn json(&mut self, key: &'static str, to: &mut Problems) -> Option<Value> {
        self.value(key).map(|value| to_json(value, to))
    }

    /// Complains about every key that was not asked for.
    pub fn end(self, what: &str, to: &mut Problems) {
        for (key, _) in self.table {
            if !self.known.contains(&key.get_ref().as_ref()) {
                let known = self.known.join(", ");
                let message =
                    format!("`{}` is not a key of {what}: expected {known}", key.get_ref());
                to.add(key.span(), message);
            }
        }
    }
}

fn to_json(value: &Spanned<DeValue>, to: &mut Problems) -> Value {
    match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Integer(number) => whole(number).map_or_else(
            || {
                to.add(value.span(), "this number is too large");
                Value::Null
            },
            Value::Number,
        ),
        DeValue::Float(number) => {
            let number = number.as_str().parse().ok().and_then(Number::from_f64);
            number.map_or_else(
                || {
                    to.add(value.span(), "JSON has no such number");
                    Value::Null
                },
                Value::Number,
            )
        }
        DeValue::Array(array) => array.iter().map(|value| to_json(value, to)).collect(),
        DeValue::Table(table) => {
            let entries =
                table.iter().map(|(key, value)| (key.get_ref().to_string(), to_json(value, to)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
    }
}

fn whole(number: &DeInteger) -> Option<Number> {
    let (digits, radix) = (number.as_str(), number.radix());
    let signed = i64::from_str_radix(digits, radix).map(Number::from);
    signed.or_else(|_| u64::from_str_radix(digits, radix).map(Number::from)).ok()
}
