//! Making workspaces: where the store goes, and what stays untouched.

use std::{fs, path::Path};

use crate::support::{Jp, contents, message, request};

/// The id that the first line of `jp init` names.
fn workspace_id(said: &str) -> String {
    said.split(' ').nth(1).unwrap().to_owned()
}

/// A git repository with one commit in the current directory.
fn repository(jp: &Jp) {
    jp.git_in(".", &["init", "-q", "-b", "main"]);
    jp.write("README", "hello\n");
    jp.git_in(".", &["add", "README"]);
    jp.git_in(".", &["commit", "-q", "-m", "first"]);
}

/// The files of a git directory without the store in it.
fn git_files(directory: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let all = contents(directory).into_iter();
    all.filter(|(path, _)| !path.starts_with(directory.join("jp"))).collect()
}

#[test]
fn a_plain_directory_keeps_its_conversations_in_itself() {
    let jp = Jp::new();
    let said = jp.run(&["init"]).ok();
    let id = workspace_id(&said);
    assert_eq!((id.len(), id.bytes().all(|byte| byte.is_ascii_hexdigit())), (32, true));
    let (root, store) = (jp.path(""), jp.path(".jp/store"));
    let root = root.to_str().unwrap().trim_end_matches('/');
    let expected =
        format!("Workspace {id} in {root}\nConversations are kept in {}\n", store.display());
    assert_eq!(said, expected);
    assert_eq!(jp.store(), store);
    assert_eq!(jp.git(&["config", "jp.id"]), format!("{id}\n"));
    assert_eq!(jp.git(&["config", "core.logAllRefUpdates"]), "always\n");
    assert_eq!(jp.git(&["rev-parse", "--is-bare-repository"]), "true\n");
    jp.assert_sound();
}

#[test]
fn a_directory_can_be_named_and_is_made() {
    let jp = Jp::new();
    jp.run(&["init", "deep/down"]).ok();
    assert!(jp.path("deep/down/.jp/config.toml").is_file());
    let inside = jp.at("deep/down/further");
    assert_eq!(inside.store(), jp.path("deep/down/.jp/store"));
    jp.write("file", "");
    let message = format!("error: `{}` is not a directory\n", jp.path("file").display());
    jp.run(&["init", "file"]).fails(1, &message);
}

#[test]
fn init_again_changes_nothing() {
    for prepare in [|_: &Jp| {}, repository] {
        let jp = Jp::new();
        prepare(&jp);
        let first = jp.run(&["init"]).ok();
        jp.write(".jp/config.toml", "# mine\n");
        let id = jp.start(&[&request("Hello\n")]);
        let before = contents(&jp.world());
        let again = jp.run(&["init"]).ok();
        assert_eq!(again, first.replacen(" in /", " is already in /", 1));
        assert_eq!(contents(&jp.world()), before);
        assert_eq!(jp.show(&id)["events"], 1);
    }
}

#[test]
fn a_git_repository_keeps_the_conversations_and_is_not_touched_otherwise() {
    let jp = Jp::new();
    repository(&jp);
    let before = git_files(&jp.path(".git"));
    jp.run(&["init"]).ok();
    assert_eq!(jp.store(), jp.path(".git/jp"));
    let id = jp.start(&[&request("Hello\n")]);
    jp.append(&id, &[&message("Hi\n")]).ok();
    jp.run(&["store", "pack"]).ok();
    assert_eq!(git_files(&jp.path(".git")), before);
    let status = jp.git_in(".", &["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(status, "?? .jp/.gitignore\n?? .jp/config.toml\n?? events/0.md\n");
    assert_eq!(jp.git_in(".", &["for-each-ref", "--format=%(refname)"]), "refs/heads/main\n");
    jp.assert_sound();
}

#[test]
fn a_worktree_shares_the_conversations_of_its_repository() {
    let jp = Jp::new();
    repository(&jp);
    let id = workspace_id(&jp.run(&["init"]).ok());
    jp.git_in(".", &["worktree", "add", "-q", "../other"]);
    let other = jp.at("../other");
    let in_other = workspace_id(&other.run(&["init"]).ok());
    assert_eq!(in_other, id);
    assert_eq!(other.store(), jp.store());
    let conversation = other.start(&[&request("Hello\n")]);
    assert_eq!(jp.show(&conversation)["title"], "Hello");
}

#[test]
fn a_worktree_can_be_the_first_to_be_initialised() {
    let jp = Jp::new();
    repository(&jp);
    jp.git_in(".", &["worktree", "add", "-q", "../other"]);
    let other = jp.at("../other");
    let id = workspace_id(&other.run(&["init"]).ok());
    assert_eq!(other.store(), jp.path(".git/jp"));
    assert_eq!(workspace_id(&jp.run(&["init"]).ok()), id);
}

#[test]
fn a_bare_repository_can_be_a_workspace() {
    let jp = Jp::new().at("project.git");
    jp.git_in(".", &["init", "-q", "--bare"]);
    let before = contents(&jp.path(""));
    jp.run(&["init"]).ok();
    assert_eq!(jp.store(), jp.path("jp"));
    jp.start(&[&request("Hello\n")]);
    let own = [jp.path("jp"), jp.path(".jp"), jp.path("events")];
    let after = contents(&jp.path("")).into_iter();
    let after: Vec<_> =
        after.filter(|(path, _)| !own.iter().any(|own| path.starts_with(own))).collect();
    assert_eq!(after, before.into_iter().collect::<Vec<_>>());
    jp.git_in(".", &["fsck", "--strict"]);
    jp.assert_sound();
}

#[test]
fn an_unborn_repository_can_be_a_workspace() {
    let jp = Jp::new();
    jp.git_in(".", &["init", "-q"]);
    let before = git_files(&jp.path(".git"));
    jp.run(&["init"]).ok();
    assert_eq!(jp.store(), jp.path(".git/jp"));
    jp.start(&[&request("Hello\n")]);
    assert_eq!(git_files(&jp.path(".git")), before);
}

#[test]
fn a_store_stays_where_it_is_when_git_comes_later() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hello\n")]);
    jp.git_in(".", &["init", "-q"]);
    assert_eq!(jp.store(), jp.path(".jp/store"));
    let said = jp.run(&["init"]).ok();
    assert!(said.contains(" is already in "), "{said}");
    assert_eq!(jp.show(&id)["events"], 1);
    let status = jp.git_in(".", &["status", "--porcelain", "--untracked-files=all"]);
    assert!(!status.contains("store"), "{status}");
}

#[test]
fn outside_of_any_workspace_the_personal_one_serves() {
    let jp = Jp::new();
    let id = jp.run_with_input(&["c", "append", "--new", "-"], request("Hello\n")).ok();
    let id = id.split(' ').next().unwrap();
    assert_eq!(jp.store(), jp.world().join("data/jp/personal/.jp/store"));
    assert_eq!(fs::read_dir(jp.path("")).unwrap().count(), 0);
    assert_eq!(jp.at("elsewhere").show(id)["title"], "Hello");
    let without_data = jp.with_var("XDG_DATA_HOME", "");
    assert_eq!(without_data.store(), jp.world().join("home/.local/share/jp/personal/.jp/store"));
}

#[test]
fn reading_makes_nothing() {
    let jp = Jp::new();
    let before = contents(&jp.world());
    let none = "No conversations yet: `jp conversation append --new FILE` starts one\n";
    let ls = jp.run(&["c", "ls"]);
    assert_eq!((ls.stdout.as_str(), ls.stderr.as_str(), ls.code), ("", none, 0));
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).ok(), "[]\n");
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    assert_eq!(jp.run(&["c", "fsck", "--format", "json"]).ok(), "[]\n");
    let unknown = "error: there is no conversation `jp-c1`\n\
                   Hint: `jp conversation append --new FILE` starts one\n";
    jp.run(&["c", "show", "jp-c1"]).fails(1, unknown);
    jp.run(&["c", "cat", "jp-c1", "0"]).fails(1, unknown);
    let no_store = "error: there is no store here yet\n\
                    Hint: `jp init` makes one, and so does the first conversation\n";
    for args in [&["store", "stats"][..], &["store", "pack"], &["store", "fsck"], &["git", "log"]] {
        jp.run(args).fails(1, no_store);
    }
    assert_eq!(contents(&jp.world()), before);
}

#[test]
fn the_user_can_say_where_the_store_is() {
    let jp = Jp::in_workspace();
    fs::create_dir(jp.world().join("config/jp")).unwrap();
    let config = jp.world().join("config/jp/config.toml");
    fs::write(&config, "[store]\npath = \"~/kept\"\n").unwrap();
    let id = jp.start(&[&request("Hello\n")]);
    assert_eq!(jp.store(), jp.world().join("home/kept"));
    assert_eq!(jp.at("../elsewhere").show(&id)["events"], 1);
    fs::write(&config, "[store]\npath = \"kept\"\n").unwrap();
    let message =
        format!("error: {}:2:1: `store.path` must be an absolute path\n", config.display());
    jp.run(&["c", "ls"]).fails(1, &message);
}

#[test]
fn variables_of_git_do_not_lead_elsewhere() {
    let jp = Jp::in_workspace();
    let other = jp.at("../other");
    repository(&other);
    let before = contents(&other.path(""));
    let misled = jp
        .with_var("GIT_DIR", other.path(".git"))
        .with_var("GIT_WORK_TREE", other.path(""))
        .with_var("GIT_INDEX_FILE", other.path(".git/index"));
    let id = misled.start(&[&request("Hello\n")]);
    assert_eq!(misled.store(), jp.path(".jp/store"));
    assert_eq!(
        misled.run(&["git", "rev-parse", "--verify", &id]).ok(),
        format!("{}\n", jp.tip(&id))
    );
    misled.run(&["store", "pack"]).ok();
    assert_eq!(misled.run(&["store", "fsck"]).ok(), "");
    assert_eq!(contents(&other.path("")), before);
}

#[test]
fn a_store_of_another_kind_is_refused_by_name() {
    let jp = Jp::in_workspace();
    let config = jp.store().join("config");
    let text = fs::read_to_string(&config).unwrap();
    let path = config.display();
    fs::write(&config, format!("{text}[extensions]\n\trefStorage = reftable\n")).unwrap();
    let message = format!(
        "error: `{path}` uses `extensions.refStorage = reftable`, which jp does not support\n"
    );
    jp.run(&["c", "ls"]).fails(1, &message);
    fs::write(&config, "[core]\n\tbare = true\n").unwrap();
    jp.run(&["c", "ls"]).fails(1, &format!("error: `{path}` has no workspace id in `jp.id`\n"));
    fs::remove_file(&config).unwrap();
    let store = jp.path(".jp/store");
    jp.run(&["c", "ls"]).fails(1, &format!("error: `{}` is not a store\n", store.display()));
}
