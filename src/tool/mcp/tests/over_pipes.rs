use super::*;

#[test]
fn a_server_is_told_which_call_it_is_and_whether_it_may_have_been_made_before() {
    for manner in ["modern", "legacy"] {
        let place = Place::new();
        let (_servers, tools) = place.started(place.spec(manner));
        let course = call_with(&tools, "echo", json!({ "meta": true }), &Cancel::new(), None);
        assert_eq!(course.outcome, Outcome::success("\"call_7\" true"), "{manner}");
    }
}

#[test]
fn servers_of_both_eras_are_called_and_told_when_it_is_over() {
    for manner in ["legacy", "modern", "noisy"] {
        let place = Place::new();
        let (servers, tools) = place.started(place.spec(manner));
        assert_eq!(tools.len(), 9, "{manner}");
        assert_eq!(tools[0].spec().name.as_str(), "srv__echo");
        let course = call_with(&tools, "echo", json!({ "a": 1 }), &Cancel::new(), None);
        assert_eq!(course.outcome, Outcome::success("{\"a\":1}"), "{manner}");
        assert_eq!(call(&tools, "fail"), Outcome::error("no"));
        drop(servers);
        assert!(place.log().ends_with("end of input\n"), "{manner}: {}", place.log());
    }
}

#[test]
fn a_server_sees_the_usual_variables_and_those_that_are_named_but_no_key() {
    let place = Place::new();
    let (_servers, tools) = place.started(place.spec("legacy"));
    let seen = text(&call(&tools, "env"));
    let mut names: Vec<_> = seen.split(' ').collect();
    names.sort_unstable();
    assert_eq!(names, ["MINE", "PATH", "PLAYED_LOG", "PLAYED_MANNER"]);
}

#[test]
fn progress_is_told_and_the_workspace_is_the_root() {
    let place = Place::new();
    let (_servers, tools) = place.started(place.spec("legacy"));
    let course = call_with(&tools, "steps", json!({}), &Cancel::new(), None);
    assert_eq!(course.outcome, Outcome::success("arrived"));
    assert_eq!(course.said, ["going (1 of 2)", "going (2 of 2)"]);
    let roots: Value = serde_json::from_str(&text(&call(&tools, "roots"))).unwrap();
    let uri = format!("file://{}", place.site.workspace.display());
    assert_eq!(roots["roots"], json!([{ "uri": uri, "name": "workspace" }]));
}

#[test]
fn what_a_server_wants_to_know_is_a_question_in_both_eras() {
    for (manner, rest) in [("legacy", ""), ("modern", " \"s\"")] {
        let place = Place::new();
        let (_servers, tools) = place.started(place.spec(manner));
        let ask = |answer| call_with(&tools, "ask", json!({}), &Cancel::new(), answer);
        let course = ask(Some(json!(true)));
        let read = |outcome: &Outcome| -> Value {
            let text = text(outcome);
            serde_json::from_str(text.strip_suffix(rest).unwrap()).unwrap()
        };
        let accepted = json!({ "action": "accept", "content": { "sure": true } });
        assert_eq!(read(&course.outcome), accepted, "{manner}");
        assert_eq!(course.asked.len(), 1);
        assert_eq!(course.asked[0].text, "The server `srv` asks: Sure?\n\n`sure`");
        assert_eq!(read(&ask(None).outcome), json!({ "action": "cancel" }), "{manner}");
    }
}

#[test]
fn a_huge_result_is_cut_and_the_whole_of_it_saved() {
    let place = Place::new();
    let (_servers, tools) = place.started(place.spec("legacy"));
    let shown = text(&call(&tools, "huge"));
    assert!(shown.len() < 65_000, "{}", shown.len());
    let saved = std::fs::read_dir(&place.site.outputs).unwrap().next().unwrap().unwrap().path();
    assert_eq!(std::fs::metadata(&saved).unwrap().len(), 300_000);
    assert!(shown.contains(&format!("the whole output is saved in `{}`", saved.display())));
}

#[test]
fn a_cancelled_call_is_called_off_and_the_server_goes_on() {
    let place = Place::new();
    let (servers, tools) = place.started(place.spec("legacy"));
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| call_with(&tools, "wait", json!({}), &cancel, None).outcome);
        while !place.log().contains("tools/call wait") {
            std::thread::yield_now();
        }
        cancel.cancel();
        let outcome = call.join().unwrap();
        assert!(text(&outcome).contains("because the query was cancelled"), "{outcome:?}");
    });
    assert_eq!(call(&tools, "echo"), Outcome::success("{}"));
    drop(servers);
    assert!(place.log().contains("notifications/cancelled\n"), "{}", place.log());
}

#[test]
fn a_call_has_its_time_and_the_server_is_told_that_it_is_over() {
    let place = Place::new();
    let spec = ServerSpec { timeout: Duration::from_millis(200), ..place.spec("legacy") };
    let (servers, tools) = place.started(spec);
    let outcome = call(&tools, "wait");
    assert!(text(&outcome).contains("was not done after 0.2 s"), "{outcome:?}");
    drop(servers);
    assert!(place.log().contains("notifications/cancelled\n"), "{}", place.log());
}

#[test]
fn a_server_that_dies_in_a_call_is_restarted_once_and_the_call_is_not_made_again() {
    let place = Place::new();
    let (_servers, tools) = place.started(place.spec("legacy"));
    let died = text(&call(&tools, "die"));
    let expected = "It is not known what the tool `srv__die` did: the server `srv` was lost in the \
                    middle of the call: the connection is closed; ";
    assert!(died.starts_with(expected), "{died}");
    assert!(died.contains("it ended with exit status: 3; it said: I die\u{1b}[31m now"), "{died}");
    assert_eq!(place.log().matches("tools/call die").count(), 1);
    assert_eq!(call(&tools, "echo"), Outcome::success("{}"));
    assert!(is_error(&call(&tools, "die")));
    let last = text(&call(&tools, "echo"));
    let expected = "The tool `srv__echo` was not run: the server `srv` is not there: it has ended \
                    again, and is restarted only once";
    assert!(last.starts_with(expected), "{last}");
    assert_eq!(place.log().matches("initialize").count(), 4, "{}", place.log());
}

#[test]
fn only_what_the_user_calls_idempotent_is_called_again() {
    let place = Place::new();
    let spec = ServerSpec { idempotent: vec!["die".to_owned()], ..place.spec("legacy") };
    let (_servers, tools) = place.started(spec);
    let is_idempotent: Vec<_> =
        tools.iter().filter(|tool| tool.is_idempotent()).map(|tool| tool.original()).collect();
    assert_eq!(is_idempotent, ["die"]);
    assert!(is_error(&call(&tools, "die")));
    assert_eq!(place.log().matches("tools/call die").count(), 2);
}

#[test]
fn a_server_that_does_not_start_is_told_in_one_line_and_the_others_are_there() {
    let place = Place::new();
    let named = |name: &str, spec: ServerSpec| ServerSpec { name: name.to_owned(), ..spec };
    let missing = Way::Command {
        argv: vec!["/nowhere/at-all".to_owned()],
        environment: Vec::new(),
        variables: BTreeMap::new(),
    };
    let mute = place.spec("mute");
    let specs = vec![
        named("quit", place.spec("quit")),
        named("missing", ServerSpec::new("", "test", missing)),
        named("mute", ServerSpec { startup_timeout: Duration::from_millis(300), ..mute }),
        named("endless", place.spec("endless")),
        named("fine", place.spec("legacy")),
    ];
    let began = Instant::now();
    let (servers, started) = place.start(specs);
    assert!(began.elapsed() < LONG);
    let said: Vec<_> = started
        .iter()
        .map(|started| match &started.tools {
            Ok(tools) => format!("{} tools", tools.len()),
            Err(problem) => problem.clone(),
        })
        .collect();
    assert!(said[0].starts_with("it ended before it was ready; "), "{}", said[0]);
    assert!(said[0].contains("it ended with exit status: 4; it said: "), "{}", said[0]);
    assert!(said[0].ends_with("there is no / configuration"), "{}", said[0]);
    assert_eq!(said[1], "`/nowhere/at-all` cannot be run: No such file or directory");
    assert!(
        said[2].starts_with("it was not ready within 0.3 s, its `startup_timeout`"),
        "{}",
        said[2]
    );
    assert!(said[3].contains("it sent a line of more than 16777216 bytes"), "{}", said[3]);
    assert_eq!(said[4], "9 tools");
    assert!(said.iter().all(|line| !line.contains('\n')));
    drop(servers);
    assert_eq!(format!("{:?}", place.site.running), format!("{:?}", Running::default()));
}

#[test]
fn a_thousand_tools_are_cut_to_what_can_be_used() {
    let place = Place::new();
    let (_servers, mut started) = place.start(vec![place.spec("many")]);
    let started = started.remove(0);
    assert_eq!(started.tools.unwrap().len(), 512);
    assert_eq!(started.notes, ["488 more tools than 512 are left out: choose with `tools`"]);
    let spec = ServerSpec { tools: Some(vec!["t999".to_owned()]), ..place.spec("many") };
    let (_servers, tools) = place.started(spec);
    assert_eq!(tools[0].spec().name.as_str(), "srv__t999");
}

#[test]
fn a_server_that_does_not_want_to_end_is_killed() {
    let place = Place::new();
    let (servers, tools) = place.started(place.spec("stubborn"));
    assert_eq!(tools.len(), 9);
    drop(servers);
    assert_eq!(format!("{:?}", place.site.running), format!("{:?}", Running::default()));
}

#[test]
fn a_start_that_is_cancelled_is_not_waited_for() {
    let place = Place::new();
    let cancel = Cancel::new();
    cancel.cancel();
    let (_servers, started) =
        Servers::start(vec![place.spec("mute")], &place.site, &[], &cancel).unwrap();
    assert!(started[0].tools.as_ref().err().unwrap().starts_with("it was not waited for"));
}

#[test]
fn arguments_are_checked_before_anything_is_sent() {
    let place = Place::new();
    let (_servers, tools) = place.started(place.spec("legacy"));
    let course = call_with(&tools, "echo", json!([1]), &Cancel::new(), None);
    assert!(is_error(&course.outcome));
    assert!(!place.log().contains("tools/call"));
}

#[test]
fn calls_run_side_by_side() {
    let place = Place::new();
    let (_servers, tools) = place.started(place.spec("legacy"));
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| call_with(&tools, "wait", json!({}), &cancel, None).outcome);
        while !place.log().contains("tools/call wait") {
            std::thread::yield_now();
        }
        for n in 0..20 {
            let course = call_with(&tools, "echo", json!({ "n": n }), &Cancel::new(), None);
            assert_eq!(course.outcome, Outcome::success(format!("{{\"n\":{n}}}")));
        }
        cancel.cancel();
        waits.join().unwrap();
    });
}
