//! Appending: against peers, and short against long conversations.

use std::{cell::RefCell, time::Duration};

use jp::{
    model::Meta,
    plan::Draft,
    workspace::{Guard, Workspace},
};

use super::{
    Sizes,
    events::{Author, json},
    measure::{Contender, Outcome, contest, median, milliseconds, timed},
    page::{Page, Row},
    peers::{GitCommands, JsonFile, LibGit, Log, Sqlite},
    world::{Place, World},
};

/// Events that the JSON file holds.
const IN_JSON_FILE: usize = 1000;

/// Appends of a kilobyte by everybody.
pub fn against_peers(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let author = RefCell::new(Author::new(1));
    let next = || author.borrow_mut().kilobyte();
    let (kept, fresh, eight) =
        (world.workspace("kept")?, world.workspace("fresh")?, world.workspace("eight")?);
    let mut kept_guard = begin(&kept, &mut Author::new(2), 10)?;
    let mut eight_guard = begin(&eight, &mut Author::new(3), 10)?;
    let fresh_id = begin(&fresh, &mut Author::new(4), 10)?.id().to_string();
    let sqlite = Sqlite::new(&world.path("events.sqlite"))?;
    let mut libgit = LibGit::new(&world.path("libgit2.git"))?;
    let mut git = GitCommands::new(world, "git")?;
    let events = (0..IN_JSON_FILE).map(|_| json(&next().event)).collect();
    let mut json_file = JsonFile::new(world.path("json"), events)?;
    let mut line = Log::new(&world.path("lines"))?;
    let mut synced = Log::new(&world.path("synced"))?;

    let contenders: [Contender<'_>; 9] = [
        Box::new(|| append(&kept.workspace, &mut kept_guard, &[next()])),
        Box::new(|| {
            let draft = [next()];
            timed(|| {
                let handle = fresh.workspace.select(&fresh_id)?;
                let mut guard = fresh.workspace.lock(handle)?;
                Ok(fresh.workspace.append(&mut guard, &draft)?)
            })
        }),
        Box::new(|| {
            let drafts: Vec<_> = (0..8).map(|_| next()).collect();
            append(&eight.workspace, &mut eight_guard, &drafts)
        }),
        Box::new(|| {
            let draft = next();
            timed(|| sqlite.append(&draft.bytes))
        }),
        Box::new(|| {
            let draft = next();
            timed(|| libgit.append(&draft.bytes))
        }),
        Box::new(|| {
            let draft = next();
            timed(|| git.append(&draft.bytes))
        }),
        Box::new(|| {
            let event = json(&next().event);
            timed(|| json_file.append(event))
        }),
        Box::new(|| {
            let draft = next();
            timed(|| line.append(&draft.bytes))
        }),
        Box::new(|| {
            let draft = next();
            timed(|| synced.append_and_fsync(&draft.bytes))
        }),
    ];
    let measured = contest(sizes.appends, contenders)?;
    let [kept, fresh, eight, sqlite, libgit, git, json_file, line, synced] = measured;

    let fsync = synced.p50();
    let of_sqlite = if fsync >= Duration::from_millis(2) { 4.0 } else { 8.0 };
    page.machine.push_str(&format!(", where one fsync takes {} ms", milliseconds(fsync)));
    let mut compare = |work: &str, jp: &super::measure::Samples, name: &str, peer, bar| {
        page.rows.push(Row {
            work: format!("durable append of 1 kB, {work}"),
            jp: jp.show(),
            peer: format!("{name} {}", super::measure::Samples::show(peer)),
            ratio: jp.ratio(peer),
            bar,
        });
    };
    compare("kept", &kept, "SQLite", &sqlite, Some(of_sqlite));
    compare("fresh", &fresh, "SQLite", &sqlite, Some(of_sqlite));
    compare("kept", &kept, "libgit2", &libgit, Some(1.0));
    compare("kept", &kept, "git", &git, Some(1.0));
    compare("kept", &kept, "JSON file", &json_file, Some(1.0));
    compare("eight in one call", &eight, "jp, one", &kept, Some(2.0));
    compare("kept", &kept, "appended line", &line, None);
    compare("kept", &kept, "one fsync", &synced, None);
    Ok(())
}

/// Appends at the end of a short and of a long conversation.
pub fn at_length(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    const SHORT: usize = 10;
    let (short, long) = (world.workspace("short")?, world.workspace("long")?);
    let mut author = Author::new(5);
    let mut long_guard = begin(&long, &mut Author::new(7), sizes.long)?;
    long.pack()?;
    let author = RefCell::new(&mut author);
    let (short_bytes, long_bytes) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));

    let mut short_guard = None;
    let mut appended = 0;
    let contenders: [Contender<'_>; 2] = [
        Box::new(|| {
            // A short conversation stays short: every ten appends there is a new one.
            if appended % SHORT == 0 {
                let mut author = Author::new(1000 + appended as u64);
                short_guard = Some(begin(&short, &mut author, SHORT)?);
            }
            appended += 1;
            let guard = short_guard.as_mut().expect("one was made just now");
            let draft = author.borrow_mut().kilobyte();
            let before = bytes_written();
            let duration = append(&short.workspace, guard, &[draft])?;
            short_bytes.borrow_mut().push(bytes_written() - before);
            Ok(duration)
        }),
        Box::new(|| {
            let draft = author.borrow_mut().kilobyte();
            let before = bytes_written();
            let duration = append(&long.workspace, &mut long_guard, &[draft])?;
            long_bytes.borrow_mut().push(bytes_written() - before);
            Ok(duration)
        }),
    ];
    let [at_short, at_long] = contest(sizes.appends, contenders)?;
    let work = format!("append at {} events", thousands(sizes.long));
    page.rows.push(Row {
        work: work.clone(),
        jp: at_long.show(),
        peer: format!("at {SHORT} events {}", at_short.show()),
        ratio: at_long.ratio(&at_short),
        bar: Some(1.5),
    });
    let (short_bytes, long_bytes) =
        (median(short_bytes.into_inner()), median(long_bytes.into_inner()));
    page.rows.push(Row {
        work: format!("{work}, bytes written"),
        jp: format!("{} B", thousands(long_bytes as usize)),
        peer: format!("at {SHORT} events {} B", thousands(short_bytes as usize)),
        ratio: long_bytes as f64 / short_bytes.max(1) as f64,
        bar: Some(3.0),
    });
    Ok(())
}

/// A new conversation with so many events.
pub fn begin(place: &Place, author: &mut Author, events: usize) -> Outcome<Guard> {
    const AT_ONCE: usize = 500;
    let drafts = author.drafts(events.min(AT_ONCE));
    let (mut guard, _) = place.workspace.create(&Meta::default(), &drafts)?;
    let mut left = events - drafts.len();
    while left > 0 {
        let drafts = author.drafts(left.min(AT_ONCE));
        place.workspace.append(&mut guard, &drafts)?;
        left -= drafts.len();
    }
    Ok(guard)
}

fn append(workspace: &Workspace, guard: &mut Guard, drafts: &[Draft]) -> Outcome<Duration> {
    timed(|| Ok(workspace.append(guard, drafts)?))
}

/// Bytes that this process has passed to `write` so far; 0 where the system does not count them.
fn bytes_written() -> u64 {
    let counters = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = counters.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A number with separators between thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
