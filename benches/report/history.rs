//! What history costs: logs, forks, undo and redo.

use std::{cell::RefCell, fs::File, io::Write, time::Duration};

use jp::history::{self, Keep};

use super::{
    Sizes,
    append::{begin, thousands},
    events::Author,
    measure::{Contender, Outcome, Samples, contest, timed},
    page::{Page, Row},
    world::{Place, World, run, silently},
};

/// Events of a short conversation.
const SHORT: usize = 10;

/// A conversation and where it is.
struct Subject<'a> {
    place: &'a Place,
    id: String,
}

impl<'a> Subject<'a> {
    /// Events that were appended one by one.
    fn one_by_one(place: &'a Place, seed: u64, events: usize) -> Outcome<Self> {
        let mut author = Author::new(seed);
        let mut guard = begin(place, &mut author, 1)?;
        for _ in 1..events {
            place.workspace.append(&mut guard, &author.drafts(1))?;
        }
        Ok(Self { place, id: guard.id().to_string() })
    }

    /// Events that were appended many at once.
    fn many_at_once(place: &'a Place, seed: u64, events: usize) -> Outcome<Self> {
        let guard = begin(place, &mut Author::new(seed), events)?;
        Ok(Self { place, id: guard.id().to_string() })
    }

    /// One event, and then all others at once.
    fn all_at_once(place: &'a Place, seed: u64, events: usize) -> Outcome<Self> {
        let mut author = Author::new(seed);
        let mut guard = begin(place, &mut author, 1)?;
        place.workspace.append(&mut guard, &author.drafts(events))?;
        Ok(Self { place, id: guard.id().to_string() })
    }
}

/// Logs, forks, undo and redo.
pub fn history(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let packed = world.workspace("packed-history")?;
    let long = Subject::one_by_one(&packed, 10, sizes.long)?;
    packed.pack()?;
    let written = world.workspace("written-history")?;
    let few = Subject::many_at_once(&written, 11, sizes.long)?;
    let large = Subject::all_at_once(&written, 12, sizes.load)?;
    let alone = world.workspace("short-history")?;
    let short = Subject::one_by_one(&alone, 13, SHORT)?;

    let (events, at_once) = (thousands(sizes.long), thousands(sizes.load));
    log(&long, &format!("log of {events} commits, each an operation, packed"), sizes, page)?;
    log(&few, &format!("log of {events} commits in few operations, as written"), sizes, page)?;
    fork(&short, &long, sizes, page)?;
    undo(&short, &format!("at {SHORT} events"), sizes, page)?;
    undo(&long, &format!("at {events} events"), sizes, page)?;
    undo(&large, &format!("of an append of {at_once} events"), sizes, page)
}

fn log(subject: &Subject<'_>, work: &str, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let Subject { place, id } = subject;
    let short = || place.jp(&["conversation", "log", id]);
    let whole = || place.jp(&["conversation", "log", id, "--events"]);
    let by_git = || place.git(&["log", "--oneline", id]);
    let lines = |bytes: Vec<u8>| bytes.iter().filter(|byte| **byte == b'\n').count();
    let (listed, commits) = (lines(run(whole())?), lines(run(by_git())?));
    if listed <= commits || commits <= sizes.long {
        return Err(format!("jp lists {listed} lines and git {commits}").into());
    }
    let contenders: [Contender<'_>; 3] = [
        Box::new(|| silently(short())),
        Box::new(|| silently(whole())),
        Box::new(|| silently(by_git())),
    ];
    let [short, whole, git] = contest(sizes.reads, contenders)?;
    for (more, jp) in [("", short), (", `--events`", whole)] {
        page.rows.push(Row {
            work: format!("{work}{more}"),
            jp: jp.show(),
            peer: format!("git log --oneline {}", git.show()),
            ratio: jp.ratio(&git),
            bar: Some(1.5),
        });
    }
    Ok(())
}

fn fork(short: &Subject<'_>, long: &Subject<'_>, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let contenders: [Contender<'_>; 4] = [
        Box::new(|| fork_in_process(short)),
        Box::new(|| fork_in_process(long)),
        Box::new(|| fork_by_command(short)),
        Box::new(|| fork_by_command(long)),
    ];
    let [short, long, short_command, long_command] = contest(sizes.appends, contenders)?;
    let work = format!("fork at {} events", thousands(sizes.long));
    let mut compare = |work: String, long: &Samples, short: &Samples| {
        page.rows.push(Row {
            work,
            jp: long.show(),
            peer: format!("at {SHORT} events {}", short.show()),
            ratio: long.ratio(short),
            bar: Some(1.5),
        });
    };
    compare(work.clone(), &long, &short);
    compare(format!("{work}, the whole `jp conversation fork`"), &long_command, &short_command);
    Ok(())
}

fn fork_in_process(subject: &Subject<'_>) -> Outcome<Duration> {
    let Subject { place, id } = subject;
    let mut fork = None;
    let duration = timed(|| {
        let source = place.workspace.select(id)?;
        let now = place.env.now();
        fork = Some(history::fork(&place.workspace, &source, &Keep::All, None, now)?);
        Ok(())
    })?;
    let fork = fork.ok_or("a fork was made just now")?;
    forget(place, &fork.id.to_string())?;
    Ok(duration)
}

fn fork_by_command(subject: &Subject<'_>) -> Outcome<Duration> {
    let Subject { place, id } = subject;
    let mut printed = Vec::new();
    let duration = timed(|| {
        printed = run(place.jp(&["conversation", "fork", id]))?;
        Ok(())
    })?;
    forget(place, String::from_utf8(printed)?.trim())?;
    Ok(duration)
}

/// Lets another fork have the id of one: ids are times, and there are more forks than times.
fn forget(place: &Place, fork: &str) -> Outcome<()> {
    run(place.git(&["update-ref", "-d", &format!("refs/heads/{fork}")])).map(drop)
}

/// Undo and redo against an append to the same conversation, which is the same after each.
fn undo(subject: &Subject<'_>, work: &str, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let [undo, redo, append] = turn_in_process(subject, sizes)?;
    let [undo_command, redo_command, append_command] = turn_by_command(subject, sizes)?;
    let mut compare = |work: String, turned: &Samples, append: &Samples| {
        page.rows.push(Row {
            work,
            jp: turned.show(),
            peer: format!("jp, append {}", append.show()),
            ratio: turned.ratio(append),
            bar: Some(1.5),
        });
    };
    compare(format!("undo {work}"), &undo, &append);
    compare(format!("redo {work}"), &redo, &append);
    let whole = |verb: &str| format!("{verb} {work}, the whole `jp conversation {verb}`");
    compare(whole("undo"), &undo_command, &append_command);
    compare(whole("redo"), &redo_command, &append_command);
    Ok(())
}

fn turn_in_process(subject: &Subject<'_>, sizes: &Sizes) -> Outcome<[Samples; 3]> {
    let workspace = &subject.place.workspace;
    let guard = RefCell::new(workspace.lock(workspace.select(&subject.id)?)?);
    let mut author = Author::new(14);
    let undo = || {
        let turned = history::undo(workspace, &mut guard.borrow_mut())?;
        Ok(turned.ok_or("there is nothing to undo")?)
    };
    let redo = || {
        let turned = history::redo(workspace, &mut guard.borrow_mut())?;
        Ok(turned.ok_or("there is nothing to redo")?)
    };
    let append = |draft| Ok(workspace.append(&mut guard.borrow_mut(), &[draft])?);
    let contenders: [Contender<'_>; 3] = [
        Box::new(|| {
            let duration = timed(undo)?;
            redo()?;
            Ok(duration)
        }),
        Box::new(|| {
            undo()?;
            timed(redo)
        }),
        Box::new(|| {
            // The one before lets the guard know where the conversation stands.
            append(author.kilobyte())?;
            let draft = author.kilobyte();
            let duration = timed(|| append(draft))?;
            undo()?;
            undo()?;
            Ok(duration)
        }),
    ];
    contest(sizes.appends, contenders)
}

fn turn_by_command(subject: &Subject<'_>, sizes: &Sizes) -> Outcome<[Samples; 3]> {
    let Subject { place, id } = subject;
    let mut author = Author::new(15);
    let undo = || run(place.jp(&["conversation", "undo", id]));
    let redo = || run(place.jp(&["conversation", "redo", id]));
    let contenders: [Contender<'_>; 3] = [
        Box::new(|| {
            let duration = timed(undo)?;
            redo()?;
            Ok(duration)
        }),
        Box::new(|| {
            undo()?;
            timed(redo)
        }),
        Box::new(|| {
            const FILE: &str = "message.md";
            File::create(place.root.join(FILE))?.write_all(&author.kilobyte().bytes)?;
            let duration = timed(|| run(place.jp(&["conversation", "append", id, FILE])))?;
            undo()?;
            Ok(duration)
        }),
    ];
    contest(sizes.appends, contenders)
}
