//! Files to start from.

use crate::support::Jp;

#[test]
fn the_types_are_listed_and_a_template_is_printed_as_it_is() {
    let jp = Jp::new();
    let types = jp.run(&["conversation", "template"]).ok();
    assert_eq!(
        types,
        "request\nmessage\nreasoning\nstructured\ntool-call\ntool-start\ntool-result\n\
         inquiry-request\ninquiry-response\nattachment\nconfig-delta\ncompaction\n"
    );
    for name in types.lines() {
        let printed = jp.run(&["c", "template", name]).ok();
        let kind = format!("type: {name}\n");
        let table = format!("[event]\ntype = \"{name}\"\n");
        assert!(printed.contains(&kind) || printed.contains(&table), "{printed}");
    }
    assert_eq!(
        jp.run(&["c", "template", "request"]).ok(),
        include_str!("../../templates/events/request.md")
    );
}

#[test]
fn a_template_can_be_appended_as_it_is() {
    let jp = Jp::in_workspace();
    for (name, file) in [("request", "ask.md"), ("message", "say.md"), ("config-delta", "set.toml")]
    {
        jp.write(file, jp.run(&["c", "template", name]).ok());
    }
    let printed = jp.run(&["c", "append", "--new", "ask.md", "say.md", "set.toml"]).ok();
    let id = printed.split_whitespace().next().unwrap();
    let kept = jp.run(&["c", "cat", id, "0"]).ok();
    let timestamp = kept.lines().find(|line| line.starts_with("timestamp: ")).unwrap();
    assert_eq!(
        kept.replace(&format!("{timestamp}\n"), ""),
        jp.run(&["c", "template", "request"]).ok()
    );
    jp.assert_sound();
}

#[test]
fn an_unknown_type_is_answered_with_those_that_there_are() {
    Jp::new().run(&["c", "template", "note"]).fails(
        2,
        "error: invalid value 'note' for '[TYPE]': `note` is not an event type: expected one of \
         request, message, reasoning, structured, tool-call, tool-start, tool-result, \
         inquiry-request, inquiry-response, attachment, config-delta, compaction\n\n\
         For more information, try '--help'.\n",
    );
}
