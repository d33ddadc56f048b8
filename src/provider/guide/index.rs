//! The search: sections ranked by the words of a question (BM25).

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::{
    hints::HINTS,
    pages::PAGES,
    question::{Concept, Question},
    section::{Block, BlockKind, Section, sections},
    words::{each_word, is_stop_word, stem, words},
};

/// How quickly more of the same word counts less.
const SATURATION: f32 = 1.2;
/// How much a long section counts less.
const LENGTH: f32 = 0.5;
/// A line that stands in more sections than this tells nothing about any of them.
const REPEATED: usize = 12;
/// What a word adds that makes up the whole title.
const TITLE: f32 = 2.5;
/// What a word counts, by where it stands.
const IN_TITLE: f32 = 3.0;
const IN_PAGE_TITLE: f32 = 1.0;
const IN_FIRST_BLOCK: f32 = 2.0;
const IN_HINT: f32 = 2.0;
const IN_TEXT: f32 = 1.0;
const IN_COMMAND: f32 = 1.0;
const IN_CODE: f32 = 0.2;
/// How much of what a question is about must be found, at least.
const COVERED: f32 = 0.4;
/// How much a word tells that stands nowhere, beside one that stands in a single section.
const UNKNOWN: f32 = 0.6;
/// What each word of a phrase of a hint adds, if a question has all of them.
const IN_PHRASE: f32 = 3.0;
/// Words that do not count in such a phrase.
const ARTICLES: [&str; 8] = ["a", "an", "and", "in", "it", "of", "or", "the"];

/// The index of the whole documentation.
pub(super) static INDEX: LazyLock<Index> =
    LazyLock::new(|| Index::new(PAGES.iter().flat_map(sections).collect()));

/// The index of some sections.
pub(super) struct Index {
    /// The sections, in the order of the pages.
    pub sections: Vec<Section>,
    /// Lines that stand in many sections.
    pub repeated: HashSet<&'static str>,
    /// Where each word stands, and how much it counts there.
    places: HashMap<String, Vec<(usize, f32)>>,
    lengths: Vec<f32>,
    titles: Vec<Vec<String>>,
    phrases: Vec<Vec<Vec<String>>>,
    average: f32,
}

/// A section that fits a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// Its place among the sections.
    pub section: usize,
    /// How well it fits.
    pub score: f32,
}

impl Index {
    /// Counts the words of all sections.
    pub fn new(sections: Vec<Section>) -> Self {
        let repeated = repeated_lines(&sections);
        let mut places: Vec<Vec<(usize, f32)>> = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut stems: HashMap<String, usize> = HashMap::new();
        let mut lengths = Vec::new();
        for (section, content) in sections.iter().enumerate() {
            let mut length = 0.0;
            for (text, weight) in weighted(content, &repeated) {
                each_word(text, |word| {
                    length += weight.min(IN_TEXT);
                    // Most words were there before, and are not taken apart again.
                    let number = stems.get(word).copied().unwrap_or_else(|| {
                        let next = numbers.len();
                        let number = *numbers.entry(stem(word)).or_insert(next);
                        stems.insert(word.to_owned(), number);
                        number
                    });
                    places.resize_with(numbers.len(), Vec::new);
                    match places[number].last_mut() {
                        Some((last, count)) if *last == section => *count += weight,
                        _ => places[number].push((section, weight)),
                    }
                });
            }
            lengths.push(length);
        }
        let places = numbers
            .into_iter()
            .map(|(word, number)| (word, std::mem::take(&mut places[number])))
            .collect();
        let average = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let titles = sections.iter().map(title_words).collect();
        let phrases = sections.iter().map(phrases).collect();
        Self { sections, repeated, places, lengths, titles, phrases, average }
    }

    /// The sections that fit a question, the best first; none if too little of it is found.
    pub fn search(&self, question: &Question) -> Vec<Hit> {
        let mut scores = vec![0.0_f32; self.sections.len()];
        let mut covered = vec![0.0_f32; self.sections.len()];
        let mut all = 0.0;
        for concept in &question.concepts {
            let rarity = self.rarity(concept) * concept.weight;
            all += rarity;
            for (section, score) in self.concept_scores(concept) {
                scores[section] += score * concept.weight;
                covered[section] += rarity;
            }
        }
        let mut hits = Vec::new();
        for (section, score) in scores.into_iter().enumerate() {
            let phrase = self.phrase_score(section, question);
            let share = if all > 0.0 { covered[section] / all } else { 0.0 };
            if phrase > 0.0 || (score > 0.0 && share >= COVERED) {
                let score = self.sections[section].weight * score * (0.5 + 0.5 * share) + phrase;
                hits.push(Hit { section, score });
            }
        }
        hits.sort_by(|one, two| {
            two.score.total_cmp(&one.score).then(one.section.cmp(&two.section))
        });
        hits
    }

    /// How well each section fits a concept: by the one of its words that fits best.
    fn concept_scores(&self, concept: &Concept) -> Vec<(usize, f32)> {
        let mut best: Vec<(usize, f32)> = Vec::new();
        for (word, weight) in &concept.words {
            let Some(places) = self.places.get(word) else { continue };
            let rarity = self.rarity_of(places.len());
            for (section, count) in places {
                let norm = 1.0 - LENGTH + LENGTH * self.lengths[*section] / self.average;
                let often = count * (SATURATION + 1.0) / (count + SATURATION * norm);
                let title = &self.titles[*section];
                let share = f32::from(u8::from(title.contains(word))) / title.len().max(1) as f32;
                best.push((*section, weight * rarity * (often + TITLE * share.sqrt())));
            }
        }
        best.sort_by(|one, two| one.0.cmp(&two.0).then(two.1.total_cmp(&one.1)));
        best.dedup_by_key(|(section, _)| *section);
        best
    }

    /// What the longest phrase adds that a question has all words of.
    fn phrase_score(&self, section: usize, question: &Question) -> f32 {
        let has_all =
            |phrase: &&Vec<String>| phrase.iter().all(|word| question.stems.contains(word));
        let longest = self.phrases[section].iter().filter(has_all).map(Vec::len).max();
        longest.unwrap_or(0) as f32 * IN_PHRASE
    }

    /// How much a concept tells, by the rarest of its words.
    fn rarity(&self, concept: &Concept) -> f32 {
        let known = concept.words.iter().filter_map(|(word, _)| self.places.get(word));
        let rarities = known.map(|places| self.rarity_of(places.len()));
        rarities.reduce(f32::max).unwrap_or_else(|| self.rarity_of(1) * UNKNOWN)
    }

    fn rarity_of(&self, sections: usize) -> f32 {
        let (all, with) = (self.sections.len() as f32, sections as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// How much of a question a text holds, for choosing among the blocks of a section.
    pub fn relevance(&self, question: &Question, text: &str) -> f32 {
        let stems: HashSet<String> = words(text).iter().map(|word| stem(word)).collect();
        let concepts = question.concepts.iter().map(|concept| {
            let found = concept.words.iter().filter(|(word, _)| stems.contains(word));
            let weight = found.map(|(_, weight)| *weight).reduce(f32::max).unwrap_or(0.0);
            weight * concept.weight * self.rarity(concept)
        });
        concepts.sum()
    }
}

/// The phrases of the hints of a section that have more than one word.
fn phrases(section: &Section) -> Vec<Vec<String>> {
    let hints = HINTS.iter().filter(|(title, _)| *title == section.title);
    let phrases = hints.flat_map(|(_, hint)| hint.split(',')).map(|phrase| {
        let words = words(phrase).into_iter().filter(|word| !ARTICLES.contains(&word.as_str()));
        words.map(|word| stem(&word)).collect()
    });
    phrases.filter(|phrase: &Vec<String>| phrase.len() > 1).collect()
}

/// The words of a title that tell it from others.
fn title_words(section: &Section) -> Vec<String> {
    let words = words(section.title);
    let telling = words.iter().filter(|word| !is_stop_word(word) && *word != "conversation");
    telling.map(|word| stem(word)).collect()
}

/// The texts of a section, and what their words count.
fn weighted<'s>(
    section: &'s Section,
    repeated: &'s HashSet<&'static str>,
) -> Vec<(&'static str, f32)> {
    let mut texts = vec![(section.title, IN_TITLE), (section.page_title, IN_PAGE_TITLE)];
    let hints = HINTS.iter().filter(|(title, _)| *title == section.title);
    texts.extend(hints.map(|(_, hint)| (*hint, IN_HINT)));
    for (number, block) in section.blocks.iter().enumerate() {
        let usual = if number == 0 { IN_FIRST_BLOCK } else { IN_TEXT };
        for line in block.text.lines().filter(|line| !repeated.contains(line)) {
            texts.push((line, weight_of(*block, line, usual)));
        }
    }
    texts
}

fn weight_of(block: Block, line: &str, usual: f32) -> f32 {
    match block.kind {
        BlockKind::Prose | BlockKind::Table => usual,
        BlockKind::Code if line.starts_with("jp ") => IN_COMMAND,
        BlockKind::Code => IN_CODE,
    }
}

fn repeated_lines(sections: &[Section]) -> HashSet<&'static str> {
    let mut counts: HashMap<&'static str, usize> = HashMap::new();
    for block in sections.iter().flat_map(|section| &section.blocks) {
        if block.kind == BlockKind::Table {
            for row in block.text.lines().skip(2) {
                *counts.entry(row).or_default() += 1;
            }
        }
    }
    counts.into_iter().filter(|(_, count)| *count > REPEATED).map(|(line, _)| line).collect()
}
