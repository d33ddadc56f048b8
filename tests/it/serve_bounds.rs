//! Clients that say nothing, nonsense or too much, and those that do not read: whatever they do, the
//! turn goes on, others are heard, and memory has an end.

use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixStream,
    thread,
    time::Duration,
};

use jp::serve::{Connection, FromClient, FromServer, InterruptText, Role, place};

use crate::{
    query::{only, player},
    serve::{connect, counted, detach, entry, hear, said, slowly, socket, wait, wait_until, works},
    support::{Jp, Output},
};

/// What a server may need, whatever clients do: 100 MB.
const MOST_MEMORY: u64 = 100 << 10;

/// The kilobytes that the server of a conversation has needed at most.
fn peak(jp: &Jp, id: &str) -> u64 {
    let pid = entry(jp, id).unwrap()["pid"].to_string();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

/// What a connection is told before it is closed.
fn told(mut stream: UnixStream) -> String {
    let mut text = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn garbage_and_readers_that_do_not_read_hold_up_nothing() {
    let jp = slowly(1_500, 2);
    let id = detach(&jp, &[]);
    let path = socket(&jp, &id);
    let (mut streams, mut connections) = (Vec::new(), Vec::new());
    for number in 0..100 {
        let Ok(mut stream) = place::connect(&path) else { continue };
        if number % 2 == 0 {
            // Half of them talk nonsense, and then stay.
            let _refused = stream.write_all(b"\0garbage \xff\n{\"type\":\"hello\"}\n");
            let _refused = stream.write_all(&vec![b'x'; 1 << 16]);
            streams.push(stream);
        } else {
            // The others are never read.
            connections.extend(Connection::greet(stream, Role::Watcher));
        }
    }
    assert!(connections.len() > 40, "{}", connections.len());
    let peak = peak(&jp, &id);
    assert!(peak < MOST_MEMORY, "{peak} kB");
    assert_eq!(wait(&jp, &id).code, 0);
    assert!(said(&jp, &id).contains(&counted(1_500)));
}

#[test]
fn those_who_say_nothing_take_no_room_from_others_or_from_the_turn() {
    let jp = slowly(2_000, 2);
    // With few files to open, any leak shows.
    let words = format!("ulimit -n 256; exec '{}' q --detach --new Go", env!("CARGO_BIN_EXE_jp"));
    let output = Output::of(jp.command("sh").args(["-c", &words]));
    assert_eq!(output.code, 0, "{}", output.stderr);
    let id = only(&jp);
    let path = socket(&jp, &id);
    let silent: Vec<_> = (0..400).filter_map(|_| place::connect(&path).ok()).collect();
    assert_eq!(silent.len(), 400);
    // Whoever says who it is gets in all the same.
    let mut connection = connect(&jp, &id, Role::Watcher);
    hear(&mut connection, |message| matches!(message, FromServer::Live));
    assert_eq!(wait(&jp, &id).code, 0);
    assert!(said(&jp, &id).contains(&counted(2_000)));
}

#[test]
fn who_says_who_it_is_at_once_gets_in_however_many_others_come() {
    let jp = slowly(100_000, 10);
    let id = detach(&jp, &[]);
    let path = socket(&jp, &id);
    for _ in 0..10 {
        let mut first = connect(&jp, &id, Role::Watcher);
        let others: Vec<_> = (0..100).filter_map(|_| place::connect(&path).ok()).collect();
        hear(&mut first, |message| matches!(message, FromServer::Live));
        drop(others);
    }
    works(&jp, &["c", "kill", "--force", &id]);
}

#[test]
fn who_takes_its_time_to_say_who_it_is_has_five_seconds_in_all() {
    let jp = slowly(100_000, 10);
    let id = detach(&jp, &[]);
    let stream = place::connect(&socket(&jp, &id)).unwrap();
    let mut drip = stream.try_clone().unwrap();
    let dripping = thread::spawn(move || {
        // A letter a second, and never a line.
        while drip.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_secs(1));
        }
    });
    assert_eq!(
        told(stream),
        "{\"type\":\"refused\",\"message\":\"nobody said `hello` in time\"}\n"
    );
    dripping.join().unwrap();
    works(&jp, &["c", "kill", "--force", &id]);
}

#[test]
fn what_is_too_much_is_refused_and_memory_has_an_end() {
    // A block of over a megabyte that is not complete: whoever comes is told all of it.
    let long = "\\\"".repeat(400_000);
    let more = "\"x\", ".repeat(3_000);
    let script = format!("[[answer]]\npause = 100\nstep = [{{ text = [\"{long}\", {more}] }}]\n");
    let jp = player(&script);
    let id = detach(&jp, &[]);
    let path = socket(&jp, &id);
    let mut first = connect(&jp, &id, Role::Watcher);
    let mut come = 0;
    hear(&mut first, |message| {
        if let FromServer::Text { text } = message {
            come += text.len();
        }
        come >= 400_000
    });
    let mut held = Vec::new();
    for _ in 0..100 {
        held.extend(Connection::greet(place::connect(&path).unwrap(), Role::Watcher));
    }
    // Before `hello` a line is short, whatever comes in parts.
    let part = format!("{{\"part\":\"{}\"}}\n", "y".repeat(900_000));
    let mut unknown = place::connect(&path).unwrap();
    let _refused = unknown.write_all(part.as_bytes());
    assert_eq!(
        told(unknown),
        "{\"type\":\"refused\",\"message\":\"a line is longer than 4096 bytes\"}\n"
    );
    // After it, all have as much room together as one.
    let hello = b"{\"type\":\"hello\",\"version\":1,\"pid\":1,\"role\":\"messenger\"}\n";
    let mut speakers = Vec::new();
    for _ in 0..20 {
        let mut stream = place::connect(&path).unwrap();
        // Whoever is not heard yet finds no more room: it stays as it is.
        stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
        let said = stream.write_all(hello);
        let _cut_off =
            said.and_then(|()| (0..20).try_for_each(|_| stream.write_all(part.as_bytes())));
        speakers.push(stream);
    }
    let peak = peak(&jp, &id);
    assert!(peak < MOST_MEMORY, "{peak} kB");
    drop((held, speakers));
    // Others are heard as before.
    let mut last = connect(&jp, &id, Role::Watcher);
    let heard = hear(&mut last, |message| matches!(message, FromServer::Live));
    assert_eq!(heard.text.trim_end_matches('x'), "\"".repeat(400_000));
    works(&jp, &["c", "kill", "--force", &id]);
    wait_until(|| entry(&jp, &id).is_none());
}

#[test]
fn many_short_parts_of_a_message_take_no_more_room_than_what_they_say() {
    let jp = slowly(100_000, 10);
    let id = detach(&jp, &[]);
    let mut stream = place::connect(&socket(&jp, &id)).unwrap();
    let hello = "{\"type\":\"hello\",\"version\":1,\"pid\":1,\"role\":\"messenger\"}\n";
    stream.write_all(hello.as_bytes()).unwrap();
    let parts = "{\"part\":\"y\"}\n".repeat(10_000);
    // As much as comes in its time.
    while stream.write_all(parts.as_bytes()).is_ok() {}
    assert!(told(stream).contains("\"type\":\"refused\""));
    let peak = peak(&jp, &id);
    assert!(peak < MOST_MEMORY, "{peak} kB");
    works(&jp, &["c", "kill", "--force", &id]);
}

#[test]
fn what_is_said_in_between_faster_than_it_is_heard_is_refused() {
    // The model does not say anything, and a tool does not end: nothing is heard for now.
    let jp = crate::attending::scene(crate::attending::HELD);
    let id = detach(&jp, &[]);
    crate::attending::wait_for_hold(&jp);
    let pid = entry(&jp, &id).unwrap()["pid"].to_string();
    let signal = |name: &str| {
        assert!(jp.command("kill").args([name, &pid]).status().unwrap().success());
    };
    let mut messenger = connect(&jp, &id, Role::Messenger);
    signal("-STOP");
    let text = "x".repeat(1_000);
    for _ in 0..40 {
        let reply = FromClient::Interrupt(InterruptText::Say(text.clone()));
        messenger.speaker().say(&reply).unwrap();
    }
    signal("-CONT");
    let message = "too much is said at once; the turn has to hear it first".to_owned();
    hear(&mut messenger, |heard| *heard == FromServer::Refused { message: message.clone() });
    // What was heard has ended the tool, and then the script has no more to say.
    wait_until(|| entry(&jp, &id).is_none());
}
