//! `jp conversation rm`

use super::{Outcome, shelve::shelve};
use crate::{
    cli::{args::FormatArg, output::Output},
    env::Env,
    store::Space,
};

pub fn run(env: &Env, output: &mut Output, ids: &[String], format: &FormatArg) -> Outcome {
    shelve(env, output, ids, Space::Trash, format)
}
