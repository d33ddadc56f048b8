use std::sync::{Arc, Mutex};

use super::*;
use crate::model::Timestamp;

/// A terminal that both streams go to.
#[derive(Clone, Default)]
struct Terminal(Arc<Mutex<Vec<u8>>>);

impl Terminal {
    fn shown(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fails always.
struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn env() -> Env {
    let vars = [("COLUMNS".into(), "40".into())];
    Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))
}

/// Both streams on one terminal, with a status line.
fn on_one<'a>(env: &'a Env, terminal: &Terminal, format: AnswerFormat) -> Channels<'a> {
    let (stdout, stderr) = (Box::new(terminal.clone()), Box::new(terminal.clone()));
    let mut channels = Channels::new(env, stdout, stderr, format, Style::PLAIN, Chrome::Full);
    channels.status = Some(StatusLine::new(Style::PLAIN, true));
    channels
}

fn waiting(seconds: u64) -> Status {
    let elapsed = Duration::from_secs(seconds);
    Status { model: "m".to_owned(), elapsed, ..Status::default() }
}

#[test]
fn the_status_line_is_gone_before_anything_else_is_written() {
    let (env, terminal) = (env(), Terminal::default());
    let start = Instant::now();
    let after = |seconds| start + Duration::from_secs(seconds);
    let mut channels = on_one(&env, &terminal, AnswerFormat::Screen);
    channels.show_status(&waiting(1), after(1));
    assert_eq!(channels.answer("# One\nTwo ", after(2)).unwrap(), Written::Open);
    channels.show_status(&waiting(2), after(2));
    channels.show_status(&waiting(3), after(3));
    channels.say(Face::FAINT, "by the way\u{1b}[2J");
    channels.show_status(&waiting(4), after(4));
    assert_eq!(channels.end_answer(after(5)).unwrap(), Written::Open);
    channels.show_status(&waiting(6), after(6));
    drop(channels);
    assert_eq!(
        terminal.shown(),
        "1s · m\r\u{1b}[K# One\n3s · m\r\u{1b}[Kby the way\\u{1b}[2J\n4s · m\r\u{1b}[K\nTwo\n\
         6s · m\r\u{1b}[K"
    );
}

#[test]
fn the_status_line_never_stands_behind_half_a_line() {
    let (env, terminal) = (env(), Terminal::default());
    let start = Instant::now();
    let after = |seconds| start + Duration::from_secs(seconds);
    let mut channels = on_one(&env, &terminal, AnswerFormat::Verbatim);
    assert_eq!(channels.answer("half", after(1)).unwrap(), Written::Open);
    channels.show_status(&waiting(2), after(2));
    assert_eq!(channels.answer(" line\n", after(3)).unwrap(), Written::Open);
    channels.show_status(&waiting(3), after(3));
    assert_eq!(terminal.shown(), "half line\n");
    channels.show_status(&waiting(4), after(4));
    assert_eq!(terminal.shown(), "half line\n4s · m");
}

#[test]
fn what_is_piped_is_the_answer_as_it_came() {
    let (env, stdout, stderr) = (env(), Terminal::default(), Terminal::default());
    let (out, err) = (Box::new(stdout.clone()), Box::new(stderr.clone()));
    let mut channels =
        Channels::new(&env, out, err, AnswerFormat::Verbatim, Style::PLAIN, Chrome::Full);
    let now = Instant::now();
    for piece in ["*a* ", "\u{1b}[31m", "\r\n", "b"] {
        assert_eq!(channels.answer(piece, now).unwrap(), Written::Open);
    }
    assert_eq!(stdout.shown(), "*a* \u{1b}[31m\r\nb", "nothing is held back");
    assert_eq!(channels.end_answer(now).unwrap(), Written::Open);
    channels.say(Face::PLAIN, "talk");
    channels.show_status(&waiting(1), now + Duration::from_secs(9));
    assert_eq!(channels.answer("c\n", now).unwrap(), Written::Open);
    assert_eq!(channels.end_answer(now).unwrap(), Written::Open);
    assert_eq!(stdout.shown(), "*a* \u{1b}[31m\r\nb\n\nc\n");
    assert_eq!(stderr.shown(), "talk\n");
}

#[test]
fn an_event_is_one_harmless_line() {
    let (env, terminal) = (env(), Terminal::default());
    let mut channels = on_one(&env, &terminal, AnswerFormat::Verbatim);
    let event = serde_json::json!({ "type": "text", "text": "a\nb\u{1b}[2J\u{9b}\u{202e}" });
    assert_eq!(channels.event(&event, Instant::now()).unwrap(), Written::Open);
    let shown = terminal.shown();
    assert_eq!(shown.matches('\n').count(), 1, "{shown}");
    assert!(!shown.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{shown:?}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), event);
}

#[test]
fn who_closes_the_answer_has_read_enough_and_a_full_disk_is_an_error() {
    let env = env();
    let now = Instant::now();
    let failing = |kind| {
        let (out, err) = (Box::new(Failing(kind)), Box::new(Failing(kind)));
        Channels::new(&env, out, err, AnswerFormat::Verbatim, Style::PLAIN, Chrome::Full)
    };
    let mut closed = failing(io::ErrorKind::BrokenPipe);
    closed.say(Face::PLAIN, "nobody listens");
    assert_eq!(closed.answer("a", now).unwrap(), Written::Closed);
    assert_eq!(closed.answer("b", now).unwrap(), Written::Closed);
    assert_eq!(closed.end_answer(now).unwrap(), Written::Closed);
    assert_eq!(closed.event(&serde_json::json!(1), now).unwrap(), Written::Closed);
    let mut full = failing(io::ErrorKind::StorageFull);
    assert_eq!(full.answer("a", now).unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[test]
fn who_wants_it_quiet_gets_the_answer_alone() {
    let (env, stdout, stderr) = (env(), Terminal::default(), Terminal::default());
    let (out, err) = (Box::new(stdout.clone()), Box::new(stderr.clone()));
    let mut channels =
        Channels::new(&env, out, err, AnswerFormat::Screen, Style::PLAIN, Chrome::Quiet);
    channels.say(Face::PLAIN, "talk");
    assert_eq!(channels.answer("a", Instant::now()).unwrap(), Written::Open);
    assert_eq!(channels.end_answer(Instant::now()).unwrap(), Written::Open);
    assert_eq!((stdout.shown(), stderr.shown()), ("a\n".to_owned(), String::new()));
}

#[test]
fn data_is_the_same_json_on_a_screen_and_in_a_pipe() {
    let env = env();
    for format in [AnswerFormat::Screen, AnswerFormat::Verbatim] {
        let terminal = Terminal::default();
        let mut channels = on_one(&env, &terminal, format);
        let json = "{\"name\": \"__init__ *x*\u{202e}\"}";
        assert_eq!(channels.data(json, Instant::now()).unwrap(), Written::Open);
        assert_eq!(terminal.shown(), "{\"name\": \"__init__ *x*\\u202e\"}\n");
    }
}
