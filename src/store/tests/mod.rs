//! The durable write path below the commands, with git itself as the referee.

mod packs;
mod publish;
mod refs;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use gix::{ObjectId, objs::Kind};

use super::{
    pack::{self, BuiltPack, PackBuilder, merge::MergeReport},
    publish::{PublishError, publish},
    refs::{self as store_refs, Expected, RefName},
};

pub(super) struct Repository {
    _directory: tempfile::TempDir,
    pub(super) path: PathBuf,
}

impl Repository {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let status =
            Command::new("git").args(["init", "-q", "--bare"]).arg(&path).status().unwrap();
        assert!(status.success());
        Self { _directory: directory, path }
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        let out = Command::new("git")
            .arg("-C")
            .arg(&self.path)
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "git {arguments:?}: {text}");
        String::from_utf8(out.stdout).unwrap()
    }

    pub(super) fn append(&self, name: &RefName, text: &str) -> Result<ObjectId, PublishError> {
        let parent = store_refs::read(&self.path, name)?;
        let (pack, commit) = event(parent, text);
        let key = name.as_str().replace('/', "-");
        let expected = parent.map_or(Expected::Absent, Expected::Is);
        publish(&self.path, &key, pack, name, expected, commit).map(|_| commit)
    }

    pub(super) fn assert_clean(&self) {
        self.git(&["fsck", "--strict", "--full", "--no-dangling"]);
        let left: Vec<_> = fs::read_dir(self.path.join("stage")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }

    pub(super) fn listed_by_git(&self) -> Vec<String> {
        let text = self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        text.lines().map(str::to_owned).collect()
    }

    pub(super) fn listed(&self) -> Vec<String> {
        let listed = store_refs::list(&self.path, "refs/").unwrap();
        assert!(listed.problems.is_empty(), "{:?}", listed.problems);
        listed.refs.iter().map(|(name, id)| format!("{name} {id}")).collect()
    }
}

pub(super) fn event(parent: Option<ObjectId>, text: &str) -> (BuiltPack, ObjectId) {
    let mut builder = PackBuilder::new();
    let blob = builder.add(Kind::Blob, text.as_bytes()).unwrap();
    let tree = [b"100644 event.md\0", blob.as_bytes()].concat();
    let tree = builder.add(Kind::Tree, &tree).unwrap();
    let parent = parent.map(|id| format!("parent {id}\n")).unwrap_or_default();
    let who = "jp <jp@localhost> 1700000000 +0000";
    let commit = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{text}\n");
    let commit = builder.add(Kind::Commit, commit.as_bytes()).unwrap();
    (builder.finish().unwrap(), commit)
}

pub(super) fn name(id: &str) -> RefName {
    RefName::new(format!("refs/heads/{id}")).unwrap()
}

pub(super) fn merge(store: &Path) -> MergeReport {
    pack::merge(&store.join("objects"), &store.join("stage")).unwrap()
}
