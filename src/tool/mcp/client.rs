//! What jp is to a server: somebody with one root, who can ask the user.

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability,
        FormElicitationCapability, Implementation, ProgressNotificationParam, RequestId,
    },
    service::{InboundStreamOrigin, NotificationContext, RequestContext},
};
use serde_json::{Value, json};

use super::calls::Calls;

/// The most characters of what a server says about its progress.
const LONGEST: usize = 200;

/// What answers a server.
pub(super) struct Client {
    calls: Calls,
    roots: Value,
}

impl Client {
    pub(super) fn new(calls: Calls, roots: Value) -> Self {
        Self { calls, roots }
    }
}

/// The workspace as the only root.
pub(super) fn roots(workspace: &std::path::Path) -> Value {
    json!({ "roots": [{ "uri": uri(workspace), "name": "workspace" }] })
}

fn uri(path: &std::path::Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(*byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        // Servers that were written for a later time do not ask any more.
        capabilities.roots = Some(rmcp::model::RootsCapabilities::default());
        let form = FormElicitationCapability::default();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        ClientConfig::new(capabilities, Implementation::new("jp", env!("CARGO_PKG_VERSION")))
    }

    #[expect(deprecated, reason = "servers of the time before ask for the roots")]
    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        serde_json::from_value(self.roots.clone())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let origin = context.extensions.get::<InboundStreamOrigin>();
        let id: Option<&RequestId> = match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => Some(id),
            _ => None,
        };
        let internal =
            |error: serde_json::Error| ErrorData::internal_error(error.to_string(), None);
        let asked = serde_json::to_value(&request).map_err(internal)?;
        let answer = self.calls.ask(id, asked).await;
        // Without a call there is nobody whom it would concern.
        let answer = answer.unwrap_or_else(|_gone| json!({ "action": "cancel" }));
        serde_json::from_value(answer).map_err(internal)
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let far = match params.total {
            Some(total) if total > 0.0 => format!("{} of {total}", params.progress),
            _ => params.progress.to_string(),
        };
        let text = match params.message.as_deref().map(str::trim) {
            Some(message) if !message.is_empty() => format!("{message} ({far})"),
            _ => far,
        };
        let text = text.chars().take(LONGEST).collect();
        self.calls.progress(&params.progress_token, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_the_only_root_whatever_it_is_called() {
        let roots = roots("/home/ü/a b%".as_ref());
        let expected = json!([{ "uri": "file:///home/%C3%BC/a%20b%25", "name": "workspace" }]);
        assert_eq!(roots["roots"], expected);
    }
}
