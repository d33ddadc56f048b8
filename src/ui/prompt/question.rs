//! The questions of tools, and what was answered.

use std::fmt;

use super::{
    super::escape::on_one_line,
    prompter::{Asked, Key, Prompter},
    wake::Wake,
};
use crate::model::{Answer, AnswerType, Choice, InquiryRequest, Outcome};

/// Something to be asked, whose text may come from anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// What counts as an answer.
    pub answer: AnswerType,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Something that can be stored.
    Open(Answer),
    /// Something that is never stored.
    Secret(Secret),
}

/// A text that is not shown by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text, for who has asked for it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Reply {
    /// What is stored of it.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Open(answer) => Outcome::Answered(answer.clone()),
            Self::Secret(_) => Outcome::Redacted,
        }
    }
}

impl From<&InquiryRequest> for Question {
    fn from(request: &InquiryRequest) -> Self {
        Self { text: request.text.to_text_lossy().into_owned(), answer: request.answer.clone() }
    }
}

/// Digits to choose by, for as many options as there are digits.
const DIGITS: [char; 9] = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

impl Prompter<'_> {
    /// Asks a question.
    pub fn ask(&mut self, question: &Question, wake: &Wake) -> Asked<Reply> {
        let text = question.text.trim_end();
        let answer = match &question.answer {
            AnswerType::Boolean { default } => {
                let keys = [Key { key: 'y', says: "yes" }, Key { key: 'n', says: "no" }];
                let default = default.map(|yes| if yes { 'y' } else { 'n' });
                let asked = self.choose(text, &keys, default, wake);
                asked.map(|key| Answer::Boolean(key == 'y'))
            }
            AnswerType::Select { options, default } => {
                let default = default.as_ref();
                let default = options.iter().position(|one| Some(&one.value) == default);
                let asked = self.select(text, options, default, wake);
                asked.map(|index| Answer::Select(options[index].value.clone()))
            }
            AnswerType::Text { default } => {
                self.say(text);
                if let Some(default) = default {
                    self.say(&on_one_line(&format!("Enter alone means: {default}")));
                }
                self.text("> ", wake).map(|typed| match default {
                    Some(default) if typed.is_empty() => Answer::Text(default.as_str().into()),
                    _ => Answer::Text(typed.into()),
                })
            }
            AnswerType::Secret => {
                self.say(text);
                let asked = self.hidden("(not shown) > ", wake);
                return asked.map(|typed| Reply::Secret(Secret(typed)));
            }
        };
        answer.map(Reply::Open)
    }

    /// Asks for one of several options, by its number.
    fn select(
        &mut self,
        text: &str,
        options: &[Choice],
        default: Option<usize>,
        wake: &Wake,
    ) -> Asked<usize> {
        self.say(text);
        for (index, option) in options.iter().enumerate() {
            let description = option.description.as_deref().unwrap_or_default();
            let space = if description.is_empty() { "" } else { "  " };
            let option = format!("  {}  {}{space}{description}", index + 1, option.value);
            self.say(&on_one_line(&option));
        }
        if let Some(digits) = DIGITS.get(..options.len()) {
            let keys: Vec<_> = digits.iter().map(|key| Key { key: *key, says: "" }).collect();
            if let Some(default) = default {
                self.say(&on_one_line(&format!("Enter alone means: {}", options[default].value)));
            }
            let asked = self.choose("Choose", &keys, default.map(|index| DIGITS[index]), wake);
            return asked.map(|key| DIGITS.iter().position(|one| *one == key).unwrap_or(0));
        }
        loop {
            let asked = self.text("The number: ", wake);
            let Asked::Answered(typed) = asked else { return asked.map(|_| 0) };
            match (typed.trim().parse::<usize>(), default) {
                (Ok(number), _) if (1..=options.len()).contains(&number) => {
                    return Asked::Answered(number - 1);
                }
                (_, Some(default)) if typed.trim().is_empty() => return Asked::Answered(default),
                _ => self.say(&format!("A number from 1 to {}, please.", options.len())),
            }
        }
    }
}
