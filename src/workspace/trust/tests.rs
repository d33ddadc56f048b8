use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use super::*;
use crate::{env::Env, model::Timestamp};

/// A workspace with these files, and a home beside it.
fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, Env) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for (name, text) in files {
        write(&root.join("work"), name, text);
    }
    let home = [("HOME".into(), root.join("home").into_os_string())];
    (directory, Env::fixed(home, root.join("work"), Timestamp::from_seconds(1_700_000_000)))
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(env: &Env) -> Trust {
    Trust::read(env.cwd(), Pins::of(env).as_ref()).unwrap()
}

fn accept(env: &Env) {
    let files = WorkspaceFiles::read(env.cwd()).unwrap();
    Pins::of(env).unwrap().keep(files.root(), &Pin::of(&files, env.now())).unwrap();
}

const TOOL: &str = "[tools.x]\ncommand = [\"x\"]\n";

#[test]
fn any_change_of_any_file_takes_the_trust_away() {
    let (_directory, env) = world(&[(".jp/config.toml", TOOL)]);
    assert_eq!(read(&env).standing(), Standing::Unknown);
    accept(&env);
    assert_eq!(read(&env).standing(), Standing::Trusted);
    for (name, text) in [
        (".jp/config.toml", "[tools.x]\ncommand = [\"y\"]\n"),
        (".jp/config.toml", "[tools.x]\ncommand = [\"x\"]\n\n"),
        (".jp/config.toml", "[tools.x]\r\ncommand = [\"x\"]\r\n"),
        (".jp/config.toml", "\u{feff}[tools.x]\ncommand = [\"x\"]\n"),
        (".jp/config.local.toml", ""),
        (".mcp.json", "{}"),
    ] {
        write(env.cwd(), name, text);
        assert_eq!(read(&env).standing(), Standing::Changed, "{name} {text:?}");
        fs::remove_file(env.cwd().join(name)).unwrap();
        write(env.cwd(), ".jp/config.toml", TOOL);
        assert_eq!(read(&env).standing(), Standing::Trusted);
    }
    // Another one with the same files is another one.
    let elsewhere = env.cwd().with_file_name("elsewhere");
    fs::rename(env.cwd(), &elsewhere).unwrap();
    let moved = Trust::read(&elsewhere, Pins::of(&env).as_ref()).unwrap();
    assert_eq!(moved.standing(), Standing::Unknown);
}

#[test]
fn parts_that_move_from_one_file_to_the_next_are_another_hash() {
    let (_directory, env) = world(&[]);
    let hash = |files: &[(&str, &str)]| {
        let _none = fs::remove_dir_all(env.cwd());
        files.iter().for_each(|(name, text)| write(env.cwd(), name, text));
        WorkspaceFiles::read(env.cwd()).unwrap().hash()
    };
    let one = hash(&[(".jp/config.toml", "ab"), (".mcp.json", "c")]);
    assert_eq!(one, hash(&[(".jp/config.toml", "ab"), (".mcp.json", "c")]));
    assert_ne!(one, hash(&[(".jp/config.toml", "a"), (".mcp.json", "bc")]));
    assert_ne!(one, hash(&[(".jp/config.local.toml", "ab"), (".mcp.json", "c")]));
}

#[test]
fn a_link_is_pinned_to_where_it_leads() {
    let (_directory, env) = world(&[("../one", TOOL), ("../two", TOOL), (".jp/none", "")]);
    let link = env.cwd().join(".jp/config.toml");
    std::os::unix::fs::symlink("../../one", &link).unwrap();
    accept(&env);
    let trust = read(&env);
    assert_eq!(trust.standing(), Standing::Trusted);
    let elsewhere = env.cwd().with_file_name("one").display().to_string();
    assert_eq!(trust.changes().unwrap()[0].elsewhere.as_deref(), Some(elsewhere.as_str()));
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("../../two", &link).unwrap();
    let trust = read(&env);
    assert_eq!(trust.standing(), Standing::Changed);
    assert_eq!(trust.moved(), [(".jp/config.toml", elsewhere)]);
}

#[test]
fn what_changes_is_told_beside_what_was_trusted() {
    let (_directory, env) = world(&[
        (
            ".jp/config.toml",
            "[assistant]\nmodel = \"a/b\"\n[tools]\nx.command = [\"x\"]\n\
                             y.command = [\"y\"]\nz.command = [\"z\"]\n",
        ),
        (".mcp.json", "{\n\"mcpServers\": {\"a\": {}}\n}\n"),
    ]);
    let added = |text: &str| Line::Added(text.to_owned());
    let kept = |text: &str| Line::Kept(text.to_owned());
    let removed = |text: &str| Line::Removed(text.to_owned());
    let lines = |env: &Env| -> Vec<(String, Vec<Line>)> {
        let changes = read(env).changes().unwrap().into_iter();
        changes.map(|change| (change.name, change.lines)).collect()
    };
    let expected = vec![
        (
            ".jp/config.toml".to_owned(),
            vec![
                added("tools.x.command = [\"x\"]"),
                added("tools.y.command = [\"y\"]"),
                added("tools.z.command = [\"z\"]"),
            ],
        ),
        (
            ".mcp.json".to_owned(),
            vec![added("{"), added("\"mcpServers\": {\"a\": {}}"), added("}")],
        ),
    ];
    assert_eq!(lines(&env), expected);
    accept(&env);
    write(env.cwd(), ".jp/config.toml", "tools.x.command = [\"x\"]\ntools.y.command = [\"w\"]\n");
    write(env.cwd(), ".mcp.json", "{\n\"mcpServers\": {\"b\": {}}\n}\n");
    let expected = vec![
        (
            ".jp/config.toml".to_owned(),
            vec![
                kept("tools.x.command = [\"x\"]"),
                removed("tools.y.command = [\"y\"]"),
                added("tools.y.command = [\"w\"]"),
                removed("tools.z.command = [\"z\"]"),
            ],
        ),
        (
            ".mcp.json".to_owned(),
            vec![
                kept("{"),
                removed("\"mcpServers\": {\"a\": {}}"),
                added("\"mcpServers\": {\"b\": {}}"),
                kept("}"),
            ],
        ),
    ];
    assert_eq!(lines(&env), expected);
}

#[test]
fn servers_need_trust_and_a_file_without_any_does_not() {
    for (text, risky) in [
        ("{}", false),
        ("{\"mcpServers\": {}}", false),
        (" \n", false),
        ("{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}", true),
        ("\u{feff}{\"mcpServers\": {\"a\": 1}}", true),
        ("{\"servers\": {\"a\": {}}}", true),
        ("[]", true),
        ("{\"mcpServers\": {}", true),
    ] {
        let (_directory, env) = world(&[(".mcp.json", text)]);
        let expected: &[&str] = if risky { &[".mcp.json"] } else { &[] };
        assert_eq!(read(&env).untrusted_files(), expected, "{text}");
        assert_eq!(read(&env).trusted(".mcp.json"), None);
        accept(&env);
        assert_eq!(read(&env).trusted(".mcp.json").unwrap().text, text);
        assert!(read(&env).untrusted_files().is_empty());
    }
}

#[test]
fn what_is_trusted_is_kept_for_the_user_alone_and_torn_files_count_as_none() {
    let (_directory, env) = world(&[(".jp/config.toml", TOOL)]);
    accept(&env);
    let pins = Pins::of(&env).unwrap();
    let pin = pins.find(env.cwd()).unwrap().unwrap();
    assert_eq!(pins.all().unwrap(), [pin.clone()]);
    let directory = env.data_dir().unwrap().join("trust");
    let file = fs::read_dir(&directory).unwrap().next().unwrap().unwrap().path();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&directory), mode(&file)), (0o700, 0o600));
    let whole = fs::read(&file).unwrap();
    assert_eq!(Pin::decode(&whole), Some(pin));
    assert!((0..whole.len() - 1).all(|length| Pin::decode(&whole[..length]).is_none()));
    fs::write(&file, &whole[..10]).unwrap();
    assert_eq!(read(&env).standing(), Standing::Unknown);
    assert!(pins.revoke(env.cwd()).unwrap());
    assert!(!pins.revoke(env.cwd()).unwrap());
}
