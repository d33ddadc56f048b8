//! Nothing outside is read or written, and what belongs to git and jp is left alone.

use std::{
    ffi::OsStr,
    fs,
    io::Read,
    os::unix::ffi::{OsStrExt, OsStringExt},
};

use proptest::prelude::*;
use serde_json::json;

use super::{
    super::{
        path::Inside,
        problem::Problem,
        root::{Root, Way},
    },
    *,
};

fn hostile() -> Bench {
    let bench = Bench::new()
        .with(&[("a/b/f", "inside"), ("a/g", "inside"), (".git/config", "token")])
        .with(&[(".jp/config.toml", "settings"), (".jp/store/HEAD", "kept"), ("kept/x", "kept")])
        .link("inner", "a/b")
        .link("file", "inner/f")
        .link("a/up", "../a/g")
        .link("loop", "loop")
        .link("round", "a/../round")
        .link("out", "../outside")
        .link("far", "/etc")
        .link("a/b/out", "../../../outside")
        .link("hidden", ".git/config")
        .link("secret", "kept")
        .link("dangling", "a/new");
    let absolute = bench.root().join("a");
    bench.link("absolute", absolute)
}

#[test]
fn links_that_stay_inside_are_followed_to_read() {
    let bench = hostile();
    for path in ["file", "inner/f", "a/up", "inner/../a/g"] {
        let read = bench.run("fs_read_file", json!({ "path": path }));
        assert_eq!(read, Ok("inside".to_owned()), "{path}");
    }
    let subject = bench.tool("fs_read_file").subject(&json!({ "path": "./file" }));
    assert_eq!(subject.paths, ["a/b/f"]);
}

#[test]
fn links_that_lead_out_are_not_followed() {
    let bench = hostile();
    for (path, expected) in [
        ("out", "`out` leads out of the workspace, through the symbolic link `out`"),
        ("far/passwd", "`far/passwd` leads out of the workspace, through the symbolic link `far`"),
        (
            "inner/out",
            "`inner/out` leads out of the workspace, through the symbolic link `a/b/out`",
        ),
        (
            "absolute/g",
            "`absolute/g` leads out of the workspace, through the symbolic link `absolute`",
        ),
        ("loop", "`loop` goes round in a circle of symbolic links"),
        ("round/x", "`round/x` goes round in a circle of symbolic links"),
        ("dangling", "there is no `a/new`"),
    ] {
        for name in ["fs_read_file", "fs_list_files"] {
            let said = bench.run(name, json!({ "path": path })).unwrap_err();
            assert_eq!(said, format!("The tool `{name}` did nothing: {expected}."));
        }
    }
}

#[test]
fn no_link_is_followed_to_write() {
    let bench = hostile();
    for (path, link) in [
        ("out", "out"),
        ("far/x", "far"),
        ("inner/f", "inner"),
        ("inner/deep/new", "inner"),
        ("file", "file"),
        ("dangling", "dangling"),
        ("a/b/out", "a/b/out"),
    ] {
        let arguments = json!({ "path": path, "content": "x", "overwrite": true });
        assert_eq!(
            bench.run("fs_create_file", arguments).unwrap_err(),
            format!(
                "The tool `fs_create_file` did nothing: `{path}` cannot be written: `{link}` is a \
                 symbolic link, and none is followed to write."
            )
            .replace("`inner/deep/new` cannot", "`inner/deep` cannot")
            .replace("`inner/f` cannot", "`inner` cannot")
            .replace("`far/x` cannot", "`far` cannot")
        );
    }
    assert_eq!(bench.file("a/b/f"), "inside");
    assert_eq!(fs::read_to_string(bench.outside()).unwrap(), "secret");
    assert!(!bench.root().join("a/new").exists());
}

#[test]
fn what_belongs_to_git_and_jp_is_neither_read_nor_written() {
    let bench = hostile();
    let read = |path: &str| bench.run("fs_read_file", json!({ "path": path }));
    let write = |path: &str| {
        bench.run("fs_create_file", json!({ "path": path, "content": "", "overwrite": true }))
    };
    let off = |path: &str, why: &str| format!("`{path}` is off limits: {why}.");
    let git = "what belongs to git is left to git";
    assert!(read(".git/config").unwrap_err().ends_with(&off(".git/config", git)));
    assert!(read("hidden").unwrap_err().ends_with(&off(".git/config", git)));
    assert!(write("a/.git/hooks/x").unwrap_err().ends_with(&off("a/.git/hooks/x", git)));
    assert!(write(".GIT/x").unwrap_err().ends_with(&off(".GIT/x", git)));
    let jp = "what belongs to jp is left to jp";
    assert_eq!(read(".jp/config.toml"), Ok("settings".to_owned()));
    assert!(write(".jp/config.toml").unwrap_err().ends_with(&off(".jp/config.toml", jp)));
    assert!(read(".jp/store/HEAD").unwrap_err().ends_with(&off(".jp/store/HEAD", jp)));
    let store = "conversations are kept there";
    assert!(read("kept/x").unwrap_err().ends_with(&off("kept/x", store)));
    assert!(read("secret/x").unwrap_err().ends_with(&off("kept/x", store)));
    assert!(write("kept/y").unwrap_err().ends_with(&off("kept/y", store)));
    let listed = bench.says("fs_list_files", json!({}));
    let names = listed.lines().map(|line| line.split(" -> ").next().unwrap());
    let guarded = |name: &str| ["kept", ".git", ".jp"].iter().any(|of| name.starts_with(of));
    assert_eq!(names.filter(|name| guarded(name)).count(), 0, "{listed}");
    let found = bench.says("fs_search", json!({ "pattern": "token|kept|settings|secret" }));
    assert_eq!(found, "[no line matches]\n");
}

#[test]
fn a_path_that_rules_have_looked_at_is_the_one_that_is_opened() {
    let bench = hostile();
    let mut invocation = call(json!({ "path": "file" }));
    let tool = bench.tool("fs_read_file");
    invocation.subject = Some(tool.subject(&invocation.arguments));
    let cancel = Cancel::new();
    assert_eq!(tool.run(&invocation, &Host::alone(&cancel)), Outcome::success("inside"));
    fs::remove_file(bench.root().join("file")).unwrap();
    let _bench = bench.link("file", "a/g");
    assert_eq!(
        tool.run(&invocation, &Host::alone(&cancel)),
        Outcome::error(
            "The tool `fs_read_file` did nothing: `a/b/f` was what was asked for, and now a \
             symbolic link leads to `a/g`: call again."
        )
    );
}

#[test]
fn both_ways_to_open_agree() {
    let bench = hostile();
    fs::create_dir_all(bench.root().join("a/b/c/d")).unwrap();
    let roots = [Way::Kernel, Way::Steps].map(|way| Root::new(&bench.root(), &[]).by(way));
    for path in ["", "a", "a/b/c/d", "inner", "inner/c", "far", "a/g", "a/g/x", "missing/x", "loop"]
    {
        let [kernel, steps] = roots.each_ref().map(|root| {
            let opened = root.open_directory(&root.parse(path).unwrap());
            opened.map(|_| ()).map_err(|problem| problem.to_string())
        });
        assert_eq!(kernel, steps, "{path}");
    }
}

/// Anything that a path can be made of.
fn path() -> impl Strategy<Value = Vec<u8>> {
    let names: Vec<&[u8]> = vec![
        b"a",
        b"b",
        b"f",
        b"g",
        b"inner",
        b"file",
        b"out",
        b"far",
        b"passwd",
        b"up",
        b"loop",
        b"round",
        b"absolute",
        b"hidden",
        b"dangling",
        b".",
        b"..",
        b"",
        b"outside",
        b"workspace",
        b".git",
        b"config",
        b"proc",
        b"self",
        b"root",
        b"etc",
        b"\xff\xfe",
        b"a\0b",
        b"~",
        b"\n",
    ];
    let name = prop::sample::select(names);
    (any::<bool>(), prop::collection::vec(name, 0..8)).prop_map(|(absolute, names)| {
        let mut path = names.join(&b'/');
        if absolute {
            path.insert(0, b'/');
        }
        path
    })
}

#[test]
fn whatever_the_path_only_what_is_inside_is_opened() {
    let bench = hostile();
    let roots = [Way::Kernel, Way::Steps].map(|way| Root::new(&bench.root(), &[]).by(way));
    let real = bench.root().canonicalize().unwrap();
    let mut runner = proptest::test_runner::TestRunner::default();
    let check = |bytes: Vec<u8>| {
        // What a model says is text; other names come from directories and links.
        let folded = match std::str::from_utf8(&bytes) {
            Ok(text) => roots[0].parse(text),
            Err(_) => {
                let path = Path::new(OsStr::from_bytes(&bytes));
                Inside::fold(path.components()).ok_or(Problem::Outside(String::new()))
            }
        };
        let Ok(path) = folded else { return Ok(()) };
        for root in &roots {
            let Ok(resolved) = root.resolve(&path) else { continue };
            let whole = real.join(resolved.as_path());
            if let Ok(canonical) = whole.canonicalize() {
                prop_assert_eq!(&canonical, &whole, "a link is left in it");
                prop_assert!(canonical.starts_with(&real));
            }
            if let Ok((mut file, _)) = root.open_file(&resolved) {
                let mut text = String::new();
                file.read_to_string(&mut text).unwrap();
                let known = ["inside", "token", "settings", "kept", "y"];
                prop_assert!(known.contains(&text.as_str()), "{}", text);
            }
            let before = root.snapshot(&path).ok().flatten();
            if root.replace(&path, before.as_ref(), b"y").is_ok() {
                prop_assert!(path.guarded_from_writing().is_none());
                prop_assert_eq!(fs::read(real.join(path.as_path())).unwrap(), b"y");
            }
        }
        prop_assert_eq!(fs::read_to_string(bench.outside()).unwrap(), "secret");
        Ok(())
    };
    runner.run(&path(), check).unwrap();
    let mut beside: Vec<_> = fs::read_dir(bench.directory.path()).unwrap().collect();
    assert_eq!(beside.drain(..).count(), 2, "only the workspace and the file beside it");
    assert_eq!(bench.file(".git/config"), "token");
}

#[test]
fn names_that_are_no_text_are_listed_and_walked() {
    let bench = Bench::new();
    let odd = std::ffi::OsString::from_vec(b"\xff\n".to_vec());
    fs::create_dir(bench.root().join(&odd)).unwrap();
    fs::write(bench.root().join(&odd).join("f"), "needle").unwrap();
    let listed = bench.says("fs_list_files", json!({}));
    assert_eq!(listed, "\u{fffd}\\n/\n\u{fffd}\\n/f\n");
    let found = bench.says("fs_search", json!({ "pattern": "needle" }));
    assert_eq!(found, "\u{fffd}\\n/f:1:needle\n");
}
