//! An answer as it comes to a real terminal: text, status line, questions, interrupts.
//!
//! What is looked at is this test binary itself: in the terminal it is started once more, and plays
//! the part that a variable names.

#![expect(clippy::print_stdout, reason = "a part speaks to the terminal that it is played in")]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use jp::{
    env::Env,
    model::{Arguments, Block, CallId, ToolCall, ToolName},
    ui::{
        AnswerFormat, Asked, Channels, Chrome, Interruption, Press, Presses, Prompter, Proposal,
        Signal, Signals, Status, Style, Wake,
    },
};

use crate::{support::Jp, terminal::Terminal, user};

/// Text that renames the window, clears the screen and paints it red.
const HOSTILE: &str = "\u{1b}]2;pwned\u{7}\u{1b}[2J\u{1b}[H\u{1b}[31m\u{9b}31m";

#[test]
fn part() {
    let Some(part) = std::env::var_os("JP_TEST_PART") else { return };
    // Behind what the test harness says.
    println!();
    match part.to_str() {
        Some("answer") => play_answer(),
        Some("permission") => play_permission(),
        Some("interrupts") => play_interrupts(),
        other => panic!("there is no such part: {other:?}"),
    }
}

/// A terminal in which a part is played.
fn stage<'a>(jp: &'a Jp, part: &str) -> Terminal<'a> {
    let part = format!("JP_TEST_PART={part}");
    let steps = format!("JP_TEST_STEPS={}", jp.world().display());
    let this = std::env::current_exe().unwrap();
    let args = ["--exact", "answers::part", "--nocapture", "--test-threads=1"];
    let mut program = vec!["env", &part, &steps, this.to_str().unwrap()];
    program.extend(args);
    let terminal = Terminal::start(jp, &program);
    terminal.tell(&["select-pane", "-T", "before"]);
    terminal
}

/// Lets the part that is being played go on.
fn go_on(jp: &Jp, step: &str) {
    fs::write(jp.world().join(step), "").unwrap();
}

/// The step that a part waits for.
struct Steps(PathBuf);

impl Steps {
    fn of_process() -> Self {
        Self(std::env::var_os("JP_TEST_STEPS").unwrap().into())
    }

    fn is_made(&self, step: &str) -> bool {
        Path::exists(&self.0.join(step))
    }
}

fn play_answer() {
    let env = Env::of_process().unwrap();
    let steps = Steps::of_process();
    let mut channels =
        Channels::of_process(&env, AnswerFormat::Screen, Style::COLOUR, Chrome::Full).unwrap();
    let started = Instant::now();
    let wait = |channels: &mut Channels<'_>, step: &str| {
        while !steps.is_made(step) {
            let status = Status {
                model: format!("waiting for {step} {}", "long ".repeat(15)),
                elapsed: started.elapsed(),
                ..Status::default()
            };
            channels.show_status(&status, Instant::now());
            thread::sleep(Duration::from_millis(10));
        }
    };
    let text = format!("# Title\n\nSome *words*{HOSTILE}\n\n```\ncode{HOSTILE}\n");
    // Byte by byte, as far as characters allow.
    for piece in text.split_inclusive(|_| true) {
        let _open = channels.answer(piece, Instant::now()).unwrap();
    }
    wait(&mut channels, "first");
    let _open = channels.answer("more code\n```\nThe end", Instant::now()).unwrap();
    wait(&mut channels, "second");
    let _open = channels.end_answer(Instant::now()).unwrap();
    wait(&mut channels, "third");
}

#[test]
fn an_answer_streams_above_a_status_line_that_leaves_nothing_behind() {
    let jp = user();
    let terminal = stage(&jp, "answer");
    let harmless = "\\u{1b}]2;pwned\\u{7}\\u{1b}[2J\\u{1b}[H\\u{1b}[31m\\u{9b}31m";
    let screen = terminal.wait_for("waiting for first");
    let expected = format!("# Title\n\nSome words{harmless}\n\n    code{harmless}\n0s");
    assert!(screen.contains(&expected), "{screen}");
    assert!(!screen.contains("The end"), "{screen}");

    // A line that was drawn for a wide screen, on a narrow one.
    terminal.tell(&["resize-window", "-x", "50", "-y", "30"]);
    go_on(&jp, "first");
    let screen = terminal.wait_for("waiting for second");
    assert!(screen.contains("    more code\n"), "{screen}");
    let on_one_line = screen.lines().map(|line| line.matches("long").count()).max();
    assert_eq!(Some(screen.matches("long").count()), on_one_line, "{screen}");

    go_on(&jp, "second");
    let screen = terminal.wait_for("waiting for third");
    assert!(screen.contains("    more code\n\nThe end\n"), "{screen}");
    go_on(&jp, "third");
    let screen = terminal.wait_for("test result: ok");
    assert!(!screen.contains("waiting"), "{screen}");
    assert_eq!(terminal.ask("#{pane_title}"), "before");
}

fn play_permission() {
    let env = Env::of_process().unwrap();
    let content = (0..400).map(|line| format!("line {line}{HOSTILE}")).collect::<Vec<_>>();
    let call = ToolCall {
        tool: ToolName::new(format!("fs_write{HOSTILE}")),
        id: CallId::new("call"),
        arguments: Arguments::new(serde_json::json!({ "content": content }).to_string()),
        block: Block::default(),
    };
    let _listening = Signals::listen(|signal| panic!("{signal:?} is for the pager")).unwrap();
    let mut prompter = Prompter::open(&env).unwrap();
    let proposal = Proposal { call: &call, preview: None, is_command: false, problem: None };
    let asked = prompter.permit(&proposal, &Wake::new().unwrap());
    println!("the answer was {asked:?}");
}

#[test]
fn a_permission_is_asked_for_with_everything_that_it_is_for() {
    let jp = user();
    let terminal = stage(&jp, "permission");
    let screen = terminal.wait_for("[s] show");
    assert!(screen.contains("press s to see all of them first"), "{screen}");
    assert!(!screen.contains("[y] yes"), "{screen}");
    // Neither an arrow nor a key that is not offered is an answer.
    terminal.press("Up");
    terminal.type_text("y");
    terminal.type_text("s");
    terminal.wait("the pager", |screen| screen.lines().rfind(|line| !line.is_empty()) == Some(":"));
    // In the pager; an interrupt stays there.
    terminal.press("C-c");
    terminal.insist("G", "line 399\\u001b]2;pwned");
    terminal.type_text("q");
    terminal.wait_for("[y] yes");
    terminal.type_text("y");
    terminal.wait_for("the answer was Answered(Run)");
    assert_eq!(terminal.ask("#{pane_title}"), "before");
}

fn play_interrupts() {
    let env = Env::of_process().unwrap();
    let (sender, signals) = mpsc::channel();
    let _listening = Signals::listen(move |signal| sender.send(signal).unwrap()).unwrap();
    let mut presses = Presses::new(true);
    let mut prompter = Prompter::open(&env).unwrap();
    let wake = Wake::new().unwrap();
    println!("ready");
    for signal in signals {
        assert_eq!(signal, Signal::Interrupt);
        match presses.press() {
            Press::Menu => match prompter.menu(false, &wake) {
                Asked::Answered(Interruption::Continue) => {
                    presses.go_on();
                    println!("going on");
                }
                Asked::Answered(Interruption::Reply(text)) => {
                    presses.go_on();
                    println!("replied {text:?}");
                }
                other => {
                    presses.stop();
                    println!("then {other:?}");
                }
            },
            Press::Stop => println!("stopped"),
            Press::Exit => {
                println!("the end");
                std::io::stdout().flush().unwrap();
                return;
            }
        }
    }
}

#[test]
fn ctrl_c_asks_then_stops_then_ends() {
    let jp = user();
    let terminal = stage(&jp, "interrupts");
    terminal.wait_for("ready");
    terminal.press("C-c");
    terminal.wait_for("[c] continue  [s] stop and keep what came  [r] reply  [a] abort");
    terminal.type_text("c");
    terminal.wait_for("going on");
    terminal.press("C-c");
    terminal.wait_for("going on\n");
    terminal.wait("two menus", |screen| screen.matches("[a] abort").count() == 2);
    terminal.type_text("r");
    terminal.wait_for("Reply:");
    terminal.type_text("be brief");
    terminal.press("Enter");
    terminal.wait_for("replied \"be brief\"");
    terminal.press("C-c");
    terminal.wait("three menus", |screen| screen.matches("[a] abort").count() == 3);
    terminal.press("C-c");
    terminal.wait_for("then Answered(Stop)");
    terminal.press("C-c");
    terminal.wait_for("the end");
}
