//! Measures jp against its peers and writes the table of `docs/benchmarks.md`.
//!
//! Data lives in `target`, on the disk that jp is built on. Bars that are missed are reported;
//! only errors make the run fail.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program of its own")]

mod append;
mod brief;
mod edit;
mod events;
mod grep;
mod history;
mod markdown;
mod measure;
mod page;
mod peers;
mod print;
mod query;
mod random;
mod read;
mod serve;
mod tidy;
mod tools;
mod world;

use std::{fs::File, io::Write, path::PathBuf, process::ExitCode};

use measure::Outcome;
use page::Page;
use world::World;

/// How much is done.
pub struct Sizes {
    /// Appends of each contender.
    appends: usize,
    /// Lists and loads of each contender.
    reads: usize,
    /// Starts of each program.
    starts: usize,
    /// Events of the long conversation.
    long: usize,
    /// Conversations in the list.
    conversations: usize,
    /// Events of the conversation that is loaded.
    load: usize,
    /// Events whose size on disk is measured.
    stored: usize,
}

const FULL: Sizes = Sizes {
    appends: 100,
    reads: 25,
    starts: 200,
    long: 10_000,
    conversations: 10_000,
    load: 5_000,
    stored: 1_000,
};

const QUICK: Sizes = Sizes {
    appends: 12,
    reads: 5,
    starts: 30,
    long: 1_000,
    conversations: 300,
    load: 1_000,
    stored: 1_000,
};

struct Options {
    quick: bool,
    out: Option<PathBuf>,
    only: Option<String>,
    keep: bool,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    match report(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options { quick: false, out: None, only: None, keep: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            // What cargo adds.
            "--bench" => {}
            "--quick" => options.quick = true,
            "--out" => options.out = Some(value()?.into()),
            "--keep" => options.keep = true,
            "--only" => options.only = Some(value()?),
            _ => {
                let known = "--quick, --out FILE, --only PART, --keep";
                return Err(format!("`{arg}` is not an option: there are {known}"));
            }
        }
    }
    Ok(options)
}

type Part = fn(&World, &Sizes, &mut Page) -> Outcome<()>;

const PARTS: [(&str, Part); 15] = [
    ("append", append::against_peers),
    ("length", append::at_length),
    ("list", read::list),
    ("load", read::load),
    ("brief", brief::brief),
    ("size", read::size),
    ("start", read::start),
    ("history", history::history),
    ("grep", grep::grep),
    ("edit", edit::edit),
    ("print", print::print),
    ("query", query::query),
    ("serve", serve::serve),
    ("tools", tools::tools),
    ("tidy", tidy::tidy),
];

fn report(options: &Options) -> Outcome<()> {
    let sizes = if options.quick { QUICK } else { FULL };
    let world = World::new(options.keep)?;
    let mut page = Page { machine: machine(&world)?, rows: Vec::new() };
    for (name, part) in PARTS {
        if options.only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let shown = page.rows.len();
        part(&world, &sizes, &mut page).map_err(|error| format!("{name}: {error}"))?;
        for row in &page.rows[shown..] {
            println!("{row}");
        }
    }
    println!("\nMeasured on {}.", page.machine);
    let (met, missed) = page.verdict();
    println!("{met} bars met, {missed} missed");
    let whole = !options.quick && options.only.is_none();
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/benchmarks.md");
    let out = options.out.clone().or_else(|| whole.then(default));
    if let Some(out) = out {
        if let Some(directory) = out.parent() {
            std::fs::create_dir_all(directory)?;
        }
        File::create(&out)?.write_all(page.to_string().as_bytes())?;
    }
    Ok(())
}

/// Cores, kernel and file system; nothing that would name the machine.
fn machine(world: &World) -> Outcome<String> {
    let cores = std::thread::available_parallelism()?;
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let numbers: Vec<_> = release.trim().split('.').take(2).collect();
    let kernel = match numbers[..] {
        [major, minor] => format!("Linux {major}.{minor}"),
        _ => std::env::consts::OS.to_owned(),
    };
    let mut df = world::command(&world.env(), "df");
    df.args(["--output=fstype", "."]);
    let table = String::from_utf8(world::run(df)?)?;
    let file_system = table.lines().nth(1).unwrap_or("unknown").trim();
    Ok(format!("{cores} cores, {kernel}, a file system of type {file_system}"))
}
