//! What was typed, and how well conversations fit it.

use std::cmp::Reverse;

use memchr::memmem::Finder;

use super::fuzzy::{Word, fold};

/// How wide a gap may be in what was said last: among so many words, wider ones are everywhere.
const GAP_IN_TALK: usize = 3;

/// What was typed: words that must all be found.
#[derive(Debug, Default)]
pub struct Pattern {
    /// All of it, without its case.
    folded: String,
    words: Vec<Sought>,
}

#[derive(Debug)]
struct Sought {
    word: Word,
    folded: String,
    finder: Finder<'static>,
}

/// What can be known of a conversation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// What it is called.
    pub title: &'a str,
    /// Its id.
    pub id: &'a str,
    /// What was said last.
    pub last: &'a str,
    /// What was said before, folded; empty if it is not known.
    pub content: &'a str,
}

/// How well something fits; the least is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// Where the word stands that is the hardest to find.
    pub place: Place,
    score: Reverse<i32>,
}

/// Where something was found, the best place first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The title begins with it.
    Beginning,
    /// In the title or the id.
    Name,
    /// In what was said last.
    Last,
    /// In what was said before.
    Content,
}

impl Pattern {
    /// What was typed.
    pub fn new(typed: &str) -> Self {
        let words = typed.split_whitespace().map(|word| {
            let folded = folded(word);
            let finder = Finder::new(&folded).into_owned();
            Sought { word: Word::new(word), folded, finder }
        });
        Self { folded: folded(typed.trim()), words: words.collect() }
    }

    /// Whether everything fits.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How well something fits; `None` if one of the words is nowhere.
    pub fn rank(&self, subject: &Subject<'_>) -> Option<Rank> {
        let mut rank = Rank { place: Place::Beginning, score: Reverse(0) };
        for sought in &self.words {
            let (place, score) = sought.find(subject)?;
            rank.place = rank.place.max(place);
            rank.score.0 = rank.score.0.saturating_add(score);
        }
        if !begins(subject.title, &self.folded) {
            rank.place = rank.place.max(Place::Name);
        }
        Some(rank)
    }
}

impl Sought {
    /// The best place that it is found at, and how well it fits there.
    fn find(&self, subject: &Subject<'_>) -> Option<(Place, i32)> {
        let title = self.word.score(subject.title, usize::MAX);
        if let Some(score) = title.max(self.score_of_id(subject.id)) {
            return Some((Place::Beginning, score));
        }
        if let Some(score) = self.word.score(subject.last, GAP_IN_TALK) {
            return Some((Place::Last, score));
        }
        // Scattered characters would be found in every long text.
        let found = self.finder.find(subject.content.as_bytes()).is_some();
        found.then_some((Place::Content, 0))
    }

    /// Parts of an id fit as they are. What all ids have in common says nothing.
    fn score_of_id(&self, id: &str) -> Option<i32> {
        let length = i32::try_from(self.folded.len()).unwrap_or(i32::MAX / 64);
        let tells = self.folded.contains(|c: char| c.is_ascii_digit());
        id.contains(&self.folded).then_some(if tells { length * 16 } else { -100 })
    }
}

/// A text without its case.
pub fn folded(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(fold).collect() }
}

fn begins(title: &str, folded: &str) -> bool {
    let mut title = title.chars().map(fold);
    folded.chars().all(|c| title.next() == Some(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AUTH: Subject<'_> = Subject {
        title: "Fix auth",
        id: "jp-c17636000001",
        last: "The token is refreshed now.",
        content: "what about the borrow checker?",
    };

    fn place(typed: &str) -> Option<Place> {
        Pattern::new(typed).rank(&AUTH).map(|rank| rank.place)
    }

    #[test]
    fn all_words_must_be_found_and_the_hardest_says_where() {
        for (typed, expected) in [
            ("", Some(Place::Beginning)),
            ("fix a", Some(Place::Beginning)),
            ("auth fix", Some(Place::Name)),
            ("fxh", Some(Place::Name)),
            ("6000001", Some(Place::Name)),
            ("jp-c176", Some(Place::Name)),
            ("tokn", Some(Place::Last)),
            ("fix token", Some(Place::Last)),
            ("fix Borrow", Some(Place::Content)),
            ("brw", None),
            ("fix brw", None),
            ("Auth", None),
        ] {
            assert_eq!(place(typed), expected, "{typed}");
        }
    }

    #[test]
    fn what_is_in_the_title_comes_before_what_was_said() {
        let pattern = Pattern::new("auth");
        let title = Subject { title: "an unrelated thing, however", ..Subject::default() };
        let last = Subject { last: "auth", ..Subject::default() };
        let content = Subject { content: "auth", ..Subject::default() };
        assert!(pattern.rank(&title) < pattern.rank(&last));
        assert!(pattern.rank(&last) < pattern.rank(&content));
    }

    proptest! {
        #[test]
        fn one_more_character_never_adds_anything(
            typed in "[a-cA-C ]{0,6}", more in "[a-cA-C1-2 -]",
            title in "[a-cA-C -]{0,8}", last in "[a-cA-C ]{0,8}", content in "[a-c ]{0,8}",
        ) {
            let subject = Subject { title: &title, id: "jp-c121", last: &last, content: &content };
            let fits = |typed: &str| Pattern::new(typed).rank(&subject).is_some();
            let longer = format!("{typed}{more}");
            prop_assert!(fits(&typed) || !fits(&longer));
        }

        #[test]
        fn a_title_that_begins_with_the_typed_text_comes_first(
            typed in "[a-c][a-c ]{0,6}[a-c]", title in "[a-cA-C -]{0,16}",
        ) {
            let pattern = Pattern::new(&typed);
            let rank = |title| pattern.rank(&Subject { title, ..Subject::default() });
            let begins = title.to_lowercase().starts_with(typed.as_str());
            if let (Some(other), false) = (rank(&title), begins) {
                let beginning = format!("{typed} and more");
                prop_assert!(rank(&beginning).unwrap() < other);
            }
        }
    }
}
