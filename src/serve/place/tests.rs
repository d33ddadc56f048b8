use std::{
    io::{Read, Write},
    os::unix::fs::symlink,
    process::Command,
};

use tempfile::TempDir;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn runtime() -> TempDir {
    // As short as it gets: other tests may have a long one.
    let directory = tempfile::tempdir_in("/tmp").unwrap();
    chmod(directory.path(), 0o700);
    directory
}

fn env(variable: &str, path: &Path) -> Env {
    Env::of_variables(&[(variable, path.to_str().unwrap())])
}

fn id(number: u32) -> ConversationId {
    format!("jp-c{number}").parse().unwrap()
}

#[test]
fn the_directory_is_in_that_of_the_desktop_and_for_this_user_alone() {
    let runtime = runtime();
    for variable in ["XDG_RUNTIME_DIR", VARIABLE] {
        let directory = directory(&env(variable, runtime.path())).unwrap();
        assert_eq!(directory, runtime.path().join("jp"));
        assert_eq!(mode(&directory), 0o700);
    }
}

#[test]
fn one_that_is_not_fit_for_it_gives_way_to_that_in_tmp() {
    let runtime = runtime();
    let shared = PathBuf::from(format!("/tmp/jp-{}", geteuid().as_raw()));
    let chosen = |path: &Path| directory(&env("XDG_RUNTIME_DIR", path)).unwrap();
    let (link, file) = (runtime.path().join("link"), runtime.path().join("file"));
    symlink(runtime.path(), &link).unwrap();
    fs::write(&file, "").unwrap();
    let (open, long) = (runtime.path().join("open"), runtime.path().join("l".repeat(70)));
    for path in [&open, &long] {
        DirBuilder::new().mode(0o700).create(path).unwrap();
    }
    chmod(&open, 0o750);
    for path in [&link, &file, &open, &long, &runtime.path().join("none"), Path::new("relative")] {
        assert_eq!(chosen(path), shared, "{}", path.display());
    }
    assert_eq!(directory(&Env::of_variables(&[])).unwrap(), shared);
    assert_eq!(mode(&shared), 0o700);
}

#[test]
fn one_that_was_named_is_used_or_refused() {
    let runtime = runtime();
    let refused = |path: &Path| {
        let error = directory(&env(VARIABLE, path)).unwrap_err();
        error.to_string().replace(runtime.path().to_str().unwrap(), "RUNTIME")
    };
    assert_eq!(
        refused(Path::new("a/b")),
        "`JP_RUNTIME_DIR` is `a/b`, which is not an absolute path"
    );
    let link = runtime.path().join("link");
    symlink(runtime.path(), &link).unwrap();
    let cannot = "cannot hold sockets: ";
    assert_eq!(refused(&link), format!("`RUNTIME/link` {cannot}it is not a directory"));
    let open = runtime.path().join("open");
    DirBuilder::new().create(&open).unwrap();
    chmod(&open, 0o770);
    assert_eq!(refused(&open), format!("`RUNTIME/open` {cannot}others can enter it (mode 770)"));
    let none = runtime.path().join("none");
    assert_eq!(refused(&none), "cannot look at `RUNTIME/none`: No such file or directory");
    let long = runtime.path().join("l".repeat(70));
    DirBuilder::new().mode(0o700).create(&long).unwrap();
    let message = refused(&long);
    assert!(message.contains("their paths would have 1"), "{message}");
    assert!(message.ends_with("bytes, and 107 are allowed"), "{message}");
}

#[test]
fn a_directory_that_was_planted_is_refused() {
    let runtime = runtime();
    let env = env(VARIABLE, runtime.path());
    let place = runtime.path().join("jp");
    let elsewhere = runtime.path().join("elsewhere");
    DirBuilder::new().mode(0o700).create(&elsewhere).unwrap();
    symlink(&elsewhere, &place).unwrap();
    assert!(matches!(directory(&env), Err(PlaceError::NotADirectory(path)) if path == place));
    fs::remove_file(&place).unwrap();
    DirBuilder::new().create(&place).unwrap();
    chmod(&place, 0o755);
    let error = directory(&env).unwrap_err();
    assert!(matches!(&error, PlaceError::Open { mode: 0o755, .. }), "{error}");
    // What was opened later is noticed too.
    let path = socket_path(&place, &WorkspaceId::from_random([1; 16]), id(1));
    assert!(matches!(listen(&path), Err(PlaceError::Open { .. })));
    chmod(&place, 0o700);
    let _listener = listen(&path).unwrap();
    chmod(&place, 0o711);
    assert!(connect(&path).unwrap_err().to_string().contains("others can enter it"));
}

#[test]
fn every_conversation_has_a_short_path_of_its_own() {
    let directory = Path::new("/d");
    let workspace = WorkspaceId::from_random([1; 16]);
    let paths = [
        socket_path(directory, &workspace, id(1)),
        socket_path(directory, &workspace, id(2)),
        socket_path(directory, &WorkspaceId::from_random([2; 16]), id(1)),
        rendezvous(directory, 1),
        rendezvous(directory, u64::MAX),
    ];
    for (index, path) in paths.iter().enumerate() {
        assert!(path.file_name().unwrap().len() <= NAME, "{}", path.display());
        assert!(!paths[index + 1..].contains(path), "{}", path.display());
    }
    assert_eq!(paths[0], socket_path(directory, &workspace, id(1)));
}

#[test]
fn the_longest_directory_has_sockets_that_can_be_listened_on() {
    let runtime = runtime();
    let spare = LONGEST - length(&runtime.path().join("jp")) - 1;
    let longest = runtime.path().join("l".repeat(spare));
    DirBuilder::new().mode(0o700).create(&longest).unwrap();
    let directory = directory(&env(VARIABLE, &longest)).unwrap();
    let path = socket_path(&directory, &WorkspaceId::from_random([1; 16]), id(1));
    assert_eq!(path.as_os_str().len(), LONGEST);
    let _listener = listen(&path).unwrap();
    connect(&path).unwrap();
}

#[test]
fn two_of_one_user_talk_and_a_living_socket_is_not_replaced() {
    let runtime = runtime();
    let directory = directory(&env(VARIABLE, runtime.path())).unwrap();
    let path = rendezvous(&directory, 7);
    let listener = listen(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
    let mut client = connect(&path).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    assert!(is_same_user(&client).unwrap() && is_same_user(&server).unwrap());
    assert_eq!(peer_pid(&server).unwrap(), std::process::id());
    client.write_all(b"hello").unwrap();
    drop(client);
    let mut said = String::new();
    server.read_to_string(&mut said).unwrap();
    assert_eq!(said, "hello");
    assert!(matches!(listen(&path), Err(PlaceError::Taken(taken)) if taken == path));
    drop(listener);
    assert!(path.exists(), "the kernel leaves the file");
    drop(listen(&path).unwrap());
    fs::remove_file(&path).unwrap();
    fs::write(&path, "precious").unwrap();
    assert!(matches!(listen(&path), Err(PlaceError::InTheWay(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

/// Where the probe makes its directory.
const PROBE: &str = "JP_TEST_PROBE";

/// Makes a directory and listens in it, with the umask that it is run with again below.
#[test]
fn permissions_are_the_same_with_any_umask() {
    if let Some(path) = std::env::var_os(PROBE) {
        let directory = directory(&env(VARIABLE, Path::new(&path))).unwrap();
        let path = rendezvous(&directory, 1);
        let _listener = listen(&path).unwrap();
        assert_eq!((mode(&directory), mode(&path)), (0o700, 0o600));
        return;
    }
    let own = std::env::current_exe().unwrap();
    let name = "serve::place::tests::permissions_are_the_same_with_any_umask";
    for umask in ["0", "022", "0777"] {
        let runtime = runtime();
        let script = format!("umask {umask}; exec '{}' --exact {name}", own.display());
        let mut command = Command::new("sh");
        let output = command.args(["-c", &script]).env(PROBE, runtime.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(runtime.path().join("jp").exists(), "the probe did nothing: {output:?}");
    }
}

#[test]
fn what_killed_processes_left_goes_and_who_listens_or_has_just_come_stays() {
    let runtime = runtime();
    let directory = directory(&env(VARIABLE, runtime.path())).unwrap();
    let path = |name: &str| directory.join(name);
    let _living = listen(&path("living.sock")).unwrap();
    drop(listen(&path("dead.sock")).unwrap());
    drop(listen(&path("young.sock")).unwrap());
    fs::write(path("file"), "").unwrap();
    for name in ["living.sock", "dead.sock", "file"] {
        let aged = Command::new("touch").args(["-h", "-d", "2020-01-01"]).arg(path(name)).status();
        assert!(aged.unwrap().success());
    }
    assert_eq!(clear_leftovers(&directory, 0), 1);
    let left = ["living.sock", "dead.sock", "young.sock", "file"].map(|name| path(name).exists());
    assert_eq!(left, [true, false, true, true]);
}
