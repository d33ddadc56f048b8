//! What is looked for, and the lines of a text that have it.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::{ParserBuilder, ast, hir::Look};

use super::case::has_upper_case;

/// Whether upper and lower case are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They are, unless the pattern has a letter of upper case.
    Smart,
    /// They are.
    Ignore,
    /// They are not.
    Sensitive,
}

/// A text that is not a regular expression.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a regular expression: {message}")]
pub struct InvalidPattern {
    pattern: String,
    message: String,
}

/// What is looked for in lines.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    /// Whether a line that matches makes the text around it match, at the same place.
    works_on_whole_texts: bool,
}

/// A line with a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingLine {
    /// Its number, from 1.
    pub number: usize,
    /// Where it is in the text, without what ends it.
    pub range: Range<usize>,
}

impl Pattern {
    /// Reads a regular expression, which is matched within lines.
    pub fn regex(source: &str, case: Case) -> Result<Self, InvalidPattern> {
        let invalid = |message| InvalidPattern { pattern: source.to_owned(), message };
        let ast = ast::parse::Parser::new().parse(source);
        let ast = ast.map_err(|error| invalid(placed(error.kind(), error.span(), source)))?;
        let ignores_case = match case {
            Case::Smart => !has_upper_case(&ast),
            Case::Ignore => true,
            Case::Sensitive => false,
        };
        let mut parser = ParserBuilder::new();
        parser.utf8(false).multi_line(true).crlf(true).case_insensitive(ignores_case);
        let looks = match parser.build().parse(source) {
            Ok(hir) => hir.properties().look_set(),
            Err(regex_syntax::Error::Translate(error)) => {
                return Err(invalid(placed(error.kind(), error.span(), source)));
            }
            Err(error) => return Err(invalid(error.to_string())),
        };
        let mut builder = RegexBuilder::new(source);
        builder.multi_line(true).crlf(true).case_insensitive(ignores_case);
        let regex = builder.build().map_err(|error| {
            invalid(match error {
                regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
                error => error.to_string(),
            })
        })?;
        // The ends of a text are those of a line only if there is no other line.
        let works_on_whole_texts = !looks.contains(Look::Start) && !looks.contains(Look::End);
        Ok(Self { regex, works_on_whole_texts })
    }

    /// Takes a text as it stands.
    pub fn fixed(text: &str, case: Case) -> Result<Self, InvalidPattern> {
        let case = match case {
            Case::Smart if text.chars().any(char::is_uppercase) => Case::Sensitive,
            case => case,
        };
        let built = Self::regex(&regex::escape(text), case);
        built.map_err(|error| InvalidPattern { pattern: text.to_owned(), ..error })
    }

    /// The lines of a text that have it. What stands before a line decides nothing about it.
    pub fn lines<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = MatchingLine> + 'a {
        let (mut at, mut counted, mut number) = (0, 0, 1);
        let mut looks_ahead = self.works_on_whole_texts;
        std::iter::from_fn(move || {
            while at < text.len() {
                let ahead = match looks_ahead {
                    // No line before the first match has one.
                    true => self.regex.find_at(text, at)?.range(),
                    false => at..at,
                };
                let start = ahead.start;
                // What is after the last line is no line.
                if start == text.len() && text.ends_with(b"\n") {
                    return None;
                }
                let begin = memchr::memrchr(b'\n', &text[at..start]).map_or(at, |end| at + end + 1);
                let end =
                    memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end);
                at = end + 1;
                let line = begin..end - usize::from(text[begin..end].ends_with(b"\r"));
                if self.regex.is_match(&text[line.clone()]) {
                    number += memchr::memchr_iter(b'\n', &text[counted..begin]).count();
                    counted = begin;
                    return Some(MatchingLine { number, range: line });
                }
                // One that goes on over the end of its line was looked for far away, and would be
                // again from every line on.
                looks_ahead &= ahead.end <= end;
            }
            None
        })
    }

    /// Where it is in a line, as often as anybody wants to see it.
    pub fn matches<'a>(&'a self, line: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
        let found = self.regex.find_iter(line).map(|found| found.range());
        found.filter(|range| !range.is_empty()).take(MOST_MATCHES)
    }
}

/// How many matches of a line are told.
const MOST_MATCHES: usize = 1000;

/// What is wrong, and where.
fn placed(what: &impl std::fmt::Display, span: &ast::Span, source: &str) -> String {
    let (line, column) = (span.start.line, span.start.column);
    match source.contains('\n') {
        true => format!("{what}, at line {line}, column {column}"),
        false => format!("{what}, at column {column}"),
    }
}

#[cfg(test)]
mod tests;
