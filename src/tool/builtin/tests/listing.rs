//! `fs_list_files` and `fs_search`: what is there, and what is said to be missing.

use std::fs;

use serde_json::json;

use super::*;

fn project() -> Bench {
    Bench::new()
        .with(&[
            ("Cargo.toml", "[package]\n"),
            ("src/lib.rs", "mod a;\n// Needle\n"),
            ("src/a/mod.rs", "fn needle() {\n    needle()\r\n}\n"),
            ("docs/x.md", "a needle in hay"),
            (".github/ci.yml", "run: it\n"),
        ])
        .link("latest", "docs/x.md")
}

#[test]
fn files_are_listed_with_directories_and_links() {
    let bench = project();
    assert_eq!(
        bench.says("fs_list_files", json!({})),
        ".github/\n.github/ci.yml\nCargo.toml\ndocs/\ndocs/x.md\nlatest -> docs/x.md\nsrc/\nsrc/a/\n\
         src/a/mod.rs\nsrc/lib.rs\n"
    );
    let list = |arguments| bench.says("fs_list_files", arguments);
    assert_eq!(list(json!({ "path": "src", "depth": 1 })), "src/a/\nsrc/lib.rs\n");
    assert_eq!(list(json!({ "glob": "*.rs" })), "src/a/mod.rs\nsrc/lib.rs\n");
    assert_eq!(list(json!({ "path": "src", "glob": "a/*.rs" })), "src/a/mod.rs\n");
    assert_eq!(list(json!({ "glob": "*.py" })), "[nothing to list in `.`]\n");
    assert_eq!(
        list(json!({ "path": "Cargo.toml" })),
        "The tool `fs_list_files` did nothing: `Cargo.toml` is not a directory."
    );
    let wrong = bench.tool("fs_list_files").check(&json!({ "glob": "a[" })).unwrap_err();
    assert!(wrong.contains("`a[` is not a pattern of files: "), "{wrong}");
}

#[test]
fn too_many_entries_are_cut_by_their_depth() {
    let bench = Bench::new();
    fs::create_dir_all(bench.root().join("d/e")).unwrap();
    for n in 0..999 {
        fs::write(bench.root().join(format!("d/e/{n}")), "").unwrap();
    }
    assert_eq!(
        bench.says("fs_list_files", json!({})),
        "d/\nd/e/\n[999 entries are left out, all that are more than 2 levels down]\n"
    );
    let listed = bench.says("fs_list_files", json!({ "path": "d" }));
    assert_eq!(listed.lines().count(), 1000);
    fs::write(bench.root().join("d/e/x"), "").unwrap();
    fs::write(bench.root().join("d/e/y"), "").unwrap();
    let listed = bench.says("fs_list_files", json!({ "path": "d/e" }));
    assert_eq!(listed.lines().count(), 1001);
    assert!(listed.ends_with("\n[1 entry is left out]\n"), "{listed}");
}

#[test]
fn lines_are_found_in_text_files() {
    let bench = project();
    fs::write(bench.root().join("binary"), b"needle\0").unwrap();
    let search = |arguments| bench.says("fs_search", arguments);
    assert_eq!(
        search(json!({ "pattern": "needle" })),
        "docs/x.md:1:a needle in hay\nsrc/a/mod.rs:1:fn needle() {\nsrc/a/mod.rs:2:    needle()\n"
    );
    assert_eq!(
        search(json!({ "pattern": "^// needle$", "ignore_case": true, "context": 1 })),
        "src/lib.rs-1-mod a;\nsrc/lib.rs:2:// Needle\n"
    );
    assert_eq!(
        search(json!({ "pattern": "needle()", "literal": true, "glob": "*.rs" })),
        "src/a/mod.rs:1:fn needle() {\nsrc/a/mod.rs:2:    needle()\n"
    );
    assert_eq!(
        search(json!({ "pattern": "needle\\(\\)$", "path": "src/a/mod.rs" })),
        "src/a/mod.rs:2:    needle()\n"
    );
    assert_eq!(
        search(json!({ "pattern": "needle", "path": "latest" })),
        "docs/x.md:1:a needle in hay\n"
    );
    let wrong = bench.tool("fs_search").check(&json!({ "pattern": "a(" })).unwrap_err();
    assert!(wrong.contains("`a(` is not a regular expression, and `literal`"), "{wrong}");
}

#[test]
fn large_files_and_too_many_matches_are_told_of() {
    let bench = Bench::new();
    fs::write(bench.root().join("many"), "x\n".repeat(600)).unwrap();
    let large = "x".repeat(1 << 20) + "\n";
    fs::write(bench.root().join("large"), large.repeat(17)).unwrap();
    let found = bench.says("fs_search", json!({ "pattern": "x" }));
    assert_eq!(found.lines().count(), 501);
    assert!(
        found.ends_with(
            "\n[500 of 600 matching lines are shown, from 1 of 1 files; narrow the search to see \
             others; 1 file is larger than 16777216 bytes and not searched]\n"
        ),
        "{}",
        found.lines().last().unwrap()
    );
}

#[test]
fn a_cancelled_search_ends() {
    let bench = project();
    let cancel = Cancel::new();
    cancel.cancel();
    let outcome =
        bench.tool("fs_search").run(&call(json!({ "pattern": "x" })), &Host::alone(&cancel));
    assert_eq!(outcome, Outcome::error("The tool `fs_search` did nothing: it was cancelled."));
}
