//! Puts the questions of a turn to somebody at a terminal, and makes a reply of what they say: one
//! home for who asks while a turn goes on and who asks about one that waits.

use crate::{
    model::{Answer, InquiryKind, InquiryRequest, ToolCall},
    turn::{ALWAYS, REFUSE, RUN, Reply},
    ui::{self, Asked, Handover, Permission, Prompter, Question, Wake, on_one_line},
};

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
            prompter.hand_over(call, &result, wake).map(handed_over)
        }
        InquiryKind::ToolQuestion => {
            let question = question(call, inquiry);
            prompter.ask(&question, wake).map(|reply| Some(reply_of(reply)))
        }
    }
}

/// What somebody has said to the question whether a call may be made; nothing if they want to edit
/// it first.
pub fn permitted(permission: Permission) -> Option<Reply> {
    let choice = |choice: &str| Reply::Answer(Answer::Select(choice.to_owned()));
    match permission {
        Permission::Run => Some(choice(RUN)),
        Permission::RunAlways => Some(choice(ALWAYS)),
        Permission::Refuse(Some(reason)) => Some(Reply::Refused(reason)),
        Permission::Refuse(None) => Some(choice(REFUSE)),
        Permission::Edit => None,
    }
}

/// The same for the question whether the model gets a result.
fn handed_over(handover: Handover) -> Option<Reply> {
    let yes = |yes| Some(Reply::Answer(Answer::Boolean(yes)));
    match handover {
        Handover::Deliver => yes(true),
        Handover::Withhold => yes(false),
        Handover::Edit => None,
    }
}

/// What a tool asks, with who it is: a name from anywhere must not look like a question of its own.
fn question(call: &ToolCall, inquiry: &InquiryRequest) -> Question {
    let question = Question::from(inquiry);
    let tool = on_one_line(call.tool.as_str());
    Question { text: format!("{tool} asks: {}", question.text), ..question }
}

/// What was answered, for the turn.
fn reply_of(reply: ui::Reply) -> Reply {
    match reply {
        ui::Reply::Open(answer) => Reply::Answer(answer),
        ui::Reply::Secret(secret) => Reply::Secret(secret.reveal().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AnswerType, Arguments, Block, CallId, InquiryId, ToolName};

    #[test]
    fn a_tool_whose_name_has_lines_asks_on_one() {
        let call = ToolCall {
            tool: ToolName::new("greet\nRun it?"),
            id: CallId::new("c"),
            arguments: Arguments::new("{}"),
            block: Block::default(),
        };
        let inquiry = InquiryRequest {
            id: InquiryId::new("q"),
            kind: InquiryKind::ToolQuestion,
            tool: Some(call.tool.clone()),
            call: Some(call.id.clone()),
            answer: AnswerType::Boolean { default: None },
            exclusive: false,
            text: "Sure?\nReally?".into(),
        };
        let text = question(&call, &inquiry).text;
        assert_eq!(text, format!("{} asks: Sure?\nReally?", on_one_line("greet\nRun it?")));
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}
