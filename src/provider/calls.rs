//! Ids for calls of providers that have none of their own.

use super::Query;
use crate::{
    model::CallId,
    projection::{PartKind, Role},
};

/// How many calls there are in the messages.
pub(super) fn calls_so_far(query: &Query) -> usize {
    let parts = query.messages.iter().filter_map(|message| match &message.role {
        Role::Assistant { parts, .. } => Some(parts),
        Role::System { .. } | Role::User { .. } | Role::Tool { .. } => None,
    });
    parts.flatten().filter(|part| matches!(part.kind, PartKind::Call { .. })).count()
}

/// The id of a call, by its number in the conversation, from 1.
pub(super) fn numbered_call(number: usize) -> CallId {
    CallId::new(format!("call-{number}"))
}
