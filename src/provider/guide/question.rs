//! A question as the search sees it: what it is about, each thing in all of its words.

use super::{
    synonyms::synonyms,
    words::{is_stop_word, stem, words},
};

/// The most words of a question that are looked at.
const MOST_WORDS: usize = 60;
/// What a word counts that already helped to find synonyms as part of a phrase.
const PART_OF_PHRASE: f32 = 0.1;

/// Words that tell little beside others, and what they count.
const WEAK_WORDS: [&str; 22] = [
    "add",
    "answer",
    "change",
    "command",
    "conversation",
    "file",
    "find",
    "last",
    "list",
    "look",
    "mean",
    "my",
    "new",
    "old",
    "open",
    "print",
    "run",
    "see",
    "set",
    "show",
    "start",
    "write",
];
const WEAK: f32 = 0.4;
/// Words that tell what is wanted, whatever else is told, and what they count.
const STRONG_WORDS: [&str; 5] = ["recover", "redo", "restore", "undelete", "undo"];
const STRONG: f32 = 1.6;

/// What a question is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    /// The things that it is about.
    pub concepts: Vec<Concept>,
    /// All of its words.
    pub stems: Vec<String>,
}

/// One thing that a question is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Concept {
    /// The words that stand for it, and how well each does.
    pub words: Vec<(String, f32)>,
    /// What it counts beside the others.
    pub weight: f32,
}

impl Question {
    /// Takes a question apart.
    pub fn new(text: &str) -> Self {
        let mut words = words(text);
        words.truncate(MOST_WORDS);
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        let mut used = vec![false; stems.len()];
        let mut concepts: Vec<Concept> = Vec::new();
        for (phrase, meanings) in synonyms() {
            let Some(place) = find(&stems, phrase) else { continue };
            if place.iter().any(|index| used[*index]) {
                continue;
            }
            place.iter().for_each(|index| used[*index] = true);
            if meanings.is_empty() {
                continue;
            }
            let mut all: Vec<(String, f32)> = Vec::new();
            for (number, meaning) in meanings.iter().enumerate() {
                all.push((meaning.clone(), 0.85_f32.powi(i32::try_from(number).unwrap_or(9))));
            }
            for index in place.into_iter().filter(|index| !is_stop_word(&words[*index])) {
                let weight = if phrase.len() == 1 { 1.0 } else { PART_OF_PHRASE };
                all.push((stems[index].clone(), weight));
            }
            let weight = phrase.iter().map(|word| weight_of(word)).fold(0.0, f32::max);
            concepts.push(Concept { words: all, weight });
        }
        for (index, word) in words.iter().enumerate() {
            let known = concepts.iter().any(|concept| concept.words[0].0 == stems[index]);
            if !used[index] && !is_stop_word(word) && !known {
                let weight = weight_of(&stems[index]);
                concepts.push(Concept { words: vec![(stems[index].clone(), 1.0)], weight });
            }
        }
        Self { concepts, stems }
    }
}

/// Where the words of a phrase stand, in their order and with at most three others in between.
fn find(stems: &[String], phrase: &[String]) -> Option<Vec<usize>> {
    (0..stems.len()).find_map(|start| {
        let mut place: Vec<usize> = Vec::new();
        for part in phrase {
            let from = place.last().map_or(start, |last| last + 1);
            let until = if place.is_empty() { start + 1 } else { (from + 4).min(stems.len()) };
            let index = (from..until).find(|index| stems[*index] == *part)?;
            place.push(index);
        }
        Some(place)
    })
}

/// What a word counts beside others.
fn weight_of(word: &str) -> f32 {
    let is_among = |words: &[&str]| words.iter().any(|other| stem(other) == word);
    if is_among(&WEAK_WORDS) {
        WEAK
    } else if is_among(&STRONG_WORDS) {
        STRONG
    } else {
        1.0
    }
}
