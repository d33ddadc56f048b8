//! Answering the question that a turn waits for, before it goes on.

use std::{collections::BTreeMap, path::Path};

use super::{
    super::asker::reply_of,
    typed::{Typed, tell_earlier},
};
use crate::{
    cli::error::CommandError,
    env::Env,
    model::{Answer, InquiryId, InquiryKind, InquiryRequest, ToolCall},
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
        Asked::Cancelled | Asked::Woken(_) => None,
    })
}

/// Puts a question about a call to somebody. The answer is nothing if it has to go on for that:
/// to look at what it would do, or to edit its result.
pub fn put_question(
    prompter: &mut Prompter<'_>,
    wake: &Wake,
    call: &ToolCall,
    inquiry: &InquiryRequest,
) -> Asked<Option<Reply>> {
    match inquiry.kind {
        InquiryKind::RunTool => Asked::Answered(None),
        InquiryKind::DeliverResult => {
            let result = inquiry.text.to_text_lossy();
            let yes = |yes: bool| Some(Reply::Answer(Answer::Boolean(yes)));
            prompter.hand_over(call, &result, wake).map(|handover| match handover {
                Handover::Edit => None,
                Handover::Deliver => yes(true),
                Handover::Withhold => yes(false),
            })
        }
        InquiryKind::ToolQuestion => {
            let mut question = Question::from(inquiry);
            let tool = on_one_line(call.tool.as_str());
            question.text = format!("{tool} asks: {}", question.text);
            prompter.ask(&question, wake).map(|reply| Some(reply_of(reply)))
        }
    }
}
