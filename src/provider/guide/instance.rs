//! The smallest data that fits a JSON Schema.

use serde_json::{Map, Number, Value, json};

/// What stands where a text may be anything.
const PLACEHOLDER: &str = "not a language model";
/// How deep, how long and how much is made at most.
const DEPTH: usize = 32;
const LONGEST: u64 = 1000;
const MOST: usize = 2000;

/// The smallest data that fits a schema, as far as its keywords are known: types, constants,
/// required properties, references within it, alternatives, and bounds of numbers, texts and lists.
pub(super) fn instance(schema: &Value) -> Value {
    Maker { root: schema, left: MOST }.make(schema, DEPTH)
}

struct Maker<'s> {
    root: &'s Value,
    /// How many more values may be made.
    left: usize,
}

impl Maker<'_> {
    fn make(&mut self, schema: &Value, depth: usize) -> Value {
        let Some(fields) = schema.as_object() else { return Value::Null };
        if depth == 0 || self.left == 0 {
            return Value::Null;
        }
        self.left -= 1;
        let schema = self.flatten(fields, depth);
        for key in ["const", "default"] {
            if let Some(value) = schema.get(key) {
                return value.clone();
            }
        }
        for key in ["enum", "examples"] {
            if let Some(value) =
                schema.get(key).and_then(Value::as_array).and_then(|all| all.first())
            {
                return value.clone();
            }
        }
        match kind(&schema) {
            "object" => self.object(&schema, depth),
            "array" => self.array(&schema, depth),
            "string" => Value::String(string(&schema)),
            "integer" => number(&schema, true),
            "number" => number(&schema, false),
            "boolean" => Value::Bool(false),
            _ => Value::Null,
        }
    }

    /// The schema with what it refers to, all of `allOf`, and the first alternative.
    fn flatten(&mut self, schema: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let mut all = schema.clone();
        let mut parts: Vec<Value> = Vec::new();
        if let Some(Value::String(reference)) = all.remove("$ref") {
            let pointer = reference.strip_prefix('#').unwrap_or(&reference);
            parts.extend(self.root.pointer(pointer).cloned());
        }
        if let Some(Value::Array(every)) = all.remove("allOf") {
            parts.extend(every);
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(Value::Array(alternatives)) = all.remove(key) {
                parts.extend(alternatives.into_iter().next());
            }
        }
        for part in parts {
            let Value::Object(part) = part else { continue };
            if depth == 0 || self.left == 0 {
                break;
            }
            self.left -= 1;
            let part = self.flatten(&part, depth - 1);
            merge(&mut all, part);
        }
        all
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let mut object = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let anything = json!({ "type": "string" });
        let other = schema.get("additionalProperties").filter(|other| other.is_object());
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let own = properties.and_then(|properties| properties.get(name)).or(other);
            let value = self.make(own.unwrap_or(&anything), depth - 1);
            object.insert(name.to_owned(), value);
        }
        let least = count(schema, "minProperties");
        let optional = properties.into_iter().flatten();
        for (name, own) in optional {
            if object.len() as u64 >= least {
                break;
            }
            if !object.contains_key(name) {
                let value = self.make(own, depth - 1);
                object.insert(name.clone(), value);
            }
        }
        for number in 1..=least {
            if object.len() as u64 >= least {
                break;
            }
            let value = self.make(other.unwrap_or(&anything), depth - 1);
            object.insert(format!("property{number}"), value);
        }
        Value::Object(object)
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let first = schema.get("prefixItems").and_then(Value::as_array);
        let anything = json!({ "type": "string" });
        let items = schema.get("items").filter(|items| items.is_object()).unwrap_or(&anything);
        let contains = schema.get("contains").filter(|contains| contains.is_object());
        let least = count(schema, "minItems").max(u64::from(contains.is_some()));
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let choices = items.get("enum").and_then(Value::as_array);
        let mut array = Vec::new();
        for number in 0..usize::try_from(least).unwrap_or(0) {
            if self.left == 0 {
                break;
            }
            let own = first.and_then(|first| first.get(number)).or(contains).unwrap_or(items);
            let value = match choices.and_then(|choices| choices.get(number)) {
                Some(choice) if unique => choice.clone(),
                _ => self.make(own, depth - 1),
            };
            array.push(if unique { told_apart(value, number) } else { value });
        }
        Value::Array(array)
    }
}

/// Adds a schema to another: both lists of required properties, all properties, else the first.
fn merge(all: &mut Map<String, Value>, part: Map<String, Value>) {
    for (key, value) in part {
        match (all.get_mut(&key), value) {
            (None, value) => _ = all.insert(key, value),
            (Some(Value::Array(list)), Value::Array(more)) if key == "required" => {
                list.extend(more);
            }
            (Some(Value::Object(fields)), Value::Object(more)) if key == "properties" => {
                fields.extend(more);
            }
            (Some(_), _) => {}
        }
    }
}

/// The type of a schema, guessed by its other keywords if it has none.
fn kind(schema: &Map<String, Value>) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => return kind,
        Some(Value::Array(kinds)) => {
            return kinds.first().and_then(Value::as_str).unwrap_or("null");
        }
        _ => {}
    }
    let hints = [
        ("object", &["properties", "required", "additionalProperties", "minProperties"][..]),
        ("array", &["items", "prefixItems", "minItems", "contains"]),
        ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ];
    let found = hints.iter().find(|(_, keys)| keys.iter().any(|key| schema.contains_key(*key)));
    found.map_or("string", |(kind, _)| kind)
}

fn count(schema: &Map<String, Value>, key: &str) -> u64 {
    schema.get(key).and_then(Value::as_u64).unwrap_or(0).min(LONGEST)
}

fn string(schema: &Map<String, Value>) -> String {
    let format = schema.get("format").and_then(Value::as_str);
    let text = match format {
        Some("date-time") => "1970-01-01T00:00:00Z",
        Some("date") => "1970-01-01",
        Some("time") => "00:00:00Z",
        Some("duration") => "PT0S",
        Some("email" | "idn-email") => "nobody@example.com",
        Some("uri" | "iri" | "uri-reference" | "iri-reference") => "https://example.com/",
        Some("hostname" | "idn-hostname") => "example.com",
        Some("ipv4") => "127.0.0.1",
        Some("ipv6") => "::1",
        Some("uuid") => "00000000-0000-0000-0000-000000000000",
        _ => PLACEHOLDER,
    };
    let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(LONGEST);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut text: String = text.chars().take(most).collect();
    let least = usize::try_from(count(schema, "minLength")).unwrap_or(0);
    let missing = least.saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n('.', missing));
    text
}

/// The number that is nearest to 0 within the bounds, on its steps.
fn number(schema: &Map<String, Value>, whole: bool) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let step = step.map_or(1.0, |step| if whole { step.max(1.0) } else { step });
    let mut value = 0.0_f64;
    if let Some(least) = bound("minimum").filter(|least| *least > value) {
        value = (least / step).ceil() * step;
    }
    if let Some(above) = bound("exclusiveMinimum").filter(|above| *above >= value) {
        value = ((above / step).floor() + 1.0) * step;
    }
    if let Some(most) = bound("maximum").filter(|most| *most < value) {
        value = (most / step).floor() * step;
    }
    if let Some(below) = bound("exclusiveMaximum").filter(|below| *below <= value) {
        value = ((below / step).ceil() - 1.0) * step;
    }
    // A range between two steps has room for a fraction only.
    let (low, high) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
    let outside = low.is_some_and(|low| value <= low) || high.is_some_and(|high| value >= high);
    let outside = outside || bound("minimum").is_some_and(|least| value < least);
    if let (Some(low), Some(high)) = (low.or(bound("minimum")), high.or(bound("maximum")))
        && outside
        && !whole
    {
        value = f64::midpoint(low, high);
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number beyond it is given as a fraction"
    )]
    let integer = value as i64;
    if value.fract() == 0.0 && integer as f64 == value {
        return Value::from(integer);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A value that differs from those of other numbers, where that is easy.
fn told_apart(value: Value, number: usize) -> Value {
    match value {
        Value::String(text) if number > 0 && text == PLACEHOLDER => {
            Value::String(format!("{text} {number}"))
        }
        Value::Number(first) if number > 0 => first
            .as_i64()
            .and_then(|first| first.checked_add(i64::try_from(number).ok()?))
            .map_or(Value::Number(first), Value::from),
        value => value,
    }
}
