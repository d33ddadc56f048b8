//! `jp resume`

use super::{Outcome, query};
use crate::{
    cli::{args::Resume, output::Output},
    env::Env,
};

pub fn run(env: &Env, output: &mut Output, args: Resume) -> Outcome {
    query::run(env, output, &args.into(), super::arguments())
}
