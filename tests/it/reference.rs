//! What is made from the definition of the command line: the reference, and the man pages.

use std::{fs, path::Path};

use crate::support::{Jp, contents};

#[test]
fn the_reference_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference.md");
    let made = Jp::new().run(&["reference"]).ok();
    let kept = fs::read_to_string(file).unwrap_or_default();
    let difference = made.lines().zip(kept.lines()).find(|(made, kept)| made != kept);
    assert!(
        made == kept,
        "docs/reference.md is out of date: run `cargo run -q -- reference > docs/reference.md`\n\
         the first difference: {difference:?}"
    );
}

#[test]
fn the_reference_names_each_command_that_the_help_names() {
    let jp = Jp::new();
    let made = jp.run(&["reference"]).ok();
    for above in ["", "conversation", "config", "store"] {
        let args: Vec<_> = above.split_whitespace().chain(["--help"]).collect();
        let help = jp.run(&args).ok();
        let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let names = commands.lines().filter_map(|line| line.strip_prefix("  "));
        let names = names.filter(|line| !line.starts_with(' ')).map(|line| {
            let name = line.split_whitespace().next().unwrap();
            format!("jp {above} {name}").replace("  ", " ")
        });
        for name in names.filter(|name| !name.ends_with(" help")) {
            assert!(made.contains(&format!("\n## {name}\n")), "{name}");
        }
    }
    assert!(!made.contains("jp reference\n"), "{made}");
}

#[test]
fn there_is_a_man_page_for_each_command_and_each_run_writes_the_same() {
    let jp = Jp::new();
    let pages = jp.path("new/man1");
    let said = jp.run(&["man", "new/man1"]).ok();
    let written = contents(&pages);
    let count = written.len() - 1;
    assert_eq!(said, format!("{count} man pages written to {}\n", pages.display()));
    for name in ["jp", "jp-init", "jp-conversation", "jp-conversation-append", "jp-store-path"] {
        assert!(written.contains_key(&pages.join(format!("{name}.1"))), "{name}");
    }
    assert!(!written.contains_key(&pages.join("jp-reference.1")));
    jp.run(&["man", "new/man1"]).ok();
    assert!(contents(&pages) == written);

    let page = fs::read_to_string(pages.join("jp-conversation-append.1")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let title = format!(".TH jp-conversation-append 1 \" \" \"jp {version}\" \"jp manual\"\n");
    assert!(page.contains(&title), "{page}");
    let synopsis = "\\fBjp conversation append\\fR [OPTIONS] \\-\\-new <FILE>...\n";
    assert!(page.contains(synopsis), "{page}");
}

#[test]
fn man_pages_that_cannot_be_written_are_named() {
    let jp = Jp::new();
    let file = jp.write("file", "");
    let error = format!("error: cannot create directory `{}`: File exists\n", file.display());
    jp.run(&["man", "file"]).fails(1, &error);
}
