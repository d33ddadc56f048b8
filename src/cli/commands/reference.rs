//! `jp reference`: the definition of the command line as a page of markdown.

use std::fmt::{self, Write};

use clap::{Arg, Command, CommandFactory, builder::StyledStr};

use super::{DONE, Outcome};
use crate::cli::{args::Cli, output::Output};

const INTRODUCTION: &str = "\
# Commands

<!-- Made by `cargo run -q -- reference > docs/reference.md`; do not edit. -->

Every command explains itself with `--help`, and in short with `-h`.
What follows `jp git` goes to git as it is.
`jp --version` prints the version.
";

pub fn run(output: &mut Output) -> Outcome {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    output.text(page(&command))?;
    Ok(DONE)
}

/// The page of a whole program.
fn page(program: &Command) -> String {
    let mut page = INTRODUCTION.to_owned();
    write_page(&mut page, program).expect("a String takes any text");
    page
}

fn write_page(page: &mut String, program: &Command) -> fmt::Result {
    let mut commands = Vec::new();
    collect(program, &mut commands);
    let names = commands.iter().map(|command| {
        let name = path(command);
        format!("[`{name}`](#{})", name.replace(' ', "-"))
    });
    let abouts = commands.iter().map(|command| cell(&about(command)));
    write_table(page, "command", names.zip(abouts))?;
    for command in &commands {
        write_command(page, command)?;
    }
    Ok(())
}

/// The commands that people see, each before its subcommands.
fn collect<'a>(command: &'a Command, found: &mut Vec<&'a Command>) {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        found.push(command);
        collect(command, found);
    }
}

fn write_command(page: &mut String, command: &Command) -> fmt::Result {
    writeln!(page, "\n## {}\n\n{}.", path(command), prose(&about(command)))?;
    if let Some(long) = command.get_long_about() {
        for paragraph in long.to_string().split("\n\n").skip(1) {
            writeln!(page)?;
            sentences(&prose(paragraph)).try_for_each(|line| writeln!(page, "{line}"))?;
        }
    }
    let above = path(command).trim_end_matches(command.get_name()).to_owned();
    for alias in command.get_visible_aliases() {
        writeln!(page, "\n`{above}{alias}` is the same.")?;
    }
    writeln!(page, "\n```text\n{}\n```", usage(command))?;
    let shown = |arg: &&Arg| !arg.is_hide_set() && arg.get_id() != "help";
    let arguments = command.get_positionals().filter(shown);
    write_table(page, "argument", arguments.map(|arg| (spelling(arg), meaning(arg))))?;
    let options = command.get_arguments().filter(|arg| !arg.is_positional()).filter(shown);
    write_table(page, "option", options.map(|arg| (spelling(arg), meaning(arg))))
}

/// A table of two columns, unless it is empty.
fn write_table(
    page: &mut String,
    heading: &str,
    rows: impl IntoIterator<Item = (String, String)>,
) -> fmt::Result {
    for (index, (left, right)) in rows.into_iter().enumerate() {
        if index == 0 {
            writeln!(page, "\n| {heading} | |\n|---|---|")?;
        }
        writeln!(page, "| {left} | {right} |")?;
    }
    Ok(())
}

/// The words by which a command is called.
fn path(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn about(command: &Command) -> String {
    command.get_about().map(StyledStr::to_string).unwrap_or_default()
}

/// The lines of the usage, each from its beginning.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let lines = usage.trim_start_matches("Usage:").lines().map(str::trim);
    lines.collect::<Vec<_>>().join("\n")
}

/// How an argument is written on a command line.
fn spelling(arg: &Arg) -> String {
    if arg.is_positional() {
        return code(&arg.to_string());
    }
    let shorts = arg.get_short_and_visible_aliases().unwrap_or_default();
    let longs = arg.get_long_and_visible_aliases().unwrap_or_default();
    let shorts = shorts.iter().map(|short| format!("-{short}"));
    let names: Vec<_> = shorts.chain(longs.iter().map(|long| format!("--{long}"))).collect();
    // What is printed of an option is one of its names and then its value.
    let printed = arg.to_string();
    let value = printed.find(['=', ' ', '[']).map_or("", |at| &printed[at..]);
    code(&format!("{}{value}", names.join(", ")))
}

/// What an argument is for, with its values and its default.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help());
    let mut meaning = help.map(|help| cell(&help.to_string())).unwrap_or_default();
    if !arg.get_num_args().is_some_and(|number| number.takes_values()) {
        return meaning;
    }
    if !arg.is_hide_possible_values_set() {
        let values = arg.get_possible_values();
        meaning.extend(values.iter().filter(|value| !value.is_hide_set()).map(|value| {
            let help = value.get_help().map(|help| format!(": {}", cell(&help.to_string())));
            format!("<br>{}{}", code(value.get_name()), help.unwrap_or_default())
        }));
    }
    let defaults: Vec<_> =
        arg.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
    if !arg.is_hide_default_value_set() && !defaults.is_empty() {
        meaning.push_str(&format!("<br>Default: {}", defaults.join(", ")));
    }
    meaning
}

/// Text as the code in a cell of a table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    prose(&text.split_whitespace().collect::<Vec<_>>().join(" ")).replace('|', "\\|")
}

/// Text in which nothing but what stands between backticks means anything to markdown.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => part.replace('<', "\\<").replace('*', "\\*"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// The sentences of a paragraph.
fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let mut rest = paragraph;
    std::iter::from_fn(move || {
        let end = rest.match_indices(". ").map(|(at, _)| at + 1).find(|at| {
            let next = rest[*at..].trim_start().chars().next();
            next.is_some_and(|c| c.is_uppercase() || c == '`')
        });
        let (sentence, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left.trim_start();
        (!sentence.is_empty()).then_some(sentence.trim())
    })
}
