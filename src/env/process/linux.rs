//! Processes as Linux knows them: `/proc` tells who leads, and when a process began.

use std::path::Path;

use super::{Life, Process};

/// The process that has a number now.
pub fn process(pid: u32) -> Option<Process> {
    let realm = realm()?;
    let stat = Stat::read(&pid.to_string()).filter(Stat::is_alive)?;
    Some(Process { pid, started: stat.started, realm })
}

/// The leader of the session of this process: what `getsid(0)` gives, if there is a terminal.
pub fn leader() -> Option<Process> {
    let own = Stat::read("self")?;
    if own.terminal == 0 {
        return None;
    }
    // Zero is a leader outside of our namespace.
    let pid = u32::try_from(own.session).ok().filter(|pid| *pid != 0)?;
    process(pid)
}

/// The processes of a session, by the number of the process that leads it or has led it. The kernel
/// gives that number to nobody else as long as one of them is alive.
pub fn of_session(leader: u32) -> Vec<Process> {
    let Some(realm) = realm() else { return Vec::new() };
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = names.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let member = |pid: u32| {
        let stat = Stat::read(&pid.to_string()).filter(Stat::is_alive)?;
        let is_member = stat.session == i64::from(leader);
        is_member.then(|| Process { pid, started: stat.started, realm: realm.clone() })
    };
    pids.filter_map(member).collect()
}

/// Whether a process is still there.
pub fn life(process: &Process) -> Life {
    match realm() {
        Some(realm) if realm == process.realm => {}
        _ => return Life::Unknown,
    }
    match Stat::read(&process.pid.to_string()) {
        Some(stat) if stat.is_alive() && stat.started == process.started => Life::Alive,
        // Processes of others may be hidden, then nothing is known about them.
        None if Path::new("/proc/1/stat").exists() => Life::Dead,
        None => Life::Unknown,
        Some(_other) => Life::Dead,
    }
}

/// Where numbers count; nowhere, if those in `/proc` are of another namespace than ours.
fn realm() -> Option<String> {
    let own = std::fs::read_link("/proc/self").ok()?;
    if own.to_str()? != std::process::id().to_string() {
        return None;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.to_str()?))
}

/// What Linux says about a process.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    state: char,
    session: i64,
    terminal: i64,
    threads: u64,
    started: u64,
}

impl Stat {
    fn read(process: &str) -> Option<Self> {
        // The name of a program need not be text.
        let stat = std::fs::read(format!("/proc/{process}/stat")).ok()?;
        Self::parse(&String::from_utf8_lossy(&stat))
    }

    fn parse(stat: &str) -> Option<Self> {
        // The name of the program stands in parentheses and may hold any of its own.
        let (_, after) = stat.rsplit_once(')')?;
        let fields: Vec<_> = after.split_ascii_whitespace().collect();
        Some(Self {
            state: fields.first()?.chars().next()?,
            session: fields.get(3)?.parse().ok()?,
            terminal: fields.get(4)?.parse().ok()?,
            threads: fields.get(17)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    /// One whose first thread has ended has its files and its locks as long as another one runs.
    fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x') || self.threads > 1
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_name_of_a_program_cannot_forge_what_stands_behind_it() {
        let fields = "S 1 71 70 34816 71 4194304 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        let expected = Stat { state: 'S', session: 70, terminal: 34816, threads: 1, started: 4711 };
        assert_eq!(Stat::parse(&format!("71 (sh) {fields}")).unwrap(), expected);
        assert_eq!(Stat::parse(&format!("71 (a) R 1 2 3 (b) {fields}")).unwrap(), expected);
        assert_eq!(Stat::parse("71 (sh) S 1"), None);
        assert_eq!(Stat::parse(""), None);
    }

    #[test]
    fn a_process_lives_until_it_ends_and_is_not_another_with_its_number() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        assert_eq!(process.life(), Life::Alive);
        let earlier = Process { started: process.started - 1, ..process.clone() };
        assert_eq!(earlier.life(), Life::Dead);
        let elsewhere = Process { realm: "elsewhere".to_owned(), ..process.clone() };
        assert_eq!(elsewhere.life(), Life::Unknown);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(process.life(), Life::Dead);
        assert_eq!(Process::of(process.pid), None);
    }

    #[test]
    fn whoever_asks_is_alive_and_the_same_each_time() {
        let own = Process::of_this().unwrap();
        assert_eq!((own.pid, own.life()), (std::process::id(), Life::Alive));
        assert_eq!(Process::of_this(), Some(own));
    }

    #[test]
    fn one_that_ended_and_was_not_waited_for_is_dead() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        drop(child.stdin.take());
        while process.life() == Life::Alive {
            std::thread::yield_now();
        }
        assert_eq!(Process::of(child.id()), None);
        assert!(child.wait().unwrap().success());
    }

    /// Where the probe writes what it found.
    const PROBE: &str = "JP_TEST_PROBE";

    /// Finds who leads the session that this test runs in: it is run again in others below.
    #[test]
    fn whoever_leads_this_session_is_alive() {
        let leader = leader();
        if let Some(leader) = &leader {
            assert_eq!(leader.life(), Life::Alive);
        }
        if let Some(path) = std::env::var_os(PROBE) {
            std::fs::write(path, format!("{:?}", leader.map(|leader| leader.pid))).unwrap();
        }
    }

    /// Runs that test by another program, and gives what it found.
    fn probed(program: &str, arguments: impl Fn(&str) -> Vec<String>) -> String {
        let (own, found) = (std::env::current_exe().unwrap(), tempfile::NamedTempFile::new());
        let found = found.unwrap();
        let name = "env::process::system::tests::whoever_leads_this_session_is_alive";
        let test = format!("'{}' --exact {name}", own.display());
        let mut command = Command::new(program);
        let output = command.args(arguments(&test)).env(PROBE, found.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        std::fs::read_to_string(found.path()).unwrap()
    }

    #[test]
    fn a_session_without_a_terminal_has_no_leader() {
        let arguments = |probe: &str| vec!["-w".into(), "sh".into(), "-c".into(), probe.into()];
        assert_eq!(probed("setsid", arguments), "None");
    }

    #[test]
    fn a_terminal_has_a_leader_and_another_terminal_another() {
        let arguments =
            |probe: &str| vec!["-qec".to_owned(), probe.to_owned(), "/dev/null".to_owned()];
        let (one, other) = (probed("script", arguments), probed("script", arguments));
        assert!(one.starts_with("Some(") && other.starts_with("Some("), "{one} {other}");
        assert_ne!(one, other);
    }
}
