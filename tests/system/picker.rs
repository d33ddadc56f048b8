//! The list of conversations in a real terminal: typing, choosing, leaving, and what is left of the
//! screen.

use crate::{
    query::{begin, player, shell, until},
    support::{Jp, message, request},
    terminal::Terminal,
};

const ANSWERS: &str = "[[answer]]\ntext = \"Chosen.\"\n[[answer]]\ntext = \"Again.\"\n";

/// A user with three conversations, the last one being the newest.
fn three() -> (Jp, [String; 3]) {
    let jp = player(ANSWERS);
    let start = |title: &str, question: &str, answer: &str| {
        let id = jp.start(&[&request(question), &message(answer)]);
        assert_eq!(jp.run(&["c", "title", &id, title]).code, 0);
        id
    };
    let ids = [
        start("Fix the auth bug", "Why does zebrafish fail?\n", "Because of the token.\n"),
        start("Write a parser", "How do I write one?\n", "By descent.\n"),
        start("Plan the garden", "What grows here?\n", "Carrots.\n"),
    ];
    (jp, ids)
}

/// Whether the terminal shows the other screen.
fn is_taken_over(terminal: &Terminal<'_>) -> bool {
    terminal.ask("#{alternate_on}") == "1"
}

/// Begins to choose, and waits until everything has been read.
fn choose(terminal: &Terminal<'_>, command: &str) -> String {
    begin(terminal, command);
    terminal
        .wait("the list", |screen| screen.contains("Enter chooses") && !screen.contains("reading"))
}

fn events(jp: &Jp, id: &str) -> u64 {
    jp.show(id)["events"].as_u64().unwrap()
}

#[test]
fn typing_filters_the_list_and_enter_continues_what_is_chosen() {
    let (jp, ids) = three();
    let terminal = shell(&jp);
    let screen = choose(&terminal, "jp q --id 'And now?'; echo status $?");
    assert!(is_taken_over(&terminal));
    assert!(screen.contains("3 of 3"), "{screen}");
    for shown in ["Fix the auth bug", "Write a parser", "Plan the garden", "idle", &ids[0]] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert!(screen.contains(&format!("{}  By descent.", ids[1])), "{screen}");
    terminal.type_text("pars");
    let screen = terminal.wait_for("1 of 3");
    assert!(screen.contains("> pars"), "{screen}");
    assert!(screen.contains("You: How do I write one?"), "the preview: {screen}");
    terminal.press("Enter");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("Chosen."), "{screen}");
    assert!(!is_taken_over(&terminal));
    assert_eq!(events(&jp, &ids[1]), 4);
    assert_eq!(events(&jp, &ids[0]), 2);
}

#[test]
fn what_was_said_long_ago_finds_a_conversation() {
    let (jp, ids) = three();
    let terminal = shell(&jp);
    choose(&terminal, "jp q --id 'And now?'; echo status $?");
    terminal.type_text("zebrafishes");
    terminal.wait_for("0 of 3");
    terminal.press("C-u");
    terminal.wait_for("3 of 3");
    terminal.type_text("auth ZebraFish");
    let screen = terminal.wait_for("1 of 3");
    assert!(screen.contains("Fix the auth bug"), "{screen}");
    terminal.press("Enter");
    terminal.wait_for("status 0");
    assert_eq!(events(&jp, &ids[0]), 4);
}

#[test]
fn a_terminal_without_a_conversation_is_asked_and_its_own_come_first_later() {
    let (jp, ids) = three();
    let terminal = shell(&jp);
    let screen = choose(&terminal, "jp q 'And now?'; echo status $?");
    let first = screen.find("Plan the garden").unwrap();
    assert!(first < screen.find("Fix the auth bug").unwrap(), "the newest is first: {screen}");
    assert!(!screen.contains("> * "), "{screen}");
    terminal.press("Down");
    terminal.press("C-n");
    terminal.wait_for(">   Fix the auth bug");
    terminal.press("Enter");
    terminal.wait_for("status 0");
    assert_eq!(events(&jp, &ids[0]), 4);
    // The others are changed later, and come later all the same.
    let appended = jp.append(&ids[2], &[&request("More?\n"), &message("Peas.\n")]);
    assert_eq!(appended.code, 0);
    let screen = choose(&terminal, "clear; jp q --id 'And then?'; echo status $?");
    assert!(screen.contains("> * Fix the auth bug"), "{screen}");
    terminal.press("Escape");
    terminal.wait_for("status 130");
}

#[test]
fn leaving_leaves_the_terminal_as_it_was() {
    let (jp, ids) = three();
    let terminal = shell(&jp);
    terminal.run("echo before; stty -a >modes.before");
    for key in ["C-c", "C-d", "Escape"] {
        choose(&terminal, "jp q --id 'And now?'; echo status $? >status; stty -a >modes.after");
        assert!(is_taken_over(&terminal));
        terminal.press(key);
        let screen = terminal.wait("the prompt", |screen| screen.contains("before\n"));
        assert!(!screen.contains("Enter chooses"), "{key}: {screen}");
        assert!(!screen.contains("error"), "{key}: {screen}");
        let read = |name: &str| std::fs::read_to_string(jp.path(name)).unwrap_or_default();
        until("the modes", || read("modes.after").ends_with('\n'));
        assert_eq!(read("status"), "status 130\n", "{key}");
        assert_eq!(read("modes.after"), read("modes.before"), "{key}");
        assert!(!is_taken_over(&terminal), "{key}");
        assert_eq!(terminal.ask("#{cursor_flag}"), "1", "the cursor is hidden after {key}");
        std::fs::remove_file(jp.path("modes.after")).unwrap();
        terminal.run("clear; echo before");
    }
    assert_eq!(events(&jp, &ids[0]), 2);
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let (jp, _) = three();
    let terminal = shell(&jp);
    terminal.run("stty -a >modes.before");
    choose(
        &terminal,
        "sh -c 'echo $$ >pid; exec jp q --id Now'; echo status $?; stty -a >modes.after",
    );
    let pid = std::fs::read_to_string(jp.path("pid")).unwrap();
    assert!(jp.command("kill").arg(pid.trim()).status().unwrap().success());
    terminal.wait_for("status 143");
    assert!(!is_taken_over(&terminal));
    terminal.run("cmp modes.before modes.after && echo the same");
    terminal.wait_for("the same\n");
}

#[test]
fn another_size_is_another_layout() {
    let (jp, _) = three();
    let terminal = shell(&jp);
    let screen = choose(&terminal, "jp q --id 'And now?'; echo status $?");
    assert!(screen.contains("─────"), "the preview is below: {screen}");
    terminal.tell(&["resize-window", "-x", "140", "-y", "20"]);
    terminal.wait("a preview beside", |screen| {
        screen.contains(" │ You: What grows here?") && !screen.contains("─────")
    });
    terminal.tell(&["resize-window", "-x", "40", "-y", "8"]);
    let screen = terminal.wait("no preview", |screen| !screen.contains('│'));
    assert!(screen.contains("> "), "{screen}");
    assert!(screen.lines().count() <= 8, "{screen}");
    terminal.wait_for("Fix the auth bug");
    terminal.press("C-c");
    terminal.wait_for("status 130");
}

#[test]
fn a_conversation_is_listed_by_its_last_commit_alone_and_the_preview_says_what_is_wrong() {
    let (jp, ids) = three();
    // The tree is missing, and what a commit says of it is still believed.
    let tree = jp.tree(&ids[2]);
    let missing = format!("{}{}", &tree[..20], "0".repeat(20));
    let commit = jp.git(&["cat-file", "commit", &ids[2]]).replacen(&tree, &missing, 1);
    let args = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
    jp.force(&ids[2], &jp.git_with_input(&args, commit));
    let terminal = shell(&jp);
    let screen = choose(&terminal, "jp q --id 'And now?'; echo status $?");
    assert!(screen.contains(">   Plan the garden"), "{screen}");
    assert!(screen.contains(&format!("{}  cannot be read: ", ids[2])), "{screen}");
    assert!(screen.contains("By descent."), "the others are there: {screen}");
    terminal.wait_for("\nIt cannot be read: ");
    terminal.press("C-c");
    terminal.wait_for("status 130");
}

#[test]
fn an_event_that_does_not_read_is_told_in_its_place() {
    let (jp, ids) = three();
    jp.edit(&ids[2], "001-message.md", "---\nnonsense\n");
    let terminal = shell(&jp);
    let screen = choose(&terminal, "jp q --id 'And now?'; echo status $?");
    assert!(screen.contains("Plan the garden"), "{screen}");
    assert!(screen.contains("damaged"), "{screen}");
    assert!(screen.contains(&format!("{}  [cannot be read: 001-message.md", ids[2])), "{screen}");
    assert!(screen.contains("By descent."), "the others are there: {screen}");
    terminal.press("C-c");
    terminal.wait_for("status 130");
}

#[test]
fn a_dumb_terminal_gets_numbers() {
    let (jp, ids) = three();
    let terminal = shell(&jp);
    begin(&terminal, "TERM=dumb jp q --id 'And now?'; echo status $?");
    let asks =
        |screen: &str| screen.lines().rfind(|line| !line.is_empty()) == Some("Number or id:");
    let screen = terminal.wait("the question", asks);
    assert!(screen.contains("  1   Plan the garden"), "{screen}");
    assert!(screen.contains("  3   Fix the auth bug"), "{screen}");
    assert!(screen.contains(&format!("idle  {}  By descent.", ids[1])), "{screen}");
    terminal.type_text("7");
    terminal.press("Enter");
    terminal.wait_for("`7` is neither a number of the list nor an id");
    terminal.wait("the question", asks);
    terminal.type_text("2");
    terminal.press("Enter");
    terminal.wait_for("status 0");
    assert_eq!(events(&jp, &ids[1]), 4);
}

#[test]
fn without_conversations_there_is_nothing_to_choose_from() {
    let jp = player(ANSWERS);
    let terminal = shell(&jp);
    let screen = terminal.run("jp q --id 'And now?'; echo status $?");
    assert!(screen.contains("error: there is no conversation yet"), "{screen}");
    assert!(screen.contains("Hint: `jp query --new \"…\"` begins a conversation"), "{screen}");
    assert!(screen.contains("status 1"), "{screen}");
}

#[test]
fn fork_with_a_bare_id_asks_in_a_fork_of_what_is_chosen() {
    let (jp, ids) = three();
    let terminal = shell(&jp);
    choose(&terminal, "jp q --fork --id -- 'And now?'; echo status $?");
    terminal.type_text("pars");
    terminal.wait_for("1 of 3");
    terminal.press("Enter");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains(&format!("Forked {} as ", ids[1])), "{screen}");
    assert_eq!(events(&jp, &ids[1]), 2);
    let fork = &jp.run(&["c", "ls", "--format", "json"]).json()[0];
    assert_eq!((&fork["forked_from"], &fork["events"]), (&ids[1].as_str().into(), &4.into()));
}

#[test]
fn what_was_put_away_while_the_list_was_open_is_not_turned_to() {
    let (jp, ids) = three();
    let terminal = shell(&jp);
    choose(&terminal, "jp c use; echo status $?");
    terminal.type_text("pars");
    terminal.wait_for("1 of 3");
    assert_eq!(jp.run(&["c", "archive", &ids[1]]).code, 0);
    terminal.press("Enter");
    let screen = terminal.wait_for("status 1");
    assert!(screen.contains(&format!("conversation {} is archived", ids[1])), "{screen}");
}
