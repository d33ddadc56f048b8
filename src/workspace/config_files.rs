//! Where the configuration files are, and what they say.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::{
    Conversation, Pins, Standing, Trust, Workspace, WorkspaceError, WorkspaceFile,
    locate::{MARK, marked},
    trust::{INSTRUCTIONS, MCP, read_text, resolved},
};
use crate::{
    config::{Layers, Scope, key_variables},
    env::Env,
    fsutil::{self, FsError},
    model::EventKind,
    plan::TreePath,
};

/// The configuration files that count here, whether or not they exist.
#[derive(Clone, Debug, Default)]
pub struct ConfigFiles {
    user: Option<PathBuf>,
    /// The directory that holds those of the workspace.
    mark: Option<PathBuf>,
    /// What the user trusted.
    pins: Option<Pins>,
    /// Those of the workspace, once they were read.
    trust: OnceLock<Trust>,
}

impl ConfigFiles {
    /// Those of the user and of the workspace around the current directory.
    pub fn find(env: &Env) -> Result<Self, WorkspaceError> {
        let mark = marked(env)?.map(|root| root.join(MARK));
        Ok(Self { mark, pins: Pins::of(env), ..Self::of_user(env) })
    }

    /// That of the user alone.
    pub(super) fn of_user(env: &Env) -> Self {
        let user = env.config_home().map(|directory| directory.join("jp/config.toml"));
        Self { user, ..Self::default() }
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

    /// The files of the workspace that could do harm, and whether they are trusted; none outside of
    /// any workspace. They are read once: what was compared with what is trusted is what is used.
    pub fn trust(&self) -> Result<Option<&Trust>, FsError> {
        let Some(root) = self.root() else { return Ok(None) };
        if self.trust.get().is_none() {
            let trust = Trust::read(root, self.pins.as_ref())?;
            return Ok(Some(self.trust.get_or_init(|| trust)));
        }
        Ok(self.trust.get())
    }

    /// `.mcp.json` of the workspace as the user trusts it; none if there is no trust.
    pub fn mcp_servers(&self) -> Result<Option<&WorkspaceFile>, FsError> {
        Ok(self.trust()?.and_then(|trust| trust.trusted(MCP)))
    }

    /// What the workspace tells every assistant, in its `AGENTS.md`. It needs no trust, unless it is
    /// a link to somewhere else.
    pub fn instructions(&self) -> Result<Option<String>, FsError> {
        let Some(root) = self.root() else { return Ok(None) };
        let path = root.join(INSTRUCTIONS);
        match (resolved(&path)?, resolved(root)?) {
            (Some(at), Some(root)) if at.starts_with(&root) => read_text(&path, &at),
            (Some(_), _) => {
                let trusted = self.trust()?.and_then(|trust| trust.trusted(INSTRUCTIONS));
                Ok(trusted.map(|file| file.text.clone()))
            }
            (None, _) => Ok(None),
        }
    }

    /// The variables from which the user's own providers take their keys.
    pub fn key_variables(env: &Env) -> Vec<String> {
        // A file that cannot be read is told of by whoever needs it.
        let own = Self::of_user(env).read(Scope::User).ok().flatten();
        own.map(|(_, text)| key_variables(&text)).unwrap_or_default()
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
        let standing = self.trust()?.map(Trust::standing);
        self.layers_if(env, standing == Some(Standing::Trusted))
    }

    /// The same, if the user trusted the workspace as it is.
    pub fn layers_with_trust(&self, env: &Env) -> Result<Layers, WorkspaceError> {
        self.layers_if(env, true)
    }

    fn layers_if(&self, env: &Env, trusted: bool) -> Result<Layers, WorkspaceError> {
        let mut layers = Layers::new().variables(env.vars());
        if let Some((path, text)) = self.read(Scope::User)? {
            layers = layers.file(Scope::User, &path, &text);
        }
        let Some(trust) = self.trust()? else { return Ok(layers) };
        for file in trust.files().all() {
            let Some((scope, path)) = file.scope().and_then(|s| Some((s, self.path(s)?))) else {
                continue;
            };
            layers = match trusted {
                true => layers.trusted_file(scope, &path, &file.text),
                false => layers.file(scope, &path, &file.text),
            };
        }
        Ok(layers)
    }
}

/// The text of a file, if it exists.
fn read(path: &Path) -> Result<Option<String>, FsError> {
    read_text(path, path)
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
    use std::{ffi::OsString, fs};

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
