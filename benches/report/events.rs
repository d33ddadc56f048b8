//! A conversation about code as an agent would have it: requests, reasoning, tool calls with JSON
//! arguments, files that are read and edited, and answers in prose and code.

use std::collections::VecDeque;

use jp::{
    format::encode,
    model::{
        AnswerId, Arguments, Block, Body, CallId, Event, EventKind, Finish, Message, ModelName,
        Reasoning, Request, Signature, ToolCall, ToolName, ToolResult,
    },
    plan::Draft,
};
use serde_json::{Value, json};

use super::{random::Random, world::moment};

/// Writes a conversation without end.
pub struct Author {
    random: Random,
    waiting: VecDeque<EventKind>,
    files: Vec<(String, Vec<String>)>,
    events: usize,
    answers: usize,
}

impl Author {
    /// An author whose words depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let files = (0..16)
            .map(|_| {
                let path = format!("src/{}/{}.rs", random.noun(), random.identifier());
                let functions = random.between(10, 40);
                (path, (0..functions).flat_map(|_| code(&mut random)).collect())
            })
            .collect();
        Self { random, waiting: VecDeque::new(), files, events: 0, answers: 0 }
    }

    /// The next events as drafts.
    pub fn drafts(&mut self, count: usize) -> Vec<Draft> {
        self.take(count).map(draft).collect()
    }

    /// A message whose file has 1,024 bytes, unlike all others.
    pub fn kilobyte(&mut self) -> Draft {
        let mut text = self.random.prose(1024);
        let block = || Block { model: Some(ModelName::new("model-large")), ..Block::default() };
        let event = |text: &str| {
            let content = Body::from(text);
            Event::new(moment(0), EventKind::Message(Message { content, block: block() }))
        };
        let beside = encode(&event("x")).expect("a letter fits").len() - 1;
        text.truncate(1024 - beside);
        let text = text.trim_end();
        draft(event(&format!("{text:.<width$}", width = 1024 - beside)))
    }

    /// A request, which a conversation begins with.
    pub fn request(&mut self) -> Draft {
        let content = Body::from(self.random.prose(200));
        let kind = EventKind::Request(Request { content, interrupts: false });
        draft(Event::new(moment(0), kind))
    }

    /// A title.
    pub fn title(&mut self) -> String {
        let words = self.random.between(3, 8);
        (0..words).map(|_| self.random.noun()).collect::<Vec<_>>().join(" ")
    }

    fn turn(&mut self) {
        let length = self.random.between(60, 700);
        let mut content = self.random.prose(length);
        if self.random.below(4) == 0 {
            content.push_str(&fenced(&code(&mut self.random)));
        }
        let request = Request { content: content.into(), interrupts: false };
        self.waiting.push_back(EventKind::Request(request));
        for _ in 0..self.random.between(1, 6) {
            self.use_tools();
        }
        let answer = self.answer();
        self.think(&answer);
        let length = self.random.between(200, 2200);
        let mut content = self.random.prose(length);
        if self.random.below(2) == 0 {
            content.push_str(&fenced(&code(&mut self.random)));
            content.push_str(&self.random.prose(120));
        }
        let block = Block { finish: Some(Finish::Stop), ..answer };
        self.waiting.push_back(EventKind::Message(Message { content: content.into(), block }));
    }

    fn use_tools(&mut self) {
        let answer = self.answer();
        if self.random.below(3) == 0 {
            self.think(&answer);
        }
        if self.random.below(2) == 0 {
            let content = Body::from(self.random.prose(90));
            self.waiting.push_back(EventKind::Message(Message { content, block: answer.clone() }));
        }
        let (tool, arguments, content) = match self.random.below(5) {
            0 | 1 => self.read_file(),
            2 => self.edit_file(),
            3 => self.search(),
            _ => self.run_tests(),
        };
        let id = CallId::new(format!("toolu_{}", self.random.opaque(22)));
        let tool = ToolName::new(tool);
        let block = Block { finish: Some(Finish::ToolCalls), ..answer };
        let arguments = Arguments::new(format!("{arguments:#}"));
        let call = ToolCall { tool: tool.clone(), id: id.clone(), arguments, block };
        self.waiting.push_back(EventKind::ToolCall(call));
        let tool = Some(tool);
        let result = ToolResult { id, tool, is_error: false, content: content.into() };
        self.waiting.push_back(EventKind::ToolResult(result));
    }

    fn answer(&mut self) -> Block {
        self.answers += 1;
        let answer = Some(AnswerId::new(format!("msg_{:06}", self.answers)));
        Block { model: Some(ModelName::new("model-large")), answer, ..Block::default() }
    }

    fn think(&mut self, answer: &Block) {
        let length = self.random.between(150, 1500);
        let content = self.random.prose(length);
        let signature = Signature::over(content.as_bytes(), self.random.opaque(180));
        let block = Block { signature: Some(signature), ..answer.clone() };
        self.waiting.push_back(EventKind::Reasoning(Reasoning { content: content.into(), block }));
    }

    fn read_file(&mut self) -> (&'static str, Value, String) {
        let index = self.random.below(self.files.len());
        let (path, lines) = &self.files[index];
        // Some read a file whole, some only a part of it.
        let start = if self.random.below(2) == 0 { 0 } else { self.random.below(lines.len()) };
        let end = lines.len().min(start + 200);
        let numbered: Vec<_> = (start..end)
            .map(|number| format!("{:>4}  {line}", number + 1, line = lines[number]))
            .collect();
        let arguments = json!({"path": path, "start_line": start + 1, "end_line": end});
        ("fs_read_file", arguments, numbered.join("\n"))
    }

    fn edit_file(&mut self) -> (&'static str, Value, String) {
        let new = code(&mut self.random);
        let index = self.random.below(self.files.len());
        let (path, lines) = &mut self.files[index];
        let at = self.random.below(lines.len());
        let old = lines.get(at..at + 2).unwrap_or_default().join("\n");
        let arguments =
            json!({"path": path, "old_text": old, "new_text": new.join("\n"), "create": false});
        lines.splice(at..at, new);
        // Files do not grow for ever: what is at their end is moved elsewhere.
        lines.truncate(500);
        let result = json!({"ok": true, "path": path, "line": at + 1, "lines": lines.len()});
        ("fs_modify_file", arguments, format!("{result:#}"))
    }

    fn search(&mut self) -> (&'static str, Value, String) {
        let word = self.random.noun();
        let hits = self.files.iter().flat_map(|(path, lines)| {
            let numbered = lines.iter().enumerate();
            let hits = numbered.filter(|(_, line)| line.contains(word));
            hits.map(move |(number, line)| json!({"path": path, "line": number + 1, "text": line}))
        });
        let hits: Vec<Value> = hits.take(20).collect();
        let arguments = json!({"pattern": word, "paths": ["src", "tests"], "context": 0});
        ("fs_grep", arguments, format!("{:#}", json!({"total": hits.len(), "matches": hits})))
    }

    fn run_tests(&mut self) -> (&'static str, Value, String) {
        let random = &mut self.random;
        let mut text = format!("   Compiling {} v0.{}.0\n", random.noun(), random.below(30));
        let tests = random.between(4, 30);
        text.push_str(&format!("running {tests} tests\n"));
        for _ in 0..tests {
            let status = if random.below(15) == 0 { "FAILED" } else { "ok" };
            let (module, name) = (random.noun(), random.identifier());
            text.push_str(&format!("test {module}::tests::{name} ... {status}\n"));
        }
        text.push_str(&format!("\ntest result: finished in {}.{}s\n", random.below(9), tests));
        ("cargo_test", json!({"package": random.noun(), "args": ["--all-targets"]}), text)
    }
}

impl Iterator for Author {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if self.waiting.is_empty() {
            self.turn();
        }
        self.events += 7;
        let kind = self.waiting.pop_front()?;
        let mut event = Event::new(moment(self.events), kind);
        if let EventKind::Message(_) = event.kind {
            let (input, output) = (self.random.below(90_000), self.random.below(3_000));
            let usage = json!({"input_tokens": input, "output_tokens": output});
            event.metadata.insert("usage".to_owned(), usage);
        }
        Some(event)
    }
}

/// An event ready to be appended.
pub fn draft(event: Event) -> Draft {
    let bytes = encode(&event).expect("the generator writes small events");
    Draft { event, bytes }
}

/// An event as a program that keeps JSON would keep it.
pub fn json(event: &Event) -> Value {
    let mut value = json!({
        "type": event.event_type().name(),
        "timestamp": event.timestamp,
        "metadata": event.metadata,
    });
    let block = match &event.kind {
        EventKind::Request(request) => {
            value["content"] = json!(request.content.to_text_lossy());
            None
        }
        EventKind::Message(message) => {
            value["content"] = json!(message.content.to_text_lossy());
            Some(&message.block)
        }
        EventKind::Reasoning(reasoning) => {
            value["content"] = json!(reasoning.content.to_text_lossy());
            Some(&reasoning.block)
        }
        EventKind::ToolCall(call) => {
            value["tool"] = json!(call.tool);
            value["id"] = json!(call.id);
            value["arguments"] = serde_json::from_str(call.arguments.as_str()).unwrap_or_default();
            Some(&call.block)
        }
        EventKind::ToolResult(result) => {
            value["tool"] = json!(result.tool);
            value["id"] = json!(result.id);
            value["is_error"] = json!(result.is_error);
            value["content"] = json!(result.content.to_text_lossy());
            None
        }
        _ => None,
    };
    if let Some(block) = block {
        value["model"] = json!(block.model);
        value["answer"] = json!(block.answer);
        value["finish"] = json!(block.finish.as_ref().map(ToString::to_string));
        if let Some(signature) = &block.signature {
            value["signature"] = json!(signature.value);
        }
    }
    value
}

/// Lines in a fence.
pub fn fenced(lines: &[String]) -> String {
    format!("\n\n```rust\n{}\n```\n\n", lines.join("\n"))
}

/// A function as one might write it.
pub fn code(random: &mut Random) -> Vec<String> {
    let (name, argument, local) = (random.identifier(), random.noun(), random.identifier());
    let kind = random.pick(&["&str", "usize", "&Path", "&mut Vec<u8>", "Option<u64>", "&[Entry]"]);
    let mut lines = vec![
        format!("/// {}.", random.prose(30).replace('\n', " ").trim_end_matches(['.', '?', ':'])),
        format!("pub fn {name}({argument}: {kind}) -> Result<{}, Error> {{", random.noun()),
        format!("    let mut {local} = {}::new({argument});", random.noun()),
    ];
    for _ in 0..random.between(2, 9) {
        let (one, two, three) = (random.identifier(), random.noun(), random.identifier());
        match random.below(6) {
            0 => lines.push(format!("    if {local}.{two}() > {} {{", random.below(500))),
            1 => lines.push(format!("    for {two} in {local}.{one}()? {{")),
            2 => {
                lines.push(format!(
                    "    let {one} = {local}.{three}({two}, {})?;",
                    random.below(99)
                ));
                continue;
            }
            3 => {
                lines.push(format!("    // {}", random.prose(40).replace('\n', " ")));
                continue;
            }
            4 => {
                lines.push(format!(
                    "    assert_eq!({one}.len(), {}, \"{three}\");",
                    random.below(64)
                ));
                continue;
            }
            _ => lines.push(format!("    while let Some({two}) = {one}.next() {{")),
        }
        lines.push(format!("        {local}.{}({two});", random.identifier()));
        lines.push("    }".to_owned());
    }
    lines.extend([format!("    Ok({local}.{}())", random.noun()), "}".to_owned(), String::new()]);
    lines
}
