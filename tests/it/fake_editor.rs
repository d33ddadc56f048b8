//! An editor that does what a test wants, round after round.
//!
//! It is this test binary, started once more behind a small script. A step that does not find what
//! it expects ends the round with an error, and the test with it.

#![expect(clippy::exit, reason = "this is a program of its own")]

use std::{
    env, fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
    process::{self, Command},
};

use serde::{Deserialize, Serialize};

use crate::support::{Jp, Output};

/// The variable that names the directory of the editor.
const STATE: &str = "FAKE_EDITOR";

/// The plan of an edit.
pub const PLAN: &str = "CONVERSATION";

/// An editor, with what it does in each round.
pub struct FakeEditor {
    state: PathBuf,
    name: String,
    rounds: Vec<Vec<Step>>,
}

/// What an editor does. Files are those of the directory that it was given.
#[derive(Serialize, Deserialize)]
enum Step {
    /// Copies the directory.
    Dump(PathBuf),
    /// Expects a file with this in it.
    Expect(String, String),
    /// Expects a file with this in it, and nothing else.
    ExpectWhole(String, String),
    /// Expects a file without this in it, or no file.
    ExpectNo(String, String),
    /// Writes a file.
    Write(String, Vec<u8>),
    /// Replaces some text in a file.
    Change(String, String, String),
    /// Deletes a file.
    Delete(String),
    /// Deletes a line of the plan.
    Strike(String),
    /// Puts lines of the plan before another one.
    Put(Vec<String>, String),
    /// Writes lines at the end of the plan.
    List(Vec<String>),
    /// Swaps lines of the plan as numbers say, and deletes and adds some.
    Shuffle(Vec<(usize, usize)>, Vec<usize>),
    /// Runs a program, which has to work.
    Run(Program),
    /// Ends with this code.
    Fail(i32),
}

/// A program with all that it sees.
#[derive(Serialize, Deserialize)]
struct Program {
    words: Vec<String>,
    directory: PathBuf,
    variables: Vec<(String, String)>,
}

impl FakeEditor {
    /// An editor of one round, so far.
    pub fn new(jp: &Jp) -> Self {
        let state = tempfile::Builder::new().prefix("editor-").tempdir_in(jp.world()).unwrap();
        Self { state: state.keep(), name: "editor".to_owned(), rounds: vec![Vec::new()] }
    }

    /// The same editor under the name of one that jp knows.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Saves and quits; what follows happens when it is opened again.
    pub fn next_round(mut self) -> Self {
        self.rounds.push(Vec::new());
        self
    }

    fn step(mut self, step: Step) -> Self {
        self.rounds.last_mut().unwrap().push(step);
        self
    }

    /// Copies the directory to a place that is not there yet.
    pub fn dump(self, place: &Path) -> Self {
        self.step(Step::Dump(place.to_owned()))
    }

    /// Expects a file with this in it.
    pub fn expect(self, file: &str, text: impl Into<String>) -> Self {
        self.step(Step::Expect(file.to_owned(), text.into()))
    }

    /// Expects a file with this in it, and nothing else.
    pub fn expect_whole(self, file: &str, text: impl Into<String>) -> Self {
        self.step(Step::ExpectWhole(file.to_owned(), text.into()))
    }

    /// Expects a file without this in it, or no file.
    pub fn expect_no(self, file: &str, text: &str) -> Self {
        self.step(Step::ExpectNo(file.to_owned(), text.to_owned()))
    }

    /// Writes a file.
    pub fn write(self, file: &str, content: impl AsRef<[u8]>) -> Self {
        self.step(Step::Write(file.to_owned(), content.as_ref().to_vec()))
    }

    /// Replaces some text in a file.
    pub fn change(self, file: &str, from: &str, to: &str) -> Self {
        self.step(Step::Change(file.to_owned(), from.to_owned(), to.to_owned()))
    }

    /// Deletes a file.
    pub fn delete(self, file: &str) -> Self {
        self.step(Step::Delete(file.to_owned()))
    }

    /// Deletes a line of the plan.
    pub fn strike(self, line: &str) -> Self {
        self.step(Step::Strike(line.to_owned()))
    }

    /// Puts lines of the plan, there already or new, before another one.
    pub fn put(self, lines: &[&str], before: &str) -> Self {
        let lines = lines.iter().map(ToString::to_string).collect();
        self.step(Step::Put(lines, before.to_owned()))
    }

    /// Writes lines at the end of the plan.
    pub fn list(self, lines: &[&str]) -> Self {
        self.step(Step::List(lines.iter().map(ToString::to_string).collect()))
    }

    /// Swaps lines of the plan, and deletes some.
    pub fn shuffle(self, swaps: Vec<(usize, usize)>, gone: Vec<usize>) -> Self {
        self.step(Step::Shuffle(swaps, gone))
    }

    /// Runs a program, which has to work.
    pub fn run(self, command: &Command) -> Self {
        let text = |text: &std::ffi::OsStr| text.to_str().unwrap().to_owned();
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let variables = command.get_envs();
        let program = Program {
            words: words.map(text).collect(),
            directory: command.get_current_dir().unwrap().to_owned(),
            variables: variables
                .filter_map(|(name, value)| Some((text(name), text(value?))))
                .collect(),
        };
        self.step(Step::Run(program))
    }

    /// Ends with this code, and not as it should.
    pub fn fail(self, code: i32) -> Self {
        self.step(Step::Fail(code))
    }

    /// Empties the plan, which aborts an edit.
    pub fn clear(self) -> Self {
        self.write(PLAN, "")
    }

    /// The same user with this editor.
    pub fn install(&self, jp: &Jp) -> Jp {
        let script = serde_json::to_vec(&self.rounds).unwrap();
        fs::write(self.state.join("script"), script).unwrap();
        let program = env::current_exe().unwrap();
        let text = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{state}/arguments'\n\
             {STATE}='{state}' exec '{program}' --exact --nocapture \
             fake_editor::plays_the_editor > /dev/null\n",
            state = self.state.display(),
            program = program.display(),
        );
        let path = self.state.join(&self.name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        jp.with_var("JP_EDITOR", path)
    }

    /// Runs jp with this editor, which has to be opened in each round and never more.
    #[track_caller]
    pub fn edits(self, jp: &Jp, args: &[&str]) -> Output {
        let output = self.install(jp).run(args);
        let failed = fs::read_to_string(self.state.join("failed")).unwrap_or_default();
        assert_eq!(failed, "", "{}", output.stderr);
        assert_eq!(rounds_played(&self.state), self.rounds.len(), "rounds: {}", output.stderr);
        output
    }

    /// Runs jp with this editor, which clears the plan when it is opened once more.
    #[track_caller]
    pub fn edits_or_aborts(self, jp: &Jp, args: &[&str]) -> Output {
        let editor = self.next_round().clear();
        let output = editor.install(jp).run(args);
        let failed = fs::read_to_string(editor.state.join("failed")).unwrap_or_default();
        assert_eq!(failed, "", "{}", output.stderr);
        output
    }

    /// What it was called with the last time.
    pub fn arguments(state: &Path) -> Vec<String> {
        let arguments = fs::read_to_string(state.join("arguments")).unwrap();
        arguments.lines().map(str::to_owned).collect()
    }

    /// Where it keeps what it knows.
    pub fn state(&self) -> PathBuf {
        self.state.clone()
    }
}

fn rounds_played(state: &Path) -> usize {
    fs::read(state.join("rounds")).map_or(0, |rounds| rounds.len())
}

/// Not a test of its own: with its variable set it is the editor.
#[test]
fn plays_the_editor() {
    let Some((_, state)) = env::vars().find(|(name, _)| name == STATE) else { return };
    let state = PathBuf::from(state);
    let round = rounds_played(&state);
    fs::write(state.join("rounds"), vec![b'.'; round + 1]).unwrap();
    let script = fs::read(state.join("script")).unwrap();
    let rounds: Vec<Vec<Step>> = serde_json::from_slice(&script).unwrap();
    let opened = PathBuf::from(FakeEditor::arguments(&state).pop().unwrap());
    let directory = if opened.is_dir() { opened } else { opened.parent().unwrap().to_owned() };
    let played = match rounds.get(round) {
        Some(steps) => steps.iter().try_for_each(|step| step.play(&directory)),
        None => {
            let plan = fs::read_to_string(directory.join(PLAN)).unwrap_or_default();
            Err(Stop::Failed(format!("it was opened once more than expected:\n{plan}")))
        }
    };
    match played {
        Ok(()) => process::exit(0),
        Err(Stop::Code(code)) => process::exit(code),
        Err(Stop::Failed(why)) => {
            fs::write(state.join("failed"), format!("round {}: {why}", round + 1)).unwrap();
            process::exit(1);
        }
    }
}

/// Why a round ends before its steps do.
enum Stop {
    Code(i32),
    Failed(String),
}

impl Step {
    fn play(&self, directory: &Path) -> Result<(), Stop> {
        let read = |file: &str| {
            let bytes = fs::read(directory.join(file));
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let failed = |file: &str, text: &str, wanted: &str| {
            Err(Stop::Failed(format!("`{file}` is not {wanted}:\n{text}")))
        };
        let plan = || -> Vec<String> {
            read(PLAN).unwrap_or_default().lines().map(str::to_owned).collect()
        };
        let save = |lines: Vec<String>| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            fs::write(directory.join(PLAN), text).unwrap();
        };
        match self {
            Self::Dump(place) => copy(directory, place),
            Self::Expect(file, wanted) => match read(file) {
                Ok(text) if text.contains(wanted) => {}
                Ok(text) => return failed(file, &text, &format!("with {wanted:?}")),
                Err(error) => return failed(file, &error.to_string(), "there"),
            },
            Self::ExpectWhole(file, wanted) => match read(file) {
                Ok(text) if text == *wanted => {}
                Ok(text) => return failed(file, &text, &format!("exactly\n{wanted}\nbut")),
                Err(error) => return failed(file, &error.to_string(), "there"),
            },
            Self::ExpectNo(file, unwanted) => match read(file) {
                Ok(text) if text.contains(unwanted) => {
                    return failed(file, &text, &format!("without {unwanted:?}"));
                }
                _ => {}
            },
            Self::Write(file, bytes) => fs::write(directory.join(file), bytes).unwrap(),
            Self::Change(file, from, to) => {
                let bytes = fs::read(directory.join(file)).unwrap();
                let at = bytes.windows(from.len()).position(|part| part == from.as_bytes());
                let Some(at) = at else {
                    return failed(
                        file,
                        &String::from_utf8_lossy(&bytes),
                        &format!("with {from:?}"),
                    );
                };
                let changed = [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat();
                fs::write(directory.join(file), changed).unwrap();
            }
            Self::Delete(file) => fs::remove_file(directory.join(file)).unwrap(),
            Self::Strike(gone) => {
                let (struck, left): (Vec<_>, Vec<_>) =
                    plan().into_iter().partition(|line| line == gone);
                if struck.len() != 1 {
                    return failed(PLAN, &left.join("\n"), &format!("with one line {gone:?}"));
                }
                save(left);
            }
            Self::Put(lines, before) => {
                let mut left = plan();
                left.retain(|line| !lines.contains(line));
                let Some(at) = left.iter().position(|line| line == before) else {
                    return failed(PLAN, &left.join("\n"), &format!("with a line {before:?}"));
                };
                left.splice(at..at, lines.iter().cloned());
                save(left);
            }
            Self::List(lines) => save([plan(), lines.clone()].concat()),
            Self::Shuffle(swaps, gone) => {
                let mut lines = plan();
                for (one, other) in swaps.iter().filter(|_| !plan().is_empty()) {
                    let count = lines.len();
                    lines.swap(one % count, other % count);
                }
                for at in gone {
                    let count = lines.len();
                    if count > 0 {
                        lines.remove(at % count);
                    }
                }
                save(lines);
            }
            Self::Run(program) => program.run()?,
            Self::Fail(code) => return Err(Stop::Code(*code)),
        }
        Ok(())
    }
}

impl Program {
    fn run(&self) -> Result<(), Stop> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).current_dir(&self.directory);
        command.env_clear().envs(self.variables.iter().cloned());
        let output = Output::of(&mut command);
        if output.code == 0 {
            return Ok(());
        }
        Err(Stop::Failed(format!("{:?} failed: {}", self.words, output.stderr)))
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// What was said, with `ID` for a conversation and `DIR` for the directory of an edit.
pub fn masked(text: &str, jp: &Jp, id: &str) -> String {
    let world = jp.world();
    let world = std::str::from_utf8(world.as_os_str().as_bytes()).unwrap();
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(world) {
        let (before, path) = rest.split_at(at);
        let end = path.find(|c: char| c.is_whitespace() || c == '`').unwrap_or(path.len());
        masked += before;
        masked += if path[..end].contains("/edits/") { "DIR" } else { &path[..end] };
        rest = &path[end..];
    }
    (masked + rest).replace(id, "ID")
}

/// The directories of edits that are kept.
pub fn kept(jp: &Jp) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for workspace in children(&jp.world().join("data/jp/workspace")) {
        for root in children(&workspace.join("edits")) {
            found.extend(children(&root));
        }
    }
    found
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}
