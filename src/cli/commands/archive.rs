//! `jp conversation archive`

use super::{Outcome, shelve::shelve};
use crate::{
    cli::{args::Several, output::Output},
    env::Env,
    store::Space,
};

pub fn run(env: &Env, output: &mut Output, args: &Several) -> Outcome {
    shelve(env, output, args, Space::Archive)
}
