//! The list for a terminal that does nothing but print characters: numbers to type.

use std::io;

use super::{
    super::{
        prompt::{Asked, Prompter, Wake},
        signals::Signal,
    },
    item::{Item, Reader},
    screen::Picked,
};
use crate::env::Env;

/// How many are listed.
const MOST: usize = 20;

/// What every id begins with.
const PREFIX: &str = "jp-c";

/// Lists what there is, and asks for a number or an id.
pub fn pick<R: Reader>(
    env: &Env,
    items: &[Item],
    open: impl FnOnce() -> Result<R, String>,
    wake: &Wake,
    stopped: impl Fn() -> Option<Signal>,
) -> io::Result<Picked> {
    let mut prompter = Prompter::open(env)?;
    let mut reader = open();
    for (index, item) in items.iter().enumerate().take(MOST) {
        let glance = match &mut reader {
            Ok(reader) => reader.glance(index),
            Err(why) => Err(why.clone()),
        };
        let (opening, last) = match glance {
            Ok(glance) => (glance.opening, glance.last),
            Err(why) => (None, format!("cannot be read: {why}")),
        };
        let title = item.title.as_ref().or(opening.as_ref()).unwrap_or(&item.id);
        let mark = if item.is_own { "*" } else { " " };
        let Item { id, time, status, .. } = item;
        prompter.say(&format!("{:>3} {mark} {}", index + 1, one_line(title)));
        prompter.say(&format!("      {time}  {status}  {id}  {}", one_line(&last)));
    }
    if items.len() > MOST {
        prompter.say(&format!("    {} more: give an id", items.len() - MOST));
    }
    loop {
        match prompter.text("Number or id: ", wake) {
            Asked::Cancelled | Asked::Gone => return Ok(Picked::Left),
            Asked::Woken(_) => {
                if let Some(signal) = stopped() {
                    return Ok(Picked::Stopped(signal));
                }
            }
            Asked::Answered(text) => match choose(&text, items) {
                Ok(item) => return Ok(Picked::Chosen(item)),
                Err(why) => prompter.say(&why),
            },
        }
    }
}

/// The item that a number or the beginning of an id stands for, or why none does.
fn choose(text: &str, items: &[Item]) -> Result<usize, String> {
    let text = text.trim();
    if let Ok(number) = text.parse::<usize>()
        && (1..=items.len().min(MOST)).contains(&number)
    {
        return Ok(number - 1);
    }
    let begins = |item: &Item| {
        let digits = item.id.strip_prefix(PREFIX).unwrap_or(&item.id);
        !text.is_empty() && (item.id.starts_with(text) || digits.starts_with(text))
    };
    let mut found = items.iter().enumerate().filter(|(_, item)| begins(item));
    match (found.next(), found.next()) {
        (Some((index, _)), None) => Ok(index),
        (Some(_), Some(_)) => Err(format!("more than one id begins with `{text}`")),
        (None, _) => Err(format!("`{text}` is neither a number of the list nor an id")),
    }
}

/// The beginning of a text, on one line.
fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_a_beginning_of_an_id_chooses() {
        let item = |id: &str| Item { id: id.to_owned(), ..Item::default() };
        let items = [item("jp-c1711"), item("jp-c1722"), item("jp-c1723")];
        let chosen = |text| choose(text, &items);
        assert_eq!(chosen(" 2 "), Ok(1));
        assert_eq!(chosen("jp-c1711"), Ok(0));
        assert_eq!(chosen("1723"), Ok(2));
        assert_eq!(chosen("172"), Err("more than one id begins with `172`".to_owned()));
        for text in ["", "0", "4", "x"] {
            let why = format!("`{text}` is neither a number of the list nor an id");
            assert_eq!(chosen(text), Err(why));
        }
    }
}
