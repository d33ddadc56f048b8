//! What the user has answered to the question whether a tool may run, kept with the user until the
//! tool has run or its turn is over.
//!
//! The answer itself is an event of the conversation. That alone allows nothing, because it can be
//! imported, or come from a branch that somebody shares.

use std::{fs::File, io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError};
use crate::{
    fsutil::{self, AtPath},
    model::{CallId, ConversationId, InquiryId, Ruling, ToolName, Verdict},
    store::{Handful, Share},
};

/// A file of more bytes was not written by jp.
const LARGEST: u64 = 1 << 20;
/// What the name of a file ends with, after the conversation.
const SUFFIX: &str = ".json";

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerFile {
    answers: Vec<Written>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    question: String,
    call: String,
    tool: String,
    covers: String,
    answer: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default)]
    starts: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Run,
    Always,
    Refuse,
}

impl From<Written> for Verdict {
    fn from(written: Written) -> Self {
        Self {
            inquiry: InquiryId::new(written.question),
            call: CallId::new(written.call),
            tool: ToolName::new(written.tool),
            covers: written.covers,
            ruling: match written.answer {
                Word::Run => Ruling::Run,
                Word::Always => Ruling::Always,
                Word::Refuse => Ruling::Refuse(written.reason),
            },
            starts: written.starts,
        }
    }
}

impl From<&Verdict> for Written {
    fn from(verdict: &Verdict) -> Self {
        let (answer, reason) = match &verdict.ruling {
            Ruling::Run => (Word::Run, None),
            Ruling::Always => (Word::Always, None),
            Ruling::Refuse(reason) => (Word::Refuse, reason.clone()),
        };
        Self {
            question: verdict.inquiry.to_string(),
            call: verdict.call.to_string(),
            tool: verdict.tool.to_string(),
            covers: verdict.covers.clone(),
            answer,
            reason,
            starts: verdict.starts,
        }
    }
}

impl Workspace {
    /// What the user has answered in a conversation. A file that does not read allows nothing.
    pub fn verdicts(&self, id: ConversationId) -> Vec<Verdict> {
        let file = self.answer_path(id).ok().and_then(|path| File::open(path).ok());
        let file = file.and_then(|file| {
            serde_json::from_reader::<_, AnswerFile>(io::Read::take(file, LARGEST)).ok()
        });
        file.unwrap_or_default().answers.into_iter().map(Verdict::from).collect()
    }

    /// Remembers what the user has answered; what was answered to the same question before is
    /// forgotten.
    pub fn remember(&self, id: ConversationId, verdict: Verdict) -> Result<(), WorkspaceError> {
        let mut verdicts = self.verdicts(id);
        verdicts.retain(|other| other.inquiry != verdict.inquiry);
        verdicts.push(verdict);
        self.keep_verdicts(id, &verdicts)
    }

    /// Remembers these, and nothing else that was answered in a conversation.
    pub fn keep_verdicts(
        &self,
        id: ConversationId,
        verdicts: &[Verdict],
    ) -> Result<(), WorkspaceError> {
        let path = self.answer_path(id)?;
        if verdicts.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Ok(Err(error).at("remove", &path)?)
                }
                _ => Ok(()),
            };
        }
        let file = AnswerFile { answers: verdicts.iter().map(Written::from).collect() };
        let mut text = serde_json::to_string_pretty(&file).expect("texts are JSON");
        text.push('\n');
        if let Some(directory) = path.parent() {
            fsutil::create_dir_private(directory)?;
        }
        Ok(fsutil::write_private(&path, text.as_bytes())?)
    }

    /// Removes some of the answers in conversations that are gone, and says of how many.
    pub(super) fn clear_stale_answers(&self, share: Share, random: usize) -> usize {
        let Ok(state) = self.state_dir() else { return 0 };
        let stale = Handful::of(&state.join("answers"), share, random).filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            let id = name.and_then(|name| name.strip_suffix(SUFFIX)?.parse().ok());
            id.is_some_and(|id| !self.store.knows(id).unwrap_or(true))
        });
        stale.filter(|path| std::fs::remove_file(path).is_ok()).count()
    }

    fn answer_path(&self, id: ConversationId) -> Result<PathBuf, WorkspaceError> {
        Ok(self.state_dir()?.join("answers").join(format!("{id}{SUFFIX}")))
    }
}
