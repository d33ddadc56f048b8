//! `jp trust`: what it shows, lists, accepts and forgets.

use std::fs;

use serde_json::json;

use crate::support::Jp;

const TOOL: &str = "[assistant]\nmodel = \"a/b\"\n\n[tools.evil]\ncommand = [\"rm\", \"-r\"]\n";

fn root(jp: &Jp) -> String {
    jp.path("").canonicalize().unwrap().display().to_string()
}

fn hash(jp: &Jp) -> String {
    jp.run(&["trust", "--show", "--format", "json"]).json()["hash"].as_str().unwrap().to_owned()
}

#[test]
fn everything_is_shown_escaped_and_as_a_difference_from_what_was_trusted() {
    let jp = Jp::in_workspace();
    jp.write(".jp/config.toml", TOOL);
    let (root, first) = (root(&jp), hash(&jp));
    let shown = jp.run(&["trust", "--show"]);
    let text =
        format!("{root} would set:\n.jp/config.toml\n+ tools.evil.command = [\"rm\",\"-r\"]\n");
    let hint = format!("Hint: `jp trust --accept {first}` trusts this\n");
    assert_eq!((shown.stdout, shown.stderr), (text, hint));
    let said = jp.run(&["trust", "--accept", &first]).ok();
    assert_eq!(said, format!("{root} is trusted as it is now\n"));
    assert_eq!(jp.run(&["trust"]).ok(), format!("{root} is trusted as it is\n"));

    let text = "[tools.also]\ncommand = [\"a\\u202eb\\nc\\u001b[2J\"]\n";
    jp.write(".jp/config.toml", format!("[tools.evil]\ncommand = [\"rm\"]\n{text}"));
    jp.write(".mcp.json", "{\"mcpServers\": {\"\u{1b}]0;x\u{7}\": {\"command\": \"sh\"}}}\n");
    let shown = jp.run(&["trust", "--show"]).stdout;
    let expected = format!(
        "{root} has changed since it was trusted; it would set:\n.jp/config.toml\n\
         + tools.also.command = [\"a\\u{{202e}}b\\nc\\u001b[2J\"]\n\
         - tools.evil.command = [\"rm\",\"-r\"]\n\
         + tools.evil.command = [\"rm\"]\n\
         .mcp.json\n\
         + {{\"mcpServers\": {{\"\\u{{1b}}]0;x\\u{{7}}\": {{\"command\": \"sh\"}}}}}}\n"
    );
    assert_eq!(shown, expected);
    let json = jp.run(&["trust", "--show", "--format", "json"]).json();
    assert_eq!(json["standing"], "changed");
    let lines = &json["changes"][0]["lines"];
    assert_eq!(lines[2], json!({"change": "added", "text": "tools.evil.command = [\"rm\"]"}));

    // A remark changes nothing that takes effect, and asks again all the same.
    fs::remove_file(jp.path(".mcp.json")).unwrap();
    jp.write(".jp/config.toml", format!("# remark\n{TOOL}"));
    let shown = jp.run(&["trust", "--show"]).stdout;
    assert!(
        shown.contains("\n  tools.evil.command = [\"rm\",\"-r\"]\nNothing of this is new"),
        "{shown}"
    );
}

#[test]
fn without_a_terminal_nothing_is_trusted_and_the_way_is_told() {
    let jp = Jp::in_workspace();
    jp.write(".jp/config.toml", TOOL);
    let mut alone = jp.command("setsid");
    alone.args(["-w", env!("CARGO_BIN_EXE_jp"), "trust"]);
    let said = crate::support::Output::of(&mut alone);
    let expected = "error: nothing was trusted: there is no terminal to ask at\n\
                    Hint: `jp trust --accept HASH` trusts what `jp trust --show` prints\n";
    assert_eq!((said.code, said.stderr.as_str()), (1, expected));
    assert_eq!(jp.run(&["trust", "--list", "--format", "json"]).json(), json!([]));
}

#[test]
fn what_is_trusted_is_listed_and_revoked() {
    let jp = Jp::in_workspace();
    let none = jp.run(&["trust", "--list"]);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "No workspace is trusted\n"));
    let other = jp.at("../other");
    let roots = [&jp, &other].map(|jp| {
        jp.run(&["init"]);
        jp.write(".jp/config.toml", TOOL);
        jp.run(&["trust", "--accept", &hash(jp)]).ok();
        root(jp)
    });
    let standings = || {
        let listed = jp.run(&["trust", "--list", "--format", "json"]).json();
        let row = |row: &serde_json::Value| (row["workspace"].clone(), row["standing"].clone());
        listed.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let [work, elsewhere] = &roots;
    assert_eq!(
        standings(),
        [(json!(elsewhere), json!("trusted")), (json!(work), json!("trusted"))]
    );
    other.write(".jp/config.toml", "");
    jp.run(&["trust", "--revoke"]).ok();
    assert_eq!(standings(), [(json!(elsewhere), json!("changed"))]);
    let listed = jp.run(&["trust", "--list"]).ok();
    assert!(listed.starts_with("WORKSPACE") && listed.contains("changed"), "{listed}");
    fs::remove_dir_all(other.path("")).unwrap();
    assert_eq!(standings(), [(json!(elsewhere), json!("gone"))]);
    let said = jp.run(&["trust", "--revoke", "../other"]);
    assert_eq!(said.code, 1, "it is gone, and no path leads through it");
    jp.run(&["trust", "--revoke", elsewhere]).ok();
    assert!(standings().is_empty());
    jp.run(&["trust", "--revoke"]).fails(
        1,
        &format!("error: `{work}` was not trusted\nHint: `jp trust --list` lists the workspaces that are\n"),
    );
}

#[test]
fn what_could_not_be_used_is_not_trusted() {
    let jp = Jp::in_workspace();
    let path = jp.write(".jp/config.toml", "[tools.evil]\ncomand = [\"rm\"]\n");
    jp.run(&["trust"]).fails(
        1,
        &format!(
            "error: {}:2:1: unknown key `tools.evil.comand`: did you mean `tools.evil.command`?\n",
            path.display()
        ),
    );
    let nowhere = Jp::new();
    nowhere.run(&["trust"]).fails(
        1,
        "error: there is no workspace here\nHint: `jp init` makes this directory a workspace\n",
    );
}
