//! What a server and its clients say to each other.
//!
//! Everything is plain data: events are the text of their files, so that whoever reads them needs
//! to know docs/format.md and nothing of this program.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

/// The version of the protocol. A client of another one is refused, and told so.
pub const VERSION: u32 = 1;

/// Anything that is said, by either side.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Message {
    Client(FromClient),
    Server(FromServer),
}

/// The JSON Schema of a message that fits in one line.
pub fn schema() -> serde_json::Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Message>().to_value();
    schema["title"] = "protocol".into();
    schema
}

/// What a client says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromClient {
    /// The first message.
    Hello(Hello),
    /// A question was dealt with.
    Reply(ReplyText),
    /// The user wants something else.
    Interrupt(InterruptText),
    /// The client leaves, and the query goes on without it.
    Detach,
    /// The query is to be saved and to end, whoever is connected.
    Stop,
    /// A follow-up is to be asked when the turn is complete.
    Send {
        /// The request, as an event.
        request: EventText,
    },
    /// A follow-up is not to be asked any more.
    Unqueue {
        /// Its number in the queue.
        number: u32,
        /// The id of its file in git, as the client has read it.
        blob: String,
    },
    /// Something else is to be asked in the place of a follow-up.
    Requeue {
        /// Its number in the queue.
        number: u32,
        /// The id of its file in git, as the client has read it.
        blob: String,
        /// The request, as an event.
        request: EventText,
    },
}

/// Who a client is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// The version of the protocol that it speaks.
    pub version: u32,
    /// Its process.
    pub pid: u32,
    /// What it is there for.
    pub role: Role,
}

/// What a client is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Somebody at a terminal: shows everything and is asked; if it goes, the query goes on.
    Person,
    /// A command without a terminal: shows everything, cannot be asked; if it goes, the query ends.
    Command,
    /// Shows everything and changes nothing.
    Watcher,
    /// Shows nothing, and has something to say.
    Messenger,
}

/// How a question was dealt with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplyText {
    /// The question.
    pub inquiry: String,
    /// How.
    #[serde(flatten)]
    pub how: ReplyHow,
}

/// How a question was dealt with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplyHow {
    /// Yes or no.
    Boolean(bool),
    /// The value of an option.
    Select(String),
    /// A text.
    Text(String),
    /// A secret, which is never stored or shown.
    Secret(String),
    /// The call must not be made, for this reason.
    Refused(String),
    /// The arguments of the call, or its result, are to be this.
    Edited(String),
    /// Nobody wanted to answer.
    Cancelled(bool),
}

impl std::fmt::Debug for ReplyHow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It may be a secret.
        f.write_str("ReplyHow")
    }
}

/// What the user wants instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", content = "text", rename_all = "kebab-case")]
pub enum InterruptText {
    /// Stop, and keep what came.
    Stop,
    /// Stop, keep what came, and say this.
    Say(String),
    /// Stop, and keep only what was complete.
    Abort,
    /// Stop, and leave for later what nobody has decided.
    HangUp,
}

/// What a server says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromServer {
    /// The first message, which is followed by what is not stored yet, and then by what happens.
    Welcome(Welcome),
    /// What follows has happened since: there is nothing left to catch up with.
    Live,
    /// The beginning of what is not stored yet was too long to be kept for those who come later.
    Truncated,
    /// The model has been asked.
    Waiting,
    /// The next part of a text.
    Text {
        /// The part.
        text: String,
    },
    /// The next part of a thought.
    Reasoning {
        /// The part.
        text: String,
    },
    /// A call is coming.
    CallComing,
    /// A block is complete.
    BlockEnded {
        /// The type of its event.
        block: String,
    },
    /// A tool runs.
    ToolStarted {
        /// The call, as an event.
        call: EventText,
    },
    /// A tool tells how far it is.
    Progress {
        /// The call.
        call: String,
        /// In a few words.
        text: String,
    },
    /// A tool has ended, or was not run.
    ToolEnded {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// Whether it failed.
        is_error: bool,
        /// The beginning of what it said.
        content: String,
    },
    /// The model will be asked again.
    Retrying {
        /// Why.
        error: String,
        /// When.
        delay_ms: u64,
        /// Whether a part of an answer that was shown does not count.
        discards: bool,
    },
    /// Why the answer ended that was stored last is on disk as well.
    Sealed,
    /// These events are out of the stream.
    Retracted {
        /// Where they stood.
        addresses: Vec<u32>,
    },
    /// An event is on disk.
    Saved {
        /// Where it stands; `None` if nothing is kept.
        address: Option<u32>,
        /// The event.
        event: EventText,
    },
    /// What the turn has cost, in tokens.
    Usage(UsageText),
    /// A question, for whoever is asked.
    Ask(Box<AskText>),
    /// A question need not be answered any more.
    Withdraw {
        /// The question.
        inquiry: String,
    },
    /// A question waits for an answer, for those who are not asked.
    Pending {
        /// The question.
        inquiry: String,
        /// The tool that it is about.
        tool: String,
        /// The process that is asked; `None` if nobody is there.
        pid: Option<u32>,
    },
    /// Whether this client is asked from now on, or which process is.
    Control {
        /// Whether it is this one.
        yours: bool,
        /// The process that is asked.
        pid: Option<u32>,
    },
    /// The conversation has begun, and the request is on disk.
    Begun {
        /// The conversation.
        conversation: String,
    },
    /// The conversation has another title.
    Named {
        /// The title.
        title: String,
    },
    /// Something to be said beside the answer.
    Say {
        /// What.
        text: String,
    },
    /// A follow-up is on disk.
    Queued {
        /// Its number in the queue.
        number: u32,
    },
    /// A follow-up is not in the queue any more, and that is on disk.
    Unqueued {
        /// Its number there.
        number: u32,
    },
    /// A follow-up says something else, and that is on disk.
    Requeued {
        /// Its number in the queue.
        number: u32,
    },
    /// What the client said cannot be done.
    Refused {
        /// Why.
        message: String,
    },
    /// The turn is over.
    End(Box<Closing>),
}

impl FromServer {
    /// Whether it tells of something else than what is shown.
    pub fn concerns_all(&self) -> bool {
        matches!(self, Self::Ask(_) | Self::End(_) | Self::Begun { .. } | Self::Refused { .. })
    }
}

/// What a client that comes has to know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Welcome {
    /// The version of the protocol.
    pub version: u32,
    /// The process of the server.
    pub pid: u32,
    /// The conversation, once it has begun.
    pub conversation: Option<String>,
    /// The commit that has everything that happened before: what follows comes after it.
    pub commit: Option<String>,
    /// The title of the conversation.
    pub title: Option<String>,
    /// The model.
    pub model: String,
    /// Whether data is wanted instead of a text.
    pub data: bool,
    /// Whether thoughts are shown.
    pub reasoning: bool,
    /// Whether it is a follow-up of what was shown before.
    pub follows: bool,
    /// Whether the title of the terminal may be set.
    pub sets_title: bool,
    /// Where the user's own files about this are.
    pub state: String,
    /// Calls that are running already.
    pub running: Vec<String>,
}

/// An event as the text of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventText {
    /// Its type.
    #[serde(rename = "type")]
    pub event_type: String,
    /// The file, if it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The file as base64, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// A question as somebody is to see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskText {
    /// The question, as an event.
    pub inquiry: EventText,
    /// The call, as an event, with the arguments that it would be run with.
    pub call: EventText,
    /// What it would change, as a diff.
    pub preview: Option<String>,
    /// The exact words of the program that would be allowed for the whole conversation.
    pub argv: Option<Vec<String>>,
    /// The directory in which it would be allowed to run them.
    pub cwd: Option<String>,
    /// Whether the arguments or the result are to be edited before anything is asked.
    pub edit: bool,
    /// What is wrong with what was edited.
    pub problem: Option<String>,
}

/// What a turn has cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UsageText {
    /// Read, with those from the cache.
    pub input: Option<u64>,
    /// Written, with those of thoughts.
    pub output: Option<u64>,
    /// Of those read: found in the cache.
    pub cache_read: Option<u64>,
    /// Of those read: put into the cache.
    pub cache_write: Option<u64>,
    /// Of those written: thoughts.
    pub reasoning: Option<u64>,
}

/// How a turn ended, and what is to be said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Closing {
    /// The conversation.
    pub conversation: Option<String>,
    /// The model.
    pub model: String,
    /// How it ended, in a word; empty if it could not go on.
    pub ending: String,
    /// What went wrong.
    pub error: Option<String>,
    /// Whether the next question can be asked.
    pub is_answered: bool,
    /// What the user should hear about.
    pub notes: Vec<String>,
    /// What it has cost, in words.
    pub tokens: Option<String>,
    /// How much room is left, if that is little.
    pub warning: Option<String>,
    /// What to do about it.
    pub warning_hints: Vec<String>,
    /// What is said about an answer that is not whole.
    pub remark: Option<String>,
    /// What is said to somebody who asked for the first time.
    pub welcome: Option<String>,
    /// The exit code of whoever waits for it.
    pub code: u8,
    /// Why it failed, with what to do about it.
    pub failure: Option<Failure>,
    /// How many follow-ups are queued.
    pub queued: u64,
    /// Whether the first of them is asked next.
    pub is_followed: bool,
    /// Whether something else is asked after it.
    pub goes_on: bool,
}

/// Why something failed, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// What went wrong.
    pub messages: Vec<String>,
    /// What to do next.
    pub hints: Vec<String>,
}
