//! How much.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::texts::described;

/// A number of bytes, at least one: `64KB` is 64,000 and `64KiB` is 65,536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteCount(u64);

const UNITS: [(&str, u64); 7] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("b", 1),
];

impl ByteCount {
    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// A number that TOML can hold.
    fn new(count: u64) -> Option<Self> {
        (count > 0 && i64::try_from(count).is_ok()).then_some(Self(count))
    }

    fn parse(text: &str) -> Option<Self> {
        let lower = text.trim().to_ascii_lowercase();
        let (number, unit) = UNITS
            .iter()
            .find_map(|(name, unit)| Some((lower.strip_suffix(name)?.trim_end(), *unit)))
            .unwrap_or((&lower, 1));
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u64 = number.parse().ok().filter(|_| digits)?;
        Self::new(number.checked_mul(unit)?)
    }
}

impl Serialize for ByteCount {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for ByteCount {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(Visitor)
    }
}

struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = ByteCount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of bytes")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteCount, E> {
        let wrong = || E::invalid_value(de::Unexpected::Str(text), &self);
        ByteCount::parse(text).ok_or_else(wrong)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<ByteCount, E> {
        let count = u64::try_from(number).ok().and_then(ByteCount::new);
        count.ok_or_else(|| E::invalid_value(de::Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<ByteCount, E> {
        let wrong = || E::invalid_value(de::Unexpected::Unsigned(number), &self);
        ByteCount::new(number).ok_or_else(wrong)
    }
}

described!(ByteCount, {
    "title": "a size such as `64KB` or `1MiB`, or a number of bytes",
    "type": ["string", "integer"],
    "minimum": 1,
    "pattern": "^[0-9]+ *([KkMmGg][Ii]?)?[Bb]?$",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_with_or_without_a_unit() {
        for (text, count) in [
            ("64KB", 64_000),
            ("64 kb", 64_000),
            ("64KiB", 65_536),
            ("1MiB", 1_048_576),
            ("2gb", 2_000_000_000),
            ("17", 17),
            ("17B", 17),
        ] {
            assert_eq!(ByteCount::parse(text).map(ByteCount::get), Some(count), "{text}");
        }
        for wrong in ["", "KB", "0", "-1", "1.5MB", "64K", "9999999999GB", "+5", "1 2"] {
            assert_eq!(ByteCount::parse(wrong), None, "{wrong}");
        }
    }
}
