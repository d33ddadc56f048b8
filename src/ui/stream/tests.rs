use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{
    super::{Style, render},
    StreamRenderer,
};

fn whole(text: &str) -> String {
    let mut out = String::new();
    render(text, Style::COLOUR, 40, &mut out);
    out
}

/// What comes out for a text in these pieces, each on its own.
fn outputs(pieces: &[&str]) -> Vec<String> {
    let mut renderer = StreamRenderer::new(Style::COLOUR, 40);
    let mut outputs = Vec::new();
    for piece in pieces {
        let mut out = Vec::new();
        renderer.push(piece, &mut out).unwrap();
        outputs.push(String::from_utf8(out).unwrap());
    }
    let mut out = Vec::new();
    renderer.finish(&mut out).unwrap();
    outputs.push(String::from_utf8(out).unwrap());
    outputs
}

fn streamed(pieces: &[&str]) -> String {
    outputs(pieces).concat()
}

/// What has been written after each line.
fn after_each_line(text: &str) -> Vec<String> {
    outputs(&text.split_inclusive('\n').collect::<Vec<_>>())
}

#[test]
fn a_block_is_written_when_its_last_line_is_there() {
    let text = "# One\nTwo\nthree\n\n- a\n- b\n  c\n\nEnd\n";
    assert_eq!(
        after_each_line(text).iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "\u{1b}[1;35m#\u{1b}[0m \u{1b}[1;35mOne\u{1b}[0m\n",
            "",
            "",
            "\nTwo three\n",
            "",
            "\n• a\n",
            "",
            "",
            "• b c\n",
            "\nEnd\n",
        ]
    );
}

#[test]
fn code_is_written_line_by_line() {
    let text = "Look:\n```rust\nfn a() {\n}\n```\nDone\n\n";
    assert_eq!(
        after_each_line(text).iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "",
            "Look:\n\n    \u{1b}[2m[rust]\u{1b}[0m\n",
            "    fn a() {\n",
            "    }\n",
            "",
            "",
            "\nDone\n",
            ""
        ]
    );
}

#[test]
fn a_table_is_written_when_it_ends() {
    let text = "|a|b|\n|-|-|\n|c|ddd|\n\n";
    let outputs = after_each_line(text);
    assert_eq!(outputs[..3].concat(), "");
    assert_eq!(outputs[3], whole(text));
}

#[test]
fn items_keep_their_numbers_and_their_distance() {
    for text in [
        "3. a\n4. b\n5. c\n",
        "- a\n\n- b\n- c\n\n  d\n- e\n",
        "1) a\n\n   b\n2) c\n3) d\n",
        "  - a\n\n  - b\n  - c\n",
        "- a\n- b\n* c\n* d\n1. e\n",
        "- a\n  - b\n    - c\n  - d\n- e\n",
        "1. a\n   ```\n   code\n\n   more\n   ```\n2. b\n",
        "- a\n\n\n- b\n```\nc\n```\n- d\n- e\n",
        "- a\n-\n-\n- b\n",
        "- a\n- [ ] b\n- [x] c\n\nd",
    ] {
        assert_eq!(streamed(&[text]), whole(text), "{text}");
    }
}

#[test]
fn a_link_is_known_from_its_definition_on() {
    let text = "[Some  Name]: http://x.y\n\nSee [some name] and [a][Some name].\n\n[z] later\n\n[z]: http://z\n";
    assert_eq!(streamed(&[text]), whole(&text.replace("[z]: http://z", "")));
}

#[test]
fn a_definition_over_several_lines_stays_one() {
    let text = "P\n\n[a]:\n  http://x\n  \"the\n  title\"\n\n[a]\n";
    assert_eq!(after_each_line(text).concat(), whole(text));
}

#[test]
fn a_text_after_another_one_stands_below_a_blank_line() {
    let mut renderer = StreamRenderer::new(Style::PLAIN, 40);
    let mut out = Vec::new();
    for text in ["- a", "b\n", "```\nc", "d"] {
        renderer.push(text, &mut out).unwrap();
        renderer.finish(&mut out).unwrap();
    }
    assert_eq!(String::from_utf8(out).unwrap(), "• a\n\nb\n\n    c\n\nd\n");
}

#[test]
fn what_nests_too_deeply_is_shown_as_it_is_from_there_on() {
    let deep = "> ".repeat(100);
    let text = format!("*a*\n\n{deep}b\n*c*\n");
    let expected = format!("\u{1b}[3ma\u{1b}[0m\n\n{deep}b\n*c*\n");
    assert_eq!(streamed(&[&text]), expected);
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[a-z ]{0,6}",
        4 => "[ \n*_`~#>|\\-+()!<&;:x1.\\\\]{1,6}",
        4 => prop::sample::select(vec![
            "\n", "\n\n", "\n```\n", "\n~~~~ rust\n", "  ```\n", "\n- ", "\n1. ", "\n2. ", "\n* ", "\n   - ",
            "\n> ", "|a|b|\n|-|-|\n|", "[a](b)", "<br>", "\n<div>\n", "<!-- ", "-->", "**", "\n# ", "~~",
            "\n---\n", "\n===\n", "\n    ", "\n  ", "\t", "漢字", "`", "\\", "\u{1b}[31m", "\u{9b}", "\0", "\u{200d}",
            "[^1]", "[x] ", "&#27;", "\n>", "\n> [!NOTE]\n", "    x\n",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// Whether a list in a text gets blank lines later than at its first item.
fn is_equal_but_for_blank_lines(one: &str, other: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    lines(one) == lines(other)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_looks_like_the_whole_but_for_late_blank_lines_in_lists(text in markdown()) {
        let (streamed, whole) = (streamed(&[&text]), whole(&text));
        let may_differ = text.contains(['-', '*', '+', '.', ')']);
        if may_differ {
            prop_assert!(is_equal_but_for_blank_lines(&streamed, &whole), "{}\n---\n{}", streamed, whole);
        } else {
            prop_assert_eq!(streamed, whole);
        }
    }

    #[test]
    fn how_a_text_is_split_changes_nothing(
        text in markdown(),
        splits in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let text = text + "\r\nend\r";
        let mut at: Vec<_> = splits.iter().map(|index| index.index(text.len())).collect();
        at.retain(|at| text.is_char_boundary(*at));
        at.sort_unstable();
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in at.into_iter().chain([text.len()]) {
            pieces.push(&text[start..end]);
            start = end;
        }
        prop_assert_eq!(streamed(&pieces), streamed(&[&text]));
    }
}

#[test]
fn single_characters_and_the_whole_give_the_same() {
    let text = include_str!("../../../docs/format.md");
    let pieces: Vec<_> = text.split_inclusive(|_| true).collect();
    let by_characters = streamed(&pieces);
    assert_eq!(by_characters, streamed(&[text]));
    assert!(is_equal_but_for_blank_lines(&by_characters, &whole(text)));
}

#[test]
fn the_work_is_in_proportion_to_the_text() {
    let size = 100_000;
    let fill = |unit: &str| unit.repeat(size / unit.len());
    for text in [
        format!("```\n{}", "let x = 1;\n".repeat(100_000)),
        format!("- a\n  ```\n{}", fill("  let x = 1;\n")),
        fill("- item\n"),
        fill("- item\n\n"),
        fill("words in a line\n"),
        fill("word "),
        fill("> quoted\n"),
        fill("|a|b|\n"),
        format!("|a|b|\n|-|-|\n{}", fill("|c|d|\n")),
        fill("<div>\n"),
        fill("    code\n"),
        fill("[a]: b\n"),
        fill("\n"),
        fill("# a\n"),
        fill("[^a]: b\n"),
        fill("a\n\n"),
        fill("\r"),
    ] {
        let started = Instant::now();
        let mut renderer = StreamRenderer::new(Style::COLOUR, 40);
        let mut out = Vec::new();
        for piece in text.as_bytes().chunks(7) {
            renderer.push(std::str::from_utf8(piece).unwrap(), &mut out).unwrap();
        }
        renderer.finish(&mut out).unwrap();
        let start: String = text.chars().take(20).collect();
        // Far more than it takes, and still nothing to what a square of the size would.
        assert!(started.elapsed() < Duration::from_secs(10), "{start:?} {:?}", started.elapsed());
    }
}
