//! Which texts need no quotes, and how numbers are written.

use serde_json::{Number, Value};

/// Whether every YAML reader takes this text, unquoted, as the text that it is.
pub fn is_plain(text: &str) -> bool {
    is_word(text) || is_time(text)
}

fn is_word(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_./+-".contains(&byte))
        && !is_reserved(text)
}

fn is_reserved(text: &str) -> bool {
    const WORDS: [&str; 12] =
        ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    let date = [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(digit) && is(4, b'-') && is(7, b'-');
    let time = [11, 12, 14, 15, 17, 18].into_iter().all(digit) && is(13, b':') && is(16, b':');
    if !(date && is(10, b'T') && time) {
        return false;
    }
    let rest = &bytes[19..];
    let fraction = match rest.strip_prefix(b".") {
        Some(tail) => 1 + tail.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        None => 0,
    };
    match &rest[fraction..] {
        b"Z" => fraction != 1,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            fraction != 1 && [h1, h2, m1, m2].into_iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// A number as jp writes it: always with a point if it is not an integer.
pub fn number(number: &Number) -> String {
    let text = number.to_string();
    if number.is_i64() || number.is_u64() || text.contains('.') {
        return text;
    }
    match text.split_once('e') {
        Some((digits, exponent)) => format!("{digits}.0e{exponent}"),
        None => format!("{text}.0"),
    }
}

/// Reads a scalar of the plain grammar.
pub fn read(text: &str) -> Option<Value> {
    Some(match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        "{}" => Value::Object(serde_json::Map::new()),
        "[]" => Value::Array(Vec::new()),
        _ if text.starts_with('"') => Value::String(serde_json::from_str(text).ok()?),
        _ if is_plain(text) => Value::String(text.to_owned()),
        _ => Value::Number(read_number(text)?),
    })
}

fn read_number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let canonical = digits == "0" || !digits.starts_with('0');
        let exact = || {
            text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from))
        };
        // More digits than fit are for the library to refuse, not for us to round.
        return (canonical && text != "-0").then(|| exact().ok())?;
    }
    let (whole, rest) = digits.split_once('.')?;
    let (fraction, exponent) = rest.split_once('e').unwrap_or((rest, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let numeric = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = [whole, fraction, exponent].into_iter().all(numeric);
    canonical.then(|| text.parse().ok().and_then(Number::from_f64))?
}
