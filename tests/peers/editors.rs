//! The language servers behind editors, in a checkout that is wired as jp does it.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use jp::{edit::wiring, format::Form, model::EventType};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::{
    language_server::{LanguageServer, Mistake},
    peer::installed,
};

const COMPACTION: &str = "from_turn = 0
to_turn = 5

[reasoning]
policy = \"strip\"

[event]
type = \"compaction\"
timestamp = \"2026-01-31T12:03:00Z\"
";

const DELTA: &str = "[assistant]
model = \"anthropic/claude-sonnet\"

[event]
type = \"config-delta\"
timestamp = \"2026-01-31T12:02:00Z\"
";

const META: &str = "format = \"1.0\"\ncreated = \"2026-01-31T12:00:00+01:00\"\n";

fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A directory with the wiring, whose name begins like this.
fn checkout(name: &str) -> TempDir {
    let directory = tempfile::Builder::new().prefix(name).tempdir().unwrap();
    for (path, bytes) in wiring() {
        write(directory.path(), &path, bytes);
    }
    directory
}

fn json_file(root: &Path, path: &str) -> Value {
    serde_json::from_slice(&fs::read(root.join(path)).unwrap()).unwrap()
}

/// What VS Code makes of keys with dots: tables.
fn as_vs_code(root: &Path) -> Value {
    let mut settings = json!({});
    for (key, value) in json_file(root, ".vscode/settings.json").as_object().unwrap() {
        let mut place = &mut settings;
        for name in key.split('.') {
            place = place.as_object_mut().unwrap().entry(name).or_insert_with(|| json!({}));
        }
        *place = value.clone();
    }
    settings
}

/// What Zed hands to the server.
fn as_zed(root: &Path) -> Value {
    json_file(root, ".zed/settings.json")["lsp"]["yaml-language-server"]["settings"].clone()
}

fn yaml_server(root: &Path, mut settings: Value) -> LanguageServer {
    // The network is not asked for schemas of others.
    settings["yaml"]["schemaStore"] = json!({"enable": false});
    let program = installed("node_modules/yaml-language-server/bin/yaml-language-server");
    LanguageServer::start(Command::new("node").arg(program).arg("--stdio"), root, settings)
}

/// The mistakes above a line: those in the frontmatter.
fn above(mistakes: &[Mistake], line: u64) -> Vec<Mistake> {
    mistakes.iter().filter(|(at, _)| *at < line).cloned().collect()
}

#[test]
fn a_wrong_frontmatter_is_told_on_its_line_and_a_good_one_is_not() {
    // The server makes a difference between a path with a hidden directory and one without.
    for (name, settings) in [
        ("checkout", as_vs_code as fn(&Path) -> Value),
        (".checkout", as_vs_code),
        ("checkout", as_zed),
        (".checkout", as_zed),
    ] {
        let directory = checkout(name);
        let mut server = yaml_server(directory.path(), settings(directory.path()));
        let wrong = "---\ntype: request\nmood: good\ninterrupts: maybe\n---\nHello\n";
        server.open("000-request.md", "markdown", wrong);
        let mistakes = server.mistakes("000-request.md", |found| !above(found, 4).is_empty());
        let expected = (3, "Incorrect type. Expected \"boolean\".".to_owned());
        assert_eq!(above(&mistakes, 4), [expected]);

        server.open("001-tool-call-x.md", "markdown", "---\ntype: tool-call\ntool: x\n---\n");
        let mistakes = server.mistakes("001-tool-call-x.md", |_| true);
        assert_eq!(above(&mistakes, 3), [(1, "Missing property \"id\".".to_owned())]);

        server.open("002-config-delta.md", "markdown", "---\ntype: config-delta\n---\n");
        let mistakes = server.mistakes("002-config-delta.md", |_| true);
        assert_eq!(above(&mistakes, 2).len(), 1, "{mistakes:?}");
        assert!(mistakes[0].1.contains("\"inquiry-response\""), "{mistakes:?}");

        let good = "---\ntype: message\nmodel: a/b\nanswer: m\nfinish: stop\n---\nHello\n";
        server.open("003-message.md", "markdown", good);
        let mistakes = server.mistakes("003-message.md", |_| true);
        assert_eq!(above(&mistakes, 5), []);
    }
}

#[test]
fn types_and_then_their_keys_are_offered() {
    let directory = checkout("checkout");
    let mut server = yaml_server(directory.path(), as_vs_code(directory.path()));
    server.open("000-x.md", "markdown", "---\ntype: \n---\n");
    server.mistakes("000-x.md", |found| !above(found, 2).is_empty());
    let mut types = server.complete("000-x.md", 1, 6);
    types.sort();
    let markdown = EventType::ALL.into_iter().filter(|of| Form::of_type(*of) == Form::Markdown);
    let mut expected: Vec<_> = markdown.map(|event_type| event_type.name().to_owned()).collect();
    expected.sort();
    assert_eq!(types, expected);

    server.open("001-message.md", "markdown", "---\ntype: message\n\n---\nHello\n");
    let keys = server.complete("001-message.md", 2, 0);
    for key in ["model", "answer", "finish", "signature", "timestamp", "metadata"] {
        assert!(keys.iter().any(|offered| offered == key), "{key}: {keys:?}");
    }
    assert!(!keys.iter().any(|offered| offered == "interrupts"), "{keys:?}");

    let response = "---\ntype: inquiry-response\nid: a\noutcome: \n---\n";
    server.open("002-inquiry-response.md", "markdown", response);
    let outcomes = server.complete("002-inquiry-response.md", 3, 9);
    assert_eq!(outcomes, ["answered", "cancelled", "redacted"]);
}

/// The guide says so, and how to live with it.
#[test]
fn the_body_is_taken_for_yaml() {
    let directory = checkout("checkout");
    let mut server = yaml_server(directory.path(), as_vs_code(directory.path()));
    let text = "---\ntype: request\n---\nWhat is `this`: *that*?\n\n- a\n";
    server.open("000-request.md", "markdown", text);
    let mistakes = server.mistakes("000-request.md", |found| !found.is_empty());
    assert_eq!(above(&mistakes, 2), []);
}

/// What a linter says, and whether it is content.
fn lint(command: &mut Command, directory: &Path) -> (bool, String) {
    let output = command.current_dir(directory).stdin(Stdio::null()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

/// Has each file linted as it is and with a mistake in it.
fn assert_lints(linter: impl Fn() -> Command) {
    let directory = checkout("checkout");
    for (path, good, part, wrong, said) in [
        ("004-config-delta.toml", DELTA, "\"anthropic/claude-sonnet\"", "3", "2:9"),
        ("004-config-delta.toml", DELTA, "model", "mdel", "2:1"),
        ("011-compaction.toml", COMPACTION, "5", "\"five\"", "2:11"),
        ("011-compaction.toml", COMPACTION, "\"2026", "\"in 2026", "9:13"),
        (".conversation/meta.toml", META, "\"1.0\"", "1.0", "1:10"),
    ] {
        write(directory.path(), path, good);
        let (content, text) = lint(linter().arg(path), directory.path());
        assert!(content, "{path}: {text}");
        write(directory.path(), path, good.replacen(part, wrong, 1));
        let (content, text) = lint(linter().arg(path), directory.path());
        assert!(!content, "{path}, {wrong}: {text}");
        assert!(text.contains(&format!("{path}:{said}")), "{path}, {wrong}: {text}");
    }
}

#[test]
fn taplo_takes_good_tables_and_refuses_wrong_ones() {
    assert_lints(|| {
        let mut command = Command::new("node");
        command.arg(installed("node_modules/@taplo/cli/dist/cli.js"));
        command.args(["lint", "--colors", "never"]);
        command
    });
}

fn tombi(arguments: &[&str]) -> Command {
    let mut command = Command::new("node");
    command.arg(installed("node_modules/tombi/bin/tombi")).args(arguments).env("NO_COLOR", "1");
    command
}

#[test]
fn tombi_takes_good_tables_and_refuses_wrong_ones() {
    assert_lints(|| tombi(&["lint", "--offline"]));
}

#[test]
fn the_keys_of_tables_are_offered() {
    let directory = checkout("checkout");
    let settings = Value::Object(Map::new());
    let mut server =
        LanguageServer::start(&mut tombi(&["lsp", "--offline"]), directory.path(), settings);
    server.open("000-compaction.toml", "toml", "\n[event]\ntype = \"compaction\"\n");
    server.mistakes("000-compaction.toml", |found| !found.is_empty());
    assert_eq!(server.complete("000-compaction.toml", 0, 0), ["from_turn", "to_turn"]);
    let delta = "[assistant]\n\n[event]\ntype = \"config-delta\"\n";
    server.open("001-config-delta.toml", "toml", delta);
    let keys = server.complete("001-config-delta.toml", 1, 0);
    for key in ["model", "system_prompt", "temperature"] {
        assert!(keys.iter().any(|offered| offered == key), "{key}: {keys:?}");
    }
}
