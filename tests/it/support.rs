//! A small world for each test: an empty environment, a directory, and jp and git to run in it.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    rc::Rc,
};

use serde_json::Value;
use tempfile::TempDir;

/// The moment at which all events of these tests happen.
pub const TIME: &str = "2026-01-31T12:00:00+01:00";

/// A user at a place: everything that jp gets to see.
pub struct Jp {
    world: Rc<TempDir>,
    /// Where sockets are.
    runtime: Rc<TempDir>,
    directory: PathBuf,
    vars: BTreeMap<OsString, OsString>,
}

impl Jp {
    /// A user in an empty directory, with an empty home and nothing else.
    pub fn new() -> Self {
        let world = tempfile::Builder::new().prefix("jp-test-").tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        let mut vars = BTreeMap::new();
        for (name, value) in std::env::vars_os().filter(|(name, _)| name == "PATH") {
            vars.insert(name, value);
        }
        for (name, directory) in
            [("HOME", "home"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")]
        {
            fs::create_dir(root.join(directory)).unwrap();
            vars.insert(name.into(), root.join(directory).into());
        }
        for (name, value) in [
            ("TZ", "UTC"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("GIT_AUTHOR_EMAIL", "ann@example.com"),
            ("GIT_COMMITTER_NAME", "Ann"),
            ("GIT_COMMITTER_EMAIL", "ann@example.com"),
        ] {
            vars.insert(name.into(), value.into());
        }
        let runtime = tempfile::Builder::new().prefix("jp-run-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(runtime.path(), fs::Permissions::from_mode(0o700)).unwrap();
        vars.insert("JP_RUNTIME_DIR".into(), runtime.path().into());
        let directory = root.join("work");
        fs::create_dir(&directory).unwrap();
        Self { world: Rc::new(world), runtime: Rc::new(runtime), directory, vars }
    }

    /// A user in a workspace whose store is `.jp/store`.
    pub fn in_workspace() -> Self {
        let jp = Self::new();
        jp.run(&["init"]).ok();
        jp
    }

    /// The same user in another directory, which is made if it is not there.
    pub fn at(&self, directory: impl AsRef<Path>) -> Self {
        let directory = self.directory.join(directory);
        fs::create_dir_all(&directory).unwrap();
        let (world, runtime) = (Rc::clone(&self.world), Rc::clone(&self.runtime));
        Self { world, runtime, directory, vars: self.vars.clone() }
    }

    /// The same user with another variable.
    pub fn with_var(&self, name: &str, value: impl AsRef<OsStr>) -> Self {
        let mut vars = self.vars.clone();
        vars.insert(name.into(), value.as_ref().to_owned());
        let (world, runtime) = (Rc::clone(&self.world), Rc::clone(&self.runtime));
        Self { world, runtime, directory: self.directory.clone(), vars }
    }

    /// The same user without a variable.
    pub fn without_var(&self, name: &str) -> Self {
        let mut vars = self.vars.clone();
        vars.remove(OsStr::new(name));
        let (world, runtime) = (Rc::clone(&self.world), Rc::clone(&self.runtime));
        Self { world, runtime, directory: self.directory.clone(), vars }
    }

    /// Everything that the user can see: home, data, configuration and work.
    pub fn world(&self) -> PathBuf {
        self.world.path().canonicalize().unwrap()
    }

    /// A path in the current directory.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.join(name)
    }

    /// Where the conversations are kept.
    pub fn store(&self) -> PathBuf {
        self.run(&["store", "path"]).ok().trim_end().into()
    }

    /// Writes a file in the current directory.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Runs jp.
    pub fn run(&self, args: &[&str]) -> Output {
        Output::of(&mut self.jp(args))
    }

    /// Runs jp with something to read.
    pub fn run_with_input(&self, args: &[&str], input: impl AsRef<[u8]>) -> Output {
        let mut command = self.jp(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // jp may say no without reading on.
        let _unread = child.stdin.take().unwrap().write_all(input.as_ref());
        Output::from(child.wait_with_output().unwrap())
    }

    /// jp, about to be run.
    pub fn jp(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_jp"));
        command.args(args);
        command
    }

    /// Any program, about to be run in this world.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.directory).env_clear().envs(&self.vars);
        command.stdin(Stdio::null());
        command
    }

    /// Runs git on the store and returns what it printed.
    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(self.store(), args)
    }

    /// Runs git in a directory and returns what it printed.
    pub fn git_in(&self, directory: impl AsRef<Path>, args: &[&str]) -> String {
        let directory = self.directory.join(directory);
        let output = Output::of(self.command("git").arg("-C").arg(directory).args(args));
        assert_eq!(output.code, 0, "git {args:?}: {}", output.stderr);
        output.stdout
    }

    /// Runs git on the store with something to read.
    pub fn git_with_input(&self, args: &[&str], input: impl AsRef<[u8]>) -> String {
        let mut command = self.command("git");
        command.arg("-C").arg(self.store()).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_ref()).unwrap();
        let output = Output::from(child.wait_with_output().unwrap());
        assert_eq!(output.code, 0, "git {args:?}: {}", output.stderr);
        output.stdout.trim_end().to_owned()
    }

    /// Starts a conversation with these events and returns its id.
    pub fn start(&self, events: &[&str]) -> String {
        let files = self.write_events(events);
        let mut args = vec!["c", "append", "--new"];
        args.extend(files.iter().map(String::as_str));
        let said = self.run(&args).ok();
        said.split(' ').next().unwrap().to_owned()
    }

    /// Appends events to a conversation.
    pub fn append(&self, id: &str, events: &[&str]) -> Output {
        let files = self.write_events(events);
        let mut args = vec!["c", "append", id];
        args.extend(files.iter().map(String::as_str));
        self.run(&args)
    }

    /// Writes event files and returns their names: what is TOML says which type it is.
    fn write_events(&self, events: &[&str]) -> Vec<String> {
        let name = |(index, event): (usize, &&str)| {
            let form = if event.starts_with("---") { "md" } else { "toml" };
            let name = format!("events/{index}.{form}");
            self.write(&name, event);
            name
        };
        events.iter().enumerate().map(name).collect()
    }

    /// The commit of a conversation.
    pub fn tip(&self, id: &str) -> String {
        self.git(&["rev-parse", id]).trim_end().to_owned()
    }

    /// The tree of a conversation.
    pub fn tree(&self, id: &str) -> String {
        self.git(&["rev-parse", &format!("{id}^{{tree}}")]).trim_end().to_owned()
    }

    /// What `show` says of a conversation, as JSON.
    pub fn show(&self, id: &str) -> Value {
        self.run(&["c", "show", id, "--format", "json"]).json()
    }

    /// What `export --format messages` prints of a conversation, whatever it leaves out.
    pub fn messages(&self, id: &str, more: &[&str]) -> Value {
        let args = [&["c", "export", id, "--format", "messages"], more].concat();
        let output = self.run(&args);
        let told = output.stderr.lines().find(|line| !line.contains("cannot hold everything"));
        assert_eq!((output.code, told), (0, None));
        serde_json::from_str(&output.stdout).unwrap()
    }

    /// Asserts that git finds nothing wrong with the store.
    pub fn assert_sound(&self) {
        let args = ["fsck", "--strict", "--full", "--no-progress", "--no-dangling"];
        let output = Output::of(self.command("git").arg("-C").arg(self.store()).args(args));
        let said: Vec<_> = output.stderr.lines().filter(|l| !l.starts_with("notice:")).collect();
        assert_eq!((output.code, output.stdout.as_str(), said), (0, "", vec![]));
    }

    /// Makes a conversation point at a commit, whatever it holds.
    pub fn force(&self, id: &str, commit: &str) {
        self.git(&["update-ref", &format!("refs/heads/{id}"), commit]);
    }

    /// Makes a commit of a tree on top of a conversation by git alone, without trailers.
    pub fn commit_tree(&self, id: &str, tree: &str) -> String {
        let parent = self.tip(id);
        let commit = self.git(&["commit-tree", tree, "-p", &parent, "-m", "by hand"]);
        self.force(id, commit.trim_end());
        commit.trim_end().to_owned()
    }

    /// Replaces one file of a conversation by git alone, without trailers.
    pub fn edit(&self, id: &str, path: &str, content: impl AsRef<[u8]>) {
        let blob = self.git_with_input(&["hash-object", "-w", "--stdin"], content);
        self.edit_index(id, &format!("100644 {blob}\t{path}\n"));
    }

    /// Removes one file of a conversation by git alone, without trailers.
    pub fn remove(&self, id: &str, path: &str) {
        let nothing = "0".repeat(40);
        self.edit_index(id, &format!("0 {nothing}\t{path}\n"));
    }

    fn edit_index(&self, id: &str, line: &str) {
        let index = self.world().join("index");
        let _none = fs::remove_file(&index);
        let with_index = self.with_var("GIT_INDEX_FILE", &index);
        with_index.git(&["read-tree", id]);
        with_index.git_with_input(&["update-index", "--index-info"], line);
        let tree = with_index.git(&["write-tree"]);
        self.commit_tree(id, tree.trim_end());
    }
}

/// What a program said and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Output {
    /// Standard output, as text.
    pub stdout: String,
    /// Standard output, byte for byte.
    pub bytes: Vec<u8>,
    /// Standard error.
    pub stderr: String,
    /// The exit code; 128 and the signal for a process that was killed.
    pub code: i32,
}

impl From<std::process::Output> for Output {
    fn from(output: std::process::Output) -> Self {
        let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            bytes: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().or(signal.map(|signal| 128 + signal)).unwrap(),
        }
    }
}

impl Output {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> Self {
        Self::from(command.output().unwrap())
    }

    /// Asserts that it worked in silence, and returns what it printed.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Asserts that it failed with this code, printed nothing, and said exactly this.
    #[track_caller]
    pub fn fails(&self, code: i32, stderr: &str) {
        assert_eq!((self.stdout.as_str(), self.stderr.as_str(), self.code), ("", stderr, code));
    }

    /// Asserts that it worked in silence, and reads what it printed as JSON.
    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.ok()).unwrap()
    }
}

/// Every file below a directory with its content, to see whether anything changed.
pub fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![directory.to_owned()];
    while let Some(path) = left.pop() {
        let kind = fs::symlink_metadata(&path).unwrap();
        if kind.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            found.insert(path, Vec::new());
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(path, target.into_os_string().into_encoded_bytes());
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

/// An event file with this type, more frontmatter, and this body.
pub fn event(event_type: &str, header: &str, body: &str) -> String {
    format!("---\ntype: {event_type}\ntimestamp: {TIME}\n{header}---\n{body}")
}

/// A request of the user.
pub fn request(body: &str) -> String {
    event("request", "", body)
}

/// A message of a model.
pub fn message(body: &str) -> String {
    event("message", "model: acme/large\n", body)
}

/// A call of the tool `read` by a model.
pub fn call(id: &str) -> String {
    event("tool-call", &format!("tool: read\nid: {id}\n"), "```json\n{\"path\":\"a\"}\n```\n")
}

/// The durable intent to run a call.
pub fn start(id: &str) -> String {
    format!(
        "id = \"{id}\"\nattempt = 1\n\n[event]\ntype = \"tool-start\"\ntimestamp = \"{TIME}\"\n"
    )
}

/// The result of a call.
pub fn result(id: &str, body: &str) -> String {
    event("tool-result", &format!("id: {id}\n"), body)
}

/// A question about a call.
pub fn question(id: &str, call: &str) -> String {
    let about = format!("id: {id}\nkind: run-tool\ntool: read\ncall: {call}\n");
    event("inquiry-request", &format!("{about}answer:\n  type: boolean\n"), "May I?\n")
}

/// Yes to a question.
pub fn answer(id: &str) -> String {
    let header = format!("id: {id}\noutcome: answered\nanswer_type: boolean\n");
    event("inquiry-response", &header, "true\n")
}

/// What happens to a program at one of its system calls that change something.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub enum Interruption {
    /// It runs to its end.
    None,
    /// It is killed before the call.
    Before(usize),
    /// It is killed after the call.
    After(usize),
    /// The call fails with this error number.
    Fail(usize, i32),
    /// The call waits until the standard input of the watcher ends.
    Hold(usize),
    /// It runs to its end, and what it runs and where it connects to is reported instead.
    Watch,
}

/// Who is interrupted: whose calls count, and who is killed.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub enum Victim {
    /// A program with everything that it starts.
    All,
    /// The process that is started first: whoever is shown a query.
    Client,
    /// The process that it starts: the server of a query.
    Server,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
impl Jp {
    /// A program, about to be run under `tests/helpers/interrupt.c`. The file gets a line for each
    /// call: its name, the process, and the file that it is about.
    pub fn interrupted(
        &self,
        interruption: Interruption,
        report: &Path,
        program: &[&str],
    ) -> Command {
        self.interrupted_in(Victim::All, interruption, report, program)
    }

    /// The same for one of its processes.
    pub fn interrupted_in(
        &self,
        victim: Victim,
        interruption: Interruption,
        report: &Path,
        program: &[&str],
    ) -> Command {
        let whose = match victim {
            Victim::All => "all",
            Victim::Client => "first",
            Victim::Server => "second",
        };
        let (action, at, error) = match interruption {
            Interruption::None => ("count", 0, 0),
            Interruption::Before(at) => ("before", at, 0),
            Interruption::After(at) => ("after", at, 0),
            Interruption::Fail(at, error) => ("fail", at, error),
            Interruption::Hold(at) => ("hold", at, 0),
            Interruption::Watch => ("watch", 0, 0),
        };
        let mut command = self.command(helper("interrupt"));
        command.args([action, &at.to_string(), &error.to_string(), whose]);
        command.arg(report).args(program);
        command
    }

    /// The calls that change something, as a run without interruption makes them.
    pub fn calls(&self, program: &[&str]) -> Vec<String> {
        self.calls_of(Victim::All, program)
    }

    /// The same for one of its processes.
    pub fn calls_of(&self, victim: Victim, program: &[&str]) -> Vec<String> {
        let report = self.world().join("calls");
        let mut command = self.interrupted_in(victim, Interruption::None, &report, program);
        let output = Output::of(&mut command);
        assert_eq!(output.code, 0, "{}", output.stderr);
        fs::read_to_string(&report).unwrap().lines().map(str::to_owned).collect()
    }
}

/// One of `tests/helpers/`, compiled.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn helper(name: &str) -> PathBuf {
    static COMPILED: std::sync::Mutex<BTreeMap<String, PathBuf>> =
        std::sync::Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap();
    let compile = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/helpers").join(name);
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let aside = target.with_extension(std::process::id().to_string());
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-o"]).arg(&aside).arg(source.with_extension("c"));
        let said = Output::from(compiler.output().expect("a C compiler is needed"));
        assert_eq!(said.code, 0, "{}", said.stderr);
        fs::rename(&aside, &target).unwrap();
        target
    };
    compiled.entry(name.to_owned()).or_insert_with(compile).clone()
}

/// A work tree of a conversation, beside the store.
pub fn checkout(jp: &Jp, id: &str) -> Jp {
    let directory = jp.path("checkout");
    jp.git(&["worktree", "add", "-q", directory.to_str().unwrap(), id]);
    jp.at("checkout")
}

/// A file that the user attached.
pub fn attachment() -> String {
    format!("---\ntype: attachment\nsource: a.txt\ntimestamp: {TIME}\n---\nhello\n")
}

/// The addresses of a version.
pub fn addresses(jp: &Jp, id: &str, more: &[&str]) -> Vec<u64> {
    let args = [&["c", "show", id, "--format", "json"][..], more].concat();
    let shown: Value = serde_json::from_str(&jp.run(&args).stdout).unwrap();
    let stream = shown["stream"].as_array().unwrap();
    stream.iter().map(|event| event["address"].as_u64().unwrap()).collect()
}

/// The commands in the hints of what was said, without `jp`.
pub fn hinted(stderr: &str) -> Vec<Vec<String>> {
    let hints = stderr.lines().filter(|line| line.starts_with("Hint: "));
    let commands = hints.filter_map(|hint| hint.split('`').nth(1));
    commands.map(|command| command.split(' ').skip(1).map(str::to_owned).collect()).collect()
}

/// A value without what differs from one run to the next, or tells of an interruption: addresses,
/// times and ids of messages, and remarks of jp.
pub fn without_occasion(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(without_occasion).collect(),
        Value::Object(object) => {
            let occasion = ["addresses", "message_id", "created_at", "metadata"];
            let lasting = object.iter().filter(|(key, _)| !occasion.contains(&key.as_str()));
            lasting.map(|(key, value)| (key.clone(), without_occasion(value))).collect()
        }
        other => other.clone(),
    }
}
