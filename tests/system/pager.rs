//! What is longer than the screen is paged, and questions are asked at the terminal.

use crate::{
    support::{message, request},
    terminal::Terminal,
    user,
};

const SHELL: [&str; 3] = ["bash", "--norc", "--noprofile"];

#[test]
fn a_long_conversation_is_shown_by_less_and_a_short_one_is_not() {
    let jp = user();
    let lines: String = (0..100).map(|line| format!("- line {line}\n")).collect();
    let title = "\u{1b}]2;pwned\u{7}";
    let long = jp.start(&[&request("Count\n"), &message(&format!("{lines}\n{title}last words\n"))]);
    let short = jp.start(&[&request("Hello\n"), &message("Hi\n")]);
    let terminal = Terminal::shell(&jp, &SHELL);
    terminal.tell(&["select-pane", "-T", "before"]);

    let screen = terminal.run(&format!("jp c print {short}; echo ended with $?"));
    assert!(screen.contains("Hi\n") && screen.contains("ended with 0\n"), "{screen}");

    terminal.run("clear");
    terminal.type_text(&format!("jp c print {long}; echo ended with $?"));
    terminal.press("Enter");
    let screen = terminal.wait_for("• line 5");
    assert!(!screen.contains("ended with") && !screen.contains("line 90"), "{screen}");
    // An interrupt is for the pager, which stays.
    terminal.press("C-c");
    let screen = terminal.insist("G", "last words");
    assert!(screen.contains("\\u{1b}]2;pwned\\u{7}last words"), "{screen}");
    terminal.type_text("q");
    terminal.wait_for("ended with 0");
    assert_eq!(terminal.ask("#{pane_title}"), "before");

    let screen = terminal.run(&format!("clear; jp --no-pager c print {long}; echo ended with $?"));
    assert!(screen.contains("ended with 0\n"), "{screen}");
}

#[test]
fn a_log_that_is_long_is_paged_and_can_be_left_early() {
    let jp = user();
    let id = jp.start(&[&request("Hello\n")]);
    for number in 0..40 {
        jp.run(&["c", "title", &id, &format!("title {number}")]);
    }
    let terminal = Terminal::shell(&jp, &SHELL);
    terminal.type_text("jp c log; echo ended with $?");
    terminal.press("Enter");
    let screen = terminal.wait_for("title 39");
    assert!(!screen.contains("ended with 0"), "{screen}");
    terminal.type_text("q");
    terminal.wait_for("ended with 0");
}

#[test]
fn the_trash_is_emptied_only_after_a_yes() {
    let jp = user();
    let id = jp.start(&[&request("Secret\n")]);
    jp.run(&["c", "rm", &id]);
    let terminal = Terminal::shell(&jp, &SHELL);
    let command = "jp store empty-trash --older-than 0 </dev/null | cat; echo done";
    for (answer, told) in
        [("n", "Nothing was deleted"), ("", "Nothing was deleted"), ("y", "1 deleted")]
    {
        // The question of before is no question any more.
        terminal.run("clear");
        terminal.type_text(command);
        terminal.press("Enter");
        let screen = terminal.wait_for("[y/N]");
        assert!(screen.contains(&id), "it shows what would go: {screen}");
        terminal.type_text(answer);
        terminal.press("Enter");
        terminal.wait_for(told);
    }
    assert_eq!(jp.run(&["c", "ls", "--trash", "--format", "json"]).json(), serde_json::json!([]));
}
