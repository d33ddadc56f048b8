//! What is known about editors, by the names of their programs.
//!
//! An editor that is not known is taken for one that waits and opens whatever it is given.

use std::ffi::OsStr;

/// Editors that come back at once unless they are told to wait, and the words that tell them. The
/// first word is added if none of them is there.
const TOLD_TO_WAIT: [(&[&str], &[&str]); 6] = [
    (
        &[
            "code",
            "code-insiders",
            "codium",
            "vscodium",
            "cursor",
            "windsurf",
            "subl",
            "sublime_text",
            "zed",
            "zeditor",
            "atom",
            "mate",
            "bbedit",
            "gedit",
        ],
        &["--wait", "-w"],
    ),
    (
        &["idea", "pycharm", "webstorm", "clion", "goland", "rustrover", "phpstorm", "rubymine"],
        &["--wait"],
    ),
    (&["gvim", "mvim", "gview", "rgvim"], &["-f", "--nofork"]),
    (&["nvim-qt"], &["--nofork"]),
    (&["kate"], &["--block", "-b"]),
    // It has no word for it; as a program of its own it ends with its window.
    (&["gnome-text-editor"], &["--standalone", "-s"]),
];

/// Other editors with windows.
const WITH_WINDOWS: [&str; 5] = ["emacsclient", "mousepad", "notepad", "leafpad", "featherpad"];

/// What keeps them in the terminal.
const WITHOUT_WINDOWS: [&str; 4] = ["-t", "--tty", "-nw", "--nw"];

/// Editors that open files only.
const FILES_ONLY: [&str; 26] = [
    "nano",
    "pico",
    "ed",
    "red",
    "ex",
    "vi",
    "nvi",
    "vim.tiny",
    "busybox",
    "micro",
    "joe",
    "jstar",
    "jpico",
    "rjoe",
    "ne",
    "jed",
    "mcedit",
    "dte",
    "tilde",
    "kak",
    "gedit",
    "gnome-text-editor",
    "mousepad",
    "notepad",
    "leafpad",
    "featherpad",
];

/// Vim by its names. `vi` is none of them: it may be another one, which knows no such arguments.
const VIM: [&str; 9] = ["vim", "vimx", "nvim", "gvim", "mvim", "view", "rvim", "gview", "rgvim"];

/// Takes the modelines of every file for text, since models have a part in what is opened. An
/// option would not do: the user's own file is read after `--cmd`, and the file before `-c`.
const NO_MODELINES: [&str; 4] =
    ["--cmd", "augroup jp | augroup END", "--cmd", "autocmd jp BufReadPre * setlocal nomodeline"];

/// An editor as somebody asked for it.
pub struct Known {
    /// The name of the program, without its directory.
    program: String,
    /// The arguments that it was asked for with.
    given: Vec<String>,
}

impl Known {
    /// Reads the value of a variable; there is nothing to know of a value that is more than a
    /// program with arguments.
    pub fn of(value: &OsStr) -> Self {
        let words = value.to_str().and_then(words).unwrap_or_default();
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default().to_owned();
        Self { program, given: words.collect() }
    }

    /// What it is told beside the arguments that it was asked for with.
    pub fn arguments(&self) -> Vec<&'static str> {
        let mut arguments = Vec::new();
        if VIM.contains(&self.name()) || self.program.starts_with("vim.") {
            arguments.extend(NO_MODELINES);
        }
        if let Some(words) = self.waiting()
            && !self.given.iter().any(|given| words.contains(&given.as_str()))
        {
            arguments.extend(words.first());
        }
        arguments
    }

    /// Whether it can open a directory.
    pub fn opens_directories(&self) -> bool {
        !FILES_ONLY.contains(&self.name())
    }

    /// Whether it has windows of its own, beside the terminal.
    pub fn has_windows(&self) -> bool {
        let stays = self.given.iter().any(|given| WITHOUT_WINDOWS.contains(&given.as_str()));
        self.waiting().is_some() || (WITH_WINDOWS.contains(&self.name()) && !stays)
    }

    fn name(&self) -> &str {
        &self.program
    }

    /// The words that make it wait.
    fn waiting(&self) -> Option<&'static [&'static str]> {
        let known = TOLD_TO_WAIT.iter().find(|(names, _)| names.contains(&self.name()));
        known.map(|(_, words)| *words)
    }
}

/// The words of a value as a shell splits it, without what it would put in; `None` if there is
/// more to it than words.
fn words(value: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' | '\n') => return None,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(value: &str) -> Vec<&'static str> {
        Known::of(value.as_ref()).arguments()
    }

    #[test]
    fn an_editor_with_windows_is_told_to_wait_unless_it_was() {
        for (value, added) in [
            ("code", "--wait"),
            ("code -n", "--wait"),
            ("/usr/bin/codium", "--wait"),
            ("'/my apps/subl' --new-window", "--wait"),
            ("\"/my apps\"/zed", "--wait"),
            ("/my\\ apps/cursor", "--wait"),
            ("$HOME/bin/mate", "--wait"),
            ("idea -w", "--wait"),
            ("nvim-qt", "--nofork"),
            ("kate -n", "--block"),
            ("gedit", "--wait"),
            ("gnome-text-editor", "--standalone"),
        ] {
            assert_eq!(arguments(value), [added], "{value}");
        }
        for value in [
            "code --wait",
            "code -n -w",
            "code '--wait'",
            "kate -b",
            "idea --wait",
            "emacsclient",
            "emacsclient -n",
            "emacs",
            "nano",
            "vi",
            "nvi",
            "mycode",
            "code.sh",
            "env A=1 code",
            "A=1 code",
            "code; true",
            "code && true",
            "code 'open",
            "",
            "  ",
        ] {
            assert!(arguments(value).is_empty(), "{value}");
        }
    }

    #[test]
    fn vim_takes_no_orders_from_what_it_opens() {
        for value in ["vim", "nvim -p", "/usr/bin/vim.basic", "vim.tiny", "view", "vimx", "rvim"] {
            assert_eq!(arguments(value), NO_MODELINES, "{value}");
        }
        for (value, added) in [("gvim", &["-f"][..]), ("mvim --nofork", &[]), ("gvim -f", &[])] {
            assert_eq!(arguments(value), [&NO_MODELINES, added].concat(), "{value}");
        }
    }

    #[test]
    fn who_opens_directories_and_who_has_windows() {
        let known = |value: &str| {
            let known = Known::of(value.as_ref());
            (known.opens_directories(), known.has_windows())
        };
        for (value, expected) in [
            ("vim", (true, false)),
            ("vi", (false, false)),
            ("/bin/nano -w", (false, false)),
            ("busybox vi", (false, false)),
            ("code", (true, true)),
            ("gvim -f", (true, true)),
            ("gedit", (false, true)),
            ("notepad", (false, true)),
            ("emacsclient -c", (true, true)),
            ("emacsclient -t", (true, false)),
            ("my-editor", (true, false)),
            ("", (true, false)),
        ] {
            assert_eq!(known(value), expected, "{value}");
        }
    }
}
