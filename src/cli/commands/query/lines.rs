//! A query as lines of JSON, for programs.

use serde_json::{Value, json};

use super::super::export::event_fields;
use crate::turn::Notice;

/// The line for what happened, if there is one: each event when it is stored, each failure that is
/// tried again, and what is taken out of the stream because its answer is asked for anew.
pub fn line(notice: &Notice) -> Option<Value> {
    match notice {
        Notice::Saved { address, event } => {
            let mut line = event_fields(event);
            let address = address.map(|address| address.number());
            line.shift_insert(0, "address".to_owned(), address.into());
            Some(Value::Object(line))
        }
        Notice::Retrying { error, delay, discards } => Some(json!({
            "type": "retry",
            "error": error.message,
            "delay_ms": u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            "discards": discards,
        })),
        Notice::Retracted(addresses) => {
            let addresses: Vec<_> = addresses.iter().map(|address| address.number()).collect();
            Some(json!({ "type": "retract", "addresses": addresses }))
        }
        _ => None,
    }
}
