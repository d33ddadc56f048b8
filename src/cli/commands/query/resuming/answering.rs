//! Answering the question that a turn waits for, before it goes on.

use std::collections::BTreeMap;

use super::telling::on_one_line;
use crate::{
    cli::error::CommandError,
    env::Env,
    model::{Answer, InquiryId, InquiryKind},
    turn::{Reply, Survey},
    ui::{self, Asked, Handover, Prompter, Question, Wake},
};

/// Asks the first open question; nothing if nobody wants to answer it after all. Whether a tool may
/// run is asked when it goes on, because it has to be looked at again what it would do.
pub fn answer(
    env: &Env,
    survey: &Survey,
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
            prompter.ask(&question, &wake).map(|reply| match reply {
                ui::Reply::Open(answer) => Reply::Answer(answer),
                ui::Reply::Secret(secret) => Reply::Secret(secret.reveal().to_owned()),
            })
        }
    };
    Ok(match asked {
        Asked::Answered(reply) => Some([(inquiry.id.clone(), reply)].into()),
        Asked::Cancelled | Asked::Woken(_) => None,
    })
}
