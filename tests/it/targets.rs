//! How a conversation is named: ids and words, forks, what a terminal is about.

use std::fs;

use crate::{
    query::{answer, ask, files, listed, only, player},
    support::{Jp, Output, contents, message, request},
};

/// A model that answers a few times.
const ANSWERS: &str = "[[answer]]\ntext = \"One.\"\n\n[[answer]]\ntext = \"Two.\"\n\n\
                       [[answer]]\ntext = \"Three.\"\n\n[[answer]]\ntext = \"Four.\"\n";

/// Begins a conversation with a query, and returns its id.
fn begin(jp: &Jp) -> String {
    answer(ask(jp, &["--new", "Hello"]));
    newest(jp)
}

/// The newest conversation.
fn newest(jp: &Jp) -> String {
    let ids = listed(jp).into_iter().map(|row| row["id"].as_str().unwrap().to_owned());
    ids.max().unwrap()
}

/// A user in two terminals.
fn two_terminals() -> (Jp, Jp) {
    let one = player(ANSWERS);
    let two = one.with_var("JP_SESSION", "two");
    (one, two)
}

/// Asserts that a query went to a conversation.
#[track_caller]
fn went_to(output: Output, id: &str) {
    assert_eq!(output.code, 0, "{}", output.stderr);
    let name = format!("--id={id}");
    assert!(output.stderr.contains(&name), "it did not go to {id}: {}", output.stderr);
}

#[test]
fn id_with_an_id_operates_on_that_conversation_and_makes_it_the_sessions_own() {
    let (one, two) = two_terminals();
    let (first, second) = (begin(&one), begin(&two));
    went_to(ask(&two, &[&format!("--id={first}"), "More"]), &first);
    went_to(ask(&two, &["And more"]), &first);
    assert_eq!((files(&one, &first).len(), files(&one, &second).len()), (6, 2));
}

#[test]
fn id_with_the_beginning_of_an_id_operates_on_the_only_one_that_begins_so() {
    let one = player(ANSWERS);
    let id = begin(&one);
    let begins = &id["jp-c".len()..id.len() - 1];
    went_to(ask(&one, &[&format!("--id={begins}"), "More"]), &id);
}

#[test]
fn id_last_and_last_activated_are_the_one_most_recently_activated_in_any_session() {
    let (one, two) = two_terminals();
    let first = begin(&one);
    let second = begin(&two);
    went_to(ask(&one, &["More"]), &first);
    let third = one.with_var("JP_SESSION", "three");
    for (word, turns) in [("last", "Three."), ("last-activated", "Four.")] {
        let output = ask(&third, &[&format!("--id={word}"), "Where was I?"]);
        assert_eq!(output.stdout, format!("{turns}\n"));
        went_to(output, &first);
    }
    one.run(&["c", "use", &second]).ok();
    assert_eq!(third.run(&["c", "show", "last", "--format", "json"]).json()["id"], *second);
}

#[test]
fn last_counts_what_nobody_activated_by_the_time_of_its_last_commit() {
    let jp = Jp::in_workspace();
    let first = jp.start(&[&request("One\n")]);
    let second = jp.start(&[&request("Two\n")]);
    let last = || jp.run(&["c", "show", "last", "--format", "json"]).json()["id"].clone();
    assert_eq!(last(), *second);
    jp.with_var("JP_SESSION", "one").run(&["c", "use", &first]).ok();
    assert_eq!(last(), *first);
    // A register that does not read counts as none.
    let state = fs::read_dir(jp.world().join("data/jp/workspace")).unwrap().next().unwrap();
    let register = state.unwrap().path().join("activated.json");
    assert!(fs::read_to_string(&register).unwrap().contains(&first));
    jp.with_var("JP_SESSION", "one").run(&["c", "use", &second]).ok();
    // A clock may have been wrong: what counts is the order.
    let text = fs::read_to_string(&register).unwrap();
    let (newer, older) = text.split_once(&first).unwrap();
    let year = older.find("\":\"20").unwrap() + 3;
    fs::write(&register, format!("{newer}{first}{}2099{}", &older[..year], &older[year + 4..]))
        .unwrap();
    assert!(fs::read_to_string(&register).unwrap().contains("2099-"));
    assert_eq!(last(), *second);
    fs::write(&register, "{\"history\": [{\"id\"").unwrap();
    assert_eq!(last(), *second);
    jp.with_var("JP_SESSION", "one").run(&["c", "use", &first]).ok();
    assert_eq!(last(), *first);
}

#[test]
fn id_last_created_is_the_newest_conversation_of_any_session() {
    let (one, two) = two_terminals();
    let first = begin(&one);
    let second = begin(&two);
    went_to(ask(&one, &["More"]), &first);
    went_to(ask(&one, &["--id=last-created", "Yours"]), &second);
}

#[test]
fn id_previous_and_prev_go_back_and_forth_between_two_conversations_of_a_session() {
    let one = player(ANSWERS);
    let first = begin(&one);
    let second = begin(&one);
    went_to(ask(&one, &["--id=previous", "Back"]), &first);
    went_to(ask(&one, &["--id=prev", "And forth"]), &second);
    went_to(ask(&one, &["Here"]), &second);
}

#[test]
fn id_previous_fails_if_the_session_had_no_other_conversation() {
    let (one, two) = two_terminals();
    begin(&one);
    let error = "error: this terminal had no other conversation before\n\
                 Hint: `jp conversation ls` lists all\n";
    ask(&one, &["--id=previous", "Back"]).fails(1, error);
    ask(&two, &["--id=previous", "Back"]).fails(1, error);
    let mut nowhere = one.jp(&["q", "--id=previous", "Back"]);
    let output = Output::of(nowhere.env_remove("JP_SESSION").env("JP_SESSION", ""));
    output.fails(
        1,
        "error: there is no terminal here that could have had a conversation before\n\
         Hint: scripts that set `JP_SESSION` to the same text are a terminal\n",
    );
}

#[test]
fn a_word_that_is_none_is_told_with_those_that_are() {
    let one = player(ANSWERS);
    begin(&one);
    ask(&one, &["--id=latest", "Hello"]).fails(
        1,
        "error: there is no conversation `latest`\n\
         Hint: the words are last, last-activated, last-created, previous, prev\n",
    );
}

#[test]
fn a_bare_id_without_anybody_to_ask_is_an_error_that_lists_the_ways() {
    let (one, two) = two_terminals();
    begin(&one);
    let error = "error: this terminal has no conversation yet\n\
         Hint: `jp query --new \"…\"` begins a conversation\n\
         Hint: `jp query --id=ID \"…\"` continues one, and `--id=last` the one last used; \
         `jp conversation ls` lists them\n\
         Hint: scripts that set `JP_SESSION` to the same text share a conversation\n";
    ask(&two, &["Which?"]).fails(1, error);
    let picked = error.replace(
        "this terminal has no conversation yet",
        "there is nobody here who could pick a conversation",
    );
    ask(&one, &["--id", "Which?"]).fails(1, &picked);
    assert_eq!(listed(&one)[0]["events"], 2);
    let mut nowhere = one.jp(&["q", "--non-interactive", "Which?"]);
    let expected = error.replace(
        "this terminal has no conversation yet",
        "there is no terminal here that a conversation could belong to",
    );
    Output::of(nowhere.env_remove("JP_SESSION")).fails(1, &expected);
}

#[test]
fn without_any_conversation_a_query_says_how_to_begin_one() {
    let jp = player(ANSWERS);
    let error = "error: there is no conversation yet\n\
                 Hint: `jp query --new \"…\"` begins a conversation\n";
    for args in [&["Hello"][..], &["--id", "Hello"], &["--id=last", "Hello"], &["--fork", "Hello"]]
    {
        ask(&jp, args).fails(1, error);
    }
}

#[test]
fn new_begins_a_conversation_that_is_the_sessions_own_from_then_on() {
    let one = player(ANSWERS);
    let first = begin(&one);
    let second = begin(&one);
    assert_ne!(first, second);
    went_to(ask(&one, &["More"]), &second);
}

#[test]
fn fork_keeps_everything_and_the_fork_is_the_sessions_own_from_then_on() {
    let one = player(ANSWERS);
    let source = begin(&one);
    let tip = one.tip(&source);
    let output = ask(&one, &["--fork", "Otherwise"]);
    assert_eq!(output.stdout, "Two.\n");
    let fork = newest(&one);
    assert!(output.stderr.contains(&format!("Forked {source} as {fork}\n")), "{}", output.stderr);
    assert_eq!((one.tip(&source), files(&one, &fork).len()), (tip, 4));
    went_to(ask(&one, &["More"]), &fork);
    assert_eq!(one.show(&fork)["forked_from"], *source);
}

#[test]
fn fork_with_a_number_keeps_as_many_turns() {
    let one = player(ANSWERS);
    begin(&one);
    answer(ask(&one, &["Second"]));
    answer(ask(&one, &["Third"]));
    answer(ask(&one, &["--fork=1", "Otherwise"]));
    let fork = newest(&one);
    assert_eq!(one.show(&fork)["turns"], 2);
    assert!(one.run(&["c", "print", &fork, "--turn", "0"]).ok().contains("Third"));
    let refused = ask(&one, &["--fork=0", "Nothing"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
}

#[test]
fn fork_with_an_id_forks_that_conversation() {
    let (one, two) = two_terminals();
    let (first, _) = (begin(&one), begin(&two));
    for name in [first.as_str(), "previous"] {
        two.run(&["c", "use", &first]).ok();
        two.run(&["c", "use", "last-created"]).ok();
        answer(ask(&two, &["--fork", &format!("--id={name}"), "Branch"]));
        assert_eq!(two.show(&newest(&two))["forked_from"], *first, "{name}");
    }
    assert_eq!(files(&one, &first).len(), 2);
}

#[test]
fn a_fork_in_which_nothing_was_asked_after_all_is_put_away() {
    let one = player(ANSWERS);
    let source = begin(&one);
    for args in [
        &["--fork", "--attach", "missing", "Hello"][..],
        &["--fork", "-m", "nobody/knows", "Hello"],
        &["--fork", "--no-edit"],
    ] {
        let failed = ask(&one, args);
        assert_ne!(failed.code, 0, "{args:?}");
        assert!(failed.stderr.contains("is in the trash: nothing was asked in it"), "{args:?}");
        assert_eq!(only(&one), source, "{args:?}");
    }
    went_to(ask(&one, &["More"]), &source);
}

#[test]
fn fork_leaves_a_turn_that_is_not_complete_behind_unless_it_goes_on_with_it() {
    let one = player(ANSWERS);
    let source = begin(&one);
    one.append(&source, &[&request("Unanswered\n")]).ok();
    answer(ask(&one, &["--fork", "Otherwise"]));
    let fork = newest(&one);
    assert!(!one.run(&["c", "print", &fork]).ok().contains("Unanswered"));
    one.run(&["c", "use", &source]).ok();
    answer(ask(&one, &["--fork", "--no-edit"]));
    assert!(one.run(&["c", "print", &newest(&one)]).ok().contains("Unanswered"));
    assert_eq!(one.show(&source)["events"], 3);
}

#[test]
fn a_query_that_is_not_kept_knows_what_the_terminal_is_about() {
    let one = player(ANSWERS);
    let id = begin(&one);
    assert_eq!(answer(ask(&one, &["--no-persist", "Aside"])), "Two.\n");
    assert_eq!(answer(ask(&one, &["--no-persist", "--new", "Aside"])), "One.\n");
    assert_eq!(answer(ask(&one.with_var("JP_SESSION", "two"), &["--no-persist", "Hi"])), "One.\n");
    assert_eq!(one.show(&id)["events"], 2);
}

#[test]
fn fork_without_an_id_forks_no_conversation_of_another_terminal() {
    let (one, two) = two_terminals();
    let (first, second) = (begin(&one), begin(&two));
    let three = one.with_var("JP_SESSION", "three");
    let refused = three.run(&["c", "fork", "--activate"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.starts_with("error: there are 2 conversations: say which one\n"));
    let forked = |terminal: &Jp| {
        let id = terminal.run(&["c", "fork", "--format", "json"]).json()["id"].clone();
        one.show(id.as_str().unwrap())["forked_from"].clone()
    };
    assert_eq!((forked(&one), forked(&two)), (first.into(), second.into()));
}

#[test]
fn fork_fails_if_the_session_has_no_conversation() {
    let (one, two) = two_terminals();
    begin(&one);
    let output = ask(&two, &["--fork", "Hello"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.starts_with("error: this terminal has no conversation yet\n"));
    assert_eq!(listed(&one).len(), 1);
}

#[test]
fn use_turns_the_session_and_changes_nothing_of_the_conversation() {
    let (one, two) = two_terminals();
    let first = begin(&one);
    let second = begin(&two);
    let store = contents(&one.store());
    assert_eq!(two.run(&["c", "use", &first]).ok(), format!("{first} Hello\n"));
    let told = two.run(&["c", "use", "prev", "--format", "json"]).json();
    assert_eq!((&told["id"], &told["title"]), (&second.as_str().into(), &"Hello".into()));
    two.run(&["c", "use", "last"]).ok();
    assert!(contents(&one.store()) == store, "nothing of the store changes");
    went_to(ask(&two, &["More"]), &second);
    two.run(&["c", "use", &first]).ok();
    went_to(ask(&two, &["More"]), &first);
    went_to(ask(&one, &["More"]), &first);
}

#[test]
fn use_needs_a_session_and_a_conversation_that_can_be_gone_on_with() {
    let one = player(ANSWERS);
    let id = begin(&one);
    let mut nowhere = one.jp(&["c", "use", &id]);
    Output::of(nowhere.env_remove("JP_SESSION")).fails(
        1,
        "error: there is no terminal here that a conversation could belong to\n\
         Hint: scripts that set `JP_SESSION` to the same text share a conversation\n",
    );
    assert_eq!(one.run(&["c", "archive", &id]).code, 0);
    one.run(&["c", "use", &id]).fails(
        1,
        &format!(
            "error: conversation {id} is archived\n\
             Hint: `jp conversation unarchive {id}` brings it back\n"
        ),
    );
}

#[test]
fn fork_activate_makes_the_fork_the_conversation_of_the_terminal() {
    let one = player(ANSWERS);
    let source = begin(&one);
    let forked = one.run(&["c", "fork", &source, "--activate"]);
    let fork = forked.stdout.trim_end();
    went_to(ask(&one, &["More"]), fork);
    one.run(&["c", "fork", &source]);
    went_to(ask(&one, &["More"]), fork);
    let mut nowhere = one.jp(&["c", "fork", &source, "--activate"]);
    assert_eq!(Output::of(nowhere.env_remove("JP_SESSION")).code, 1);
    assert_eq!(listed(&one).len(), 3);
}

#[test]
fn the_words_work_wherever_an_id_is_taken() {
    let one = player(ANSWERS);
    let first = begin(&one);
    let second = begin(&one);
    one.write("event.md", message("More.\n"));
    for args in [
        &["c", "show", "WORD"][..],
        &["c", "print", "WORD"],
        &["c", "cat", "WORD", "0"],
        &["c", "log", "WORD"],
        &["c", "diff", "WORD"],
        &["c", "blame", "WORD", "0"],
        &["c", "export", "WORD"],
        &["c", "title", "WORD"],
        &["c", "label", "ls", "WORD"],
        &["c", "fsck", "WORD"],
        &["c", "label", "add", "WORD", "seen"],
        &["c", "grep", "Hello", "WORD"],
        &["c", "edit", "WORD", "--title=Other"],
        &["c", "checkout", "WORD", "written-out"],
        &["c", "append", "WORD", "event.md"],
        &["c", "insert", "WORD", "event.md"],
        &["c", "drop", "WORD", "3"],
        &["c", "move", "WORD", "2", "--after", "1"],
        &["c", "undo", "WORD"],
        &["c", "redo", "WORD"],
        &["c", "compact", "WORD", "--dry-run", "--keep-last=0"],
        &["c", "fork", "WORD"],
        &["c", "archive", "WORD"],
        &["c", "unarchive", "WORD"],
        &["c", "rm", "WORD"],
    ] {
        let args: Vec<_> =
            args.iter().map(|arg| if *arg == "WORD" { "previous" } else { *arg }).collect();
        let by_word = one.run(&args);
        assert_eq!(by_word.code, 0, "{args:?}: {}", by_word.stderr);
        let all = format!("{}{}", by_word.stdout, by_word.stderr);
        assert!(!all.contains(&second), "{args:?}: {all}");
    }
    let trash = one.run(&["c", "ls", "--trash", "--format", "json"]).json();
    assert_eq!(trash[0]["id"], *first);
}

#[test]
fn without_an_id_what_reads_and_what_changes_is_about_the_conversation_of_the_terminal() {
    let (one, two) = two_terminals();
    let first = begin(&one);
    let second = begin(&two);
    for (terminal, id) in [(&one, &first), (&two, &second)] {
        assert_eq!(terminal.run(&["c", "show", "--format", "json"]).json()["id"], **id);
        let undone = terminal.run(&["c", "undo", "--format", "json"]).json();
        assert_eq!(undone["id"], **id);
    }
    // Whoever has none reads what was changed last, and changes nothing.
    let three = one.with_var("JP_SESSION", "three");
    assert_eq!(three.run(&["c", "show", "--format", "json"]).json()["id"], *second);
    assert_eq!(three.run(&["c", "redo"]).code, 1);
}

#[test]
fn a_command_that_needs_no_conversation_looks_for_none() {
    let jp = Jp::in_workspace();
    jp.start(&[&request("One\n"), &message("First\n")]);
    // Whatever looks at it fails.
    jp.write(".jp/store/HEAD", "garbage");
    jp.write(".jp/store/config", "garbage");
    assert_eq!(jp.run(&["c", "ls"]).code, 1);
    for args in [&["config", "show"][..], &["schema", "request"], &["c", "template", "request"]] {
        assert_eq!(jp.run(args).code, 0, "{args:?}");
    }
}

#[test]
fn a_new_query_asks_nobody_what_its_terminal_was_about() {
    let one = player(ANSWERS);
    let id = begin(&one);
    let sessions = fs::read_dir(one.world().join("data/jp/workspace")).unwrap().next().unwrap();
    let sessions = sessions.unwrap().path().join("sessions");
    let mapping = fs::read_dir(&sessions).unwrap().next().unwrap().unwrap().path();
    fs::write(&mapping, "garbage").unwrap();
    let warned = ask(&one, &["Hello"]);
    assert_eq!(warned.code, 1);
    assert!(warned.stderr.starts_with("warning: "), "{}", warned.stderr);
    assert_eq!(only(&one), id);
    let fresh = ask(&one, &["--new", "Hello"]);
    assert_eq!(fresh.code, 0, "{}", fresh.stderr);
}

#[test]
fn need_of_rm_is_the_conversation_that_is_named() {
    let one = player(ANSWERS);
    let id = begin(&one);
    let refused = one.run(&["c", "rm"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert_eq!(only(&one), id);
    assert_eq!(one.run(&["c", "rm", &id]).code, 0);
    assert_eq!(listed(&one).len(), 0);
}

#[test]
fn need_of_ls_is_no_conversation_whatever_the_terminal_is_about() {
    let (one, two) = two_terminals();
    let (first, second) = (begin(&one), begin(&two));
    assert_eq!(one.run(&["c", "rm", &first]).code, 0);
    for terminal in [&one, &two] {
        assert_eq!(only(terminal), second);
    }
}

#[test]
fn need_of_use_is_the_conversation_that_is_named_and_not_that_of_the_terminal() {
    let (one, two) = two_terminals();
    let (first, second) = (begin(&one), begin(&two));
    assert_eq!(one.run(&["c", "rm", &first]).code, 0);
    assert_eq!(one.run(&["c", "use", &second]).ok(), format!("{second} Hello\n"));
    went_to(ask(&one, &["More"]), &second);
}

/// The state of the user for the only workspace.
fn state(jp: &Jp) -> std::path::PathBuf {
    let state = fs::read_dir(jp.world().join("data/jp/workspace")).unwrap().next().unwrap();
    state.unwrap().path()
}

#[test]
fn a_register_that_cannot_be_written_is_a_remark_and_the_terminal_turns_all_the_same() {
    let one = player(ANSWERS);
    let first = begin(&one);
    let second = begin(&one);
    let register = state(&one).join("activated.json");
    fs::remove_file(&register).unwrap();
    fs::create_dir(&register).unwrap();
    let output = one.run(&["c", "use", &first]);
    assert_eq!((output.code, output.stdout), (0, format!("{first} Hello\n")));
    assert!(output.stderr.starts_with("warning: "), "{}", output.stderr);
    went_to(ask(&one, &["--id=prev", "Back"]), &second);
}

#[test]
fn previous_says_so_if_it_cannot_be_read_what_the_terminal_had_before() {
    let one = player(ANSWERS);
    begin(&one);
    let mapping = fs::read_dir(state(&one).join("sessions")).unwrap().next().unwrap();
    fs::write(mapping.unwrap().path(), "garbage").unwrap();
    let output = ask(&one, &["--id=previous", "Back"]);
    assert_eq!(output.code, 1);
    let why = "error: what this terminal had before is not known: ";
    assert!(output.stderr.starts_with(why), "{}", output.stderr);
}
