//! Prompts at a pseudo terminal, with its other side as the person.

use std::{
    fs::File,
    io::{Read, Write},
    os::fd::AsFd,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

use rustix::{
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};

use super::{super::interrupt::Interruption as Then, tty::Tty, *};
use crate::{
    env::Env,
    model::{
        Answer, AnswerType, Arguments, Block, CallId, Choice, Outcome, Timestamp, ToolCall,
        ToolName,
    },
    ui::Style,
};

/// One terminal is changed at a time, as in the program.
static ALONE: Mutex<()> = Mutex::new(());

/// The person at a terminal.
struct Person {
    keys: File,
    terminal: File,
    seen: String,
    _alone: MutexGuard<'static, ()>,
}

fn env() -> Env {
    let vars = [("JP_PAGER", "cat"), ("PATH", "/usr/bin:/bin")];
    let vars = vars.map(|(name, value)| (name.into(), value.into()));
    Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))
}

impl Person {
    fn new() -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        let terminal = File::from(ioctl_tiocgptpeer(&person, flags).unwrap());
        let size = Winsize { ws_row: 12, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).unwrap();
        Self { keys: File::from(person), terminal, seen: String::new(), _alone: alone }
    }

    fn modes(&self) -> LocalModes {
        tcgetattr(self.terminal.as_fd()).unwrap().local_modes
    }

    /// Reads until the screen has shown a text.
    fn wait_for(&mut self, text: &str) {
        let mut bytes = [0; 1024];
        while !self.seen.contains(text) {
            let count = self.keys.read(&mut bytes).unwrap();
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        let end = self.seen.find(text).unwrap() + text.len();
        self.seen.drain(..end);
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }
}

/// Asks in one thread, while this one waits for texts and presses keys after each.
fn asked<T: Send>(
    ask: impl FnOnce(&mut Prompter<'_>, &Wake) -> T + Send,
    script: &[(&str, &str)],
) -> T {
    let mut person = Person::new();
    let before = person.modes();
    let terminal = person.terminal.try_clone().unwrap();
    let asked = thread::scope(|scope| {
        let asking = scope.spawn(move || {
            let env = env();
            let tty = Tty::of(terminal);
            let mut prompter = Prompter { tty, env: &env, style: Style::PLAIN };
            ask(&mut prompter, &Wake::new().unwrap())
        });
        for (shown, keys) in script {
            person.wait_for(shown);
            person.press(keys);
        }
        asking.join().unwrap()
    });
    assert_eq!(person.modes(), before, "the terminal is left as it was found");
    asked
}

fn question(text: &str, answer: AnswerType) -> Question {
    Question { text: text.to_owned(), answer }
}

fn open(answer: Answer) -> Asked<Reply> {
    Asked::Answered(Reply::Open(answer))
}

#[test]
fn yes_and_no_are_one_key() {
    let question = question("Sure?", AnswerType::Boolean { default: Some(false) });
    for (keys, expected) in [
        ("y", open(Answer::Boolean(true))),
        ("N", open(Answer::Boolean(false))),
        ("xq\ty", open(Answer::Boolean(true))),
        ("\r", open(Answer::Boolean(false))),
        ("\x03", Asked::Cancelled),
        ("\x04", Asked::Cancelled),
        ("\x1b[200~y\r\x1b[201~n", open(Answer::Boolean(false))),
    ] {
        let script = [("Sure?  [y] yes  [N] no ", keys)];
        assert_eq!(asked(|prompter, wake| prompter.ask(&question, wake), &script), expected);
    }
}

#[test]
fn an_option_is_chosen_by_its_number() {
    let option =
        |value: &str| Choice { value: value.to_owned(), description: Some("x".to_owned()) };
    let options = ["red", "green\u{1b}[2J", "blue"].map(option).to_vec();
    let default = Some("blue".to_owned());
    let few = question("Which?", AnswerType::Select { options, default });
    for (keys, expected) in [("2", "green\u{1b}[2J"), ("\r", "blue"), ("91", "red")] {
        let script = [("  2  green\\u{1b}[2J  x", ""), ("[1]  [2]  [3] ", keys)];
        let asked = asked(|prompter, wake| prompter.ask(&few, wake), &script);
        assert_eq!(asked, open(Answer::Select(expected.to_owned())));
    }
    let options = (0..12).map(|number| option(&format!("n{number}"))).collect();
    let many = question("Which?", AnswerType::Select { options, default: None });
    let script = [("number: ", "13\r"), ("1 to 12", ""), ("number: ", "12\r")];
    let asked = asked(|prompter, wake| prompter.ask(&many, wake), &script);
    assert_eq!(asked, open(Answer::Select("n11".to_owned())));
}

#[test]
fn a_text_is_typed_corrected_and_pasted() {
    let with = |default: Option<&str>, keys: &str| {
        let default = default.map(str::to_owned);
        let question = question("Name?", AnswerType::Text { default });
        asked(|prompter, wake| prompter.ask(&question, wake), &[("> ", keys)])
    };
    let text = |text: &str| open(Answer::Text(text.into()));
    assert_eq!(with(None, "abx\x7fc ü\r"), text("abc ü"));
    // It stays on the screen, even if it came at once with its end.
    let script = [("> ", "at once\r"), ("> at once", "")];
    let typed = asked(|prompter, wake| prompter.text("> ", wake), &script);
    assert_eq!(typed, Asked::Answered("at once".to_owned()));
    assert_eq!(with(None, "a\x1b\rb\x1b[200~c\rd\x1b[201~\r"), text("a\nbc\nd"));
    assert_eq!(with(Some("me"), "\r"), text("me"));
    assert_eq!(with(None, "\r"), text(""));
    assert_eq!(with(None, "half\x03"), Asked::Cancelled);
    let long = "x".repeat(20_000);
    let asked = asked(
        |prompter, wake| prompter.text("> ", wake),
        // A pseudo terminal takes only so much at a time.
        &[("> ", &long[..4000]), ("", &long[..4000]), ("…", "\r")],
    );
    assert!(matches!(asked, Asked::Answered(text) if text.len() == 8000));
}

#[test]
fn a_secret_is_not_shown_and_not_stored() {
    let question = question("Password?", AnswerType::Secret);
    let mut seen = String::new();
    let asked = {
        let mut person = Person::new();
        let terminal = person.terminal.try_clone().unwrap();
        thread::scope(|scope| {
            let asking = scope.spawn(|| {
                let env = env();
                let mut prompter =
                    Prompter { tty: Tty::of(terminal), env: &env, style: Style::PLAIN };
                let asked = prompter.ask(&question, &Wake::new().unwrap());
                prompter.say("that was it");
                asked
            });
            person.wait_for("> ");
            person.press("hunter2\r");
            let mut bytes = [0; 1024];
            while !seen.contains("that was it") {
                let count = person.keys.read(&mut bytes).unwrap();
                seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
            asking.join().unwrap()
        })
    };
    assert!(!seen.contains("hunter"), "{seen:?}");
    let Asked::Answered(reply) = asked else { panic!("{asked:?}") };
    assert!(!format!("{reply:?}").contains("hunter"));
    assert_eq!(reply.outcome(), Outcome::Redacted);
    let Reply::Secret(secret) = reply else { panic!("{reply:?}") };
    assert_eq!(secret.reveal(), "hunter2");
}

#[test]
fn another_thread_can_end_a_question() {
    let mut person = Person::new();
    let before = person.modes();
    let terminal = person.terminal.try_clone().unwrap();
    let wake = Wake::new().unwrap();
    let waker = wake.waker();
    let asked = thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let env = env();
            let mut prompter = Prompter { tty: Tty::of(terminal), env: &env, style: Style::PLAIN };
            prompter.text("> ", &wake)
        });
        person.wait_for("> ");
        person.press("half");
        person.wait_for("half");
        assert!(!person.modes().contains(LocalModes::ICANON));
        waker.wake();
        asking.join().unwrap()
    });
    assert_eq!(asked, Asked::Woken("half".to_owned()));
    assert_eq!(person.modes(), before);
}

#[test]
fn a_terminal_that_is_gone_answers_nothing() {
    let person = Person::new();
    let terminal = person.terminal.try_clone().unwrap();
    let Person { mut keys, _alone, .. } = person;
    let asked = thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let env = env();
            let mut prompter = Prompter { tty: Tty::of(terminal), env: &env, style: Style::PLAIN };
            prompter.menu(false, &Wake::new().unwrap())
        });
        let mut bytes = [0; 1024];
        let mut seen = String::new();
        while !seen.contains("abort ") {
            let count = keys.read(&mut bytes).unwrap();
            seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        drop(keys);
        asking.join().unwrap()
    });
    assert_eq!(asked, Asked::Gone);
}

fn call(arguments: &str) -> ToolCall {
    ToolCall {
        tool: ToolName::new("fs_write\u{1b}[2J"),
        id: CallId::new("call"),
        arguments: Arguments::new(arguments),
        block: Block::default(),
    }
}

fn proposal(call: &ToolCall) -> Proposal<'_> {
    Proposal { call, preview: None, is_command: false, problem: None }
}

#[test]
fn a_tool_runs_only_if_somebody_says_so() {
    let call = call("{\"path\":\"\u{202e}txt.exe\",\"mode\":0644e0}");
    let proposal = &proposal(&call);
    let decide = |keys: &str| {
        let script = [
            ("fs_write\\u{1b}[2J wants to run with", ""),
            ("\\u{202e}txt.exe", ""),
            ("[s] show ", keys),
        ];
        asked(|prompter, wake| prompter.permit(proposal, wake), &script)
    };
    assert_eq!(decide("y"), Asked::Answered(Permission::Run));
    assert_eq!(decide(" \x1b[Aa"), Asked::Answered(Permission::RunAlways));
    assert_eq!(decide("e"), Asked::Answered(Permission::Edit));
    assert_eq!(decide("\r"), Asked::Answered(Permission::Refuse(None)), "the default is no");
    assert_eq!(decide("xvn"), Asked::Answered(Permission::Refuse(None)));
    assert_eq!(decide("\x03"), Asked::Cancelled);
    let script = [("[s] show ", "r"), ("Reason: ", "not there\r")];
    let asked = asked(|prompter, wake| prompter.permit(proposal, wake), &script);
    assert_eq!(asked, Asked::Answered(Permission::Refuse(Some("not there".to_owned()))));
}

#[test]
fn long_arguments_are_shown_whole() {
    let call = call(&format!("{{\"content\":\"{}the end\"}}", "x".repeat(5000)));
    let script = [("the end\"", ""), ("[s] show ", "y")];
    let asked = asked(|prompter, wake| prompter.permit(&proposal(&call), wake), &script);
    assert_eq!(asked, Asked::Answered(Permission::Run));
}

#[test]
fn nobody_can_agree_to_what_was_not_shown() {
    let call = call(&format!("[{}\"the end\"]", "1,".repeat(5000)));
    let script = [("5003 lines", ""), ("[s] show ", "yas"), ("the end\"", ""), ("[s] show ", "y")];
    let asked = asked(|prompter, wake| prompter.permit(&proposal(&call), wake), &script);
    assert_eq!(asked, Asked::Answered(Permission::Run));
}

#[test]
fn what_is_wrong_can_be_edited_again_and_not_be_run() {
    let call = call("{}");
    let proposal = Proposal { problem: Some("`path` is missing"), ..proposal(&call) };
    let script = [("`path` is missing", ""), ("Edit it again?", ""), ("[s] show ", "yae")];
    let asked = asked(|prompter, wake| prompter.permit(&proposal, wake), &script);
    assert_eq!(asked, Asked::Answered(Permission::Edit));
}

#[test]
fn what_would_change_stands_below_the_arguments() {
    let call = call("{}");
    let preview = Some("--- a\n+++ b\n+\u{1b}[2J new\n");
    let proposal = Proposal { preview, is_command: true, ..proposal(&call) };
    let script = [("and would change", ""), ("+\\u{1b}[2J new", ""), ("always this command", "a")];
    let asked = asked(|prompter, wake| prompter.permit(&proposal, wake), &script);
    assert_eq!(asked, Asked::Answered(Permission::RunAlways));
}

#[test]
fn a_result_is_handed_over_only_if_somebody_says_so() {
    let call = call("{}");
    let decide = |keys: &str| {
        let script = [("has come to", ""), ("  secret\\u{7}", ""), ("[s] show ", keys)];
        asked(|prompter, wake| prompter.hand_over(&call, "secret\u{7}\n", wake), &script)
    };
    assert_eq!(decide("y"), Asked::Answered(Handover::Deliver));
    assert_eq!(decide("e"), Asked::Answered(Handover::Edit));
    assert_eq!(decide("\r"), Asked::Answered(Handover::Withhold), "the default is no");
    assert_eq!(decide("n"), Asked::Answered(Handover::Withhold));
}

#[test]
fn the_menu_has_four_ways_out() {
    let menu = |script: &[(&str, &str)]| asked(|prompter, wake| prompter.menu(false, wake), script);
    let shown = "[c] continue  [s] stop and keep what came  [r] reply  [a] abort ";
    for (keys, then) in
        [("c", Then::Continue), ("s", Then::Stop), ("\x03", Then::Stop), ("a", Then::Abort)]
    {
        assert_eq!(menu(&[(shown, keys)]), Asked::Answered(then));
    }
    let reply = menu(&[(shown, "r"), ("Reply: ", "\r"), (shown, "r"), ("Reply: ", "shorter\r")]);
    assert_eq!(reply, Asked::Answered(Then::Reply("shorter".to_owned())));
    let detach = asked(|prompter, wake| prompter.menu(true, wake), &[("[d] detach ", "d")]);
    assert_eq!(detach, Asked::Answered(Then::Detach));
}

#[test]
fn a_panic_gives_the_whole_screen_back() {
    let mut person = Person::new();
    let before = person.modes();
    let terminal = person.terminal.try_clone().unwrap();
    let panicked = thread::spawn(move || {
        let tty = Tty::of(terminal);
        // A process that is aborted drops nothing.
        std::mem::forget(tty.take_over().unwrap());
        panic!("in the middle of a list");
    });
    assert!(panicked.join().is_err());
    person.wait_for("\u{1b}[?1049h");
    person.wait_for("\u{1b}[?25h\u{1b}[?1049l");
    assert_eq!(person.modes(), before);
}
