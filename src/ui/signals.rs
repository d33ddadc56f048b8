//! Signals as values, from one place.
//!
//! By default an interrupt ends jp at once. Whoever wants to decide listens, and a pager or an editor
//! that has the screen keeps interrupts to itself.

use std::{
    io,
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP},
    flag,
    iterator::{self, Handle},
    low_level::{emulate_default_handler, raise},
};

/// Whether an interrupt ends jp at once.
pub static ENDS_ON_INTERRUPT: AtomicBool = AtomicBool::new(true);

/// Whether the other signals do what they do by default: one answer for all who ever listen, since
/// nobody can be taken back who was told to ask.
static NOBODY_LISTENS: LazyLock<Arc<AtomicBool>> =
    LazyLock::new(|| Arc::new(AtomicBool::new(true)));

/// Whether somebody wants to hear of Ctrl+Z.
static SUSPEND_IS_HEARD: AtomicBool = AtomicBool::new(false);

/// Whether what is typed is for another program that has the terminal.
static FOR_ANOTHER: AtomicBool = AtomicBool::new(false);

/// When that program ended.
static ENDED: Mutex<Option<Instant>> = Mutex::new(None);

/// How long a press may take to be heard here that has ended another program.
const ON_ITS_WAY: Duration = Duration::from_millis(100);

/// Something that the system or the user wants at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl+C, or the same from elsewhere.
    Interrupt,
    /// The process is told to end.
    Terminate,
    /// The terminal is gone.
    Hangup,
    /// Ctrl+Z, for who wants to leave rather than to be stopped.
    Suspend,
}

impl Signal {
    /// Its number, as exit codes tell it.
    pub fn number(self) -> u8 {
        match self {
            Self::Hangup => 1,
            Self::Interrupt => 2,
            Self::Terminate => 15,
            Self::Suspend => 20,
        }
    }
}

/// While it lives, signals come as values and end nothing by themselves.
#[must_use = "signals do what they always do when this is dropped"]
pub struct Signals {
    handle: Handle,
    ended_before: bool,
    before: bool,
}

impl Signals {
    /// Hands each signal to a function, in a thread of its own. Ctrl+Z stops the process as ever.
    ///
    /// Signals that are ignored since before jp was started stay ignored.
    pub fn listen(deliver: impl Fn(Signal) + Send + 'static) -> io::Result<Self> {
        Self::listen_to(None, deliver)
    }

    /// The same for who is not stopped by Ctrl+Z, but hears of it.
    pub fn listen_for_suspend(deliver: impl Fn(Signal) + Send + 'static) -> io::Result<Self> {
        Self::listen_to(Some(SIGTSTP), deliver)
    }

    fn listen_to(
        suspend: Option<i32>,
        deliver: impl Fn(Signal) + Send + 'static,
    ) -> io::Result<Self> {
        let ignored = ignored();
        let wanted = |signal: &i32| *signal == SIGINT || ignored & (1 << (signal - 1)) == 0;
        let all = [SIGINT, SIGTERM, SIGHUP].into_iter().chain(suspend);
        let signals: Vec<_> = all.filter(wanted).collect();
        for signal in signals.iter().filter(|signal| **signal != SIGINT) {
            // Once handled, a signal never does again what it does by default, unless told so.
            flag::register_conditional_default(*signal, NOBODY_LISTENS.clone())?;
        }
        let mut incoming = iterator::Signals::new(&signals)?;
        let handle = incoming.handle();
        let before = ENDS_ON_INTERRUPT.swap(false, Ordering::SeqCst);
        let ended_before = NOBODY_LISTENS.swap(false, Ordering::SeqCst);
        SUSPEND_IS_HEARD.store(signals.contains(&SIGTSTP), Ordering::SeqCst);
        thread::spawn(move || {
            for signal in incoming.forever() {
                match signal {
                    SIGINT if was_for_another() => {}
                    SIGINT => deliver(Signal::Interrupt),
                    SIGTERM => deliver(Signal::Terminate),
                    // That program is stopped with us, and both go on together.
                    SIGTSTP if FOR_ANOTHER.load(Ordering::SeqCst) => {
                        let _stopped = emulate_default_handler(SIGTSTP);
                    }
                    SIGTSTP => deliver(Signal::Suspend),
                    _ => deliver(Signal::Hangup),
                }
            }
        });
        Ok(Self { handle, ended_before, before })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        ENDS_ON_INTERRUPT.store(self.before, Ordering::SeqCst);
        NOBODY_LISTENS.store(self.ended_before, Ordering::SeqCst);
        SUSPEND_IS_HEARD.store(false, Ordering::SeqCst);
        self.handle.close();
    }
}

/// Ctrl+Z was pressed where the terminal makes no signal of it. Says whether somebody hears of it.
pub(super) fn suspend() -> bool {
    SUSPEND_IS_HEARD.load(Ordering::SeqCst) && raise(SIGTSTP).is_ok()
}

/// While it lives, Ctrl+C and Ctrl+Z are for another program that has the terminal: the one does
/// nothing to jp, and the other stops both.
#[must_use = "they are for jp again when this is dropped"]
pub struct ForAnother {
    before: bool,
}

impl ForAnother {
    /// Leaves them to it.
    pub fn begin() -> Self {
        FOR_ANOTHER.store(true, Ordering::SeqCst);
        Self { before: ENDS_ON_INTERRUPT.swap(false, Ordering::SeqCst) }
    }
}

impl Drop for ForAnother {
    fn drop(&mut self) {
        *ENDED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        ENDS_ON_INTERRUPT.store(self.before, Ordering::SeqCst);
        FOR_ANOTHER.store(false, Ordering::SeqCst);
    }
}

/// Whether the press that is heard now was for another program, which it may have ended.
fn was_for_another() -> bool {
    let ended = *ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    FOR_ANOTHER.load(Ordering::SeqCst) || ended.is_some_and(|at| at.elapsed() < ON_ITS_WAY)
}

/// The signals that are ignored, a bit for each, where the system tells.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
