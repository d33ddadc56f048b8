//! Answering the question that a turn waits for, before it goes on.

use std::{collections::BTreeMap, path::Path};

use super::{
    super::asker::reply_of,
    typed::{Typed, tell_earlier},
};
use crate::{
    cli::error::CommandError,
    env::Env,
    model::{Answer, InquiryId, InquiryKind},
    turn::{Reply, Survey},
    ui::{Asked, Handover, Prompter, Question, Wake, on_one_line},
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
    let asked = match inquiry.kind {
        InquiryKind::RunTool => return Ok(Some(BTreeMap::new())),
        InquiryKind::DeliverResult => {
            let result = inquiry.text.to_text_lossy();
            match prompter.hand_over(&call.made, &result, &wake) {
                // To edit it, it has to go on.
                Asked::Answered(Handover::Edit) => return Ok(Some(BTreeMap::new())),
                asked => asked
                    .map(|handover| Reply::Answer(Answer::Boolean(handover == Handover::Deliver))),
            }
        }
        InquiryKind::ToolQuestion => {
            let mut question = Question::from(inquiry);
            let tool = on_one_line(call.made.tool.as_str());
            question.text = format!("{tool} asks: {}", question.text);
            tell_earlier(&mut prompter, state);
            prompter.ask(&question, &wake).map(reply_of)
        }
    };
    if let Asked::Answered(Reply::Answer(Answer::Text(text))) = &asked {
        typed.keep(env, state, "answer.txt", &text.to_text_lossy());
    }
    Ok(match asked {
        Asked::Answered(reply) => Some([(inquiry.id.clone(), reply)].into()),
        Asked::Cancelled | Asked::Woken(_) => None,
    })
}
