//! Where the configuration files are, and what they say.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

use super::{
    Conversation, Workspace, WorkspaceError,
    locate::{MARK, marked},
};
use crate::{
    config::{Layers, Scope},
    env::Env,
    fsutil::{self, AtPath, FsError},
    model::EventKind,
    plan::TreePath,
};

/// A file that is larger is not read.
const LIMIT: u64 = 1 << 20;

/// The configuration files that count here, whether or not they exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigFiles {
    user: Option<PathBuf>,
    /// The directory that holds those of the workspace.
    mark: Option<PathBuf>,
}

impl ConfigFiles {
    /// Those of the user and of the workspace around the current directory.
    pub fn find(env: &Env) -> Result<Self, WorkspaceError> {
        let mark = marked(env)?.map(|root| root.join(MARK));
        Ok(Self { mark, ..Self::of_user(env) })
    }

    /// That of the user alone.
    pub(super) fn of_user(env: &Env) -> Self {
        let user = env.config_home().map(|directory| directory.join("jp/config.toml"));
        Self { user, mark: None }
    }

    /// The directory of the workspace, if there is one around the current directory.
    pub fn root(&self) -> Option<&Path> {
        self.mark.as_deref().and_then(Path::parent)
    }

    /// The file of this scope; none outside of any workspace, or without a home.
    pub fn path(&self, scope: Scope) -> Option<PathBuf> {
        let mark = self.mark.as_deref();
        match scope {
            Scope::User => self.user.clone(),
            Scope::Workspace => mark.map(|mark| mark.join("config.toml")),
            Scope::Local => mark.map(|mark| mark.join("config.local.toml")),
        }
    }

    /// The file of this scope with its text, if it exists.
    pub fn read(&self, scope: Scope) -> Result<Option<(PathBuf, String)>, FsError> {
        let Some(path) = self.path(scope) else { return Ok(None) };
        Ok(read(&path)?.map(|text| (path, text)))
    }

    /// What the workspace tells every assistant, in its `AGENTS.md`.
    pub fn instructions(&self) -> Result<Option<String>, FsError> {
        self.root().map_or(Ok(None), |root| read(&root.join("AGENTS.md")))
    }

    /// Writes the file of this scope.
    pub fn write(&self, scope: Scope, text: &str) -> Result<PathBuf, WorkspaceError> {
        let path = self.path(scope).ok_or(WorkspaceError::NoConfig(scope))?;
        // Many people keep the file elsewhere and link to it. A link in a workspace may lead
        // anywhere: there, the link itself is replaced.
        let target = match scope {
            Scope::User => path.canonicalize().unwrap_or_else(|_missing| path.clone()),
            Scope::Workspace | Scope::Local => path.clone(),
        };
        if let Some(directory) = target.parent() {
            fsutil::create_dir_durable(directory)?;
        }
        fsutil::write_atomic(&target, text.as_bytes())?;
        Ok(target)
    }

    /// The layers below those of a conversation: the files and the variables.
    pub fn layers(&self, env: &Env) -> Result<Layers, WorkspaceError> {
        let mut layers = Layers::new().variables(env.vars());
        for scope in Scope::ALL {
            if let Some((path, text)) = self.read(scope)? {
                layers = layers.file(scope, &path, &text);
            }
        }
        Ok(layers)
    }
}

/// The text of a file, if it exists. A workspace may come from anywhere: what is named so may be a
/// device without an end.
fn read(path: &Path) -> Result<Option<String>, FsError> {
    let refuse = |kind, text| Err(FsError::new("read", path, io::Error::new(kind, text)));
    match fs::metadata(path) {
        Ok(status) if status.is_file() => {}
        Ok(_) => return refuse(ErrorKind::InvalidInput, "it is not a file"),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FsError::new("read", path, error)),
    }
    let file = File::open(path).at("read", path)?;
    let mut bytes = Vec::new();
    let length = file.take(LIMIT + 1).read_to_end(&mut bytes).at("read", path)?;
    if length as u64 > LIMIT {
        return refuse(ErrorKind::InvalidData, "it is larger than 1 MiB");
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return refuse(ErrorKind::InvalidData, "it is not UTF-8");
    };
    Ok(Some(text))
}

impl Workspace {
    /// Adds the layers of a conversation: what it began with, and what changed since.
    pub fn add_config(&self, layers: Layers, conversation: &Conversation) -> Layers {
        let mut layers = layers;
        if let Some(table) = self.base_config(conversation) {
            layers = layers.conversation(TreePath::config().to_string(), table);
        }
        for listed in &conversation.listed {
            let kind = listed.event.as_ref().map(|event| &event.kind);
            if let Some(EventKind::ConfigDelta(delta)) = kind {
                layers = layers.conversation(listed.name.to_string(), delta.clone());
            }
        }
        layers
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::{
        config::{Origin, Settings},
        format::Form,
        model::{Meta, Timestamp},
        workspace::prepare,
    };

    /// A user whose home and workspace are in this directory.
    fn env(root: &Path) -> Env {
        let home = [(OsString::from("HOME"), root.join("home").into_os_string())];
        Env::fixed(home, root.join("work/deep"), Timestamp::from_seconds(1_700_000_000))
    }

    #[test]
    fn a_conversation_brings_its_layers_along() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let env = env(&root);
        let (workspace, _) = Workspace::init(&env, &root.join("work")).unwrap();
        let layers = || ConfigFiles::find(&env).unwrap().layers(&env).unwrap();
        let key = "assistant.model".parse().unwrap();
        let chosen = layers().flag("--model", key, "a/b");
        let base = Settings::resolve(chosen).unwrap().base_config();
        let event =
            |text: &str, form| prepare(text.as_bytes().to_vec(), form, None, env.now()).unwrap();
        let request = event("---\ntype: request\n---\nHello\n", Form::Markdown);
        let (mut guard, _) = workspace.create_with(&Meta::default(), &base, &[request]).unwrap();
        let delta = "[assistant]\nmax_tokens = 5\n[tools.x]\ncommand = [\"x\"]\n\
                     [event]\ntype = \"config-delta\"\n";
        workspace.append(&mut guard, &[event(delta, Form::Toml)]).unwrap();

        let conversation = workspace.load(&guard).unwrap();
        let base = workspace.base_config(&conversation).unwrap();
        assert_eq!(base, "[assistant]\nmodel = \"a/b\"\n".parse().unwrap());
        let resolved = Settings::resolve(workspace.add_config(layers(), &conversation)).unwrap();
        let origin = |key: &str| resolved.get(&key.parse().unwrap()).unwrap().origin.clone();
        let part = |name: &str| Origin::Conversation(name.to_owned());
        assert_eq!(resolved.settings.assistant.model.to_string(), "a/b");
        assert_eq!(origin("assistant.model"), part(".conversation/config.toml"));
        assert_eq!(resolved.settings.assistant.max_tokens, Some(5));
        assert_eq!(origin("assistant.max_tokens"), part("001-config-delta.toml"));
        let said: Vec<_> = resolved.warnings.iter().map(ToString::to_string).collect();
        let ignored = "001-config-delta.toml: `tools.x` is ignored: a conversation may only set \
                       `assistant` and `ui`";
        assert_eq!(said, [ignored]);
    }

    #[test]
    fn the_instructions_are_those_of_the_workspace_around_the_current_directory() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let env = env(&root);
        let instructions = || ConfigFiles::find(&env).unwrap().instructions().unwrap();
        fs::create_dir_all(root.join("work/deep")).unwrap();
        fs::write(root.join("work/AGENTS.md"), "Be brief.\n").unwrap();
        assert_eq!(instructions(), None);
        Workspace::init(&env, &root.join("work")).unwrap();
        assert_eq!(instructions().as_deref(), Some("Be brief.\n"));
    }
}
