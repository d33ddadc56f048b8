//! A fenced block that holds a text exactly.

use super::Flaw;

/// Writes a text into a fenced block whose fence is longer than any run of backticks in it.
pub fn encode(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{text}\n{fence}")
}

/// The content of a fenced block.
#[derive(Debug, PartialEq, Eq)]
pub struct Fenced<'a> {
    /// The word after the opening fence.
    pub language: &'a str,
    /// The text between the fences.
    pub text: &'a str,
    /// The line of the body on which the text begins, from 1.
    pub line: usize,
}

/// Reads a body that holds one fenced block and nothing else.
pub fn decode(body: &str) -> Result<Fenced<'_>, Flaw> {
    let start = body.len() - body.trim_start().len();
    let opening_line = 1 + body[..start].matches('\n').count();
    let (opening, rest) = body[start..].split_once('\n').unwrap_or((&body[start..], ""));
    let ticks = opening.len() - opening.trim_start_matches('`').len();
    if ticks < 3 {
        return Err(Flaw::at_line(opening_line, "expected a fenced block that begins with ```"));
    }
    let mut at = 0;
    for (index, line) in rest.split('\n').enumerate() {
        if is_closing(line, ticks) {
            let after = &rest[at + line.len()..];
            if let Some(offset) = after.find(|c: char| !c.is_whitespace()) {
                let extra = after[..offset].matches('\n').count();
                let line = opening_line + 1 + index + extra;
                return Err(Flaw::at_line(line, "nothing may follow the fenced block"));
            }
            let text = &rest[..at];
            let text = text.strip_suffix('\n').unwrap_or(text);
            let crlf = opening.ends_with('\r');
            let text = if crlf { text.strip_suffix('\r').unwrap_or(text) } else { text };
            let language = opening[ticks..].trim();
            return Ok(Fenced { language, text, line: opening_line + 1 });
        }
        at += line.len() + 1;
    }
    Err(Flaw::at_line(opening_line, "the fenced block has no end"))
}

fn is_closing(line: &str, ticks: usize) -> bool {
    let line = line.trim_end();
    line.len() >= ticks && line.bytes().all(|byte| byte == b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        for text in ["", "{}", "\n", "{}\n\n", "```\nfenced\n```", "````", "a\r\nb", "`"] {
            let body = encode("json", text);
            assert_eq!(decode(&body).unwrap(), Fenced { language: "json", text, line: 2 });
        }
    }

    #[test]
    fn what_is_not_one_block_is_refused_with_its_line() {
        let line = |body| decode(body).unwrap_err().line;
        assert_eq!(line("{}"), Some(1));
        assert_eq!(line("\n\n```json\n{}"), Some(3));
        assert_eq!(line("```json\n{}\n```\n\nmore"), Some(5));
    }
}
