//! What other users of the machine could see of a query in the background: nothing of its socket and
//! its files, whatever the umask, and no key anywhere.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use jp::serve::{FromServer, Role};
use serde_json::{Value, json};

use crate::{
    attending::Shown,
    loopback::{Loopback, Step},
    query::{KEY, beginning, client, configure},
    serve::{connect, counted, detach, entry, hear, slowly, socket, wait, wait_until, works},
    support::{Jp, Output},
};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Everything beneath a directory, and the directory.
fn beneath(directory: &Path) -> Vec<PathBuf> {
    let mut found = vec![directory.to_owned()];
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match fs::symlink_metadata(&path) {
            Ok(kind) if kind.is_dir() => found.extend(beneath(&path)),
            // What is gone by now was for a moment.
            Ok(_) => found.push(path),
            Err(_) => {}
        }
    }
    found
}

/// A user with a home of 200 bytes, and nothing that says where anything else is.
fn far_from_home() -> (Jp, PathBuf) {
    let jp = slowly(100_000, 10);
    let world = jp.world();
    let name = "h".repeat(200 - world.as_os_str().len() - 1);
    let home = world.join(name);
    assert_eq!(home.as_os_str().len(), 200);
    fs::create_dir_all(home.join(".config")).unwrap();
    fs::rename(world.join("config/jp"), home.join(".config/jp")).unwrap();
    fs::rename(world.join("home/script.toml"), home.join("script.toml")).unwrap();
    let jp = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "JP_RUNTIME_DIR"]
        .iter()
        .fold(jp.with_var("HOME", &home), |jp, name| jp.without_var(name));
    (jp, home)
}

#[test]
fn with_a_long_home_and_any_umask_the_socket_is_near_and_everything_is_for_one_user() {
    let shared = PathBuf::from(format!("/tmp/jp-{}", rustix::process::geteuid().as_raw()));
    let was_there = shared.exists();
    for umask in ["0", "077"] {
        let (jp, home) = far_from_home();
        let words =
            format!("umask {umask}; exec '{}' q --detach --new Go", env!("CARGO_BIN_EXE_jp"));
        let output = Output::of(jp.command("sh").args(["-c", &words]));
        assert_eq!(output.code, 0, "{}", output.stderr);
        let id = output.stdout.trim_end();
        let path = jp.show(id)["process"]["socket"].as_str().map(PathBuf::from).unwrap();
        assert_eq!(path.parent(), Some(shared.as_path()));
        assert!(path.as_os_str().len() <= 107, "{}", path.display());
        assert_eq!((mode(&path), mode(&shared)), (0o600, 0o700), "umask {umask}");
        let shown = Shown::begin(&jp, &["c", "attach", id]);
        wait_until(|| shown.stdout().contains(&counted(3)));
        let workspace = jp.git(&["config", "jp.id"]);
        let state = home.join(".local/share/jp/workspace").join(workspace.trim_end());
        let entry = state.join(format!("processes/{id}.json"));
        let log = state.join("log/query.log");
        assert_eq!((mode(&entry), mode(&log)), (0o600, 0o600), "umask {umask}");
        let open: Vec<_> =
            beneath(&state).into_iter().filter(|path| mode(path) & 0o077 != 0).collect();
        assert_eq!(open, Vec::<PathBuf>::new(), "umask {umask}");
        works(&jp, &["c", "kill", id]);
        let (_, stdout, _) = shown.end();
        assert!(stdout.contains(&counted(3)), "{stdout}");
        assert_eq!((path.exists(), entry.exists()), (false, false));
    }
    if !was_there {
        // Another user of the directory may have come meanwhile.
        let _in_use = fs::remove_dir(&shared);
    }
}

/// The files beneath these directories that hold the key, those in git included.
fn tells_the_key(jp: &Jp, directories: &[&Path]) -> Vec<PathBuf> {
    let holds = |bytes: &[u8]| bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes());
    let objects = jp.git(&["cat-file", "--batch-all-objects", "--batch"]);
    assert!(objects.contains("type: request"), "{objects}");
    assert!(!holds(objects.as_bytes()), "{objects}");
    let paths = directories.iter().flat_map(|directory| beneath(directory));
    paths.filter(|path| path.is_file() && holds(&fs::read(path).unwrap())).collect()
}

#[test]
fn a_key_is_in_no_command_line_no_file_and_no_other_program() {
    let place = tempfile::tempdir().unwrap();
    let go = place.path().join("go");
    let call = json!({ "choices": [{
        "delta": { "tool_calls": [{
            "index": 0, "id": "c", "type": "function",
            "function": { "name": "looks", "arguments": "{}" },
        }] },
        "finish_reason": "tool_calls",
    }] });
    let head = beginning("").remove(0);
    let data = |value: &Value| Step::Chunk(format!("data: {value}\n\n").into());
    let done = || [Step::Chunk("data: [DONE]\n\n".into()), Step::End];
    let mut first = vec![head, data(&call)];
    first.extend(done());
    let mut second = beginning("Seen.");
    second.push(Step::Until(go.clone()));
    second.push(data(&json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] })));
    second.extend(done());
    let server = Loopback::start([first, second]);
    let jp = client(&server);
    configure(
        &jp,
        "\n[detached]\nnotify = [\"sh\", \"-c\", \"env >told.new; mv told.new told\"]\n\
         \n[tools.looks]\ncommand = [\"cat >/dev/null; env >seen; echo fine\"]\nshell = true\n\
         permission = \"allow\"\n",
    );
    let id = detach(&jp, &[]);
    let mut watcher = connect(&jp, &id, Role::Watcher);
    hear(&mut watcher, |message| matches!(message, FromServer::Text { .. }));
    let keys: Vec<_> =
        server.requests().iter().map(|it| it.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(keys, [format!("Bearer {KEY}"), format!("Bearer {KEY}")], "it has the key");

    // While it runs: what /proc shows to everybody, and all that is written anywhere.
    let process = PathBuf::from(format!("/proc/{}", entry(&jp, &id).unwrap()["pid"]));
    let command = fs::read_to_string(process.join("cmdline")).unwrap();
    assert!(command.contains("--detach") && !command.contains(KEY), "{command}");
    assert_eq!(mode(&process.join("environ")) & 0o077, 0);
    let (world, path) = (jp.world(), socket(&jp, &id));
    let directories = [world.as_path(), path.parent().unwrap(), place.path()];
    assert_eq!(tells_the_key(&jp, &directories), Vec::<PathBuf>::new());
    let attached = Shown::begin(&jp.without_var("OPENAI_API_KEY"), &["c", "attach", &id]);
    wait_until(|| attached.stdout().contains("Seen."));

    fs::write(&go, "").unwrap();
    assert_eq!(wait(&jp, &id).code, 0);
    let (code, _, stderr) = attached.end();
    assert_eq!(code, 0, "whoever attaches needs no key: {stderr}");
    wait_until(|| jp.path("told").exists());
    let read = |name: &str| fs::read_to_string(jp.path(name)).unwrap();
    assert!(read("told").contains(&format!("JP_CONVERSATION={id}\n")), "{}", read("told"));
    assert!(read("seen").contains("HOME="), "{}", read("seen"));
    wait_until(|| entry(&jp, &id).is_none());
    // Both have written down all their variables there.
    assert_eq!(tells_the_key(&jp, &directories), Vec::<PathBuf>::new());
}
