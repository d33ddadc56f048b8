//! The terminal itself: its modes, its keys, and leaving it as it was found.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::fd::AsFd,
    sync::{Mutex, Once, PoisonError},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    termios::{
        LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
        tcgetpgrp, tcsetattr,
    },
};

use super::wake::Wake;

/// Lets the terminal mark what is pasted, and the opposite.
const MARK_PASTES: (&str, &str) = ("\u{1b}[?2004h", "\u{1b}[?2004l");

/// The terminal whose keys are being read, and how it was before.
static CHANGED: Mutex<Option<(File, Termios, bool)>> = Mutex::new(None);

/// Leaves the terminal as it was found, for who ends the process in the middle of a question.
pub fn restore_terminal() {
    let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((mut file, modes, marks_pastes)) = changed {
        if marks_pastes {
            let _gone = file.write_all(MARK_PASTES.1.as_bytes());
        }
        // There is nobody to tell that it is gone.
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
        let saved = (self.file.try_clone()?, modes, !self.dumb);
        *CHANGED.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
        let listening = Listening { tty: self };
        tcsetattr(&self.file, OptionalActions::Now, &keys)?;
        tcflush(&self.file, QueueSelector::IFlush)?;
        if !self.dumb {
            self.write(MARK_PASTES.0);
        }
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
        loop {
            let mut ready = [
                PollFd::from_borrowed_fd(wake.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.tty.file.as_fd(), PollFlags::IN),
            ];
            match poll(&mut ready, None) {
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
