//! Has the person at the terminal asked, one question at a time, while everything else goes on.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

use super::{asking::Asking, listening::Leave};
use crate::{
    edit::Rework,
    env::Env,
    model::InquiryId,
    turn::{Ask, Post},
    ui::{Presses, Prompter, Wake, Waker},
};

/// How long a question may take to be gone once nobody waits for its answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks in a thread of its own.
pub struct Asker {
    bell: Bell,
    env: Env,
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

/// What is to be asked.
pub(super) enum Job {
    /// A question of the turn.
    Inquiry { serial: u64, ask: Box<Ask>, post: Post },
    /// What to do with the answer that is coming.
    Menu { post: Post },
}

/// What the thread that asks and all others know.
#[derive(Default)]
pub(super) struct Shared {
    /// Questions that are not dealt with yet, with the one at the terminal.
    pub(super) waiting: usize,
    /// What is being asked.
    pub(super) current: Option<InquiryId>,
    /// What is to be asked, each with the number of the job that does: one that was withdrawn may
    /// come again, when whoever was asked instead has left.
    open: BTreeMap<InquiryId, u64>,
    serial: u64,
    /// Nothing is asked any more, and nothing that is said is an answer.
    pub(super) is_closed: bool,
    /// An editor has the terminal.
    pub(super) is_lent: bool,
    /// A reply that was typed, and that nobody waits for.
    pub(super) unsent: Option<String>,
    /// What was written in an editor and sent, until it is known that it was taken.
    pub(super) sent: BTreeMap<InquiryId, Rework>,
    /// What was written in an editor, and that nobody took.
    pub(super) untaken: Vec<Rework>,
}

impl Shared {
    /// Whether somebody waits for what this job is told.
    pub(super) fn waits_for(&self, inquiry: &InquiryId, serial: u64) -> bool {
        !self.is_closed && self.open.get(inquiry) == Some(&serial)
    }

    /// What was written for a question is elsewhere by now.
    fn taken(&mut self, inquiry: &InquiryId) {
        if let Some(rework) = self.sent.remove(inquiry) {
            // A copy that cannot be removed is in nobody's way.
            let _left = rework.discard();
        }
    }
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
        let always = BTreeSet::new();
        let mut asking = Asking {
            env: env.clone(),
            state,
            wake,
            shared,
            idle,
            presses,
            leave,
            incoming,
            always,
        };
        thread::Builder::new().name("asker".to_owned()).spawn(move || asking.run())?;
        Ok(Self { bell, env: env.clone() })
    }

    /// A way to have something asked.
    pub fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// Asks a question.
    pub fn ask(&self, ask: &Ask, post: &Post) {
        let serial = {
            let mut shared = self.bell.shared();
            // What was written is shown with the question.
            shared.taken(&ask.inquiry.id);
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
        let sent = shared.sent.remove(inquiry);
        shared.untaken.extend(sent);
        if shared.current.as_ref() == Some(inquiry) {
            self.bell.waker.wake();
        }
    }

    /// A question is answered, and the answer stored.
    pub fn stored(&self, inquiry: &InquiryId) {
        self.bell.shared().taken(inquiry);
    }

    /// Ends what is being asked, and returns when the terminal is as it was before: a reply that
    /// was being typed.
    pub fn close(&self) -> Option<String> {
        self.bell.close();
        let is_busy = |shared: &mut Shared| shared.waiting > 0;
        let mut shared = self.bell.shared();
        loop {
            let waited = self.bell.idle.wait_timeout_while(shared, PATIENCE, is_busy);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            shared = now;
            // Whoever writes in an editor has the terminal until they are done, or it is gone.
            let is_lent = shared.is_lent && Prompter::open(&self.env).is_ok();
            if !timeout.timed_out() || !is_lent {
                break;
            }
        }
        let sent = std::mem::take(&mut shared.sent);
        shared.untaken.extend(sent.into_values());
        shared.unsent.take()
    }

    /// Whether the terminal is for questions now.
    pub fn is_busy(&self) -> bool {
        self.bell.shared().waiting > 0
    }

    /// Whether an editor has the terminal.
    pub fn is_lent(&self) -> bool {
        self.bell.shared().is_lent
    }

    /// The files with what was written in an editor and that nobody took. They stay.
    pub fn take_untaken(&self) -> Vec<PathBuf> {
        let untaken = std::mem::take(&mut self.bell.shared().untaken);
        untaken.iter().map(|rework| rework.path().to_owned()).collect()
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

    /// Ends it, and has nothing asked any more: from now on nothing is an answer.
    pub fn close(&self) {
        let mut shared = self.shared();
        shared.is_closed = true;
        self.waker.wake();
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
