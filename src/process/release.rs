//! Programs that nobody waits for.

use std::{
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    thread,
};

use super::{RunError, Spawn};

/// Starts a program and leaves it to itself: it reads nothing, nobody reads what it says, it takes
/// its time, and it goes on when jp ends. Of what is to be run, only the words, the place and the
/// variables are looked at.
#[expect(clippy::disallowed_methods, reason = "this is where children come from")]
pub fn release(spawn: &Spawn) -> Result<(), RunError> {
    let program = spawn.argv.first().ok_or(RunError::NoProgram)?;
    let mut command = Command::new(program);
    command.args(&spawn.argv[1..]).env_clear().envs(&spawn.vars).current_dir(&spawn.cwd);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let started = command.spawn();
    let mut child = started.map_err(|source| RunError::start(program, &spawn.cwd, source))?;
    // Reaped while jp is there; without the thread it is a zombie until then.
    let _unreaped = thread::Builder::new().spawn(move || child.wait());
    Ok(())
}
