//! The elements of a JSON list one by one, so that only one is held as JSON at a time.
//!
//! Nothing is guessed: a key that an object has twice is found, and what is too much is refused
//! before it is held.

use std::{cell::RefCell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{
    limits,
    problem::{Notes, at_index, at_key},
};

/// Hands over the elements of a list in order, as far as they can be read.
pub(super) fn elements(
    bytes: &[u8],
    notes: &mut Notes,
    take: impl FnMut(usize, Value, &mut Notes),
) {
    let problems = &mut notes.problems;
    if bytes.len() as u64 > limits::BYTES {
        problems.push("", format!("the list is larger than {} bytes", limits::BYTES));
        return;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            problems.push("", format!("it is not UTF-8, at byte {}", error.valid_up_to()));
            return;
        }
    };
    if !text.trim_ascii_start().starts_with('[') {
        problems.push("", "expected a list of messages, which begins with `[`");
        return;
    }
    let state = RefCell::new(State { notes, values: 0 });
    let mut json = serde_json::Deserializer::from_str(text);
    let read = json.deserialize_seq(List { state: &state, take });
    if let Err(error) = read.and_then(|()| json.end()) {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
        let place = format!("line {}, column {}", error.line(), error.column());
        state.into_inner().notes.problems.push(place, message);
    }
}

/// What is known while a list is read.
struct State<'a> {
    notes: &'a mut Notes,
    values: usize,
}

struct List<'s, 'n, F> {
    state: &'s RefCell<State<'n>>,
    take: F,
}

impl<'de, F: FnMut(usize, Value, &mut Notes)> Visitor<'de> for List<'_, '_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let place = Place { above: None, step: Step::Index(index) };
            let Some(value) = elements.next_element_seed(Strict { state: self.state, place })?
            else {
                return Ok(());
            };
            if index == limits::MESSAGES {
                let message = format!("the list has more than {} messages", limits::MESSAGES);
                return Err(A::Error::custom(message));
            }
            (self.take)(index, value, self.state.borrow_mut().notes);
            index += 1;
        }
    }
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    above: Option<&'a Place<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Index(usize),
    Key(&'a str),
}

impl Place<'_> {
    fn words(&self) -> String {
        let above = self.above.map(Place::words).unwrap_or_default();
        match self.step {
            Step::Index(index) => at_index(&above, index),
            Step::Key(key) => at_key(&above, key),
        }
    }
}

/// Reads a value whose objects have each key once.
#[derive(Clone, Copy)]
struct Strict<'s, 'n, 'p> {
    state: &'s RefCell<State<'n>>,
    place: Place<'p>,
}

impl<'s, 'n> Strict<'s, 'n, '_> {
    fn below<'a>(&'a self, step: Step<'a>) -> Strict<'s, 'n, 'a> {
        Strict { state: self.state, place: Place { above: Some(&self.place), step } }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_, '_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        let values = {
            let mut state = self.state.borrow_mut();
            state.values += 1;
            state.values
        };
        if values > limits::VALUES {
            let message = format!("the list holds more than {} values", limits::VALUES);
            return Err(D::Error::custom(message));
        }
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_, '_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let below = self.below(Step::Key(&key));
            let value = map.next_value_seed(below)?;
            if object.contains_key(&key) {
                let place = below.place.words();
                self.state.borrow_mut().notes.problems.push(place, "the key is there twice");
            } else {
                object.insert(key, value);
            }
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = elements.next_element_seed(self.below(Step::Index(list.len())))? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}
