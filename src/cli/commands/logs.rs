//! `jp conversation logs`

use std::{
    collections::HashMap,
    fs::File,
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    os::unix::fs::MetadataExt,
    path::PathBuf,
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
    fsutil::{AtPath, FsError},
};

/// How often a log is looked at again.
const PAUSE: Duration = Duration::from_millis(200);

pub fn run(env: &Env, output: &mut Output, args: &Logs) -> Outcome {
    let (workspace, handle) = to_read_at(env, output, args.id.as_deref(), &AtArg::default())?;
    let id = handle.id();
    let logs = query::logs(&workspace.state_dir()?);
    let mut reading = Reading::default();
    let mut excerpt = Excerpt::of(&id.to_string());
    loop {
        // The last lines of a process come before its end.
        let is_over = !args.follow || workspace.process_of(id).is_none();
        excerpt.take(&reading.more(&logs)?);
        for line in excerpt.lines() {
            output.line(line)?;
        }
        output.flush()?;
        if is_over {
            return Ok(DONE);
        }
        thread::sleep(PAUSE);
    }
}

/// How far each log was read. A log is known by what it is and not by its name: a query that begins
/// it anew gives it another one, and whoever has it open still writes there. So it stays open here,
/// too, as long as somebody follows.
#[derive(Default)]
struct Reading(Vec<Opened>);

struct Opened {
    path: PathBuf,
    /// The device, and the number of the file there.
    is: (u64, u64),
    file: File,
    end: u64,
}

impl Reading {
    /// The complete lines that came since, of all that were there and of those that have these names
    /// now, the older one first. What was never written has no lines.
    fn more(&mut self, paths: &[PathBuf]) -> Result<String, FsError> {
        for path in paths {
            let file = match File::open(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                opened => opened.at("read", path)?,
            };
            let found = file.metadata().at("read", path)?;
            let is = (found.dev(), found.ino());
            if self.0.iter().all(|opened| opened.is != is) {
                self.0.push(Opened { path: path.clone(), is, file, end: 0 });
            }
        }
        let mut text = String::new();
        for opened in &mut self.0 {
            text.push_str(&opened.more().at("read", &opened.path)?);
        }
        Ok(text)
    }
}

impl Opened {
    /// The complete lines that came since.
    fn more(&mut self) -> io::Result<String> {
        self.file.seek(SeekFrom::Start(self.end))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        self.end += end as u64;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
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
    use std::io::Write;

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

    #[test]
    fn a_log_is_read_on_under_any_name_and_a_new_one_from_its_beginning() {
        let place = tempfile::tempdir().unwrap();
        let logs = ["query.log.1", "query.log"].map(|name| place.path().join(name));
        let [before, path] = &logs;
        let mut reading = Reading::default();
        let mut more = || reading.more(&logs).unwrap();
        assert_eq!(more(), "", "nothing was written yet");
        std::fs::write(path, "a\nb\nhal").unwrap();
        assert_eq!(more(), "a\nb\n");
        let mut older = File::options().append(true).open(path).unwrap();
        std::fs::rename(path, before).unwrap();
        std::fs::write(path, "longer than what was there before\n").unwrap();
        older.write_all(b"f\nc\n").unwrap();
        assert_eq!(more(), "half\nc\nlonger than what was there before\n");
        // The next one takes the name away from the first, which is written to all the same.
        std::fs::rename(path, before).unwrap();
        std::fs::write(path, "third\n").unwrap();
        older.write_all(b"d\n").unwrap();
        assert_eq!(more(), "d\nthird\n");
        assert_eq!(more(), "");
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
        assert!(reading.more(&logs).is_err());
    }
}
