//! Printing a conversation for people.

use std::{
    io::Write,
    process::{Command, Stdio},
    time::Duration,
};

use jp::model::Meta;

use super::{
    Sizes,
    append::thousands,
    markdown::discussion,
    measure::{Contender, Outcome, Samples, contest, milliseconds, timed},
    page::{Page, Row},
    read::blobs,
    world::{Place, World, run, silently},
};

/// How many times as long as reading the objects it may take to read them.
const READING: u32 = 2;

/// Bytes of markdown that are to be rendered in a second, besides.
const RENDERING: f64 = 20e6;

/// A long conversation in markdown, as it is and rendered.
pub fn print(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("print")?;
    let (drafts, bytes) = discussion(20, sizes.load);
    let (guard, _) = place.workspace.create(&Meta::default(), &drafts)?;
    let id = guard.id().to_string();
    drop(guard);
    let handle = place.workspace.select(&id)?;
    let ids = blobs(&place.workspace.load(&handle)?);

    let plain = || place.jp(&["conversation", "print", &id, "--no-pager"]);
    let rendered = || {
        let mut command = plain();
        command.args(["--color", "always"]);
        command
    };
    check(plain(), bytes, false)?;
    check(rendered(), bytes, true)?;
    let contenders: [Contender<'_>; 3] = [
        Box::new(|| silently(plain())),
        Box::new(|| silently(rendered())),
        Box::new(|| timed(|| cat_file(&place, &ids))),
    ];
    let [plain, rendered, git] = contest(sizes.reads, contenders)?;

    let rendering = Duration::from_secs_f64(bytes as f64 / RENDERING);
    let allowed = git.p50() * READING + rendering;
    let mut compare = |look: &str, jp: &Samples| {
        let megabytes = bytes as f64 / 1e6;
        page.rows.push(Row {
            work: format!(
                "print {} events, {megabytes:.1} MB of markdown, {look}",
                thousands(sizes.load)
            ),
            jp: jp.show(),
            peer: format!(
                "{READING} × git cat-file --batch {}, and {} ms at {} MB/s",
                git.show(),
                milliseconds(rendering),
                RENDERING / 1e6
            ),
            ratio: jp.p50().as_secs_f64() / allowed.as_secs_f64(),
            bar: Some(1.0),
        });
    };
    compare("as it is", &plain);
    compare("rendered", &rendered);
    Ok(())
}

/// Sees that everything is printed, and rendered if that is wanted.
fn check(command: Command, bytes: usize, is_rendered: bool) -> Outcome<()> {
    let printed = run(command)?;
    if printed.len() < bytes {
        let printed = printed.len();
        return Err(format!("{printed} bytes are printed of {bytes} bytes of markdown").into());
    }
    match printed.contains(&b'\x1b') == is_rendered {
        true => Ok(()),
        false if is_rendered => Err("`--color always` has no colours".into()),
        false => Err("there are colours without a terminal".into()),
    }
}

fn cat_file(place: &Place, ids: &str) -> Outcome<()> {
    let mut command = place.git(&["cat-file", "--batch", "--buffer"]);
    let mut git = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    git.stdin.take().ok_or("git has no pipe")?.write_all(ids.as_bytes())?;
    match git.wait()?.success() {
        true => Ok(()),
        false => Err("git cat-file failed".into()),
    }
}
