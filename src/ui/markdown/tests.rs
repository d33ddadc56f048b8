use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{super::Style, render};

fn shown(style: Style, width: usize, text: &str) -> String {
    let mut out = String::new();
    render(text, style, width, &mut out);
    out
}

fn plain(text: &str) -> String {
    shown(Style::PLAIN, 40, text)
}

fn colour(text: &str) -> String {
    shown(Style::COLOUR, 40, text)
}

#[test]
fn paragraphs_are_wrapped_and_stand_apart() {
    assert_eq!(
        plain("The quick brown fox jumps over the lazy dog and\nruns away.\n\n\n\nThe dog sleeps."),
        "The quick brown fox jumps over the lazy\ndog and runs away.\n\nThe dog sleeps.\n"
    );
    assert_eq!(plain("a  \nb\\\nc<br>d"), "a\nb\nc\nd\n");
    assert_eq!(plain("漢字".repeat(11).as_str()), format!("{}\n漢字\n", "漢字".repeat(10)));
    assert_eq!(plain(&"x".repeat(50)), format!("{}\n", "x".repeat(50)));
    assert_eq!(plain(""), "");
}

#[test]
fn without_colours_the_marks_stay() {
    assert_eq!(
        plain("# *One* two\n\nThis is **strong**, *stressed*, ~~gone~~ and `code`."),
        "# *One* two\n\nThis is **strong**, *stressed*, ~~gone~~\nand `code`.\n"
    );
}

#[test]
fn with_colours_faces_take_the_place_of_marks() {
    assert_eq!(
        colour("## A `b`\n\n*x **y*** z"),
        "\u{1b}[1;35m##\u{1b}[0m \u{1b}[1;35mA \u{1b}[0;1;36mb\u{1b}[0m\n\n\
         \u{1b}[3mx \u{1b}[0;1;3my\u{1b}[0m z\n"
    );
}

#[test]
fn a_face_ends_with_its_line_and_goes_on_in_the_next() {
    assert_eq!(
        shown(Style::COLOUR, 16, "**strong words over two lines** end"),
        "\u{1b}[1mstrong words\u{1b}[0m\n\u{1b}[1mover two lines\u{1b}[0m\nend\n"
    );
}

#[test]
fn lists_nest() {
    let text = "- one\n- two\n  continued\n  - [x] done\n  - [ ] open\n    1. deep\n- \n\n9. nine\n10. ten";
    assert_eq!(
        plain(text),
        "• one\n• two continued\n  • [x] done\n  • [ ] open\n    1. deep\n•\n\n9. nine\n10. ten\n"
    );
    assert_eq!(plain("- a\n\n  b\n\n- c\n\nd"), "• a\n\n  b\n\n• c\n\nd\n");
    assert_eq!(
        shown(Style::PLAIN, 20, "1. one two three four five"),
        "1. one two three\n   four five\n"
    );
}

#[test]
fn quotations_have_a_bar() {
    assert_eq!(plain("> a\n> > b\n>\n> - c\nlazy\n\nd"), "│ a\n│\n│ │ b\n│\n│ • c lazy\n\nd\n");
    assert_eq!(plain("> [!WARNING]\n> Hot"), "│ Warning\n│ Hot\n");
}

#[test]
fn code_is_indented_under_its_language_and_never_wrapped() {
    let long = "let x = 1; ".repeat(6);
    assert_eq!(
        plain(&format!("Look:\n```rust,ignore\nfn main() {{\n\t{long}\n}}\n\n```\nDone.")),
        format!(
            "Look:\n\n    [rust]\n    fn main() {{\n        {}\n    }}\n\n\nDone.\n",
            long.trim_end()
        )
    );
    assert_eq!(plain("> ```\n> a\n> ```"), "│     a\n");
    assert_eq!(plain("    a\n      b"), "    a\n      b\n");
    assert_eq!(plain("```\r\na\r\nb\r\n```"), "    a\n    b\n");
}

#[test]
fn links_tell_where_they_lead_unless_they_say_so() {
    assert_eq!(plain("[a b](http://x.y)"), "a b (http://x.y)\n");
    assert_eq!(plain("<http://x.y> [http://x.y](http://x.y)"), "http://x.y http://x.y\n");
    assert_eq!(plain("[http://good.io](http://bad.io)"), "http://good.io (http://bad.io)\n");
    assert_eq!(plain("![a cat](cat.png)"), "[image: a cat] (cat.png)\n");
    assert_eq!(plain("A[^1].\n\n[^1]: Note"), "A[^1].\n\n[^1]: Note\n");
    assert_eq!(colour("[a](b)"), "\u{1b}[4;34ma\u{1b}[0;2m (b)\u{1b}[0m\n");
}

#[test]
fn tables_are_aligned() {
    let text = "| name | 漢 | n |\n|:--|:-:|--:|\n| a **b** | x | 1 |\n| ccccccc<br>d | y | 1000 |";
    assert_eq!(
        plain(text),
        "name    │ 漢 │    n\n\
         ────────┼────┼─────\n\
         a **b** │ x  │    1\n\
         ccccccc │ y  │ 1000\n\
         d       │    │\n"
    );
}

#[test]
fn a_table_that_is_too_wide_is_wrapped_in_its_cells() {
    let text = "|a|b|\n|-|-|\n|one|two three four five **six seven eight nine ten eleven**|";
    assert_eq!(
        shown(Style::COLOUR, 30, text),
        "\u{1b}[1ma\u{1b}[0m   \u{1b}[2m│\u{1b}[0m \u{1b}[1mb\u{1b}[0m\n\
         \u{1b}[2m────┼─────────────────────────\u{1b}[0m\n\
         one \u{1b}[2m│\u{1b}[0m two three four five \u{1b}[1msix\u{1b}[0m\n    \
         \u{1b}[2m│\u{1b}[0m \u{1b}[1mseven eight nine ten\u{1b}[0m\n    \
         \u{1b}[2m│\u{1b}[0m \u{1b}[1meleven\u{1b}[0m\n"
    );
    let many = format!("{}\n{}\n{}", "a|".repeat(20), "-|".repeat(20), "b|".repeat(20));
    let row = |cell: &str| format!("{}\n", [cell; 20].join(" │ "));
    assert_eq!(plain(&many), format!("{}{}", row("a"), row("b")));
}

#[test]
fn rules_and_html_are_shown() {
    assert_eq!(
        plain("a\n\n---\n\n<div>\n<b>x</b>\n</div>\n\nc <i>d</i>"),
        format!("a\n\n{}\n\n<div>\n<b>x</b>\n</div>\n\nc <i>d</i>\n", "─".repeat(40))
    );
}

#[test]
fn what_steers_a_terminal_is_shown_instead() {
    let texts = [
        "a\u{1b}[31mb",
        "&#27;[31m",
        "`\u{9b}31m`",
        "```\u{1b}]0;x\u{7}\n\u{1b}[2J\tx\rz\n```",
        "[a](http://\u{1b}[1m \u{202e})",
        "![\u{202e}](&#x1b;)",
        "|\u{1b}[1m|\n|-|\n|&#27;|",
        "[^\u{1b}]\n\n[^\u{1b}]: \u{7f}",
        "<b \u{1b}>\n\n<div\u{1b}>",
        "# \u{85}",
    ];
    for text in texts {
        assert_harmless(text);
    }
    assert_eq!(plain("a\u{1b}[31mb&#27;c"), "a\\u{1b}[31mb\\u{1b}c\n");
}

/// Asserts that there is no control character but line breaks, and with colours our sequences.
fn assert_harmless(text: &str) {
    for width in [1, 20, 80] {
        let is_bad =
            |c: char| c.is_control() && c != '\n' || "\u{202e}\u{2066}\u{200b}".contains(c);
        let without = shown(Style::PLAIN, width, text);
        assert!(!without.contains(is_bad), "{text:?}: {without:?}");
        let with = without_sequences(&shown(Style::COLOUR, width, text));
        assert!(!with.contains(is_bad), "{text:?}: {with:?}");
        assert!(without.is_empty() || without.ends_with('\n'));
    }
}

/// A text without the sequences that set attributes and colours; each line must end them all.
fn without_sequences(text: &str) -> String {
    let mut left = String::new();
    for line in text.split_inclusive('\n') {
        let mut last = "0";
        let mut pieces = line.split("\u{1b}[");
        left.push_str(pieces.next().unwrap());
        for piece in pieces {
            let (codes, rest) = piece.split_once('m').expect("a sequence ends");
            assert!(codes.chars().all(|c| c.is_ascii_digit() || c == ';'), "{codes}");
            last = codes;
            left.push_str(rest);
        }
        assert_eq!(last, "0", "{line:?}");
    }
    left
}

fn hostile_markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{0,6}",
        4 => "[ \n*_`~#>|\\-+\\[\\]()!<&;:x1.\\\\^]{1,6}",
        2 => prop::sample::select(vec![
            "\u{1b}[31m", "\u{1b}]0;t\u{7}", "\u{9b}1m", "&#27;", "&#x9b;", "\u{202e}", "\u{200b}",
            "\t", "\r", "\r\n", "\n\n", "\0", "漢字", "e\u{301}", "```\n", "\n- ", "\n1. ", "\n> ",
            "|a|b|\n|-|-|\n|", "[^1]: ", "[a](b)", "![a](b)", "<br>", "<div>\n", "**", "\n# ", "~~",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_in_a_text_reaches_the_terminal_as_control(text in hostile_markdown()) {
        assert_harmless(&text);
    }

    #[test]
    fn no_line_of_words_is_wider_than_the_screen(
        words in prop::collection::vec("[a-z漢]{1,9}|\\*\\*[a-z]{1,8}\\*\\*|`[a-z]{1,6} [a-z]{1,6}`", 1..60),
    ) {
        let text = without_sequences(&shown(Style::COLOUR, 30, &words.join(" ")));
        for line in text.lines() {
            prop_assert!(super::super::width(line) <= 30, "{}", line);
        }
    }
}

#[test]
fn time_and_output_are_in_proportion_to_the_text() {
    let size = 200_000;
    let fill = |unit: &str, share: usize| unit.repeat(size / share / unit.len());
    let texts = [
        fill(">", 1),
        fill("> ", 2) + "a\n" + &fill("a\n", 2),
        fill("- ", 2) + "a\n" + &fill("\n", 2),
        fill("- ", 2) + "```\n" + &fill("\n", 2),
        fill("> ", 2000) + "a\n" + &fill("a\n", 1),
        fill("[^a]: ", 2) + "a\n" + &fill("\n", 2),
        fill("[", 1),
        fill("![", 1) + "a" + &fill("](b)", 1),
        fill("[a](", 1),
        fill("*", 1),
        fill("*a ", 1) + &fill("b* ", 1),
        fill("**_", 2) + "a" + &fill("_**", 2),
        fill("<", 1),
        fill("`` ` ", 1),
        fill(" ", 1) + "a",
        fill("漢", 1),
        fill("a", 1),
        fill("a|", 3) + "\n" + &fill("-|", 3) + "\n" + &fill("a|\n", 3),
        format!("|a|b|\n|-|-|\n|{}|b|\n", fill("x", 2)) + &fill("|c|d|\n", 2),
        format!("|a|b|\n|-|-|\n|{}|b|\n", fill("x ", 2)) + &fill("|c|d|\n", 2),
        fill("---\n", 1),
        fill("- a\n", 1),
        fill("\u{1b}", 1),
        fill("```\n\t\u{1b}\n```\n", 1),
    ];
    for text in texts {
        let started = Instant::now();
        let out = shown(Style::COLOUR, 100, &text);
        let start: String = text.chars().take(20).collect();
        assert!(out.len() < text.len() * 60 + 1000, "{start}: {} bytes", out.len());
        // A hundred times what it takes, and still nothing to what a square of the size would.
        assert!(started.elapsed() < Duration::from_secs(10), "{start}");
    }
}
