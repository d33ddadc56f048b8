//! What jp puts into an event file that a person has changed or written, with as many bytes as
//! possible left alone: the mark of the change, and the id of a call.

use super::{Decoded, EncodeError, Form, decode, encode, frontmatter, stamp, yaml};
use crate::model::{Event, EventType, Metadata, Native, Timestamp, mark_edited, unmark_edited};

/// Completes the file of an event that a person has changed: it is marked as edited, says when it
/// happened, and has nothing of a provider that stood for the old content.
pub fn amend(
    bytes: Vec<u8>,
    form: Form,
    decoded: &Decoded,
    at: Timestamp,
) -> Result<(Event, Vec<u8>), EncodeError> {
    let mut event = decoded.event.clone();
    let was_stale = drop_stale(&mut event);
    mark_edited(&mut event.metadata, at);
    let bytes = stamp(bytes, form, decoded)?;
    let is_canonical = encode(&decoded.event).is_ok_and(|canonical| canonical == bytes);
    if !was_stale && !is_canonical {
        let marked = match form {
            Form::Markdown => frontmatter::change(&bytes, |header, end| mark(header, end, at)),
            Form::Toml => mark_table(&bytes, at),
        };
        let epoch = Timestamp::from_seconds(0);
        let says_all = |bytes: &Vec<u8>| {
            let read = decode(bytes, form, None, epoch);
            read.is_ok_and(|read| read.has_timestamp && read.event == event)
        };
        if let Some(marked) = marked.filter(says_all) {
            return Ok((event, marked));
        }
    }
    let bytes = encode(&event)?;
    Ok((event, bytes))
}

/// The event without the mark that a person has changed it, to compare two versions of it.
pub fn without_mark(event: &Event) -> Event {
    let mut event = event.clone();
    unmark_edited(&mut event.metadata);
    event
}

/// Puts an id into the file of a call that has none. Every other file stays as it is.
pub fn with_call_id(bytes: Vec<u8>, form: Form, fresh: impl FnOnce() -> String) -> Vec<u8> {
    if form != Form::Markdown {
        return bytes;
    }
    let completed = frontmatter::change(&bytes, |header, end| {
        let mut map = yaml::read(header).ok()?;
        let is_call = map.get("type")?.as_str() == Some(EventType::ToolCall.name());
        if !is_call || map.contains_key("id") {
            return None;
        }
        let id = Metadata::from_iter([("id".to_owned(), fresh().into())]);
        let completed = format!("{header}{}{end}", yaml::write(&id).trim_end());
        map.extend(id);
        yaml::read(&completed).is_ok_and(|read| read == map).then_some(completed)
    });
    completed.unwrap_or(bytes)
}

/// Takes away what a provider said about content that is not there any more. Tells whether there
/// was something.
fn drop_stale(event: &mut Event) -> bool {
    let Some(content) = event.kind.signed_content() else { return false };
    let signature = event.block().and_then(|block| block.signature.as_ref());
    let had_signature = signature.is_some_and(|signature| !signature.holds(content));
    let had_native = Native::drop_stale(&mut event.metadata, content);
    if had_signature && let Some(block) = event.block_mut() {
        block.signature = None;
    }
    had_signature || had_native
}

/// The frontmatter with the mark in its metadata.
fn mark(header: &str, end: &str, at: Timestamp) -> Option<String> {
    let lines: Vec<&str> = header.split_inclusive('\n').collect();
    let opens = |line: &&str| line.starts_with('m') && without_remark(line) == "metadata:";
    let Some(opening) = lines.iter().position(opens) else {
        return Some(format!("{header}metadata:{end}  edited: {at}{end}"));
    };
    let is_inner = |line: &&&str| line.starts_with([' ', '#']) || line.trim().is_empty();
    let inner = lines[opening + 1..].iter().take_while(is_inner).count();
    let block = opening + 1..opening + 1 + inner;
    let first = lines[block.clone()].iter().find(|line| !without_remark(line).is_empty())?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let is_mark = |line: &&str| line.strip_prefix(indent).is_some_and(|l| l.starts_with("edited:"));
    if let Some(old) = lines[block.clone()].iter().position(is_mark) {
        let value = at.to_string();
        return Some(with_value(&lines, opening + 1 + old, ':', &value));
    }
    let last =
        lines[block].iter().rposition(|line| line.starts_with(' ') && !line.trim().is_empty())?;
    let (before, after) = lines.split_at(opening + 2 + last);
    Some(format!("{}{indent}edited: {at}{end}{}", before.concat(), after.concat()))
}

/// The TOML file with the mark in its metadata.
fn mark_table(bytes: &[u8], at: Timestamp) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = if lines.first()?.ends_with("\r\n") { "\r\n" } else { "\n" };
    let opens = |line: &&str| without_remark(line) == "[event.metadata]";
    let Some(opening) = lines.iter().position(opens) else {
        let gap = if text.ends_with('\n') { "" } else { end };
        let table = format!("{end}[event.metadata]{end}edited = \"{at}\"{end}");
        return Some(format!("{text}{gap}{table}").into_bytes());
    };
    let is_mark = |line: &&str| {
        line.trim_start().strip_prefix("edited").is_some_and(|l| l.trim_start().starts_with('='))
    };
    let own = lines[opening + 1..].iter().take_while(|line| !line.trim_start().starts_with('['));
    if let Some(old) = own.copied().position(|line| is_mark(&line)) {
        let value = format!("\"{at}\"");
        return Some(with_value(&lines, opening + 1 + old, '=', &value).into_bytes());
    }
    let (before, after) = lines.split_at(opening + 1);
    let before = before.concat();
    let gap = if before.ends_with('\n') { "" } else { end };
    Some(format!("{before}{gap}edited = \"{at}\"{end}{}", after.concat()).into_bytes())
}

/// The lines, with another value on one of them; what follows the value stays.
fn with_value(lines: &[&str], at: usize, separator: char, value: &str) -> String {
    let line = lines[at];
    let start = line.find(separator).map_or(line.len(), |at| at + separator.len_utf8());
    let (key, rest) = line.split_at(start);
    let old = rest.trim_start();
    let after = old.find(char::is_whitespace).map_or("", |end| &old[end..]);
    format!("{}{key} {value}{after}{}", lines[..at].concat(), lines[at + 1..].concat())
}

/// A line without what is said about it behind `#`, and without white space around it.
fn without_remark(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests;
