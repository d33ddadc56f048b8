//! Choosing which calls of a turn are made when it goes on.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    cli::error::CommandError,
    env::Env,
    model::CallId,
    turn::{CallState, Decision, Survey, Surveyed},
    ui::{Asked, Prompter, Wake, on_one_line},
};

/// Lets somebody choose; nothing if they do not want to after all.
pub fn choose_calls(
    env: &Env,
    survey: &Survey,
) -> Result<Option<BTreeMap<CallId, Decision>>, CommandError> {
    let calls: Vec<_> = survey.calls.iter().filter(|call| call.can_be_decided()).collect();
    let (mut prompter, wake) = (Prompter::open(env)?, Wake::new()?);
    let mut left_out = BTreeSet::new();
    loop {
        for (index, call) in calls.iter().enumerate() {
            prompter.say(&line(index, call, left_out.contains(&index)));
        }
        prompter.say("Numbers turn tools on and off; Enter alone resumes.");
        let typed = match prompter.text("Tools: ", &wake) {
            Asked::Answered(typed) => typed,
            Asked::Cancelled | Asked::Gone | Asked::Woken(_) => return Ok(None),
        };
        match toggled(&typed, calls.len()) {
            Ok(numbers) if numbers.is_empty() => return Ok(Some(decided(&calls, &left_out))),
            Ok(numbers) => {
                for number in numbers {
                    if !left_out.remove(&number) {
                        left_out.insert(number);
                    }
                }
            }
            Err(problem) => prompter.say(&problem),
        }
    }
}

fn line(index: usize, call: &Surveyed, is_left_out: bool) -> String {
    let mark = if is_left_out { ' ' } else { 'x' };
    let state = match &call.state {
        CallState::New | CallState::Ended => "",
        CallState::Unknown => " — may have run; its result is not known",
        CallState::Asking(_) => " — waits for input",
    };
    let arguments = call.made.arguments.as_str();
    on_one_line(&format!("  {} [{mark}] {}{state}  {arguments}", index + 1, call.made.tool))
}

/// What somebody typed, as positions.
fn toggled(typed: &str, count: usize) -> Result<Vec<usize>, String> {
    let words =
        typed.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    let position = |word: &str| match word.parse::<usize>() {
        Ok(number) if (1..=count).contains(&number) => Ok(number - 1),
        _ => Err(format!("`{word}` is not a number from 1 to {count}")),
    };
    words.map(position).collect()
}

fn decided(calls: &[&Surveyed], left_out: &BTreeSet<usize>) -> BTreeMap<CallId, Decision> {
    left_out.iter().map(|index| (calls[*index].made.id.clone(), Decision::Skip)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_from_one() {
        assert_eq!(toggled("", 2), Ok(vec![]));
        assert_eq!(toggled(" 2, 1 ", 2), Ok(vec![1, 0]));
        for wrong in ["0", "3", "x", "1 y"] {
            assert!(toggled(wrong, 2).is_err(), "{wrong}");
        }
    }
}
