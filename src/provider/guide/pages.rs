//! The documentation that the guide knows.

/// A page of the documentation.
pub(super) struct Page {
    /// Where it is in the repository of jp.
    pub path: &'static str,
    /// Its markdown.
    pub text: &'static str,
    /// How much it counts beside the others.
    pub weight: f32,
}

macro_rules! page {
    ($path:literal, $weight:literal) => {
        Page { path: $path, text: include_str!(concat!("../../../", $path)), weight: $weight }
    };
}

/// All pages; one line adds another.
pub(super) const PAGES: &[Page] = &[
    page!("docs/built-in-guide.md", 1.0),
    page!("docs/guides/first-hour.md", 1.0),
    page!("docs/guides/models.md", 1.0),
    page!("docs/guides/resuming.md", 1.0),
    page!("docs/guides/background.md", 0.9),
    page!("docs/guides/follow-ups.md", 0.9),
    page!("docs/guides/trust.md", 1.0),
    page!("docs/guides/attachments.md", 1.3),
    page!("docs/guides/search.md", 1.0),
    page!("docs/guides/history.md", 1.1),
    page!("docs/guides/parallel.md", 1.0),
    page!("docs/guides/editing.md", 1.1),
    page!("docs/guides/editors.md", 1.0),
    page!("docs/guides/with-git.md", 1.0),
    page!("docs/guides/checkpoints.md", 0.9),
    page!("docs/guides/compaction.md", 1.0),
    page!("docs/reference.md", 1.1),
    page!("README.md", 1.0),
    page!("docs/tools.md", 0.9),
    page!("docs/mcp.md", 0.8),
    page!("docs/configuration.md", 0.9),
    page!("docs/scripts.md", 0.8),
    page!("docs/format.md", 0.8),
    page!("docs/json.md", 0.6),
    page!("docs/architecture.md", 0.6),
];

/// The page that has one section for each command.
pub(super) const REFERENCE: &str = "docs/reference.md";
