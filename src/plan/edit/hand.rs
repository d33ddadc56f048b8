//! What somebody left in the directory of an edit, understood: which events stay, which say
//! something else, and which are new.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Added, Fault, Wanted, Wish, WishLine, rule_faults,
    text::{PlanLine, PlanText, check_name},
};
use crate::{
    format::{FileName, Flaw, Form, amend, decode, stamp, with_call_id, without_mark},
    model::{Address, EventType, Timestamp},
    plan::{Draft, Layout},
};

/// What somebody left in the directory of an edit.
#[derive(Debug, Default)]
pub struct Hand {
    /// The plan.
    pub plan: PlanText,
    /// The files that are not as they were written out, by name; `None` for one that is gone. All
    /// others are as they were.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
}

/// Understands what somebody left in the directory of an edit, which began with a version.
pub fn read_hand(
    base: &Layout,
    hand: &Hand,
    now: Timestamp,
    fresh: &mut dyn FnMut() -> String,
) -> Result<Wish, Vec<Fault>> {
    let mut reader = Reader::new(base, hand, now, fresh);
    let mut seen = BTreeSet::new();
    for (number, line) in &hand.plan.lines {
        let number = Some(*number);
        let wanted = match line {
            PlanLine::Remark(text) => Some(Wanted::Remark(text.clone())),
            PlanLine::Name(name) if !seen.insert(name) => {
                let message = format!("`{}` is listed twice", name.escape_debug());
                reader.faults.push(Fault::of_plan(number, message));
                None
            }
            PlanLine::Name(name) => reader.file(name, number),
        };
        reader.wish.lines.extend(wanted.map(|wanted| WishLine { wanted, number }));
    }
    match reader.faults.is_empty() {
        true => Ok(reader.wish),
        false => Err(reader.all_faults()),
    }
}

struct Reader<'a> {
    base: &'a Layout,
    hand: &'a Hand,
    now: Timestamp,
    fresh: &'a mut dyn FnMut() -> String,
    by_name: BTreeMap<&'a str, usize>,
    /// The events of the base that the plan does not list under their names.
    nameless: BTreeMap<Address, usize>,
    wish: Wish,
    faults: Vec<Fault>,
    /// Files of the base that cannot be read now.
    unread: BTreeSet<String>,
    /// Whether something that the plan lists is not known at all.
    has_gap: bool,
}

impl<'a> Reader<'a> {
    fn new(
        base: &'a Layout,
        hand: &'a Hand,
        now: Timestamp,
        fresh: &'a mut dyn FnMut() -> String,
    ) -> Self {
        let names = base.stream.iter().enumerate();
        let by_name: BTreeMap<_, _> =
            names.map(|(position, listed)| (listed.name.as_str(), position)).collect();
        let mut nameless = base.positions();
        for (_, name) in hand.plan.names() {
            if let Some(position) = by_name.get(name) {
                nameless.remove(&base.stream[*position].name.address());
            }
        }
        let (wish, faults) = (Wish::default(), Vec::new());
        let (unread, has_gap) = (BTreeSet::new(), false);
        Self { base, hand, now, fresh, by_name, nameless, wish, faults, unread, has_gap }
    }

    /// What is wrong with files, and with the stream as far as it can be told in spite of that.
    fn all_faults(mut self) -> Vec<Fault> {
        if !self.has_gap {
            let is_of_file = |fault: &Fault| {
                let file = fault.flaw.message.split(": ").next().unwrap_or_default();
                self.unread.contains(file)
            };
            let of_stream = rule_faults(self.base, &self.wish);
            self.faults.extend(of_stream.into_iter().filter(|fault| !is_of_file(fault)));
        }
        self.faults
    }

    /// What a name in the plan stands for.
    fn file(&mut self, name: &str, number: Option<usize>) -> Option<Wanted> {
        let wanted = self.known_or_new(name, number);
        self.has_gap |= wanted.is_none();
        wanted
    }

    fn known_or_new(&mut self, name: &str, number: Option<usize>) -> Option<Wanted> {
        if let Some(position) = self.by_name.get(name).copied() {
            return self.kept(position, name, number);
        }
        if let Err(message) = check_name(name) {
            self.faults.push(Fault::of_plan(number, message));
            return None;
        }
        // The number tells which event it is, whatever else its name says now.
        let parsed = name.parse::<FileName>().ok();
        let renamed = parsed.and_then(|name| Some((self.nameless.remove(&name.address())?, name)));
        if let Some((position, new)) = renamed {
            self.wish.renamed.insert(position, new);
            return self.kept(position, name, number);
        }
        let Some(Some(bytes)) = self.hand.files.get(name) else {
            self.faults.push(no_such_file(name, number));
            return None;
        };
        let bytes = with_call_id(bytes.clone(), form(name), &mut *self.fresh);
        let draft = self.decoded(name, bytes, |bytes, form, decoded, _now| {
            let bytes = stamp(bytes, form, &decoded)?;
            Ok((decoded.event, bytes))
        })?;
        let chosen = name.parse().ok();
        self.wish.added.push(Added { given: name.to_owned(), chosen, draft });
        Some(Wanted::New(self.wish.added.len() - 1))
    }

    /// An event of the base, which may say something else now.
    fn kept(&mut self, position: usize, name: &str, number: Option<usize>) -> Option<Wanted> {
        match self.hand.files.get(name) {
            None => {}
            Some(None) => {
                self.faults.push(no_such_file(name, number));
                return None;
            }
            Some(Some(bytes)) => {
                let was = self.base.stream.get(position).and_then(|listed| listed.event.as_ref());
                let draft = self.decoded(name, bytes.clone(), |bytes, form, decoded, now| {
                    // An editor that only adds a newline at the end has changed nothing.
                    if was.map(without_mark) == Some(without_mark(&decoded.event)) {
                        return Ok((decoded.event, Vec::new()));
                    }
                    amend(bytes, form, &decoded, now)
                });
                match draft {
                    Some(draft) if draft.bytes.is_empty() => {}
                    Some(draft) => drop(self.wish.edited.insert(position, draft)),
                    None => drop(self.unread.insert(name.to_owned())),
                }
            }
        }
        Some(Wanted::Kept(position))
    }

    fn decoded(
        &mut self,
        name: &str,
        bytes: Vec<u8>,
        finish: impl FnOnce(
            Vec<u8>,
            Form,
            crate::format::Decoded,
            Timestamp,
        )
            -> Result<(crate::model::Event, Vec<u8>), crate::format::EncodeError>,
    ) -> Option<Draft> {
        let form = form(name);
        let read = decode(&bytes, form, hint(name), self.now).and_then(|decoded| {
            let finished = finish(bytes, form, decoded, self.now);
            finished.map_err(|error| vec![Flaw::new(error.to_string())])
        });
        match read {
            Ok((event, bytes)) => Some(Draft { event, bytes }),
            Err(flaws) => {
                self.faults.extend(flaws.into_iter().map(|flaw| Fault::new(name, flaw)));
                None
            }
        }
    }
}

fn no_such_file(name: &str, number: Option<usize>) -> Fault {
    Fault::of_plan(number, format!("`{}`: there is no such file", name.escape_debug()))
}

fn form(name: &str) -> Form {
    if name.ends_with(".toml") { Form::Toml } else { Form::Markdown }
}

/// The type that a name hints at, with or without a number.
fn hint(name: &str) -> Option<EventType> {
    let numbered = || format!("000-{name}").parse::<FileName>();
    let parsed = name.parse::<FileName>().or_else(|_| numbered());
    parsed.ok().and_then(|name| name.hinted_type())
}
