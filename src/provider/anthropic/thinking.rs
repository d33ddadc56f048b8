//! How much a model of Anthropic thinks, and how long its answers may get: it depends on its age.

use serde_json::{Map, Value, json};

use crate::provider::{Effort, Sampling};

/// Below this the service refuses a budget.
const SMALLEST_BUDGET: u32 = 1024;

/// The version in the name of a model, such as 4.6 of `claude-opus-4-6-20260101`.
fn version(model: &str) -> Option<(u32, u32)> {
    let name = model.rsplit('/').next()?.strip_prefix("claude")?;
    let mut numbers = name
        .split(['-', '.', '@'])
        // Longer ones are dates.
        .filter(|word| word.len() <= 2)
        .map_while(|word| if word.is_empty() { Some(None) } else { Some(word.parse().ok()) })
        .flatten();
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// Whether a model decides itself how long it thinks. Only older ones take a budget.
pub(super) fn is_adaptive(model: &str) -> bool {
    let is_claude = model.rsplit('/').next().is_some_and(|name| name.starts_with("claude"));
    is_claude && version(model).is_none_or(|version| version >= (4, 6))
}

/// The most tokens of an answer when nothing else was asked for: the service insists on a number,
/// and refuses one above the limit of the model.
fn default_limit(model: &str) -> u32 {
    match version(model) {
        Some((..=2, _) | (3, 0)) => 4096,
        Some((3, 1..=5)) => 8192,
        _ => 32_000,
    }
}

/// What is said about the length of an answer, thinking and temperature. `may_think` is false
/// where the rest of the query rules out thinking.
pub(super) fn settings(model: &str, sampling: &Sampling, may_think: bool) -> Map<String, Value> {
    let limit = sampling.max_tokens.unwrap_or_else(|| default_limit(model));
    let mut settings = Map::new();
    settings.insert("max_tokens".to_owned(), limit.into());
    let thinking = match (sampling.reasoning, is_adaptive(model)) {
        (None, _) | (Some(Effort::Off), false) => None,
        (Some(Effort::Off), true) => Some(json!({ "type": "disabled" })),
        (Some(_), _) if !may_think => None,
        (Some(effort), true) => {
            settings.insert("output_config".to_owned(), json!({ "effort": word(effort) }));
            Some(json!({ "type": "adaptive", "display": "summarized" }))
        }
        (Some(effort), false) => budget(effort, limit)
            .map(|budget| json!({ "type": "enabled", "budget_tokens": budget })),
    };
    let thinks = thinking.as_ref().is_some_and(|thinking| thinking["type"] != "disabled");
    if let Some(thinking) = thinking {
        settings.insert("thinking".to_owned(), thinking);
    }
    // While it thinks, the service takes no other temperature than its own.
    if let Some(temperature) = sampling.temperature
        && !thinks
    {
        settings.insert("temperature".to_owned(), temperature.into());
    }
    settings
}

fn word(effort: Effort) -> &'static str {
    match effort {
        Effort::Off | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

/// The tokens to think with, which must leave some to answer with.
fn budget(effort: Effort, limit: u32) -> Option<u32> {
    let wanted = match effort {
        Effort::Off | Effort::Low => 4096,
        Effort::Medium => 12_288,
        Effort::High => 24_576,
    };
    let budget = wanted.min(limit / 4 * 3);
    (budget >= SMALLEST_BUDGET).then_some(budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_a_model_is_in_its_name() {
        assert_eq!(version("claude-3-haiku-20240307"), Some((3, 0)));
        assert_eq!(version("claude-3-5-sonnet-latest"), Some((3, 5)));
        assert_eq!(version("claude-opus-4-20250514"), Some((4, 0)));
        assert_eq!(version("claude-sonnet-4-5-20250929"), Some((4, 5)));
        assert_eq!(version("anthropic/claude-opus-4.7"), Some((4, 7)));
        assert_eq!(version("claude-fable-5"), Some((5, 0)));
        assert_eq!((version("claude-preview"), version("gpt-5")), (None, None));
        assert!(is_adaptive("claude-preview") && !is_adaptive("gpt-5"));
    }

    #[test]
    fn older_models_get_a_budget_and_newer_ones_an_effort() {
        let sampling = |reasoning| Sampling {
            max_tokens: None,
            temperature: Some(0.5),
            reasoning: Some(reasoning),
        };
        let old = settings("claude-sonnet-4-5", &sampling(Effort::Low), true);
        let expected = json!({
            "max_tokens": 32000,
            "thinking": { "type": "enabled", "budget_tokens": 4096 },
        });
        assert_eq!(Value::Object(old), expected);
        let new = settings("claude-opus-4-6", &sampling(Effort::High), true);
        let expected = json!({
            "max_tokens": 32000,
            "output_config": { "effort": "high" },
            "thinking": { "type": "adaptive", "display": "summarized" },
        });
        assert_eq!(Value::Object(new), expected);
        let off = settings("claude-3-5-haiku-latest", &sampling(Effort::Off), true);
        assert_eq!(Value::Object(off), json!({ "max_tokens": 8192, "temperature": 0.5 }));
        let barred = settings("claude-opus-4-6", &sampling(Effort::High), false);
        assert_eq!(Value::Object(barred), json!({ "max_tokens": 32000, "temperature": 0.5 }));
    }

    #[test]
    fn a_budget_leaves_room_for_the_answer_or_there_is_none() {
        assert_eq!(budget(Effort::High, 8192), Some(6144));
        assert_eq!(budget(Effort::Low, 1000), None);
    }
}
