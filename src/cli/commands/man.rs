//! `jp man`

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::{DONE, Outcome};
use crate::{
    cli::{NAME, args::Cli, output::Output},
    env::Env,
    fsutil,
    ui::escape,
};

pub fn run(env: &Env, output: &mut Output, directory: &Path) -> Outcome {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    render(&command, &mut pages)?;
    let directory = env.cwd().join(directory);
    fsutil::create_dir_durable(&directory)?;
    for (name, page) in &pages {
        fsutil::write_atomic(&directory.join(name), page)?;
    }
    let shown = directory.display().to_string();
    output.line(format_args!("{} man pages written to {}", pages.len(), escape(&shown)))?;
    Ok(DONE)
}

/// The page of a command, then those of its subcommands.
fn render(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let source = format!("{NAME} {}", env!("CARGO_PKG_VERSION"));
    // roff would take what follows an empty date for the date.
    let man = Man::new(command.clone()).date(" ").source(source).manual("jp manual");
    let mut page = Vec::new();
    man.render(&mut page)?;
    pages.push((man.get_filename(), page));
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        render(command, pages)?;
    }
    Ok(())
}
