//! Sockets and another user of the same machine, who gets nowhere.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output, Stdio},
};

use jp::{env::Env, model::Timestamp, serve::place};

/// Nobody, as whom no test is run.
const OTHER: &str = "65534";

/// A command of another user.
fn as_other(program: &str) -> Command {
    let drop = ["setpriv", "--reuid", OTHER, "--regid", OTHER, "--clear-groups", program];
    if rustix::process::geteuid().is_root() {
        let mut command = Command::new(drop[0]);
        command.args(&drop[1..]);
        return command;
    }
    let mut command = Command::new("sudo");
    command.arg("-n").args(drop);
    command
}

/// Connects to a socket, and says whether that worked.
const CONNECT: &str = "use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die $!;
    connect($s, pack_sockaddr_un($ARGV[0])) or die \"refused: $!\\n\"; print \"connected\\n\"";

fn connect(mut command: Command, path: &Path) -> Output {
    command.args(["-e", CONNECT]).arg(path).stdin(Stdio::null()).output().unwrap()
}

/// Says something at a socket, and tells the first line that comes back.
const SAY: &str = "use Socket; $SIG{PIPE} = 'IGNORE'; $| = 1;
    socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die $!;
    connect($s, pack_sockaddr_un($ARGV[0])) or do { print \"refused: $!\\n\"; exit };
    syswrite($s, $ARGV[1]); my $line = <$s>;
    print(defined $line ? \"heard $line\" : \"closed\\n\")";

fn said(mut command: Command, path: &Path, words: &str) -> String {
    let command = command.args(["-e", SAY]).arg(path).arg(words).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What whoever listens at a socket says to this user who says something.
pub fn tells(path: &Path, words: &str) -> String {
    said(Command::new("perl"), path, words)
}

/// The same, said to another user.
pub fn tells_other(path: &Path, words: &str) -> String {
    said(as_other("perl"), path, words)
}

fn runtime(directory: &Path) -> Env {
    let vars = [(place::VARIABLE.into(), directory.as_os_str().to_owned())];
    Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))
}

fn private(directory: &Path) {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn another_user_can_neither_look_into_the_directory_nor_connect() {
    let base = tempfile::tempdir_in("/tmp").unwrap();
    private(base.path());
    let directory = place::directory(&runtime(base.path())).unwrap();
    let path = place::rendezvous(&directory, 1);
    let listener = place::listen(&path).unwrap();
    // Only the directory of the sockets itself is in the way now.
    fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let own = connect(Command::new("perl"), &path);
    assert_eq!(String::from_utf8_lossy(&own.stdout), "connected\n", "{own:?}");
    assert!(place::is_same_user(&listener.accept().unwrap().0).unwrap());
    let looked = as_other("ls").arg(&directory).output().unwrap();
    assert!(!looked.status.success() && looked.stdout.is_empty(), "{looked:?}");
    assert!(String::from_utf8_lossy(&looked.stderr).contains("Permission denied"), "{looked:?}");
    let other = connect(as_other("perl"), &path);
    assert!(!other.status.success(), "{other:?}");
    assert_eq!(String::from_utf8_lossy(&other.stderr), "refused: Permission denied\n");
    // Nor if the directory lets everybody in: the socket has permissions of its own.
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    let other = connect(as_other("perl"), &path);
    assert_eq!(String::from_utf8_lossy(&other.stderr), "refused: Permission denied\n");
    // And whoever got in nevertheless is known.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let other = connect(as_other("perl"), &path);
    assert_eq!(String::from_utf8_lossy(&other.stdout), "connected\n", "{other:?}");
    assert!(!place::is_same_user(&listener.accept().unwrap().0).unwrap());
    assert!(place::directory(&runtime(base.path())).is_err(), "it is not used so");
}

#[test]
fn a_directory_of_another_user_is_not_used() {
    let base = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(base.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let theirs = base.path().join("theirs");
    let made = as_other("mkdir").args(["-m", "700"]).arg(&theirs).status().unwrap();
    assert!(made.success());
    let error = place::directory(&runtime(&theirs)).unwrap_err();
    let path = theirs.display();
    assert_eq!(
        error.to_string(),
        format!("`{path}` cannot hold sockets: it belongs to user {OTHER}")
    );
    // That of the desktop gives way to another one.
    let vars = [("XDG_RUNTIME_DIR".into(), theirs.clone().into_os_string())];
    let env = Env::fixed(vars, "/".into(), Timestamp::from_seconds(0));
    let own = format!("/tmp/jp-{}", rustix::process::geteuid().as_raw());
    assert_eq!(place::directory(&env).unwrap(), Path::new(&own));
    assert!(as_other("rmdir").arg(&theirs).status().unwrap().success());
}

#[test]
fn a_directory_in_the_way_that_another_user_made_first_is_refused() {
    let base = tempfile::tempdir_in("/tmp").unwrap();
    private(base.path());
    let planted = base.path().join("jp");
    let elsewhere = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(elsewhere.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let theirs = elsewhere.path().join("jp");
    assert!(as_other("mkdir").args(["-m", "700"]).arg(&theirs).status().unwrap().success());
    // As if it had been there before ours, as it can be in /tmp.
    std::os::unix::fs::symlink(&theirs, &planted).unwrap();
    let error = place::directory(&runtime(base.path())).unwrap_err();
    assert!(matches!(error, place::PlaceError::NotADirectory(_)), "{error}");
    assert!(as_other("rmdir").arg(&theirs).status().unwrap().success());
}
