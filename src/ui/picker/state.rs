//! The list while somebody chooses: what was typed, what fits it, and where the cursor is.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    super::{
        prompt::{Draft, Motion, Pressed, Step},
        terminal::Size,
    },
    item::{Content, Glance, Item},
    layout::Layout,
    pattern::{Pattern, Rank, Subject},
};

/// Previews that are kept.
const PREVIEWS: usize = 64;

/// Bytes that can be typed: each one looks through everything, and a paste may bring any number.
const LONGEST: usize = 256;

/// Characters of a text that is shown in one line.
const ONE_LINE: usize = 200;

/// The list while somebody chooses.
#[derive(Debug)]
pub struct Picker {
    items: Vec<Item>,
    known: Vec<Known>,
    draft: Draft,
    pattern: Pattern,
    /// What fits, the best first.
    matches: Vec<(Rank, usize)>,
    /// The place among them that the cursor is at.
    cursor: usize,
    /// The first place on the screen.
    top: usize,
    layout: Layout,
    previews: BTreeMap<usize, Result<String, String>>,
    progress: Progress,
}

/// What came out of looking into a conversation.
#[derive(Clone, Debug, Default)]
struct Known {
    glance: Option<Result<Glance, String>>,
    /// What was said, folded; empty if it is not known.
    content: Box<str>,
}

/// How far the contents are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Conversations that are read.
    pub read: usize,
    /// Whether no more are read.
    pub is_over: bool,
}

/// What came out of looking into a conversation.
#[derive(Debug)]
pub enum Arrival {
    /// What its line tells.
    Glance(usize, Result<Glance, String>),
    /// What was said last.
    Preview(usize, Result<String, String>),
    /// All that can be searched, folded, of several.
    Contents(Vec<(usize, Result<Content, String>)>),
    /// Contents are not read any further.
    Over,
}

/// How choosing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With the conversation at this place in the list.
    Chosen(usize),
    /// With none.
    Left,
}

impl Picker {
    /// The list, with nothing typed.
    pub fn new(items: Vec<Item>, size: Size) -> Self {
        let known = vec![Known::default(); items.len()];
        let layout = Layout::of(size);
        let mut picker = Self {
            items,
            known,
            draft: Draft::default(),
            pattern: Pattern::default(),
            matches: Vec::new(),
            cursor: 0,
            top: 0,
            layout,
            previews: BTreeMap::new(),
            progress: Progress::default(),
        };
        picker.matches = picker.all();
        picker
    }

    /// Takes a key; says how choosing ended if it has.
    pub fn press(&mut self, pressed: Pressed) -> Option<Outcome> {
        let pressed = match pressed {
            Pressed::Escape | Pressed::Cancel => return Some(Outcome::Left),
            Pressed::Enter => return self.selected().map(Outcome::Chosen),
            Pressed::Move(motion) => {
                self.go(motion);
                return None;
            }
            // A pattern is one line, and there is nothing to complete.
            Pressed::NewLine | Pressed::Pasted('\n' | '\t') => Pressed::Char(' '),
            Pressed::Char('\t') => return None,
            pressed => pressed,
        };
        let typed = self.draft.text().to_owned();
        let is_more = matches!(pressed, Pressed::Char(_) | Pressed::Pasted(_));
        if is_more && typed.len() >= LONGEST {
            return None;
        }
        match self.draft.press(pressed) {
            Step::Cancelled => return Some(Outcome::Left),
            Step::More | Step::Done => {}
        }
        if self.draft.text() != typed {
            self.filter(&typed);
        }
        None
    }

    /// The screen has another size.
    pub fn resize(&mut self, size: Size) {
        self.layout = Layout::of(size);
        self.scroll();
    }

    /// Takes what was read.
    pub fn take(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Glance(item, glance) => {
                self.known[item].glance = Some(glance.map(condensed));
                self.look_again([item].into());
            }
            Arrival::Preview(item, preview) => {
                if self.previews.len() >= PREVIEWS {
                    self.previews.clear();
                }
                self.previews.insert(item, preview);
            }
            Arrival::Contents(contents) => {
                self.progress.read += contents.len();
                let items = contents.iter().map(|(item, _)| *item).collect();
                for (item, read) in contents {
                    let known = &mut self.known[item];
                    match read {
                        Ok(Content { glance, text }) => {
                            known.glance = Some(Ok(condensed(glance)));
                            known.content = text.into();
                        }
                        Err(why) => known.glance = Some(Err(why)),
                    }
                }
                self.look_again(items);
            }
            Arrival::Over => self.progress.is_over = true,
        }
    }

    /// The conversations on the screen whose lines are not complete.
    pub fn incomplete(&self) -> Vec<usize> {
        let shown = self.matches[self.shown()].iter().map(|(_, item)| *item);
        shown.filter(|item| self.known[*item].glance.is_none()).collect()
    }

    /// The conversation whose preview is missing.
    pub fn without_preview(&self) -> Option<usize> {
        self.layout.preview?;
        self.selected().filter(|item| !self.previews.contains_key(item))
    }

    /// The conversation that the cursor is at.
    pub fn selected(&self) -> Option<usize> {
        self.matches.get(self.cursor).map(|(_, item)| *item)
    }

    /// The places that are on the screen.
    pub fn shown(&self) -> Range<usize> {
        let end = (self.top + self.layout.shown()).min(self.matches.len());
        self.top.min(end)..end
    }

    /// The conversation at a place, if there is one.
    pub fn at(&self, place: usize) -> Option<(&Item, Option<&Result<Glance, String>>)> {
        let (_, item) = *self.matches.get(place)?;
        Some((&self.items[item], self.known[item].glance.as_ref()))
    }

    /// The place that the cursor is at.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The preview of the conversation that the cursor is at, if it has been read.
    pub fn preview(&self) -> Option<&Result<String, String>> {
        self.previews.get(&self.selected()?)
    }

    /// How many fit, of how many.
    pub fn counts(&self) -> (usize, usize) {
        (self.matches.len(), self.items.len())
    }

    /// How far the contents are read.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// What is typed.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Where everything stands.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    fn go(&mut self, motion: Motion) {
        let (last, page) = (self.matches.len().saturating_sub(1), self.layout.shown());
        self.cursor = match motion {
            Motion::Up => self.cursor.saturating_sub(1),
            Motion::Down => self.cursor + 1,
            Motion::PageUp => self.cursor.saturating_sub(page),
            Motion::PageDown => self.cursor + page,
            Motion::First => 0,
            Motion::Last => last,
        };
        self.cursor = self.cursor.min(last);
        self.scroll();
    }

    /// Finds what fits the text that was changed.
    fn filter(&mut self, before: &str) {
        self.pattern = Pattern::new(self.draft.text());
        if self.pattern.is_empty() {
            self.matches = self.all();
        } else if self.draft.text().starts_with(before) {
            // A longer text never fits what a shorter one did not fit.
            let fitted = std::mem::take(&mut self.matches);
            self.matches = self.ranked(fitted.into_iter().map(|(_, item)| item));
        } else {
            self.matches = self.ranked(0..self.items.len());
        }
        (self.cursor, self.top) = (0, 0);
    }

    /// Some conversations are better known than before.
    fn look_again(&mut self, items: BTreeSet<usize>) {
        if self.pattern.is_empty() {
            return;
        }
        let selected = self.selected();
        self.matches.retain(|(_, item)| !items.contains(item));
        let fitting = self.ranked(items.into_iter());
        self.matches.extend(fitting);
        self.matches.sort_unstable();
        // What is under the cursor stays there, whatever comes: somebody is about to choose it.
        let place = selected
            .and_then(|selected| self.matches.iter().position(|(_, item)| *item == selected));
        self.cursor = place.unwrap_or(self.cursor).min(self.matches.len().saturating_sub(1));
        self.scroll();
    }

    fn ranked(&self, items: impl Iterator<Item = usize>) -> Vec<(Rank, usize)> {
        let rank = |item: usize| Some((self.pattern.rank(&self.subject(item))?, item));
        let mut ranked: Vec<_> = items.filter_map(rank).collect();
        ranked.sort_unstable();
        ranked
    }

    /// Everything, in the order in which it was given.
    fn all(&self) -> Vec<(Rank, usize)> {
        let nothing = Pattern::default();
        let rank = |item| Some((nothing.rank(&Subject::default())?, item));
        (0..self.items.len()).filter_map(rank).collect()
    }

    fn subject(&self, item: usize) -> Subject<'_> {
        let Known { glance, content } = &self.known[item];
        let glance = glance.as_ref().and_then(|glance| glance.as_ref().ok());
        let opening = glance.and_then(|glance| glance.opening.as_deref());
        let Item { id, title, .. } = &self.items[item];
        Subject {
            title: title.as_deref().or(opening).unwrap_or_default(),
            id,
            last: glance.map_or("", |glance| &glance.last),
            content,
        }
    }

    /// Brings the cursor onto the screen.
    fn scroll(&mut self) {
        let shown = self.layout.shown();
        let least = (self.cursor + 1).saturating_sub(shown);
        self.top = self.top.clamp(least, self.cursor);
        // No room is left empty that could show something.
        self.top = self.top.min(self.matches.len().saturating_sub(shown));
    }
}

/// The same, in texts that are one line each.
fn condensed(glance: Glance) -> Glance {
    let one_line = |text: &str| {
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            let room = ONE_LINE.saturating_sub(line.chars().count());
            line.extend(word.chars().take(room));
            if room == 0 {
                break;
            }
        }
        line
    };
    let opening = glance.opening.as_deref().map(one_line).filter(|line| !line.is_empty());
    Glance { opening, last: one_line(&glance.last) }
}
