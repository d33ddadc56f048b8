//! Where git keeps things: the repository around a directory, and who its user is.
//!
//! Only paths are looked at. Nothing in a project's own repository is read, run or written.

use std::path::{Path, PathBuf};

/// The common directory of the git repository that a directory is in, shared by its worktrees.
///
/// A `.git` that leads elsewhere counts only if that place knows of it, as it does of a worktree, or
/// belongs to a repository around it, as that of a submodule does. Otherwise a directory that came
/// from anywhere could say where conversations are kept.
pub fn git_common_dir(directory: &Path) -> Option<PathBuf> {
    let (found, _trust) = gix::discover::upwards(directory).ok()?;
    let (git_dir, work_dir) = found.into_repository_and_work_tree_directories();
    let absolute = |path: PathBuf| directory.join(path).canonicalize().ok();
    let git_dir = absolute(git_dir)?;
    if let Some(work_dir) = work_dir.map(absolute)
        && !work_dir.is_some_and(|work_dir| is_its_own(&git_dir, &work_dir))
    {
        return None;
    }
    let common = match std::fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => git_dir.join(line(&text)).canonicalize().ok()?,
        Err(_) => return Some(git_dir),
    };
    git_dir.starts_with(&common).then_some(common)
}

/// Whether a git directory is that of a work tree, and not only named by it.
fn is_its_own(git_dir: &Path, work_dir: &Path) -> bool {
    let knows_of_it = || {
        let text = std::fs::read_to_string(git_dir.join("gitdir")).ok()?;
        let back = git_dir.join(line(&text));
        Some(back.parent()?.canonicalize().ok()? == work_dir)
    };
    let is_within_another = || {
        let around = git_common_dir(work_dir.parent()?)?;
        Some(git_dir.starts_with(around))
    };
    git_dir.starts_with(work_dir)
        || knows_of_it().unwrap_or_default()
        || is_within_another().unwrap_or_default()
}

fn line(text: &str) -> &str {
    text.trim_end_matches(['\r', '\n'])
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
