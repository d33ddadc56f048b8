//! Any edit of a plan, by the whole binary: refused, or sound and taken back to the same tree.

use proptest::{prelude::*, test_runner::TestRunner};

use crate::{
    edit_cycle::assert_sound_and_undone,
    fake_editor::FakeEditor,
    support::{Jp, answer, call, message, question, request, result, start},
};

#[test]
fn any_edit_of_a_plan_is_refused_or_sound_and_undone() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[
        &request("One\n"),
        &message("1\n"),
        &request("Two\n"),
        &call("c1"),
        &question("q1", "c1"),
        &answer("q1"),
        &start("c1"),
        &result("c1", "x\n"),
        &message("2\n"),
        &request("Three\n"),
        &message("3\n"),
    ]);
    let lines = 0..20_usize;
    let swaps = prop::collection::vec((lines.clone(), lines.clone()), 0..3);
    let gone = prop::collection::vec(lines, 0..4);
    let new = prop::option::of(prop_oneof![Just("request"), Just("message"), Just("attachment")]);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(12));
    let (tip, tree) = (jp.tip(&id), jp.tree(&id));
    let run = runner.run(&(swaps, gone, new), |(swaps, gone, new)| {
        let mut editor = FakeEditor::new(&jp);
        if let Some(name) = new {
            editor =
                editor.write("new.md", jp.run(&["c", "template", name]).ok()).list(&["new.md"]);
        }
        let editor = editor.shuffle(swaps, gone);
        let output = editor.edits_or_aborts(&jp, &["c", "edit", "-i", "--yes", &id]);
        match output.code {
            0 if jp.tip(&id) != tip => {
                assert_sound_and_undone(&jp, &id, &tree);
                jp.force(&id, &tip);
            }
            0 | 1 => prop_assert_eq!(jp.tip(&id), tip.clone()),
            code => prop_assert!(false, "{} {}", code, output.stderr),
        }
        Ok(())
    });
    run.unwrap();
    jp.assert_sound();
}
