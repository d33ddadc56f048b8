//! Searching many conversations, and a long one.

use std::{collections::BTreeSet, path::Path, process::Command};

use jp::{model::Meta, workspace::Workspace};

use super::{
    Sizes,
    append::{begin, thousands},
    events::Author,
    measure::{Contender, Outcome, contest},
    page::{Page, Row},
    world::{Place, World, run, silently},
};

/// Events of each of many conversations.
const EVENTS: usize = 20;

/// Conversations that are made at the same time.
const MAKERS: usize = 8;

/// What is looked for: lines of the results of tools, so that git finds nothing in frontmatter.
const PATTERNS: [(&str, &str); 2] = [
    ("a literal", "FAILED"),
    ("an expression", "running 2[0-9] tests|finished in [0-9].[12][0-9]s"),
];

/// Many conversations of some events, and one of many.
pub fn grep(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let many = world.workspace("grep-many")?;
    let conversations = sizes.conversations / 10;
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..MAKERS)
            .map(|maker| {
                let root = &many.root;
                let make = move || make(world, root, maker, conversations);
                scope.spawn(move || make().map_err(|error| error.to_string()))
            })
            .collect();
        let mut results = makers.into_iter().map(|maker| maker.join());
        results.try_for_each(|result| result.expect("a maker returns its errors"))
    })?;
    many.pack()?;
    let work = format!("grep {} conversations of {EVENTS} events", thousands(conversations));
    compare(&many, &work, sizes, page)?;
    let long = world.workspace("grep-long")?;
    drop(begin(&long, &mut Author::new(31), sizes.load)?);
    long.pack()?;
    let work = format!("grep a conversation of {} events", thousands(sizes.load));
    compare(&long, &work, sizes, page)
}

fn make(world: &World, root: &Path, maker: usize, total: usize) -> Outcome<()> {
    for number in (maker..total).step_by(MAKERS) {
        let drafts = Author::new(1000 + number as u64).drafts(EVENTS);
        let env = world.env_at(root, number * 60);
        let workspace = Workspace::open(&env)?.ok_or("the workspace is gone")?;
        drop(workspace.create(&Meta::default(), &drafts)?);
    }
    Ok(())
}

fn compare(place: &Place, work: &str, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let refs = run(place.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]))?;
    let refs = String::from_utf8(refs)?;
    let refs: Vec<_> = refs.lines().collect();
    for (what, pattern) in PATTERNS {
        let jp = || place.jp(&["conversation", "grep", "--case-sensitive", pattern]);
        let git = || {
            let mut command = place.git(&["grep", "-I", "-n", "-E", pattern]);
            command.args(&refs);
            command
        };
        let found = lines(jp())?;
        if found.is_empty() || found != lines(git())? {
            return Err(format!("jp and git do not find the same lines of `{pattern}`").into());
        }
        let contenders: [Contender<'_>; 2] =
            [Box::new(|| silently(jp())), Box::new(|| silently(git()))];
        let [jp, git] = contest(sizes.reads, contenders)?;
        page.rows.push(Row {
            work: format!("{work}: {what}, in {} lines", thousands(found.len())),
            jp: jp.show(),
            peer: format!("git grep {}", git.show()),
            ratio: jp.ratio(&git),
            bar: Some(1.0),
        });
    }
    Ok(())
}

/// The lines that a command finds, without the sealed runs that git names.
fn lines(command: Command) -> Outcome<BTreeSet<String>> {
    let text = String::from_utf8(run(command)?)?;
    let without_run = |line: &str| match line.split_once(':') {
        Some((id, rest)) => {
            let path = rest.split(':').next().unwrap_or_default();
            let directory = path.rfind('/').map_or(0, |end| end + 1);
            format!("{id}:{}", &rest[directory..])
        }
        None => line.to_owned(),
    };
    Ok(text.lines().map(without_run).collect())
}
