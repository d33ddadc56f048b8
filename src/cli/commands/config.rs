//! `jp config`

mod set;
mod show;

use super::{DONE, Outcome};
use crate::{
    cli::{args::Config, output::Output},
    config,
    env::Env,
};

pub fn run(env: &Env, output: &mut Output, command: Config) -> Outcome {
    match command {
        Config::Show(args) => show::run(env, output, &args),
        Config::Set(args) => set::run(env, output, args),
        Config::Schema => {
            output.text(format_args!("{:#}\n", config::schema()))?;
            Ok(DONE)
        }
    }
}
