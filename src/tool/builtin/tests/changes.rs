//! Files that are made and changed: all of it or nothing.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;

use super::*;

fn replace(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "replacements": [{ "old_text": old, "new_text": new }] })
}

#[test]
fn a_file_is_made_with_its_directories() {
    let bench = Bench::new();
    let made = bench.says("fs_create_file", json!({ "path": "a/b/c", "content": "x\r\ny" }));
    assert_eq!(made, "Created `a/b/c` with 2 lines and 4 bytes.");
    assert_eq!(bench.file("a/b/c"), "x\r\ny");
    assert_eq!(bench.names(), ["a", "a/b", "a/b/c"]);
}

#[test]
fn a_file_that_is_there_is_overwritten_only_if_that_is_said() {
    let bench = Bench::new().with(&[("f", "old")]);
    let create = |overwrite: bool| {
        let arguments = json!({ "path": "f", "content": "new\n", "overwrite": overwrite });
        bench.says("fs_create_file", arguments)
    };
    assert_eq!(
        create(false),
        "The tool `fs_create_file` did nothing: `f` exists already; set `overwrite` to replace all \
         of it, or change a part of it."
    );
    assert_eq!(bench.file("f"), "old");
    assert_eq!(create(true), "Replaced all of `f`, which now has 1 line and 4 bytes.");
    assert_eq!((bench.file("f"), bench.names()), ("new\n".to_owned(), vec!["f".to_owned()]));
}

#[test]
fn texts_are_replaced_and_the_change_is_shown() {
    let bench = Bench::new().with(&[("f", "one\r\ntwo\r\nthree")]);
    assert_eq!(
        bench.says("fs_modify_file", replace("f", "two", "2")),
        "Replaced 1 text in `f`.\n\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n \
         three\n\\ No newline at end of file\n"
    );
    assert_eq!(bench.file("f"), "one\r\n2\r\nthree");
}

#[test]
fn several_replacements_are_all_made_or_none() {
    let bench = Bench::new().with(&[("f", "a b c")]);
    let replacements = json!([
        { "old_text": "a", "new_text": "x" },
        { "old_text": "missing", "new_text": "y" },
    ]);
    assert_eq!(
        bench.says("fs_modify_file", json!({ "path": "f", "replacements": replacements })),
        "The tool `fs_modify_file` did nothing: `old_text` of replacement 2 does not occur in `f`; \
         read the file again."
    );
    assert_eq!(bench.file("f"), "a b c");
}

#[test]
fn a_patch_applies_as_a_whole_or_not_at_all() {
    let bench = Bench::new().with(&[("f", "a\nb\nc\n")]);
    let patch = |text: &str| bench.says("fs_patch_file", json!({ "path": "f", "patch": text }));
    let wrong = patch("@@ -1 +1 @@\n-a\n+x\n@@ -3 +3 @@\n-q\n+y\n");
    assert_eq!(
        wrong,
        "The tool `fs_patch_file` did nothing: the patch cannot be applied: hunk 2 does not fit: \
         line 3 is \"c\", not \"q\"."
    );
    assert_eq!(bench.file("f"), "a\nb\nc\n");
    let right = patch("--- a/f\n+++ b/f\n@@ -2,2 +2,2 @@\n b\n-c\n+d\n");
    assert_eq!(right, "Patched `f`.\n\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n b\n-c\n+d\n");
    assert_eq!(bench.file("f"), "a\nb\nd\n");
    let unread = bench.tool("fs_patch_file").check(&json!({ "path": "f", "patch": "nonsense" }));
    assert!(unread.unwrap_err().starts_with("The tool `fs_patch_file` was not run: the patch"));
}

#[test]
fn a_preview_shows_the_change_and_makes_none() {
    let bench = Bench::new().with(&[("f", "a\n")]);
    let preview = |name: &str, arguments| bench.tool(name).preview(&arguments).unwrap();
    assert_eq!(
        preview("fs_modify_file", replace("f", "a", "b")),
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    );
    assert_eq!(
        preview("fs_patch_file", json!({ "path": "f", "patch": "@@ -1 +1 @@\n-a\n+b\n" })),
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    );
    assert_eq!(
        preview("fs_create_file", json!({ "path": "n/g", "content": "x\n" })),
        "--- /dev/null\n+++ b/n/g\n@@ -0,0 +1 @@\n+x\n"
    );
    assert_eq!(
        preview("fs_modify_file", replace("f", "q", "b")),
        "Nothing would be changed: `old_text` does not occur in `f`; read the file again.\n"
    );
    assert_eq!(bench.names(), ["f"]);
    assert_eq!(bench.file("f"), "a\n");
    assert_eq!(bench.tool("fs_read_file").preview(&json!({ "path": "f" })), None);
}

#[test]
fn a_file_that_is_not_what_was_shown_is_left_as_it_is() {
    let bench = Bench::new().with(&[("f", "a\n")]);
    let tool = bench.tool("fs_modify_file");
    let arguments = replace("f", "a", "b");
    tool.preview(&arguments).unwrap();
    fs::write(bench.root().join("f"), "new\na\n").unwrap();
    assert_eq!(
        run(&*tool, arguments.clone()).unwrap_err(),
        "The tool `fs_modify_file` did nothing: `f` is not what it was when the change was shown, \
         and was left as it is: read it again."
    );
    assert_eq!(bench.file("f"), "new\na\n");
    tool.preview(&arguments).unwrap();
    assert!(run(&*tool, arguments).is_ok());
}

#[test]
fn a_file_that_is_not_what_was_read_is_left_as_it_is() {
    let bench = Bench::new().with(&[("f", "a")]);
    let root = super::super::root::Root::new(&bench.root(), &[]);
    let path = root.parse("f").unwrap();
    let before = root.snapshot(&path).unwrap();
    let replace = || root.replace(&path, before.as_ref(), b"ours").map_err(|p| p.to_string());
    let changed = "`f` was changed by somebody else at the same time, and was left as it is: read \
                   it again";
    fs::write(bench.root().join("f"), "b").unwrap();
    assert_eq!(replace(), Err(changed.to_owned()));
    fs::write(bench.root().join("g"), "a").unwrap();
    fs::rename(bench.root().join("g"), bench.root().join("f")).unwrap();
    assert_eq!(replace(), Err(changed.to_owned()), "the same contents in another file");
    fs::remove_file(bench.root().join("f")).unwrap();
    assert_eq!(replace(), Err(changed.to_owned()));
    let fresh = root.snapshot(&path).unwrap();
    assert!(fresh.is_none());
    fs::write(bench.root().join("f"), "theirs").unwrap();
    let made = root.replace(&path, None, b"ours").map_err(|problem| problem.to_string());
    assert_eq!(made, Err(changed.to_owned()));
    assert_eq!((bench.file("f"), bench.names()), ("theirs".to_owned(), vec!["f".to_owned()]));
}

#[test]
fn the_permission_bits_of_a_file_are_kept() {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let bench = Bench::new();
    for (given, kept) in [(0o755, 0o755), (0o600, 0o600), (0o644, 0o644), (0o4755, 0o755)] {
        let path = bench.root().join("f");
        fs::write(&path, "a").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(given)).unwrap();
        bench.run("fs_modify_file", replace("f", "a", "b")).unwrap();
        assert_eq!((bench.file("f").as_str(), mode(&path)), ("b", kept));
    }
}

#[test]
fn a_second_name_of_a_file_outside_keeps_its_contents() {
    let bench = Bench::new();
    fs::hard_link(bench.outside(), bench.root().join("f")).unwrap();
    bench.run("fs_modify_file", replace("f", "secret", "x")).unwrap();
    assert_eq!(fs::read_to_string(bench.outside()).unwrap(), "secret");
    assert_eq!(bench.file("f"), "x");
}

#[test]
fn a_file_that_is_too_large_to_be_changed_is_refused() {
    let bench = Bench::new();
    let file = fs::File::create(bench.root().join("f")).unwrap();
    file.set_len((16 << 20) + 1).unwrap();
    assert_eq!(
        bench.says("fs_modify_file", replace("f", "a", "b")),
        "The tool `fs_modify_file` did nothing: `f` has 16777217 bytes, and this tool changes files \
         of up to 16777216."
    );
}
