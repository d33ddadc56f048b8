//! Forks: a branch from the same commit, cut as asked, with its lineage.

use serde_json::{Value, json};

use crate::support::{Jp, addresses, attachment, call, hinted, message, request, result};

/// Three turns: 000–001, 002–005 with a tool, 006–007.
fn three_turns(jp: &Jp) -> String {
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let second = [request("Two\n"), call("c1"), result("c1", "found\n"), message("Second\n")];
    jp.append(&id, &second.each_ref().map(String::as_str)).ok();
    jp.append(&id, &[&request("Three\n"), &message("Third\n")]).ok();
    id
}

fn fork(jp: &Jp, args: &[&str]) -> String {
    let mut all = vec!["c", "fork"];
    all.extend(args);
    let output = jp.run(&all);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout.trim_end().to_owned()
}

fn files(jp: &Jp, id: &str) -> Vec<String> {
    let stream = jp.show(id)["stream"].clone();
    let file = |event: &Value| event["file"].as_str().unwrap().to_owned();
    stream.as_array().unwrap().iter().map(file).collect()
}

#[test]
fn a_fork_shares_its_past_and_names_it() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let tip = jp.tip(&id);
    let output = jp.run(&["c", "fork", &id]);
    let copy = output.stdout.trim_end().to_owned();
    assert_eq!(
        output.stderr,
        format!(
            "Forked from {id} with 8 events\nHint: `jp conversation rm {copy}` takes it back\n"
        )
    );
    assert_eq!(jp.git(&["merge-base", &id, &copy]).trim_end(), tip);
    assert_eq!(jp.git(&["rev-parse", &format!("{copy}^")]).trim_end(), tip);
    assert_eq!(files(&jp, &copy), files(&jp, &id));
    assert_eq!(jp.show(&copy)["forked"], json!({"from": id, "commit": tip}));
    jp.append(&copy, &[&request("Only here\n")]).ok();
    assert_eq!(jp.tip(&id), tip);
    let tree = jp.run(&["c", "ls", "--tree"]).ok();
    let first: Vec<_> = tree.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(first, ["ID", id.as_str(), format!("└ {copy}").as_str()]);
    jp.assert_sound();
}

#[test]
fn a_fork_keeps_what_was_asked_for() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let all = files(&jp, &id);
    for (args, kept) in [
        (&["--last", "1"][..], 6..8),
        (&["--last", "2"], 2..8),
        (&["--last", "9"], 0..8),
        (&["--first", "1"], 0..2),
        (&["--from", "turn 1", "--until", "turn 1"], 2..6),
        (&["--from", "004", "--until", "7"], 2..8),
        (&["--until", "003-tool-call-read.md"], 0..4),
        (&["--from", "2"], 2..8),
    ] {
        let mut all_args = vec![id.as_str()];
        all_args.extend(args);
        let copy = fork(&jp, &all_args);
        assert_eq!(files(&jp, &copy), all[kept], "{args:?}");
        assert_eq!(jp.run(&["c", "fsck", &copy]).ok(), "", "{args:?}");
        let next = match jp.show(&copy)["status"].as_str().unwrap() {
            "idle" => request("On we go\n"),
            _ => result("c1", "found\n"),
        };
        jp.append(&copy, &[&next]).ok();
        let last = files(&jp, &copy).pop().unwrap();
        assert!(last.starts_with("008-"), "a number is not given again: {last}");
    }
    jp.assert_sound();
}

#[test]
fn a_cut_in_the_middle_of_a_turn_makes_an_incomplete_one() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let copy = fork(&jp, &[&id, "--until", "3"]);
    assert_eq!(jp.show(&copy)["status"], "interrupted (pending tool execution)");
    let copy = fork(&jp, &[&id, "--until", "4"]);
    assert_eq!(jp.show(&copy)["status"], "interrupted (pending follow-up)");
    let again = fork(&jp, &[&copy]);
    assert_eq!(jp.show(&again)["status"], "interrupted (pending follow-up)");
    let only = fork(&jp, &[&copy, "--last", "1"]);
    assert_eq!(jp.show(&only)["status"], "interrupted (pending follow-up)");
}

#[test]
fn a_fork_of_an_earlier_version_starts_there() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let copy = fork(&jp, &[&id, "--at", "turn 0", "--title", "Another way"]);
    assert_eq!(files(&jp, &copy), ["000-request.md", "001-message.md"]);
    assert_eq!(jp.show(&copy)["title"], "Another way");
    let base = jp.git(&["merge-base", &id, &copy]);
    assert_eq!(base, jp.git(&["rev-parse", &format!("{id}~6")]));
}

#[test]
fn a_fork_stays_a_fork_whatever_is_brought_back() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let copy = fork(&jp, &[&id]);
    let forked = jp.show(&copy)["forked"].clone();
    jp.run(&["c", "undo", &copy]).fails(
        1,
        &format!(
            "error: {copy}: nothing is left to undo: the conversation begins here\n\
             Hint: `jp conversation rm {copy}` moves it to the trash\n"
        ),
    );
    assert_eq!(jp.run(&["c", "restore", &copy, "--at", "turn 0"]).code, 0);
    assert_eq!(files(&jp, &copy), ["000-request.md", "001-message.md"]);
    assert_eq!(jp.show(&copy)["forked"], forked);
    assert_eq!(jp.run(&["c", "undo", &copy]).code, 0);
    assert_eq!(files(&jp, &copy).len(), 8);
}

#[test]
fn what_would_keep_nothing_is_refused() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let hint = format!("Hint: `jp conversation show {id}` lists its events\n");
    for args in [&["--last", "0"][..], &["--from", "6", "--until", "1"]] {
        let mut all = vec!["c", "fork", id.as_str()];
        all.extend(args);
        let error = format!("error: nothing of conversation {id} would be kept\n{hint}");
        jp.run(&all).fails(1, &error);
    }
    for place in ["--from", "--until"] {
        let error =
            format!("error: conversation {id} has no turn 9: there are turns 0 to 2\n{hint}");
        jp.run(&["c", "fork", &id, place, "turn 9"]).fails(1, &error);
    }
    let error = format!("error: conversation {id} has no event 099\n{hint}");
    jp.run(&["c", "fork", &id, "--until", "99"]).fails(1, &error);
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).json().as_array().unwrap().len(), 1);
}

#[test]
fn a_graph_shows_forks_of_the_same_root() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let copy = fork(&jp, &[&id, "--at", "turn 1"]);
    let graph = jp.run(&["c", "log", &copy, "--graph"]).ok();
    let shape: Vec<_> = graph.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(shape.len(), 5, "{graph}");
    assert_eq!(shape[2..], ["├─╯", "○", "○"], "{graph}");
    assert!(graph.contains(&format!("[{id}]")) && graph.contains(&format!("[{copy}]")), "{graph}");
}

#[test]
fn a_graph_goes_on_where_the_history_of_one_relative_breaks_off() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let copy = fork(&jp, &[&id]);
    let whole = jp.run(&["c", "log", &id, "--graph"]).ok();
    let who = "Ann <ann@example.com> 1700000000 +0000";
    let (tree, lost) = (jp.tree(&copy), "1".repeat(40));
    let commit = format!("tree {tree}\nparent {lost}\nauthor {who}\ncommitter {who}\n\nby hand\n");
    let commit = jp.git_with_input(&["hash-object", "-t", "commit", "-w", "--stdin"], commit);
    jp.force(&copy, &commit);
    for (own, other) in [(&id, &copy), (&copy, &id)] {
        let log = jp.run(&["c", "log", own, "--graph"]);
        let warning =
            format!("warning: conversation {copy} cannot be read: object {lost} is missing\n");
        assert_eq!((log.code, log.stderr), (0, warning));
        assert!(log.stdout.contains(&format!("[{own}]")), "{}", log.stdout);
        assert!(log.stdout.contains(&format!("[{other}]")), "{}", log.stdout);
        // Where it came from is not known, nor how many events it made.
        assert_eq!(log.stdout.lines().count(), whole.lines().count(), "{}", log.stdout);
        let broken = log.stdout.lines().find(|line| line.contains("by hand")).unwrap();
        assert!(broken.contains("  ?  "), "{broken}");
    }
}

#[test]
fn forks_of_one_conversation_hang_on_one_line() {
    let jp = Jp::in_workspace();
    let id = three_turns(&jp);
    let (one, two) = (fork(&jp, &[&id]), fork(&jp, &[&id]));
    let below = fork(&jp, &[&one]);
    let listed = jp.run(&["c", "ls", "--tree", "--sort", "created"]).ok();
    let ids: Vec<_> = listed.lines().skip(1).map(|line| line.split("  ").next().unwrap()).collect();
    let expected = [id.clone(), format!("├ {two}"), format!("└ {one}")];
    assert_eq!(ids[..3], expected, "{listed}");
    assert!(listed.lines().last().unwrap().starts_with(&format!("  └ {below}")), "{listed}");
}

#[test]
fn a_fork_of_the_last_turn_has_that_turn_although_something_waits_for_the_next() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    jp.append(&id, &[&attachment()]).ok();
    let fork = jp.run(&["c", "fork", &id, "--last", "1"]).stdout;
    assert_eq!(addresses(&jp, fork.trim_end(), &[]), [2, 3, 4]);
}

#[test]
fn a_fork_up_to_a_turn_that_is_not_there_is_refused() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    assert_eq!(jp.run(&["c", "fork", &id, "--until", "turn 1"]).code, 1);
    assert_eq!(jp.run(&["c", "fork", &id, "--until", "turn 0"]).code, 0);
}

#[test]
fn a_cut_that_damage_prevents_is_hinted_to_be_mended() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.edit(&id, "001-message.md", "no frontmatter\n");
    let refused = jp.run(&["c", "fork", &id, "--last", "1"]);
    assert_eq!(refused.code, 1);
    let commands = hinted(&refused.stderr);
    assert!(commands.iter().any(|words| words.contains(&"fsck".to_owned())), "{commands:?}");
}

#[test]
fn a_conversation_that_is_its_own_origin_has_its_forks_below_it() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let fork = jp.run(&["c", "fork", &id]).stdout.trim_end().to_owned();
    jp.git(&["push", "-q", ".", &format!("{fork}:{id}")]);
    let listed = jp.run(&["c", "ls", "--tree"]).ok();
    assert!(listed.contains(&format!("└ {fork}")), "{listed}");
}
