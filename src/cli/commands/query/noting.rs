//! What is noted about a turn, wherever it is shown: its log, and what it has cost.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    caption::{News, Teller},
    trace::Trace,
};
use crate::{
    model::{InquiryId, Usage},
    turn::{Ask, Closed, FrontEnd, Notice, Post},
};

/// The log of a turn, where there is one.
#[derive(Clone)]
pub struct Log(Arc<Mutex<Option<Trace>>>);

impl Log {
    /// Writes there.
    pub fn of(trace: Option<Trace>) -> Self {
        Self(Arc::new(Mutex::new(trace)))
    }

    /// Writes a line.
    pub fn note(&self, text: &str) {
        self.with(|trace| trace.note(text));
    }

    /// Tells somebody what is new about the conversation, and notes which one it is.
    pub fn teller(&self, to: Option<Teller>) -> Teller {
        let log = self.clone();
        Teller::to(move |news| {
            if let News::Begun(id) = &news {
                log.with(|trace| trace.about(&id.to_string()));
            }
            to.iter().for_each(|teller| teller.tell(news.clone()));
        })
    }

    fn with(&self, write: impl FnOnce(&mut Trace)) {
        if let Some(trace) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            write(trace);
        }
    }
}

/// A front end, of which it is noted what it shows.
pub struct Noted<'a, F: ?Sized> {
    /// What shows it.
    pub front: &'a mut F,
    /// Where it is written down.
    pub log: Log,
    /// What the turn has cost.
    pub usage: Option<Usage>,
}

impl<F: FrontEnd + ?Sized> FrontEnd for Noted<'_, F> {
    fn show(&mut self, notice: &Notice) -> Result<(), Closed> {
        self.log.with(|trace| trace.notice(notice));
        if let Notice::Usage(usage) = notice {
            self.usage = Some(*usage);
        }
        self.front.show(notice)
    }

    fn ask(&mut self, ask: &Ask, post: &Post) {
        self.log.note(&format!("asks about {}: {}", ask.call.tool, ask.inquiry.id));
        self.front.ask(ask, post);
    }

    fn withdraw(&mut self, inquiry: &InquiryId) {
        self.front.withdraw(inquiry);
    }

    fn tick(&mut self) -> Result<(), Closed> {
        self.front.tick()
    }

    fn pause(&mut self) {
        self.front.pause();
    }
}
