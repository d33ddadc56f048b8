//! `jp conversation commit`

use std::path::{Path, PathBuf};

use super::{
    DONE, Next, Outcome,
    edit::{Told, faults, report},
    locking, warn_of_dropped,
};
use crate::{
    cli::{args::Commit, error::CommandError, output::Output},
    edit::checkout::{
        Belonging, Checkout, CheckoutError, Look, Proposal, Refreshed, Refusal, adopt, commit,
        propose, refresh,
    },
    env::Env,
    history::short,
    model::counted,
    plan::Tally,
    store::ObjectId,
    workspace::{Guard, Handle, Workspace, WriteFailure},
};

/// How often a commit starts over when something else was faster.
const ATTEMPTS: usize = 20;

pub fn run(env: &Env, output: &mut Output, args: &Commit) -> Outcome {
    let Found { directory, workspace, handle } = find(env, &args.directory)?;
    warn_of_dropped(output, &workspace, &handle, Next::Writes);
    let mut guard = locking::lock(env, output, &workspace, handle)?;
    // Not before: whoever had the lock may have committed it.
    let (mut checkout, look) = Checkout::open_and_look(&directory)?;
    if args.how.dry_run {
        let proposed = propose(env, &workspace, &guard, &checkout, &look)?;
        let (tally, remarks) =
            match proposed.map_err(|refusal| refused(&args.directory, refusal, Put::No))? {
                Some(Proposal { tally, remarks, .. }) => (tally, remarks),
                None => (Tally::default(), Vec::new()),
            };
        let told = Told { tally: &tally, remarks: &remarks, stray: &look.stray };
        report(output, &mut guard, None, true, &told, &args.how.format)?;
        return Ok(DONE);
    }
    let made = make(env, &workspace, &mut guard, &mut checkout, &look)?;
    let Made { commit, tally, remarks, refreshed } = made.map_err(|(refusal, refreshed)| {
        tell_refreshed(output, &refreshed);
        refused(&args.directory, refusal, Put::Yes)
    })?;
    tell_refreshed(output, &refreshed);
    if commit.is_none() {
        tell_news(output, &refreshed);
    }
    let told = Told { tally: &tally, remarks: &remarks, stray: &look.stray };
    report(output, &mut guard, commit, false, &told, &args.how.format)?;
    Ok(DONE)
}

/// A checkout that was found, its workspace, and its conversation as it is now.
pub struct Found {
    pub directory: PathBuf,
    pub workspace: Workspace,
    pub handle: Handle,
}

/// Finds the conversation of a checkout.
pub fn find(env: &Env, directory: &Path) -> Result<Found, CommandError> {
    let directory = env.cwd().join(directory);
    let directory = directory.canonicalize().unwrap_or(directory);
    let Belonging { workspace, id } = Checkout::belonging(&directory)?;
    let workspace = Workspace::open_by_id(env, &workspace)?;
    let workspace = workspace.ok_or_else(|| CheckoutError::NoWorkspace(directory.clone()))?;
    let handle = workspace.select(&id.to_string())?;
    Ok(Found { directory, workspace, handle })
}

/// What came of a checkout.
pub struct Made {
    /// The commit; `None` if there was nothing to commit.
    pub commit: Option<ObjectId>,
    /// What it did to events.
    pub tally: Tally,
    /// What else it did, one line each.
    pub remarks: Vec<String>,
    /// What changed in the directory.
    pub refreshed: Refreshed,
}

/// Commits what was found in a checkout, and brings its directory in line with the conversation.
/// After a conflict the directory has both versions, and what it took to get there is told.
pub fn make(
    env: &Env,
    workspace: &Workspace,
    guard: &mut Guard,
    checkout: &mut Checkout,
    look: &Look,
) -> Result<Result<Made, (Refusal, Refreshed)>, CommandError> {
    for _ in 0..ATTEMPTS {
        workspace.catch_up(guard)?;
        let proposal = match propose(env, workspace, guard, checkout, look)? {
            Ok(Some(proposal)) => proposal,
            Ok(None) => {
                let mut refreshed = Refreshed::default();
                if guard.commit() != checkout.commit() {
                    refreshed = refresh(workspace, guard, checkout, look)?;
                }
                let (tally, remarks) = (Tally::default(), Vec::new());
                return Ok(Ok(Made { commit: None, tally, remarks, refreshed }));
            }
            Err(Refusal::Conflicts(conflicts)) => {
                let refreshed = adopt(workspace, guard, checkout, look, &conflicts)?;
                let mut refusal = Refusal::Conflicts(conflicts);
                if let Refusal::Conflicts(conflicts) = &refusal
                    && conflicts.is_about_rules()
                    && let Err(anew) = propose(env, workspace, guard, checkout, &checkout.look()?)?
                {
                    refusal = anew;
                }
                return Ok(Err((refusal, refreshed)));
            }
            Err(refusal) => return Ok(Err((refusal, Refreshed::default()))),
        };
        match commit(workspace, guard, checkout, look, proposal) {
            Ok(committed) => {
                let mut refreshed = Refreshed::default();
                if guard.commit() != checkout.commit() {
                    let done = refresh(workspace, guard, checkout, look);
                    refreshed = done.map_err(|error| {
                        CommandError::from(error).hint(format!(
                            "it is committed ({}); committing again brings the directory in line",
                            short(committed.commit)
                        ))
                    })?;
                }
                refreshed.aside.splice(0..0, committed.aside);
                return Ok(Ok(Made {
                    commit: Some(committed.commit),
                    tally: committed.tally,
                    remarks: committed.remarks,
                    refreshed,
                }));
            }
            Err(CheckoutError::Write(WriteFailure::Contended { .. })) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(WriteFailure::Contended { id: guard.id() }.into())
}

/// Why nothing was committed.
pub fn refused(directory: &Path, refusal: Refusal, put: Put) -> CommandError {
    let directory = directory.display();
    match refusal {
        Refusal::Faults(found) => {
            let prefix = match directory.to_string().as_str() {
                "." => String::new(),
                directory => format!("{}/", directory.trim_end_matches('/')),
            };
            faults(&found, &prefix).hint("nothing was committed")
        }
        Refusal::Conflicts(conflicts) if conflicts.is_about_rules() => {
            faults(&conflicts.faults, "").hint("nothing was committed; this came in meanwhile")
        }
        Refusal::Conflicts(conflicts) => {
            let words: Vec<String> = match put {
                Put::Yes => conflicts.with_remedies().collect(),
                Put::No => conflicts.in_words().collect(),
            };
            let words = words.iter().map(|words| format!("conflict: {words}")).collect();
            let error = CommandError::failures(words);
            match put {
                Put::Yes => error.hint(format!(
                    "nothing was committed; look at these, and `jp conversation commit {directory}` again"
                )),
                Put::No => error.hint(format!(
                    "`jp conversation commit {directory}` puts both sides into the directory"
                )),
            }
        }
    }
}

/// Whether both sides of a conflict are in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// They are.
    Yes,
    /// Nothing was touched.
    No,
}

/// Tells what came into a directory from its conversation.
pub fn tell_news(output: &mut Output, refreshed: &Refreshed) {
    let count = refreshed.written.len() + refreshed.removed.len();
    if count > 0 {
        output.say(format_args!("{} came in", counted(count as u64, "file")));
    }
}

/// Tells what was put aside in a directory.
pub fn tell_refreshed(output: &mut Output, refreshed: &Refreshed) {
    for (name, aside) in &refreshed.aside {
        output.warn(format_args!("`{name}` of yours stood in the way and is now `{aside}`"));
    }
}
