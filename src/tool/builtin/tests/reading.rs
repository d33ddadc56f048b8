//! `fs_read_file`: text to the byte, and words for everything else.

use std::fs;

use serde_json::json;

use super::*;

fn read(bench: &Bench, path: &str) -> String {
    bench.says("fs_read_file", json!({ "path": path }))
}

#[test]
fn a_file_is_returned_to_the_byte() {
    for text in ["", "a", "a\n", "a\r\nb\r\n", "\u{feff}größe\n\n", "\x1b[31m\n", "\r"] {
        let bench = Bench::new().with(&[("d/f", text)]);
        assert_eq!(read(&bench, "d/f"), text, "{text:?}");
        let absolute = bench.root().join("x/../d/f");
        assert_eq!(read(&bench, absolute.to_str().unwrap()), text);
    }
    let bench = Bench::new();
    fs::write(bench.root().join("latin"), b"caf\xe9 is not UTF-8").unwrap();
    let expected = b"caf\xe9 is not UTF-8\n\
        [some bytes are not UTF-8 and are shown as replacement characters]\n";
    let cancel = Cancel::new();
    let tool = bench.tool("fs_read_file");
    let outcome = tool.run(&call(json!({ "path": "latin" })), &Host::alone(&cancel));
    assert_eq!(outcome, Outcome::success(expected.to_vec()));
}

#[test]
fn lines_are_returned_as_wanted() {
    let bench = Bench::new().with(&[("f", "1\n2\n3\n4\n5")]);
    let part = |first: u64, lines: u64| {
        let arguments = json!({ "path": "f", "first_line": first, "lines": lines });
        bench.says("fs_read_file", arguments)
    };
    assert_eq!(part(2, 2), "2\n3\n[lines 2 to 3 are shown; `f` has 5 lines and 9 bytes]\n");
    assert_eq!(part(5, 1), "5\n[lines 5 to 5 are shown; `f` has 5 lines and 9 bytes]\n");
    assert_eq!(part(1, 5), "1\n2\n3\n4\n5");
    assert_eq!(part(1, 99), "1\n2\n3\n4\n5");
    assert_eq!(part(6, 1), "The tool `fs_read_file` did nothing: `f` has only 5 lines.");
}

#[test]
fn a_huge_file_is_given_in_parts_that_say_how_to_go_on() {
    let mut bench = Bench::new();
    bench.adjusted.output_limit = Some(10);
    let bench = bench.with(&[("f", "1234\n5678\n9\n"), ("long", "€€€€€\nx\n")]);
    assert_eq!(
        read(&bench, "f"),
        "1234\n5678\n\
         [lines 1 to 2 are shown; go on with `first_line` 3; `f` has 3 lines and 12 bytes]\n"
    );
    assert_eq!(
        bench.says("fs_read_file", json!({ "path": "f", "first_line": 3 })),
        "9\n[lines 3 to 3 are shown; `f` has 3 lines and 12 bytes]\n"
    );
    assert_eq!(
        read(&bench, "long"),
        "€€€\n[only the first 9 bytes of line 1 are shown; the next line is `first_line` 2; \
         `long` has 2 lines and 18 bytes]\n"
    );
    let file = fs::File::create(bench.root().join("sparse")).unwrap();
    std::io::Write::write_all(&mut &file, "text\n".repeat(2000).as_bytes()).unwrap();
    file.set_len(1 << 40).unwrap();
    assert_eq!(
        read(&bench, "sparse"),
        "text\ntext\n[lines 1 to 2 are shown; go on with `first_line` 3; `sparse` has \
         1099511627776 bytes, too many to count its lines]\n"
    );
}

#[test]
fn a_binary_file_is_described() {
    let bench = Bench::new();
    fs::write(bench.root().join("x.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    assert_eq!(
        read(&bench, "x.png"),
        "[`x.png` is a binary file of 10 bytes, a PNG image; it is not shown]"
    );
}

#[test]
fn what_is_no_file_is_never_opened() {
    let bench = Bench::new().with(&[("d/f", "")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        bench.root().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.root().join("socket")).unwrap();
    for (path, expected) in [
        ("pipe", "`pipe` is a pipe, and only files are opened"),
        ("socket", "`socket` is a socket, and only files are opened"),
        ("d", "`d` is a directory"),
        (".", "`.` is a directory"),
        ("missing", "there is no `missing`"),
        ("d/f/x", "`d/f` is not a directory"),
    ] {
        let expected = format!("The tool `fs_read_file` did nothing: {expected}.");
        assert_eq!(read(&bench, path), expected);
    }
}

#[test]
fn wrong_arguments_are_told_before_anything_is_opened() {
    let bench = Bench::new();
    let tool = bench.tool("fs_read_file");
    assert_eq!(
        tool.check(&json!({ "file": "x", "first_line": 0 })).unwrap_err(),
        "The tool `fs_read_file` was not run: its arguments are wrong.\n\
         - `first_line`: the value is less than the minimum of 1, got 0\n\
         - `file` is unknown\n- `path` is missing"
    );
    assert_eq!(
        tool.check(&json!({ "path": "../outside" })).unwrap_err(),
        "The tool `fs_read_file` was not run: `../outside` is outside of the workspace."
    );
}
