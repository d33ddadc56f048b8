//! `jp conversation template`

use super::{DONE, Outcome};
use crate::{cli::output::Output, format, model::EventType};

pub fn run(output: &mut Output, event_type: Option<EventType>) -> Outcome {
    match event_type {
        Some(event_type) => output.text(format::template(event_type))?,
        None => {
            for event_type in EventType::ALL {
                output.line(event_type)?;
            }
        }
    }
    Ok(DONE)
}
