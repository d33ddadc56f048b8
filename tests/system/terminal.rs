//! A terminal with a program in it: tmux, with a server of its own for each test.

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use crate::support::{Jp, Output};

/// How long a program may take to show what is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// What [`Terminal::shell`] shows when it waits for a command.
const PROMPT: &str = "ready> ";

/// A terminal of 100 columns and 30 lines.
pub struct Terminal<'a> {
    jp: &'a Jp,
    /// What tells it from other terminals of the same user.
    name: &'static str,
}

impl<'a> Terminal<'a> {
    /// A terminal in which a program runs. What it showed last stays when it ends.
    pub fn start(jp: &'a Jp, program: &[&str]) -> Self {
        Self::start_named("jp", jp, program)
    }

    fn start_named(name: &'static str, jp: &'a Jp, program: &[&str]) -> Self {
        fs::create_dir_all(jp.world().join("tmux")).unwrap();
        let terminal = Self { jp, name };
        let mut command = terminal.tmux(&["start-server", ";"]);
        command.args(["set", "-g", "remain-on-exit", "on", ";"]);
        command.args(["new-session", "-d", "-x", "100", "-y", "30", "--"]).args(program);
        Output::of(&mut command).ok();
        terminal
    }

    /// A terminal with a shell that waits for a command.
    pub fn shell(jp: &'a Jp, program: &[&str]) -> Self {
        Self::named_shell("jp", jp, program)
    }

    /// The same beside other terminals of the user.
    pub fn named_shell(name: &'static str, jp: &'a Jp, program: &[&str]) -> Self {
        let prompt = format!("PS1={PROMPT}");
        let mut args = vec!["env", &prompt];
        args.extend(program);
        let terminal = Self::start_named(name, jp, &args);
        terminal.wait("a prompt", |screen| screen.lines().any(|line| line == PROMPT.trim_end()));
        terminal
    }

    /// Types text.
    pub fn type_text(&self, text: &str) {
        Output::of(&mut self.tmux(&["send-keys", "-l", "--", text])).ok();
    }

    /// Presses a key, by the name that tmux has for it: `Enter`, `Tab`, `C-c`.
    pub fn press(&self, key: &str) {
        Output::of(&mut self.tmux(&["send-keys", "--", key])).ok();
    }

    /// Runs a command in the shell, waits until it is done, and returns the screen.
    pub fn run(&self, command: &str) -> String {
        self.type_text(command);
        self.wait_for(command);
        self.press("Enter");
        self.wait("the end of a command", |screen| {
            screen.lines().rfind(|line| !line.is_empty()) == Some(PROMPT.trim_end())
        })
    }

    /// Waits until the screen shows a text, and returns the screen.
    pub fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Types the same again and again until the screen shows a text, for a program that throws away
    /// what was typed while it dealt with an interrupt.
    pub fn insist(&self, keys: &str, text: &str) -> String {
        self.wait(text, |screen| {
            let shows = screen.contains(text);
            if !shows {
                self.type_text(keys);
            }
            shows
        })
    }

    /// What the terminal shows, without colours.
    pub fn screen(&self) -> String {
        Output::of(&mut self.tmux(&["capture-pane", "-p"])).ok()
    }

    /// What the terminal shows, with the escapes that make its colours.
    pub fn coloured_screen(&self) -> String {
        Output::of(&mut self.tmux(&["capture-pane", "-p", "-e"])).ok()
    }

    /// Everything that the terminal has shown, in lines as they were written and not as it broke
    /// them.
    pub fn history(&self) -> String {
        Output::of(&mut self.tmux(&["capture-pane", "-p", "-J", "-S", "-"])).ok()
    }

    /// What tmux knows, such as `#{pane_title}`.
    pub fn ask(&self, format: &str) -> String {
        let answer = Output::of(&mut self.tmux(&["display-message", "-p", format])).ok();
        answer.trim_end().to_owned()
    }

    /// Tells tmux something.
    pub fn tell(&self, args: &[&str]) {
        Output::of(&mut self.tmux(args)).ok();
    }

    /// Looks at the screen again and again: a terminal tells nobody when it has been drawn.
    pub fn wait(&self, what: &str, shows: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if shows(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "waited for {what}, and saw this:\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// tmux, about to be told something.
    pub fn tmux(&self, args: &[&str]) -> Command {
        let mut command = self.jp.command("tmux");
        command.env("TMUX_TMPDIR", self.jp.world().join("tmux"));
        command.args(["-u", "-f", "/dev/null", "-L", self.name]).args(args);
        command
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // A server that is gone already is what was wanted.
        let _gone = self.tmux(&["kill-server"]).output();
    }
}
