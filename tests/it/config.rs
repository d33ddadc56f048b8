//! `jp config`: what is in force, where it comes from, and how it is changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::support::Jp;

/// The user's own configuration file.
fn own(jp: &Jp) -> PathBuf {
    jp.world().join("config/jp/config.toml")
}

fn write_own(jp: &Jp, text: &str) -> PathBuf {
    let path = own(jp);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

const DEFAULTS: &str = "[assistant]\nmodel = \"guide/jp\"\n\n[title]\ngenerate = false\n\n\
                        [ui]\nreasoning = \"show\"\nusage = true\nterminal_title = true\n";

#[test]
fn outside_of_any_workspace_the_defaults_are_shown() {
    let jp = Jp::new();
    assert_eq!(jp.run(&["config", "show"]).ok(), DEFAULTS);
    let homeless = jp.with_var("HOME", "").with_var("XDG_CONFIG_HOME", "");
    assert_eq!(homeless.run(&["config", "show"]).ok(), DEFAULTS);
    assert_eq!(fs::read_dir(jp.path("")).unwrap().count(), 0);
}

#[test]
fn every_layer_counts_in_its_order_and_is_named_as_the_origin() {
    let jp = Jp::in_workspace();
    let user = write_own(
        &jp,
        "[assistant]\nmodel = \"a/user\"\nmax_tokens = 1\nreasoning = \"low\"\n\
         temperature = 1\n\n[ui]\nusage = false\n\n[tools.ls]\ncommand = [\"ls\"]\n",
    );
    let workspace = jp.write(
        ".jp/config.toml",
        "[assistant]\nmodel = \"a/workspace\"\nmax_tokens = 2\nreasoning = \"medium\"\n",
    );
    let local = jp.write(
        ".jp/config.local.toml",
        "assistant.model = \"a/local\"\nassistant.max_tokens = 3\n",
    );
    let jp = jp.with_var("JP_ASSISTANT_MODEL", "a/variable").at("deep/down");
    let args =
        ["config", "show", "--origin", "-c", "ui.reasoning=hide", "--cfg", "title.model=t/t"];
    let (user, workspace, local) = (shown(&user), shown(&workspace), shown(&local));
    let expected = format!(
        "[assistant]\n\
         model = \"a/variable\" # from $JP_ASSISTANT_MODEL\n\
         max_tokens = 3 # from {local}:2\n\
         temperature = 1 # from {user}:5\n\
         reasoning = \"medium\" # from {workspace}:4\n\n\
         [tools.ls]\n\
         command = [\"ls\"] # from {user}:11\n\
         shell = false # default\n\
         deliver = \"deliver\" # default\n\
         enable = true # default\n\n\
         [title]\n\
         generate = false # default\n\
         model = \"t/t\" # from -c title.model\n\n\
         [ui]\n\
         reasoning = \"hide\" # from -c ui.reasoning\n\
         usage = false # from {user}:8\n\
         terminal_title = true # default\n"
    );
    assert_eq!(jp.run(&args).ok(), expected);
    let json = jp.run(&["config", "show", "assistant", "--origin", "--format", "json"]).json();
    let expected = json!([
        {"key": "assistant.model", "value": "a/variable", "layer": "environment",
         "source": "$JP_ASSISTANT_MODEL", "file": null, "line": null},
        {"key": "assistant.max_tokens", "value": 3, "layer": "local",
         "source": format!("{local}:2"), "file": local, "line": 2},
        {"key": "assistant.temperature", "value": 1, "layer": "user",
         "source": format!("{user}:5"), "file": user, "line": 5},
        {"key": "assistant.reasoning", "value": "medium", "layer": "workspace",
         "source": format!("{workspace}:4"), "file": workspace, "line": 4},
    ]);
    assert_eq!(json, expected);
}

#[test]
fn one_key_or_one_table_can_be_asked_for() {
    let jp = Jp::new();
    write_own(
        &jp,
        "[tools.ls]\ncommand = [\"ls\", \"-l\"]\n[assistant]\nsystem_prompt = \"a\\nb\"\n",
    );
    let show = |key: &str| jp.run(&["config", "show", key]).ok();
    assert_eq!(show("assistant.model"), "guide/jp\n");
    assert_eq!(show("assistant.system_prompt"), "a\nb\n");
    assert_eq!(show("ui.usage"), "true\n");
    assert_eq!(show("tools.ls.command"), "[\"ls\", \"-l\"]\n");
    assert_eq!(show("ui"), "[ui]\nreasoning = \"show\"\nusage = true\nterminal_title = true\n");
    assert_eq!(show("providers"), "");
    let json = |key: &str| jp.run(&["config", "show", key, "--format", "json"]).json();
    assert_eq!(json("assistant.model"), json!("guide/jp"));
    assert_eq!(json("ui"), json!({"reasoning": "show", "usage": true, "terminal_title": true}));
    assert_eq!(json("providers"), json!({}));
    let origin = jp.run(&["config", "show", "ui.usage", "--origin"]).ok();
    assert_eq!(origin, "[ui]\nusage = true # default\n");
    let unset = "error: `assistant.temperature` is not set\n";
    jp.run(&["config", "show", "assistant.temperature"]).fails(1, unset);
    jp.run(&["config", "show", "tools.rm"]).fails(1, "error: `tools.rm` is not set\n");
    jp.run(&["config", "show", "assistant.modle"]).fails(
        2,
        "error: unknown key `assistant.modle`: did you mean `assistant.model`?\n\
         Hint: `jp config schema` describes every key\n",
    );
}

#[test]
fn mistakes_are_told_all_at_once_and_other_commands_work_on() {
    let jp = Jp::in_workspace();
    let user = write_own(&jp, "[assistant]\nmodle = \"a/b\"\nmax_tokens = \"many\"\n");
    let workspace = jp.write(".jp/config.toml", "[ui]\nusage = 1\n");
    let expected = format!(
        "error: {}:2:1: unknown key `assistant.modle`: did you mean `assistant.model`?\n\
         error: {}:3:1: `assistant.max_tokens` must be a whole number from 0 to 4294967295, found \
         the string `many`\n\
         error: {}:2:1: `ui.usage` must be `true` or `false`, found the integer `1`\n",
        shown(&user),
        shown(&user),
        shown(&workspace),
    );
    jp.run(&["config", "show"]).fails(1, &expected);
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).ok(), "[]\n");
    let elsewhere = Jp::new();
    elsewhere.run(&["config", "show", "-c", "ui.usage=perhaps"]).fails(
        2,
        "error: -c ui.usage: `ui.usage` must be `true` or `false`, found the string `perhaps`\n",
    );
    elsewhere.run(&["config", "show", "-c", "ui.usage"]).fails(
        2,
        "error: invalid value 'ui.usage' for '--cfg <KEY=VALUE>': there is no `=` in it: write \
         `KEY=VALUE`\n\nFor more information, try '--help'.\n",
    );
}

#[test]
fn what_a_workspace_may_not_set_is_ignored_with_a_message() {
    let jp = Jp::in_workspace();
    let text = "[tools.\"\\u001b[31m\"]\ncommand = [\"rm\"]\n[providers.p]\nretries = 1\n\
                [store]\npath = \"/x\"\n";
    let path = shown(&jp.write(".jp/config.toml", text));
    let show = jp.run(&["config", "show"]);
    let expected = format!(
        "warning: {path}:6:1: `store.path` is ignored: only your own configuration file may set it\n\
         warning: this workspace is not trusted, so what it says of `tools.\"\\u001B[31m\"`, \
         `providers.p` is ignored; `jp trust` shows it and asks\n",
    );
    assert_eq!(
        (show.stdout.as_str(), show.stderr.as_str(), show.code),
        (DEFAULTS, expected.as_str(), 0)
    );
    let many: String = (0..1000).map(|n| format!("[tools.t{n}]\n")).collect();
    jp.write(".jp/config.toml", many.replace("]\n", "]\nshell = true\n"));
    let said = jp.run(&["config", "show"]).stderr;
    assert_eq!(
        said,
        "warning: this workspace is not trusted, so what it says of `tools.t0`, `tools.t1`, \
         `tools.t2` and 997 more is ignored; `jp trust` shows it and asks\n"
    );
}

#[test]
fn a_workspace_file_that_is_no_file_is_refused_at_once() {
    let jp = Jp::in_workspace();
    let path = jp.path(".jp/config.toml");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let expected = format!("error: cannot read `{}`: it is not a file\n", path.display());
    jp.run(&["config", "show"]).fails(1, &expected);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    let expected = format!("error: cannot read `{}`: it is larger than 1 MiB\n", path.display());
    jp.run(&["config", "show"]).fails(1, &expected);
    fs::write(&path, b"# \xff\n").unwrap();
    let expected = format!("error: cannot read `{}`: it is not UTF-8\n", path.display());
    jp.run(&["config", "show"]).fails(1, &expected);
}

#[test]
fn set_writes_the_users_own_file_and_keeps_the_rest_of_it() {
    let jp = Jp::new();
    let path = shown(&own(&jp));
    let said = jp.run(&["config", "set", "assistant.model", "ollama/llama3"]).ok();
    assert_eq!(said, format!("assistant.model is set in {path}\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "[assistant]\nmodel = \"ollama/llama3\"\n");
    let text = "# mine\n[ui] # shown\nusage = true # always\n\n# who\n[assistant]\nmodel = 'a/b'\n";
    write_own(&jp, text);
    jp.run(&["config", "set", "--user", "assistant.temperature", "0.5"]).ok();
    jp.run(&["config", "set", "ui.usage", "false"]).ok();
    let expected = text.replace("usage = true", "usage = false") + "temperature = 0.5\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    jp.run(&["config", "set", "assistant.max_tokens", "-5"]).fails(
        2,
        "error: `assistant.max_tokens` must be a whole number from 0 to 4294967295, found the \
         integer `-5`\nHint: `jp config schema` describes every key\n",
    );
    jp.run(&["config", "set", "assistant.model", "sk-0123"]).fails(
        2,
        "error: `assistant.model` looks like a secret: keys are never kept in a configuration, \
         they come from environment variables only, which `api_key_env` of a provider names\n\
         Hint: `jp config schema` describes every key\n",
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn set_writes_the_files_of_the_workspace_when_asked() {
    let jp = Jp::in_workspace();
    let inside = jp.at("src");
    let workspace = jp.path(".jp/config.toml");
    let remarks = fs::read_to_string(&workspace).unwrap();
    let said = inside.run(&["config", "set", "--workspace", "assistant.model", "a/b"]).ok();
    assert_eq!(said, format!("assistant.model is set in {}\n", workspace.display()));
    let expected = format!("{remarks}\n[assistant]\nmodel = \"a/b\"\n");
    assert_eq!(fs::read_to_string(&workspace).unwrap(), expected);
    inside.run(&["config", "set", "--local", "ui.usage", "false"]).ok();
    let local = fs::read_to_string(jp.path(".jp/config.local.toml")).unwrap();
    assert_eq!(local, "[ui]\nusage = false\n");
    jp.run(&["config", "set", "--workspace", "store.path", "/x"]).fails(
        1,
        "error: `store.path` cannot be set in the workspace configuration: only your own may say \
         it\nHint: leave the option out to set it in your own configuration\n",
    );
    let set = jp.run(&["config", "set", "--local", "tools.x.command", "[\"ls\"]"]);
    assert_eq!((set.code, set.stderr.as_str()), (0, "Hint: `jp trust` lets it take effect\n"));
    let outside = Jp::new();
    outside.run(&["config", "set", "--local", "ui.usage", "false"]).fails(
        1,
        "error: there is no workspace here\nHint: `jp init` makes this directory a workspace\n",
    );
    assert_eq!(fs::read_dir(outside.path("")).unwrap().count(), 0);
    let homeless = outside.with_var("HOME", "").with_var("XDG_CONFIG_HOME", "");
    homeless.run(&["config", "set", "ui.usage", "false"]).fails(
        1,
        "error: there is no home directory: neither `HOME` nor `XDG_CONFIG_HOME` is set\n",
    );
}

#[test]
fn set_tells_what_counts_more() {
    let jp = Jp::in_workspace();
    let workspace = shown(&jp.write(".jp/config.toml", "\nui.usage = true\n"));
    let set = jp.run(&["config", "set", "ui.usage", "false"]);
    let warning = format!("warning: ui.usage is set by {workspace}:2:4 too, which counts more\n");
    assert_eq!((set.code, set.stderr.as_str()), (0, warning.as_str()));
    let set =
        jp.with_var("JP_UI_USAGE", "true").run(&["config", "set", "--local", "ui.usage", "false"]);
    let warning = "warning: ui.usage is set by $JP_UI_USAGE too, which counts more\n";
    assert_eq!((set.code, set.stderr.as_str()), (0, warning));
}

#[test]
fn set_follows_a_link_of_the_user_and_none_of_a_workspace() {
    let jp = Jp::in_workspace();
    let kept = jp.write("../dotfiles/jp.toml", "# kept elsewhere\n");
    fs::create_dir_all(own(&jp).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&kept, own(&jp)).unwrap();
    jp.run(&["config", "set", "ui.usage", "false"]).ok();
    assert!(own(&jp).is_symlink());
    assert_eq!(fs::read_to_string(&kept).unwrap(), "# kept elsewhere\n\n[ui]\nusage = false\n");
    let local = jp.path(".jp/config.local.toml");
    std::os::unix::fs::symlink(&kept, &local).unwrap();
    jp.run(&["config", "set", "--local", "ui.usage", "true"]).ok();
    assert!(local.is_file() && !local.is_symlink());
    assert_eq!(fs::read_to_string(&kept).unwrap(), "# kept elsewhere\n\n[ui]\nusage = false\n");
}

#[test]
fn the_schema_is_printed_and_every_key_is_documented() {
    let jp = Jp::new();
    let schema = jp.run(&["config", "schema"]).ok();
    assert_eq!(jp.run(&["schema", "config"]).ok(), schema);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(fs::read_to_string(root.join("schema/config.schema.json")).unwrap(), schema);
    let page = fs::read_to_string(root.join("docs/configuration.md")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    for (table, part) in schema["properties"].as_object().unwrap() {
        let (header, keys) = match part.get("properties") {
            Some(keys) => (format!("## `[{table}]`"), keys),
            None => (format!("## `[{table}.NAME]`"), &part["additionalProperties"]["properties"]),
        };
        let section = page.split(&header).nth(1).unwrap_or_else(|| panic!("{header} is missing"));
        let section = section.split("\n## ").next().unwrap();
        for key in keys.as_object().unwrap().keys() {
            assert!(section.contains(&format!("| `{key}` |")), "{table}.{key}");
        }
    }
}

#[test]
fn the_examples_in_the_documentation_are_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/configuration.md")).unwrap();
    let examples: Vec<_> = page.split("```toml\n").skip(1).collect();
    assert!(!examples.is_empty());
    for example in examples {
        let jp = Jp::new();
        write_own(&jp, example.split("```").next().unwrap());
        jp.run(&["config", "show"]).ok();
    }
}
