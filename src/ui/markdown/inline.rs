//! What is in force within a line: attributes, links, and what they look like.

use pulldown_cmark::CowStr;

use super::super::style::Face;

/// Attributes and links that are open.
#[derive(Debug, Default)]
pub struct Inline<'a> {
    /// The face of the block around.
    pub base: Face,
    /// Links and images whose words are being read.
    pub links: Vec<Link<'a>>,
    depths: [usize; 3],
}

/// What makes words stand out.
#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    Strong,
    Emphasis,
    Struck,
}

impl Attribute {
    const ALL: [Self; 3] = [Self::Strong, Self::Emphasis, Self::Struck];

    /// What stands around such words where there are no faces.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Strong => "**",
            Self::Emphasis => "*",
            Self::Struck => "~~",
        }
    }

    fn face(self) -> Face {
        match self {
            Self::Strong => Face::STRONG,
            Self::Emphasis => Face::EMPHASIS,
            Self::Struck => Face::STRUCK,
        }
    }
}

impl Inline<'_> {
    /// Begins an attribute, perhaps within itself.
    pub fn open(&mut self, attribute: Attribute) {
        self.depths[attribute as usize] += 1;
    }

    /// Ends an attribute.
    pub fn close(&mut self, attribute: Attribute) {
        let depth = &mut self.depths[attribute as usize];
        *depth = depth.saturating_sub(1);
    }

    /// What words look like.
    pub fn face(&self) -> Face {
        let link = if self.links.is_empty() { Face::PLAIN } else { Face::LINK };
        let open = Attribute::ALL.into_iter().filter(|one| self.depths[*one as usize] > 0);
        open.map(Attribute::face).fold(self.base.and(link), Face::and)
    }
}

/// A link or an image whose words are being read.
#[derive(Debug)]
pub struct Link<'a> {
    target: CowStr<'a>,
    /// How much of the target the words have repeated so far; `None` if they say something else.
    repeated: Option<usize>,
}

impl<'a> Link<'a> {
    /// A link to somewhere.
    pub fn to(target: CowStr<'a>) -> Self {
        Self { target, repeated: Some(0) }
    }

    /// Takes note of a piece of its words.
    pub fn read(&mut self, words: &str) {
        self.repeated = self.repeated.and_then(|length| {
            self.target[length..].starts_with(words).then_some(length + words.len())
        });
    }

    /// Where it leads, unless its words have said so.
    pub fn unsaid_target(&self) -> Option<&str> {
        (self.repeated != Some(self.target.len())).then_some(&self.target)
    }
}
