//! The guide that is built in: it answers from the documentation, without network or account.
//!
//! It is no language model and says so. A question gets the section of the documentation that fits
//! best; `call`, `think` and `say` lines, results of tools and schemas are answered by fixed rules,
//! so that every feature can be tried. The same query always gets the same answer.

mod commands;
mod directives;
mod hints;
mod index;
mod instance;
mod pages;
mod provider;
mod question;
mod quote;
mod reply;
mod results;
mod section;
mod synonyms;
mod words;

#[cfg(test)]
mod questions;
#[cfg(test)]
mod tests;

pub use provider::GuideProvider;
pub use reply::reply;
