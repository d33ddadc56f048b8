//! What takes long, each in a thread of its own: ask the model, look at a call, run a tool.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc::Sender},
    thread,
};

use serde_json::Value;

use super::{Input, ends::Letter, switchboard::CallLine};
use crate::{
    cancel::Cancel,
    model::{CallId, InquiryId},
    provider::{Content, Piece, Provider, ProviderError, Query, Trouble},
    tool::{Host, Invocation, Outcome, Tool},
};

/// Asks the model; what it says comes in piece by piece.
pub fn ask(
    provider: Arc<dyn Provider>,
    number: u64,
    query: Query,
    cancel: Cancel,
    turn: Sender<Letter>,
) -> io::Result<()> {
    spawn("query", move || {
        let send = |input| {
            // A turn that is over does not listen any more.
            let _over = turn.send(Letter { query: Some(number), input });
        };
        let mut hear = |piece: Piece| send(Input::Piece(piece));
        let mut answer = || provider.answer(&query, &cancel, &mut hear);
        let answered = catch_unwind(AssertUnwindSafe(&mut answer)).unwrap_or_else(|_panic| {
            let message = "the provider failed inside jp: this is a defect";
            Err(ProviderError::new(Trouble::Refused, message))
        });
        send(Input::Over(answered));
    })
}

/// Asks the model what its tool asks.
pub fn consult(
    provider: Arc<dyn Provider>,
    inquiry: InquiryId,
    query: Query,
    cancel: Cancel,
    turn: Sender<Letter>,
) -> io::Result<()> {
    spawn("consult", move || {
        let mut said = String::new();
        let mut hear = |piece: Piece| {
            if let Piece::Block(block) = piece
                && let Content::Text(text) | Content::Data(text) = block.content
            {
                said.push_str(&text);
            }
        };
        let answer = || provider.answer(&query, &cancel, &mut hear);
        let answered =
            catch_unwind(AssertUnwindSafe(answer)).is_ok_and(|answered| answered.is_ok());
        let said = answered.then_some(said);
        let _over = turn.send(Letter { query: None, input: Input::Consulted { inquiry, said } });
    })
}

/// Finds out what a call is about.
pub fn inspect(
    tool: Arc<dyn Tool>,
    call: CallId,
    arguments: Value,
    turn: Sender<Letter>,
) -> io::Result<()> {
    spawn("inspect", move || {
        let look = || (tool.subject(&arguments), tool.preview(&arguments));
        let looked = catch_unwind(AssertUnwindSafe(look));
        // Nobody can say what rules hold for a call that cannot be looked at.
        let (subject, preview) = looked.map_or((None, None), |(it, preview)| (Some(it), preview));
        let input = Input::Inspected { call, subject, preview };
        let _over = turn.send(Letter { query: None, input });
    })
}

/// Runs a tool.
pub fn run(
    tool: Arc<dyn Tool>,
    invocation: Invocation,
    cancel: Cancel,
    line: CallLine,
    turn: Sender<Letter>,
) -> io::Result<()> {
    spawn("tool", move || {
        let run = || tool.run(&invocation, &Host::new(&cancel, &line));
        let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_panic| {
            Outcome::Error("The tool failed inside jp; what it did is not known.".into())
        });
        let input = Input::ToolEnded { call: invocation.id.clone(), outcome };
        let _over = turn.send(Letter { query: None, input });
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}
