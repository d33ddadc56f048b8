use super::*;

#[test]
fn a_typo_names_the_place_and_the_nearest_key() {
    let text = "[assistant]\nmodle = \"a/b\"\n";
    let expected =
        "/u/config.toml:2:1: unknown key `assistant.modle`: did you mean `assistant.model`?";
    assert_eq!(errors(file(Scope::User, text)), [expected]);
    for (text, nearest) in [
        ("[assistent]\nmodel = \"a/b\"", "assistant"),
        ("model = \"a/b\"", "assistant.model"),
        ("tools.fs.comand = []", "tools.fs.command"),
        ("[assistant]\nmax-tokens = 1", "assistant.max_tokens"),
        ("provider.x.api = \"openai\"", "providers"),
        ("[ui]\ntemperature = 1", "assistant.temperature"),
    ] {
        let said = errors(file(Scope::User, text));
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].ends_with(&format!(": did you mean `{nearest}`?")), "{said:?}");
    }
    let said = errors(file(Scope::User, "[title]\ncolour = 1"));
    let expected =
        "/u/config.toml:2:1: unknown key `title.colour`: the keys here are `generate`, `model`";
    assert_eq!(said, [expected]);
}

#[test]
fn all_mistakes_of_all_layers_are_told_at_once_with_what_is_accepted_and_what_was_found() {
    let user = "[assistant]\n\
                model = 3\n\
                max_tokens = -1\n\
                temperature = 3.5\n\
                reasoning = \"hgih\"\n\
                system_prompt = [\"a\"]\n\
                [ui]\n\
                usage = \"yes\"\n\
                [tools.x]\n\
                command = [\"a\", 1]\n\
                timeout = 90\n\
                output_limit = \"much\"\n\
                parameters = \"none\"\n\
                permission = true\n\
                [providers.p]\n\
                base_url = \"localhost\"\n\
                api_key_env = \"MY KEY\"\n\
                retries = 1979-05-27\n";
    let mut layers = file(Scope::User, user);
    layers = with_file(layers, Scope::Workspace, "title = 1\nui.usge = true\n");
    layers = with_variable(layers, "JP_TITLE_GENERATE", "perhaps");
    layers = with_argument(layers, "ui.reasoning=maybe");
    layers = with_argument(layers, "ui.colour=red");
    layers = layers.flag("--model", key("assistant.model"), "large");
    let expected = [
        "/u/config.toml:2:1: `assistant.model` must be a model, written as `provider/name`, found the integer `3`",
        "/u/config.toml:3:1: `assistant.max_tokens` must be a whole number from 0 to 4294967295, found the integer `-1`",
        "/u/config.toml:4:1: `assistant.temperature` must be a number from 0 to 2, found the float `3.5`",
        "/u/config.toml:5:1: `assistant.reasoning` must be `off`, `low`, `medium` or `high`, found the string `hgih`: did you mean `high`?",
        "/u/config.toml:6:1: `assistant.system_prompt` must be a string, found an array",
        "/u/config.toml:8:1: `ui.usage` must be `true` or `false`, found the string `yes`",
        "/u/config.toml:10:1: `tools.x.command` must be an array of strings, found an array with the integer `1`",
        "/u/config.toml:11:1: `tools.x.timeout` must be a duration such as `90s`, `5m` or `1h 30m`, found the integer `90`",
        "/u/config.toml:12:1: `tools.x.output_limit` must be a size such as `64KB` or `1MiB`, or a number of bytes, found the string `much`",
        "/u/config.toml:13:1: `tools.x.parameters` must be a table, found the string `none`",
        "/u/config.toml:14:1: `tools.x.permission` must be `ask`, `allow`, `edit` or `deny`, found the boolean `true`",
        "/u/config.toml:16:1: `providers.p.base_url` must be an address that begins with `http://` or `https://`, found the string `localhost`",
        "/u/config.toml:17:1: `providers.p.api_key_env` must be the name of an environment variable, found the string `MY KEY`",
        "/u/config.toml:18:1: `providers.p.retries` must be a whole number from 0 to 4294967295, found the date `1979-05-27`",
        "/w/.jp/config.toml:1:1: `title` must be a table, found the integer `1`",
        "/w/.jp/config.toml:2:4: unknown key `ui.usge`: did you mean `ui.usage`?",
        "$JP_TITLE_GENERATE: `title.generate` must be `true` or `false`, found the string `perhaps`",
        "-c ui.reasoning: `ui.reasoning` must be `show` or `hide`, found the string `maybe`",
        "-c ui.colour: unknown key `ui.colour`: the keys here are `reasoning`, `usage`, `terminal_title`",
        "--model: `assistant.model` must be a model, written as `provider/name`, found the string `large`",
    ];
    assert_eq!(errors(layers), expected);
}

#[test]
fn a_layer_that_is_not_toml_is_one_mistake() {
    let text = "[assistant]\nmodel = \nmodle = 3\n[ui\n";
    let said = errors(file(Scope::Local, text));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("/w/.jp/config.local.toml:2:9: invalid TOML: "), "{said:?}");
    let twice = errors(file(Scope::User, "ui.usage = true\nui.usage = true\n"));
    assert_eq!(twice.len(), 1, "{twice:?}");
    assert!(twice[0].starts_with("/u/config.toml:2:4: invalid TOML: "), "{twice:?}");
    let large = errors(file(Scope::User, "assistant.max_tokens = 99999999999999999999\n"));
    assert_eq!(large.len(), 1, "{large:?}");
    assert!(large[0].starts_with("/u/config.toml:1:11: invalid TOML: "), "{large:?}");
}

#[test]
fn a_file_may_begin_with_a_byte_order_mark_and_end_its_lines_as_windows_does() {
    let text = "\u{feff}[assistant]\r\nmodel = \"a/b\"\r\nmodle = 1\r\n";
    let expected =
        "/u/config.toml:3:1: unknown key `assistant.modle`: did you mean `assistant.model`?";
    assert_eq!(errors(file(Scope::User, text)), [expected]);
}

#[test]
fn a_variable_that_is_nearly_a_setting_is_warned_about() {
    let layers = with_variable(Layers::new(), "JP_ASSISTANT_MODLE", "a/b");
    let expected = "$JP_ASSISTANT_MODLE: no key has this name: did you mean `JP_ASSISTANT_MODEL`?";
    assert_eq!(warnings(layers), [expected]);
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let value = OsStr::from_bytes(b"\xff");
    let layers = Layers::new().variables([(OsStr::new("JP_ASSISTANT_MODEL"), value)]);
    assert_eq!(errors(layers), ["$JP_ASSISTANT_MODEL: it is not UTF-8"]);
}

#[test]
fn secrets_are_refused_wherever_they_stand_and_never_repeated() {
    const SECRET: &str = "sk-ant-0123456789";
    let text = format!(
        "[providers.a]\napi_key = \"hunter2\"\n[providers.b]\napi_key_env = \"{SECRET}\"\n\
         [tools.c]\ncommand = [\"curl\", \"{SECRET}\"]\n[ui]\nusage = \"{SECRET}\"\n\
         reasoning = \"{SECRET}\"\ntoken = \"x\"\n[tools.d.parameters.properties]\nx = \"{SECRET}\"\n"
    );
    let said = errors(file(Scope::User, &text));
    let keys = [
        "2:1: `providers.a.api_key`",
        "4:1: `providers.b.api_key_env`",
        "6:1: `tools.c.command`",
        "8:1: `ui.usage`",
        "9:1: `ui.reasoning`",
        "10:1: `ui.token`",
        "11:10: `tools.d.parameters`",
    ];
    let rest = "looks like a secret: keys are never kept in a configuration, they come from \
                environment variables only, which `api_key_env` of a provider names";
    let expected: Vec<_> = keys.iter().map(|key| format!("/u/config.toml:{key} {rest}")).collect();
    let mut sorted = said.clone();
    sorted.sort_by_key(|line| expected.iter().position(|expected| expected == line));
    assert_eq!(sorted, expected);
    let mut others = with_argument(Layers::new(), &format!("assistant.model={SECRET}"));
    others = with_variable(others, "JP_ASSISTANT_SYSTEM_PROMPT", SECRET);
    others = with_file(others, Scope::Workspace, &format!("providers.x.api_key = \"{SECRET}\""));
    let others = errors(others);
    assert_eq!(others.len(), 3, "{others:?}");
    assert!(
        said.iter().chain(&others).all(|line| !line.contains("0123") && !line.contains("hunter"))
    );
}

#[test]
fn what_must_hold_between_settings_is_checked_at_the_value_to_change() {
    let text = "store.path = \"here\"\n\
                [tools.empty]\nenvironment = [\"X\"]\n\
                [tools.shell]\ncommand = [\"ls\", \"-l\"]\nshell = true\n\
                [tools.\"odd name\"]\ncommand = [\"x\"]\n\
                [tools.blank]\ncommand = [\"\"]\n\
                rules = [{ permission = \"allow\" }]\n\
                [providers.\"a/b\"]\nretries = 1\n\
                [providers.p]\napi = \"ollama\"\nfile = \"x\"\n\
                [providers.q]\nfile = \"x\"\n";
    let mut expected = [
        "/u/config.toml:1:7: `store.path` must be an absolute path",
        "/u/config.toml:3:1: tool `empty` has no `command`",
        "/u/config.toml:5:1: `tools.shell.command` must be one string, because `shell` is true, found 2",
        "/u/config.toml:8:1: `tools.\"odd name\"` is not a name that can be used: the name of a tool has 1 to 64 letters, digits, `_` and `-`",
        "/u/config.toml:10:1: tool `blank` has no `command`",
        "/u/config.toml:11:1: a rule in `tools.blank.rules` needs `argv` or `path`, and not both",
        "/u/config.toml:13:1: `providers.\"a/b\"` is not a name that can be used: the name of a provider has no `/`, because a model is written as `provider/name`, and no space",
        "/u/config.toml:16:1: `providers.p.file` is for a provider with `api = \"script\"` only",
    ];
    let mut said = errors(file(Scope::User, text));
    said.sort();
    expected.sort_unstable();
    assert_eq!(said, expected);
    let right = "store.path = \"~/x\"\n[tools.shell]\ncommand = [\"ls | wc\"]\nshell = true\n";
    assert!(resolved(file(Scope::User, right)).warnings.is_empty());
}
