//! Which answer is played, by nothing but the messages.

use super::answer::{Answer, Script};
use crate::{
    projection::Role,
    provider::{ProviderError, Query, Trouble},
};

/// The longest part of a request in a message.
const EXCERPT: usize = 80;

/// The answer to a query, and its place in the script.
///
/// An answer of the same model counts as played once it was finished. Answers with `when` are
/// played in their order after the last request, if it matches; all others in their order after
/// requests that match none.
pub(super) fn choose<'s>(
    script: &'s Script,
    query: &Query,
) -> Result<(usize, &'s Answer), ProviderError> {
    let matches = |answer: &Answer, request: &str| {
        !answer.when.is_empty() && answer.when.iter().all(|part| request.contains(part))
    };
    let mut request = String::new();
    let mut matched = false;
    let (mut by_position, mut by_request) = (0, 0);
    for message in &query.messages {
        match &message.role {
            Role::User { content, .. } => {
                request = content.to_text_lossy().into_owned();
                matched = script.answers.iter().any(|answer| matches(answer, &request));
                by_request = 0;
            }
            Role::Assistant { model: Some(model), finish: Some(_), .. }
                if model.as_str() == query.model =>
            {
                *(if matched { &mut by_request } else { &mut by_position }) += 1;
            }
            Role::System { .. } | Role::Assistant { .. } | Role::Tool { .. } => {}
        }
    }
    let numbered = script.answers.iter().enumerate();
    if matched {
        let mut fitting = numbered.filter(|(_, answer)| matches(answer, &request));
        fitting.nth(by_request).ok_or_else(|| {
            let excerpt: String = request.chars().take(EXCERPT).collect();
            missing(by_request, &format!(" to `{excerpt}`"))
        })
    } else {
        let mut positional = numbered.filter(|(_, answer)| answer.when.is_empty());
        positional.nth(by_position).ok_or_else(|| missing(by_position, ""))
    }
}

fn missing(index: usize, to_what: &str) -> ProviderError {
    let message = format!("the script has no answer number {}{to_what}", index + 1);
    ProviderError::new(Trouble::Refused, message)
}
