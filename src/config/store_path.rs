//! Where the store is, by the user's own configuration.
//!
//! Every command needs this much. A mistake anywhere else in the file is told by the commands that
//! use the settings: it must not keep anybody from listing conversations.

use std::path::{Path, PathBuf};

use super::{ConfigErrors, Fault, Layers, Problem, Scope, layers::Layer, read::read};

/// Reads `store.path` from the text of the user's own configuration file.
pub fn store_path(
    file: &Path,
    text: &str,
    home: Option<&Path>,
) -> Result<Option<PathBuf>, ConfigErrors> {
    let Layers { layers, .. } = Layers::new().file(Scope::User, file, text);
    let mut reading = layers.first().map(|layer: &Layer| read(layer)).unwrap_or_default();
    reading.errors.retain(|problem| match &problem.fault {
        Fault::Syntax(_) => true,
        Fault::UnknownKey { key, .. } | Fault::WrongValue { key, .. } | Fault::Secret(key) => {
            key.names().first().is_some_and(|name| name == "store")
        }
        _ => false,
    });
    if !reading.errors.is_empty() {
        return Err(ConfigErrors(reading.errors));
    }
    let found = reading.values.into_iter().find(|(key, ..)| key.names() == ["store", "path"]);
    let Some((_, toml::Value::String(path), origin)) = found else { return Ok(None) };
    let path = match (Path::new(&path).strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    };
    if !path.is_absolute() {
        return Err(ConfigErrors(vec![Problem { origin, fault: Fault::RelativeStore }]));
    }
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<PathBuf>, String> {
        let read = store_path(Path::new("config.toml"), text, Some(Path::new("/home/u")));
        read.map_err(|errors| errors.to_string())
    }

    #[test]
    fn the_path_of_the_store_may_start_at_home() {
        assert_eq!(parse("[store]\npath = \"~/jp\"\n"), Ok(Some(PathBuf::from("/home/u/jp"))));
        assert_eq!(parse(""), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let said = |text| parse(text).unwrap_err();
        assert_eq!(
            said("[store]\npth = \"/x\"\n"),
            "config.toml:2:1: unknown key `store.pth`: did you mean `store.path`?"
        );
        let relative = "config.toml:3:1: `store.path` must be an absolute path";
        assert_eq!(said("# path\n[store]\npath = \"x\"\n"), relative);
        let dotted = "config.toml:1:7: `store.path` must be an absolute path";
        assert_eq!(said("store.path = \"x\"\n"), dotted);
        assert!(said("[store\n").starts_with("config.toml:1:7: invalid TOML: "));
        let number = "config.toml:2:1: `store.path` must be a string, found the integer `3`";
        assert_eq!(said("[store]\npath = 3\n"), number);
    }

    #[test]
    fn a_mistake_elsewhere_does_not_hide_the_store() {
        let text = "[assistant]\nmodle = 3\n[store]\npath = \"/x\"\n";
        assert_eq!(parse(text), Ok(Some(PathBuf::from("/x"))));
    }
}
