//! `jp schema`

use std::path::Path;

use super::{DONE, Outcome};
use crate::{
    cli::{error::CommandError, output::Output},
    config,
    env::Env,
    format::{self, Schema},
    fsutil,
    projection::list,
    serve,
};

/// The schemas of everything that people edit, and of what other programs keep.
pub fn schemas() -> Vec<Schema> {
    let mut schemas = format::schemas();
    schemas.push(Schema { name: "config", json: config::schema() });
    schemas.push(Schema { name: "messages", json: list::schema() });
    schemas.push(Schema { name: "protocol", json: serve::schema() });
    schemas
}

pub fn run(env: &Env, output: &mut Output, name: Option<&str>, write: Option<&Path>) -> Outcome {
    let schemas = schemas();
    if let Some(directory) = write {
        let directory = env.cwd().join(directory);
        fsutil::create_dir_durable(&directory)?;
        for schema in &schemas {
            let path = directory.join(format!("{}.schema.json", schema.name));
            fsutil::write_atomic(&path, schema.to_text().as_bytes())?;
        }
        return Ok(DONE);
    }
    let Some(name) = name else {
        for schema in &schemas {
            output.line(schema.name)?;
        }
        return Ok(DONE);
    };
    let Some(schema) = schemas.iter().find(|schema| schema.name == name) else {
        let names: Vec<_> = schemas.iter().map(|schema| schema.name).collect();
        let message = format!("there is no schema `{name}`");
        return Err(CommandError::usage(message).hint(format!("one of {}", names.join(", "))));
    };
    output.text(schema.to_text())?;
    Ok(DONE)
}
