use proptest::prelude::*;

use super::*;
use crate::config::{Effort, ModelChoice, Origin, Timeout, Visibility};

/// The layers by rank; each can set `assistant.model` and `ui.usage`.
const LAYERS: usize = 6;

/// Pushes what one layer says.
fn push(layers: Layers, rank: usize, model: &str) -> Layers {
    let text = format!("[assistant]\nmodel = \"{model}\"\n");
    match rank {
        0 => with_file(layers, Scope::User, &text),
        1 => with_file(layers, Scope::Workspace, &text),
        2 => with_file(layers, Scope::Local, &text),
        3 => with_variable(layers, "JP_ASSISTANT_MODEL", model),
        4 => layers.conversation("000-config-delta.toml", table(&text)),
        _ => with_argument(layers, &format!("assistant.model={model}")),
    }
}

fn layer(rank: usize) -> &'static str {
    ["user", "workspace", "local", "environment", "conversation", "argument"][rank]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_highest_layer_counts_however_they_are_pushed_and_of_one_layer_the_last(
        pushed in prop::collection::vec((0..LAYERS, "[a-z]{1,4}"), 0..12),
    ) {
        let mut layers = Layers::new();
        for (rank, name) in &pushed {
            layers = push(layers, *rank, &format!("p/{name}"));
        }
        let resolved = resolved(layers);
        // The maximum is the last of those with the highest rank.
        let expected = pushed.iter().max_by_key(|(rank, _)| *rank);
        let effective = resolved.get(&key("assistant.model")).unwrap();
        match expected {
            None => {
                prop_assert_eq!(&resolved.settings, &Settings::default());
                prop_assert_eq!(&effective.origin, &Origin::Default);
            }
            Some((rank, name)) => {
                prop_assert_eq!(resolved.settings.assistant.model.name(), name);
                prop_assert_eq!(effective.origin.layer(), layer(*rank));
            }
        }
    }

    #[test]
    fn what_a_higher_layer_does_not_set_stays(values in prop::collection::vec(
        (prop::option::of("[a-z]{1,4}"), prop::option::of(0..1000_u32)), LAYERS,
    )) {
        let mut layers = Layers::new();
        for (rank, (model, tokens)) in values.iter().enumerate() {
            if let Some(model) = model {
                layers = push(layers, rank, &format!("p/{model}"));
            }
            if let Some(tokens) = tokens {
                let text = format!("assistant.max_tokens = {tokens}\n");
                layers = match rank {
                    0 => with_file(layers, Scope::User, &text),
                    1 => with_file(layers, Scope::Workspace, &text),
                    2 => with_file(layers, Scope::Local, &text),
                    3 => with_variable(layers, "JP_ASSISTANT_MAX_TOKENS", &tokens.to_string()),
                    4 => layers.conversation("delta", table(&text)),
                    _ => layers.flag("--max-tokens", key("assistant.max_tokens"), i64::from(*tokens)),
                };
            }
        }
        let assistant = resolved(layers).settings.assistant;
        let model = values.iter().rev().find_map(|(model, _)| model.clone());
        let tokens = values.iter().rev().find_map(|(_, tokens)| *tokens);
        prop_assert_eq!(assistant.max_tokens, tokens);
        let default = ModelChoice::default().name().to_owned();
        prop_assert_eq!(assistant.model.name(), model.unwrap_or(default));
    }
}

#[test]
fn without_layers_there_are_the_defaults() {
    let resolved = resolved(Layers::new());
    assert_eq!(resolved.settings, Settings::default());
    assert_eq!(resolved.settings.assistant.model.to_string(), "guide/jp");
    assert_eq!(resolved.settings.ui.reasoning, Visibility::Show);
    assert!(resolved.effective().iter().all(|effective| effective.origin == Origin::Default));
    assert!(resolved.warnings.is_empty());
}

#[test]
fn each_value_has_the_origin_of_the_layer_that_set_it() {
    let mut layers = file(Scope::User, "[assistant]\nmodel = \"a/b\"\n\n  max_tokens = 7\n");
    layers = with_file(layers, Scope::Workspace, "assistant.reasoning = \"low\"\n");
    layers = with_variable(layers, "JP_UI_REASONING", "hide");
    layers = layers.conversation("003-config-delta.toml", table("assistant.temperature = 1"));
    layers = with_argument(layers, "ui.usage=false");
    layers = layers.flag("--model", key("assistant.model"), "c/d");
    let resolved = resolved(layers);
    let origin = |text| resolved.get(&key(text)).unwrap().origin.to_string();
    assert_eq!(origin("assistant.model"), "--model");
    assert_eq!(origin("assistant.max_tokens"), "/u/config.toml:4:3");
    assert_eq!(origin("assistant.reasoning"), "/w/.jp/config.toml:1:11");
    assert_eq!(origin("assistant.temperature"), "003-config-delta.toml");
    assert_eq!(origin("ui.reasoning"), "$JP_UI_REASONING");
    assert_eq!(origin("ui.usage"), "-c ui.usage");
    assert_eq!(origin("title.generate"), "default");
    let settings = resolved.settings;
    assert_eq!(settings.assistant.reasoning, Some(Effort::Low));
    assert_eq!(settings.assistant.temperature.unwrap().get(), 1.0);
    assert_eq!((settings.ui.reasoning, settings.ui.usage), (Visibility::Hide, false));
}

#[test]
fn tables_with_free_names_are_merged_and_arrays_are_replaced() {
    let text = "[tools.a]\ncommand = [\"x\", \"y\"]\ntimeout = \"5s\"\n\
                [tools.a.parameters]\ntype = \"object\"\ntitle = \"one\"\n\
                [providers.p]\napi = \"openai\"\nbase_url = \"http://localhost:1/\"\n";
    let mut layers = file(Scope::User, text);
    layers = with_argument(layers, "tools.a.command=[\"z\"]");
    layers = with_argument(layers, "tools.a.parameters={title=\"two\"}");
    layers = with_argument(layers, "providers.p={retries=2}");
    let settings = resolved(layers).settings;
    let tool = &settings.tools["a"];
    assert_eq!(tool.command, ["z"]);
    assert_eq!(
        serde_json::Value::from(tool.parameters.clone()),
        serde_json::json!({"title": "two"})
    );
    let five: Timeout = "5s".to_owned().try_into().unwrap();
    assert_eq!((tool.timeout, tool.enable, tool.shell), (Some(five), true, false));
    let provider = &settings.providers["p"];
    assert_eq!(provider.base_url.as_ref().unwrap().as_str(), "http://localhost:1");
    assert_eq!((provider.retries, provider.api_key_env.as_ref()), (Some(2), None));
}

#[test]
fn what_is_typed_is_toml_or_a_text() {
    for (given, expected) in [
        ("ollama/llama3", "ollama/llama3"),
        ("\"ollama/llama3\"", "ollama/llama3"),
        ("'ollama/llama3'", "ollama/llama3"),
    ] {
        let layers = with_variable(Layers::new(), "JP_ASSISTANT_MODEL", given);
        assert_eq!(resolved(layers).settings.assistant.model.to_string(), expected);
    }
    // A text that happens to be TOML stays a text where a text is wanted.
    for text in ["true", "12", "[x]", "2026-01-01", "a = b", "", "# no comment"] {
        let layers = with_argument(Layers::new(), &format!("assistant.system_prompt={text}"));
        let prompt = resolved(layers).settings.assistant.system_prompt;
        assert_eq!(prompt.as_deref(), Some(text));
    }
}

#[test]
fn an_empty_variable_is_none_and_foreign_ones_are_left_alone() {
    let mut layers = with_variable(Layers::new(), "JP_ASSISTANT_MODEL", "");
    layers = with_variable(layers, "JP_SESSION", "x");
    layers = with_variable(layers, "JP_MORGAN", "x");
    let resolved = resolved(layers);
    assert_eq!(resolved.settings, Settings::default());
    assert!(resolved.warnings.is_empty());
}
