//! The table and the page around it.

use std::fmt;

/// One comparison.
pub struct Row {
    /// What was done.
    pub work: String,
    /// What it took jp.
    pub jp: String,
    /// Who did the same, and what it took them.
    pub peer: String,
    /// How the two compare, measured as a multiple of the peer.
    pub ratio: f64,
    /// The multiple that may not be exceeded; `None` if this is only told.
    pub bar: Option<f64>,
}

impl Row {
    /// Whether the bar is met, if there is one.
    pub fn is_met(&self) -> Option<bool> {
        self.bar.map(|bar| self.ratio <= bar)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bar = self.bar.map_or_else(|| "–".to_owned(), |bar| format!("≤ {bar}×"));
        let met = match self.is_met() {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "–",
        };
        let Self { work, jp, peer, ratio, .. } = self;
        write!(f, "| {work} | {jp} | {peer} | {ratio:.2}× | {bar} | {met} |")
    }
}

/// Everything that was measured.
pub struct Page {
    /// Where it was measured, without anything that would name the machine.
    pub machine: String,
    /// The comparisons.
    pub rows: Vec<Row>,
}

impl Page {
    /// How many bars are met, and how many are missed.
    pub fn verdict(&self) -> (usize, usize) {
        let verdicts = || self.rows.iter().filter_map(Row::is_met);
        (verdicts().filter(|met| *met).count(), verdicts().filter(|met| !met).count())
    }
}

const INTRODUCTION: &str = "\
# Benchmarks

`cargo bench --bench report` measures jp against its peers and writes this page; it takes some minutes.
`cargo bench --bench report -- --quick` does the same with small sizes in under a minute, and writes no page; `--out FILE` says where a page goes.
A bar that is missed is reported, but only an error makes the run fail.

All contenders of a comparison run in turn in the same process on the same disk, sample by sample, each round beginning with another one.
Times are the median and the ninth decile; ratios compare medians.
";

const HEAD: &str = "\
| work | jp | peer | ratio | bar | met |
|---|---|---|---|---|---|";

const EXPLANATION: &str = "\
## What is measured

- *Durable append*: `Workspace::append` of one event whose file has 1,024 bytes, in process, on disk when it returns; *kept* holds the guard between appends, *fresh* selects, locks and reads the conversation each time.
- *SQLite* inserts the same bytes in one transaction (`journal_mode=WAL`, `synchronous=FULL`).
- *libgit2* writes blob, tree, commit and ref, with `core.fsyncObjectFiles`, which makes it sync each of them and its directory.
- *git* is `git add` and `git commit` with `core.fsync=all`.
- *JSON file* writes 1,000 pretty-printed events to a new file, syncs it, renames it over the old one and syncs the directory.
- *Appended line* is one `write` and one `fdatasync`.
- *Bytes written* is what the process passes to `write`, as `/proc/self/io` counts it: the pack, its index, the ref and the occasional merge of packs.
- *List* runs the whole process, and so does `git for-each-ref`, which prints name, time and the trailers for title, status, turns and events; both after `jp store pack`.
- *Load* opens the workspace and decodes and checks all events in process; `git cat-file --batch` is a whole process that gets the ids of the same blobs and whose output is read and dropped; both after `jp store pack`.
- *What a conversation waits for* is `Workspace::brief` of one whose last turn waits for an answer, with the workspace opened each time; the peer is the same with a short conversation; each is alone in its store, after `jp store pack`.
- *Store size* counts every file of the store after `jp store pack`, with one commit for each event; the peer is one JSON file of the same events.
- *Log* is `jp conversation log` and `git log --oneline` of the same branch as whole processes that print to `/dev/null`.
  *Each an operation* was appended event by event, *in few operations* 500 events at a time; *packed* is after `jp store pack`, *as written* before it.
- *Grep* is `jp conversation grep -s` of all conversations, and `git grep -I -n -E` of all branches in one call, which find the same lines, as whole processes that print to `/dev/null`; both after `jp store pack`.
- *Fork* is `history::fork` of a whole conversation, in process, on disk when it returns; the peer is the same with a short conversation that is alone in its store.
  Each fork is deleted again.
- *Undo* and *redo* are `history::undo` and `history::redo` with the guard kept, against `Workspace::append` of one event of 1,024 bytes to the same conversation.
  What each of them did is taken back before the next one, so that the conversation keeps its length.
- *Edit* is `jp conversation edit -i` as a process, from its start to the first line of an editor that is a script of `sh`; the peer is `git worktree add` of the same branch as a whole process; both after `jp store pack`.
- *Commit* is `jp conversation commit` of a checkout in which one message got another line; the peer is `jp conversation append` of one event of 1,024 bytes to the same conversation, which is taken back each time.
- *Print* is `jp conversation print --no-pager` as a whole process that prints to `/dev/null`; the peer is twice the time of `git cat-file --batch`, which gets the ids of the same blobs and prints to `/dev/null` too, and the time that rendering the markdown at 20 MB/s would take.
  *Rendered* is with `--color always`.
  Each body is 1 to 2 kB of markdown with a heading, paragraphs, a list, a table, code and links.
- *Query that runs tools* is `jp query` as a whole process, with a model that is played from a file and calls for all tools in one answer; each tool is `sleep`.
  The peer is computed: twice the time of its durable commits, each at the median of an append of one event in the same run, and of one tool.
  Commits are those of the conversation, one for each event; what is ready together is one pack, synced once.
- *The whole* command is a process from start to end, and so is its peer.
- The events of *load*, *list*, *store size*, *log*, *grep*, *fork*, *undo*, *redo*, *edit* and *commit* come from a generator in the bench: prose, code, JSON arguments and results, and reasoning with signatures, the same in every run.
";

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{INTRODUCTION}\nMeasured on {}.\n\n{HEAD}", self.machine)?;
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        write!(f, "\n{EXPLANATION}")
    }
}
