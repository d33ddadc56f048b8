//! What a command clears away when it is done.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use jp::{model::Meta, workspace::Workspace};

use super::{
    Sizes,
    append::thousands,
    events::Author,
    measure::{Contender, Outcome, contest, milliseconds, timed},
    page::{Page, Row},
    world::{Place, World, silently},
};

/// Files in each of the two directories.
const FILES: usize = 1_000;

/// The time that it may add to a command.
const ALLOWED: Duration = Duration::from_millis(2);

/// Lock files that nobody holds and sessions that are over, many of each.
pub fn tidy(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let (full, clean) = (world.workspace("tidy-full")?, world.workspace("tidy-clean")?);
    let mut author = Author::new(23);
    for place in [&full, &clean] {
        drop(place.workspace.create(&Meta::default(), &[author.request()])?);
        place.pack()?;
    }
    let left = Left::of(&full)?;
    let list = ["conversation", "ls"];
    let contenders: [Contender<'_>; 3] = [
        Box::new(|| {
            left.leave()?;
            timed(|| {
                let workspace = Workspace::open(&full.env)?.ok_or("the workspace is gone")?;
                match workspace.clear_stale() {
                    cleared if cleared.locks > 0 && cleared.sessions > 0 => Ok(()),
                    cleared => Err(format!("only this was cleared: {cleared:?}").into()),
                }
            })
        }),
        Box::new(|| {
            left.leave()?;
            silently(full.jp(&list))
        }),
        Box::new(|| {
            // All workspaces here have one id, and so one directory of sessions.
            let mut command = clean.jp(&list);
            command.env("XDG_DATA_HOME", world.path("tidy-data"));
            silently(command)
        }),
    ];
    let [cleared, with, without] = contest(sizes.starts, contenders)?;
    let files = thousands(FILES);
    page.rows.push(Row {
        work: format!(
            "clear away at the end of a command, {files} lock files and {files} sessions"
        ),
        jp: cleared.show(),
        peer: format!("{} ms allowed", milliseconds(ALLOWED)),
        ratio: cleared.p50().as_secs_f64() / ALLOWED.as_secs_f64(),
        bar: Some(1.0),
    });
    page.rows.push(Row {
        work: format!("`jp conversation ls` with {files} lock files and {files} sessions left"),
        jp: with.show(),
        peer: format!("with none {}", without.show()),
        ratio: with.ratio(&without),
        bar: None,
    });
    Ok(())
}

/// What is left, and left again after each measurement.
struct Left {
    locks: PathBuf,
    sessions: PathBuf,
    realm: String,
}

impl Left {
    fn of(place: &Place) -> Outcome<Self> {
        let locks = place.workspace.store().path().join("locks");
        let sessions = place.workspace.state_dir()?.join("sessions");
        fs::create_dir_all(&sessions)?;
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
        let namespace = fs::read_link("/proc/self/ns/pid")?;
        Ok(Self { locks, sessions, realm: format!("{} {}", boot.trim(), namespace.display()) })
    }

    /// Puts back what is missing. Half of the sessions had a leader, who is dead.
    fn leave(&self) -> Outcome<()> {
        for number in 0..FILES {
            let lock = self.locks.join(format!("jp-c{number}.lock"));
            put(&lock, r#"{"pid":4194303,"acquired_at":"2026-01-01T00:00:00Z"}"#)?;
            let source = match number % 2 {
                0 => r#""source": {"type": "env", "key": "JP_SESSION"}"#.to_owned(),
                _ => format!(
                    r#""source": "getsid", "leader": {{"pid": 4194303, "started": 1, "realm": "{}"}}"#,
                    self.realm
                ),
            };
            let activation = r#"{"id": "jp-c17", "activated_at": "2026-01-01T00:00:00Z"}"#;
            let session = self.sessions.join(format!("jp_session-a-{number:032x}.json"));
            put(&session, &format!(r#"{{"history": [{activation}], {source}}}"#))?;
        }
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "what is left behind was not written with care")]
fn put(path: &Path, text: &str) -> Outcome<()> {
    match path.exists() {
        true => Ok(()),
        false => Ok(fs::write(path, text)?),
    }
}
