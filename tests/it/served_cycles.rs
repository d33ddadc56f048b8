//! Those who come and go again and again while a query runs: whatever each of them sees is the answer
//! from its beginning, without a gap, and the query takes no notice.

use std::{io::Read, process::Stdio};

use jp::serve::{FrameError, FromClient, FromServer, Role};

use crate::{
    serve::{connect, counted, detach, entry, hear, slowly, stored_text, works},
    support::{Jp, Output},
};

/// How somebody leaves who has attached.
#[derive(Clone, Copy, Debug)]
enum Leaves {
    /// With Ctrl+C.
    Interrupted,
    /// Without a word.
    Killed,
    /// Whoever reads what it prints leaves, and it follows.
    Unread,
    /// A person who takes leave.
    Detached,
}

const WAYS: [Leaves; 4] = [Leaves::Interrupted, Leaves::Killed, Leaves::Unread, Leaves::Detached];

/// What is shown of the answer by `jp conversation attach`: at least so many bytes of it, and then
/// what comes until it is gone. With none, it may be gone before it has shown anything.
fn attached(jp: &Jp, id: &str, most: usize, leaves: Leaves) -> String {
    let mut command = jp.jp(&["c", "attach", id]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdout, mut bytes) = (child.stdout.take().unwrap(), Vec::new());
    while most > 0 && answer(&bytes).len() < most {
        let mut part = [0; 512];
        let count = stdout.read(&mut part).unwrap();
        assert!(count > 0, "it is over: {}", String::from_utf8_lossy(&bytes));
        bytes.extend(&part[..count]);
    }
    let expected = match leaves {
        Leaves::Interrupted => {
            let pid = child.id().to_string();
            assert!(jp.command("kill").args(["-INT", &pid]).status().unwrap().success());
            stdout.read_to_end(&mut bytes).unwrap();
            0
        }
        Leaves::Unread => {
            drop(stdout);
            0
        }
        Leaves::Killed | Leaves::Detached => {
            child.kill().unwrap();
            stdout.read_to_end(&mut bytes).unwrap();
            137
        }
    };
    let Output { code, stderr, .. } = Output::from(child.wait_with_output().unwrap());
    assert_eq!(code, expected, "{leaves:?} after {most}: {stderr}");
    answer(&bytes)
}

/// What stands after the question.
fn answer(bytes: &[u8]) -> String {
    let shown = String::from_utf8_lossy(bytes);
    shown.split_once("\n\nGo\n\n").map_or("", |(_, text)| text.trim_end_matches('\n')).to_owned()
}

/// What a person hears of the answer before they take leave.
fn talked_to(jp: &Jp, id: &str, most: usize) -> String {
    let mut person = connect(jp, id, Role::Person);
    let mut come = 0;
    let heard = hear(&mut person, |message| {
        if let FromServer::Text { text } = message {
            come += text.len();
        }
        come >= most && !matches!(message, FromServer::Welcome(_))
    });
    assert_eq!(heard.closing, None);
    person.speaker().say(&FromClient::Detach).unwrap();
    let mut text = heard.text;
    loop {
        match person.hear() {
            Ok(FromServer::Text { text: more }) => text.push_str(&more),
            Ok(message) => assert!(!matches!(message, FromServer::End(_)), "{message:?}"),
            Err(FrameError::Closed) => return text,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn whoever_comes_and_goes_sees_the_answer_from_its_beginning_and_the_query_goes_on() {
    let cycles = std::env::var("JP_CYCLES").map_or(12, |cycles| cycles.parse().unwrap());
    let whole = counted(100_000);
    let jp = slowly(100_000, 3);
    let id = detach(&jp, &[]);
    let process = entry(&jp, &id);
    let mut longest = 0;
    for cycle in 0_usize..cycles {
        // As good as random: somewhere in what has come, or a little later.
        let most = (cycle * 7919) % (longest + 61);
        let seen = match WAYS[cycle % WAYS.len()] {
            Leaves::Detached => talked_to(&jp, &id, most),
            // Before it shows something, it may not hear a signal yet.
            Leaves::Interrupted => attached(&jp, &id, most.max(1), Leaves::Interrupted),
            leaves => attached(&jp, &id, most, leaves),
        };
        assert!(whole.starts_with(&seen), "cycle {cycle}: {seen}");
        assert!(seen.len() >= most, "cycle {cycle}: {} of {most}", seen.len());
        longest = longest.max(seen.len());
    }
    assert!(longest > 60, "{longest}");
    assert_eq!(entry(&jp, &id), process, "it is the same process all the time");
    works(&jp, &["c", "kill", &id]);
    let stored = stored_text(&jp, &id);
    assert!(whole.starts_with(&stored) && stored.len() >= longest, "{}", stored.len());
}
