//! Answering the question that a turn waits for, before it goes on.

use std::{collections::BTreeMap, path::Path};

use super::{
    super::questions::put_question,
    typed::{Typed, tell_earlier},
};
use crate::{
    cli::error::CommandError,
    env::Env,
    model::{Answer, InquiryId, InquiryKind},
    turn::{Reply, Survey},
    ui::{Asked, Prompter, Wake},
};

/// Asks the first open question; nothing if nobody wants to answer it after all. Whether a tool may
/// run is asked when it goes on, because it has to be looked at again what it would do.
pub fn answer(
    env: &Env,
    state: &Path,
    survey: &Survey,
    typed: &mut Typed,
) -> Result<Option<BTreeMap<InquiryId, Reply>>, CommandError> {
    let Some((call, inquiry)) = survey.question() else { return Ok(Some(BTreeMap::new())) };
    let (mut prompter, wake) = (Prompter::open(env)?, Wake::new()?);
    if inquiry.kind == InquiryKind::ToolQuestion {
        tell_earlier(&mut prompter, state);
    }
    let asked = put_question(&mut prompter, &wake, &call.made, inquiry);
    if let Asked::Answered(Some(Reply::Answer(Answer::Text(text)))) = &asked {
        typed.keep(env, state, "answer.txt", &text.to_text_lossy());
    }
    Ok(match asked {
        Asked::Answered(reply) => {
            Some(reply.map(|reply| (inquiry.id.clone(), reply)).into_iter().collect())
        }
        Asked::Cancelled | Asked::Gone | Asked::Woken(_) => None,
    })
}
