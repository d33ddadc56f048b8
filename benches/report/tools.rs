//! What jp adds to tools that run side by side: the commits that make them safe to be killed.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::Write as _,
    time::Duration,
};

use super::{
    Sizes,
    append::begin,
    events::Author,
    measure::{Contender, Outcome, contest, milliseconds, timed},
    page::{Page, Row},
    world::{Place, World, run, silently},
};

/// Tools that run side by side.
const TOOLS: usize = 20;

/// How long each of them takes.
const EACH: Duration = Duration::from_millis(10);

/// A query whose model calls for all tools at once, as a whole process.
pub fn tools(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("tools")?;
    let config = world.path("tools-config");
    fs::create_dir_all(config.join("jp"))?;
    let settings = settings(&world.path("tools-script.toml"))?;
    File::create(config.join("jp/config.toml"))?.write_all(settings.as_bytes())?;
    let mut author = Author::new(20);
    let mut guard = begin(&place, &mut author, 1)?;
    let ask = |place: &Place| {
        let mut query = place.jp(&["query", "--new", "--quiet", "--non-interactive", "Go"]);
        query.env("XDG_CONFIG_HOME", &config);
        silently(query)
    };
    let contenders: [Contender<'_>; 2] = [
        Box::new(|| ask(&place)),
        Box::new(|| {
            let drafts = author.drafts(1);
            timed(|| Ok(place.workspace.append(&mut guard, &drafts)?))
        }),
    ];
    let [query, append] = contest(sizes.starts / 4, contenders)?;
    let alone = world.workspace("tools-once")?;
    ask(&alone)?;
    let Counted { commits, packs } = Counted::in_store(&alone)?;
    let work = format!("query that runs {TOOLS} tools of {} ms side by side", EACH.as_millis());
    for (count, what, bar) in [(commits, "commits", Some(1.0)), (packs, "packs", None)] {
        let one = append.p50();
        let allowed = 2 * (one * count + EACH);
        page.rows.push(Row {
            work: work.clone(),
            jp: query.show(),
            peer: format!(
                "twice {count} {what} of {} ms and {} ms: {} ms",
                milliseconds(one),
                EACH.as_millis(),
                milliseconds(allowed)
            ),
            ratio: query.p50().as_secs_f64() / allowed.as_secs_f64(),
            bar,
        });
    }
    Ok(())
}

/// The settings of a user whose model is played, and what it says.
fn settings(script: &std::path::Path) -> Outcome<String> {
    let mut calls = String::new();
    for _ in 0..TOOLS {
        writeln!(calls, "    {{ call = \"wait\", arguments = {{}} }},")?;
    }
    let said = format!("[[answer]]\nstep = [\n{calls}]\n\n[[answer]]\ntext = \"Done.\"\n");
    File::create(script)?.write_all(said.as_bytes())?;
    Ok(format!(
        "[assistant]\nmodel = \"play/x\"\n\n\
         [providers.play]\napi = \"script\"\nfile = '{}'\n\n\
         [tools.wait]\ncommand = [\"sleep\", \"{}\"]\npermission = \"allow\"\n",
        script.display(),
        EACH.as_secs_f64(),
    ))
}

/// What the only conversation of a store was written with.
struct Counted {
    commits: u32,
    /// What became durable together is one pack.
    packs: u32,
}

impl Counted {
    fn in_store(place: &Place) -> Outcome<Self> {
        let tell = |args: &[&str]| Outcome::Ok(String::from_utf8(run(place.git(args))?)?);
        let branch = tell(&["for-each-ref", "--format=%(refname)", "refs/heads"])?;
        let branch = branch.trim();
        let names = tell(&["ls-tree", "-r", "--name-only", branch])?;
        if names.lines().filter(|name| name.contains("-tool-result")).count() != TOOLS {
            return Err("not every tool has its result".into());
        }
        let commits = tell(&["rev-list", "--count", branch])?.trim().parse()?;
        let counted = tell(&["count-objects", "-v"])?;
        let packs = counted.lines().find_map(|line| line.strip_prefix("packs: "));
        let packs = packs.ok_or("git does not count packs")?.parse()?;
        Ok(Self { commits, packs })
    }
}
