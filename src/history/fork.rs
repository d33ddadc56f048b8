//! Forks: a new conversation that goes on from a version of another one, cut as asked.

use super::Moment;
use crate::{
    format::encode_meta,
    model::{ConversationId, Forked, Meta},
    plan::{Change, Heading, TreePath},
    workspace::{AppendFailure, Conversation, Guard, Handle, LoadError, Workspace},
};
