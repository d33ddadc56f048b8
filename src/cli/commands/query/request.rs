//! What is asked: words, standard input and files, put together.

use std::path::PathBuf;

/// A part of what is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Words of the command line.
    Words(String),
    /// All of standard input.
    Stdin,
    /// The text of a file.
    File(PathBuf),
}

/// The parts that the arguments stand for. Standard input joins at the end if nothing says where.
pub fn parts(arguments: &[String], has_stdin: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    for argument in arguments {
        match argument.strip_prefix('@') {
            _ if argument == "-" => parts.push(Part::Stdin),
            Some(escaped) if escaped.starts_with('@') => add_words(&mut parts, escaped),
            Some(path) if !path.is_empty() => parts.push(Part::File(path.into())),
            _ => add_words(&mut parts, argument),
        }
    }
    if has_stdin && !parts.contains(&Part::Stdin) {
        parts.push(Part::Stdin);
    }
    parts
}

fn add_words(parts: &mut Vec<Part>, words: &str) {
    match parts.last_mut() {
        Some(Part::Words(before)) => {
            before.push(' ');
            before.push_str(words);
        }
        _ => parts.push(Part::Words(words.to_owned())),
    }
}

/// Puts texts together with a blank line between them. One alone stays as it is, to the byte.
pub fn join(texts: Vec<Vec<u8>>) -> Vec<u8> {
    let is_blank = |text: &Vec<u8>| text.iter().all(u8::is_ascii_whitespace);
    let mut texts = texts.into_iter().filter(|text| !is_blank(text));
    let mut joined = texts.next().unwrap_or_default();
    for text in texts {
        let ends = joined.iter().rev().take_while(|byte| **byte == b'\n').count();
        joined.extend(std::iter::repeat_n(b'\n', 2_usize.saturating_sub(ends)));
        joined.extend(text);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str], has_stdin: bool) -> Vec<Part> {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        parts(&arguments, has_stdin)
    }

    fn words(text: &str) -> Part {
        Part::Words(text.to_owned())
    }

    #[test]
    fn words_are_joined_and_files_and_input_stand_where_they_are_named() {
        assert_eq!(of(&["Why", "is", "it"], false), [words("Why is it")]);
        assert_eq!(
            of(&["Review", "@a b.rs", "-", "please"], true),
            [words("Review"), Part::File("a b.rs".into()), Part::Stdin, words("please")]
        );
        assert_eq!(of(&["Explain"], true), [words("Explain"), Part::Stdin]);
        assert_eq!(of(&[], true), [Part::Stdin]);
        assert_eq!(of(&["@@alice", "@"], false), [words("@alice @")]);
    }

    #[test]
    fn texts_are_kept_to_the_byte_and_blank_ones_left_out() {
        let join = |texts: &[&[u8]]| join(texts.iter().map(|text| text.to_vec()).collect());
        assert_eq!(join(&[b"  a\n\n", b" \n"]), b"  a\n\n");
        assert_eq!(join(&[b"a", b"b\n", b"\xff"]), b"a\n\nb\n\n\xff");
        assert_eq!(join(&[]), b"");
    }
}
