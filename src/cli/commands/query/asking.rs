//! The thread that asks the person at the terminal.
//!
//! What they say counts only as long as somebody waits for it: whoever has left, or is not the one
//! who is asked any more, answers nothing.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::Receiver},
};

use super::{
    asker::{Job, Shared},
    listening::{Leave, Leaving},
    questions::{permitted, put_question},
};
use crate::{
    edit::{DraftError, Rework},
    env::Env,
    model::{Answer, Grant, InquiryKind},
    turn::{ALWAYS, Ask, Interrupt, Post, Reply},
    ui::{Asked, Interruption, Presses, Prompter, Proposal, Wake, argument_lines, lend_terminal},
};

/// Asks, a job after the other.
pub struct Asking {
    pub(super) env: Env,
    /// Where texts are put that are edited.
    pub(super) state: PathBuf,
    pub(super) wake: Wake,
    pub(super) shared: Arc<Mutex<Shared>>,
    pub(super) idle: Arc<Condvar>,
    pub(super) presses: Arc<Mutex<Presses>>,
    /// Leaves a query that goes on elsewhere.
    pub(super) leave: Option<Leave>,
    pub(super) incoming: Receiver<Job>,
    /// What is not asked about again.
    pub(super) always: BTreeSet<Grant>,
}

/// What somebody has said.
struct Said {
    reply: Reply,
    /// The file that they wrote it in.
    rework: Option<Rework>,
}

/// What became of an answer that the user interrupted.
#[derive(PartialEq, Eq)]
enum Went {
    /// It goes on.
    On,
    /// It does not, or somebody else knows.
    Elsewhere,
}

impl Asking {
    /// Asks until nobody can have anything asked any more.
    pub(super) fn run(&mut self) {
        while let Ok(job) = self.incoming.recv() {
            self.wake.reset();
            match job {
                _ if self.shared().is_closed => {}
                Job::Inquiry { serial, ask, post } => self.inquire(serial, &ask, &post),
                Job::Menu { post } => {
                    self.menu(&post);
                }
            }
            self.shared().current = None;
            self.done();
        }
    }

    /// Asks until there is an answer, or none is needed.
    fn inquire(&mut self, serial: u64, ask: &Ask, post: &Post) {
        let inquiry = &ask.inquiry;
        let is_permission = inquiry.kind == InquiryKind::RunTool;
        loop {
            // The turn answers for what may always run.
            if is_permission && self.always.contains(&ask.grant) {
                return;
            }
            {
                let mut shared = self.shared();
                if !shared.waits_for(&inquiry.id, serial) {
                    return;
                }
                shared.current = Some(inquiry.id.clone());
            }
            match self.put(ask) {
                Asked::Answered(said) => return self.send(serial, ask, post, said),
                Asked::Woken(_) => return,
                Asked::Gone => return self.lose_terminal(post),
                // Whoever does not answer is asked what to do instead.
                Asked::Cancelled => match self.menu(post) {
                    Went::On => {}
                    Went::Elsewhere => return,
                },
            }
        }
    }

    /// Brings an answer to the turn, if it still is one.
    fn send(&mut self, serial: u64, ask: &Ask, post: &Post, said: Said) {
        let Said { reply, rework } = said;
        let is_always = reply == Reply::Answer(Answer::Select(ALWAYS.to_owned()));
        {
            // Held until it is sent: whoever leaves meanwhile has answered, or has not.
            let mut shared = self.shared();
            let id = &ask.inquiry.id;
            if !shared.waits_for(id, serial) {
                shared.untaken.extend(rework);
                return;
            }
            shared.sent.extend(rework.map(|rework| (id.clone(), rework)));
            post.reply(id.clone(), reply);
        }
        if is_always {
            self.always.insert(ask.grant.clone());
        }
    }

    /// Puts a question to the terminal.
    fn put(&self, ask: &Ask) -> Asked<Said> {
        let Ok(mut prompter) = Prompter::open(&self.env) else { return Asked::Gone };
        let Ask { inquiry, call, .. } = ask;
        let mut edits = ask.edit && ask.problem.is_none();
        loop {
            if edits {
                match self.edit(ask) {
                    Ok(said) => return Asked::Answered(said),
                    Err(error) => prompter.say(&error.to_string()),
                }
            }
            let asked = match inquiry.kind {
                InquiryKind::RunTool => {
                    let proposal = Proposal {
                        call,
                        preview: ask.preview.as_deref(),
                        is_command: ask.grant.argv.is_some(),
                        problem: ask.problem.as_deref(),
                    };
                    prompter.permit(&proposal, &self.wake).map(permitted)
                }
                InquiryKind::DeliverResult | InquiryKind::ToolQuestion => {
                    put_question(&mut prompter, &self.wake, call, inquiry)
                }
            };
            match asked {
                Asked::Answered(Some(reply)) => {
                    return Asked::Answered(Said { reply, rework: None });
                }
                Asked::Answered(None) => edits = true,
                Asked::Cancelled => return Asked::Cancelled,
                Asked::Gone => return Asked::Gone,
                Asked::Woken(typed) => return Asked::Woken(typed),
            }
        }
    }

    /// Lets the user change in an editor what a question is about.
    fn edit(&self, ask: &Ask) -> Result<Said, DraftError> {
        let (name, shown, unchanged) = match ask.inquiry.kind {
            InquiryKind::RunTool => {
                let arguments = &ask.call.arguments;
                // What nobody has changed stays as the model wrote it.
                ("arguments.json", argument_lines(arguments), arguments.as_str().to_owned())
            }
            InquiryKind::DeliverResult | InquiryKind::ToolQuestion => {
                let text = ask.inquiry.text.to_text_lossy().into_owned();
                ("result.txt", text.clone(), text)
            }
        };
        let rework = Rework::create(&self.env, &self.state, name, &shown)?;
        self.shared().is_lent = true;
        let edited = rework.edit(&self.env, lend_terminal);
        self.shared().is_lent = false;
        let edited = edited?;
        if edited == shown {
            // A copy that cannot be removed is in nobody's way.
            let _left = rework.discard();
            return Ok(Said { reply: Reply::Edited(unchanged), rework: None });
        }
        Ok(Said { reply: Reply::Edited(edited), rework: Some(rework) })
    }

    /// Asks what to do with the answer that is coming.
    fn menu(&self, post: &Post) -> Went {
        let asked = match Prompter::open(&self.env) {
            Ok(mut prompter) => prompter.menu(self.leave.is_some(), &self.wake),
            Err(_gone) => Asked::Gone,
        };
        let mut presses = self.presses.lock().unwrap_or_else(PoisonError::into_inner);
        let interrupt = match asked {
            Asked::Answered(Interruption::Continue) => {
                presses.go_on();
                return Went::On;
            }
            // Whoever called it off has said what to do.
            Asked::Woken(typed) => {
                self.shared().unsent = Some(typed).filter(|typed| !typed.trim().is_empty());
                return Went::Elsewhere;
            }
            Asked::Answered(Interruption::Reply(text)) => {
                presses.go_on();
                Interrupt::Reply(text)
            }
            Asked::Answered(Interruption::Detach) => {
                self.leave(Leaving::Wanted);
                return Went::Elsewhere;
            }
            Asked::Answered(Interruption::Abort) => {
                presses.stop();
                Interrupt::Abort
            }
            Asked::Answered(Interruption::Stop) | Asked::Cancelled => {
                presses.stop();
                Interrupt::Stop
            }
            Asked::Gone => {
                self.lose_terminal(post);
                return Went::Elsewhere;
            }
        };
        self.interrupt(post, interrupt);
        Went::Elsewhere
    }

    /// Whoever is gone has said nothing: a query elsewhere goes on without them, and one in this
    /// process waits for them.
    fn lose_terminal(&self, post: &Post) {
        match self.leave {
            Some(_) => self.leave(Leaving::TerminalGone),
            None => self.interrupt(post, Interrupt::HangUp),
        }
    }

    /// Leaves a query that goes on elsewhere; nothing is asked here any more.
    fn leave(&self, leaving: Leaving) {
        self.shared().is_closed = true;
        if let Some(leave) = &self.leave {
            leave(leaving);
        }
    }

    fn interrupt(&self, post: &Post, interrupt: Interrupt) {
        // The turn takes back what else it wanted to know.
        while self.incoming.try_recv().is_ok() {
            self.done();
        }
        let shared = self.shared();
        if !shared.is_closed {
            post.interrupt(interrupt);
        }
    }

    /// A job is done.
    fn done(&self) {
        self.shared().waiting -= 1;
        self.idle.notify_all();
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
