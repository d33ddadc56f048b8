//! Questions to the person at the terminal, wherever standard input and output go.

use std::{
    fs::OpenOptions,
    io::{self, BufRead, BufReader, Write},
};

/// Asks for yes or no at the terminal; anything but yes is no. Fails if there is no terminal.
pub fn confirm(question: &str) -> io::Result<bool> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    // What was typed before the question is no answer to it.
    let _kept = rustix::termios::tcflush(&terminal, rustix::termios::QueueSelector::IFlush);
    terminal.write_all(question.as_bytes())?;
    terminal.flush()?;
    let mut answer = String::new();
    BufReader::new(&terminal).read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
