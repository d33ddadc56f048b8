//! Follow-ups: requests that were queued, asked one after the other when a turn is complete.

use super::{driving::Driven, scene::Scene, target::Target};
use crate::{
    cli::{args::Query, output::Output},
    model::{ConversationId, counted, title_from},
    ui::escape,
    workspace::{Conversation, Guard, Queued},
};

/// What is asked after a turn, in the same conversation, which nobody else can write meanwhile.
pub enum Next {
    /// Nothing.
    Nothing,
    /// The question that the query was begun with.
    Question(Box<Guard>),
    /// What is queued.
    FollowUp(Box<Guard>),
}

impl Next {
    /// Decides after a turn. What is not gone on with is let go of.
    pub fn after(driven: &mut Driven, asks_next: bool, waiting: &Waiting) -> Self {
        match driven.guard.take() {
            Some(guard) if asks_next && driven.is_complete() => Self::Question(guard),
            Some(guard) if waiting.is_asked() => Self::FollowUp(guard),
            guard => {
                driven.guard = guard;
                Self::Nothing
            }
        }
    }
}

/// What waits in a conversation when a turn is over.
pub struct Waiting {
    /// The conversation, and how many wait in it.
    queued: Option<(ConversationId, u64)>,
    /// Whether the turn is complete, and nobody wants the query to end.
    goes_on: bool,
}

impl Waiting {
    /// Looks at the queue after a turn. What is not kept has none.
    pub fn after(scene: &Scene, driven: &Driven, is_stopped: bool) -> Self {
        let goes_on = driven.is_complete() && !is_stopped;
        Self { queued: driven.id.and_then(|id| Some((id, count(scene, id)?))), goes_on }
    }

    /// How many wait.
    pub fn count(&self) -> u64 {
        self.queued.map_or(0, |(_, count)| count)
    }

    /// Whether the first of them is asked now.
    pub fn is_asked(&self) -> bool {
        self.queued.is_some() && self.goes_on
    }
}

/// Says that follow-ups wait on.
pub fn say_waiting(output: &mut Output, id: ConversationId, count: u64) {
    let (follow_ups, are) = (counted(count, "follow-up"), if count == 1 { "is" } else { "are" });
    output.say(format_args!(
        "{follow_ups} {are} queued: `jp resume {id}` completes the turn and asks what is queued, \
         `jp conversation queue {id}` lists it"
    ));
}

/// How many requests wait in a conversation as it is now; nothing if there are none.
fn count(scene: &Scene, id: ConversationId) -> Option<u64> {
    let workspace = scene.target.workspace()?;
    let handle = workspace.select(&id.to_string()).ok()?;
    let queue = workspace.queue(&handle).ok()?;
    let requests = queue.iter().filter(|queued| queued.is_request()).count() as u64;
    Some(requests).filter(|count| *count > 0)
}

/// The query that asks the next follow-up, as far as it is like the one before: what holds for one
/// question alone is left out.
pub fn query(before: &Query) -> Query {
    Query {
        continue_turn: Some(None),
        no_edit: true,
        follow_up: true,
        model: before.model.clone(),
        no_tools: before.no_tools,
        manner: before.manner.clone(),
        ..Query::default()
    }
}

/// Whether a conversation that nobody else writes has something to ask.
pub fn is_queued(target: &Target, conversation: Option<&Conversation>) -> bool {
    first(target, conversation).is_some()
}

/// The follow-up that comes next, which is shown before it is asked.
pub fn next(output: &mut Output, args: &Query, scene: &Scene) -> Option<Queued> {
    let queued = first(&scene.target, scene.conversation.as_ref())?;
    if !args.manner.format.is_json() {
        if args.follow_up {
            // The answers stand apart; whoever does not read them is told by the next write.
            let _unread = output.line("").and_then(|()| output.flush());
        }
        if !args.manner.quiet {
            let text = queued.event.request().map(|request| request.content.to_text_lossy());
            let text = text.and_then(|text| title_from(&text)).unwrap_or_default();
            output.say(format_args!("Follow-up {}: {}", queued.name.address(), escape(&text)));
        }
    }
    Some(queued)
}

fn first(target: &Target, conversation: Option<&Conversation>) -> Option<Queued> {
    let (workspace, conversation) = (target.workspace()?, conversation?);
    workspace.queued(conversation).into_iter().find(Queued::is_request)
}
