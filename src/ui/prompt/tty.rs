//! The terminal itself: its modes, its keys, and leaving it as it was found.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::fd::AsFd,
    sync::{Mutex, Once, PoisonError},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{
        LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
        tcgetpgrp, tcsetattr,
    },
};

use super::wake::Wake;

/// Lets the terminal mark what is pasted, and the opposite.
const MARK_PASTES: (&str, &str) = ("\u{1b}[?2004h", "\u{1b}[?2004l");

/// How long the rest of a sequence may take, over a slow line too.
const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Takes the whole screen, and gives it back as it was, with a cursor.
const WHOLE_SCREEN: (&str, &str) = ("\u{1b}[?1049h\u{1b}[2J", "\u{1b}[?25h\u{1b}[?1049l");

/// The terminal whose keys are being read, and what it takes to leave it as it was.
static CHANGED: Mutex<Option<Changed>> = Mutex::new(None);

struct Changed {
    file: File,
    modes: Termios,
    /// What is written to it.
    farewell: String,
}

/// Leaves the terminal as it was found, for who ends the process in the middle of a question.
pub fn restore_terminal() {
    let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Changed { mut file, modes, farewell }) = changed {
        // There is nobody to tell that it is gone.
        let _gone = file.write_all(farewell.as_bytes());
        let _gone = tcsetattr(&file, OptionalActions::Now, &modes);
    }
}

/// Leaves the terminal to somebody else, with the cursor at the beginning of an empty line, for who
/// ends the process in the middle of anything.
pub fn leave_terminal() {
    restore_terminal();
    if let Ok(mut file) = OpenOptions::new().write(true).open("/dev/tty") {
        let _gone = file.write_all(b"\r\n");
    }
}

/// A terminal to ask at.
#[derive(Debug)]
pub struct Tty {
    file: File,
    /// Whether it does nothing but print characters.
    dumb: bool,
}

/// What a terminal has to say.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Bytes of keys.
    Bytes(Vec<u8>),
    /// Another thread has called it off.
    Woken,
    /// No key came in time.
    Nothing,
    /// The terminal is gone.
    Gone,
}

impl Tty {
    /// The terminal of this process; an error if there is none.
    pub fn open(dumb: bool) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        Ok(Self { file, dumb })
    }

    #[cfg(test)]
    pub fn of(file: File) -> Self {
        Self { file, dumb: false }
    }

    /// The terminal as a file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether the terminal is for the processes of our group: another would be stopped if it
    /// asked.
    pub fn is_in_foreground(&self) -> bool {
        tcgetpgrp(&self.file).is_ok_and(|group| group == rustix::process::getpgrp())
    }

    /// Writes harmless text. That nobody is there is noticed by who waits for keys.
    pub fn write(&self, text: &str) {
        let _gone = (&self.file).write_all(text.as_bytes());
    }

    /// Begins the line anew, without what stands on it if that can be done.
    pub fn begin_line(&self) {
        self.write(if self.dumb { "\r" } else { "\r\u{1b}[K" });
    }

    /// Reads keys as they are pressed, without showing them, from now on: what was typed before
    /// the question was there is no answer to it.
    pub fn listen(&self) -> io::Result<Listening<'_>> {
        match self.dumb {
            true => self.listen_with("", ""),
            false => self.listen_with(MARK_PASTES.0, MARK_PASTES.1),
        }
    }

    /// The same, with the whole screen to draw on, which is empty.
    pub fn take_over(&self) -> io::Result<Listening<'_>> {
        let [greeting, farewell] = [
            format!("{}{}", MARK_PASTES.0, WHOLE_SCREEN.0),
            format!("{}{}", MARK_PASTES.1, WHOLE_SCREEN.1),
        ];
        self.listen_with(&greeting, &farewell)
    }

    fn listen_with(&self, greeting: &str, farewell: &str) -> io::Result<Listening<'_>> {
        static ON_PANIC: Once = Once::new();
        ON_PANIC.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore_terminal();
                before(panic);
            }));
        });
        let modes = tcgetattr(&self.file)?;
        let mut keys = modes.clone();
        keys.local_modes &=
            !(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        let saved = Changed { file: self.file.try_clone()?, modes, farewell: farewell.to_owned() };
        *CHANGED.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
        let listening = Listening { tty: self };
        tcsetattr(&self.file, OptionalActions::Now, &keys)?;
        tcflush(&self.file, QueueSelector::IFlush)?;
        self.write(greeting);
        Ok(listening)
    }
}

/// While it lives, the keys of a terminal are read.
#[must_use = "the terminal is as it was before when this is dropped"]
pub struct Listening<'a> {
    tty: &'a Tty,
}

impl Listening<'_> {
    /// Waits for keys.
    pub fn hear(&self, wake: &Wake) -> Heard {
        self.hear_within(wake, None)
    }

    /// Waits for keys that must come at once, such as the rest of a sequence.
    pub fn hear_more(&self, wake: &Wake) -> Heard {
        self.hear_within(wake, Some(&AT_ONCE))
    }

    /// Throws away what was typed and not read.
    pub fn forget_keys(&self) {
        // A terminal that is gone has no keys.
        let _gone = tcflush(&self.tty.file, QueueSelector::IFlush);
    }

    fn hear_within(&self, wake: &Wake, timeout: Option<&Timespec>) -> Heard {
        loop {
            let mut ready = [
                PollFd::from_borrowed_fd(wake.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.tty.file.as_fd(), PollFlags::IN),
            ];
            match poll(&mut ready, timeout) {
                Ok(0) => return Heard::Nothing,
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return Heard::Gone,
            }
            if !ready[0].revents().is_empty() {
                wake.reset();
                return Heard::Woken;
            }
            let mut bytes = vec![0; 4096];
            match (&self.tty.file).read(&mut bytes) {
                Ok(0) => return Heard::Gone,
                Ok(count) => {
                    bytes.truncate(count);
                    return Heard::Bytes(bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Heard::Gone,
            }
        }
    }
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        restore_terminal();
    }
}
