//! Words in lines: wrapped at the width of the screen, with their faces.

use super::{
    super::{
        escape::{escape, push_line},
        style::{Face, Style},
        width::char_width,
    },
    margin::Margin,
};

/// No line is wrapped to less than this.
const NARROWEST: usize = 16;

/// Text that is being laid out.
#[derive(Debug)]
pub struct Flow {
    /// What has been laid out.
    pub out: String,
    /// What lines begin with.
    pub margin: Margin,
    /// The face of the words to come.
    pub face: Face,
    style: Style,
    width: usize,
    /// The face in force at the end of `out`.
    shown: Face,
    /// Whether the last line of `out` has begun.
    begun: bool,
    /// Columns taken on it, without the margin.
    column: usize,
    /// The widest line so far, without the margin.
    widest: usize,
    /// Where the line can be broken.
    chance: Option<Chance>,
    /// Whether a blank line is due before the next block.
    gap: bool,
    scratch: String,
}

/// A place where a line can be broken.
#[derive(Clone, Copy, Debug)]
struct Chance {
    /// Where in the text.
    at: usize,
    /// Spaces that go away if the line is broken there.
    spaces: usize,
    /// Columns before it.
    column: usize,
    /// The face in force.
    face: Face,
}

impl Flow {
    /// Lays out text for a screen of this width.
    pub fn new(style: Style, width: usize, out: String) -> Self {
        Self {
            out,
            margin: Margin::within(width),
            face: Face::PLAIN,
            style,
            width,
            shown: Face::PLAIN,
            begun: false,
            column: 0,
            widest: 0,
            chance: None,
            gap: false,
            scratch: String::new(),
        }
    }

    /// Lays out what is to come for a screen of another width.
    pub fn set_width(&mut self, width: usize) {
        self.width = width;
        self.margin.set_limit(width);
    }

    /// Columns that a line has for its words.
    pub fn room(&self) -> usize {
        self.width.saturating_sub(self.margin.columns()).max(NARROWEST)
    }

    /// Adds text from anywhere, which may be broken at its spaces.
    pub fn text(&mut self, text: &str) {
        let text = escape(text);
        let mut rest = &*text;
        while !rest.is_empty() {
            let word = rest.find(' ').unwrap_or(rest.len());
            if word > 0 {
                self.word(&rest[..word]);
                rest = &rest[word..];
            }
            let spaces = rest.len() - rest.trim_start_matches(' ').len();
            if spaces > 0 {
                self.spaces(&rest[..spaces]);
                rest = &rest[spaces..];
            }
        }
    }

    /// Adds a harmless word, which sticks to what stands before it.
    pub fn word(&mut self, word: &str) {
        self.begin();
        self.show_face();
        if word.is_ascii() {
            self.out.push_str(word);
            self.column += word.len();
        } else {
            self.wide_word(word);
        }
        if self.column > self.room() {
            self.wrap();
        }
    }

    /// Adds spaces, at which the line may be broken; none at the beginning of a line.
    pub fn spaces(&mut self, spaces: &str) {
        if self.column == 0 {
            return;
        }
        self.show_face();
        match &mut self.chance {
            Some(chance) if chance.at + chance.spaces == self.out.len() => {
                chance.spaces += spaces.len();
            }
            _ => self.chance_here(spaces.len()),
        }
        self.out.push_str(spaces);
        self.column += spaces.len();
    }

    /// Ends the line, if one has begun.
    pub fn end_line(&mut self) {
        if !self.begun {
            return;
        }
        self.drop_spaces();
        self.style.change(&mut self.out, self.shown, Face::PLAIN);
        self.shown = Face::PLAIN;
        self.out.push('\n');
        self.begun = false;
        self.column = 0;
    }

    /// Ends the line, and the block with it.
    pub fn end_block(&mut self) {
        self.end_line();
        self.gap = true;
    }

    /// Ends the line, and begins a block: after a blank line if a block stands before it.
    pub fn begin_block(&mut self) {
        self.end_line();
        if std::mem::take(&mut self.gap) {
            self.margin.blank(&mut self.out);
            self.out.push('\n');
        }
    }

    /// Lets the next block follow without a blank line.
    pub fn close_gap(&mut self) {
        self.gap = false;
    }

    /// Adds a line as it is, without wrapping; the text may come from anywhere.
    pub fn verbatim_line(&mut self, indent: &str, line: &str) {
        self.begin();
        if !line.is_empty() {
            self.out.push_str(indent);
            push_line(&mut self.out, line);
        }
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.end_line();
    }

    /// Adds a piece of a line as it is, harmless and perhaps with sequences in it.
    pub fn piece(&mut self, text: &str) {
        self.begin();
        self.out.push_str(text);
    }

    /// Ends a text without a line break, and tells the columns of its widest line.
    pub fn end_cell(&mut self) -> usize {
        self.drop_spaces();
        self.style.change(&mut self.out, self.shown, Face::PLAIN);
        self.shown = Face::PLAIN;
        let widest = self.widest.max(self.column);
        self.widest = 0;
        self.column = 0;
        self.begun = false;
        widest
    }

    /// Begins a line, if none has begun.
    pub fn begin(&mut self) {
        if self.begun {
            return;
        }
        self.margin.begin(&mut self.out);
        self.begun = true;
        self.column = 0;
        self.chance = None;
    }

    /// Takes back spaces at the end of the line.
    fn drop_spaces(&mut self) {
        self.widest = self.widest.max(self.column);
        if let Some(chance) = self.chance.take()
            && chance.at + chance.spaces == self.out.len()
        {
            self.out.truncate(chance.at);
            self.column = chance.column;
        }
    }

    fn show_face(&mut self) {
        if self.shown != self.face {
            self.style.change(&mut self.out, self.shown, self.face);
            self.shown = self.face;
        }
    }

    /// Adds a word that may have wide characters: between those a line can be broken, too.
    fn wide_word(&mut self, word: &str) {
        let mut after_wide = false;
        for c in word.chars() {
            let width = char_width(c);
            let is_wide = width == 2;
            if (is_wide || after_wide) && width > 0 && self.column > 0 && !closes(c) {
                let is_known = self.chance.is_some_and(|one| one.at + one.spaces == self.out.len());
                if !is_known {
                    self.chance_here(0);
                }
            }
            self.out.push(c);
            self.column += width;
            if self.column > self.room() {
                self.wrap();
            }
            after_wide = is_wide || after_wide && width == 0;
        }
    }

    fn chance_here(&mut self, spaces: usize) {
        let (at, column, face) = (self.out.len(), self.column, self.shown);
        self.chance = Some(Chance { at, spaces, column, face });
    }

    /// Breaks the line where it can be broken; a word that is too long stays whole.
    fn wrap(&mut self) {
        let Some(chance) = self.chance.take() else { return };
        self.scratch.clear();
        self.style.change(&mut self.scratch, chance.face, Face::PLAIN);
        self.scratch.push('\n');
        self.margin.go_on(&mut self.scratch);
        self.style.open(&mut self.scratch, chance.face);
        self.out.replace_range(chance.at..chance.at + chance.spaces, &self.scratch);
        self.column -= chance.column + chance.spaces;
    }
}

/// Whether a character does not begin a line.
fn closes(c: char) -> bool {
    matches!(c, '、' | '。' | '，' | '．' | '！' | '？' | '：' | '；' | '」' | '』' | '）' | '】')
}
