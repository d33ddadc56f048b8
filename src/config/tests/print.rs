use super::*;

fn settings() -> Resolved {
    let user = "[assistant]\nmodel = \"a/b\"\nsystem_prompt = \"Be brief.\\nBe kind.\"\n\
                [tools.ls]\ncommand = [\"ls\", \"-l\"]\noutput_limit = \"64KB\"\n\
                parameters = { type = \"object\", properties = { path = { type = \"string\" } } }\n\
                [providers.\"my.own\"]\nidle_timeout = \"90s\"\n";
    let layers = with_variable(file(Scope::User, user), "JP_TITLE_GENERATE", "true");
    resolved(with_argument(layers, "assistant.max_tokens=5"))
}

#[test]
fn everything_that_is_in_force_is_printed_as_toml_with_its_origin() {
    let resolved = settings();
    let expected = "\
[assistant]
model = \"a/b\" # from /u/config.toml:2
system_prompt = \"\"\"
Be brief.
Be kind.\"\"\" # from /u/config.toml:3
max_tokens = 5 # from -c assistant.max_tokens

[providers.\"my.own\"]
idle_timeout = \"90s\" # from /u/config.toml:9

[tools.ls]
command = [\"ls\", \"-l\"] # from /u/config.toml:5
shell = false # default
parameters = { type = \"object\", properties = { path = { type = \"string\" } } } # from /u/config.toml:7
deliver = \"deliver\" # default
output_limit = \"64KB\" # from /u/config.toml:6
enable = true # default

[title]
generate = true # from $JP_TITLE_GENERATE

[ui]
reasoning = \"show\" # default
usage = true # default
terminal_title = true # default
";
    assert_eq!(resolved.to_toml(&Key::default(), true), expected);
    let without: String =
        expected.lines().map(|line| format!("{}\n", line.split(" # ").next().unwrap())).collect();
    assert_eq!(resolved.to_toml(&Key::default(), false), without);
}

#[test]
fn what_is_printed_is_a_configuration_with_the_same_settings() {
    let resolved_once = settings();
    for with_origins in [false, true] {
        let text = resolved_once.to_toml(&Key::default(), with_origins);
        assert_eq!(resolved(file(Scope::User, &text)).settings, resolved_once.settings);
    }
}

#[test]
fn a_table_or_a_value_can_be_printed_alone() {
    let resolved = settings();
    let title = "[title]\ngenerate = true\n";
    assert_eq!(resolved.to_toml(&key("title"), false), title);
    assert_eq!(resolved.to_toml(&key("title.generate"), false), title);
    assert_eq!(resolved.to_toml(&key("store"), false), "");
    assert_eq!(resolved.to_json(&key("title")), serde_json::json!({"generate": true}));
    assert_eq!(resolved.to_json(&key("title.generate")), serde_json::json!(true));
    assert_eq!(resolved.to_json(&key("store")), serde_json::json!({}));
    let expected = serde_json::json!({"my.own": {"idle_timeout": "90s"}});
    assert_eq!(resolved.to_json(&key("providers")), expected);
    let all = resolved.to_json(&Key::default());
    assert_eq!(all["tools"]["ls"]["command"], serde_json::json!(["ls", "-l"]));
    assert_eq!(all["assistant"]["max_tokens"], 5);
}

#[test]
fn the_name_of_a_file_cannot_end_a_comment() {
    let layers = Layers::new().file(Scope::User, Path::new("/a\nb"), "ui.usage = true\n");
    let text = resolved(layers).to_toml(&key("ui.usage"), true);
    assert_eq!(text, "[ui]\nusage = true # from /a\u{fffd}b:1\n");
}
