//! The house rules that a compiler does not know: who may import whom, and how long a file may be.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Which modules of the library each module may name. `docs/architecture.md` says why.
const MAY_IMPORT: [(&str, &[&str]); 23] = [
    ("model", &[]),
    ("format", &["model"]),
    ("plan", &["model", "format"]),
    ("projection", &["model"]),
    ("config", &["model"]),
    ("cancel", &[]),
    ("env", &["model"]),
    ("fsutil", &[]),
    ("process", &["cancel", "env", "fsutil"]),
    ("walk", &["fsutil"]),
    ("store", &["model", "format", "plan", "env", "fsutil", "process"]),
    ("workspace", &["model", "format", "plan", "config", "env", "fsutil", "store"]),
    ("history", &["model", "format", "plan", "env", "store", "workspace"]),
    ("search", &["model", "format", "plan", "store", "workspace"]),
    (
        "edit",
        &["model", "format", "plan", "config", "env", "fsutil", "process", "store", "workspace"],
    ),
    ("provider", &["model", "projection", "config", "cancel", "env", "process"]),
    ("attach", &["model", "projection", "env", "fsutil", "provider", "walk"]),
    ("tool", &["model", "config", "cancel", "env", "fsutil", "process", "provider"]),
    ("turn", &["model", "projection", "cancel", "provider", "tool"]),
    (
        "serve",
        &[
            "model",
            "format",
            "config",
            "cancel",
            "env",
            "fsutil",
            "process",
            "store",
            "workspace",
            "provider",
            "tool",
            "turn",
        ],
    ),
    ("ui", &["model", "env", "process"]),
    (
        "cli",
        &[
            "model",
            "format",
            "plan",
            "projection",
            "config",
            "cancel",
            "env",
            "fsutil",
            "process",
            "walk",
            "store",
            "workspace",
            "history",
            "search",
            "edit",
            "provider",
            "attach",
            "tool",
            "turn",
            "serve",
            "ui",
        ],
    ),
    ("main", &[]),
];

/// Crates that only one module may name.
const ONLY_IN: [(&str, &str); 12] = [
    ("gix", "store"),
    ("ureq", "provider"),
    ("clap", "cli"),
    ("clap_complete", "cli"),
    ("clap_mangen", "cli"),
    ("schemars", "format"),
    ("regex_syntax", "search"),
    ("toml_edit", "config"),
    ("rmcp", "tool/mcp"),
    ("tokio", "tool/mcp"),
    ("futures_core", "tool/mcp"),
    ("sse_stream", "tool/mcp"),
];

/// Modules that neither read nor write nor ask for the time.
const PURE: [&str; 5] = ["model", "format", "plan", "projection", "config"];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of the library, each with the module at the top that it belongs to.
fn library() -> Vec<(String, PathBuf, String)> {
    let source = root().join("src");
    let files = sources(&source).into_iter().filter(|path| !path.ends_with("lib.rs"));
    files
        .map(|path| {
            let inside = path.strip_prefix(&source).unwrap();
            let first = inside.iter().next().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&path).unwrap();
            (first.trim_end_matches(".rs").to_owned(), path.clone(), text)
        })
        .collect()
}

/// The modules of the library that a text names after `crate::`, also in braces.
fn named_modules(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in text.split("crate::").skip(1) {
        let word = |text: &str| -> String {
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut start = 0;
            for (index, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => {
                        names.insert(word(&group[start..index]));
                        break;
                    }
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        names.insert(word(&group[start..index]));
                        start = index + 1;
                    }
                    _ => {}
                }
            }
        } else {
            names.insert(word(rest));
        }
    }
    names.remove("");
    names
}

#[test]
fn imports_point_downward() {
    let allowed: BTreeMap<_, _> = MAY_IMPORT.into_iter().collect();
    let mut wrong = Vec::new();
    for (module, path, text) in library() {
        let Some(may) = allowed.get(module.as_str()) else {
            wrong.push(format!("{module} is not in the table"));
            continue;
        };
        for name in named_modules(&text) {
            if name != module && !may.contains(&name.as_str()) {
                wrong.push(format!("{}: {module} may not import {name}", path.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_import_table_is_read_from_every_form_of_import() {
    let text = "use crate::{\n    format::{Flaw, x},\n    model,\n};\nlet y = crate::store::z();";
    let found: Vec<_> = named_modules(text).into_iter().collect();
    assert_eq!(found, ["format", "model", "store"]);
}

#[test]
fn each_foreign_crate_has_one_home() {
    let mut wrong = Vec::new();
    for (module, path, text) in library() {
        for (name, home) in ONLY_IN {
            // Types of the model that appear in headers, settings and messages carry their schema
            // themselves.
            let carries = ["model", "config", "serve"].contains(&module.as_str());
            let names_itself = name == "schemars" && carries;
            let is_home = path.starts_with(root().join("src").join(home)) || module == home;
            if !is_home && !names_itself && text.contains(&format!("{name}::")) {
                wrong.push(format!("{}: only {home} may name {name}", path.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn pure_modules_do_no_io_and_read_no_clock() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "SystemTime",
        "Instant::now",
        "std::io::std",
    ];
    let mut wrong = Vec::new();
    for (module, path, text) in library() {
        let is_test = path.iter().any(|part| part == "tests.rs" || part == "tests");
        if !PURE.contains(&module.as_str()) || is_test {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for name in forbidden.iter().filter(|name| code.contains(**name)) {
            wrong.push(format!("{}: {module} is pure and may not name {name}", path.display()));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_ui_and_cli_write_to_a_terminal() {
    let mut wrong = Vec::new();
    for (module, path, text) in library() {
        let writes = ["io::stdout", "io::stderr", "println!", "eprintln!", "/dev/tty"];
        let named = writes.iter().filter(|name| text.contains(**name));
        if module != "ui" && module != "cli" {
            wrong.extend(named.map(|name| format!("{}: names {name}", path.display())));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    let mut wrong = Vec::new();
    let mut lengths = Vec::new();
    for directory in ["src", "tests", "benches"] {
        for path in sources(&root().join(directory)) {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().count();
            lengths.push(lines);
            if lines > 800 {
                wrong.push(format!("{}: {lines} lines, at most 800", path.display()));
            }
            let is_test = path.iter().any(|part| part == "tests.rs" || part == "tests");
            if !text.starts_with("//!") && !is_test {
                wrong.push(format!("{}: does not open with what it is for", path.display()));
            }
        }
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= 150, "the median file has {median} lines, at most 150");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn no_test_is_ignored_and_nothing_is_left_to_do() {
    let mut wrong = Vec::new();
    for directory in ["src", "tests", "benches"] {
        for path in sources(&root().join(directory)) {
            if path.ends_with("tests/it/tidiness.rs") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for mark in ["#[ignore", "todo!(", "unimplemented!(", "FIXME", "XXX"] {
                if text.contains(mark) {
                    wrong.push(format!("{}: {mark}", path.display()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
