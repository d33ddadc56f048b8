//! Changing one value in the text of a configuration file, without touching anything else.

use std::path::Path;

use toml_edit::{DocumentMut, Item, TableLike};

use super::{
    ConfigErrors, Fault, Key, Layers, Origin, Override, Problem, Scope, Settings,
    layers::{Layer, Source},
    read::read,
    schema::SHAPE,
    shape::Shape,
    trust::{Risk, risk},
};

/// Why a value is not set.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum EditError {
    #[error("{}", join(.0))]
    Value(Vec<Fault>),
    #[error("`{key}` is a table: set one of its keys{}", listed(names))]
    Table { key: Key, names: Vec<String> },
    #[error("`{key}` cannot be set in the {} configuration: only your own may say it", scope.name())]
    UserOnly { key: Key, scope: Scope },
    #[error(transparent)]
    File(#[from] ConfigErrors),
}

/// Sets a key in the text of a file and returns the new text. Nothing else changes in it, and what
/// comes out is a configuration without mistakes.
pub fn set(scope: Scope, path: &Path, text: &str, given: &Override) -> Result<String, EditError> {
    let value = value(scope, path, given)?;
    let mut document: DocumentMut = text.parse().map_err(|_error| mistakes(scope, path, text))?;
    let names = given.key.names();
    let has_table = names.first().is_some_and(|name| document.contains_key(name));
    // A file that somebody else wrote may be odd in ways that the editor refuses.
    put(document.as_table_mut(), names, value).ok_or_else(|| mistakes(scope, path, text))?;
    if !has_table {
        keep_last_remarks(&mut document, names);
    }
    let text = document.to_string();
    // What nobody has trusted yet does not count, and may be as wrong as it likes.
    let layers = match risk(&given.key) {
        Some(Risk::Harmless) => Layers::new().file(scope, path, &text),
        _ => Layers::new().trusted_file(scope, path, &text),
    };
    Settings::resolve(layers)?;
    Ok(text)
}

/// Keeps the remarks at the end of a file before the table that was added to it.
fn keep_last_remarks(document: &mut DocumentMut, names: &[String]) {
    let remarks = document.trailing().as_str().unwrap_or_default().to_owned();
    let mut table = document.as_table_mut();
    for name in &names[..names.len() - 1] {
        let Some(Item::Table(inner)) = table.get_mut(name) else { return };
        table = inner;
    }
    if !remarks.is_empty() {
        let gap = if remarks.ends_with("\n\n") { "" } else { "\n" };
        table.decor_mut().set_prefix(format!("{remarks}{gap}"));
        document.set_trailing("");
    }
}

/// The value to set, as the key takes it.
fn value(scope: Scope, path: &Path, given: &Override) -> Result<toml::Value, EditError> {
    let Override { key, .. } = given;
    match SHAPE.at(key) {
        Some(Shape::Value(_)) | None => {}
        Some(table) => {
            let names = table.names().map(str::to_owned).collect();
            return Err(EditError::Table { key: key.clone(), names });
        }
    }
    let Layers { mut layers, .. } = Layers::new().argument(given);
    for Layer { source, .. } in &mut layers {
        // Whether it counts there is decided when it is read.
        *source = Source::File { scope, path: path.to_owned(), trusted: true };
    }
    let mut reading = layers.first().map(read).unwrap_or_default();
    if reading.errors.is_empty() && !reading.warnings.is_empty() {
        return Err(EditError::UserOnly { key: key.clone(), scope });
    }
    match reading.values.pop() {
        Some((_, value, _)) => Ok(value),
        None => {
            let faults = reading.errors.into_iter().map(|problem| problem.fault);
            Err(EditError::Value(faults.collect()))
        }
    }
}

fn put(table: &mut dyn TableLike, names: &[String], value: toml::Value) -> Option<()> {
    let (name, rest) = names.split_first()?;
    if rest.is_empty() {
        let mut new: toml_edit::Value = value.to_string().parse().ok()?;
        match table.get_mut(name) {
            Some(Item::Value(old)) => {
                *new.decor_mut() = old.decor().clone();
                *old = new;
            }
            Some(other) => *other = Item::Value(new),
            None => {
                table.insert(name, Item::Value(new));
            }
        }
        return Some(());
    }
    if !table.contains_key(name) {
        let mut inner = toml_edit::Table::new();
        // A table that only holds tables needs no header.
        inner.set_implicit(true);
        table.insert(name, Item::Table(inner));
    }
    put(table.get_mut(name)?.as_table_like_mut()?, rest, value)
}

/// Why a text cannot be changed.
fn mistakes(scope: Scope, path: &Path, text: &str) -> ConfigErrors {
    match Settings::resolve(Layers::new().trusted_file(scope, path, text)) {
        Err(errors) => errors,
        // What one library reads the other one should change.
        Ok(_) => {
            let origin = Origin::File { scope, path: path.to_owned(), line: 1, column: 1 };
            let fault = Fault::Syntax("it cannot be changed without changing more".to_owned());
            ConfigErrors(vec![Problem { origin, fault }])
        }
    }
}

fn join(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(", which are {}", names.join(", ")),
    }
}
