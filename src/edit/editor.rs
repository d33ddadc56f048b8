//! Which editor is used, and how it is called.

mod known;

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use self::known::Known;
use super::DraftError;
use crate::{
    env::Env,
    process::{self, Child},
};

/// The variables that name an editor, the strongest first.
const VARIABLES: [&str; 3] = ["JP_EDITOR", "VISUAL", "EDITOR"];

/// What is tried if none of them does.
const FALLBACKS: [&str; 3] = ["vi", "vim", "nano"];

/// Characters that make a value more than the name of a program, as git sees it.
const SHELL: &[u8] = b"|&;<>()$`\\\"' \t\n*?[#~=%";

/// What an editor is to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened<'a> {
    /// A file.
    File(&'a Path),
    /// A directory, in which the editor runs, too.
    Directory {
        /// The directory.
        directory: &'a Path,
        /// The file in it for an editor that opens files only.
        plan: &'a Path,
    },
}

/// Whether the editor that the user wants can open a directory.
pub fn opens_directories(env: &Env) -> bool {
    wanted(env).first().is_some_and(|editor| Known::of(editor).opens_directories())
}

/// Whether the editor that the user wants has windows of its own, beside the terminal.
pub fn has_windows(env: &Env) -> bool {
    wanted(env).first().is_some_and(|editor| Known::of(editor).has_windows())
}

/// The editors to try, one after the other. A terminal that cannot move its cursor is no place for
/// those that nobody asked for.
pub(super) fn wanted(env: &Env) -> Vec<OsString> {
    if let Some(value) = VARIABLES.iter().find_map(|name| env.var(name)) {
        return vec![value.to_owned()];
    }
    if env.var("TERM").is_none_or(|term| term == "dumb") {
        return Vec::new();
    }
    FALLBACKS.map(OsString::from).to_vec()
}

/// Opens something in the first editor that is there. A failure says where what was written is kept.
pub(super) fn open(
    env: &Env,
    what: Opened<'_>,
    kept: Option<PathBuf>,
    run: &mut dyn FnMut(&mut Command) -> io::Result<ExitStatus>,
) -> Result<(OsString, ExitStatus), DraftError> {
    let mut failure = None;
    for editor in wanted(env) {
        match run(&mut command(env, &editor, what)) {
            Ok(status) => return Ok((editor, status)),
            Err(source) => {
                let is_missing = source.kind() == io::ErrorKind::NotFound;
                let kept = kept.clone();
                failure = failure.or(Some(DraftError::Start { editor, source, kept }));
                if !is_missing {
                    break;
                }
            }
        }
    }
    Err(failure.unwrap_or(DraftError::NoEditor { kept }))
}

/// The command that opens something in an editor. A value with arguments or quotes is read by the
/// shell, as git does it.
pub(super) fn command(env: &Env, editor: &OsStr, what: Opened<'_>) -> Command {
    let known = Known::of(editor);
    let mut command = if editor.as_encoded_bytes().iter().any(|byte| SHELL.contains(byte)) {
        let mut script = editor.to_owned();
        script.push(" \"$@\"");
        let mut shell = process::command(env, Child::Editor, "sh");
        shell.arg("-c").arg(script).arg(editor);
        shell
    } else {
        process::command(env, Child::Editor, program(env, editor))
    };
    command.args(known.arguments());
    match what {
        Opened::File(path) => command.arg(path),
        Opened::Directory { directory, plan } => {
            // A shell would set the variable, too.
            command.current_dir(directory).env("PWD", directory);
            command.arg(if known.opens_directories() { directory } else { plan })
        }
    };
    command
}

/// The program of an editor: a path counts from where the user is, wherever the editor runs.
fn program(env: &Env, editor: &OsStr) -> PathBuf {
    let path = Path::new(editor);
    if path.components().count() > 1 { env.cwd().join(path) } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn env(vars: &[(&str, &str)]) -> Env {
        let vars = vars.iter().map(|(name, value)| (name.into(), value.into()));
        Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))
    }

    #[test]
    fn the_editor_is_the_one_that_the_user_wants() {
        let all = [("JP_EDITOR", "one"), ("VISUAL", "two"), ("EDITOR", "three"), ("TERM", "xterm")];
        assert_eq!(wanted(&env(&all)), ["one"]);
        assert_eq!(wanted(&env(&all[1..])), ["two"]);
        assert_eq!(wanted(&env(&all[2..])), ["three"]);
        assert_eq!(wanted(&env(&all[3..])), ["vi", "vim", "nano"]);
        assert_eq!(wanted(&env(&[("JP_EDITOR", ""), ("VISUAL", "two")])), ["two"]);
        assert_eq!(wanted(&env(&[("TERM", "dumb"), ("EDITOR", "ed")])), ["ed"]);
        assert!(wanted(&env(&[("TERM", "dumb")])).is_empty());
        assert!(wanted(&env(&[])).is_empty());
    }

    fn words(command: &Command) -> Vec<&str> {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_str().unwrap()).collect()
    }

    #[test]
    fn a_value_with_arguments_is_read_by_the_shell() {
        let opens = |editor: &str, expected: &[&str]| {
            let file = Opened::File(Path::new("/a b.md"));
            let command = command(&env(&[]), editor.as_ref(), file);
            assert_eq!(words(&command), expected);
            assert_eq!(command.get_current_dir(), Some(Path::new("/")));
        };
        opens("vi", &["vi", "/a b.md"]);
        opens("bin/ed", &["/bin/ed", "/a b.md"]);
        let value = "code --wait";
        opens(value, &["sh", "-c", "code --wait \"$@\"", value, "/a b.md"]);
        let value = "'/my editor' -x";
        opens(value, &["sh", "-c", "'/my editor' -x \"$@\"", value, "/a b.md"]);
    }

    #[test]
    fn an_editor_that_is_known_is_told_what_it_needs_to_hear() {
        let opens = |editor: &str, expected: &[&str]| {
            let command = command(&env(&[]), editor.as_ref(), Opened::File(Path::new("/a.md")));
            assert_eq!(words(&command), expected);
        };
        opens("code", &["code", "--wait", "/a.md"]);
        let value = "code -n";
        opens(value, &["sh", "-c", "code -n \"$@\"", value, "--wait", "/a.md"]);
        let (group, setting) =
            ("augroup jp | augroup END", "autocmd jp BufReadPre * setlocal nomodeline");
        opens("vim", &["vim", "--cmd", group, "--cmd", setting, "/a.md"]);
    }

    #[test]
    fn a_directory_is_opened_by_those_who_can_and_all_run_in_it() {
        let (directory, plan) = (Path::new("/d"), Path::new("/d/PLAN"));
        for (editor, opened) in [("emacs", "/d"), ("nano", "/d/PLAN"), ("nano -l", "/d/PLAN")] {
            let what = Opened::Directory { directory, plan };
            let command = command(&env(&[("PWD", "/")]), editor.as_ref(), what);
            assert_eq!(words(&command).last(), Some(&opened), "{editor}");
            assert_eq!(command.get_current_dir(), Some(directory));
            let variables: Vec<_> = command.get_envs().filter(|(name, _)| *name == "PWD").collect();
            assert_eq!(variables, [("PWD".as_ref(), Some("/d".as_ref()))]);
        }
    }

    #[test]
    fn the_editor_that_is_wanted_first_tells_what_it_can() {
        let known = |value: &str| {
            let env = env(&[("EDITOR", value), ("TERM", "xterm")]);
            (opens_directories(&env), has_windows(&env))
        };
        assert_eq!(known("nano"), (false, false));
        assert_eq!(known("code -n"), (true, true));
        // Nobody named one, so that it is `vi`.
        assert_eq!(known(""), (false, false));
        let none = env(&[]);
        assert_eq!((opens_directories(&none), has_windows(&none)), (false, false));
    }
}
