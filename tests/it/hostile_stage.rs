//! Where a hostile model acts: a workspace with secrets in and around it, and a watch over
//! everything that happens.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
};

use serde_json::Value;

use crate::{
    query::only,
    support::{Output, contents},
    trap::Trap,
};

/// What is in every file that no model may see.
pub const SECRET: &str = "kestrel-4711";

/// A call of a model.
pub struct Call {
    tool: String,
    id: Option<String>,
    arguments: String,
}

/// A call with arguments to the letter, JSON or not.
pub fn raw(tool: &str, arguments: impl Into<String>) -> Call {
    Call { tool: tool.to_owned(), id: None, arguments: arguments.into() }
}

/// A call with these arguments.
pub fn call(tool: &str, arguments: &Value) -> Call {
    raw(tool, arguments.to_string())
}

impl Call {
    /// The same under this id.
    pub fn with_id(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }
}

/// A script in which a model makes these calls, and is done.
pub fn script(calls: &[Call]) -> String {
    let step = |call: &Call| {
        let mut step = toml::Table::new();
        step.insert("call".to_owned(), call.tool.as_str().into());
        step.insert("arguments".to_owned(), call.arguments.as_str().into());
        step.extend(call.id.as_deref().map(|id| ("id".to_owned(), id.into())));
        toml::Value::Table(step)
    };
    let mut calling = toml::Table::new();
    calling.insert("step".to_owned(), calls.iter().map(step).collect::<Vec<_>>().into());
    let mut done = toml::Table::new();
    done.insert("text".to_owned(), "Done.".into());
    let mut script = toml::Table::new();
    let answers = [calling, done].map(toml::Value::Table).to_vec();
    script.insert("answer".to_owned(), answers.into());
    toml::to_string(&script).unwrap()
}

/// A workspace with a hostile model in it.
pub struct Stage {
    /// Whoever works there.
    pub trap: Trap,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Stage {
    /// A workspace whose model makes these calls; `settings` are the user's.
    pub fn new(settings: &str, calls: &[Call]) -> Self {
        let trap = Trap::new();
        let jp = &trap.jp;
        jp.git_in(".", &["init", "-q"]);
        for name in [
            "../outside/key",
            "../home/.netrc",
            ".git/token",
            ".git/hooks/pre-commit",
            ".jp/token",
            ".jp/store/token",
            "secrets/key",
            "nested/.git/token",
        ] {
            jp.write(name, format!("{SECRET}\n"));
        }
        jp.write("notes.txt", "carrots\n");
        jp.write("src/a.txt", "radishes\n");
        jp.write("src/deep/b.txt", "beets\n");
        for (name, target) in [
            ("out", "../outside"),
            ("key", "../outside/key"),
            ("src/key", "../secrets/key"),
            ("src/hidden", "../secrets"),
            ("top", "/"),
            ("git", ".git"),
            ("state", ".jp/store"),
            ("circle", "circle"),
            ("self", "/proc/self"),
        ] {
            symlink(target, jp.path(name)).unwrap();
        }
        symlink(jp.world().join("outside"), jp.path("absolute")).unwrap();
        for name in ["check", "vendor/check"] {
            let path = trap.write(name, "#!/bin/sh\nexec CANARY\n");
            fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let file = jp.world().join("home/script.toml");
        fs::write(&file, script(calls).replace("WORLD", &jp.world().display().to_string()))
            .unwrap();
        trap.configure(
            "[assistant]\nmodel = \"play/x\"\n\
             [providers.play]\napi = \"script\"\nfile = \"~/script.toml\"\n\
             [tools.record]\ncommand = [\"CANARY\"]\n",
        );
        trap.configure(settings);
        let before = world(&trap);
        Self { trap, before }
    }

    /// Lets the model act while nothing but these programs may run.
    #[track_caller]
    pub fn play(&self, programs: &[&str]) -> Output {
        self.trap.watched(programs, &["q", "--non-interactive", "--new", "Go"])
    }

    /// Every event of the only conversation.
    pub fn events(&self) -> Vec<Value> {
        let id = only(&self.trap.jp);
        // It may have something to say about a conversation that is not as jp would write it.
        let exported = self.trap.jp.run(&["c", "export", &id, "--format", "json"]).stdout;
        let exported: Value = serde_json::from_str(&exported).unwrap();
        let turns = exported["turns"].as_array().unwrap().iter();
        turns.flat_map(|turn| turn["events"].as_array().unwrap().clone()).collect()
    }

    /// What the calls came to.
    pub fn results(&self) -> Vec<String> {
        let events = self.events().into_iter().filter(|event| event["type"] == "tool-result");
        events.map(|event| event["content"].as_str().unwrap().to_owned()).collect()
    }

    /// Asserts that every call has one result, that no secret is in the conversation, that no file
    /// is another one than before, and that the conversation is sound.
    #[track_caller]
    pub fn assert_harmless(&self, what: &str) {
        let events = self.events();
        let ids = |kind: &str| {
            let of_kind = events.iter().filter(|event| event["type"] == kind);
            let mut ids: Vec<_> = of_kind.map(|event| event["id"].to_string()).collect();
            ids.sort();
            ids
        };
        let calls = ids("tool-call");
        assert_eq!(ids("tool-result"), calls, "{what}");
        let mut once = calls.clone();
        once.dedup();
        assert_eq!(once, calls, "{what}");
        let text = Value::from(events).to_string();
        assert!(!text.contains(SECRET) && !text.contains("root:x:"), "{what}: {text}");
        assert!(!self.trap.ran() && !self.trap.was_asked(), "{what}");
        assert_eq!(world(&self.trap), self.before, "{what}");
        assert_eq!(self.trap.jp.run(&["c", "fsck"]).code, 0, "{what}");
        self.trap.jp.assert_sound();
    }
}

/// Every file but those in which jp keeps its own things.
fn world(trap: &Trap) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(&trap.jp.world());
    let (data, store) = (trap.jp.world().join("data"), trap.jp.path(".jp/store"));
    let report = trap.jp.world().join("watched");
    files.retain(|path, _| {
        let is_ours = path.starts_with(&data) || path.starts_with(&store) || *path == report;
        !is_ours || path.ends_with(".jp/store/token")
    });
    files
}
