//! What it takes to find out what a conversation waits for.

use jp::{
    model::{
        AnswerType, Arguments, Block, CallId, Event, EventKind, InquiryId, InquiryKind,
        InquiryRequest, Meta, ToolCall, ToolName, ToolStart,
    },
    plan::Draft,
    workspace::Workspace,
};

use super::{
    Sizes,
    append::thousands,
    events::{Author, draft},
    measure::{Contender, Outcome, Samples, contest, timed},
    page::{Page, Row},
    world::{Place, World, moment, run, time_of},
};

/// Events of a short conversation.
const SHORT: usize = 10;

/// A conversation that waits for an answer, and where it is.
struct Subject {
    place: Place,
    id: String,
}

/// A short and a long conversation that wait for an answer.
pub fn brief(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let short = Subject::new(world, "brief-short", SHORT)?;
    let long = Subject::new(world, "brief-long", sizes.long)?;
    let contenders: [Contender<'_>; 4] = [
        Box::new(|| timed(|| short.look())),
        Box::new(|| timed(|| long.look())),
        Box::new(|| time_of(short.place.jp(&["conversation", "show", &short.id, "--brief"]))),
        Box::new(|| time_of(long.place.jp(&["conversation", "show", &long.id, "--brief"]))),
    ];
    let [in_short, in_long, short_command, long_command] = contest(sizes.appends, contenders)?;
    let work = format!("what a conversation of {} events waits for", thousands(sizes.long));
    let mut compare = |work: String, long: &Samples, short: &Samples| {
        page.rows.push(Row {
            work,
            jp: long.show(),
            peer: format!("of {SHORT} events {}", short.show()),
            ratio: long.ratio(short),
            bar: Some(2.0),
        });
    };
    compare(work.clone(), &in_long, &in_short);
    let work = format!("{work}, the whole `jp conversation show --brief`");
    compare(work, &long_command, &short_command);
    Ok(())
}

impl Subject {
    /// A conversation of so many events in a store of its own.
    fn new(world: &World, name: &str, events: usize) -> Outcome<Self> {
        const AT_ONCE: usize = 500;
        let place = world.workspace(name)?;
        let mut author = Author::new(30);
        let end = waiting(&mut author);
        let turns = (events - end.len()) / 2;
        let drafts = (0..turns).flat_map(|_| [author.request(), author.kilobyte()]);
        let drafts: Vec<_> = drafts.chain(end).collect();
        let (mut guard, _) = place.workspace.create(&Meta::default(), &[])?;
        for drafts in drafts.chunks(AT_ONCE) {
            place.workspace.append(&mut guard, drafts)?;
        }
        let id = guard.id().to_string();
        drop(guard);
        place.pack()?;
        let subject = Self { place, id };
        subject.check(events)?;
        Ok(subject)
    }

    fn look(&self) -> Outcome<jp::workspace::Brief> {
        let workspace = Workspace::open(&self.place.env)?.ok_or("the workspace is gone")?;
        let handle = workspace.select(&self.id)?;
        Ok(workspace.brief(&handle)?)
    }

    /// Sees that everything is found.
    fn check(&self, events: usize) -> Outcome<()> {
        let found = self.look()?;
        let entries = found.incomplete.map_or(0, |incomplete| incomplete.turn.entries.len());
        let said = run(self.place.jp(&["conversation", "show", &self.id, "--brief"]))?;
        let is_told = String::from_utf8(said)?.contains("waiting for input: \"Overwrite it?\"");
        match (found.row.events, entries) {
            (count, 4) if count == events as u64 && is_told => Ok(()),
            (count, entries) => Err(format!("{entries} of {count} events are found").into()),
        }
    }
}

/// A turn that waits for an answer.
fn waiting(author: &mut Author) -> [Draft; 4] {
    let (id, tool) = (CallId::new("call"), ToolName::new("fs_modify_file"));
    let call = ToolCall {
        tool: tool.clone(),
        id: id.clone(),
        arguments: Arguments::new("{}"),
        block: Block::default(),
    };
    let start = ToolStart { id: id.clone(), attempt: 1, rest: toml::Table::new() };
    let question = InquiryRequest {
        id: InquiryId::new("question"),
        kind: InquiryKind::ToolQuestion,
        tool: Some(tool),
        call: Some(id),
        answer: AnswerType::Boolean { default: None },
        exclusive: false,
        text: "Overwrite it?".into(),
    };
    let event = |kind| draft(Event::new(moment(0), kind));
    [
        author.request(),
        event(EventKind::ToolCall(call)),
        event(EventKind::ToolStart(start)),
        event(EventKind::InquiryRequest(question)),
    ]
}
