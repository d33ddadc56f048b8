//! What git ignores is neither listed nor searched; git itself is the referee.

use std::{collections::BTreeSet, fs, process::Command};

use serde_json::json;

use super::*;

fn git(directory: &Path, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(words).current_dir(directory).env_clear();
    git.env("PATH", std::env::var_os("PATH").unwrap());
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = git.output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The files that git would take, and those that the tool lists.
fn both(bench: &Bench) -> (BTreeSet<String>, BTreeSet<String>) {
    let words = ["ls-files", "-z", "--others", "--exclude-standard", "--", "."];
    let taken = git(&bench.root(), &words);
    let taken = taken.split_terminator('\0').map(str::to_owned).collect();
    let listed = bench.says("fs_list_files", json!({ "glob": "**" }));
    let listed = listed.lines().filter(|line| !line.starts_with('[')).map(str::to_owned).collect();
    (taken, listed)
}

const FILES: [&str; 24] = [
    ".env",
    "a",
    "b",
    "a.log",
    "build/x",
    "build/keep/x",
    "src/a",
    "src/b.rs",
    "src/build/x",
    "src/deep/a.log",
    "src/deep/c",
    "src/deep/deeper/c",
    "docs/a.md",
    "docs/x/a.md",
    "docs/x/y/a.md",
    "!odd",
    "#odd",
    "with space",
    "y[x]",
    "x1",
    "x2",
    "{a,b}",
    "trailing ",
    "tmp/keep.log",
];

#[test]
fn the_tool_lists_what_git_would_take() {
    let lists = [
        ".env\n*.log\nbuild/\n",
        "/a\n/build\n!src/build\n",
        "*\n!*/\n!*.md\n",
        "src/**/c\ndocs/**\n!docs/a.md\n",
        "docs/*/a.md\n**/deep/*\n",
        "\\!odd\n\\#odd\n# comment\nwith space   \ntrailing\\ \n",
        "y\\[x]\nx[0-1]\n{a,b}\n",
        "x[!1]\nx[^2]\n[[:alpha:]]\n",
        "tmp/*\n!tmp/keep.log\n",
        "build\n!build/keep\n",
        "src\r\nbuild\r\n",
        "\u{feff}a\nb\n",
        "**\n!a\n",
        "*/a\n?\n",
        "src/deep/**/c\n/**/a.md\n",
        "a**\ns**c\n",
    ];
    for list in lists {
        let files: Vec<_> = FILES.iter().map(|path| (*path, "x")).collect();
        let bench = Bench::new().with(&files).with(&[(".gitignore", list)]);
        let bench = bench.with(&[("src/.gitignore", "!b.rs\n/deep/c\n")]);
        git(&bench.root(), &["init", "-q"]);
        fs::write(bench.root().join(".git/info/exclude"), "x2\n").unwrap();
        let (taken, listed) = both(&bench);
        assert_eq!(listed, taken, "{list:?}");
    }
}

#[test]
fn lists_above_the_workspace_and_of_a_worktree_count() {
    let bench =
        Bench::new().with(&[("sub/a", "x"), ("sub/b", "x"), ("sub/c", "x"), ("sub/d", "x")]);
    git(&bench.root(), &["init", "-q"]);
    fs::write(bench.root().join(".gitignore"), "/sub/a\nb\n").unwrap();
    fs::write(bench.root().join(".git/info/exclude"), "/sub/c\n").unwrap();
    let mut inner = Bench::new();
    inner.directory = tempfile::tempdir_in(bench.root()).unwrap();
    fs::rename(bench.root().join("sub"), inner.root()).unwrap();
    let name = inner.directory.path().file_name().unwrap().to_str().unwrap().to_owned();
    let list = format!("/{name}/workspace/a\nb\n");
    fs::write(bench.root().join(".gitignore"), list).unwrap();
    let list = format!("/{name}/workspace/c\n");
    fs::write(bench.root().join(".git/info/exclude"), list).unwrap();
    let listed = inner.says("fs_list_files", json!({}));
    assert_eq!(listed, "d\n[3 entries that git ignores are not listed]\n");

    let worktree = Bench::new();
    fs::remove_dir(worktree.root()).unwrap();
    let identity = ["-c", "user.name=x", "-c", "user.email=x"];
    let commit = [&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat();
    git(&bench.root(), &commit);
    let path = worktree.root();
    git(&bench.root(), &["worktree", "add", "-q", path.to_str().unwrap()]);
    fs::write(bench.root().join(".git/info/exclude"), "c\n").unwrap();
    let worktree = worktree.with(&[("c", "x"), ("d", "x")]);
    let listed = worktree.says("fs_list_files", json!({}));
    assert_eq!(listed, "d\n[1 entry that git ignores is not listed]\n");
}

#[test]
fn ignored_files_are_read_only_when_they_are_named() {
    let bench = Bench::new().with(&[
        (".gitignore", ".env\ntarget/\n"),
        (".env", "TOKEN=1\n"),
        ("target/out.txt", "TOKEN=2\n"),
        ("target/.env", "TOKEN=3\n"),
    ]);
    let search = |arguments| bench.says("fs_search", arguments);
    assert_eq!(search(json!({ "pattern": "TOKEN" })), "[no line matches]\n");
    assert_eq!(search(json!({ "pattern": "TOKEN", "path": ".env" })), ".env:1:TOKEN=1\n");
    let named = search(json!({ "pattern": "TOKEN", "path": "target" }));
    assert_eq!(named, "target/out.txt:1:TOKEN=2\n");
    assert_eq!(bench.says("fs_read_file", json!({ "path": ".env" })), "TOKEN=1\n");
    assert_eq!(
        bench.says("fs_list_files", json!({ "include_ignored": true })),
        ".env\n.gitignore\ntarget/\ntarget/.env\ntarget/out.txt\n"
    );
}

#[test]
fn a_list_that_cannot_be_read_hides_everything_and_a_link_is_none() {
    let bench = Bench::new().with(&[("d/x", ""), ("d/.gitignore", &"\n".repeat((1 << 20) + 1))]);
    let listed = bench.says("fs_list_files", json!({}));
    assert_eq!(listed, "d/\n[2 entries that git ignores are not listed]\n");
    let bench = Bench::new().with(&[("x", ""), ("list", "x\n")]).link(".gitignore", "list");
    assert_eq!(bench.says("fs_list_files", json!({})), ".gitignore -> list\nlist\nx\n");
}
