//! What editing costs: a conversation on its way into an editor, and a change on its way back.

use std::{
    cell::Cell,
    fs::{File, OpenOptions},
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{
    Sizes,
    append::{begin, thousands},
    events::Author,
    measure::{Contender, Outcome, contest, timed},
    page::{Page, Row},
    world::{Place, World, run, time_of},
};

/// What the editor says when it has started.
const STARTED: u8 = b's';

/// What is said when jp has ended.
const ENDED: u8 = b'e';

/// The edit of a conversation up to its editor, and commits of a checkout.
pub fn edit(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("edit")?;
    let id = begin(&place, &mut Author::new(30), sizes.load)?.id().to_string();
    place.pack()?;
    open(world, &place, &id, sizes, page)?;
    commit(world, &place, &id, sizes, page)
}

fn open(world: &World, place: &Place, id: &str, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let editor = Editor::new(world)?;
    let mut trees = 0;
    let contenders: [Contender<'_>; 2] = [
        Box::new(|| editor.opens(place, id)),
        Box::new(|| {
            trees += 1;
            let tree = world.path(&format!("worktree-{trees}"));
            let mut command = place.git(&["worktree", "add", "--quiet", "--force"]);
            command.arg(tree).arg(id);
            time_of(command)
        }),
    ];
    let [jp, git] = contest(sizes.reads / 2, contenders)?;
    page.rows.push(Row {
        work: format!("edit {} events, from the start of jp to the editor", thousands(sizes.load)),
        jp: jp.show(),
        peer: format!("git worktree add {}", git.show()),
        ratio: jp.ratio(&git),
        bar: Some(1.5),
    });
    Ok(())
}

/// An editor that says when it has started, and then takes away what it was given: a file system
/// that has just deleted thousands of files is slow to make others.
struct Editor {
    program: PathBuf,
    pipe: PathBuf,
}

impl Editor {
    fn new(world: &World) -> Outcome<Self> {
        let (program, pipe) = (world.path("editor"), world.path("started"));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?;
        let taken = world.path("taken");
        std::fs::create_dir(&taken)?;
        let script = format!(
            "#!/bin/sh\nprintf s >'{}'\nmv \"$1\" '{}'/$$\n",
            pipe.display(),
            taken.display()
        );
        let mut file = File::create(&program)?;
        file.write_all(script.as_bytes())?;
        file.set_permissions(PermissionsExt::from_mode(0o700))?;
        Ok(Self { program, pipe })
    }

    /// How long it takes from the start of jp until this editor has started.
    fn opens(&self, place: &Place, id: &str) -> Outcome<Duration> {
        let mut pipe = OpenOptions::new().read(true).write(true).open(&self.pipe)?;
        let mut command = place.jp(&["conversation", "edit", "-i", id]);
        command.env("EDITOR", &self.program);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let begin = Instant::now();
        let child = command.spawn()?;
        std::thread::scope(|scope| {
            // Whether or not there was an editor, jp ends; so something is said in any case.
            let ends = scope.spawn(|| {
                let output = child.wait_with_output();
                File::create(&self.pipe).and_then(|mut pipe| pipe.write_all(&[ENDED]))?;
                output
            });
            let mut said = [0];
            pipe.read_exact(&mut said)?;
            let duration = begin.elapsed();
            let has_started = said[0] == STARTED;
            if has_started {
                pipe.read_exact(&mut said)?;
            }
            let output = ends.join().map_err(|_panic| "waiting for jp failed")??;
            match has_started {
                true => Ok(duration),
                false => Err(String::from_utf8_lossy(&output.stderr).into()),
            }
        })
    }
}

fn commit(world: &World, place: &Place, id: &str, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let checkout = world.path("checkout");
    let directory = checkout.to_str().ok_or("the scratch directory has a name that is no text")?;
    run(place.jp(&["conversation", "checkout", id, directory]))?;
    let (first, last) = messages(&checkout)?;
    let mut author = Author::new(31);
    let branch = format!("refs/heads/{id}");
    let tip = || Outcome::Ok(String::from_utf8(run(place.git(&["rev-parse", &branch]))?)?);
    let round = Cell::new(0);
    let commit = |file: &Path| {
        round.set(round.get() + 1);
        let mut file = OpenOptions::new().append(true).open(file)?;
        writeln!(file, "Changed for the {}. time.", round.get())?;
        drop(file);
        let before = tip()?;
        let duration = time_of(place.jp(&["conversation", "commit", directory]))?;
        match tip()? == before {
            true => Err("the change was not committed".into()),
            false => Ok(duration),
        }
    };
    let contenders: [Contender<'_>; 3] = [
        Box::new(|| commit(&first)),
        Box::new(|| commit(&last)),
        Box::new(|| {
            const FILE: &str = "message.md";
            File::create(place.root.join(FILE))?.write_all(&author.kilobyte().bytes)?;
            let before = tip()?;
            let duration = timed(|| run(place.jp(&["conversation", "append", id, FILE])))?;
            // The checkout stays as new as the conversation.
            run(place.git(&["update-ref", &branch, before.trim()]))?;
            Ok(duration)
        }),
    ];
    let [first, last, append] = contest(sizes.appends, contenders)?;
    let work = format!("commit one changed file of {} events", thousands(sizes.load));
    for (which, jp) in [("the first message", first), ("the last", last)] {
        page.rows.push(Row {
            work: format!("{work}, {which}, the whole `jp conversation commit`"),
            jp: jp.show(),
            peer: format!("jp, append {}", append.show()),
            ratio: jp.ratio(&append),
            bar: Some(3.0),
        });
    }
    Ok(())
}

/// The first and the last message of a checkout.
fn messages(checkout: &Path) -> Outcome<(PathBuf, PathBuf)> {
    let plan = std::fs::read_to_string(checkout.join("CONVERSATION"))?;
    let mut messages = plan.lines().filter(|line| line.ends_with("-message.md"));
    let first = messages.next().ok_or("there is no message")?;
    let last = messages.next_back().ok_or("there is one message only")?;
    Ok((checkout.join(first), checkout.join(last)))
}
