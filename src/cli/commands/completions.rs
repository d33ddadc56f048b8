//! `jp completions`

use clap::ValueEnum;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};

use super::{DONE, Outcome};
use crate::cli::{NAME, complete, output::Output};

/// The shells that a script can be printed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// In `~/.bashrc`: `source <(jp completions bash)`
    Bash,
    /// In `~/.config/elvish/rc.elv`: `eval (jp completions elvish | slurp)`
    Elvish,
    /// In `~/.config/fish/completions/jp.fish`: `jp completions fish | source`
    Fish,
    /// In `$PROFILE`: `jp completions powershell | Out-String | Invoke-Expression`
    Powershell,
    /// In `~/.zshrc`, after `compinit`: `source <(jp completions zsh)`
    Zsh,
}

pub fn run(output: &mut Output, shell: Shell) -> Outcome {
    let mut script = Vec::new();
    completer(shell).write_registration(complete::VARIABLE, NAME, NAME, NAME, &mut script)?;
    output.bytes(script.trim_ascii())?;
    output.line("")?;
    Ok(DONE)
}

fn completer(shell: Shell) -> &'static dyn EnvCompleter {
    match shell {
        Shell::Bash => &Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
        Shell::Zsh => &Zsh,
    }
}
