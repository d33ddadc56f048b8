//! What becomes durable together shares a pack and a move of the ref.

use std::{fmt::Write as _, fs, path::PathBuf};

use crate::{
    query::{answer, ask, configure, player},
    support::Jp,
};

/// Lets a model call tools, and tells how many starts and results each pack has that has some.
fn packs(jp: &Jp) -> Vec<(usize, usize)> {
    assert_eq!(answer(ask(jp, &["--new", "Go"])), "Done.\n");
    let stored = fs::read_dir(jp.store().join("objects/pack")).unwrap();
    let files = stored.map(|entry| entry.unwrap().path());
    let indexes = files.filter(|file| file.extension().is_some_and(|it| it == "idx"));
    let count = |index: PathBuf| {
        let objects = jp.git(&["verify-pack", "-v", index.to_str().unwrap()]);
        let commits = objects.lines().filter(|line| line.contains(" commit "));
        let commits = commits.map(|line| line.split(' ').next().unwrap());
        let show = ["show", "--format=", "--name-only"];
        let names = jp.git(&show.into_iter().chain(commits).collect::<Vec<_>>());
        let of = |kind: &str| names.lines().filter(|name| name.contains(kind)).count();
        (of("-tool-start"), of("-tool-result"))
    };
    indexes.map(count).filter(|counted| *counted != (0, 0)).collect()
}

fn script(call: impl Fn(usize) -> String) -> String {
    let mut calls = String::new();
    for number in 0..20 {
        writeln!(calls, "    {},", call(number)).unwrap();
    }
    format!("[[answer]]\nstep = [\n{calls}]\n\n[[answer]]\ntext = \"Done.\"\n")
}

#[test]
fn twenty_tools_that_may_run_are_started_together() {
    let jp = player(&script(|_| "{ call = \"t\", arguments = {} }".to_owned()));
    configure(&jp, "\n[tools.t]\ncommand = [\"true\"]\npermission = \"allow\"\n");
    let packs = packs(&jp);
    assert_eq!(packs.iter().filter(|pack| pack.0 > 0).collect::<Vec<_>>(), [&(20, 0)]);
    assert_eq!(packs.iter().map(|pack| pack.1).sum::<usize>(), 20);
}

#[test]
fn twenty_tools_that_have_to_be_looked_at_share_what_is_stored() {
    let create = "call = \"fs_create_file\", arguments";
    let jp = player(&script(|number| {
        format!("{{ {create} = {{ path = \"made/{number}\", content = \"x\" }} }}")
    }));
    configure(
        &jp,
        "\n[tools.fs_create_file]\nrules = [{ path = \"made/*\", permission = \"allow\" }]\n",
    );
    let packs = packs(&jp);
    assert_eq!(packs.iter().fold((0, 0), |all, pack| (all.0 + pack.0, all.1 + pack.1)), (20, 20));
    // One by one it would be twenty for the starts, and as many for the results.
    assert!(packs.len() < 20, "{packs:?}");
}
