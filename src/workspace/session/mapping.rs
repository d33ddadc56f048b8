//! What a session was about, newest first, as it is written to its file.

use serde_json::{Value, json};

use super::{
    Activation, Session, Source,
    activations::{Activations, HISTORY},
};
use crate::{
    env::Process,
    model::{ConversationId, Timestamp},
};

/// How many conversations a session remembers.
const REMEMBERED: usize = 100;

/// The conversations of a session, the one it is about first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    history: Activations,
    source: Source,
}

impl Mapping {
    /// That of a session that was about nothing yet.
    pub(super) fn new(session: &Session) -> Self {
        Self { history: Activations::default(), source: session.source().clone() }
    }

    /// What the session was about, newest first, each conversation once.
    pub fn history(&self) -> &[Activation] {
        self.history.all()
    }

    /// The conversation that the session is about.
    pub fn current(&self) -> Option<ConversationId> {
        self.history().first().map(|activation| activation.id)
    }

    /// The conversation that it was about before.
    pub fn previous(&self) -> Option<ConversationId> {
        self.history().get(1).map(|activation| activation.id)
    }

    /// What the session is known by.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The session turns to a conversation.
    pub(super) fn activate(&mut self, id: ConversationId, activated_at: Timestamp) {
        self.history.activate(id, activated_at, REMEMBERED);
    }

    /// The text of its file. What people should see of the session stands in it too.
    pub(super) fn encode(&self, session: &Session) -> Vec<u8> {
        let mut file = json!({ HISTORY: self.history.encode() });
        match &self.source {
            Source::Leader(Process { pid, started, realm }) => {
                file["source"] = json!("getsid");
                file["leader"] = json!({ "pid": pid, "started": started, "realm": realm });
            }
            Source::Variable(name) => {
                file["source"] = json!({ "type": "env", "key": name });
                file["session"] = json!(session.value().to_string_lossy());
            }
        }
        format!("{file:#}\n").into_bytes()
    }

    /// Reads a file; `None` if any of it is not as it was written. To guess what is left would be
    /// to choose another conversation.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let file: Value = serde_json::from_slice(bytes).ok()?;
        let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let source = match file.get("source")? {
            Value::String(source) if source == "getsid" => {
                let leader = file.get("leader")?;
                let pid = u32::try_from(leader.get("pid")?.as_u64()?).ok()?;
                let started = leader.get("started")?.as_u64()?;
                Source::Leader(Process { pid, started, realm: text(leader, "realm")? })
            }
            source if text(source, "type")? == "env" => Source::Variable(text(source, "key")?),
            _ => return None,
        };
        let history = Activations::decode(file.get(HISTORY)?)?;
        Some(Self { history, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Env;

    fn session(leader: Option<Process>) -> Session {
        let vars = [("TMUX_PANE".into(), "%3".into())];
        let env = Env::fixed(vars, "/".into(), Timestamp::from_seconds(0));
        Session::of(&leader.into_iter().fold(env, Env::led_by)).unwrap()
    }

    fn id(number: u64) -> ConversationId {
        format!("jp-c{number}").parse().unwrap()
    }

    fn ids(mapping: &Mapping) -> Vec<String> {
        mapping.history().iter().map(|activation| activation.id.to_string()).collect()
    }

    #[test]
    fn the_newest_comes_first_and_each_conversation_once() {
        let mut mapping = Mapping::new(&session(None));
        assert_eq!(mapping.current(), None);
        for (number, time) in [(1, 10), (2, 20), (3, 30), (1, 40)] {
            mapping.activate(id(number), Timestamp::from_seconds(time));
        }
        assert_eq!(ids(&mapping), ["jp-c1", "jp-c3", "jp-c2"]);
        assert_eq!(mapping.current(), Some(id(1)));
        assert_eq!(mapping.history()[0].activated_at, Timestamp::from_seconds(40));
        for number in 0..500 {
            mapping.activate(id(number), Timestamp::from_seconds(50));
        }
        assert_eq!(mapping.history().len(), REMEMBERED);
    }

    #[test]
    fn a_file_is_written_as_specified_and_reads_again() {
        let pane = session(None);
        let mut mapping = Mapping::new(&pane);
        mapping.activate(id(17_528_832_001), Timestamp::from_seconds(1_752_935_400));
        let text = String::from_utf8(mapping.encode(&pane)).unwrap();
        let expected = r#"{
  "history": [
    {
      "id": "jp-c17528832001",
      "activated_at": "2025-07-19T14:30:00Z"
    }
  ],
  "source": {
    "type": "env",
    "key": "TMUX_PANE"
  },
  "session": "%3"
}
"#;
        assert_eq!(text, expected);
        assert_eq!(Mapping::decode(text.as_bytes()).unwrap(), mapping);

        let leader = Process { pid: 12057, started: 7, realm: "boot pid:[1]".to_owned() };
        let led = session(Some(leader));
        let mapping = Mapping::new(&led);
        let text = String::from_utf8(mapping.encode(&led)).unwrap();
        let expected = r#"{
  "history": [],
  "source": "getsid",
  "leader": {
    "pid": 12057,
    "started": 7,
    "realm": "boot pid:[1]"
  }
}
"#;
        assert_eq!(text, expected);
        assert_eq!(Mapping::decode(text.as_bytes()).unwrap(), mapping);
    }

    #[test]
    fn every_torn_file_is_seen() {
        let pane = session(None);
        let mut mapping = Mapping::new(&pane);
        mapping.activate(id(1), Timestamp::from_seconds(0));
        let whole = mapping.encode(&pane);
        let end = whole.len() - 1;
        assert!((0..end).all(|length| Mapping::decode(&whole[..length]).is_none()));
    }

    #[test]
    fn a_file_with_one_wrong_value_does_not_read() {
        for (from, to) in [
            ("jp-c1", "jp-x1"),
            ("1970-01-01T00:00:00Z", "yesterday"),
            ("\"env\"", "\"magic\""),
            ("\"key\"", "\"yek\""),
            ("history", "future"),
        ] {
            let pane = session(None);
            let mut mapping = Mapping::new(&pane);
            mapping.activate(id(1), Timestamp::from_seconds(0));
            let text = String::from_utf8(mapping.encode(&pane)).unwrap().replace(from, to);
            assert_eq!(Mapping::decode(text.as_bytes()), None, "{text}");
        }
    }
}
