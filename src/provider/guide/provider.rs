//! The guide as a provider.

use super::reply;
use crate::{
    cancel::Cancel,
    model::Finish,
    projection::Takes,
    provider::{Content, Piece, Provider, ProviderError, Query, Trouble},
};

/// The only model of the guide.
const MODEL: &str = "jp";

/// The guide that is built in.
#[derive(Clone, Copy, Debug, Default)]
pub struct GuideProvider;

impl Provider for GuideProvider {
    fn answer(
        &self,
        query: &Query,
        cancel: &Cancel,
        hear: &mut dyn FnMut(Piece),
    ) -> Result<(), ProviderError> {
        if query.model_name() != MODEL {
            let message =
                format!("the guide has one model, `guide/{MODEL}`, not `{}`", query.model);
            return Err(ProviderError::new(Trouble::Model, message));
        }
        let mut finish = Finish::Stop;
        for block in reply(query) {
            for part in parts(&block.content) {
                if cancel.is_cancelled() {
                    let message = "the answer was cancelled";
                    return Err(ProviderError::new(Trouble::Cancelled, message));
                }
                hear(part);
            }
            if matches!(block.content, Content::Call { .. }) {
                finish = Finish::ToolCalls;
            }
            hear(Piece::Block(block));
        }
        hear(Piece::Finish(finish));
        Ok(())
    }

    fn takes(&self, _model: &str, _cancel: &Cancel) -> Takes {
        Takes::default()
    }

    fn models(&self, _cancel: &Cancel) -> Result<Vec<String>, ProviderError> {
        Ok(vec![MODEL.to_owned()])
    }
}

/// The parts that a block comes in: paragraph by paragraph.
fn parts(content: &Content) -> Vec<Piece> {
    let paragraphs =
        |text: &str| -> Vec<String> { text.split_inclusive("\n\n").map(str::to_owned).collect() };
    match content {
        Content::Text(text) => paragraphs(text).into_iter().map(Piece::Text).collect(),
        Content::Reasoning(text) => paragraphs(text).into_iter().map(Piece::Reasoning).collect(),
        Content::Data(_) => Vec::new(),
        Content::Call { tool, arguments, .. } => {
            vec![Piece::Call(tool.as_str().to_owned()), Piece::Call(arguments.clone())]
        }
    }
}
