//! Asking an open question at the terminal, as the turn would if it went on.

use std::sync::Arc;

use super::super::{
    query::{
        model::key_variables,
        permitted, put_question,
        tools::{declared, site, store_of},
    },
    settings,
};
use crate::{
    cli::{args::ConfigArgs, error::CommandError, output::Output},
    env::Env,
    model::{AnswerType, ConversationId, InquiryKind, ToolCall},
    process::Running,
    turn::{Misread, Reply, Unanswered},
    ui::{Asked, Prompter, Proposal, Wake},
    workspace::ConfigFiles,
};

/// What somebody said.
pub enum Said {
    /// This.
    Reply(Reply),
    /// It can be said only when the turn goes on.
    Later,
    /// Nothing.
    Nothing,
}

/// Asks a question.
pub fn ask(
    env: &Env,
    output: &mut Output,
    id: ConversationId,
    asked: &Unanswered,
) -> Result<Said, CommandError> {
    let Unanswered { inquiry, call } = asked;
    if inquiry.answer == AnswerType::Secret {
        output.warn(Misread::Secret(inquiry.id.clone()));
        return Ok(Said::Later);
    }
    let look = match inquiry.kind {
        InquiryKind::RunTool => Look::at(env, output, call)?,
        InquiryKind::DeliverResult | InquiryKind::ToolQuestion => Look::default(),
    };
    let (mut prompter, wake) = (Prompter::open(env)?, Wake::new()?);
    loop {
        let said = match inquiry.kind {
            InquiryKind::RunTool => prompter.permit(&look.proposal(call), &wake).map(permitted),
            InquiryKind::DeliverResult | InquiryKind::ToolQuestion => {
                put_question(&mut prompter, &wake, call, inquiry)
            }
        };
        match said {
            Asked::Answered(Some(reply)) => return Ok(Said::Reply(reply)),
            Asked::Answered(None) => {
                prompter.say(&format!("Only `jp resume {id}` lets you edit it."));
            }
            Asked::Cancelled | Asked::Gone | Asked::Woken(_) => return Ok(Said::Nothing),
        }
    }
}

/// What a call would do.
#[derive(Default)]
struct Look {
    preview: Option<String>,
    is_command: bool,
}

impl Look {
    /// Finds out what a call would do. No server is started for it: what its tools would change is
    /// not known before in any case.
    fn at(env: &Env, output: &mut Output, call: &ToolCall) -> Result<Self, CommandError> {
        let files = ConfigFiles::find(env)?;
        let layers = settings::layers(&files, env, &ConfigArgs::default())?;
        let settings = settings::resolve(output, &files, layers)?.settings;
        let (keys, running) = (key_variables(&settings), Running::default());
        let root = files.root().unwrap_or(env.cwd());
        let site = Arc::new(site(env, root, keys, &running));
        let tools = declared(&settings, store_of(env, &files)?.as_ref(), &site)?;
        let listed = tools.find(&call.tool);
        let arguments = serde_json::from_str(call.arguments.as_str()).ok();
        let Some((listed, arguments)) = listed.zip(arguments) else { return Ok(Self::default()) };
        if listed.tool.check(&arguments).is_err() {
            return Ok(Self::default());
        }
        let is_command = listed.tool.subject(&arguments).argv.is_some();
        Ok(Self { preview: listed.tool.preview(&arguments), is_command })
    }

    fn proposal<'a>(&'a self, call: &'a ToolCall) -> Proposal<'a> {
        let (preview, is_command) = (self.preview.as_deref(), self.is_command);
        Proposal { call, preview, is_command, problem: None }
    }
}
