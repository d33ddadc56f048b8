//! What clients say: who may say what, and who does it.

use super::{
    super::message::{EventText, FromClient, FromServer, Role},
    State,
};
use crate::{
    model::{Answer, AnswerType, Event, InquiryId, InquiryKind, InquiryRequest},
    turn::{FollowUp, Interrupt, Reply, Waiting},
};

/// How much may be said in between before the turn has heard it.
const MOST_SAID: usize = 8;

impl State {
    /// A client says something; whether it may say more.
    pub(super) fn hear(&mut self, number: u64, message: FromClient) -> bool {
        let Some(role) = self.role(number) else { return false };
        if role == Role::Watcher && changes_something(&message) {
            self.refuse(number, "whoever only watches changes nothing");
            return true;
        }
        match message {
            FromClient::Detach => {
                self.remove(number);
                false
            }
            FromClient::Reply(reply) => {
                let (inquiry, reply) = reply.read();
                self.reply(number, role, &inquiry, reply);
                true
            }
            FromClient::Interrupt(interrupt) => {
                let interrupt = interrupt.into();
                if matches!(interrupt, Interrupt::Reply(_)) && self.said >= MOST_SAID {
                    self.refuse(number, "too much is said at once; the turn has to hear it first");
                } else {
                    self.interrupt(interrupt);
                }
                true
            }
            FromClient::Stop => {
                self.interrupt(Interrupt::HangUp);
                true
            }
            FromClient::Send { request } => self.queue_what(number, &request, FollowUp::Ask),
            FromClient::Unqueue { number: waiting, blob } => {
                self.change_queue(number, FollowUp::Drop(Waiting { number: waiting, blob }))
            }
            FromClient::Requeue { number: waiting, blob, request } => {
                let waiting = Waiting { number: waiting, blob };
                self.queue_what(number, &request, |request| FollowUp::Change(waiting, request))
            }
            // It was said before.
            FromClient::Hello(_) => true,
        }
    }

    fn reply(&mut self, number: u64, role: Role, inquiry: &InquiryId, reply: Reply) {
        let controller = self.controller().map(|client| (client.number, client.pid));
        let is_asked = controller.is_some_and(|(controller, _)| controller == number);
        let at = self.open.iter().position(|ask| ask.inquiry.id == *inquiry);
        let (Some(at), Some(post)) = (at, &self.post) else {
            return self
                .refuse(number, &format!("`{inquiry}` does not wait for an answer any more"));
        };
        if !fits(&self.open[at].inquiry, &reply) {
            return self.refuse(number, &format!("this is no answer to `{inquiry}`"));
        }
        if !is_asked && role != Role::Messenger {
            return self.refuse(
                number,
                &match controller {
                    Some((_, pid)) => format!("process {pid} is asked about `{inquiry}`"),
                    None => format!("`{inquiry}` is not asked here"),
                },
            );
        }
        post.reply(inquiry.clone(), reply);
        self.open.remove(at);
        // Somebody else may be looking at it.
        if !is_asked {
            self.withdraw_from_controller(inquiry);
        }
    }

    /// Lets the turn change what is queued by something that a client has written.
    fn queue_what(
        &mut self,
        number: u64,
        request: &EventText,
        follow_up: impl FnOnce(Event) -> FollowUp,
    ) -> bool {
        match request.read((self.wiring.now)()) {
            Ok(request) => self.change_queue(number, follow_up(request)),
            Err(error) => {
                self.refuse(number, &error.to_string());
                true
            }
        }
    }

    /// Lets the turn change what is queued; whether the client may say more.
    fn change_queue(&mut self, number: u64, follow_up: FollowUp) -> bool {
        let Some(post) = &self.post else {
            // Whoever is not heard comes again, or takes the lock as soon as it is free.
            self.remove(number);
            return false;
        };
        post.follow_up(number, follow_up);
        true
    }

    fn refuse(&self, number: u64, message: &str) {
        self.tell(number, &FromServer::Refused { message: message.to_owned() });
    }

    /// Somebody wants something else of the turn.
    pub(super) fn interrupt(&mut self, interrupt: Interrupt) {
        self.is_hung_up |= interrupt == Interrupt::HangUp;
        self.said += usize::from(matches!(interrupt, Interrupt::Reply(_)));
        match &self.post {
            Some(post) => post.interrupt(interrupt),
            // Between two turns it is for the next one, and the end of all is not forgotten.
            None if self.interrupted == Some(Interrupt::HangUp) => {}
            None => self.interrupted = Some(interrupt),
        }
    }
}

fn changes_something(message: &FromClient) -> bool {
    match message {
        FromClient::Interrupt(_)
        | FromClient::Stop
        | FromClient::Send { .. }
        | FromClient::Unqueue { .. }
        | FromClient::Requeue { .. } => true,
        FromClient::Hello(_) | FromClient::Reply(_) | FromClient::Detach => false,
    }
}

/// Whether a reply is of the kind that a question asks for.
fn fits(inquiry: &InquiryRequest, reply: &Reply) -> bool {
    let is_permission = inquiry.kind == InquiryKind::RunTool;
    match (reply, &inquiry.answer) {
        (Reply::Cancelled, _) => true,
        (Reply::Refused(_), _) => is_permission,
        (Reply::Edited(_), _) => is_permission || inquiry.kind == InquiryKind::DeliverResult,
        (Reply::Answer(Answer::Select(value)), AnswerType::Select { options, .. }) => {
            options.iter().any(|option| option.value == *value)
        }
        (Reply::Answer(Answer::Boolean(_)), AnswerType::Boolean { .. })
        | (Reply::Answer(Answer::Text(_)), AnswerType::Text { .. })
        | (Reply::Secret(_), AnswerType::Secret) => true,
        (Reply::Answer(_) | Reply::Secret(_), _) => false,
    }
}
