//! A better title from a model, made beside the answer and never waited for.

use std::{
    sync::mpsc::{Receiver, channel},
    thread,
};

use super::{caption::Teller, model, reading::Asked, scene::Scene};
use crate::{
    cancel::Cancel,
    cli::args::Query as Args,
    config::Settings,
    env::Env,
    model::{EventKind, title_from},
    projection::{Message, Role, Takes},
    provider::{Content, Piece, Query, Sampling},
};

/// The tokens that a title may have.
const TOKENS: u32 = 200;

/// How much of the request the model gets.
const SHOWN: usize = 4_000;

const TASK: &str = "Give the conversation that begins with the user's message a title of at most \
                    eight words, in the language of the message. Answer with the title alone, \
                    without quotes.";

/// A title that may be on its way.
pub struct Naming {
    title: Receiver<String>,
    cancel: Cancel,
}

impl Naming {
    /// Asks for a better title, as long as the conversation has one that nobody chose.
    pub fn of(
        env: &Env,
        args: &Args,
        asked: &Asked,
        scene: &Scene,
        teller: Option<Teller>,
    ) -> Option<Self> {
        if args.no_persist || args.title.is_some() {
            return None;
        }
        let first = match &scene.conversation {
            None => asked.text()?.to_vec(),
            Some(conversation) => {
                let request = conversation.entries().find_map(|entry| match entry.event.kind {
                    EventKind::Request(request) => Some(request.content),
                    _ => None,
                })?;
                let chosen = conversation.snapshot.meta.title.clone();
                let is_made = chosen == title_from(&request.to_text_lossy());
                is_made.then(|| request.as_bytes().to_vec())?
            }
        };
        Self::begin(env, &scene.resolved.settings, &first, teller)
    }

    /// Asks for a title, if the settings want that and a model can be asked.
    fn begin(
        env: &Env,
        settings: &Settings,
        request: &[u8],
        teller: Option<Teller>,
    ) -> Option<Self> {
        if !settings.title.generate {
            return None;
        }
        let chosen = settings.title.model.as_ref().unwrap_or(&settings.assistant.model);
        if chosen.provider() == model::GUIDE {
            return None;
        }
        let provider = model::connect(env, settings, chosen.provider()).ok()?;
        let query = query(chosen.to_string(), request);
        let (sender, title) = channel();
        let cancel = Cancel::new();
        let stop = cancel.clone();
        thread::spawn(move || {
            let mut said = None;
            let answered = provider.answer(&query, &stop, &mut |piece| {
                if let Piece::Block(block) = piece
                    && let Content::Text(text) = block.content
                {
                    said = Some(text);
                }
            });
            if let (Ok(()), Some(title)) = (answered, said.as_deref().and_then(clean)) {
                // The query may be over by now, and keeps its title then.
                let told = sender.send(title.clone());
                if let (Ok(()), Some(teller)) = (told, teller) {
                    teller.named(&title);
                }
            }
        });
        Some(Self { title, cancel })
    }

    /// The title, if it has come.
    pub fn end(self) -> Option<String> {
        self.cancel.cancel();
        self.title.try_recv().ok()
    }
}

fn query(model: String, request: &[u8]) -> Query {
    let text = String::from_utf8_lossy(&request[..request.len().min(SHOWN)]).into_owned();
    let message = |turn, role| Message { turn, incomplete: false, addresses: Vec::new(), role };
    let asked = Role::User { content: text.into(), attachments: Vec::new() };
    Query {
        model,
        messages: vec![
            message(None, Role::System { content: TASK.to_owned() }),
            message(Some(0), asked),
        ],
        tools: Vec::new(),
        schema: None,
        sampling: Sampling { max_tokens: Some(TOKENS), ..Sampling::default() },
        takes: Takes::default(),
    }
}

/// The first line of an answer without the quotes that models put around it.
fn clean(answer: &str) -> Option<String> {
    let line = answer.lines().find(|line| !line.trim().is_empty())?;
    title_from(line.trim().trim_matches(['"', '\'', '`', '*']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line_without_quotes() {
        assert_eq!(clean("\n\"Undo in git\"\nmore"), Some("Undo in git".to_owned()));
        assert_eq!(clean(" \n"), None);
    }
}
