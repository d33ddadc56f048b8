//! One query over HTTP: encode, send, read, decode. The work is done by pure parts; this drives them.

use std::time::Duration;

use serde_json::Value;

use super::{
    Api, Endpoint, Piece, Provider, ProviderError, Query, Trouble, anthropic,
    decoder::{Decoder, garbled},
    frames::Frames,
    http::{Call, Response},
    json::{Document, Json},
    ndjson::Lines,
    ollama, openai,
    sse::Sse,
    stream::hear_stream,
};
use crate::cancel::Cancel;

/// How long a list of models may take.
const SHORT: Duration = Duration::from_secs(5);

/// The most bytes of a list of models, or of an answer that came as a whole.
const LARGEST_BODY: usize = 32 << 20;

/// A provider behind HTTP.
pub(super) struct Chat {
    endpoint: Endpoint,
}

impl Chat {
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let key = self.endpoint.key.as_ref().map(super::Secret::reveal);
        match self.endpoint.api {
            Api::Anthropic => {
                let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
                headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
                headers
            }
            Api::OpenAi | Api::Ollama => {
                key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
            }
        }
    }

    fn parts(&self, query: &Query) -> (&'static str, Json, Box<dyn Frames>, Decoder) {
        match self.endpoint.api {
            Api::Anthropic => (
                "/v1/messages",
                anthropic::encode(query),
                Box::<Sse>::default(),
                anthropic::decoder(query),
            ),
            Api::OpenAi => (
                "/chat/completions",
                openai::encode(query, &self.endpoint.dialect),
                Box::<Sse>::default(),
                openai::decoder(query),
            ),
            Api::Ollama => (
                "/api/chat",
                ollama::encode(query),
                Box::<Lines>::default(),
                ollama::decoder(query),
            ),
        }
    }
}

impl Provider for Chat {
    fn answer(
        &self,
        query: &Query,
        cancel: &Cancel,
        hear: &mut dyn FnMut(Piece),
    ) -> Result<(), ProviderError> {
        let (path, body, mut frames, mut decoder) = self.parts(query);
        let endpoint = &self.endpoint;
        let call = Call {
            path,
            headers: self.headers(),
            body: Some(body.to_string()),
            model: Some(query.model_name()),
            time: None,
        };
        let mut response = call.send(endpoint, cancel)?;
        let heard = if response.is("application/json") && endpoint.api != Api::Ollama {
            hear_whole(&mut response, &mut decoder, hear)
        } else {
            hear_stream(&mut |buffer| response.read(buffer), frames.as_mut(), &mut decoder, hear)
        };
        heard.map_err(|error| response.place(error))
    }

    fn models(&self, cancel: &Cancel) -> Result<Vec<String>, ProviderError> {
        let (path, list, name) = match self.endpoint.api {
            Api::Anthropic => ("/v1/models?limit=1000", "data", "id"),
            Api::OpenAi => ("/models", "data", "id"),
            Api::Ollama => ("/api/tags", "models", "name"),
        };
        let headers = self.headers();
        let call = Call { path, headers, body: None, model: None, time: Some(SHORT) };
        let mut response = call.send(&self.endpoint, cancel)?;
        let body = response.whole(LARGEST_BODY);
        let body = body.and_then(|body| Ok(json(&String::from_utf8_lossy(&body))?.value));
        let body = body.map_err(|error| response.place(error))?;
        let Some(models) = body.get(list).and_then(Value::as_array) else {
            return Err(response.place(garbled(&body.to_string())));
        };
        let names = models.iter().filter_map(|model| model.get(name)?.as_str());
        // Gemini lists the names of resources.
        let mut names: Vec<_> =
            names.map(|name| name.strip_prefix("models/").unwrap_or(name).to_owned()).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }
}

/// Hears an answer that came as a whole.
fn hear_whole(
    response: &mut Response,
    decoder: &mut Decoder,
    hear: &mut dyn FnMut(Piece),
) -> Result<(), ProviderError> {
    let body = response.whole(LARGEST_BODY)?;
    decoder.decode_whole(&json(&String::from_utf8_lossy(&body))?)?.into_iter().for_each(hear);
    Ok(())
}

fn json(body: &str) -> Result<Document<'_>, ProviderError> {
    Document::read(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Eof => {
            ProviderError::new(Trouble::Broken, "ended its answer in the middle")
        }
        _ => garbled(body),
    })
}
