//! What can be chosen, and who knows more about it.

/// A conversation to choose from. Its texts may come from anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub title: Option<String>,
    /// When something last happened in it.
    pub time: String,
    /// What it waits for.
    pub status: String,
    /// Whether it is one of this terminal's own.
    pub is_own: bool,
}

/// What one line tells of a conversation that somebody has looked into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    /// What it began with, for one that has no title.
    pub opening: Option<String>,
    /// What was said last.
    pub last: String,
}

/// What can be searched of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// What one line tells.
    pub glance: Glance,
    /// What was said, the last first.
    pub text: String,
}

/// Looks into conversations, which are known by their places in the list. Reading may take a
/// while, and what cannot be read is said in words.
pub trait Reader {
    /// What one line tells.
    fn glance(&mut self, item: usize) -> Result<Glance, String>;

    /// What was said last, in lines.
    fn preview(&mut self, item: usize) -> Result<String, String>;

    /// What can be searched, up to about so many bytes.
    fn content(&mut self, item: usize, most: usize) -> Result<Content, String>;
}
