//! Configurations as a whole: layers in, settings and messages out.

mod conversation;
mod edit;
mod mistakes;
mod order;
mod print;
mod schema;
mod trust;

use std::{ffi::OsStr, path::Path};

use super::{Key, Layers, Override, Resolved, Scope, Settings};

/// Where the file of each scope is in these tests.
fn path(scope: Scope) -> &'static Path {
    Path::new(match scope {
        Scope::User => "/u/config.toml",
        Scope::Workspace => "/w/.jp/config.toml",
        Scope::Local => "/w/.jp/config.local.toml",
    })
}

fn file(scope: Scope, text: &str) -> Layers {
    with_file(Layers::new(), scope, text)
}

fn with_file(layers: Layers, scope: Scope, text: &str) -> Layers {
    layers.file(scope, path(scope), text)
}

fn with_variable(layers: Layers, name: &str, value: &str) -> Layers {
    layers.variables([(OsStr::new(name), OsStr::new(value))])
}

fn with_argument(layers: Layers, given: &str) -> Layers {
    let given: Override = given.parse().unwrap();
    layers.argument(&given)
}

fn table(text: &str) -> toml::Table {
    text.parse().unwrap()
}

fn key(text: &str) -> Key {
    text.parse().unwrap()
}

#[track_caller]
fn resolved(layers: Layers) -> Resolved {
    Settings::resolve(layers).unwrap()
}

/// What is wrong, line by line.
#[track_caller]
fn errors(layers: Layers) -> Vec<String> {
    let errors = Settings::resolve(layers).unwrap_err();
    errors.0.iter().map(ToString::to_string).collect()
}

/// What is odd, line by line.
#[track_caller]
fn warnings(layers: Layers) -> Vec<String> {
    resolved(layers).warnings.iter().map(ToString::to_string).collect()
}
