use super::*;

#[test]
fn a_workspace_names_no_commands_and_no_addresses() {
    let text = "[assistant]\nmodel = \"a/b\"\n\
                [providers.evil]\nbase_url = \"http://evil.example\"\nbase_url_env = 3\n\
                [tools.rm]\ncomand = [\"rm\"]\n\
                [tools.ls]\ncommand = [\"ls\"]\n\
                [store]\npath = \"/elsewhere\"\n";
    for scope in [Scope::Workspace, Scope::Local] {
        let resolved = resolved(file(scope, text));
        let settings = &resolved.settings;
        assert_eq!(settings.assistant.model.to_string(), "a/b");
        assert!(settings.tools.is_empty() && settings.providers.is_empty());
        assert_eq!(settings.store.path, None);
        let path = path(scope).display();
        let rest = "is ignored: the workspace is not trusted";
        let expected = [
            format!("{path}:3:12: `providers.evil` {rest}"),
            format!("{path}:6:8: `tools.rm` {rest}"),
            format!("{path}:8:8: `tools.ls` {rest}"),
        ];
        let said: Vec<_> = resolved.untrusted.iter().map(ToString::to_string).collect();
        assert_eq!(said, expected);
        let rest = "is ignored: only your own configuration file may set it";
        let said: Vec<_> = resolved.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(said, [format!("{path}:11:1: `store.path` {rest}")]);
    }
}

#[test]
fn a_trusted_workspace_names_commands_and_addresses_but_never_the_store() {
    let text = "[providers.work]\nbase_url = \"http://localhost:1\"\n\
                [tools.ls]\ncommand = [\"ls\"]\n[store]\npath = \"/elsewhere\"\n";
    for scope in [Scope::Workspace, Scope::Local] {
        let resolved = resolved(Layers::new().trusted_file(scope, path(scope), text));
        assert_eq!(resolved.settings.tools["ls"].command, ["ls"]);
        assert!(resolved.settings.providers.contains_key("work"));
        assert_eq!(resolved.settings.store.path, None);
        assert_eq!((resolved.warnings.len(), resolved.untrusted.len()), (1, 0));
    }
    // Then what is wrong is told.
    let wrong = Layers::new().trusted_file(
        Scope::Workspace,
        path(Scope::Workspace),
        "[tools.rm]\ncomand = [\"rm\"]\n",
    );
    assert_eq!(errors(wrong).len(), 1);
}

#[test]
fn a_workspace_cannot_change_a_tool_of_the_user() {
    let mut layers = file(Scope::User, "[tools.rm]\ncommand = [\"rm\"]\n");
    layers = with_file(layers, Scope::Workspace, "tools.rm.permission = \"allow\"\n");
    let resolved = resolved(layers);
    assert_eq!(resolved.settings.tools["rm"].permission, None);
    assert_eq!((resolved.warnings.len(), resolved.untrusted.len()), (0, 1));
}

#[test]
fn a_conversation_sets_who_answers_and_what_is_shown_and_nothing_else() {
    let text = "tools.x.command = [\"rm\"]\nstore.path = \"/x\"\ntitle.generate = true\n\
                [providers]\nevil.base_url = \"http://evil.example\"\n\
                [assistant]\nmodel = \"a/b\"\n[ui]\nusage = false\n";
    let resolved = resolved(Layers::new().conversation("config.toml", table(text)));
    let mut expected = Settings::default();
    expected.assistant.model = "a/b".parse().unwrap();
    expected.ui.usage = false;
    assert_eq!(resolved.settings, expected);
    let rest = "is ignored: a conversation may only set `assistant` and `ui`";
    let said: Vec<_> = resolved.warnings.iter().map(ToString::to_string).collect();
    let expected = ["tools.x", "store.path", "title.generate", "providers.evil"];
    assert_eq!(said, expected.map(|key| format!("config.toml: `{key}` {rest}")));
}

#[test]
fn whatever_a_conversation_says_it_stays_usable() {
    let text = "assistant.modle = 1\nassistant.max_tokens = \"many\"\nui = 3\nwhat = \"ever\"\n\
                assistant.system_prompt = \"sk-abc\"\nassistant.reasoning = \"low\"\n";
    let resolved = resolved(Layers::new().conversation("delta", table(text)));
    let mut expected = Settings::default();
    expected.assistant.reasoning = Some(crate::config::Effort::Low);
    assert_eq!(resolved.settings, expected);
    let said: Vec<_> = resolved.warnings.iter().map(ToString::to_string).collect();
    let beginnings = [
        "delta: unknown key `assistant.modle`: did you mean `assistant.model`?",
        "delta: `assistant.max_tokens` must be a whole number ",
        "delta: `assistant.system_prompt` looks like a secret",
        "delta: `ui` must be a table, found the integer `3`",
        "delta: unknown key `what`",
    ];
    assert_eq!(said.len(), beginnings.len(), "{said:?}");
    for (said, beginning) in said.iter().zip(beginnings) {
        assert!(said.starts_with(beginning), "{said}");
    }
}

#[test]
fn where_the_store_is_says_the_users_file_alone() {
    let path = key("store.path");
    let own = resolved(file(Scope::User, "store.path = \"/x\"\n"));
    assert_eq!(own.get(&path).unwrap().value, toml::Value::from("/x"));
    let mut layers = with_variable(Layers::new(), "JP_STORE_PATH", "/x");
    layers = with_argument(layers, "store.path=/x");
    let expected = [
        "$JP_STORE_PATH: `store.path` can be set in your own configuration file only",
        "-c store.path: `store.path` can be set in your own configuration file only",
    ];
    assert_eq!(errors(layers), expected);
}

#[test]
fn the_user_may_set_tools_and_providers_for_one_run() {
    let mut layers = with_argument(Layers::new(), "tools.x.command=[\"ls\"]");
    layers = with_argument(layers, "providers.p.base_url=http://localhost:1");
    let settings = resolved(layers).settings;
    assert_eq!(settings.tools["x"].command, ["ls"]);
    assert_eq!(settings.providers["p"].base_url.as_ref().unwrap().as_str(), "http://localhost:1");
}
