//! Keys go in, frames come out, and no terminal is needed.

use super::{
    super::{
        prompt::{Motion, Pressed},
        style::Style,
        terminal::Size,
        width::width,
    },
    draw::draw,
    item::{Content, Glance, Item},
    state::{Arrival, Outcome, Picker},
};

const SMALL: Size = Size { rows: 14, columns: 70 };

fn item(number: usize, title: &str) -> Item {
    Item {
        id: format!("jp-c1763600000{number}"),
        title: (!title.is_empty()).then(|| title.to_owned()),
        time: format!("2026-11-18 01:2{number}"),
        status: "idle".to_owned(),
        is_own: number == 0,
    }
}

fn picker(titles: &[&str], size: Size) -> Picker {
    let items = titles.iter().enumerate().map(|(number, title)| item(number, title));
    Picker::new(items.collect(), size)
}

fn three(size: Size) -> Picker {
    picker(&["Fix the auth bug", "", "Write a parser"], size)
}

fn glance(opening: Option<&str>, last: &str) -> Result<Glance, String> {
    Ok(Glance { opening: opening.map(str::to_owned), last: last.to_owned() })
}

fn type_text(picker: &mut Picker, text: &str) {
    for c in text.chars() {
        assert_eq!(picker.press(Pressed::Char(c)), None);
    }
}

fn frame(picker: &Picker) -> String {
    let mut text = String::new();
    for line in draw(picker, Style::PLAIN).lines {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The ids that fit, by their last digits.
fn fitting(picker: &Picker) -> Vec<String> {
    let (count, _) = picker.counts();
    let id = |place| picker.at(place).unwrap().0.id.trim_start_matches("jp-c1763600000").to_owned();
    (0..count).map(id).collect()
}

#[test]
fn the_first_frame_needs_nothing_that_has_to_be_read() {
    let picker = three(SMALL);
    let expected = "\
>                                                  3 of 3 · reading 0
> * Fix the auth bug                           idle  2026-11-18 01:20
    jp-c17636000000  …
    jp-c17636000001                            idle  2026-11-18 01:21
    jp-c17636000001  …
    Write a parser                             idle  2026-11-18 01:22
    jp-c17636000002  …






Type to filter · Enter chooses · Esc leaves · * is of this terminal
";
    assert_eq!(frame(&picker), expected);
    assert_eq!(picker.incomplete(), [0, 1, 2]);
    assert_eq!(picker.without_preview(), None, "there is no room for one");
}

#[test]
fn what_was_read_is_filled_in() {
    let mut picker = three(SMALL);
    picker.take(Arrival::Glance(0, glance(None, "The token\n\n  is refreshed.")));
    picker.take(Arrival::Glance(1, glance(Some("How do I undo?"), "Like this.")));
    picker.take(Arrival::Glance(2, Err("object 12 is missing".to_owned())));
    picker.take(Arrival::Contents(vec![(0, Ok(Default::default()))]));
    picker.take(Arrival::Over);
    let expected = "\
>                                          3 of 3 · 1 searched inside
> * Fix the auth bug                           idle  2026-11-18 01:20
    jp-c17636000000
    How do I undo?                             idle  2026-11-18 01:21
    jp-c17636000001  Like this.
    Write a parser                             idle  2026-11-18 01:22
    jp-c17636000002  cannot be read: object 12 is missing
";
    let shown = frame(&picker);
    assert_eq!(shown.lines().take(7).collect::<Vec<_>>(), expected.lines().collect::<Vec<_>>());
    assert_eq!(picker.incomplete(), Vec::<usize>::new());
}

#[test]
fn a_narrow_screen_shows_what_fits() {
    let mut picker =
        picker(&["A title that is much too long for it"], Size { rows: 12, columns: 40 });
    picker.take(Arrival::Glance(0, glance(None, "漢字漢字漢字漢字漢字")));
    type_text(&mut picker, "title");
    let expected = "\
> title              1 of 1 · reading 0
> * A title that is…   2026-11-18 01:20
    jp-c17636000000  idle  漢字漢字漢…









";
    let shown = frame(&picker);
    assert_eq!(
        shown.lines().take(11).collect::<Vec<_>>(),
        expected.lines().take(11).collect::<Vec<_>>()
    );
    assert_eq!(draw(&picker, Style::PLAIN).cursor, 7);
}

#[test]
fn a_large_screen_has_a_preview_below_and_a_wide_one_beside() {
    let text = "You: one two three\n\nModel: four\tfive\u{1b}[2J";
    let mut picker = three(Size { rows: 24, columns: 60 });
    assert_eq!(picker.without_preview(), Some(0));
    assert!(frame(&picker).contains(&format!("{}\n…\n", "─".repeat(59))));
    picker.take(Arrival::Preview(0, Ok(text.to_owned())));
    assert_eq!(picker.without_preview(), None);
    let below = "You: one two three\n\nModel: four five\\u{1b}[2J\n";
    assert!(frame(&picker).contains(&format!("{}\n{below}", "─".repeat(59))), "{}", frame(&picker));
    assert_eq!(frame(&picker).lines().count(), 24);
    picker.resize(Size { rows: 14, columns: 120 });
    let wide = frame(&picker);
    assert!(wide.contains("2026-11-18 01:20 │ You: one two three\n"), "{wide}");
    assert_eq!(wide.lines().count(), 14);
    picker.press(Pressed::Move(Motion::Down));
    assert_eq!(picker.without_preview(), Some(1));
    picker.take(Arrival::Preview(1, Err("it is gone".to_owned())));
    assert!(frame(&picker).contains("│ It cannot be read: it is gone\n"));
}

#[test]
fn hostile_texts_are_harmless_and_nothing_leaves_its_line() {
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}\r\n漢字\u{9b}31m";
    let mut items = vec![item(0, evil), item(1, "")];
    items[0].status = evil.to_owned();
    items[1].id = evil.to_owned();
    for rows in 1..30 {
        for columns in (1..140).step_by(3) {
            let mut picker = Picker::new(items.clone(), Size { rows, columns });
            picker.take(Arrival::Glance(0, glance(Some(evil), evil)));
            picker.take(Arrival::Glance(1, Err(evil.to_owned())));
            picker.take(Arrival::Preview(0, Ok(evil.repeat(9))));
            type_text(&mut picker, "2漢");
            for style in [Style::PLAIN, Style::COLOUR] {
                let frame = draw(&picker, style);
                assert!(frame.lines.len() <= rows.max(2), "{rows}x{columns}");
                assert!(frame.cursor <= columns);
                for line in &frame.lines {
                    let plain = without_faces(line);
                    let is_evil = |c: char| c.is_control() || c == '\u{202e}';
                    assert!(!plain.contains(is_evil), "{plain:?}");
                    assert!(width(&plain) <= columns, "{rows}x{columns}: {plain:?}");
                }
            }
        }
    }
}

/// A line without the sequences that make its colours.
fn without_faces(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (face, text) = part.split_once('m').unwrap();
        assert!(face.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{face:?}");
        plain.push_str(text);
    }
    plain
}

#[test]
fn typing_filters_and_taking_it_back_shows_everything_again() {
    let mut picker = three(SMALL);
    picker.take(Arrival::Glance(1, glance(Some("Fit a model"), "")));
    type_text(&mut picker, "fi");
    assert_eq!(fitting(&picker), ["0", "1"]);
    type_text(&mut picker, "t");
    assert_eq!(fitting(&picker), ["1", "0"], "what begins so comes first");
    type_text(&mut picker, "zz");
    assert_eq!(fitting(&picker), Vec::<String>::new());
    assert!(frame(&picker).contains("nothing fits"));
    assert_eq!(picker.press(Pressed::Enter), None, "there is nothing to choose");
    picker.press(Pressed::Backspace);
    picker.press(Pressed::Backspace);
    assert_eq!(fitting(&picker), ["1", "0"]);
    picker.press(Pressed::EraseAll);
    assert_eq!(fitting(&picker), ["0", "1", "2"]);
    for c in "parse\nr".chars() {
        picker.press(Pressed::Pasted(c));
    }
    picker.press(Pressed::Char('\t'));
    assert_eq!(fitting(&picker), ["2"], "a line break is a space");
    picker.press(Pressed::EraseWord);
    assert_eq!(picker.draft().text(), "parse ");
}

#[test]
fn what_is_read_later_is_found_then_and_ranks_below_titles() {
    let mut picker = three(SMALL);
    type_text(&mut picker, "parser");
    assert_eq!(fitting(&picker), ["2"]);
    let content =
        |item, text: &str| (item, Ok(Content { glance: Glance::default(), text: text.to_owned() }));
    picker.take(Arrival::Contents(vec![content(0, "about parsers"), content(1, "about lexers")]));
    assert_eq!(fitting(&picker), ["2", "0"]);
    picker.take(Arrival::Glance(1, glance(None, "A parser, then.")));
    assert_eq!(fitting(&picker), ["2", "1", "0"]);
    assert_eq!(picker.selected(), Some(2));
}

#[test]
fn the_cursor_stays_where_somebody_has_put_it() {
    let mut picker = three(SMALL);
    type_text(&mut picker, "a");
    picker.press(Pressed::Move(Motion::Down));
    let selected = picker.selected();
    let glance = Glance { opening: Some("a".to_owned()), last: "a".to_owned() };
    let content = (1, Ok(Content { glance, text: "a".to_owned() }));
    picker.take(Arrival::Contents(vec![content]));
    assert_eq!(picker.counts().0, 3);
    assert_eq!(picker.selected(), selected);
}

#[test]
fn keys_move_within_the_list_and_the_screen_follows() {
    let titles: Vec<_> = (0..9).map(|number| format!("Title {number}")).collect();
    let titles: Vec<_> = titles.iter().map(String::as_str).collect();
    // Four conversations fit.
    let mut picker = picker(&titles, Size { rows: 5, columns: 40 });
    assert_eq!(picker.shown(), 0..4);
    for (motion, cursor, shown) in [
        (Motion::Up, 0, 0..4),
        (Motion::Down, 1, 0..4),
        (Motion::PageDown, 5, 2..6),
        (Motion::PageDown, 8, 5..9),
        (Motion::Down, 8, 5..9),
        (Motion::PageUp, 4, 4..8),
        (Motion::First, 0, 0..4),
        (Motion::Last, 8, 5..9),
    ] {
        assert_eq!(picker.press(Pressed::Move(motion)), None);
        assert_eq!((picker.cursor(), picker.shown()), (cursor, shown), "{motion:?}");
    }
    assert_eq!(picker.incomplete(), [5, 6, 7, 8]);
    picker.resize(Size { rows: 3, columns: 40 });
    assert_eq!(picker.shown(), 7..9);
    picker.resize(Size { rows: 9, columns: 40 });
    assert_eq!(picker.shown(), 1..9);
    assert_eq!(picker.press(Pressed::Enter), Some(Outcome::Chosen(8)));
}

#[test]
fn escape_and_the_keys_that_cancel_leave() {
    for key in [Pressed::Escape, Pressed::Cancel] {
        assert_eq!(three(SMALL).press(key), Some(Outcome::Left));
    }
}

#[test]
fn no_more_previews_are_kept_than_can_be_looked_at() {
    let titles = vec!["Title"; 9];
    let mut picker = picker(&titles, Size { rows: 24, columns: 80 });
    for round in 0..100 {
        picker.take(Arrival::Preview(round % 9, Ok("x".repeat(10))));
    }
    assert_eq!(picker.without_preview(), None);
}

#[test]
fn a_list_of_ten_thousand_is_filtered_while_somebody_types() {
    let items = (0..10_000).map(|number| Item {
        id: format!("jp-c{}", 17_636_000_000_usize + number),
        title: Some(format!("Conversation about the topic number {number}")),
        ..Item::default()
    });
    let mut picker = Picker::new(items.collect(), SMALL);
    type_text(&mut picker, "topic 99");
    let (count, all) = picker.counts();
    assert_eq!(all, 10_000);
    assert!((100..1000).contains(&count), "{count}");
    assert!(picker.shown().len() < 10);
}

#[test]
fn what_is_under_the_cursor_stays_there_when_something_better_is_found() {
    let mut picker = three(SMALL);
    type_text(&mut picker, "zebra");
    assert_eq!(picker.selected(), None);
    let glance_of = |last: &str| Glance { opening: None, last: last.to_owned() };
    let content = Content { glance: glance_of("Yes."), text: "a zebra".to_owned() };
    picker.take(Arrival::Contents(vec![(0, Ok(content))]));
    assert_eq!(picker.selected(), Some(0));
    picker.take(Arrival::Glance(2, glance(None, "zebra")));
    assert_eq!(fitting(&picker), ["2", "0"]);
    assert_eq!(picker.press(Pressed::Enter), Some(Outcome::Chosen(0)));
}

#[test]
fn a_paste_of_any_length_is_cut_to_what_somebody_would_type() {
    let mut picker = three(SMALL);
    for _ in 0..100_000 {
        assert_eq!(picker.press(Pressed::Pasted('b')), None);
    }
    assert_eq!(picker.draft().text().len(), 256);
    assert_eq!(picker.press(Pressed::EraseAll), None);
    assert_eq!(picker.counts(), (3, 3));
}
