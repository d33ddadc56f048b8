use super::*;
use crate::model::{
    Answer, AnswerId, AnswerType, Arguments, Block, Body, CallId, Finish, InquiryId, InquiryKind,
    InquiryRequest, InquiryResponse, Message, Outcome, Refusal, Request, Status, Timestamp,
    ToolCall, ToolName, ToolResult, ToolStart, mark_superseded,
};

fn request() -> EventKind {
    EventKind::Request(Request { content: "Do it".into(), interrupts: false })
}

fn interruption() -> EventKind {
    EventKind::Request(Request { content: "Wait".into(), interrupts: true })
}

fn message() -> EventKind {
    EventKind::Message(Message { content: "Done".into(), block: Block::default() })
}

fn block(answer: &str, finish: Option<Finish>) -> EventKind {
    let answer = Some(AnswerId::new(answer));
    let block = Block { answer, finish, ..Block::default() };
    EventKind::Message(Message { content: "Part".into(), block })
}

fn call(id: &str) -> EventKind {
    EventKind::ToolCall(ToolCall {
        tool: ToolName::new("fs_write"),
        id: CallId::new(id),
        arguments: Arguments::new("{}"),
        block: Block::default(),
    })
}

/// The call `a`, as a block of the answer `r1`.
fn called(finish: Option<Finish>) -> EventKind {
    match call("a") {
        EventKind::ToolCall(mut made) => {
            made.block = Block { answer: Some(AnswerId::new("r1")), finish, ..Block::default() };
            EventKind::ToolCall(made)
        }
        _ => unreachable!("it is a call"),
    }
}

fn superseded(kind: EventKind) -> Event {
    let mut event = event(kind);
    mark_superseded(&mut event.metadata);
    event
}

fn start(id: &str) -> EventKind {
    EventKind::ToolStart(ToolStart { id: CallId::new(id), attempt: 1, rest: toml::Table::new() })
}

fn result(id: &str) -> EventKind {
    let content = Body::default();
    EventKind::ToolResult(ToolResult { id: CallId::new(id), tool: None, is_error: false, content })
}

fn question(id: &str, call: &str) -> EventKind {
    EventKind::InquiryRequest(InquiryRequest {
        id: InquiryId::new(id),
        kind: InquiryKind::ToolQuestion,
        tool: Some(ToolName::new("fs_write")),
        call: Some(CallId::new(call)),
        answer: AnswerType::Boolean { default: None },
        exclusive: false,
        text: "Overwrite?".into(),
    })
}

fn answer(id: &str) -> EventKind {
    let outcome = Outcome::Answered(Answer::Boolean(true));
    EventKind::InquiryResponse(InquiryResponse { id: InquiryId::new(id), outcome })
}

fn delta() -> EventKind {
    EventKind::ConfigDelta(toml::Table::new())
}

fn event(kind: EventKind) -> Event {
    Event::new(Timestamp::from_seconds(0), kind)
}

fn stream(kinds: Vec<EventKind>) -> Stream {
    Stream::new(kinds.into_iter().enumerate().map(|(number, kind)| Entry {
        address: Address::new(number as u32).unwrap(),
        event: event(kind),
    }))
}

fn progress(kinds: Vec<EventKind>) -> Progress {
    let mut progress = Progress::default();
    for kind in kinds {
        progress.push(&event(kind));
    }
    progress
}

fn lengths(stream: &Stream) -> (Vec<usize>, Option<usize>, usize) {
    let turns = stream.turns.iter().map(|turn| turn.entries.len()).collect();
    let incomplete = stream.incomplete.as_ref().map(|incomplete| incomplete.turn.entries.len());
    (turns, incomplete, stream.waiting.len())
}

#[test]
fn a_request_after_a_response_starts_a_turn() {
    let split = stream(vec![request(), message(), request(), message()]);
    assert_eq!(lengths(&split), (vec![2, 2], None, 0));
}

#[test]
fn a_turn_without_a_response_is_incomplete() {
    let split = stream(vec![request(), message(), request()]);
    assert_eq!(lengths(&split), (vec![2], Some(1), 0));
    assert_eq!(split.incomplete.unwrap().pending(), Pending::Response);
}

#[test]
fn a_turn_with_a_call_without_a_result_is_incomplete() {
    let split = stream(vec![request(), message(), call("a"), call("b"), result("b")]);
    let incomplete = split.incomplete.unwrap();
    assert_eq!(incomplete.pending(), Pending::Tools);
    let ids: Vec<_> =
        incomplete.progress.pending_calls().iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a"]);
}

#[test]
fn a_turn_without_a_response_after_the_last_result_is_incomplete() {
    let split = stream(vec![request(), message(), call("a"), result("a")]);
    assert_eq!(split.incomplete.unwrap().pending(), Pending::FollowUp);
    let split = stream(vec![request(), call("a"), result("a"), message()]);
    assert_eq!(lengths(&split), (vec![4], None, 0));
}

#[test]
fn an_answer_without_a_finish_mark_is_incomplete() {
    let cut = stream(vec![request(), block("r1", None)]);
    assert_eq!(cut.incomplete.unwrap().pending(), Pending::Response);
    let whole = stream(vec![request(), block("r1", None), block("r1", Some(Finish::Stop))]);
    assert_eq!(lengths(&whole), (vec![3], None, 0));
}

#[test]
fn an_answer_that_has_not_ended_does_not_count_until_somebody_acts_upon_it() {
    let open = progress(vec![request(), called(None)]);
    assert_eq!(open.pending(), Some(Pending::Response));
    assert_eq!(open.status().to_string(), "interrupted (pending LLM response)");
    let ended = progress(vec![request(), called(Some(Finish::ToolCalls))]);
    assert_eq!(ended.pending(), Some(Pending::Tools));
    for act in [start("a"), question("q", "a")] {
        let acted = progress(vec![request(), called(None), act]);
        assert_eq!((acted.pending(), acted.open_answer()), (Some(Pending::Tools), None));
    }
    let result = progress(vec![request(), called(None), result("a")]);
    assert_eq!((result.pending(), result.open_answer()), (Some(Pending::FollowUp), None));
}

#[test]
fn a_superseded_block_is_no_answer() {
    let mut after_request = progress(vec![request()]);
    after_request.push(&superseded(block("r1", None)));
    assert_eq!(after_request.pending(), Some(Pending::Response));
    assert_eq!(after_request.open_answer(), Some(&AnswerId::new("r1")));
    assert_eq!(after_request.admit(&event(request())), Err(Refusal::RequestAfterRequest));
    let mut after_result = progress(vec![request(), call("a"), result("a")]);
    after_result.push(&superseded(message()));
    assert_eq!(after_result.pending(), Some(Pending::FollowUp));
    let mut between = progress(vec![request(), block("r1", None)]);
    between.push(&superseded(block("r1", None)));
    assert_eq!(between.pending(), Some(Pending::Response));
    between.push(&event(block("r2", Some(Finish::Stop))));
    assert_eq!(between.pending(), None);
}

#[test]
fn an_answer_is_asked_for_anew_if_it_had_begun_and_its_calls_do_not_count() {
    let is_asked_anew = |kinds, broken: Option<EventKind>| {
        let mut progress = progress(kinds);
        broken.into_iter().for_each(|kind| progress.push(&superseded(kind)));
        progress.is_asked_anew()
    };
    let part = || block("r1", None);
    assert!(!is_asked_anew(vec![request()], None), "nothing of it had come");
    assert!(is_asked_anew(vec![request(), part()], None));
    assert!(is_asked_anew(vec![request(), called(None)], None));
    assert!(is_asked_anew(vec![request()], Some(part())));
    assert!(is_asked_anew(vec![request(), call("a"), result("a")], Some(part())));
    // The tools come first.
    assert!(!is_asked_anew(vec![request(), called(Some(Finish::ToolCalls))], None));
    assert!(!is_asked_anew(vec![request(), called(None), start("a")], None));
    assert!(!is_asked_anew(vec![request(), call("a")], Some(part())));
    assert!(!is_asked_anew(vec![request(), block("r1", Some(Finish::Stop))], None));
}

#[test]
fn of_an_answer_whose_id_was_given_twice_only_the_tail_is_open() {
    let open = |kinds| {
        let turn = stream(kinds).incomplete.unwrap().turn;
        let open = open_blocks(&turn.entries, &AnswerId::new("r1"));
        open.map(|entry| entry.address.number()).collect::<Vec<_>>()
    };
    let part = || block("r1", None);
    assert_eq!(open(vec![request(), part(), part(), called(None)]), [1, 2, 3]);
    assert_eq!(open(vec![request(), part(), called(None), result("a"), part(), part()]), [4, 5]);
    assert_eq!(open(vec![request(), part(), called(None), start("a")]), [0; 0]);
    let ended = || block("r1", Some(Finish::Cancelled));
    assert_eq!(open(vec![request(), ended(), interruption(), part()]), [3]);
    assert_eq!(open(vec![request(), ended(), part()]), [2]);
    assert_eq!(open(vec![request(), block("r2", None), part()]), [2]);
}

#[test]
fn configuration_before_a_request_belongs_to_its_turn() {
    let split = stream(vec![delta(), request(), message(), delta(), request(), message(), delta()]);
    assert_eq!(lengths(&split), (vec![3, 3], None, 1));
    let split = stream(vec![request(), call("a"), delta(), result("a"), message()]);
    assert_eq!(lengths(&split), (vec![5], None, 0));
    let split = stream(vec![request(), message(), call("a"), delta(), request(), message()]);
    assert_eq!(lengths(&split), (vec![3, 3], None, 0));
}

#[test]
fn an_interrupting_request_stays_in_its_turn() {
    let split = stream(vec![request(), message(), interruption(), message()]);
    assert_eq!(lengths(&split), (vec![4], None, 0));
    let split = stream(vec![request(), message(), interruption()]);
    assert_eq!(split.incomplete.unwrap().pending(), Pending::Response);
}

#[test]
fn the_status_comes_from_the_incomplete_turn() {
    let status = |kinds| progress(kinds).status().to_string();
    assert_eq!(status(vec![]), "idle");
    assert_eq!(status(vec![request(), message()]), "idle");
    assert_eq!(status(vec![request()]), "interrupted (pending LLM response)");
    assert_eq!(status(vec![request(), call("a")]), "interrupted (pending tool execution)");
    assert_eq!(status(vec![request(), call("a"), result("a")]), "interrupted (pending follow-up)");
    let asked = vec![request(), call("a"), call("b"), start("a"), question("q", "a"), result("b")];
    assert_eq!(status(asked), "waiting-for-input (fs_write)");
    let answered = vec![request(), call("a"), question("q", "a"), answer("q")];
    assert_eq!(status(answered), "interrupted (pending tool execution)");
}

#[test]
fn a_started_call_is_known_to_have_been_started() {
    let progress = progress(vec![request(), call("a"), call("b"), start("a")]);
    let attempts: Vec<_> = progress.pending_calls().iter().map(|call| call.attempts).collect();
    assert_eq!(attempts, [1, 0]);
    assert_eq!(progress.status(), Status::Interrupted(Pending::Tools));
}

#[test]
fn an_event_that_cannot_stand_at_the_end_is_refused() {
    let admit = |kinds, next| progress(kinds).admit(&event(next));
    let call_a = CallId::new("a");
    let refused = Err(Refusal::ResultWithoutCall(call_a.clone()));
    assert_eq!(admit(vec![request()], result("a")), refused);
    assert_eq!(admit(vec![request(), call("a"), result("a")], result("a")), refused);
    assert_eq!(admit(vec![request()], start("a")), Err(Refusal::StartWithoutCall(call_a.clone())));
    assert_eq!(
        admit(vec![request(), call("a")], call("a")),
        Err(Refusal::CallTwice(call_a.clone()))
    );
    assert_eq!(
        admit(vec![request()], answer("q")),
        Err(Refusal::AnswerWithoutQuestion(InquiryId::new("q")))
    );
    let asked = || vec![request(), call("a"), question("q", "a")];
    let text = |id: &str| {
        let outcome = Outcome::Answered(Answer::Text("hunter2".into()));
        EventKind::InquiryResponse(InquiryResponse { id: InquiryId::new(id), outcome })
    };
    assert_eq!(admit(asked(), answer("q")), Ok(()));
    let other = Err(Refusal::AnswerOfOtherForm(InquiryId::new("q")));
    assert_eq!(admit(asked(), text("q")), other);
    let mut secret = question("q", "a");
    if let EventKind::InquiryRequest(inquiry) = &mut secret {
        inquiry.answer = AnswerType::Secret;
    }
    let refused = Err(Refusal::SecretAnswer(InquiryId::new("q")));
    assert_eq!(admit(vec![request(), call("a"), secret], text("q")), refused);
    assert_eq!(admit(vec![request()], request()), Err(Refusal::RequestAfterRequest));
    assert_eq!(admit(vec![request(), delta()], request()), Err(Refusal::RequestAfterRequest));
    assert_eq!(
        admit(vec![request(), call("a")], request()),
        Err(Refusal::RequestBeforeResults(vec![call_a]))
    );
    assert_eq!(admit(vec![request()], interruption()), Ok(()));
    assert_eq!(admit(vec![request(), message()], request()), Ok(()));
    assert_eq!(admit(vec![request(), call("a"), result("a")], call("a")), Ok(()));
}

#[test]
fn progress_survives_being_written_down() {
    let progress = progress(vec![request(), call("a"), start("a"), question("q", "a")]);
    let text = serde_json::to_string(&progress).unwrap();
    assert_eq!(serde_json::from_str::<Progress>(&text).unwrap(), progress);
}
