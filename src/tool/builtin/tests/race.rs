//! Somebody swaps a directory for a link to the outside while tools read and write.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use super::{
    super::root::{Root, Way},
    *,
};

/// How often each tool is called at least, which meets every state many times.
const ROUNDS: usize = 300;

/// How often it is called until it meets the directory at least once.
const PATIENCE: usize = 20_000;

/// Runs something again and again while `d` is now a directory and now a link to the outside. It
/// says whether it met the directory.
fn while_swapping(bench: &Bench, act: impl Fn(usize) -> bool) {
    let outside = bench.directory.path().join("elsewhere");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("f"), "secret").unwrap();
    fs::create_dir_all(bench.root().join("d")).unwrap();
    fs::write(bench.root().join("d/f"), "inside").unwrap();
    std::os::unix::fs::symlink(&outside, bench.root().join("l")).unwrap();
    let (directory, link) = (bench.root().join("d"), bench.root().join("l"));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                renameat_with(CWD, &directory, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        // A failed test must not leave the other thread running.
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let met = (0..ROUNDS).filter(|round| act(*round)).count();
            met > 0 || (ROUNDS..PATIENCE).any(&act)
        }));
        over.store(true, Ordering::Relaxed);
        let met = ran.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        assert!(met, "the directory was never there");
    });
    assert_eq!(fs::read_to_string(outside.join("f")).unwrap(), "secret");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "nothing was made outside");
}

#[test]
fn nothing_outside_is_read_while_a_directory_is_swapped_for_a_link() {
    let bench = Bench::new();
    let (read, list) = (bench.tool("fs_read_file"), bench.tool("fs_list_files"));
    let search = bench.tool("fs_search");
    while_swapping(&bench, |_| {
        let said = run(&*read, json!({ "path": "d/f" }));
        let was_there = said == Ok("inside".to_owned());
        let texts = [
            said,
            run(&*list, json!({ "path": "d" })),
            run(&*search, json!({ "pattern": "secret", "literal": true })),
            run(&*search, json!({ "pattern": "secret", "path": "d" })),
        ];
        for text in texts.into_iter().filter_map(Result::ok) {
            assert!(!text.contains("secret"), "{text}");
        }
        was_there
    });
}

#[test]
fn nothing_outside_is_written_while_a_directory_is_swapped_for_a_link() {
    let bench = Bench::new();
    let create = bench.tool("fs_create_file");
    let modify = bench.tool("fs_modify_file");
    while_swapping(&bench, |round| {
        let content = format!("inside {round}");
        let arguments = json!({ "path": "d/f", "content": content, "overwrite": true });
        let made = run(&*create, arguments).is_ok();
        let path = format!("d/new-{round}/x");
        let _refused = run(&*create, json!({ "path": path, "content": "y" }));
        let replacements = json!([{ "old_text": "e", "new_text": "E", "all": true }]);
        let _refused = run(&*modify, json!({ "path": "d/f", "replacements": replacements }));
        made
    });
}

#[test]
fn no_directory_outside_is_opened_name_by_name() {
    let bench = Bench::new();
    let root = Root::new(&bench.root(), &[]).by(Way::Steps);
    let path = root.parse("d/f").unwrap();
    while_swapping(&bench, |_| {
        let Ok((mut file, _)) = root.open_file(&path) else { return false };
        let mut text = String::new();
        std::io::Read::read_to_string(&mut file, &mut text).unwrap();
        assert_eq!(text, "inside");
        true
    });
}
