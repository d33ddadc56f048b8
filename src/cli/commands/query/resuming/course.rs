//! What a query does about a last turn that is not complete.

use crate::cli::{args::Query, error::CommandError};

/// What a query does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It asks as if there was no such turn, because there is none.
    Ask,
    /// It asks if there is something to ask, and else does nothing.
    AskOrNothing,
    /// It does nothing: there is nothing to go on with.
    Nothing,
    /// It goes on with the turn.
    Resume,
    /// It discards the turn, and then asks if there is something to ask.
    Discard,
    /// It lets somebody choose.
    Prompt,
    /// It says that there is such a turn, and does nothing.
    Refuse,
}

/// Decides what a query does.
pub fn course(args: &Query, is_incomplete: bool, interactive: bool) -> Course {
    let is_bare = args.no_edit && args.text.is_empty();
    match () {
        // Nobody has asked for that turn to go on.
        () if args.follow_up && is_incomplete => Course::Refuse,
        () if args.continue_turn.is_some() && is_incomplete => Course::Resume,
        () if args.continue_turn.is_some() && is_bare => Course::Nothing,
        () if args.discard_turn && is_incomplete => Course::Discard,
        () if args.discard_turn || args.continue_turn.is_some() => Course::AskOrNothing,
        () if !is_incomplete => Course::Ask,
        () if is_bare => Course::Resume,
        () if interactive && !args.no_persist => Course::Prompt,
        () => Course::Refuse,
    }
}

/// Whether the arguments go together.
pub fn check_usage(args: &Query) -> Result<(), CommandError> {
    if args.continue_turn.is_some() && !args.text.is_empty() {
        let message = "`--continue-turn` takes no text: the turn goes on as if it had never been \
                       interrupted, and a text would change it";
        return Err(CommandError::usage(message)
            .hint("`jp resume`, and then ask; or `--discard-turn` to ask this instead"));
    }
    if args.continue_turn.is_none() && !args.decisions.is_empty() {
        let message = "`--again`, `--done` and `--skip` are about calls of a turn that goes on";
        return Err(CommandError::usage(message).hint("add `--continue-turn`, or use `jp resume`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::With;

    fn query(change: impl FnOnce(&mut Query)) -> Query {
        let mut query = Query::default();
        change(&mut query);
        query
    }

    #[test]
    fn a_turn_goes_on_only_if_somebody_says_so() {
        let plain = query(|_| {});
        let text = query(|query| query.text = vec!["Hello".to_owned()]);
        for asked in [&plain, &text] {
            assert_eq!(course(asked, true, true), Course::Prompt);
            assert_eq!(course(asked, true, false), Course::Refuse);
            assert_eq!(course(asked, false, true), Course::Ask);
            assert_eq!(course(asked, false, false), Course::Ask);
        }
        let unkept = query(|query| query.no_persist = true);
        assert_eq!(course(&unkept, true, true), Course::Refuse, "nothing could be discarded");
    }

    #[test]
    fn the_flags_skip_the_prompt_and_are_no_ops_without_such_a_turn() {
        let on = query(|query| query.continue_turn = Some(None));
        let off = query(|query| query.discard_turn = true);
        let recorded = query(|query| query.continue_turn = Some(Some(With::Recorded)));
        for interactive in [true, false] {
            assert_eq!(course(&on, true, interactive), Course::Resume);
            assert_eq!(course(&recorded, true, interactive), Course::Resume);
            assert_eq!(course(&off, true, interactive), Course::Discard);
            assert_eq!(course(&on, false, interactive), Course::AskOrNothing);
            assert_eq!(course(&off, false, interactive), Course::AskOrNothing);
        }
    }

    #[test]
    fn a_follow_up_is_not_asked_in_a_turn_of_somebody_else() {
        let follow_up = query(|query| {
            (query.no_edit, query.continue_turn, query.follow_up) = (true, Some(None), true);
        });
        assert_eq!(course(&follow_up, true, true), Course::Refuse);
        assert_eq!(course(&follow_up, false, true), Course::Nothing, "but what is queued");
    }

    #[test]
    fn without_an_editor_and_a_text_the_last_request_is_sent_again() {
        let again = query(|query| query.no_edit = true);
        assert_eq!(course(&again, true, true), Course::Resume);
        assert_eq!(course(&again, true, false), Course::Resume);
        assert_eq!(course(&again, false, true), Course::Ask, "which says that there is nothing");
        let resume = query(|query| (query.no_edit, query.continue_turn) = (true, Some(None)));
        assert_eq!(course(&resume, false, true), Course::Nothing);
    }
}
