//! Trees and configurations that mean harm: refused by name, quickly, with nothing run or written.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use flate2::{Compress, Compression, FlushCompress};

use crate::support::{Jp, Output, contents, message, request};

/// How long a refusal may take; code that was not optimised gets more time.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 3 } else { 1 });

const FILE: &str = "100644";
const DIRECTORY: &str = "40000";

/// A conversation of two events, and the entries of its tree.
struct Victim {
    jp: Jp,
    id: String,
    entries: Vec<(String, Vec<u8>, String)>,
    blob: String,
}

impl Victim {
    fn new() -> Self {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        let listed = jp.git(&["ls-tree", &id]);
        let entry = |line: &str| {
            let (head, name) = line.split_once('\t').unwrap();
            let words: Vec<_> = head.split(' ').collect();
            let mode = words[0].trim_start_matches('0').to_owned();
            (mode, name.as_bytes().to_vec(), words[2].to_owned())
        };
        let entries: Vec<_> = listed.lines().map(entry).collect();
        let blob = entries[1].2.clone();
        Self { jp, id, entries, blob }
    }

    /// Writes a tree object of these entries, whatever git thinks of it.
    fn tree(&self, entries: &[(&str, &[u8], &str)]) -> String {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend([mode.as_bytes(), b" ", name, b"\0"].concat());
            let pairs = (0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap());
            bytes.extend(pairs);
        }
        self.jp
            .git_with_input(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], bytes)
    }

    /// The entries of the tree as it was.
    fn borrowed(&self) -> Vec<(&str, &[u8], &str)> {
        let entries = self.entries.iter();
        entries.map(|(mode, name, id)| (mode.as_str(), name.as_slice(), id.as_str())).collect()
    }

    /// The tree of the conversation with one more entry, or one in the place of another.
    fn plant(&self, mode: &str, name: &[u8], object: &str) {
        let mut entries = self.borrowed();
        entries.retain(|(_, other, _)| *other != name);
        entries.push((mode, name, object));
        self.jp.commit_tree(&self.id, &self.tree(&entries));
    }

    /// Runs jp with little memory, and asserts that it is quick and prints nothing that could
    /// steer a terminal.
    fn quickly(&self, args: &[&str]) -> Output {
        let mut took = Duration::MAX;
        let mut output = None;
        // A busy machine may delay one run, but not three.
        for _ in 0..3 {
            let limit = "ulimit -v 1000000; exec \"$0\" \"$@\"";
            let started = Instant::now();
            let mut command = self.jp.command("sh");
            command.args(["-c", limit, env!("CARGO_BIN_EXE_jp")]).args(args);
            output = Some(Output::of(&mut command));
            took = started.elapsed();
            if took < PATIENCE {
                break;
            }
        }
        assert!(took < PATIENCE, "{args:?} took {took:?}");
        let output = output.unwrap();
        let raw = |c: char| c.is_control() && c != '\n';
        assert!(!output.stdout.contains(raw) && !output.stderr.contains(raw), "{output:?}");
        output
    }

    /// Asserts that the conversation is refused by everything that reads it, with this said about
    /// it, and that nothing is written.
    fn assert_refused(&self, said: &str) {
        self.jp.write("more.md", message("More\n"));
        let before = contents(&self.jp.world());
        let id = &self.id;
        let show = self.quickly(&["c", "show", id]);
        let refused = format!("error: conversation {id} is refused: {said}\n");
        assert!(show.stderr.starts_with(&refused), "{said}: {show:?}");
        assert_eq!((show.code, show.stdout.as_str()), (1, ""), "{said}");
        let append = self.quickly(&["c", "append", id, "more.md"]);
        assert_eq!((append.code, append.stdout.as_str()), (1, ""), "{said}: {append:?}");
        let ls = self.quickly(&["c", "ls", "--format", "json"]);
        let row = &serde_json::from_str::<serde_json::Value>(&ls.stdout).unwrap()[0];
        assert_eq!(row["status"], "damaged", "{said}");
        let fsck = self.quickly(&["c", "fsck", id]);
        assert_eq!(fsck.code, 1, "{said}");
        assert!(fsck.stdout.contains(&format!("{id}: {said}\n")), "{said}: {}", fsck.stdout);
        assert_eq!(contents(&self.jp.world()), before, "{said}");
    }

    /// Asserts that a repair brings the conversation back and keeps the old tree in history.
    fn assert_mended(&self) {
        let old = self.jp.tip(&self.id);
        let repair = self.quickly(&["c", "fsck", "--repair", &self.id]);
        assert_eq!((repair.code, repair.stderr.as_str()), (0, ""), "{}", repair.stdout);
        assert!(repair.stdout.contains("repaired in commit "), "{}", repair.stdout);
        assert_eq!(self.jp.show(&self.id)["problems"], serde_json::json!([]));
        let history = self.jp.git(&["rev-list", &self.id]);
        assert!(history.lines().any(|commit| commit == old), "{old}");
        self.jp.append(&self.id, &[&message("Go on\n")]).ok();
    }
}

#[test]
fn entries_that_are_no_plain_files_are_refused_by_name_and_taken_out() {
    for (mode, why) in [
        ("120000", "it is a symbolic link"),
        ("160000", "it is a submodule"),
        ("100755", "it is executable"),
        ("100664", "its file mode has no place"),
    ] {
        let victim = Victim::new();
        victim.plant(mode, b"002-message.md", &victim.blob);
        victim.assert_refused(&format!("002-message.md: {why}"));
        victim.assert_mended();
        victim.plant(mode, b"CONVERSATION", &victim.blob);
        victim.assert_refused(&format!("CONVERSATION: {why}"));
        victim.assert_mended();
    }
}

#[test]
fn names_that_have_no_place_are_refused_and_taken_out() {
    let why = "a file of this name has no place";
    for (name, shown) in [
        (&b".."[..], ".."),
        (b".", "."),
        (b".git", ".git"),
        (b"..\\evil", "..\\evil"),
        (b"/etc/passwd", "/etc/passwd"),
        (b"../../evil.md", "../../evil.md"),
        (b"~root", "~root"),
        (b"C:evil.md", "C:evil.md"),
        (b"002-\x1b]0;pwned\x07.md", "002-\\u{1b}]0;pwned\\u{7}.md"),
        ("002-\u{202e}dm.md".as_bytes(), "002-\\u{202e}dm.md"),
        (b"x.md\nHint: run `evil`", "x.md\\nHint: run `evil`"),
        (b"02-message.md", "02-message.md"),
        (b"notes.txt", "notes.txt"),
    ] {
        let victim = Victim::new();
        victim.plant(FILE, name, &victim.blob);
        victim.assert_refused(&format!("{shown}: {why}"));
        victim.assert_mended();
    }
}

#[test]
fn directories_that_have_no_place_are_refused_and_taken_out() {
    for (name, said) in [
        ("evil", "evil: a directory of this name has no place"),
        ("..", "..: a directory of this name has no place"),
        (".git", ".git: a directory of this name has no place"),
        ("002-message.md", "002-message.md: a directory of this name has no place"),
        ("CONVERSATION", "CONVERSATION: a directory of this name has no place"),
        ("500", "500/deep: a sealed run has no directories"),
        (".conversation", ".conversation/deep: it is not part of the format"),
    ] {
        let victim = Victim::new();
        let inner = victim.tree(&[(FILE, b"CONVERSATION", &victim.blob)]);
        let tree = victim.tree(&[(DIRECTORY, b"deep", &inner)]);
        victim.plant(DIRECTORY, name.as_bytes(), &tree);
        victim.assert_refused(said);
        victim.assert_mended();
    }
    let victim = Victim::new();
    victim.plant(FILE, b".conversation", &victim.blob);
    victim.assert_refused(".conversation: a file of this name has no place");
    victim.assert_mended();
}

#[test]
fn names_that_differ_by_case_only_are_refused() {
    let victim = Victim::new();
    victim.plant(FILE, b"conversation", &victim.blob);
    victim.assert_refused("conversation: its name differs from another's by case only");
    victim.assert_mended();
    assert_eq!(victim.jp.show(&victim.id)["events"], 3);
}

#[test]
fn objects_of_the_wrong_kind_are_refused() {
    for (mode, name) in [(DIRECTORY, "500"), (FILE, "CONVERSATION"), (DIRECTORY, ".conversation")] {
        let victim = Victim::new();
        let tree = victim.jp.git(&["rev-parse", &format!("{}^{{tree}}", victim.id)]);
        let object = if mode == FILE { tree.trim_end() } else { &victim.blob };
        victim.plant(mode, name.as_bytes(), object);
        let show = victim.quickly(&["c", "show", &victim.id]);
        let (actual, expected) = if mode == FILE { ("tree", "blob") } else { ("blob", "tree") };
        let said = format!(
            "error: conversation {} cannot be read: object {object} is a {actual}, not a {expected}\n",
            victim.id
        );
        show.fails(1, &said);
        let repair = victim.quickly(&["c", "fsck", "--repair", &victim.id]);
        assert_eq!(repair.code, 0, "{repair:?}");
        assert!(repair.stdout.contains("is brought back"), "{}", repair.stdout);
        assert_eq!(victim.jp.show(&victim.id)["events"], 2);
        victim.jp.append(&victim.id, &[&message("Go on\n")]).ok();
    }
}

#[test]
fn an_event_that_became_executable_is_a_plain_file_again() {
    let victim = Victim::new();
    victim.plant("100755", b"000-request.md", &victim.blob);
    victim.assert_refused("000-request.md: it is executable");
    victim.assert_mended();
    let question = victim.jp.run(&["c", "cat", &victim.id, "0"]);
    assert_eq!(question.ok(), request("Question\n"));
    assert_eq!(victim.jp.show(&victim.id)["events"], 3);
}

#[test]
fn of_two_twins_the_one_in_the_stream_stays() {
    let victim = Victim::new();
    let mut entries = victim.borrowed();
    entries.insert(1, (FILE, b"000-Request.md", &victim.entries[2].2));
    victim.jp.commit_tree(&victim.id, &victim.tree(&entries));
    victim.assert_refused("000-request.md: its name differs from another's by case only");
    victim.assert_mended();
    let question = victim.jp.run(&["c", "cat", &victim.id, "0"]);
    assert_eq!(question.ok(), request("Question\n"));
    assert_eq!(victim.jp.show(&victim.id)["events"], 3);
}

#[test]
fn of_an_entry_that_is_there_twice_one_stays() {
    let victim = Victim::new();
    let mut entries = victim.borrowed();
    entries.insert(1, entries[1]);
    victim.jp.commit_tree(&victim.id, &victim.tree(&entries));
    victim.assert_refused("000-request.md: its name is there twice");
    victim.assert_mended();
    assert_eq!(victim.jp.show(&victim.id)["events"], 3);
}

#[test]
fn one_large_file_under_many_names_is_refused() {
    let victim = Victim::new();
    let large = message(&" ".repeat(30 << 20));
    let blob = victim.jp.git_with_input(&["hash-object", "-w", "--stdin"], large);
    let names: Vec<_> = (2..22).map(|n| format!("{n:03}-message.md")).collect();
    let manifest = format!("000-request.md\n001-message.md\n{}\n", names.join("\n"));
    let manifest = victim.jp.git_with_input(&["hash-object", "-w", "--stdin"], manifest);
    let mut entries = victim.borrowed();
    entries.retain(|(_, name, _)| *name != b"CONVERSATION");
    entries.push((FILE, b"CONVERSATION", &manifest));
    entries.extend(names.iter().map(|name| (FILE, name.as_bytes(), blob.as_str())));
    victim.jp.commit_tree(&victim.id, &victim.tree(&entries));
    let show = victim.quickly(&["c", "show", &victim.id]);
    let said = format!(
        "error: conversation {} cannot be read: it is larger than 536870912 bytes\n",
        victim.id
    );
    show.fails(1, &said);
}

#[test]
fn a_directory_of_very_many_entries_is_refused() {
    let victim = Victim::new();
    let names: Vec<_> = (0..200_000).map(|n| format!("{n:03}-message.md")).collect();
    let entries: Vec<_> =
        names.iter().map(|name| (FILE, name.as_bytes(), victim.blob.as_str())).collect();
    let tree = victim.tree(&entries);
    victim.jp.commit_tree(&victim.id, &tree);
    let show = victim.quickly(&["c", "show", &victim.id]);
    let message = format!(
        "error: conversation {} cannot be read: object {tree} is damaged: a directory has more \
         than 100000 entries\n",
        victim.id
    );
    show.fails(1, &message);
    assert_eq!(victim.quickly(&["c", "fsck", &victim.id]).code, 1);
}

#[test]
fn a_few_objects_that_stand_for_billions_of_files_are_refused() {
    let victim = Victim::new();
    let mut tree = victim.tree(&[(FILE, b"CONVERSATION", &victim.blob)]);
    for _ in 0..11 {
        let names: Vec<_> = (100..110).map(|n| n.to_string()).collect();
        let entries: Vec<_> =
            names.iter().map(|name| (DIRECTORY, name.as_bytes(), tree.as_str())).collect();
        tree = victim.tree(&entries);
    }
    victim.jp.commit_tree(&victim.id, &tree);
    let show = victim.quickly(&["c", "show", &victim.id]);
    let head = format!("error: conversation {} is refused: 10", victim.id);
    assert!(show.stderr.starts_with(&head), "{show:?}");
    assert_eq!(show.code, 1);
    assert_eq!(victim.quickly(&["c", "fsck", "--repair", &victim.id]).code, 0);
}

#[test]
fn a_blob_that_inflates_to_a_gigabyte_is_not_inflated() {
    let id = "1111111111111111111111111111111111111111";
    for (claimed, name) in [
        (1_u64 << 30, "CONVERSATION"),
        (1 << 30, "002-message.md"),
        (10, "CONVERSATION"),
        (10, "002-message.md"),
    ] {
        let victim = Victim::new();
        inflating_blob(&victim.jp.store(), id, claimed);
        victim.plant(FILE, name.as_bytes(), id);
        if name != "CONVERSATION" {
            let manifest = format!("000-request.md\n001-message.md\n{name}\n");
            let blob = victim.jp.git_with_input(&["hash-object", "-w", "--stdin"], manifest);
            let mut entries: Vec<_> = victim
                .entries
                .iter()
                .map(|(mode, name, id)| (mode.as_str(), name.as_slice(), id.as_str()))
                .filter(|(_, name, _)| *name != b"CONVERSATION")
                .collect();
            entries.push((FILE, name.as_bytes(), id));
            entries.push((FILE, b"CONVERSATION", &blob));
            victim.jp.commit_tree(&victim.id, &victim.tree(&entries));
        }
        let fsck = victim.quickly(&["c", "fsck", &victim.id]);
        assert_eq!(fsck.code, 1, "{claimed} {name}: {fsck:?}");
        let said = [fsck.stdout, fsck.stderr].concat();
        assert!(said.contains(id) || said.contains(name), "{claimed} {name}: {said}");
        if claimed > 10 {
            let limit = if name == "CONVERSATION" { 16 << 20 } else { 64 << 20 };
            let why = format!("object {id} has {claimed} bytes: at most {limit} are read");
            assert!(said.contains(&why), "{name}: {said}");
        }
        let _any = victim.quickly(&["c", "show", &victim.id]);
        let _any = victim.quickly(&["c", "cat", &victim.id, "2"]);
        let _any = victim.quickly(&["c", "ls"]);
    }
}

/// Writes a loose object of a gigabyte of zeros without making a gigabyte of zeros.
fn inflating_blob(store: &Path, id: &str, claimed: u64) {
    const CHUNK: usize = 1 << 20;
    let mut deflate = Compress::new(Compression::best(), false);
    let mut chunk = |bytes: &[u8]| {
        let mut out = Vec::with_capacity(bytes.len() + 1024);
        deflate.compress_vec(bytes, &mut out, FlushCompress::Full).unwrap();
        out
    };
    let header = format!("blob {claimed}\0");
    let mut file = vec![0x78, 0x01];
    file.extend(chunk(header.as_bytes()));
    let zeros = chunk(&vec![0; CHUNK]);
    for _ in 0..1024 {
        file.extend_from_slice(&zeros);
    }
    file.extend([0x03, 0x00]);
    let (mut low, mut high) = (1_u64, 0_u64);
    for byte in header.bytes() {
        low = (low + u64::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    high = (high + 1024 * CHUNK as u64 % 65521 * low) % 65521;
    file.extend(u32::try_from(high << 16 | low).unwrap().to_be_bytes());
    let path = store.join("objects").join(&id[..2]).join(&id[2..]);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, file).unwrap();
}

#[test]
fn a_frontmatter_that_is_hard_to_parse_is_refused_quickly() {
    let victim = Victim::new();
    for header in ["[".repeat(60_000), "a: &a [x]\n".to_owned() + &"b: [*a,*a,*a]\n".repeat(4000)] {
        let event = format!("---\ntype: message\nx: {header}\n---\n");
        victim.jp.write("bomb.md", event);
        let append = victim.quickly(&["c", "append", &victim.id, "bomb.md"]);
        assert_eq!((append.code, append.stdout.as_str()), (1, ""), "{}", append.stderr);
        assert!(append.stderr.starts_with("error: bomb.md:"), "{}", append.stderr);
    }
}

#[test]
fn a_configuration_that_could_run_programs_is_refused_and_nothing_runs() {
    let victim = Victim::new();
    let jp = &victim.jp;
    let config = jp.store().join("config");
    let harmless = fs::read_to_string(&config).unwrap();
    let mark = jp.path("pwned");
    let run = format!("touch {}", mark.display());
    for (lines, key) in [
        (format!("[core]\n\tFsMonitor = {run}\n"), "core.fsmonitor"),
        (format!("[alias]\n\tlog = \"!{run}\"\n"), "alias.log"),
        (format!("[core]\n\tsshCommand = {run}\n"), "core.sshcommand"),
        (format!("[core]\n\tpager = {run}\n"), "core.pager"),
        (format!("[core]\n\thooksPath = {}\n", jp.path("").display()), "core.hookspath"),
        (format!("[diff]\n\texternal = {run}\n"), "diff.external"),
        (format!("[diff \"markdown\"]\n\ttextconv = {run}\n"), "diff.markdown.textconv"),
        (format!("[gpg]\n\tprogram = {run}\n"), "gpg.program"),
        ("[include]\n\tpath = ../evil\n".to_owned(), "include.path"),
        ("[includeIf \"gitdir:/\"]\n\tpath = ../evil\n".to_owned(), "includeif.gitdir:/.path"),
        (format!("[remote \"o\"]\n\tuploadpack = {run}\n"), "remote.o.uploadpack"),
        (format!("[filter \"x\"]\n\tsmudge = {run}\n"), "filter.x.smudge"),
    ] {
        fs::write(&config, format!("{harmless}{lines}")).unwrap();
        let refusal = format!(
            "error: the configuration of the store sets `{key}`, which could run programs\n\
             Hint: look at `config` in the directory that `jp store path` prints; remove these \
             keys, or run git there yourself\n"
        );
        for args in [&["git", "log", &victim.id][..], &["store", "fsck"]] {
            jp.run(args).fails(1, &refusal);
        }
        let pack = jp.run(&["store", "pack"]);
        assert_eq!((pack.code, pack.stderr), (1, refusal), "{key}");
        // What jp does itself asks nobody.
        jp.append(&victim.id, &[&message("again\n")]).ok();
        assert_eq!(jp.run(&["c", "fsck", &victim.id]).ok(), "");
        assert!(!mark.exists(), "{key}");
    }
    fs::write(&config, harmless).unwrap();
    let hook = jp.store().join("hooks/reference-transaction");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, format!("#!/bin/sh\n{run}\n")).unwrap();
    let runnable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, runnable).unwrap();
    jp.run(&["git", "update-ref", "refs/heads/x", &victim.id]).ok();
    let misled = jp
        .with_var("GIT_CONFIG_COUNT", "1")
        .with_var("GIT_CONFIG_KEY_0", "alias.pwn")
        .with_var("GIT_CONFIG_VALUE_0", format!("!{run}"));
    assert_eq!(misled.run(&["git", "pwn"]).code, 1);
    assert!(!mark.exists());
}

#[test]
fn a_name_that_is_not_utf_8_is_refused_and_taken_out() {
    let victim = Victim::new();
    victim.plant(FILE, b"\xff\xfe.md", &victim.blob);
    victim.assert_refused("\u{fffd}\u{fffd}.md: its name is not UTF-8");
    victim.assert_mended();
}

#[test]
fn runs_that_stand_for_very_many_entries_are_refused() {
    let victim = Victim::new();
    let names: Vec<_> = (0..50_000).map(|n| format!("d{n}")).collect();
    let entries: Vec<_> =
        names.iter().map(|name| (DIRECTORY, name.as_bytes(), victim.blob.as_str())).collect();
    let large = victim.tree(&entries);
    let small = victim.tree(&[(FILE, b"CONVERSATION", &victim.blob)]);
    for (run, count) in [(large, 400), (small, 90_000)] {
        let names: Vec<_> = (100..100 + count).map(|n| n.to_string()).collect();
        let entries: Vec<_> =
            names.iter().map(|name| (DIRECTORY, name.as_bytes(), run.as_str())).collect();
        victim.jp.commit_tree(&victim.id, &victim.tree(&entries));
        let show = victim.quickly(&["c", "show", &victim.id]);
        assert_eq!((show.code, show.stdout.as_str()), (1, ""), "{}", show.stderr);
    }
}

#[test]
fn a_manifest_of_very_many_lines_is_refused() {
    let victim = Victim::new();
    let lines: String = (2..500_000).map(|n| format!("{n:03}-message.md\n")).collect();
    let manifest = victim.jp.git_with_input(&["hash-object", "-w", "--stdin"], lines);
    victim.plant(FILE, b"CONVERSATION", &manifest);
    let show = victim.quickly(&["c", "show", &victim.id]);
    let said = format!(
        "error: conversation {} cannot be read: it has more files, runs or lines than fit \
         (see the limits of the format)\n",
        victim.id
    );
    show.fails(1, &said);
}

#[test]
fn lines_that_lead_nowhere_are_told_up_to_a_point() {
    let victim = Victim::new();
    let lines: String = (2..20_000).map(|n| format!("{n:03}-message.md\n")).collect();
    let manifest = victim.jp.git_with_input(&["hash-object", "-w", "--stdin"], lines);
    victim.plant(FILE, b"CONVERSATION", &manifest);
    let fsck = victim.quickly(&["c", "fsck", &victim.id]);
    assert_eq!(fsck.code, 1);
    assert!(fsck.stdout.contains("CONVERSATION:1:1: `002-message.md`: there is no such file\n"));
    assert!(fsck.stdout.contains("CONVERSATION: there may be more\n"));
}

#[test]
fn json_steers_no_terminal_either() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("\u{9b}31m \u{7f} \u{202e}\n")]);
    for args in
        [&["c", "diff", &id, "--format", "json"][..], &["c", "blame", &id, "1", "--format", "json"]]
    {
        let said = jp.run(args).ok();
        let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!said.contains(harmful), "{args:?}: {said:?}");
    }
}
