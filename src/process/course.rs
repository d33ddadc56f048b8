//! When a program is asked to end, when it is killed, and when nobody waits for it any more.
//!
//! Decisions only: they are told what happened and at what time.

use std::time::{Duration, Instant};

use super::Ended;

/// How long the outputs of a program that ended may stay open in the hands of its children.
const LINGER: Duration = Duration::from_millis(250);
/// How long they may stay open after everybody was killed.
const DRAIN: Duration = Duration::from_millis(100);

/// Where a program is on its way from start to end.
#[derive(Debug)]
pub(super) struct Course {
    stage: Stage,
    until: Option<Instant>,
    grace: Duration,
    ended: Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The program runs.
    Running,
    /// It was asked to end.
    Asked,
    /// It was killed.
    Killed,
    /// It ended; its children may still be writing.
    Lingering,
    /// It ended, and its children were asked to.
    Clearing,
    /// It ended, and its children were killed: what is open now left the group.
    Cleared,
    /// Nobody waits any more.
    Over,
}

/// What to send to the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Push {
    /// End in good order.
    Ask,
    /// End at once.
    Kill,
}

impl Course {
    pub(super) fn new(now: Instant, timeout: Option<Duration>, grace: Duration) -> Self {
        let until = timeout.and_then(|timeout| now.checked_add(timeout));
        Self { stage: Stage::Running, until, grace, ended: Ended::Itself }
    }

    /// When something has to be decided even if nothing happens.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Why the program ended.
    pub(super) fn ended(&self) -> Ended {
        self.ended
    }

    /// Whether the program has ended and there is nothing to wait for.
    pub(super) fn is_over(&self, outputs_open: bool) -> bool {
        match self.stage {
            Stage::Running | Stage::Asked | Stage::Killed => false,
            Stage::Lingering | Stage::Clearing | Stage::Cleared => !outputs_open,
            Stage::Over => true,
        }
    }

    /// Somebody wants the program to end.
    pub(super) fn stop(&mut self, why: Ended, now: Instant) -> Option<Push> {
        match self.stage {
            Stage::Running => {
                self.ended = why;
                self.enter(Stage::Asked, now.checked_add(self.grace));
                Some(Push::Ask)
            }
            Stage::Lingering => {
                self.enter(Stage::Clearing, now.checked_add(self.grace));
                Some(Push::Ask)
            }
            _ => None,
        }
    }

    /// The program ended.
    pub(super) fn exited(&mut self, now: Instant) {
        match self.stage {
            Stage::Running => self.enter(Stage::Lingering, Some(now + LINGER)),
            Stage::Asked => self.enter(Stage::Clearing, self.until),
            Stage::Killed => self.enter(Stage::Cleared, Some(now + DRAIN)),
            _ => {}
        }
    }

    /// Nothing happened until now.
    pub(super) fn waited(&mut self, now: Instant) -> Option<Push> {
        if self.until.is_none_or(|until| now < until) {
            return None;
        }
        match self.stage {
            Stage::Running => self.stop(Ended::TimedOut, now),
            Stage::Lingering => self.stop(self.ended, now),
            Stage::Asked => {
                self.enter(Stage::Killed, None);
                Some(Push::Kill)
            }
            Stage::Clearing => {
                self.enter(Stage::Cleared, Some(now + DRAIN));
                Some(Push::Kill)
            }
            Stage::Killed | Stage::Cleared | Stage::Over => {
                self.enter(Stage::Over, None);
                None
            }
        }
    }

    fn enter(&mut self, stage: Stage, until: Option<Instant>) {
        self.stage = stage;
        self.until = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn course(timeout: Option<Duration>) -> (Course, Instant) {
        let now = Instant::now();
        (Course::new(now, timeout, SECOND), now)
    }

    #[test]
    fn a_program_that_ends_and_closes_its_outputs_is_over_at_once() {
        let (mut course, now) = course(None);
        assert_eq!(course.until(), None);
        assert!(!course.is_over(false));
        course.exited(now);
        assert!(course.is_over(false));
        assert_eq!(course.ended(), Ended::Itself);
    }

    #[test]
    fn outputs_that_stay_open_are_waited_for_then_asked_then_killed_then_left() {
        let (mut course, now) = course(Some(60 * SECOND));
        course.exited(now);
        assert!(!course.is_over(true));
        assert_eq!(course.waited(now), None);
        let asked = now + LINGER;
        assert_eq!(course.waited(asked), Some(Push::Ask));
        assert_eq!(course.waited(asked), None);
        let killed = asked + SECOND;
        assert_eq!(course.waited(killed), Some(Push::Kill));
        assert!(!course.is_over(true));
        assert_eq!(course.waited(killed + DRAIN), None);
        assert!(course.is_over(true));
        assert_eq!(course.ended(), Ended::Itself);
    }

    #[test]
    fn a_program_whose_time_is_over_is_asked_and_then_killed() {
        let (mut course, now) = course(Some(SECOND));
        assert_eq!(course.waited(now + SECOND), Some(Push::Ask));
        assert_eq!(course.waited(now + 2 * SECOND), Some(Push::Kill));
        assert_eq!(course.until(), None);
        course.exited(now + 3 * SECOND);
        assert!(!course.is_over(true));
        assert_eq!(course.waited(now + 4 * SECOND), None);
        assert!(course.is_over(true));
        assert_eq!(course.ended(), Ended::TimedOut);
    }

    #[test]
    fn the_first_reason_to_end_counts() {
        let (mut course, now) = course(Some(SECOND));
        assert_eq!(course.stop(Ended::Cancelled, now), Some(Push::Ask));
        assert_eq!(course.stop(Ended::WantedTerminal, now), None);
        course.exited(now);
        assert_eq!(course.waited(now + SECOND), Some(Push::Kill));
        assert_eq!(course.ended(), Ended::Cancelled);
    }

    #[test]
    fn a_program_that_ended_by_itself_was_not_cancelled_afterwards() {
        let (mut course, now) = course(None);
        course.exited(now);
        assert_eq!(course.stop(Ended::Cancelled, now), Some(Push::Ask));
        assert_eq!(course.ended(), Ended::Itself);
    }

    #[test]
    fn a_time_beyond_all_clocks_is_no_limit() {
        let (course, _) = course(Some(Duration::MAX));
        assert_eq!(course.until(), None);
    }
}
