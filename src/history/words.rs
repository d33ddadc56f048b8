//! Two texts compared word by word.

use super::script::{Effort, Region, Script, compare};

/// Whether a piece of text was there before, is there after, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is in both texts.
    Same,
    /// It is only in the text before.
    Removed,
    /// It is only in the text after.
    Added,
}

/// A piece of text with its mark. What is not UTF-8 is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where the text is.
    pub mark: Mark,
    /// The text.
    pub text: String,
}

/// Bytes of both texts up to which they are compared word by word.
const MAX_BYTES: usize = 256 << 10;

/// Compares two texts word by word; `None` if that would be too much work.
///
/// Texts that have hardly a word in common are told as one removed and one added.
pub fn compare_words(before: &[u8], after: &[u8], effort: &mut Effort) -> Option<Vec<Segment>> {
    let bytes = before.len() + after.len();
    if bytes > MAX_BYTES || !effort.spend_on_words(bytes) {
        return None;
    }
    let (words_before, words_after) = (words(before), words(after));
    let script = compare(words_before.iter(), words_after.iter(), effort);
    if !script.exact {
        return None;
    }
    if !is_alike(&script, &words_before, &words_after) {
        let whole = |mark, bytes: &[u8]| Segment { mark, text: lossy(bytes) };
        return Some(vec![whole(Mark::Removed, before), whole(Mark::Added, after)]);
    }
    let regions = joined(script.regions, &words_before);
    let mut segments = Segments::default();
    let mut at = 0;
    for region in regions {
        segments.push(Mark::Same, &words_before[at..region.before.start].concat());
        segments.push(Mark::Removed, &words_before[region.before.clone()].concat());
        segments.push(Mark::Added, &words_after[region.after].concat());
        at = region.before.end;
    }
    segments.push(Mark::Same, &words_before[at..].concat());
    Some(segments.list)
}

/// Pieces of text as they come; neighbours with the same mark are one.
#[derive(Debug, Default)]
pub struct Segments {
    /// The pieces.
    pub list: Vec<Segment>,
}

impl Segments {
    /// Adds a piece of text.
    pub fn push(&mut self, mark: Mark, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match self.list.last_mut() {
            Some(last) if last.mark == mark => last.text.push_str(&lossy(bytes)),
            _ => self.list.push(Segment { mark, text: lossy(bytes) }),
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Splits a text into words, white space and everything else. A line break stands alone, and so does
/// a character of a script that puts no spaces between words.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        let mut start = 0;
        let mut last = None;
        for (at, c) in valid.char_indices() {
            let kind = Kind::of(c);
            if last.is_some_and(|last| !kind.continues(last)) {
                words.push(&valid.as_bytes()[start..at]);
                start = at;
            }
            last = if kind == Kind::Mark { last.or(Some(kind)) } else { Some(kind) };
        }
        if start < valid.len() {
            words.push(&valid.as_bytes()[start..]);
        }
        if !chunk.invalid().is_empty() {
            words.push(chunk.invalid());
        }
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Space,
    /// It belongs to the character before it.
    Mark,
    Single,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '\n' => Self::Single,
            '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' => Self::Mark,
            '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' => {
                Self::Mark
            }
            '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}' => Self::Mark,
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => {
                Self::Single
            }
            '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}' => Self::Single,
            '_' => Self::Letter,
            c if c.is_alphanumeric() => Self::Letter,
            c if c.is_whitespace() => Self::Space,
            _ => Self::Single,
        }
    }

    fn continues(self, last: Self) -> bool {
        match self {
            Self::Mark => true,
            Self::Letter | Self::Space => self == last,
            Self::Single => false,
        }
    }
}

/// Whether two texts share a quarter of what they say.
fn is_alike(script: &Script, before: &[&[u8]], after: &[&[u8]]) -> bool {
    let said = |words: &[&[u8]]| -> usize {
        words.iter().map(|word| if is_space(word) { 0 } else { word.len() }).sum()
    };
    let removed: usize =
        script.regions.iter().map(|region| said(&before[region.before.clone()])).sum();
    let whole = said(before);
    let common = whole - removed;
    common * 4 >= whole.max(said(after))
}

fn is_space(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_whitespace)
}

/// Takes regions together that only spaces keep apart, so that a phrase reads as one.
fn joined(regions: Vec<Region>, before: &[&[u8]]) -> Vec<Region> {
    let replaces = |region: &Region| !region.before.is_empty() && !region.after.is_empty();
    let mut joined: Vec<Region> = Vec::with_capacity(regions.len());
    for region in regions {
        match joined.last_mut() {
            Some(last)
                if replaces(last)
                    && replaces(&region)
                    && before[last.before.end..region.before.start]
                        .iter()
                        .all(|word| is_space(word) && *word != b"\n") =>
            {
                last.before.end = region.before.end;
                last.after.end = region.after.end;
            }
            _ => joined.push(region),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(before: &[u8], after: &[u8]) -> String {
        let segments = compare_words(before, after, &mut Effort::default()).unwrap();
        let show = |segment: Segment| match segment.mark {
            Mark::Same => segment.text,
            Mark::Removed => format!("[-{}-]", segment.text),
            Mark::Added => format!("{{+{}+}}", segment.text),
        };
        segments.into_iter().map(show).collect()
    }

    #[test]
    fn only_the_words_that_changed_are_marked() {
        assert_eq!(
            shown(b"The quick brown fox, it jumps.\n", b"The slow brown fox; it jumps.\n"),
            "The [-quick-]{+slow+} brown fox[-,-]{+;+} it jumps.\n"
        );
        assert_eq!(
            shown(b"one two three four", b"one zwei drei four"),
            "one [-two three-]{+zwei drei+} four"
        );
        assert_eq!(
            shown(b"call snake_case now", b"call snake_cases now"),
            "call [-snake_case-]{+snake_cases+} now"
        );
        assert_eq!(
            shown(b"line one\nline two\n", b"line one line two\n"),
            "line one[-\n-]{+ +}line two\n"
        );
    }

    #[test]
    fn texts_with_hardly_a_word_in_common_are_not_mixed() {
        assert_eq!(
            shown(b"to be or not", b"all of it is gone"),
            "[-to be or not-]{+all of it is gone+}"
        );
    }

    #[test]
    fn a_character_is_never_torn_apart() {
        assert_eq!(
            shown("caf\u{e9} noir".as_bytes(), "cafe\u{301} noir".as_bytes()),
            "[-caf\u{e9}-]{+cafe\u{301}+} noir"
        );
        assert_eq!(shown("我喜欢茶".as_bytes(), "我喜欢水".as_bytes()), "我喜欢[-茶-]{+水+}");
        assert_eq!(
            shown(b"same word \xff", b"same word \xfe"),
            "same word [-\u{fffd}-]{+\u{fffd}+}"
        );
    }

    #[test]
    fn what_is_too_long_is_not_compared_word_by_word() {
        let long = b"word ".repeat(MAX_BYTES / 8);
        assert_eq!(compare_words(&long, &long, &mut Effort::default()), None);
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_the_segments(before in "[ab \n,é漢\u{301}]{0,30}", after in "[ab \n,é漢\u{301}]{0,30}") {
            let segments = compare_words(before.as_bytes(), after.as_bytes(), &mut Effort::default()).unwrap();
            let without = |mark| {
                let texts = segments.iter().filter(|segment| segment.mark != mark).map(|segment| segment.text.as_str());
                texts.collect::<String>()
            };
            prop_assert_eq!(without(Mark::Added), before);
            prop_assert_eq!(without(Mark::Removed), after);
        }

        #[test]
        fn words_are_the_text_in_pieces(text in any::<Vec<u8>>()) {
            prop_assert_eq!(words(&text).concat(), text);
        }
    }
}
