//! Where git keeps things: the repository around a directory, and who its user is.
//!
//! Only paths are looked at. Nothing in a project's own repository is read, run or written.

use std::path::{Path, PathBuf};

/// The common directory of the git repository that a directory is in, shared by its worktrees.
pub fn git_common_dir(directory: &Path) -> Option<PathBuf> {
    let (found, _trust) = gix::discover::upwards(directory).ok()?;
    let (git_dir, _work_dir) = found.into_repository_and_work_tree_directories();
    let git_dir = if git_dir.is_absolute() { git_dir } else { directory.join(git_dir) };
    let common = match std::fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => git_dir.join(text.trim_end_matches(['\r', '\n'])),
        Err(_) => git_dir,
    };
    common.canonicalize().ok()
}

/// The name and address that the user has told git, from the configuration of the user and the
/// system only.
pub fn global_identity(
    home: Option<&Path>,
    config_home: Option<&Path>,
) -> Option<(String, String)> {
    let files = [
        config_home.map(|directory| directory.join("git/config")),
        home.map(|directory| directory.join(".gitconfig")),
    ];
    let mut name = None;
    let mut email = None;
    for path in files.into_iter().flatten() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(file) = gix::config::File::try_from(text.as_str()) else { continue };
        let get = |key: &str| file.raw_value_by("user", None, key).ok().map(|v| v.to_string());
        name = get("name").or(name);
        email = get("email").or(email);
    }
    Some((name?, email?))
}
