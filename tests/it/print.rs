//! A conversation printed for people, in full, in part, and with everything in it that means harm.

use std::{io::Read, process::Stdio};

use crate::support::{Jp, answer, call, message, question, request, result, start};

/// What a user who reads along sees of a small conversation; `ID` is its id.
const WHOLE: &str = "\
What is in a? (ID)

━━ user · turn 0 · 2026-01-31 11:00

What is in `a`?

━━ assistant (acme/large) · turn 0 · 2026-01-31 11:00

[reasoning, 1 line]
✓ read {\"path\":\"a\"}

# Content

It holds *text*.

━━ user · turn 1 · 2026-01-31 11:00

And `b`?

━━ assistant · turn 1 · 2026-01-31 11:00

⏳ Incomplete turn (waiting for input)
  ⏸ read — waiting for input: \"May I?\"  {\"path\":\"a\"}
";

fn reasoning(body: &str) -> String {
    message(body).replace("type: message", "type: reasoning")
}

fn small(jp: &Jp) -> String {
    jp.start(&[
        &request("What is in `a`?\n"),
        &reasoning("I should look.\n"),
        &call("c1"),
        &question("q1", "c1"),
        &answer("q1"),
        &start("c1"),
        &result("c1", "text\n"),
        &message("# Content\n\nIt holds *text*.\n"),
        &request("And `b`?\n"),
        &call("c2"),
        &question("q2", "c2"),
    ])
}

#[test]
fn a_pipe_gets_the_markdown_as_it_was_written() {
    let jp = Jp::in_workspace();
    let id = small(&jp);
    let expected = WHOLE.replace("ID", &id);
    assert_eq!(jp.run(&["c", "print", &id]).ok(), expected);
    assert_eq!(jp.run(&["conversation", "print"]).ok(), expected);
    assert_eq!(jp.run(&["--color", "never", "c", "print"]).ok(), expected);
    assert_eq!(jp.with_var("NO_COLOR", "1").run(&["c", "print"]).ok(), expected);
    assert_eq!(jp.with_var("JP_PAGER", "exit 3").run(&["c", "print"]).ok(), expected);
}

#[test]
fn colours_come_with_layout_wherever_they_are_wanted() {
    let jp = Jp::in_workspace().with_var("NO_COLOR", "1").with_var("COLUMNS", "44");
    let id = small(&jp);
    let printed = jp.run(&["c", "print", &id, "--turn", "0", "--color", "always"]).ok();
    let expected = "\
<1>What is in a? (ID)<0>

<2>━━ <0><1;32>user<0><2> · turn 0<0><2> · 2026-01-31 11:00<0>

What is in <36>a<0>?

<2>━━ <0><1;34>assistant (acme/large)<0><2> · turn 0<0><2> · 2026-0…<0>

<2>[reasoning, 1 line]<0>
<32>✓<0><1> read <0><2>{\"path\":\"a\"}<0>

<1;35>#<0> <1;35>Content<0>

It holds <3>text<0>.
";
    let expected = expected.replace("ID", &id).replace('<', "\u{1b}[").replace('>', "m");
    assert_eq!(printed, expected);
}

#[test]
fn turns_are_chosen_by_number_or_from_the_end() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("1\n"), &request("Two\n"), &message("2\n")]);
    jp.append(&id, &[&request("Three\n")]).ok();
    let turn = |number: u64, asked: &str, answered: &str| {
        let time = "2026-01-31 11:00";
        let user = format!("\n━━ user · turn {number} · {time}\n\n{asked}\n");
        let model = match answered {
            "" => String::new(),
            text => format!("\n━━ assistant (acme/large) · turn {number} · {time}\n\n{text}\n"),
        };
        user + &model
    };
    let title = format!("One ({id})\n");
    let (one, two) = (turn(0, "One", "1"), turn(1, "Two", "2"));
    let three = turn(2, "Three", "") + "\n⏳ Incomplete turn (pending LLM response)\n";
    let print = |args: &[&str]| jp.run(&[&["c", "print", &id], args].concat());
    assert_eq!(print(&["--turn", "0"]).ok(), format!("{title}{one}"));
    assert_eq!(print(&["--turn", "2"]).ok(), format!("{title}{three}"));
    assert_eq!(print(&["--last", "2"]).ok(), format!("{title}{two}{three}"));
    assert_eq!(print(&["--last", "9"]).ok(), format!("{title}{one}{two}{three}"));
    let error = format!("error: there is no turn 3: {id} has 3 turns, 0 to 2\n");
    print(&["--turn", "3"]).fails(1, &error);
    assert_eq!(print(&["--turn", "0", "--last", "1"]).code, 2);
    assert_eq!(print(&["--last", "0"]).code, 2);
}

#[test]
fn a_turn_that_is_not_there_is_an_error_that_says_how_many_there_are() {
    let jp = Jp::in_workspace();
    jp.run(&["c", "print"]).fails(
        1,
        "error: there is no conversation yet\n\
         Hint: `jp query --new \"…\"` begins a conversation\n",
    );
    let id = jp.start(&[&request("One\n")]);
    let error = format!("error: there is no turn 1: {id} has one turn, turn 0\n");
    jp.run(&["c", "print", "--turn", "1"]).fails(1, &error);
}

#[test]
fn calls_and_thoughts_are_printed_in_full_on_demand() {
    let jp = Jp::in_workspace();
    let id = small(&jp);
    let printed = jp.run(&["c", "print", "--turn", "0", "--tools", "--reasoning"]).ok();
    let expected = "\
What is in a? (ID)

━━ user · turn 0 · 2026-01-31 11:00

What is in `a`?

━━ assistant (acme/large) · turn 0 · 2026-01-31 11:00

[reasoning]

> I should look.

→ read c1

    {\"path\":\"a\"}

? read: \"May I?\" → yes
[c1 started, attempt 1]

━━ tool (read) · turn 0 · 2026-01-31 11:00

✓ c1

text

━━ assistant (acme/large) · turn 0 · 2026-01-31 11:00

# Content

It holds *text*.
";
    assert_eq!(printed, expected.replace("ID", &id));
}

#[test]
fn raw_texts_come_byte_for_byte() {
    let jp = Jp::in_workspace();
    let body = "a\u{1b}[31m\tb\r\n\n";
    jp.start(&[
        &request(body),
        &reasoning("Hm\n"),
        &call("c1"),
        &result("c1", "r\n"),
        &message(""),
    ]);
    assert_eq!(jp.run(&["c", "print", "--raw"]).ok(), "a\u{1b}[31m\tb\r\n\n\n\n");
    assert_eq!(
        jp.run(&["c", "print", "--raw", "--tools", "--reasoning"]).ok(),
        "a\u{1b}[31m\tb\r\n\n\nHm\n\n{\"path\":\"a\"}\n\nr\n\n\n"
    );
}

#[test]
fn times_are_those_of_the_reader() {
    let jp = Jp::in_workspace().with_var("TZ", "Asia/Kolkata");
    let id = jp.start(&[&request("One\n"), &message("1\n")]);
    let expected = format!(
        "One ({id})\n\n━━ user · turn 0 · 2026-01-31 16:30\n\nOne\n\n\
         ━━ assistant (acme/large) · turn 0 · 2026-01-31 16:30\n\n1\n"
    );
    assert_eq!(jp.run(&["c", "print"]).ok(), expected);
}

#[test]
fn a_file_that_cannot_be_read_leaves_a_mark_and_a_warning() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("1\n"), &request("Two\n"), &message("2\n")]);
    jp.edit(&id, "001-message.md", "no header");
    let printed = jp.run(&["c", "print"]);
    let expected = format!(
        "One ({id})\n\n━━ user · turn 0 · 2026-01-31 11:00\n\nOne\n\n\
         ⚠ 001-message.md cannot be read\n\n\
         ━━ user · turn 0 · 2026-01-31 11:00\n\nTwo\n\n\
         ━━ assistant (acme/large) · turn 0 · 2026-01-31 11:00\n\n2\n"
    );
    assert_eq!((printed.stdout, printed.code), (expected, 0));
    assert!(printed.stderr.starts_with("warning: 001-message.md"), "{}", printed.stderr);
}

/// Sequences that clear the screen, set the title, reorder text, and the like.
const HARM: &str =
    "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{90}q\u{9c}\u{8}\u{7f}\u{202e}\u{2066}\u{200b}\r";

#[test]
fn nothing_that_is_stored_steers_the_terminal() {
    let jp = Jp::in_workspace().with_var("COLUMNS", "50");
    // A header takes them escaped, a body as they are.
    let name: String = HARM.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let model = format!("model: \"acme{name}\"\n");
    let named = |event: &str| {
        let event = event.replace("model: acme/large\n", &model);
        event.replace("tool: read\n", &format!("tool: \"read{name}\"\n{model}"))
    };
    let body = format!(
        "# a{HARM}b\n\n- &#27;[2J `{HARM}`\n\n```{HARM}\n{HARM}\tx\n```\n\n\
         |a{HARM}|\n|-|\n|&#x9b;|\n\n[{HARM}](<{HARM}>) <b {HARM}> [^{HARM}]\n\n[^{HARM}]: x\n"
    );
    let asking = question("q1", "c1").replace("May I?", HARM);
    let asking = asking.replace("tool: read\n", &format!("tool: \"read{name}\"\n"));
    let attachment =
        format!("---\ntype: attachment\nsource: \"{name}\"\nmedia_type: \"{name}\"\n---\n{HARM}");
    let config = format!("\"{name}\" = 1\n\n[event]\ntype = \"config-delta\"\n");
    let finished = message(&body).replace("model:", &format!("finish: \"{name}\"\nmodel:"));
    let title = format!("T{HARM}");
    let events = [
        attachment,
        config,
        request(&body),
        reasoning(&body),
        named(&call("c1")),
        asking,
        answer("q1"),
        result("c1", HARM),
        named(&finished),
        request("Again\n"),
        named(&call("c2")),
        result("c2", HARM).replace("id: c2", "id: c2\nis_error: true"),
    ];
    let mut args = vec!["c".to_owned(), "append".to_owned(), "--new".to_owned()];
    args.extend(["--title".to_owned(), title]);
    for (index, event) in events.iter().enumerate() {
        let form = if event.starts_with("---") { "md" } else { "toml" };
        let path = jp.write(&format!("events/{index}.{form}"), event);
        args.push(path.to_str().unwrap().to_owned());
    }
    jp.run(&args.iter().map(String::as_str).collect::<Vec<_>>()).ok();
    for more in [&[][..], &["--tools", "--reasoning"]] {
        for color in ["never", "always"] {
            let args = [&["c", "print", "--color", color], more].concat();
            let printed = jp.run(&args).ok();
            assert!(printed.contains("T\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{9b}31m"), "{printed}");
            assert_eq!(left_over(&printed), "", "{args:?}");
        }
    }
}

/// What is in a text that could steer a terminal, beside attributes and colours.
fn left_over(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut plain = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let codes = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain.push_str(codes.strip_prefix('m').unwrap_or("\u{1b}"));
    }
    let reorders = |c: char| matches!(c, '\u{200b}' | '\u{202e}' | '\u{2066}');
    let harmful = |c: &char| c.is_control() && *c != '\n' || reorders(*c);
    plain.chars().filter(harmful).collect()
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let jp = Jp::in_workspace();
    let body = "many words ".repeat(40_000);
    jp.start(&[&request(&body), &message(&body)]);
    for color in ["never", "always"] {
        let mut command = jp.jp(&["c", "print", "--color", color]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    }
}
