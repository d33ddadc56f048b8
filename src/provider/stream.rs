//! Hearing a stream to its end, whichever end that is.

use super::{
    Piece, ProviderError, Trouble,
    decoder::{Decoder, garbled},
    frames::Frames,
};

/// Hears an answer event by event.
pub(super) fn hear_stream(
    read: &mut dyn FnMut(&mut [u8]) -> Result<usize, ProviderError>,
    frames: &mut dyn Frames,
    decoder: &mut Decoder,
    hear: &mut dyn FnMut(Piece),
) -> Result<(), ProviderError> {
    let mut buffer = vec![0; 16 << 10];
    let mut first = Vec::new();
    let mut events = 0_usize;
    let ended = loop {
        let bytes = match read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(count) => &buffer[..count],
            Err(error) => break Err(error),
        };
        if events == 0 && first.len() < 200 {
            first.extend(bytes.iter().take(200));
        }
        let Ok(found) = frames.feed(bytes) else {
            return Err(ProviderError::new(Trouble::Garbled, "sent an event without end"));
        };
        for event in found {
            events += 1;
            decoder.decode(&event)?.into_iter().for_each(&mut *hear);
            if decoder.is_over() {
                return Ok(());
            }
        }
    };
    let mut is_cut = false;
    if ended.is_ok()
        && let Some(event) = frames.end()
    {
        match decoder.decode(&event) {
            Ok(pieces) => {
                events += 1;
                pieces.into_iter().for_each(&mut *hear);
            }
            // Half an event at the end means that the rest is missing, not that it is wrong.
            Err(error) if error.trouble == Trouble::Garbled => is_cut = is_beginning(&event.data),
            Err(error) => return Err(error),
        }
    }
    if let Some(pieces) = decoder.end() {
        pieces.into_iter().for_each(&mut *hear);
        return Ok(());
    }
    ended?;
    if events == 0 && !first.is_empty() && !is_cut {
        return Err(garbled(&String::from_utf8_lossy(&first)));
    }
    Err(ProviderError::new(Trouble::Broken, "ended its answer in the middle"))
}

/// Whether a text is JSON as far as it goes.
fn is_beginning(data: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(data).is_err_and(|error| error.is_eof())
}
