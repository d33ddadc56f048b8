//! The built-in tools on real files: what they say, what they change, and what they never touch.

mod changes;
mod confinement;
mod ignored;
mod listing;
mod programs;
mod race;
mod reading;

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{Adjusted, tools};
use crate::{
    cancel::Cancel,
    env::Env,
    model::CallId,
    process::Running,
    tool::{Host, Invocation, Outcome, Site, Tool},
};

/// A workspace with files beside it that nobody may touch.
struct Bench {
    directory: tempfile::TempDir,
    vars: Vec<(OsString, OsString)>,
    keys: Vec<String>,
    adjusted: Adjusted,
}

impl Bench {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("workspace")).unwrap();
        fs::write(directory.path().join("outside"), "secret").unwrap();
        let vars = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
        Self { directory, vars, keys: Vec::new(), adjusted: Adjusted::default() }
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("workspace")
    }

    fn outside(&self) -> PathBuf {
        self.directory.path().join("outside")
    }

    /// Makes files of the workspace.
    fn with(self, files: &[(&str, &str)]) -> Self {
        for (path, text) in files {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self
    }

    fn link(self, link: &str, target: impl AsRef<Path>) -> Self {
        std::os::unix::fs::symlink(target, self.root().join(link)).unwrap();
        self
    }

    fn site(&self) -> Arc<Site> {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        Arc::new(Site {
            env: Env::fixed(self.vars.clone(), "/".into(), now),
            workspace: self.root(),
            outputs: self.directory.path().join("outputs"),
            keys: self.keys.clone(),
            running: Running::default(),
            escort: None,
        })
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = tools(&self.site(), &[self.root().join("kept")], |_| self.adjusted.clone());
        tools.into_iter().find(|tool| tool.spec().name.as_str() == name).unwrap()
    }

    /// What a tool says, whether it went well or not.
    fn says(&self, name: &str, arguments: Value) -> String {
        match self.run(name, arguments) {
            Ok(text) | Err(text) => text,
        }
    }

    fn run(&self, name: &str, arguments: Value) -> Result<String, String> {
        run(&*self.tool(name), arguments)
    }

    fn file(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Every name beneath the root.
    fn names(&self) -> Vec<String> {
        fn walk(directory: &Path, root: &Path, names: &mut Vec<String>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                names.push(path.strip_prefix(root).unwrap().display().to_string());
                if path.symlink_metadata().unwrap().is_dir() {
                    walk(&path, root, names);
                }
            }
        }
        let mut names = Vec::new();
        walk(&self.root(), &self.root(), &mut names);
        names.sort();
        names
    }
}

fn run(tool: &dyn Tool, arguments: Value) -> Result<String, String> {
    let text = |body: &crate::model::Body| body.to_text_lossy().into_owned();
    match tool.run(&call(arguments), &Host::alone(&Cancel::new())) {
        Outcome::Success(body) => Ok(text(&body)),
        Outcome::Error(body) => Err(text(&body)),
        Outcome::NeedsInput(question) => panic!("{question:?}"),
    }
}

fn call(arguments: Value) -> Invocation {
    let (id, answers) = (CallId::new("c"), Map::new());
    Invocation { id, arguments, answers, is_resume: false, subject: None, written: None }
}

#[test]
fn every_tool_has_a_valid_schema_and_says_what_it_does() {
    let bench = Bench::new();
    let tools = tools(&bench.site(), &[], |_| Adjusted::default());
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name.to_string()).collect();
    assert_eq!(names, super::NAMES);
    for tool in &tools {
        let spec = tool.spec();
        assert_eq!(crate::tool::Schema::new(spec.parameters.clone()).verify(), Ok(()));
        assert!(spec.description.len() > 100, "{}", spec.name);
    }
    let idempotent: Vec<_> = tools.iter().filter(|tool| tool.is_idempotent()).collect();
    let idempotent: Vec<_> = idempotent.iter().map(|tool| tool.spec().name.as_str()).collect();
    assert_eq!(idempotent, ["fs_list_files", "fs_read_file", "fs_search"]);
}
