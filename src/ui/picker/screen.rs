//! The list on the screen: reads keys, draws, and leaves the terminal as it was found.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use signal_hook::{
    consts::SIGWINCH,
    iterator::{self, Handle},
};

use super::{
    super::{
        prompt::{Heard, Keys, Pressed, Tty, Wake, Waker},
        signals::{Signal, Signals},
        style::Style,
        terminal::Size,
    },
    draw::{Frame, draw},
    item::{Item, Reader},
    numbered,
    state::{Outcome, Picker},
    worker::Worker,
};
use crate::env::Env;

/// How choosing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picked {
    /// With the item at this place.
    Chosen(usize),
    /// With none.
    Left,
    /// By a signal.
    Stopped(Signal),
}

/// Lets the person at the terminal choose; an error if there is no terminal. What has to be read
/// is read by what the function opens, in a thread of its own.
pub fn pick<R: Reader>(
    env: &Env,
    items: Vec<Item>,
    open: impl FnOnce() -> Result<R, String> + Send + 'static,
) -> io::Result<Picked> {
    let wake = Wake::new()?;
    let stopped = Arc::new(Mutex::new(None));
    let _signals = {
        let (stopped, waker) = (stopped.clone(), wake.waker());
        Signals::listen(move |signal| {
            *stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(signal);
            waker.wake();
        })?
    };
    let stopped = move || *stopped.lock().unwrap_or_else(PoisonError::into_inner);
    if env.var("TERM").is_none_or(|term| term == "dumb") {
        return numbered::pick(env, &items, open, &wake, stopped);
    }
    let tty = Tty::open(false)?;
    show(env, &tty, items, open, &wake, stopped)
}

/// Shows the list until somebody has chosen.
fn show<R: Reader>(
    env: &Env,
    tty: &Tty,
    items: Vec<Item>,
    open: impl FnOnce() -> Result<R, String> + Send + 'static,
    wake: &Wake,
    stopped: impl Fn() -> Option<Signal>,
) -> io::Result<Picked> {
    let resized = Resized::watch(wake.waker())?;
    let style = Style::choose(None, true, env);
    let count = items.len();
    let mut picker = Picker::new(items, Size::of(tty.file(), env));
    let listening = tty.take_over()?;
    let mut canvas = Canvas { tty, style, drawn: None };
    // Before anything is read.
    canvas.show(&picker);
    let worker = Worker::start(count, open, wake.waker())?;
    let mut keys = Keys::default();
    loop {
        worker.want(picker.incomplete(), picker.without_preview());
        let heard = match keys.is_after_escape() {
            true => listening.hear_more(wake),
            false => listening.hear(wake),
        };
        let pressed: Vec<Pressed> = match heard {
            Heard::Bytes(bytes) => bytes.into_iter().filter_map(|byte| keys.take(byte)).collect(),
            Heard::Nothing => keys.settle().into_iter().collect(),
            Heard::Woken => Vec::new(),
            Heard::Gone => return Ok(Picked::Left),
        };
        if let Some(signal) = stopped() {
            return Ok(Picked::Stopped(signal));
        }
        if resized.take() {
            picker.resize(Size::of(tty.file(), env));
            canvas.drawn = None;
        }
        // Keys first: they were pressed at what is on the screen.
        match pressed.into_iter().find_map(|pressed| picker.press(pressed)) {
            Some(Outcome::Chosen(item)) => return Ok(Picked::Chosen(item)),
            Some(Outcome::Left) => return Ok(Picked::Left),
            None => {}
        }
        worker.arrivals().for_each(|arrival| picker.take(arrival));
        canvas.show(&picker);
    }
}

/// What the terminal shows.
struct Canvas<'a> {
    tty: &'a Tty,
    style: Style,
    drawn: Option<Frame>,
}

impl Canvas<'_> {
    fn show(&mut self, picker: &Picker) {
        let frame = draw(picker, self.style);
        if self.drawn.as_ref() != Some(&frame) {
            self.tty.write(&frame.to_text());
            self.drawn = Some(frame);
        }
    }
}

/// While it lives, it is noticed when the screen gets another size.
struct Resized {
    flag: Arc<AtomicBool>,
    handle: Handle,
}

impl Resized {
    fn watch(waker: Waker) -> io::Result<Self> {
        let mut incoming = iterator::Signals::new([SIGWINCH])?;
        let (flag, handle) = (Arc::new(AtomicBool::new(false)), incoming.handle());
        let noticed = flag.clone();
        thread::Builder::new().name("screen size".to_owned()).spawn(move || {
            for _ in incoming.forever() {
                noticed.store(true, Ordering::SeqCst);
                waker.wake();
            }
        })?;
        Ok(Self { flag, handle })
    }

    /// Whether it has another size than the last time.
    fn take(&self) -> bool {
        self.flag.swap(false, Ordering::SeqCst)
    }
}

impl Drop for Resized {
    fn drop(&mut self) {
        self.handle.close();
    }
}
