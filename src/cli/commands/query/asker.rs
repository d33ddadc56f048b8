//! Asks the person at the terminal, one question at a time, while everything else goes on.

use std::{
    collections::BTreeSet,
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Duration,
};

use crate::{
    env::Env,
    model::{Answer, InquiryId, InquiryKind, InquiryRequest, ToolCall},
    turn::{Interrupt, Post, Reply},
    ui::{self, Interruption, Permission, Presses, Prompter, Question, Wake, Waker},
};

/// How long the terminal may take to be given back.
const RETURN: Duration = Duration::from_secs(2);

/// Asks in a thread of its own.
pub struct Asker {
    bell: Bell,
}

/// A way to have something asked, or not any more, from any thread.
#[derive(Clone)]
pub struct Bell {
    jobs: Sender<Job>,
    waker: Waker,
    shared: Arc<Mutex<Shared>>,
    /// Told when a question was dealt with.
    dealt: Arc<Condvar>,
}

enum Job {
    Inquiry { inquiry: Box<InquiryRequest>, call: Box<ToolCall>, post: Post },
    Menu { post: Post },
}

#[derive(Default)]
struct Shared {
    /// Questions that are not dealt with yet, with the one at the terminal.
    waiting: usize,
    /// What is being asked.
    current: Option<InquiryId>,
    /// What need not be asked any more.
    withdrawn: BTreeSet<InquiryId>,
    /// Nothing is asked any more.
    is_over: bool,
    /// A reply that was typed, and that nobody waits for.
    unsent: Option<String>,
}

impl Asker {
    /// Starts the thread.
    pub fn start(env: &Env, presses: Arc<Mutex<Presses>>) -> io::Result<Self> {
        let wake = Wake::new()?;
        let (jobs, incoming) = channel();
        let shared = Arc::new(Mutex::new(Shared::default()));
        let dealt = Arc::new(Condvar::new());
        let waker = wake.waker();
        let bell = Bell { jobs, waker, shared: shared.clone(), dealt: dealt.clone() };
        let env = env.clone();
        let asking = Asking { env, wake, shared, dealt, presses };
        thread::Builder::new().name("asker".to_owned()).spawn(move || asking.run(&incoming))?;
        Ok(Self { bell })
    }

    /// A way to have something asked.
    pub fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// Asks a question.
    pub fn ask(&self, inquiry: &InquiryRequest, call: &ToolCall, post: &Post) {
        let (inquiry, call) = (Box::new(inquiry.clone()), Box::new(call.clone()));
        self.bell.send(Job::Inquiry { inquiry, call, post: post.clone() });
    }

    /// A question need not be answered any more.
    pub fn withdraw(&self, inquiry: &InquiryId) {
        let mut shared = self.bell.shared();
        shared.withdrawn.insert(inquiry.clone());
        if shared.current.as_ref() == Some(inquiry) {
            self.bell.waker.wake();
        }
    }

    /// Asks nothing any more, and waits until the terminal is as it was. Returns a reply that was
    /// being typed.
    pub fn close(&self) -> Option<String> {
        let mut shared = self.bell.shared();
        shared.is_over = true;
        self.bell.waker.wake();
        let waiting = |shared: &mut Shared| shared.waiting > 0;
        let waited = self.bell.dealt.wait_timeout_while(shared, RETURN, waiting);
        let (mut shared, _) = waited.unwrap_or_else(PoisonError::into_inner);
        shared.unsent.take()
    }

    /// Whether the terminal is for questions now.
    pub fn is_busy(&self) -> bool {
        self.bell.shared().waiting > 0
    }
}

impl Bell {
    /// Asks what to do with the answer that is coming.
    pub fn menu(&self, post: &Post) {
        self.send(Job::Menu { post: post.clone() });
    }

    /// Ends the question that is being asked.
    pub fn call_off(&self) {
        if self.shared().waiting > 0 {
            self.waker.wake();
        }
    }

    fn send(&self, job: Job) {
        self.shared().waiting += 1;
        // Without the thread there is nobody to ask, and nothing to wait for.
        if self.jobs.send(job).is_err() {
            self.shared().waiting -= 1;
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Asking {
    env: Env,
    wake: Wake,
    shared: Arc<Mutex<Shared>>,
    dealt: Arc<Condvar>,
    presses: Arc<Mutex<Presses>>,
}

impl Asking {
    fn run(self, incoming: &Receiver<Job>) {
        while let Ok(job) = incoming.recv() {
            self.wake.reset();
            let is_over = self.shared().is_over;
            match job {
                _ if is_over => {}
                Job::Inquiry { inquiry, call, post } => {
                    if let Some(reply) = self.inquire(&inquiry, &call) {
                        post.reply(inquiry.id.clone(), reply);
                    }
                }
                Job::Menu { post } => self.menu(&post),
            }
            let mut shared = self.shared();
            shared.current = None;
            shared.waiting -= 1;
            self.dealt.notify_all();
        }
    }

    /// Asks; `None` if it does not matter any more.
    fn inquire(&self, inquiry: &InquiryRequest, call: &ToolCall) -> Option<Reply> {
        {
            let mut shared = self.shared();
            if shared.withdrawn.contains(&inquiry.id) {
                return None;
            }
            shared.current = Some(inquiry.id.clone());
        }
        let Ok(mut prompter) = Prompter::open(&self.env) else { return Some(Reply::Cancelled) };
        let choice = |choice: &str| Reply::Answer(Answer::Select(choice.to_owned()));
        let asked = match inquiry.kind {
            InquiryKind::RunTool => {
                prompter.permit(call, &self.wake).map(|permission| match permission {
                    Permission::Run => choice("run"),
                    Permission::RunAlways => choice("always"),
                    Permission::Refuse(None) => choice("refuse"),
                    Permission::Refuse(Some(reason)) => Reply::Refused(reason),
                })
            }
            InquiryKind::DeliverResult | InquiryKind::ToolQuestion => {
                prompter.ask(&Question::from(inquiry), &self.wake).map(|reply| match reply {
                    ui::Reply::Open(answer) => Reply::Answer(answer),
                    ui::Reply::Secret(secret) => Reply::Secret(secret.reveal().to_owned()),
                })
            }
        };
        match asked {
            ui::Asked::Answered(reply) => Some(reply),
            ui::Asked::Cancelled => Some(Reply::Cancelled),
            ui::Asked::Woken(_) => None,
        }
    }

    fn menu(&self, post: &Post) {
        let asked = match Prompter::open(&self.env) {
            Ok(mut prompter) => prompter.menu(&self.wake),
            Err(_gone) => ui::Asked::Answered(Interruption::Stop),
        };
        let mut presses = self.presses.lock().unwrap_or_else(PoisonError::into_inner);
        let interrupt = match asked {
            ui::Asked::Answered(Interruption::Continue) => {
                presses.go_on();
                return;
            }
            // Whoever called it off has said what to do.
            ui::Asked::Woken(typed) => {
                self.shared().unsent = Some(typed).filter(|typed| !typed.trim().is_empty());
                return;
            }
            ui::Asked::Answered(Interruption::Reply(text)) => {
                presses.go_on();
                return post.interrupt(Interrupt::Reply(text));
            }
            ui::Asked::Answered(Interruption::Abort) => Interrupt::Abort,
            ui::Asked::Answered(Interruption::Stop) | ui::Asked::Cancelled => Interrupt::Stop,
        };
        presses.stop();
        post.interrupt(interrupt);
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
