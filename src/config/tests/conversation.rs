use super::*;

const USER: &str = "[assistant]\nmodel = \"a/b\"\nmax_tokens = 5\n[ui]\nusage = false\n\
                    [tools.x]\ncommand = [\"x\"]\n";

#[test]
fn a_new_conversation_keeps_what_was_set_of_the_assistant() {
    assert_eq!(resolved(Layers::new()).base_config(), toml::Table::new());
    let mut layers = file(Scope::User, USER);
    layers = with_variable(layers, "JP_ASSISTANT_TEMPERATURE", "0.5");
    layers = layers.flag("--model", key("assistant.model"), "c/d");
    let base = resolved(layers).base_config();
    assert_eq!(base, table("[assistant]\nmodel = \"c/d\"\nmax_tokens = 5\ntemperature = 0.5\n"));
}

#[test]
fn what_a_conversation_keeps_gives_the_same_assistant_again_elsewhere() {
    let resolved_here = resolved(file(Scope::User, USER));
    let elsewhere = file(Scope::User, "assistant.model = \"other/model\"\n")
        .conversation("config.toml", resolved_here.base_config());
    let resolved_there = resolved(elsewhere);
    assert_eq!(resolved_there.settings.assistant, resolved_here.settings.assistant);
    assert!(resolved_there.warnings.is_empty());
}

#[test]
fn a_delta_is_what_the_command_line_changes_in_a_conversation() {
    let continued = || {
        file(Scope::User, USER)
            .conversation("config.toml", table("assistant.model = \"a/b\""))
            .conversation("003-config-delta.toml", table("assistant.model = \"c/d\""))
    };
    assert_eq!(resolved(continued()).delta(), None);
    let same = with_argument(continued(), "assistant.model=c/d");
    assert_eq!(resolved(same).delta(), None);
    // What it had before and has no more is a change.
    let back = with_argument(continued(), "assistant.model=a/b");
    assert_eq!(resolved(back).delta(), Some(table("assistant.model = \"a/b\"")));
    // What is in force here is not what the conversation has.
    let here = with_argument(continued(), "assistant.max_tokens=5");
    assert_eq!(resolved(here).delta(), Some(table("assistant.max_tokens = 5")));
    let other = with_argument(continued(), "ui.usage=true");
    assert_eq!(resolved(other).delta(), None);
}
