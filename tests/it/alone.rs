//! Queries that are left alone: what they hold and run, who is told of them, and what is said when
//! they go wrong.

use crate::query::player;

#[test]
fn a_query_that_stays_here_or_keeps_nothing_cannot_be_left() {
    let jp = player("[[answer]]\ntext = \"Done.\"\n");
    for flag in ["--no-server", "--no-persist"] {
        let output = jp.run(&["q", "--detach", flag, "--new", "Go"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{flag}");
        assert!(output.stderr.contains("cannot be used with"), "{flag}: {}", output.stderr);
    }
}
