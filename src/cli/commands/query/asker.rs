//! Asks the person at the terminal, one question at a time, while everything else goes on.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Duration,
};

use super::listening::{Leave, Leaving};
use crate::{
    edit::{DraftError, Rework},
    env::Env,
    model::{Answer, Grant, InquiryId, InquiryKind},
    turn::{ALWAYS, Ask, Interrupt, Post, REFUSE, RUN, Reply},
    ui::{
        self, Handover, Interruption, Permission, Presses, Prompter, Proposal, Question, Wake,
        Waker, argument_lines, lend_terminal,
    },
};

/// How long a question may take to be gone once nobody waits for its answer.
const PATIENCE: Duration = Duration::from_secs(2);

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
    /// There is nothing to ask any more.
    idle: Arc<Condvar>,
}

enum Job {
    Inquiry { serial: u64, ask: Box<Ask>, post: Post },
    Menu { post: Post },
}

#[derive(Default)]
struct Shared {
    /// Questions that are not dealt with yet, with the one at the terminal.
    waiting: usize,
    /// What is being asked.
    current: Option<InquiryId>,
    /// What is to be asked, each with the number of the job that does: one that was withdrawn may
    /// come again, when whoever was asked instead has left.
    open: BTreeMap<InquiryId, u64>,
    serial: u64,
    /// Nothing is asked any more.
    is_closed: bool,
    /// A reply that was typed, and that nobody waits for.
    unsent: Option<String>,
}

impl Asker {
    /// Starts the thread.
    pub fn start(
        env: &Env,
        state: PathBuf,
        presses: Arc<Mutex<Presses>>,
        leave: Option<Leave>,
    ) -> io::Result<Self> {
        let wake = Wake::new()?;
        let (jobs, incoming) = channel();
        let shared = Arc::new(Mutex::new(Shared::default()));
        let (waker, idle) = (wake.waker(), Arc::new(Condvar::new()));
        let bell = Bell { jobs, waker, shared: shared.clone(), idle: idle.clone() };
        let env = env.clone();
        let always = BTreeSet::new();
        let mut asking =
            Asking { env, state, wake, shared, idle, presses, leave, incoming, always };
        thread::Builder::new().name("asker".to_owned()).spawn(move || asking.run())?;
        Ok(Self { bell })
    }

    /// A way to have something asked.
    pub fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// Asks a question.
    pub fn ask(&self, ask: &Ask, post: &Post) {
        let serial = {
            let mut shared = self.bell.shared();
            shared.serial += 1;
            let serial = shared.serial;
            shared.open.insert(ask.inquiry.id.clone(), serial);
            serial
        };
        self.bell.send(Job::Inquiry { serial, ask: Box::new(ask.clone()), post: post.clone() });
    }

    /// A question need not be answered any more.
    pub fn withdraw(&self, inquiry: &InquiryId) {
        let mut shared = self.bell.shared();
        shared.open.remove(inquiry);
        if shared.current.as_ref() == Some(inquiry) {
            self.bell.waker.wake();
        }
    }

    /// Ends what is being asked, and returns when the terminal is as it was before: a reply that
    /// was being typed.
    pub fn close(&self) -> Option<String> {
        let mut shared = self.bell.shared();
        shared.is_closed = true;
        self.bell.waker.wake();
        let is_busy = |shared: &mut Shared| shared.waiting > 0;
        let idle = self.bell.idle.wait_timeout_while(shared, PATIENCE, is_busy);
        let (mut shared, _) = idle.unwrap_or_else(PoisonError::into_inner);
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

/// What was answered, for the turn.
pub fn reply_of(reply: ui::Reply) -> Reply {
    match reply {
        ui::Reply::Open(answer) => Reply::Answer(answer),
        ui::Reply::Secret(secret) => Reply::Secret(secret.reveal().to_owned()),
    }
}

struct Asking {
    env: Env,
    /// Where texts are put that are edited.
    state: PathBuf,
    wake: Wake,
    shared: Arc<Mutex<Shared>>,
    idle: Arc<Condvar>,
    presses: Arc<Mutex<Presses>>,
    /// Leaves a query that goes on elsewhere.
    leave: Option<Leave>,
    incoming: Receiver<Job>,
    /// What is not asked about again.
    always: BTreeSet<Grant>,
}

/// What somebody has said to the question whether a call may be made; nothing if they want to edit
/// it first.
pub fn permitted(permission: Permission) -> Option<Reply> {
    let choice = |choice: &str| Reply::Answer(Answer::Select(choice.to_owned()));
    match permission {
        Permission::Run => Some(choice(RUN)),
        Permission::RunAlways => Some(choice(ALWAYS)),
        Permission::Refuse(Some(reason)) => Some(Reply::Refused(reason)),
        Permission::Refuse(None) => Some(choice(REFUSE)),
        Permission::Edit => None,
    }
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
    fn run(&mut self) {
        while let Ok(job) = self.incoming.recv() {
            self.wake.reset();
            match job {
                _ if self.shared().is_closed => {}
                Job::Inquiry { serial, ask, post } => {
                    if let Some(reply) = self.inquire(serial, &ask, &post) {
                        post.reply(ask.inquiry.id.clone(), reply);
                    }
                }
                Job::Menu { post } => {
                    self.menu(&post);
                }
            }
            self.shared().current = None;
            self.done();
        }
    }

    /// Asks; `None` if it does not matter any more.
    fn inquire(&mut self, serial: u64, ask: &Ask, post: &Post) -> Option<Reply> {
        let inquiry = &ask.inquiry;
        let is_permission = inquiry.kind == InquiryKind::RunTool;
        loop {
            // The turn answers for what may always run.
            if is_permission && self.always.contains(&ask.grant) {
                return None;
            }
            {
                let mut shared = self.shared();
                if shared.open.get(&inquiry.id) != Some(&serial) || shared.is_closed {
                    return None;
                }
                shared.current = Some(inquiry.id.clone());
            }
            match self.put(ask) {
                ui::Asked::Answered(reply) => {
                    if reply == Reply::Answer(Answer::Select(ALWAYS.to_owned())) {
                        self.always.insert(ask.grant.clone());
                    }
                    return Some(reply);
                }
                ui::Asked::Woken(_) => return None,
                // Whoever does not answer is asked what to do instead.
                ui::Asked::Cancelled => match self.menu(post) {
                    Went::On => {}
                    Went::Elsewhere => return None,
                },
            }
        }
    }

    /// Puts a question to the terminal.
    fn put(&mut self, ask: &Ask) -> ui::Asked<Reply> {
        let Ok(mut prompter) = Prompter::open(&self.env) else {
            return ui::Asked::Answered(Reply::Cancelled);
        };
        let Ask { inquiry, call, .. } = ask;
        match inquiry.kind {
            InquiryKind::RunTool => self.permit(&mut prompter, ask),
            InquiryKind::DeliverResult => self.hand_over(&mut prompter, ask),
            InquiryKind::ToolQuestion => {
                let mut question = Question::from(inquiry);
                question.text = format!("{} asks: {}", call.tool, question.text);
                prompter.ask(&question, &self.wake).map(reply_of)
            }
        }
    }

    /// Asks whether a call may be made.
    fn permit(&self, prompter: &mut Prompter<'_>, ask: &Ask) -> ui::Asked<Reply> {
        let edit = || {
            let shown = argument_lines(&ask.call.arguments);
            let edited = self.edit("arguments.json", &shown)?;
            // What nobody has changed stays as the model wrote it.
            Ok::<_, DraftError>(match edited == shown {
                true => ask.call.arguments.as_str().to_owned(),
                false => edited,
            })
        };
        if ask.edit && ask.problem.is_none() {
            match edit() {
                Ok(text) => return ui::Asked::Answered(Reply::Edited(text)),
                Err(error) => prompter.say(&error.to_string()),
            }
        }
        let proposal = Proposal {
            call: &ask.call,
            preview: ask.preview.as_deref(),
            is_command: ask.grant.argv.is_some(),
            problem: ask.problem.as_deref(),
        };
        loop {
            let permitted = match prompter.permit(&proposal, &self.wake) {
                ui::Asked::Answered(Permission::Edit) => match edit() {
                    Ok(text) => ui::Asked::Answered(Reply::Edited(text)),
                    Err(error) => {
                        prompter.say(&error.to_string());
                        continue;
                    }
                },
                asked => asked.map(|permission| permitted(permission).unwrap_or(Reply::Cancelled)),
            };
            return permitted;
        }
    }

    /// Asks whether the model gets a result.
    fn hand_over(&self, prompter: &mut Prompter<'_>, ask: &Ask) -> ui::Asked<Reply> {
        let result = ask.inquiry.text.to_text_lossy();
        let edit = || self.edit("result.txt", &result);
        if ask.edit {
            match edit() {
                Ok(text) => return ui::Asked::Answered(Reply::Edited(text)),
                Err(error) => prompter.say(&error.to_string()),
            }
        }
        loop {
            let handed = match prompter.hand_over(&ask.call, &result, &self.wake) {
                ui::Asked::Answered(Handover::Edit) => match edit() {
                    Ok(text) => ui::Asked::Answered(Reply::Edited(text)),
                    Err(error) => {
                        prompter.say(&error.to_string());
                        continue;
                    }
                },
                asked => asked
                    .map(|handover| Reply::Answer(Answer::Boolean(handover == Handover::Deliver))),
            };
            return handed;
        }
    }

    /// Lets the user change a text in an editor.
    fn edit(&self, name: &str, text: &str) -> Result<String, DraftError> {
        let rework = Rework::create(&self.env, &self.state, name, text)?;
        let edited = rework.edit(&self.env, lend_terminal)?;
        // The text is on its way to the turn; a copy that cannot be removed is in nobody's way.
        let _left = rework.discard();
        Ok(edited)
    }

    fn menu(&self, post: &Post) -> Went {
        let asked = match Prompter::open(&self.env) {
            Ok(mut prompter) => prompter.menu(self.leave.is_some(), &self.wake),
            Err(_gone) => ui::Asked::Answered(Interruption::Stop),
        };
        let mut presses = self.presses.lock().unwrap_or_else(PoisonError::into_inner);
        let interrupt = match asked {
            ui::Asked::Answered(Interruption::Continue) => {
                presses.go_on();
                return Went::On;
            }
            // Whoever called it off has said what to do.
            ui::Asked::Woken(typed) => {
                self.shared().unsent = Some(typed).filter(|typed| !typed.trim().is_empty());
                return Went::Elsewhere;
            }
            ui::Asked::Answered(Interruption::Reply(text)) => {
                presses.go_on();
                Interrupt::Reply(text)
            }
            ui::Asked::Answered(Interruption::Detach) => {
                if let Some(leave) = &self.leave {
                    leave(Leaving::Wanted);
                }
                return Went::Elsewhere;
            }
            ui::Asked::Answered(Interruption::Abort) => {
                presses.stop();
                Interrupt::Abort
            }
            ui::Asked::Answered(Interruption::Stop) | ui::Asked::Cancelled => {
                match Prompter::open(&self.env) {
                    Ok(_there) => {
                        presses.stop();
                        Interrupt::Stop
                    }
                    // Whoever is gone has said nothing, and a query elsewhere goes on without them.
                    Err(_gone) => match &self.leave {
                        Some(leave) => {
                            leave(Leaving::TerminalGone);
                            return Went::Elsewhere;
                        }
                        None => Interrupt::HangUp,
                    },
                }
            }
        };
        // The turn takes back what else it wanted to know.
        while self.incoming.try_recv().is_ok() {
            self.done();
        }
        post.interrupt(interrupt);
        Went::Elsewhere
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
