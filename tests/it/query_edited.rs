//! A conversation that somebody changes by hand while a turn goes on: nothing is lost.

use std::{fs, process::Stdio};

use crate::{
    query::{answer, ask, configure, files, only, player},
    support::{Jp, Output},
};

/// A model that calls a tool which ends when the test lets it.
fn with_slow_tool() -> Jp {
    let jp = player(
        "[[answer]]\nstep = [{ call = \"slow\", arguments = {} }]\n\n\
         [[answer]]\nexpect = \"the result\"\ntext = \"Seen.\"\n\n[[answer]]\nwhen = \"More\"\ntext = \"Next.\"\n",
    );
    for fifo in ["runs", "ends"] {
        assert!(jp.command("mkfifo").arg(jp.path(fifo)).status().unwrap().success());
    }
    let command = "command = [\"echo > runs; cat ends; echo the result\"]\nshell = true\n";
    configure(&jp, &format!("\n[tools.slow]\n{command}permission = \"allow\"\n"));
    jp
}

/// Asks, and does something to the conversation while the tool runs.
fn meanwhile(jp: &Jp, edit: impl FnOnce(&str)) -> Output {
    let mut command = jp.jp(&["q", "--non-interactive", "--new", "Go"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    fs::read(jp.path("runs")).unwrap();
    edit(&only(jp));
    fs::write(jp.path("ends"), "").unwrap();
    Output::from(child.wait_with_output().unwrap())
}

#[test]
fn a_result_whose_call_was_taken_out_is_kept_beside_the_stream() {
    let jp = with_slow_tool();
    let output = meanwhile(&jp, |id| {
        let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
        let left: Vec<_> = manifest.lines().filter(|line| !line.contains("-tool-")).collect();
        jp.edit(id, "CONVERSATION", left.join("\n") + "\n");
    });
    let id = only(&jp);
    assert_eq!((output.code, output.stdout.as_str()), (0, "Seen.\n"), "{}", output.stderr);
    let note = format!(
        "warning: a call was taken out of the conversation; its result is kept beside it: \
         `jp git show {id}:003-tool-result-slow.md` prints it\n"
    );
    assert!(output.stderr.contains(&note), "{}", output.stderr);
    let kept = jp.run(&["git", "show", &format!("{id}:003-tool-result-slow.md")]).ok();
    assert!(kept.contains("\nthe result\n"), "{kept}");
    let stream = jp.show(&id)["stream"].clone();
    let types: Vec<_> =
        stream.as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["request", "message"]);
    assert_eq!(files(&jp, &id).len(), 5);
    assert_eq!(jp.show(&id)["status"], "idle");
    assert_eq!(jp.run(&["c", "fsck", &id]).code, 0);
    assert_eq!(answer(ask(&jp, &["More"])), "Next.\n");
    jp.assert_sound();
}

#[test]
fn what_cannot_be_stored_is_kept_in_a_file() {
    let jp = with_slow_tool();
    let output = meanwhile(&jp, |id| jp.edit(id, "CONVERSATION", "000-request.md\nnonsense\n"));
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    let before = "warning: what could not be stored is kept in `";
    let line = output.stderr.lines().find_map(|line| line.strip_prefix(before)).unwrap();
    let directory = line.strip_suffix('`').unwrap();
    let kept = fs::read_to_string(format!("{directory}/000-tool-result-slow.md")).unwrap();
    assert!(kept.contains("\nthe result\n"), "{kept}");
}
