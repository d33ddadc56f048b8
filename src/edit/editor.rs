//! Which editor is used, and how it is called.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    process::Command,
};

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

/// The command that opens a file in an editor. A value with arguments or quotes is read by the
/// shell, as git does it.
pub(super) fn command(env: &Env, editor: &OsStr, path: &Path) -> Command {
    if !editor.as_encoded_bytes().iter().any(|byte| SHELL.contains(byte)) {
        let mut command = process::command(env, Child::Editor, editor);
        command.arg(path);
        return command;
    }
    let mut script = editor.to_owned();
    script.push(" \"$@\"");
    let mut shell = process::command(env, Child::Editor, "sh");
    shell.arg("-c").arg(script).arg(editor).arg(path);
    shell
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

    #[test]
    fn a_value_with_arguments_is_read_by_the_shell() {
        let words = |editor: &str| {
            let command = command(&env(&[]), editor.as_ref(), Path::new("/a b.md"));
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            words.map(|word| word.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words("vi"), ["vi", "/a b.md"]);
        let value = "code --wait";
        assert_eq!(words(value), ["sh", "-c", "code --wait \"$@\"", value, "/a b.md"]);
        let value = "'/my editor' -x";
        assert_eq!(words(value), ["sh", "-c", "'/my editor' -x \"$@\"", value, "/a b.md"]);
    }
}
