//! Drafts in a real directory, written by a scripted editor.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use super::*;
use crate::{env::Env, model::Timestamp};

struct World {
    directory: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn state(&self) -> &Path {
        self.directory.path()
    }

    fn drafts(&self) -> usize {
        fs::read_dir(self.state().join("drafts")).map_or(0, Iterator::count)
    }

    /// A world whose editor is a script that finds the draft in `$1`.
    fn env(&self, script: &str) -> Env {
        let editor = self.state().join("my editor");
        fs::write(&editor, script).unwrap();
        let value = format!("sh '{}'", editor.display());
        let path = std::env::var_os("PATH").unwrap();
        let vars = [("JP_EDITOR".into(), value.into()), ("PATH".into(), path)];
        Env::fixed(vars, self.state().to_owned(), Timestamp::from_seconds(0))
    }

    fn draft(&self, env: &Env) -> Draft {
        Draft::create(env, self.state(), &Sheet { text: "", answered: Some("Yes?") }).unwrap()
    }
}

fn run(command: &mut Command) -> io::Result<ExitStatus> {
    command.status()
}

#[test]
fn what_was_written_comes_back_and_the_draft_goes_when_it_is_told_to() {
    let world = World::new();
    let env = world
        .env("printf 'Hello  \\n\\n\tyou\\n' | cat - \"$1\" >\"$1.new\"; mv \"$1.new\" \"$1\"");
    let mut draft = world.draft(&env);
    assert_eq!(draft.edit(&env, run).unwrap().as_deref(), Some("Hello  \n\n\tyou"));
    // The same draft can be opened again.
    let again = "Hello  \n\n\tyou\nHello  \n\n\tyou";
    assert_eq!(draft.edit(&env, run).unwrap().as_deref(), Some(again));
    let path = draft.path();
    assert!(fs::read_to_string(&path).unwrap().contains("> Yes?\n"));
    draft.discard().unwrap();
    assert!(!path.exists());
    assert_eq!(world.drafts(), 0);
}

#[test]
fn a_draft_that_stays_empty_is_none_and_leaves_nothing() {
    let world = World::new();
    for script in ["true", ": >\"$1\"", "rm \"$1\""] {
        let env = world.env(script);
        let mut draft = world.draft(&env);
        assert_eq!(draft.edit(&env, run).unwrap(), None, "{script}");
        assert_eq!(draft.keep(), None);
        assert_eq!(world.drafts(), 0);
    }
}

#[test]
fn an_editor_that_fails_leaves_what_was_written_and_says_where() {
    let world = World::new();
    let env = world.env("echo mine >\"$1\"; exit 3");
    let mut draft = world.draft(&env);
    let path = draft.path();
    let error = draft.edit(&env, run).unwrap_err();
    let editor = error.editor().unwrap().to_str().unwrap();
    assert_eq!(
        error.to_string(),
        format!(
            "the editor `{editor}` failed (exit status: 3); the draft is kept in `{}`",
            path.display()
        )
    );
    drop(draft);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine\n");
    assert_eq!(left_behind(world.state()), [path]);
}

#[test]
fn an_editor_that_fails_before_anything_was_written_leaves_nothing() {
    let world = World::new();
    let env = world.env("exit 1");
    let mut draft = world.draft(&env);
    assert!(draft.edit(&env, run).unwrap_err().to_string().ends_with("failed (exit status: 1)"));
    drop(draft);
    assert_eq!(world.drafts(), 0);
}

#[test]
fn what_is_not_text_stays() {
    let world = World::new();
    let env = world.env("printf 'a\\377b' >\"$1\"");
    let mut draft = world.draft(&env);
    let path = draft.path();
    let error = draft.edit(&env, run).unwrap_err();
    assert_eq!(error.to_string(), format!("the draft `{}` is not UTF-8 text", path.display()));
    assert_eq!(draft.keep(), Some(path));
}

#[test]
fn an_editor_that_is_not_there_is_named_and_the_next_fallback_is_tried() {
    let world = World::new();
    let path = std::env::var_os("PATH").unwrap();
    let env = |vars: &[(&str, &str)]| {
        let vars = vars.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let vars = vars.chain([("PATH".into(), path.clone())]);
        Env::fixed(vars, world.state().to_owned(), Timestamp::from_seconds(0))
    };
    let missing = env(&[("EDITOR", "/no/such/editor")]);
    let sheet = Sheet { text: "from a pipe\n", answered: None };
    let mut draft = Draft::create(&missing, world.state(), &sheet).unwrap();
    let expected = format!(
        "the editor `/no/such/editor` cannot be run: No such file or directory; \
         the draft is kept in `{}`",
        draft.path().display()
    );
    assert_eq!(draft.edit(&missing, run).unwrap_err().to_string(), expected);

    let mut tried = Vec::new();
    let text = draft.edit(&env(&[("TERM", "xterm")]), |command| {
        tried.push(command.get_program().to_owned());
        match tried.len() {
            1 => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(ExitStatus::default()),
        }
    });
    assert_eq!(text.unwrap().as_deref(), Some("from a pipe"));
    assert_eq!(tried, ["vi", "vim"]);

    let none = draft.edit(&env(&[("TERM", "dumb")]), run).unwrap_err();
    assert!(none.to_string().starts_with("there is no editor: neither `JP_EDITOR`"), "{none}");
}

#[cfg(unix)]
#[test]
fn a_draft_is_for_its_user_alone_and_nobody_can_guess_its_name() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let env = world.env("true");
    let (one, other) = (world.draft(&env), world.draft(&env));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let parent = |path: PathBuf| path.parent().unwrap().to_owned();
    assert_eq!(mode(&one.path()), 0o600);
    assert_eq!(mode(&parent(one.path())), 0o700);
    assert_ne!(parent(one.path()), parent(other.path()));
}

#[test]
fn drafts_in_use_were_not_left_behind_and_empty_ones_are_cleared() {
    let world = World::new();
    let env = world.env("echo mine >\"$1\"");
    let mut used = world.draft(&env);
    used.edit(&env, run).unwrap();
    let open = world.draft(&env);
    // As after a kill: one with text, one without, one with a copy of an editor.
    let leftover = |name: &str, files: &[(&str, &str)]| {
        let directory = world.state().join("drafts").join(name);
        fs::create_dir(&directory).unwrap();
        for (file, text) in files {
            fs::write(directory.join(file), text).unwrap();
        }
        directory.join("query.md")
    };
    let blank = Sheet::default().fill();
    let text = leftover("a", &[("query.md", "text")]);
    let empty = leftover("b", &[("query.md", &blank)]);
    let copied = leftover("c", &[("query.md", &blank), (".query.md.swp", "unsaved")]);
    let unfinished = leftover("d", &[]);
    let mut left = left_behind(world.state());
    left.sort();
    assert_eq!(left, [text, copied]);
    assert!(!empty.parent().unwrap().exists());
    assert!(unfinished.parent().unwrap().exists());
    let kept = used.keep().unwrap();
    drop(open);
    assert!(left_behind(world.state()).contains(&kept));
    assert_eq!(world.drafts(), 4);
}
