//! Who decides when a prompt comes up: one function for every kind of prompt.

use crate::{
    config::{Policy, Unattended},
    model::InquiryKind,
};

/// Who there is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Somebody at a terminal, or at the other end of a connection.
    Person,
    /// Nobody, in a command that somebody waits for.
    Nobody,
    /// Nobody yet: the turn goes on in the background, and somebody may come.
    Detached,
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The person who is there.
    Person,
    /// Nobody has to: yes.
    Approve,
    /// Nobody has to: the answer that counts when none is given.
    Default,
    /// The model.
    Model,
    /// Nobody can: no.
    Fail,
    /// Somebody later.
    Wait,
}

/// The policy for a prompt: that of the tool for its kind, that of the tool, that of all tools for
/// its kind, that of all tools; else nothing happens unasked.
pub fn policy(
    tool: &Unattended,
    all: &Unattended,
    kind: InquiryKind,
    audience: Audience,
) -> Policy {
    let of = |unattended: &Unattended| match kind {
        InquiryKind::RunTool => unattended.run,
        InquiryKind::DeliverResult => unattended.deliver,
        InquiryKind::ToolQuestion => unattended.question,
    };
    let settled = [of(tool), tool.all, of(all), all.all];
    settled.into_iter().flatten().next().unwrap_or(match audience {
        Audience::Detached => Policy::Queue,
        Audience::Person | Audience::Nobody => Policy::Deny,
    })
}

/// Who decides about a prompt. `exclusive` means that only a person may.
pub fn route(kind: InquiryKind, exclusive: bool, audience: Audience, policy: Policy) -> Route {
    if audience == Audience::Person {
        return Route::Person;
    }
    match policy {
        Policy::Queue => Route::Wait,
        Policy::Deny => Route::Fail,
        Policy::Defaults => Route::Default,
        Policy::Auto if exclusive => Route::Fail,
        Policy::Auto => match kind {
            InquiryKind::RunTool | InquiryKind::DeliverResult => Route::Approve,
            InquiryKind::ToolQuestion => Route::Model,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [InquiryKind; 3] =
        [InquiryKind::RunTool, InquiryKind::DeliverResult, InquiryKind::ToolQuestion];
    const POLICIES: [Policy; 4] = [Policy::Auto, Policy::Defaults, Policy::Deny, Policy::Queue];

    #[test]
    fn whoever_is_there_is_asked_whatever_the_policy() {
        for kind in KINDS {
            for policy in POLICIES {
                for exclusive in [false, true] {
                    assert_eq!(route(kind, exclusive, Audience::Person, policy), Route::Person);
                }
            }
        }
    }

    #[test]
    fn without_anybody_the_policy_decides_for_every_kind() {
        use InquiryKind::*;
        let table = [
            (Policy::Auto, RunTool, false, Route::Approve),
            (Policy::Auto, DeliverResult, false, Route::Approve),
            (Policy::Auto, ToolQuestion, false, Route::Model),
            (Policy::Auto, RunTool, true, Route::Fail),
            (Policy::Auto, DeliverResult, true, Route::Fail),
            (Policy::Auto, ToolQuestion, true, Route::Fail),
            (Policy::Defaults, RunTool, false, Route::Default),
            (Policy::Defaults, DeliverResult, false, Route::Default),
            (Policy::Defaults, ToolQuestion, false, Route::Default),
            (Policy::Defaults, RunTool, true, Route::Default),
            (Policy::Defaults, DeliverResult, true, Route::Default),
            (Policy::Defaults, ToolQuestion, true, Route::Default),
            (Policy::Deny, RunTool, false, Route::Fail),
            (Policy::Deny, DeliverResult, false, Route::Fail),
            (Policy::Deny, ToolQuestion, false, Route::Fail),
            (Policy::Deny, RunTool, true, Route::Fail),
            (Policy::Deny, DeliverResult, true, Route::Fail),
            (Policy::Deny, ToolQuestion, true, Route::Fail),
            (Policy::Queue, RunTool, false, Route::Wait),
            (Policy::Queue, DeliverResult, false, Route::Wait),
            (Policy::Queue, ToolQuestion, false, Route::Wait),
            (Policy::Queue, RunTool, true, Route::Wait),
            (Policy::Queue, DeliverResult, true, Route::Wait),
            (Policy::Queue, ToolQuestion, true, Route::Wait),
        ];
        assert_eq!(table.len(), KINDS.len() * POLICIES.len() * 2);
        for (policy, kind, exclusive, expected) in table {
            for audience in [Audience::Nobody, Audience::Detached] {
                let routed = route(kind, exclusive, audience, policy);
                assert_eq!(routed, expected, "{policy:?} {kind:?} {exclusive} {audience:?}");
            }
        }
    }

    #[test]
    fn the_first_policy_that_is_settled_counts() {
        use Policy::*;
        let none = Unattended::default();
        let tool_kind = Unattended { run: Some(Auto), ..none };
        let tool = Unattended { all: Some(Defaults), ..none };
        let kind = Unattended { run: Some(Deny), ..none };
        let all = Unattended { all: Some(Queue), ..none };
        let of = |tool: &Unattended, all: &Unattended| {
            policy(tool, all, InquiryKind::RunTool, Audience::Nobody)
        };
        let both = |a: Unattended, b: Unattended| Unattended { run: a.run, all: b.all, ..none };
        assert_eq!(of(&both(tool_kind, tool), &both(kind, all)), Auto);
        assert_eq!(of(&tool, &both(kind, all)), Defaults);
        assert_eq!(of(&none, &both(kind, all)), Deny);
        assert_eq!(of(&none, &all), Queue);
        assert_eq!(of(&none, &none), Deny);
        let detached = policy(&none, &none, InquiryKind::RunTool, Audience::Detached);
        assert_eq!(detached, Queue);
        let other = policy(&tool_kind, &none, InquiryKind::ToolQuestion, Audience::Nobody);
        assert_eq!(other, Deny);
    }
}
