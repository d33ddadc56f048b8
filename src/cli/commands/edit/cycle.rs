//! The editor cycle: lay out, edit, check, show, commit; and again if something is wrong.

use std::time::{Duration, Instant};

use super::{
    super::{DONE, Outcome, commit::tell_refreshed, tell_notes},
    tale::{Told, report, tell},
};
use crate::{
    cli::{args::EditHow, error::CommandError, output::Output},
    edit::{
        Abandoned, Desk, abandoned, abandoned_pages,
        checkout::{
            CheckoutError, Committed, Look, Proposal, Refreshed, Refusal, adopt, commit, propose,
            refresh,
        },
        has_windows, opens_directories, warn_if_long,
    },
    env::Env,
    format::MANIFEST_FILE,
    history::short,
    model::counted,
    plan::{Fault, PlanLine, Tally},
    store::ObjectId,
    ui::{Asked, Key, Prompter, Wake, complain, escape, lend_terminal},
    workspace::{Guard, Workspace, WriteFailure},
};

/// After this long, somebody else may be waiting for the conversation.
const LONG: Duration = Duration::from_secs(15 * 60);

/// An editor that is back sooner may still be open.
const AT_ONCE: Duration = Duration::from_secs(1);

/// How many errors are told one by one.
const MOST_FAULTS: usize = 10;

/// How often a commit starts over when something else than jp was faster.
const ATTEMPTS: usize = 20;

/// Lets the user edit a conversation as a directory, and commits what comes of it.
pub fn edit_in_directory(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    mut guard: Guard,
    how: &EditHow,
) -> Outcome {
    let mut desk = Desk::lay_out(env, workspace, &guard)?;
    let damage = damage(workspace, &guard)?;
    desk.checkout().annotate(&damage, &notes(env))?;
    // Of one that is in order, nobody has to look at what was written a moment ago.
    let mut before = match damage.is_empty() {
        true => desk.checkout().look_unseen()?,
        false => desk.checkout().look()?,
    };
    loop {
        let elapsed = match open(env, output, &desk) {
            Ok(elapsed) => elapsed,
            Err(error) => return Err(failed(desk, error)),
        };
        let look = desk.checkout().look().map_err(|error| kept(&desk, error.into()))?;
        if look.is_emptied() && !before.is_emptied() {
            return Err(aborted(desk, &look, "the edit was aborted: the plan is empty"));
        }
        if look.is_clean() {
            return nothing(output, desk, &mut guard, elapsed, &look, how);
        }
        let refusal = match settle(env, output, workspace, &mut guard, &mut desk, &look, how)? {
            Settled::Committed(done) => {
                finish(output, workspace, desk, &mut guard, *done, &look, how)?;
                return Ok(DONE);
            }
            Settled::Nothing => {
                return nothing(output, desk, &mut guard, elapsed, &look, how);
            }
            Settled::Declined => return Err(declined(desk)),
            Settled::Again => {
                before = look;
                continue;
            }
            Settled::Refused(refusal) => refusal,
        };
        let faults = faults_of(env, workspace, &guard, &mut desk, &look, refusal);
        let faults = faults.map_err(|error| kept(&desk, error))?;
        if how.change.dry_run || is_as_before(&before, &look) {
            return Err(given_up(desk, &faults));
        }
        let annotated = desk.checkout().annotate(&faults, &notes(env));
        let looked = annotated.and_then(|()| desk.checkout().look());
        before = looked.map_err(|error| kept(&desk, error.into()))?;
        tell_faults(env, output, &faults);
    }
}

/// Tells what has to be fixed, one by one if the terminal stays in sight beside the editor.
fn tell_faults(env: &Env, output: &mut Output, faults: &[Fault]) {
    let told = if has_windows(env) { MOST_FAULTS } else { 0 };
    for fault in faults.iter().take(told) {
        // The lines of the plan move when the errors are put above them.
        let words = if fault.is_of_plan() { fault.flaw.message.clone() } else { fault.to_string() };
        output.say(escape(&words));
    }
    let count = counted(faults.len() as u64, "error");
    output.say(format_args!("{count} to fix, see the top of the plan"));
}

/// Opens the editor, and tells how long it was open.
fn open(env: &Env, output: &mut Output, desk: &Desk) -> Result<Duration, CommandError> {
    let begun = Instant::now();
    let beside_the_terminal = has_windows(env);
    let words = "the editor has been open for long, and the conversation is locked meanwhile; \
                 `jp conversation checkout` locks nothing";
    let warn = || {
        // An editor in the terminal has the screen.
        if beside_the_terminal {
            complain(format!("warning: {words}"));
        }
    };
    let status = warn_if_long(LONG, warn, || desk.edit(env, lend_terminal));
    let elapsed = begun.elapsed();
    if elapsed >= LONG && !beside_the_terminal {
        output.warn(words);
    }
    let status = status.map_err(CommandError::failure)?;
    if status.success() {
        return Ok(elapsed);
    }
    Err(CommandError::failure(format!("the edit was aborted: the editor failed ({status})")))
}

/// What is said when the editor failed: where everything is, unless nothing was changed.
fn failed(desk: Desk, error: CommandError) -> CommandError {
    match desk.checkout().look() {
        Ok(look) if look.is_untouched() => match desk.clear() {
            Ok(()) => error,
            Err(left) => error.hint(left),
        },
        _ => error.hint(kept_in(&desk.keep())),
    }
}

fn kept_in(directory: &std::path::Path) -> String {
    let directory = directory.display();
    format!("what you edited is kept; `jp conversation commit {directory}` commits it")
}

/// What came of an edit.
enum Settled {
    Committed(Box<Report>),
    Nothing,
    Declined,
    Again,
    Refused(Refusal),
}

/// An edit that was made, or thought through.
struct Report {
    commit: Option<ObjectId>,
    tally: Tally,
    remarks: Vec<String>,
    /// Whether all of it was on the screen when it was asked about.
    asked: bool,
    /// Files of somebody that stood in the way, with the name that they have now.
    aside: Vec<(String, String)>,
}

/// Checks what was edited, shows it, asks, and commits.
fn settle(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    guard: &mut Guard,
    desk: &mut Desk,
    look: &Look,
    how: &EditHow,
) -> Result<Settled, CommandError> {
    let mut shown: Option<Tally> = None;
    let mut asked = false;
    for _ in 0..ATTEMPTS {
        workspace.catch_up(guard).map_err(|error| kept(desk, CommandError::from(error)))?;
        let proposed = propose(env, workspace, guard, desk.checkout(), look);
        let proposal = match proposed.map_err(|error| kept(desk, CommandError::from(error)))? {
            Ok(Some(proposal)) => proposal,
            Ok(None) => return Ok(Settled::Nothing),
            Err(refusal) => return Ok(Settled::Refused(refusal)),
        };
        if how.change.dry_run {
            let Proposal { tally, remarks, .. } = proposal;
            let (commit, aside) = (None, Vec::new());
            let done = Report { commit, tally, remarks, asked: false, aside };
            return Ok(Settled::Committed(Box::new(done)));
        }
        if shown.as_ref() != Some(&proposal.tally) {
            match approved(env, output, &proposal, look, how) {
                Answer::Yes => asked = true,
                Answer::Unasked => {}
                Answer::No => return Ok(Settled::Declined),
                Answer::Again => return Ok(Settled::Again),
            }
            shown = Some(proposal.tally.clone());
        }
        match commit(workspace, guard, desk.checkout_mut(), look, proposal) {
            Ok(committed) => {
                let Committed { commit, tally, remarks, aside } = committed;
                let done = Report { commit: Some(commit), tally, remarks, asked, aside };
                return Ok(Settled::Committed(Box::new(done)));
            }
            Err(CheckoutError::Write(WriteFailure::Contended { .. })) => {}
            Err(error) => return Err(kept(desk, CommandError::from(error))),
        }
    }
    let id = guard.id();
    Err(kept(desk, CommandError::from(WriteFailure::Contended { id })))
}

fn kept(desk: &Desk, error: CommandError) -> CommandError {
    error.hint(kept_in(desk.checkout().directory()))
}

enum Answer {
    Yes,
    /// Nobody was asked, which is as good.
    Unasked,
    No,
    Again,
}

/// Shows what would be committed and asks. Where nobody can be asked, that the editor was closed as
/// it should be is the answer.
fn approved(
    env: &Env,
    output: &mut Output,
    proposal: &Proposal,
    look: &Look,
    how: &EditHow,
) -> Answer {
    let Proposal { tally, remarks, .. } = proposal;
    let prompter = match how.yes {
        true => None,
        false => Prompter::open(env).and_then(|prompter| Ok((prompter, Wake::new()?))).ok(),
    };
    let Some((mut prompter, wake)) = prompter else {
        // What nobody wrote is told before it is stored.
        for (_, call) in &tally.stand_ins {
            output.warn(format_args!("call `{call}` has no result: an error stands in for it"));
        }
        return Answer::Unasked;
    };
    tell(output, &Told { tally, remarks, stray: &look.stray });
    let keys = [
        Key { key: 'y', says: "commit" },
        Key { key: 'e', says: "edit again" },
        Key { key: 'n', says: "leave it" },
    ];
    match prompter.choose("Commit this?", &keys, Some('y'), &wake) {
        Asked::Answered('y') => Answer::Yes,
        Asked::Answered('e') => Answer::Again,
        _ => Answer::No,
    }
}

/// Tells what was committed, and clears the desk.
fn finish(
    output: &mut Output,
    workspace: &Workspace,
    mut desk: Desk,
    guard: &mut Guard,
    done: Report,
    look: &Look,
    how: &EditHow,
) -> Result<(), CommandError> {
    let Report { commit, tally, remarks, asked, aside } = done;
    let told = Told { tally: &tally, remarks: &remarks, stray: &look.stray };
    let refreshed = Refreshed { aside, ..Refreshed::default() };
    tell_refreshed(output, &refreshed);
    let is_stored = refreshed.aside.is_empty() && is_stored(workspace, guard, &mut desk, look);
    if commit.is_some() && is_stored {
        if let Err(error) = desk.clear() {
            output.warn(error);
        }
    } else {
        let directory = desk.keep();
        output.hint(match commit {
            Some(_) => format!("the directory is kept in `{}`", directory.display()),
            None => kept_in(&directory),
        });
    }
    let is_shown = asked && output.is_terminal() && !how.change.format.is_json();
    if let Some(commit) = commit.filter(|_| is_shown) {
        return told_already(output, guard, commit);
    }
    report(output, guard, commit, how.change.dry_run, &told, &how.change.format)
}

/// Whether everything that is in the directory now is in the conversation: somebody may have gone on
/// while the question was open, and what no plan lists is nowhere else.
fn is_stored(workspace: &Workspace, guard: &Guard, desk: &mut Desk, look: &Look) -> bool {
    let checkout = desk.checkout_mut();
    if checkout.commit() != guard.commit() {
        let refreshed = refresh(workspace, guard, checkout, look);
        if refreshed.is_err() || refreshed.is_ok_and(|refreshed| !refreshed.aside.is_empty()) {
            return false;
        }
    }
    let now = desk.checkout().look();
    now.is_ok_and(|now| now.is_untouched())
}

/// Tells that what was on the screen a moment ago is done.
fn told_already(
    output: &mut Output,
    guard: &mut Guard,
    commit: ObjectId,
) -> Result<(), CommandError> {
    let id = guard.id();
    tell_notes(output, guard);
    output.done(format_args!("{id}: edited ({commit})"));
    output.line(format_args!("{id}: committed {}", short(commit)))?;
    output.hint_at_inverse(&format!("jp conversation undo {id}"));
    Ok(())
}

fn nothing(
    output: &mut Output,
    desk: Desk,
    guard: &mut Guard,
    elapsed: Duration,
    look: &Look,
    how: &EditHow,
) -> Outcome {
    let told = Told { tally: &Tally::default(), remarks: &[], stray: &look.stray };
    report(output, guard, None, how.change.dry_run, &told, &how.change.format)?;
    if !look.stray.is_empty() {
        // What no plan lists is nowhere else.
        let directory = desk.keep();
        let directory = directory.display();
        output.hint(format_args!(
            "name it in the plan, `{directory}/{MANIFEST_FILE}`; then `jp conversation commit \
             {directory}` commits it"
        ));
    } else if !look.leftovers.is_empty() {
        // Unsaved words, perhaps.
        output.hint(format_args!("the directory is kept in `{}`", desk.keep().display()));
    } else if elapsed < AT_ONCE {
        // It may still be open, in a window, with something in it that was not saved yet.
        let directory = desk.keep();
        let directory = directory.display();
        output.hint(format_args!(
            "the editor was back at once; if it is still open, save there, and \
             `jp conversation commit {directory}` commits it"
        ));
        output.hint("an editor that does not wait has to be told to, as in `code --wait`");
    } else {
        desk.clear()?;
    }
    Ok(DONE)
}

fn aborted(desk: Desk, look: &Look, why: &str) -> CommandError {
    let error = CommandError::failure(why);
    // Whoever empties the plan wants nothing of it; what was written elsewhere is another matter.
    let is_written = look.hand.files.values().any(Option::is_some) || look.meta.is_some();
    if is_written || !look.stray.is_empty() || !look.leftovers.is_empty() {
        let directory = desk.keep();
        return error.hint(format!("what you edited is kept in `{}`", directory.display()));
    }
    match desk.clear() {
        Ok(()) => error,
        Err(left) => error.hint(left),
    }
}

fn declined(desk: Desk) -> CommandError {
    let directory = desk.keep();
    CommandError::failure("nothing was committed").hint(kept_in(&directory))
}

fn given_up(desk: Desk, faults: &[Fault]) -> CommandError {
    let directory = desk.keep();
    super::faults(faults, "").hint(kept_in(&directory))
}

/// What has to be fixed. Conflicts are put into the directory first.
fn faults_of(
    env: &Env,
    workspace: &Workspace,
    guard: &Guard,
    desk: &mut Desk,
    look: &Look,
    refusal: Refusal,
) -> Result<Vec<Fault>, CommandError> {
    match refusal {
        Refusal::Faults(faults) => Ok(faults),
        Refusal::Conflicts(conflicts) => {
            let kept = |error: CheckoutError, desk: &Desk| kept(desk, error.into());
            adopt(workspace, guard, desk.checkout_mut(), look, &conflicts)
                .map_err(|error| kept(error, desk))?;
            if conflicts.is_about_rules() {
                let look = desk.checkout().look().map_err(|error| kept(error, desk))?;
                let proposed = propose(env, workspace, guard, desk.checkout(), &look);
                if let Err(Refusal::Faults(faults)) = proposed.map_err(|error| kept(error, desk))? {
                    return Ok(faults);
                }
                return Ok(conflicts.faults);
            }
            Ok(conflicts.with_remedies().map(|text| Fault::of_plan(None, text)).collect())
        }
    }
}

/// Whether nothing was done about what was wrong. An editor may have deleted what jp wrote above the
/// plan, so that its lines have other numbers.
fn is_as_before(before: &Look, look: &Look) -> bool {
    let lines = |look: &Look| -> Vec<PlanLine> {
        look.hand.plan.lines.iter().map(|(_, line)| line.clone()).collect()
    };
    lines(before) == lines(look)
        && before.hand.files == look.hand.files
        && before.meta == look.meta
        && before.faults == look.faults
}

/// What is wrong with the conversation already: whoever edits it has to mend it.
fn damage(workspace: &Workspace, guard: &Guard) -> Result<Vec<Fault>, CommandError> {
    if workspace.written_summary(guard)?.is_some() {
        return Ok(Vec::new());
    }
    let problems = workspace.load(guard)?.problems.into_iter();
    let problems = problems.map(|problem| Fault::new(problem.path.name(), problem.flaw));
    Ok(problems.collect())
}

/// What people have to know whose editor opens the plan and not the directory.
fn notes(env: &Env) -> Vec<String> {
    if opens_directories(env) {
        return Vec::new();
    }
    vec![
        "this is the plan; your editor opens files only.".to_owned(),
        "The events are files beside it: open them by the names below.".to_owned(),
    ]
}

/// Tells of what earlier edits left.
pub(super) fn tell_abandoned(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
) -> Result<(), CommandError> {
    for Abandoned { directory, id } in abandoned(env, workspace)? {
        let directory = directory.display();
        let of = id.map_or_else(String::new, |id| format!(" of {id}"));
        output.hint(format_args!(
            "an earlier edit{of} is kept; `jp conversation commit {directory}` commits it"
        ));
    }
    for path in abandoned_pages(&workspace.state_dir()?) {
        output.hint(format_args!(
            "what was written earlier is kept in `{}`; delete it when you do not need it",
            path.display()
        ));
    }
    Ok(())
}
