//! The fixed syntax: lines that say what the guide shall do.

use crate::model::Json;

/// What a line tells the guide to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    /// `call TOOL {…}`
    Call {
        /// The tool.
        tool: String,
        /// What it is called with, as it was written.
        arguments: String,
    },
    /// `think …`
    Think(String),
    /// `say …`
    Say(String),
}

/// The directives of a request in their order, and the lines that are none.
///
/// The arguments of a call may go over several lines. Words after `call` that can be neither a tool
/// nor arguments are no directive.
pub(super) fn directives(text: &str, is_tool: impl Fn(&str) -> bool) -> (Vec<Directive>, String) {
    let mut found = Vec::new();
    let mut rest = String::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut next = 0;
    while let Some(line) = lines.get(next).map(|line| line.trim()) {
        next += 1;
        if let Some(text) = line.strip_prefix("say ") {
            found.push(Directive::Say(text.trim().to_owned()));
        } else if let Some(text) = line.strip_prefix("think ") {
            found.push(Directive::Think(text.trim().to_owned()));
        } else if let Some((tool, arguments)) = call(line, &is_tool) {
            let (arguments, more) = whole(arguments, &lines[next..]);
            next += more;
            found.push(Directive::Call { tool: tool.to_owned(), arguments });
        } else {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    (found, rest.trim().to_owned())
}

/// The tool and the beginning of its arguments.
fn call(line: &str, is_tool: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let line = line.strip_prefix("call ")?.trim();
    let end = line.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(line.len());
    let (tool, arguments) = line.split_at(end);
    let arguments = arguments.trim();
    let fits = arguments.is_empty() || arguments.starts_with('{') || is_tool(tool);
    (!tool.is_empty() && fits).then_some((tool, arguments))
}

/// Arguments with the lines that they need to be JSON, and how many these are.
fn whole(first: &str, lines: &[&str]) -> (String, usize) {
    /// The most lines that are tried.
    const MOST: usize = 100;
    if first.is_empty() {
        return ("{}".to_owned(), 0);
    }
    let mut text = first.to_owned();
    if !first.starts_with('{') || Json::new(text.clone()).is_ok() {
        return (text, 0);
    }
    for (number, line) in lines.iter().take(MOST).enumerate() {
        text.push('\n');
        text.push_str(line);
        // Only a closing brace can complete them.
        if line.trim_end().ends_with('}') && Json::new(text.clone()).is_ok() {
            return (text, number + 1);
        }
    }
    (first.to_owned(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Directive>, String) {
        directives(text, |tool| tool == "known")
    }

    fn call(tool: &str, arguments: &str) -> Directive {
        Directive::Call { tool: tool.to_owned(), arguments: arguments.to_owned() }
    }

    #[test]
    fn each_line_is_a_directive() {
        let (found, rest) = read("call a {\"x\": 1}\n  think hard\nsay hello  \ncall b\nand more");
        let expected = [
            call("a", "{\"x\": 1}"),
            Directive::Think("hard".to_owned()),
            Directive::Say("hello".to_owned()),
            call("b", "{}"),
        ];
        assert_eq!((found.as_slice(), rest.as_str()), (&expected[..], "and more"));
    }

    #[test]
    fn arguments_may_go_over_lines_and_may_be_wrong() {
        let text = "call a {\n  \"x\": {\n  }\n}\ncall b {\"x\"\ncall known x=1";
        let (found, rest) = read(text);
        let expected =
            [call("a", "{\n  \"x\": {\n  }\n}"), call("b", "{\"x\""), call("known", "x=1")];
        assert_eq!((found.as_slice(), rest.as_str()), (&expected[..], ""));
    }

    #[test]
    fn words_that_only_begin_the_same_are_no_directive() {
        let text = "call me maybe\nthinking of you\nsay\ncalls a {}";
        assert_eq!(read(text), (Vec::new(), text.to_owned()));
    }
}
