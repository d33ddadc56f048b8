//! The variables from which the user's providers take their keys.
//!
//! Whatever else is wrong with the file, no child may see them.

use toml::{Table, Value};

/// Every `api_key_env` in the text of a configuration file.
pub fn key_variables(text: &str) -> Vec<String> {
    let table = text.trim_start_matches('\u{feff}').parse::<Table>().unwrap_or_default();
    let providers = table.get("providers").and_then(Value::as_table);
    let named = |provider: &Value| provider.get("api_key_env")?.as_str().map(str::to_owned);
    providers.into_iter().flat_map(|all| all.values().filter_map(named)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_may_name_one() {
        let text = "what = 1\n[providers]\nodd = 3\na.api_key_env = \"A\"\n[providers.b]\n\
                    api_key_env = \"B\"\nretries = \"many\"\n";
        assert_eq!(key_variables(text), ["A", "B"]);
        assert!(key_variables("[providers\n").is_empty());
    }
}
