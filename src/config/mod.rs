//! Layered settings, each value with its origin.
//!
//! Pure: whoever reads the files and the variables hands in their texts. Nothing here knows a
//! provider or a tool, and nothing here holds a key: keys come from environment variables only.

mod byte_count;
mod key;
mod mcp;
mod model_choice;
mod settings;
mod texts;
mod timeout;
mod tools;

mod schema;
mod shape;

mod origin;
mod path_pattern;
mod patience;
mod problem;

mod tree;

mod layers;
mod read;
mod secret;
mod trust;
mod variables;

mod check;
mod resolve;

mod conversation;
mod edit;
mod key_variables;
mod print;
mod store_path;

#[cfg(test)]
mod tests;

pub use byte_count::ByteCount;
pub use edit::{EditError, set};
pub use key::{InvalidKey, InvalidOverride, Key, Override};
pub use key_variables::key_variables;
pub use layers::Layers;
pub use mcp::Mcp;
pub use model_choice::{InvalidModel, ModelChoice};
pub use origin::{Origin, Scope};
pub use path_pattern::PathPattern;
pub use patience::Patience;
pub use print::to_json;
pub use problem::{ConfigErrors, Fault, Problem};
pub use resolve::{Effective, Resolved};
pub use schema::{Kind, keys, kind, schema};
pub use settings::{
    Api, Assistant, Detached, Effort, Provider, Settings, Store, Title, Ui, Visibility,
};
pub use store_path::store_path;
pub use texts::{BaseUrl, Temperature, VariableName};
pub use timeout::Timeout;
pub use tools::{Delivery, Permission, Policy, Rule, Tool, Unattended};
pub use trust::{Risk, needing_trust};
