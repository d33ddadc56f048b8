//! The guides do what they say: every `sh` block runs, from the top of the page to its end.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::support::{Jp, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn guides() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs/guides")).unwrap();
    let mut guides: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    guides.sort();
    guides
}

/// The `sh` blocks of a guide, each on its own lines, so that bash names the line of the guide.
fn script(guide: &str) -> String {
    // A title takes the first line.
    let mut script = "set -eu; trap 'echo \"stopped at line $LINENO\" >&2' ERR\n".to_owned();
    let mut inside = false;
    for line in guide.lines().skip(1) {
        match (inside, line) {
            (false, "```sh") => inside = true,
            (true, "```") => inside = false,
            (true, line) => script.push_str(line),
            (false, _) => {}
        }
        script.push('\n');
    }
    script
}

/// A user with nothing but an empty directory, a terminal and `jp`.
fn newcomer() -> Jp {
    let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_jp")).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    Jp::new().with_var("PATH", path).with_var("JP_SESSION", "the terminal of the newcomer")
}

#[test]
fn each_guide_does_what_it_says() {
    let guides = guides();
    assert!(!guides.is_empty());
    let mut wrong = String::new();
    for path in guides {
        let guide = fs::read_to_string(&path).unwrap();
        let jp = newcomer();
        let script = jp.write("../guide.sh", script(&guide));
        let Output { stdout, stderr, code, .. } = Output::of(jp.command("bash").arg(script));
        if code != 0 {
            wrong.push_str(&format!("{}:\n{stdout}\n{stderr}\n", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_guide_is_run_as_it_stands() {
    let guide = "# Title\ntext\n```sh\necho one\nfalse\n```\n```text\nfalse\n```\n";
    let jp = newcomer();
    let path = jp.write("guide.sh", script(guide));
    let run = Output::of(jp.command("bash").arg(path));
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("one\n", "stopped at line 5\n"));
    assert_eq!(run.code, 1);
}

#[test]
fn the_front_page_leads_to_each_guide() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for path in guides() {
        let link = format!("(docs/guides/{})", path.file_name().unwrap().to_str().unwrap());
        assert!(readme.contains(&link), "README.md does not name {link}");
    }
}

#[test]
fn the_contents_of_the_format_name_every_section() {
    let format =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/format.md")).unwrap();
    let (contents, rest) = format.split_once("\n## Versions").unwrap();
    for section in rest.lines().filter_map(|line| line.strip_prefix("## ")) {
        assert!(contents.contains(&format!("[{section}]")), "{section}");
    }
}
