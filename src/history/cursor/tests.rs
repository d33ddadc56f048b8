use std::convert::Infallible;

use proptest::prelude::*;

use super::*;

/// A line of commits in memory, each with the number of its state.
#[derive(Default)]
struct Line {
    commits: Vec<(Step, u32)>,
}

impl Line {
    fn new() -> Self {
        let mut line = Self::default();
        line.push(Step { begins: true, operation: Some("first".to_owned()), ..Step::default() }, 0);
        line
    }

    fn id(index: usize) -> ObjectId {
        ObjectId::from_hex(format!("{index:040x}").as_bytes()).unwrap()
    }

    fn index(id: ObjectId) -> usize {
        usize::from_str_radix(&id.to_string(), 16).unwrap()
    }

    fn tip(&self) -> ObjectId {
        Self::id(self.commits.len() - 1)
    }

    fn state(&self) -> u32 {
        self.commits.last().unwrap().1
    }

    fn push(&mut self, step: Step, state: u32) {
        let parent = self.commits.len().checked_sub(1).map(Self::id);
        self.commits.push((Step { parent, ..step }, state));
    }

    /// An operation of several commits; every third one names the commit before the operation.
    fn operate(&mut self, commits: u32, state: u32, by_hand: bool) {
        let base = self.tip();
        let operation = (!by_hand).then(|| format!("{}", self.commits.len()));
        for number in 1..=commits {
            let base = (number % 3 == 0 && !by_hand).then_some(base);
            let links = Links { base, ..Links::default() };
            let step = Step { operation: operation.clone(), links, ..Step::default() };
            self.push(step, state * 100 + number);
        }
    }

    fn go(&mut self, destination: Option<Destination>) -> bool {
        let Some(Destination { source, links, .. }) = destination else { return false };
        let state = self.commits[Self::index(source)].1;
        let operation = Some(format!("{}", self.commits.len()));
        self.push(Step { operation, links, ..Step::default() }, state);
        true
    }

    fn undo(&mut self) -> bool {
        let destination = undo(self.tip(), |id| self.read(id)).unwrap();
        self.go(destination)
    }

    fn redo(&mut self) -> bool {
        let destination = redo(self.tip(), |id| self.read(id)).unwrap();
        self.go(destination)
    }

    fn read(&self, id: ObjectId) -> Result<Step, Infallible> {
        Ok(self.commits[Self::index(id)].0.clone())
    }
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Operate(u32),
    ByHand,
    Undo,
    Redo,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => (1..9u32).prop_map(Action::Operate),
        1 => Just(Action::ByHand),
        3 => Just(Action::Undo),
        2 => Just(Action::Redo),
    ]
}

proptest! {
    /// The model is what every editor has: a list of states and a place in it.
    #[test]
    fn undo_and_redo_are_those_of_an_editor(actions in prop::collection::vec(action(), 0..60)) {
        let mut line = Line::new();
        let mut states = vec![line.state()];
        let mut place = 0_usize;
        let mut number = 0;
        for action in actions {
            match action {
                Action::Operate(_) | Action::ByHand => {
                    number += 1;
                    let (commits, by_hand) = match action {
                        Action::Operate(commits) => (commits, false),
                        _ => (1, true),
                    };
                    line.operate(commits, number, by_hand);
                    states.truncate(place + 1);
                    states.push(line.state());
                    place += 1;
                }
                Action::Undo => {
                    prop_assert_eq!(line.undo(), place > 0);
                    place = place.saturating_sub(1);
                }
                Action::Redo => {
                    prop_assert_eq!(line.redo(), place + 1 < states.len());
                    place = (place + 1).min(states.len() - 1);
                }
            }
            prop_assert_eq!(line.state(), states[place]);
        }
        while line.undo() {}
        prop_assert_eq!(line.state(), states[0]);
        while line.redo() {}
        prop_assert_eq!(line.state(), *states.last().unwrap());
    }
}

#[test]
fn an_undo_of_a_long_operation_reads_few_commits() {
    let mut line = Line::new();
    line.operate(10_000, 1, false);
    let mut reads = 0;
    let destination = undo(line.tip(), |id| {
        reads += 1;
        line.read(id)
    });
    assert_eq!(destination.unwrap().unwrap().source, Line::id(0));
    assert!(reads < 8, "{reads} reads");
}

#[test]
fn nothing_is_undone_before_the_beginning() {
    let mut line = Line::new();
    assert!(!line.undo());
    line.operate(2, 1, false);
    line.push(Step { begins: true, operation: Some("fork".to_owned()), ..Step::default() }, 7);
    assert!(!line.undo());
    line.operate(2, 2, false);
    assert!(line.undo());
    assert_eq!(line.state(), 7);
    assert!(!line.undo());
}
