//! The context window that a model was loaded with.

use serde_json::Value;

/// Finds it in the list of models that are loaded. A name without a tag means the latest.
pub(in crate::provider) fn window(loaded: &Value, model: &str) -> Option<u64> {
    let is_same = |name: &str| name == model || name.strip_suffix(":latest") == Some(model);
    let models = loaded.get("models")?.as_array()?;
    let named = |entry: &&Value| {
        ["model", "name"].iter().any(|key| entry[*key].as_str().is_some_and(is_same))
    };
    models.iter().find(named)?.get("context_length")?.as_u64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_window_is_that_of_the_model_as_it_is_loaded() {
        let loaded = json!({ "models": [
            { "name": "other:latest", "model": "other:latest", "context_length": 1 },
            { "name": "llama3:latest", "model": "llama3:latest", "context_length": 8192 },
            { "name": "old:1b", "model": "old:1b" },
        ] });
        assert_eq!(window(&loaded, "llama3"), Some(8192));
        assert_eq!(window(&loaded, "llama3:latest"), Some(8192));
        assert_eq!(window(&loaded, "old:1b"), None);
        assert_eq!(window(&loaded, "llama"), None);
        assert_eq!(window(&json!([]), "llama3"), None);
    }
}
