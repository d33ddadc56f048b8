//! The page about tools is true: its example does what the page says.

use std::{fs, path::Path, sync::Arc};

use jp::{
    cancel::Cancel,
    env::Env,
    model::CallId,
    tool::{CommandSpec, CommandTool, Host, Invocation, Outcome, Program, Site, Tool},
};
use serde_json::{Map, Value, json};

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tools.md")).unwrap()
}

/// The blocks of the page in a language.
fn blocks(language: &str) -> Vec<String> {
    let page = page();
    let opening = format!("```{language}\n");
    let rest = page.split(&opening).skip(1);
    rest.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The tool of the page: its declaration, and its script run by `python3`.
fn example(workspace: &Path) -> CommandTool {
    let declaration: Value = toml::from_str(&blocks("toml")[0]).unwrap();
    let declaration = &declaration["tools"]["note_add"];
    fs::write(workspace.join("note-add"), &blocks("python")[0]).unwrap();
    let program = Program::Argv(["python3", "note-add"].map(str::to_owned).to_vec());
    let mut spec = CommandSpec::new("note_add", program);
    spec.parameters = declaration["parameters"].clone();
    spec.description = declaration["description"].as_str().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let site = Site {
        env: Env::fixed([("PATH".into(), path)], workspace.to_owned(), now),
        workspace: workspace.to_owned(),
        outputs: workspace.join("outputs"),
        keys: Vec::new(),
        running: jp::process::Running::default(),
        escort: None,
    };
    CommandTool::new(spec, Arc::new(site)).unwrap()
}

#[test]
fn the_example_of_the_page_asks_notes_and_does_not_note_twice() {
    // The only test that needs Python: without it there is nothing to prove.
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let tool = example(directory.path());
    tool.verify().unwrap();
    let mut invocation = Invocation {
        id: CallId::new("call_7"),
        arguments: json!({ "text": "buy milk" }),
        answers: Map::new(),
        is_resume: false,
        subject: None,
        written: None,
    };
    let run = |invocation: &Invocation| tool.run(invocation, &Host::alone(&Cancel::new()));
    let Outcome::NeedsInput(question) = run(&invocation) else { panic!("{:?}", run(&invocation)) };
    assert_eq!(question.text, "There is no NOTES.md yet. Create it?");
    invocation.answers.insert(question.id.clone(), json!(false));
    let declined = Outcome::error("There is no NOTES.md, and none is wanted.");
    assert_eq!(run(&invocation), declined);
    invocation.answers.insert(question.id, json!(true));
    assert_eq!(run(&invocation), Outcome::success("Added to NOTES.md.\n"));
    invocation.is_resume = true;
    assert_eq!(run(&invocation), Outcome::success("The note was there already."));
    let notes = fs::read_to_string(directory.path().join("NOTES.md")).unwrap();
    assert_eq!(notes, "- buy milk <!-- call_7 -->\n");
    invocation.arguments = json!({ "txt": "" });
    assert!(tool.check(&invocation.arguments).is_err());
}

#[test]
fn every_line_of_json_on_the_page_is_json() {
    let lines = blocks("json").concat();
    assert_eq!(lines.lines().count(), 4);
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert!(value.is_object(), "{line}");
    }
}
