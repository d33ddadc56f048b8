//! Fifty processes in ten conversations, some of them killed at any moment: nothing that was
//! acknowledged is lost or there twice, and nothing stays locked.
//!
//! It takes some seconds; `JP_SOAK_SECONDS=60` takes a minute.

use std::{
    collections::BTreeMap,
    fs,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use crate::support::{Jp, contents, message, request};

const PROCESSES: usize = 50;
const CONVERSATIONS: usize = 10;

/// What a process is asked to do: put an event into a conversation that only it has.
struct Task {
    child: Child,
    /// What nothing else says.
    mark: String,
    conversation: usize,
    /// What it printed.
    said: String,
    /// When it is killed, if at all.
    killed_at: Option<Instant>,
    is_query: bool,
}

/// What became of what a process had to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It was acknowledged.
    Kept,
    /// It may be there, once.
    Unknown,
}

/// Numbers that nobody can guess and everybody can have again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn seconds() -> u64 {
    let given = std::env::vars().find(|(name, _)| name == "JP_SOAK_SECONDS");
    given.map_or(6, |(_, value)| value.parse().unwrap())
}

fn start(jp: &Jp, ids: &[String], number: usize, dice: &mut Dice) -> Task {
    let mark = format!("mark-{number:06}-");
    let conversation = usize::try_from(dice.roll(CONVERSATIONS as u64)).unwrap();
    let id = &ids[conversation];
    let is_query = dice.roll(5) == 0;
    let jp = jp.with_var("JP_SESSION", format!("terminal {}", number % PROCESSES));
    let mut command = match is_query {
        true => jp.jp(&["q", "--non-interactive", &format!("--id={id}"), &mark]),
        false => {
            let file = jp.write(&format!("events/{number}.md"), message(&format!("{mark}\n")));
            jp.jp(&["c", "append", id, file.to_str().unwrap()])
        }
    };
    let said = format!("said/{number}");
    let file = fs::File::create(jp.write(&said, "")).unwrap();
    let child = command.stdout(file).stderr(Stdio::null()).spawn().unwrap();
    let killed_at = (dice.roll(3) == 0).then(|| {
        // Most of them live for some milliseconds, and wait for longer.
        let longest = 1 << (8 + dice.roll(12));
        Instant::now() + Duration::from_micros(dice.roll(longest))
    });
    Task { child, mark, conversation, said, killed_at, is_query }
}

impl Task {
    /// What became of it, if it has ended.
    fn fate(&mut self, jp: &Jp) -> Option<Fate> {
        if self.killed_at.is_some_and(|at| at <= Instant::now()) {
            self.killed_at = None;
            self.child.kill().unwrap();
        }
        let status = self.child.try_wait().unwrap()?;
        let said = fs::read_to_string(jp.path(&self.said)).unwrap();
        // What append prints is on disk, whatever happened to it afterwards.
        let is_kept = match self.is_query {
            true => status.success(),
            false => said.ends_with('\n'),
        };
        Some(if is_kept { Fate::Kept } else { Fate::Unknown })
    }
}

#[test]
fn fifty_processes_in_ten_conversations_lose_nothing_however_many_are_killed() {
    let jp = Jp::in_workspace().with_var("JP_LOCK_DURATION", "3s");
    let ids: Vec<_> =
        (0..CONVERSATIONS).map(|n| jp.start(&[&request(&format!("Question {n}\n"))])).collect();
    for id in &ids {
        jp.append(id, &[&message("An answer.\n")]).ok();
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let end = Instant::now() + Duration::from_secs(seconds());
    let mut fates: BTreeMap<(usize, String), Fate> = BTreeMap::new();
    let mut tasks: Vec<Task> = Vec::new();
    let mut number = 0;
    loop {
        let is_over = Instant::now() >= end;
        while !is_over && tasks.len() < PROCESSES {
            tasks.push(start(&jp, &ids, number, &mut dice));
            number += 1;
        }
        if is_over && tasks.is_empty() {
            break;
        }
        let mut running = Vec::new();
        for mut task in tasks {
            match task.fate(&jp) {
                Some(fate) => drop(fates.insert((task.conversation, task.mark), fate)),
                None => running.push(task),
            }
        }
        tasks = running;
        std::thread::yield_now();
    }

    let kept = fates.values().filter(|fate| **fate == Fate::Kept).count();
    let unknown = fates.len() - kept;
    assert!(kept >= PROCESSES && unknown >= CONVERSATIONS, "{kept} kept, {unknown} unknown");
    for (conversation, id) in ids.iter().enumerate() {
        let directory = format!("out-{id}");
        jp.run(&["c", "export", id, "--dir", &directory]).ok();
        let files = contents(&jp.path(&directory));
        let events = files.iter().filter(|(path, _)| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.ends_with("-message.md") || name.ends_with("-request.md")
        });
        let all: Vec<_> =
            events.map(|(_, bytes)| String::from_utf8(bytes.clone()).unwrap()).collect();
        for ((_, mark), fate) in fates.iter().filter(|((of, _), _)| *of == conversation) {
            let body = format!("---\n{mark}");
            let count = all.iter().filter(|text| text.contains(&body)).count();
            let is_right = match fate {
                Fate::Kept => count == 1,
                Fate::Unknown => count <= 1,
            };
            assert!(is_right, "{mark} of {id} is there {count} times: {fate:?}");
        }
        // Nothing stays locked, and nothing has to be mended.
        let at_once = jp.with_var("JP_LOCK_DURATION", "0");
        at_once.append(id, &[&message("The end.\n")]).ok();
        assert_eq!(jp.run(&["c", "fsck", id]).code, 0, "{id}");
    }
    jp.assert_sound();
}
