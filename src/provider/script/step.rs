//! Reading one step of an answer.

use std::time::Duration;

use serde_json::Value;
use toml::{Spanned, de::DeValue};

use super::{
    answer::{Kind, Spoken, Step},
    fields::Fields,
    problem::Problems,
};
use crate::{
    model::{CallId, Finish, Native, ToolName, Usage},
    provider::{ProviderError, Trouble},
};

/// What a step can be.
const KINDS: [&str; 9] =
    ["text", "reasoning", "call", "data", "usage", "delay", "finish", "error", "garbage"];

/// How fast texts come, unless a step says otherwise.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    /// How many characters come at once; all if there is nothing said.
    chunk: Option<usize>,
    /// How long each part lets wait for itself.
    pause: Duration,
}

impl Pace {
    /// Reads `chunk` and `pause`; what is not there stays as it is.
    pub fn read(fields: &mut Fields, pace: Self, to: &mut Problems) -> Self {
        let chunk = fields.count("chunk", to);
        if chunk == Some(0) {
            to.add(fields.span_of("chunk"), "`chunk` must be at least 1");
        }
        let chunk = chunk.map(|chunk| usize::try_from(chunk).unwrap_or(usize::MAX));
        let pause = fields.milliseconds("pause", to);
        Self { chunk: chunk.or(pace.chunk), pause: pause.unwrap_or(pace.pause) }
    }

    /// A text in the parts that it comes in.
    fn parts(self, text: &str) -> Vec<String> {
        let Some(chunk) = self.chunk else { return vec![text.to_owned()] };
        let characters: Vec<char> = text.chars().collect();
        characters.chunks(chunk.max(1)).map(|part| part.iter().collect()).collect()
    }
}

/// Reads a step.
pub(super) fn read_step(value: &Spanned<DeValue>, pace: Pace, to: &mut Problems) -> Option<Step> {
    let mut fields = Fields::of(value, "a step", to)?;
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| fields.has(kind)).collect();
    let [kind] = kinds.as_slice() else {
        let message = format!("a step has exactly one of {}", KINDS.join(", "));
        to.add(fields.span(), message);
        return None;
    };
    let step = match *kind {
        "usage" => read_usage(&mut fields, to),
        "delay" => fields.milliseconds("delay", to).map(Step::Delay),
        "finish" => fields.string("finish", to).map(|word| {
            let Ok(finish) = word.parse::<Finish>();
            Step::Finish(finish)
        }),
        "error" => read_error(&mut fields, to),
        "garbage" => fields.string("garbage", to).map(|garbage| {
            let message = format!("the script sends garbage: `{garbage}`");
            Step::Fail(ProviderError::new(Trouble::Garbled, message))
        }),
        _ => read_block(&mut fields, kind, pace, to).map(Step::Block),
    };
    fields.end(&format!("a step with `{kind}`"), to);
    step
}

/// Reads `text`, where it stands for the only step of an answer.
pub(super) fn text_step(fields: &mut Fields, pace: Pace, to: &mut Problems) -> Option<Step> {
    let parts = read_parts(fields, "text", pace, to)?;
    Some(Step::Block(Spoken {
        kind: Kind::Text,
        parts,
        pause: pace.pause,
        breaks_after: None,
        signature: None,
        native: None,
    }))
}

fn read_block(fields: &mut Fields, kind: &str, pace: Pace, to: &mut Problems) -> Option<Spoken> {
    let pace = Pace::read(fields, pace, to);
    let (kind, parts) = match kind {
        "text" => (Kind::Text, read_parts(fields, "text", pace, to)?),
        "reasoning" => (Kind::Reasoning, read_parts(fields, "reasoning", pace, to)?),
        "data" => (Kind::Data, vec![read_json(fields, "data", to)?]),
        _ => {
            let tool = fields.string("call", to).map(ToolName::new);
            let id = fields.string("id", to).map(CallId::new);
            let arguments = read_json(fields, "arguments", to).unwrap_or_else(|| "{}".to_owned());
            (Kind::Call { tool: tool?, id }, pace.parts(&arguments))
        }
    };
    let breaks_after = fields.count("disconnect", to);
    Some(Spoken {
        kind,
        parts,
        pause: pace.pause,
        breaks_after: breaks_after.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        signature: fields.string("signature", to),
        native: read_native(fields, to),
    })
}

/// A text, cut as the pace says, or the list of its parts as it is.
fn read_parts(
    fields: &mut Fields,
    key: &'static str,
    pace: Pace,
    to: &mut Problems,
) -> Option<Vec<String>> {
    let value = fields.value(key)?;
    Some(match value.get_ref() {
        DeValue::String(text) => pace.parts(text),
        _ => fields.strings(key, to),
    })
}

/// A text as it is, valid JSON or not, or any other value as JSON.
fn read_json(fields: &mut Fields, key: &'static str, to: &mut Problems) -> Option<String> {
    fields.json(key, to).map(|value| match value {
        Value::String(text) => text,
        value => value.to_string(),
    })
}

fn read_native(fields: &mut Fields, to: &mut Problems) -> Option<Native> {
    let value = fields.value("native")?;
    let mut fields = Fields::of(value, "`native`", to)?;
    let (api, block) = (fields.string("api", to), fields.json("block", to));
    if api.is_none() || block.is_none() {
        to.add(fields.span(), "`native` needs `api` and `block`");
    }
    fields.end("`native`", to);
    Some(Native { api: api?, block: block? })
}

fn read_usage(fields: &mut Fields, to: &mut Problems) -> Option<Step> {
    let value = fields.value("usage")?;
    let mut fields = Fields::of(value, "`usage`", to)?;
    let usage = Usage {
        input: fields.count("input", to),
        output: fields.count("output", to),
        cache_read: fields.count("cache_read", to),
        cache_write: fields.count("cache_write", to),
        reasoning: fields.count("reasoning", to),
    };
    fields.end("`usage`", to);
    Some(Step::Usage(usage))
}

/// The words for each kind of trouble, and what is said about it if the script says nothing.
const TROUBLES: [(&str, Trouble, &str); 11] = [
    ("unreachable", Trouble::Unreachable, "the server cannot be reached"),
    ("busy", Trouble::Busy, "the server has too many requests"),
    ("server", Trouble::Server, "the server has failed"),
    ("broken", Trouble::Broken, BROKEN),
    ("silent", Trouble::Silent, "nothing came for too long"),
    ("garbled", Trouble::Garbled, "the answer makes no sense"),
    ("key", Trouble::Key, "the key is not accepted"),
    ("model", Trouble::Model, "there is no such model"),
    ("too-long", Trouble::TooLong, "the conversation is too long for the model"),
    ("tools", Trouble::Tools, "the model takes no tools"),
    ("refused", Trouble::Refused, "the request was refused"),
];

/// What is said when the connection breaks.
pub(super) const BROKEN: &str = "the connection broke";

fn read_error(fields: &mut Fields, to: &mut Problems) -> Option<Step> {
    let word = fields.string("error", to)?;
    let message = fields.string("message", to);
    let retry_after = fields.milliseconds("retry_after", to);
    let Some((_, trouble, usual)) = TROUBLES.into_iter().find(|(name, ..)| *name == word) else {
        let words: Vec<&str> = TROUBLES.iter().map(|(word, ..)| *word).collect();
        let message = format!("`{word}` is no trouble: expected one of {}", words.join(", "));
        to.add(fields.span_of("error"), message);
        return None;
    };
    let message = message.unwrap_or_else(|| format!("{usual}, says the script"));
    Some(Step::Fail(ProviderError { trouble, message, retry_after }))
}
