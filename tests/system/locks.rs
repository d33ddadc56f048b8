//! Two terminals that want the same conversation: what the second is asked, and where it goes on.

use serde_json::Value;

use crate::{
    query::{begin, player, until},
    support::{Jp, message, request},
    terminal::Terminal,
};

/// A model that never ends what begins, and answers everything else.
const SCRIPT: &str = r#"
[[answer]]
when = "begin"
step = [{ text = "Slowly.\n\n" }, { delay = 600000 }, { text = "Never." }]
[[answer]]
text = "Yes."
[[answer]]
text = "Yes again."
"#;

/// What a query asks whoever would have to wait.
const CHOICES: &str = "What now?  [W] wait on  [n] new conversation  [f] fork this one  [c] cancel";

/// A conversation with one turn, and in one terminal a query that has begun another.
struct Contention {
    jp: Jp,
    id: String,
}

impl Contention {
    fn new() -> Self {
        let jp = player(SCRIPT);
        let id = jp.start(&[&request("One\n"), &message("First\n")]);
        Self { jp, id }
    }

    /// The terminal whose query has the lock.
    fn holder(&self) -> Terminal<'_> {
        let terminal = self.shell("holder");
        begin(&terminal, &format!("jp q --id={} begin; echo status $?", self.id));
        terminal.wait_for("Slowly.");
        terminal
    }

    fn shell(&self, name: &'static str) -> Terminal<'_> {
        let terminal = Terminal::named_shell(name, &self.jp, &["bash", "--norc", "--noprofile"]);
        terminal.run(&format!("id={}; clear", self.id));
        terminal
    }

    /// A second terminal that waits for the answer to what it is asked.
    fn contender(&self, command: &str, choices: &str) -> Terminal<'_> {
        let terminal = self.shell("contender");
        begin(&terminal, &format!("{command}; echo status $?"));
        terminal.wait_for(choices);
        terminal
    }

    /// What was asked in a conversation.
    fn requests(&self, id: &str) -> Vec<String> {
        let text = self.jp.messages(id, &[]).to_string();
        ["One", "begin", "Three"]
            .into_iter()
            .filter(|asked| text.contains(&format!("\"{asked}")))
            .map(str::to_owned)
            .collect()
    }

    /// The conversations beside the one that is locked.
    fn others(&self) -> Vec<Value> {
        let all = self.jp.run(&["c", "ls", "--format", "json"]).json();
        let all = all.as_array().unwrap().iter();
        all.filter(|row| row["id"] != self.id.as_str()).cloned().collect()
    }
}

/// Ends the query that has the lock.
fn end(holder: &Terminal<'_>) {
    holder.press("C-c");
    holder.wait_for("[a] abort");
    holder.type_text("s");
    holder.wait_for("status 0");
}

/// What was asked in the conversation when nobody else has come in.
fn before() -> Vec<String> {
    ["One", "begin"].map(str::to_owned).to_vec()
}

const QUERY: &str = "jp q --id=$id Three";

#[test]
fn a_question_goes_away_by_itself_when_the_lock_is_free() {
    let both = Contention::new();
    let holder = both.holder();
    let contender = both.contender(QUERY, CHOICES);
    let (id, session) = (&both.id, holder.ask("#{pane_pid}"));
    let screen = contender.screen();
    let locked = format!("Conversation {id} is locked (held by pid ");
    assert!(screen.contains(&locked), "{screen}");
    assert!(screen.contains(&format!(", session {session})")), "{session}: {screen}");
    end(&holder);
    contender.wait_for(&format!("Conversation {id} is free: going on"));
    let screen = contender.wait_for("status 0");
    assert!(screen.contains("Yes."), "{screen}");
    assert_eq!(both.requests(id), ["One", "begin", "Three"]);
    assert_eq!(both.others(), [] as [Value; 0]);
}

#[test]
fn whoever_waits_on_sees_for_what_and_goes_on_when_the_lock_is_free() {
    let both = Contention::new();
    let holder = both.holder();
    let contender = both.contender(QUERY, CHOICES);
    contender.type_text("w");
    contender.wait_for(&format!("s · waiting for conversation {} (held by pid ", both.id));
    end(&holder);
    let screen = contender.wait_for("status 0");
    assert!(screen.contains("Yes.") && !screen.contains("· waiting for"), "{screen}");
    assert_eq!(both.requests(&both.id), ["One", "begin", "Three"]);
}

#[test]
fn whoever_waits_on_is_asked_again_when_their_patience_is_over() {
    let both = Contention::new();
    let _holder = both.holder();
    let contender = both.contender(&format!("JP_LOCK_DURATION=1s {QUERY}"), CHOICES);
    contender.press("Enter");
    let again = |screen: &str| screen.matches(CHOICES).count() == 2;
    let screen = contender.wait("the second question", again);
    assert!(!screen.contains("· waiting for"), "{screen}");
    contender.type_text("c");
    contender.wait_for("status 75");
}

#[test]
fn a_new_conversation_takes_what_was_asked() {
    let both = Contention::new();
    let _holder = both.holder();
    let contender = both.contender(QUERY, CHOICES);
    contender.type_text("n");
    let screen = contender.wait_for("status 0");
    assert!(screen.contains("Yes."), "{screen}");
    let [new] = &both.others()[..] else { panic!("one more conversation") };
    assert_eq!(new["forked_from"], Value::Null);
    assert_eq!(both.requests(new["id"].as_str().unwrap()), ["Three"]);
    assert_eq!(both.requests(&both.id), ["One", "begin"]);
    // It is the conversation of that terminal from now on.
    let screen = contender.run("clear; jp q and more; echo status $?");
    assert!(screen.contains("Yes again."), "{screen}");
}

#[test]
fn a_fork_takes_what_was_asked_and_leaves_the_turn_that_is_being_written_behind() {
    let both = Contention::new();
    let _holder = both.holder();
    let contender = both.contender(QUERY, CHOICES);
    contender.type_text("f");
    let screen = contender.wait_for("status 0");
    let forked = format!("Forked {} as ", both.id);
    assert!(screen.contains(&forked) && screen.contains("Yes."), "{screen}");
    let [fork] = &both.others()[..] else { panic!("one more conversation") };
    assert_eq!(fork["forked_from"], both.id.as_str());
    assert_eq!(both.requests(fork["id"].as_str().unwrap()), ["One", "Three"]);
    assert_eq!(both.requests(&both.id), ["One", "begin"]);
}

#[test]
fn a_fork_of_what_has_no_complete_turn_is_a_new_conversation() {
    let both = Contention::new();
    let holder = both.shell("holder");
    begin(&holder, "jp q --new begin");
    holder.wait_for("Slowly.");
    let [new] = &both.others()[..] else { panic!("one more conversation") };
    let id = new["id"].as_str().unwrap();
    let contender = both.contender(&format!("jp q --id={id} Three"), CHOICES);
    contender.type_text("f");
    let screen = contender.wait_for("status 0");
    assert!(screen.contains(&format!("{id} has no complete turn yet")), "{screen}");
    assert_eq!(both.others().len(), 2);
    assert_eq!(both.requests(id), ["begin"]);
}

#[test]
fn whoever_cancels_is_told_who_has_the_lock_and_changes_nothing() {
    let both = Contention::new();
    let _holder = both.holder();
    let contender = both.contender(QUERY, CHOICES);
    contender.type_text("c");
    let screen = contender.wait_for("status 75");
    assert!(
        screen.contains(&format!("error: conversation {} is still locked", both.id)),
        "{screen}"
    );
    assert!(screen.contains("Hint: `jp query --new \"…\"` begins a new one"), "{screen}");
    assert_eq!((both.requests(&both.id), both.others().len()), (before(), 0));
}

#[test]
fn an_interrupt_ends_it_at_the_question_and_while_it_is_waited() {
    let both = Contention::new();
    let _holder = both.holder();
    let contender = both.contender(QUERY, CHOICES);
    contender.press("C-c");
    contender.wait_for("status 130");
    contender.run("clear");
    begin(&contender, &format!("{QUERY}; echo status $?"));
    contender.wait_for(CHOICES);
    contender.type_text("w");
    contender.wait_for("s · waiting for conversation");
    contender.press("C-c");
    let screen = contender.wait_for("status 130");
    assert!(!screen.contains("· waiting for"), "{screen}");
    // What is typed is seen again.
    assert!(contender.run("clear; echo in order").starts_with("in order\n"));
    assert_eq!((both.requests(&both.id), both.others().len()), (before(), 0));
}

#[test]
fn an_interrupt_ends_a_command_about_several_conversations() {
    let both = Contention::new();
    let _holder = both.holder();
    let other = both.jp.start(&[&request("Other\n")]);
    both.jp.edit(&other, "000-request.md", "damaged\n");
    let damaged = both.jp.tip(&other);
    let choices = "What now?  [W] wait on  [c] cancel";
    let command = format!("jp c fsck --repair $id {other}");
    let contender = both.contender(&command, choices);
    contender.press("C-c");
    contender.wait_for("status 130");
    assert_eq!(both.jp.tip(&other), damaged, "the next one is left alone");
}

#[test]
fn a_signal_at_the_question_leaves_the_terminal_as_it_was() {
    let both = Contention::new();
    let _holder = both.holder();
    let contender = both.contender("sh -c 'echo $$ >pid; exec jp q --id=$0 Three' $id", CHOICES);
    let pid = std::fs::read_to_string(both.jp.path("pid")).unwrap();
    let killed = both.jp.command("kill").args(["-TERM", pid.trim()]).status().unwrap();
    assert!(killed.success());
    contender.wait_for("status 143");
    assert!(contender.run("clear; echo in order").starts_with("in order\n"));
}

#[test]
fn other_commands_wait_or_are_cancelled() {
    let both = Contention::new();
    let holder = both.holder();
    let choices = "What now?  [W] wait on  [c] cancel";
    let contender = both.contender("jp c title $id Mine", choices);
    contender.type_text("n");
    contender.type_text("c");
    let screen = contender.wait_for("status 75");
    assert!(!screen.contains("jp query"), "{screen}");
    contender.run("clear");
    begin(&contender, "jp c title $id Mine; echo status $?");
    contender.wait_for(choices);
    end(&holder);
    contender.wait_for("status 0");
    assert_eq!(both.jp.show(&both.id)["title"], "Mine");
}

#[test]
fn nobody_is_asked_who_wants_no_questions_or_works_in_the_background() {
    let both = Contention::new();
    let holder = both.holder();
    let contender = both.shell("contender");
    begin(&contender, "jp q --non-interactive --id=$id Three; echo status $?");
    contender.wait_for("Waiting for the lock on conversation");
    contender.press("C-c");
    contender.wait_for("status 130");
    contender.run("clear");
    begin(&contender, "jp c title $id Mine & wait; echo status $?");
    contender.wait_for("Waiting for the lock on conversation");
    end(&holder);
    contender.wait_for("status 0");
    until("the title", || both.jp.show(&both.id)["title"] == "Mine");
}
