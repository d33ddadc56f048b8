use super::*;
use crate::config::set;

fn changed(scope: Scope, text: &str, given: &str) -> Result<String, String> {
    let given: Override = given.parse().unwrap();
    set(scope, path(scope), text, &given).map_err(|error| error.to_string())
}

#[test]
fn one_value_changes_and_nothing_else() {
    let text = "# mine\n\n[ui]   # what I see\nusage   = true   # always\n\n\
                [assistant]\n# the big one\nmodel = 'a/b' # good\n";
    let expected = "# mine\n\n[ui]   # what I see\nusage   = false   # always\n\n\
                    [assistant]\n# the big one\nmodel = 'a/b' # good\n";
    assert_eq!(changed(Scope::User, text, "ui.usage=false").unwrap(), expected);
    let expected = text.replace("'a/b'", "\"c/d\"");
    assert_eq!(changed(Scope::Workspace, text, "assistant.model=c/d").unwrap(), expected);
    let expected = format!("{text}max_tokens = 5\n");
    assert_eq!(changed(Scope::Local, text, "assistant.max_tokens=5").unwrap(), expected);
}

#[test]
fn a_key_goes_where_its_table_is_written_in_whichever_way() {
    let set = |text, given| changed(Scope::User, text, given).unwrap();
    assert_eq!(set("", "assistant.model=a/b"), "[assistant]\nmodel = \"a/b\"\n");
    assert_eq!(
        set("# only a remark\n", "tools.x.command=[\"ls\", \"-l\"]"),
        "# only a remark\n\n[tools.x]\ncommand = [\"ls\", \"-l\"]\n"
    );
    assert_eq!(
        set("assistant.model = \"a/b\"\n", "assistant.max_tokens=5"),
        "assistant.model = \"a/b\"\nassistant.max_tokens = 5\n"
    );
    assert_eq!(
        set("assistant = { model = \"a/b\" }\n", "assistant.max_tokens=5"),
        "assistant = { model = \"a/b\" , max_tokens = 5 }\n"
    );
    let text = "[tools.x]\ncommand = [\"x\"]\n[tools.x.parameters]\ntype = \"object\"\n";
    let given = "tools.x.parameters={type = \"object\", properties = {}}";
    let changed = set(text, given);
    let tools = resolved(file(Scope::User, &changed)).settings.tools;
    assert_eq!(tools["x"].parameters["properties"], serde_json::json!({}), "{changed}");
    assert_eq!(
        set("[ui]\nusage = true\n\n# the end\n", "assistant.max_tokens=5"),
        "[ui]\nusage = true\n\n# the end\n\n[assistant]\nmax_tokens = 5\n"
    );
    assert_eq!(
        set("[ui]\nusage = true\n", "title.generate=true"),
        "[ui]\nusage = true\n\n[title]\ngenerate = true\n"
    );
    let quoted = set("", "providers.\"a.b\".retries=1");
    assert_eq!(quoted, "[providers.\"a.b\"]\nretries = 1\n");
}

#[test]
fn a_text_of_several_lines_comes_back_as_it_was_given() {
    let prompt = "one\n\"two\"\n\ttab \\ '''";
    let text = changed(Scope::User, "", &format!("assistant.system_prompt={prompt}")).unwrap();
    let settings = resolved(file(Scope::User, &text)).settings;
    assert_eq!(settings.assistant.system_prompt.as_deref(), Some(prompt), "{text}");
}

#[test]
fn what_is_wrong_is_not_written() {
    let refused = |text, given| changed(Scope::User, text, given).unwrap_err();
    assert_eq!(
        refused("", "assistant.modle=a/b"),
        "unknown key `assistant.modle`: did you mean `assistant.model`?"
    );
    assert_eq!(
        refused("", "assistant.max_tokens=many"),
        "`assistant.max_tokens` must be a whole number from 0 to 4294967295, found the string `many`"
    );
    assert_eq!(
        refused("", "ui={usage=true}"),
        "`ui` is a table: set one of its keys, which are reasoning, usage, terminal_title"
    );
    assert_eq!(refused("", "tools={}"), "`tools` is a table: set one of its keys");
    assert!(
        refused("", "providers.x.api_key_env=sk-123")
            .starts_with("`providers.x.api_key_env` looks like a secret")
    );
    assert!(
        refused("", "providers.x.api_key=123")
            .starts_with("`providers.x.api_key` looks like a secret")
    );
    assert_eq!(
        refused("", "tools.x.environment=[\"A\"]"),
        "/u/config.toml:2:1: tool `x` has no `command`"
    );
    // What is wrong elsewhere in the file has to be mended first, and is mended by setting it.
    let broken = "[assistant]\nmodel = 3\n";
    assert_eq!(
        refused(broken, "ui.usage=true"),
        "/u/config.toml:2:1: `assistant.model` must be a model, written as `provider/name`, found the integer `3`"
    );
    assert_eq!(
        changed(Scope::User, broken, "assistant.model=a/b").unwrap(),
        "[assistant]\nmodel = \"a/b\"\n"
    );
    assert!(refused("[ui\n", "ui.usage=true").starts_with("/u/config.toml:1:4: invalid TOML: "));
    assert_eq!(
        refused("ui = 3\n", "ui.usage=true"),
        "/u/config.toml:1:1: `ui` must be a table, found the integer `3`"
    );
}

#[test]
fn what_a_workspace_may_not_set_is_not_written_there() {
    for scope in [Scope::Workspace, Scope::Local] {
        let said = changed(scope, "", "store.path=/x").unwrap_err();
        let expected = format!(
            "`store.path` cannot be set in the {} configuration: only your own may say it",
            scope.name()
        );
        assert_eq!(said, expected);
    }
    changed(Scope::User, "", "store.path=/x").unwrap();
}

#[test]
fn what_needs_trust_is_written_and_must_be_right() {
    for scope in Scope::ALL {
        let text = changed(scope, "", "tools.x.command=[\"ls\"]").unwrap();
        assert_eq!(text, "[tools.x]\ncommand = [\"ls\"]\n");
        assert!(changed(scope, "", "tools.\"a b\".command=[\"ls\"]").is_err());
    }
    let foreign = "[tools.\"a b\"]\ncommand = [\"ls\"]\n";
    changed(Scope::Workspace, foreign, "ui.usage=true").unwrap();
}
