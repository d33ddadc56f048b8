//! `jp conversation logs`

use std::{
    collections::HashMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
    thread,
    time::Duration,
};

use super::{DONE, Outcome, query, to_read_at};
use crate::{
    cli::{
        args::{AtArg, Logs},
        output::Output,
    },
    env::Env,
};

/// How often a log is looked at again.
const PAUSE: Duration = Duration::from_millis(200);

pub fn run(env: &Env, output: &mut Output, args: &Logs) -> Outcome {
    let (workspace, handle) = to_read_at(env, output, args.id.as_deref(), &AtArg::default())?;
    let id = handle.id();
    let [before, path] = query::logs(&workspace.state_dir()?);
    let mut excerpt = Excerpt::of(&id.to_string());
    excerpt.take(&read_from(&before, 0).0);
    let (text, mut end) = read_from(&path, 0);
    excerpt.take(&text);
    loop {
        for line in excerpt.lines() {
            output.line(line)?;
        }
        output.flush()?;
        // The last lines of a process come before its end.
        let is_over = !args.follow || workspace.process_of(id).is_none();
        let (text, next) = read_from(&path, end);
        end = next;
        excerpt.take(&text);
        if is_over {
            for line in excerpt.lines() {
                output.line(line)?;
            }
            return Ok(DONE);
        }
        thread::sleep(PAUSE);
    }
}

/// The complete lines of a file from a place on, and where they end. A log that begins anew is
/// read from its beginning.
fn read_from(path: &Path, from: u64) -> (String, u64) {
    let read = || {
        let mut file = File::open(path)?;
        let from = if file.metadata()?.len() < from { 0 } else { from };
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        std::io::Result::Ok((String::from_utf8_lossy(&bytes).into_owned(), from + end as u64))
    };
    // What was never written has no lines.
    read().unwrap_or((String::new(), from))
}

/// The lines of one conversation out of a log that all share.
struct Excerpt {
    id: String,
    /// The lines of queries of which the conversation is not known yet, by their process.
    begun: HashMap<String, Vec<String>>,
    /// Whether a process works on the conversation.
    is_ours: HashMap<String, bool>,
    ready: Vec<String>,
}

impl Excerpt {
    fn of(id: &str) -> Self {
        let (begun, is_ours) = (HashMap::new(), HashMap::new());
        Self { id: id.to_owned(), begun, is_ours, ready: Vec::new() }
    }

    fn take(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let (Some(_), Some(pid), Some(said)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            if said.starts_with(query::BEGINS) {
                self.is_ours.remove(pid);
                self.begun.insert(pid.to_owned(), Vec::new());
            }
            if let Some(id) = said.strip_prefix(query::ABOUT) {
                let is_ours = id == self.id;
                let lines = self.begun.remove(pid).filter(|_| is_ours).unwrap_or_default();
                self.ready.extend(lines);
                self.is_ours.insert(pid.to_owned(), is_ours);
            }
            match (self.is_ours.get(pid), self.begun.get_mut(pid)) {
                (Some(true), _) => self.ready.push(line.to_owned()),
                (None, Some(lines)) => lines.push(line.to_owned()),
                _ => {}
            }
        }
    }

    fn lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_one_conversation_are_told_from_those_of_others() {
        let mut excerpt = Excerpt::of("jp-c1");
        excerpt.take(
            "t 7 query to a\nt 8 query to b\nt 7 conversation jp-c1\nt 8 conversation jp-c2\n\
             t 7 asked the model\nt 8 asked the model\n",
        );
        assert_eq!(
            excerpt.lines(),
            ["t 7 query to a", "t 7 conversation jp-c1", "t 7 asked the model"]
        );
        // The same number may be another process later.
        excerpt.take("t 7 ended\nt 7 query to c\nt 7 lost\nt 7 conversation jp-c3\nt 7 ended\n");
        assert_eq!(excerpt.lines(), ["t 7 ended"]);
    }
}
