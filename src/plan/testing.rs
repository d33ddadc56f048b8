//! Conversations as plain files in memory, made of steps, for the tests of what changes them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{prelude::*, sample::Index};

use super::{Change, Draft, Layout, Listed, Outline, TreePath, append, create};
use crate::{
    format::{FileName, Line, Manifest, RunName, decode, encode},
    model::{
        Answer, AnswerType, Arguments, Attachment, Block, CallId, Compaction, Event, EventKind,
        InquiryId, InquiryKind, InquiryRequest, InquiryResponse, Message, Outcome, Progress,
        Request, Rules, SummaryRule, Timestamp, ToolCall, ToolName, ToolResult, ToolRule,
        ToolStart,
    },
};

/// One step of a made-up conversation.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Request,
    Message,
    Call,
    Result,
    Delta,
    Compaction(u64, u64),
    /// A summary of these turns, alone or with another rule.
    Summary(u64, u64, bool),
    Attachment,
    Interruption,
    /// A call beside the first.
    OtherCall,
    OtherResult,
    Start,
    Question,
    Answer,
}

pub fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Request),
        5 => Just(Step::Message),
        2 => Just(Step::Call),
        2 => Just(Step::Result),
        1 => Just(Step::Delta),
        1 => (0..8_u64, 0..4_u64).prop_map(|(from, more)| Step::Compaction(from, from + more)),
    ]
}

/// What happens in a step.
pub fn event(step: Step) -> Event {
    let id = match step {
        Step::OtherCall | Step::OtherResult => CallId::new("other"),
        _ => CallId::new("call"),
    };
    let kind = match step {
        Step::Request => EventKind::Request(Request { content: "Do".into(), interrupts: false }),
        Step::Message => {
            EventKind::Message(Message { content: "Done".into(), block: Block::default() })
        }
        Step::Interruption => {
            EventKind::Request(Request { content: "Stop".into(), interrupts: true })
        }
        Step::Attachment => EventKind::Attachment(Attachment {
            source: "a.txt".to_owned(),
            media_type: None,
            content: "a".into(),
        }),
        Step::Start => EventKind::ToolStart(ToolStart { id, attempt: 1, rest: toml::Table::new() }),
        Step::Question => EventKind::InquiryRequest(InquiryRequest {
            id: InquiryId::new("question"),
            kind: InquiryKind::RunTool,
            tool: None,
            call: Some(id),
            answer: AnswerType::Boolean { default: None },
            exclusive: false,
            text: "May I?".into(),
        }),
        Step::Answer => EventKind::InquiryResponse(InquiryResponse {
            id: InquiryId::new("question"),
            outcome: Outcome::Answered(Answer::Boolean(true)),
        }),
        Step::Call | Step::OtherCall => EventKind::ToolCall(ToolCall {
            tool: ToolName::new("read"),
            id,
            arguments: Arguments::new("{}"),
            block: Block::default(),
        }),
        Step::Result | Step::OtherResult => EventKind::ToolResult(ToolResult {
            id,
            tool: None,
            is_error: false,
            content: "ok".into(),
        }),
        Step::Delta => EventKind::ConfigDelta(toml::Table::new()),
        Step::Compaction(from_turn, to_turn) => {
            let rules = toml::Table::new();
            EventKind::Compaction(Compaction { from_turn, to_turn, rules })
        }
        Step::Summary(from_turn, to_turn, strips) => {
            let summary = SummaryRule::Text { text: "Much.".to_owned(), model: None };
            let tools = strips.then_some(ToolRule::Strip);
            let rules = Rules { tools, summary: Some(summary), ..Rules::default() };
            EventKind::Compaction(Compaction::new(from_turn, to_turn, &rules))
        }
    };
    Event::new(Timestamp::from_seconds(0), kind)
}

/// A conversation as plain files, with the outline to continue it.
#[derive(Clone)]
pub struct World {
    pub files: BTreeMap<String, Vec<u8>>,
    pub outline: Outline,
}

impl World {
    /// A conversation of these steps, as far as they can follow one another.
    pub fn of(steps: &[Step]) -> Self {
        let mut world = Self { files: BTreeMap::new(), outline: Outline::new() };
        world.apply(&create(&crate::model::Meta::default(), b""));
        for step in steps {
            world.push(*step);
        }
        world
    }

    pub fn push(&mut self, step: Step) {
        let event = event(step);
        let draft = Draft { bytes: encode(&event).unwrap(), event };
        if let Ok(step) = append(&mut self.outline, draft) {
            self.apply(&step.changes);
        }
    }

    pub fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Put(path, bytes) => {
                    self.files.insert(path.to_string(), bytes.clone());
                }
                Change::Move(from, to) => {
                    let bytes = self.files.remove(&from.to_string()).expect("the file is there");
                    self.files.insert(to.to_string(), bytes);
                }
                Change::Remove(path) => {
                    let (path, before) = (path.to_string(), self.files.len());
                    let directory = format!("{path}/");
                    self.files.retain(|name, _| *name != path && !name.starts_with(&directory));
                    assert!(self.files.len() < before, "{path}");
                }
            }
        }
    }

    /// Writes a remark into a manifest, and a file that no manifest lists beside it.
    pub fn scribble(&mut self, place: &Index, line: &Index, number: usize) {
        let manifests: Vec<String> =
            self.files.keys().filter(|path| path.ends_with("CONVERSATION")).cloned().collect();
        let path = place.get(&manifests);
        let text = String::from_utf8(self.files[path].clone()).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.insert(line.index(lines.len() + 1), format!("# mine {number}"));
        self.files.insert(path.clone(), (lines.join("\n") + "\n").into_bytes());
        let beside = path.replace("CONVERSATION", &format!("{}-draft.md", 90_000 + number));
        self.files.insert(beside, b"beside".to_vec());
    }

    pub fn directories(&self) -> BTreeMap<Option<RunName>, BTreeSet<FileName>> {
        let mut directories = BTreeMap::from([(None, BTreeSet::new())]);
        for path in self.files.keys().filter(|path| !path.starts_with('.')) {
            let (run, name) = match path.split_once('/') {
                Some((run, name)) => (Some(run.parse().unwrap()), name),
                None => (None, path.as_str()),
            };
            let files: &mut BTreeSet<FileName> = directories.entry(run).or_default();
            files.extend(name.parse());
        }
        directories
    }

    pub fn manifests(&self) -> BTreeMap<Option<RunName>, Manifest> {
        let manifest = |run: Option<RunName>| {
            let path = run.as_ref().map_or_else(TreePath::manifest, TreePath::run_manifest);
            let (manifest, flaws) = Manifest::read(&self.files[&path.to_string()]);
            assert_eq!(flaws, []);
            (run, manifest)
        };
        self.directories().into_keys().map(manifest).collect()
    }

    /// All lines of the manifests in the order of the stream.
    pub fn lines(&self) -> Vec<(Option<RunName>, Line)> {
        let manifests = self.manifests();
        let mut lines = Vec::new();
        for line in manifests[&None].lines() {
            match line {
                Line::Run(run) => {
                    let run = Some(run.clone());
                    let own = manifests[&run].lines().iter();
                    lines.extend(own.map(|line| (run.clone(), line.clone())));
                }
                line => lines.push((None, line.clone())),
            }
        }
        lines
    }

    pub fn stream(&self) -> Vec<Listed> {
        let mut stream = Vec::new();
        for (run, line) in self.lines() {
            let Line::Event(name) = line else { continue };
            let bytes = &self.files[&TreePath::event_in(run.as_ref(), &name).to_string()];
            let decoded = decode(bytes, name.form(), None, Timestamp::from_seconds(1)).unwrap();
            let event = Some(decoded.event);
            stream.push(Listed { run, name, event, bytes: bytes.len() as u64 });
        }
        stream
    }

    pub fn layout(&self) -> Layout {
        Layout {
            manifests: self.manifests(),
            files: self.directories(),
            stream: self.stream(),
            next: self.outline.next,
        }
    }

    /// The remarks of the user, in order of their text.
    pub fn remarks(&self) -> Vec<String> {
        let lines = self.manifests().into_values().flat_map(|manifest| manifest.lines().to_vec());
        let remarks = lines.filter_map(|line| match line {
            Line::Remark(text) if !text.trim().is_empty() && !text.starts_with("# Turn ") => {
                Some(text)
            }
            _ => None,
        });
        let mut remarks: Vec<_> = remarks.collect();
        remarks.sort();
        remarks
    }

    /// The files that no manifest lists.
    pub fn beside(&self) -> Vec<String> {
        let files = self.files.iter().filter(|(_, bytes)| *bytes == b"beside");
        files.map(|(path, _)| path.clone()).collect()
    }

    pub fn text(&self, path: &str) -> &str {
        std::str::from_utf8(&self.files[path]).unwrap()
    }
}

/// Each turn has one heading with its number, where it begins.
pub fn check_headings(world: &World) {
    let mut events = world.stream().into_iter();
    let mut progress = Progress::default();
    let mut headings = Vec::new();
    for (_, line) in world.lines() {
        match line {
            Line::Remark(text) if text.starts_with("# Turn ") => headings.push(text),
            Line::Event(name) => {
                let listed = events.next().unwrap();
                assert_eq!(listed.name, name);
                let event = listed.event.unwrap();
                let begins = progress.begins_turn(&event);
                progress.push(&event);
                let turn = format!("# Turn {}", progress.current_turn().unwrap());
                let expected = if begins { vec![turn] } else { vec![] };
                assert_eq!(std::mem::take(&mut headings), expected, "{name}");
            }
            Line::Remark(_) | Line::Run(_) => {}
        }
    }
    assert_eq!(headings, Vec::<String>::new());
}

/// Where somebody scribbled.
pub fn any_scribbles() -> impl Strategy<Value = Vec<(Index, Index)>> {
    prop::collection::vec(any::<(Index, Index)>(), 0..4)
}

/// A conversation in which somebody scribbled.
pub fn scribbled(steps: &[Step], scribbles: &[(Index, Index)]) -> World {
    let mut world = World::of(steps);
    for (number, (place, line)) in scribbles.iter().enumerate() {
        world.scribble(place, line, number);
    }
    world
}
