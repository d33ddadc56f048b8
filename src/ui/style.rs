//! How text stands out: attributes and colours, for a terminal that has them.

use crate::env::Env;

/// Whether attributes and colours are written at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// Text as it is.
    pub const PLAIN: Self = Self { colour: false };

    /// Text with attributes and colours.
    pub const COLOUR: Self = Self { colour: true };

    /// The style that the user wants; if nobody said so, colour is for terminals that can show it.
    pub fn choose(wanted: Option<bool>, is_terminal: bool, env: &Env) -> Self {
        let dumb = env.var("TERM").is_some_and(|term| term == "dumb");
        let fitting = is_terminal && env.var("NO_COLOR").is_none() && !dumb;
        Self { colour: wanted.unwrap_or(fitting) }
    }

    /// Whether there is any colour.
    pub fn is_colour(self) -> bool {
        self.colour
    }

    /// Adds text that stands out; it must be harmless already.
    pub fn push(self, out: &mut String, face: Face, text: &str) {
        self.open(out, face);
        out.push_str(text);
        self.close(out, face);
    }

    /// Begins a face after plain text.
    pub(super) fn open(self, out: &mut String, face: Face) {
        if self.colour && face != Face::PLAIN {
            out.push_str("\u{1b}[");
            face.push_codes(out);
        }
    }

    /// Ends a face.
    pub(super) fn close(self, out: &mut String, face: Face) {
        if self.colour && face != Face::PLAIN {
            out.push_str(RESET);
        }
    }

    /// Changes from one face to another, in one sequence that says everything about the new one.
    pub(super) fn change(self, out: &mut String, from: Face, to: Face) {
        if from == to || !self.colour {
            return;
        }
        match (from, to) {
            (Face::PLAIN, _) => self.open(out, to),
            (_, Face::PLAIN) => out.push_str(RESET),
            _ => {
                out.push_str("\u{1b}[0;");
                to.push_codes(out);
            }
        }
    }
}

/// What ends all attributes and colours.
pub(super) const RESET: &str = "\u{1b}[0m";

/// A set of attributes, and a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face {
    attributes: u8,
    colour: Option<Colour>,
}

/// One of the colours that every terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colour {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

const BOLD: u8 = 1;
const DIM: u8 = 1 << 1;
const ITALIC: u8 = 1 << 2;
const UNDERLINE: u8 = 1 << 3;
const STRIKE: u8 = 1 << 4;

impl Face {
    /// Nothing special.
    pub const PLAIN: Self = Self { attributes: 0, colour: None };
    /// Something strong.
    pub const STRONG: Self = Self { attributes: BOLD, colour: None };
    /// Something that is not worth much attention.
    pub const FAINT: Self = Self { attributes: DIM, colour: None };
    /// Something stressed.
    pub const EMPHASIS: Self = Self { attributes: ITALIC, colour: None };
    /// Something that no longer holds.
    pub const STRUCK: Self = Self { attributes: STRIKE, colour: None };
    /// A heading in a text.
    pub const HEADING: Self = Self { attributes: BOLD, colour: Some(Colour::Magenta) };
    /// Code in a sentence.
    pub const CODE: Self = Self { attributes: 0, colour: Some(Colour::Cyan) };
    /// The words of a link.
    pub const LINK: Self = Self { attributes: UNDERLINE, colour: Some(Colour::Blue) };
    /// The user, as a speaker.
    pub const USER: Self = Self { attributes: BOLD, colour: Some(Colour::Green) };
    /// A model, as a speaker.
    pub const MODEL: Self = Self { attributes: BOLD, colour: Some(Colour::Blue) };
    /// A tool, as a speaker.
    pub const TOOL: Self = Self { attributes: BOLD, colour: Some(Colour::Yellow) };
    /// Something that went well.
    pub const GOOD: Self = Self { attributes: 0, colour: Some(Colour::Green) };
    /// Something that went wrong.
    pub const BAD: Self = Self { attributes: 0, colour: Some(Colour::Red) };
    /// What was looked for.
    pub const MATCH: Self = Self { attributes: BOLD, colour: Some(Colour::Red) };
    /// Something to look at.
    pub const NOTICE: Self = Self { attributes: 0, colour: Some(Colour::Yellow) };

    /// Both faces at once; of two colours the second shows.
    pub fn and(self, other: Self) -> Self {
        Self {
            attributes: self.attributes | other.attributes,
            colour: other.colour.or(self.colour),
        }
    }

    fn push_codes(self, out: &mut String) {
        let attributes =
            [(BOLD, "1;"), (DIM, "2;"), (ITALIC, "3;"), (UNDERLINE, "4;"), (STRIKE, "9;")];
        for (attribute, code) in attributes {
            if self.attributes & attribute != 0 {
                out.push_str(code);
            }
        }
        out.push_str(match self.colour {
            None => "",
            Some(Colour::Red) => "31;",
            Some(Colour::Green) => "32;",
            Some(Colour::Yellow) => "33;",
            Some(Colour::Blue) => "34;",
            Some(Colour::Magenta) => "35;",
            Some(Colour::Cyan) => "36;",
        });
        out.pop();
        out.push('m');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_for_terminals_unless_somebody_says_otherwise() {
        for (wanted, is_terminal, vars, expected) in [
            (None, true, [].as_slice(), true),
            (None, false, &[], false),
            (None, true, &[("NO_COLOR", "")], true),
            (None, true, &[("NO_COLOR", "1")], false),
            (None, true, &[("TERM", "dumb")], false),
            (Some(true), false, &[("NO_COLOR", "1"), ("TERM", "dumb")], true),
            (Some(false), true, &[], false),
        ] {
            let style = Style::choose(wanted, is_terminal, &Env::of_variables(vars));
            assert_eq!(style.is_colour(), expected, "{wanted:?} {is_terminal} {vars:?}");
        }
    }

    #[test]
    fn a_face_is_one_sequence() {
        let mut out = String::new();
        Style::COLOUR.push(&mut out, Face::LINK.and(Face::STRONG), "x");
        Style::COLOUR.change(&mut out, Face::STRONG, Face::CODE);
        assert_eq!(out, "\u{1b}[1;4;34mx\u{1b}[0m\u{1b}[0;36m");
        out.clear();
        Style::PLAIN.push(&mut out, Face::LINK, "x");
        assert_eq!(out, "x");
    }
}
