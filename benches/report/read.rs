//! Reading: lists, whole conversations, and the start of the program.

use std::{
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

use jp::{
    model::Meta,
    workspace::{Conversation, Workspace},
};

use super::{
    Sizes,
    append::{begin, thousands},
    events::{Author, json},
    measure::{Contender, Outcome, contest, timed},
    page::{Page, Row},
    world::{Place, World, command, run, time_of},
};

/// Conversations that are made at the same time, so that their syncs share a commit of the disk.
const MAKERS: usize = 8;

/// What `jp conversation ls` prints, in git's words.
const FIELDS: &str = "--format=%(refname:short)\t%(contents:trailers:key=Jp-Title,valueonly,separator=%20)\t\
    %(contents:trailers:key=Jp-Status,valueonly,separator=%20)\t\
    %(contents:trailers:key=Jp-Turns,valueonly,separator=%20)\t\
    %(contents:trailers:key=Jp-Events,valueonly,separator=%20)\t%(committerdate:iso-strict)";

/// A list of many conversations.
pub fn list(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("many")?;
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..MAKERS)
            .map(|maker| {
                let root = &place.root;
                scope.spawn(move || {
                    make_conversations(world, root, maker, sizes.conversations)
                        .map_err(|error| error.to_string())
                })
            })
            .collect();
        let mut results = makers.into_iter().map(|maker| maker.join());
        results.try_for_each(|result| result.expect("a maker returns its errors"))
    })?;
    place.pack()?;
    let lines = |bytes: Vec<u8>| bytes.iter().filter(|byte| **byte == b'\n').count();
    let listed = lines(run(place.jp(&["conversation", "ls"]))?);
    let by_git = lines(run(place.git(&["for-each-ref", FIELDS, "refs/heads"]))?);
    if by_git != sizes.conversations || listed < by_git {
        return Err(format!("jp lists {listed} lines and git {by_git}").into());
    }
    let contenders: [Contender<'_>; 2] = [
        Box::new(|| time_of(place.jp(&["conversation", "ls"]))),
        Box::new(|| time_of(place.git(&["for-each-ref", FIELDS, "refs/heads"]))),
    ];
    let [jp, git] = contest(sizes.reads, contenders)?;
    page.rows.push(Row {
        work: format!("list {} conversations", thousands(sizes.conversations)),
        jp: jp.show(),
        peer: format!("git for-each-ref {}", git.show()),
        ratio: jp.ratio(&git),
        bar: Some(1.0),
    });
    Ok(())
}

fn make_conversations(world: &World, root: &Path, maker: usize, total: usize) -> Outcome<()> {
    let mut author = Author::new(100 + maker as u64);
    for number in (maker..total).step_by(MAKERS) {
        let drafts = [author.request(), author.kilobyte()];
        let title = Some(author.title());
        let env = world.env_at(root, number * 60);
        let workspace = Workspace::open(&env)?.ok_or("the workspace is gone")?;
        drop(workspace.create(&Meta { title, ..Meta::default() }, &drafts)?);
    }
    Ok(())
}

/// Loading a long conversation.
pub fn load(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("load")?;
    let id = begin(&place, &mut Author::new(8), sizes.load)?.id().to_string();
    place.pack()?;
    let load = || {
        let workspace = Workspace::open(&place.env)?.ok_or("the workspace is gone")?;
        let handle = workspace.select(&id)?;
        Ok(workspace.load(&handle)?)
    };
    let conversation = load()?;
    if conversation.listed.iter().filter(|listed| listed.event.is_some()).count() != sizes.load {
        return Err("not all events were loaded".into());
    }
    let ids = blobs(&conversation);
    let contenders: [Contender<'_>; 3] = [
        Box::new(|| timed(load)),
        Box::new(|| timed(|| cat_file(&place, &ids))),
        Box::new(|| time_of(place.jp(&["conversation", "show", &id]))),
    ];
    let [jp, git, show] = contest(sizes.reads, contenders)?;
    let work = format!("load {} events", thousands(sizes.load));
    let peer = format!("git cat-file --batch {}", git.show());
    let (ratio, bar) = (jp.ratio(&git), Some(1.5));
    page.rows.push(Row { work: work.clone(), jp: jp.show(), peer: peer.clone(), ratio, bar });
    let work = format!("{work}, the whole `jp conversation show`");
    page.rows.push(Row { work, jp: show.show(), peer, ratio: show.ratio(&git), bar: None });
    Ok(())
}

/// The ids of the files and manifests of a conversation, one on each line.
pub fn blobs(conversation: &Conversation) -> String {
    let blobs = conversation.snapshot.listings.values().flat_map(|listing| {
        listing.files.values().chain(listing.manifest.iter()).map(|blob| format!("{blob}\n"))
    });
    blobs.collect()
}

fn cat_file(place: &Place, ids: &str) -> Outcome<usize> {
    let mut command = place.git(&["cat-file", "--batch", "--buffer"]);
    let mut git = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (stdin, stdout) = (git.stdin.take(), git.stdout.take());
    let (mut stdin, mut stdout) = stdin.zip(stdout).ok_or("git has no pipes")?;
    let read = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(ids.as_bytes()));
        let (mut buffer, mut total) = (vec![0; 1 << 16], 0);
        loop {
            match stdout.read(&mut buffer) {
                Ok(0) => return Ok(total),
                Ok(length) => total += length,
                Err(error) => return Err(error),
            }
        }
    })?;
    match git.wait()?.success() {
        true => Ok(read),
        false => Err("git cat-file failed".into()),
    }
}

/// What a store takes on disk.
pub fn size(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("size")?;
    drop(begin(&place, &mut Author::new(9), sizes.stored)?);
    place.pack()?;
    let events: Vec<_> = Author::new(9).take(sizes.stored).map(|event| json(&event)).collect();
    let as_json = serde_json::to_vec_pretty(&events)?.len() as u64;
    let stored = place.bytes()?;
    let mean = as_json / sizes.stored as u64;
    page.rows.push(Row {
        work: format!("store size of {} events, {mean} B each as JSON", thousands(sizes.stored)),
        jp: format!("{} kB", stored / 1000),
        peer: format!("JSON file {} kB", as_json / 1000),
        ratio: stored as f64 / as_json as f64,
        bar: Some(0.5),
    });
    Ok(())
}

/// Starting the program.
pub fn start(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let version = |mut command: Command| {
        command.arg("--version");
        time_of(command)
    };
    let contenders: [Contender<'_>; 2] = [
        Box::new(|| version(command(&world.env(), env!("CARGO_BIN_EXE_jp")))),
        Box::new(|| version(world.git(&world.path("")))),
    ];
    let [jp, git] = contest(sizes.starts, contenders)?;
    page.rows.push(Row {
        work: "`jp --version`".to_owned(),
        jp: jp.show(),
        peer: format!("`git --version` {}", git.show()),
        ratio: jp.ratio(&git),
        bar: Some(2.0),
    });
    Ok(())
}
