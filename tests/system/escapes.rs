//! What a conversation holds does not steer the terminal that shows it.

use crate::{support::request, terminal::Terminal, user};

/// Text that renames the window, clears the screen, paints it red, and turns text around.
const HOSTILE: &str = "\u{1b}]2;pwned\u{7}\u{1b}[2J\u{1b}[H\u{1b}[31m\u{9b}31m\u{202e}end";

#[test]
fn a_hostile_title_changes_neither_the_window_nor_the_screen() {
    let jp = user();
    let id = jp.start(&[&request("Question\n")]);
    let quoted = serde_json::Value::from(HOSTILE).to_string().replace('\u{9b}', "\\u009b");
    let meta = format!("format = \"1.0\"\ntitle = {quoted}\n");
    jp.edit(&id, ".conversation/meta.toml", meta);
    jp.edit(&id, "000-request.md", request(&format!("{HOSTILE}\n")));

    let terminal = Terminal::shell(&jp, &["bash", "--norc", "--noprofile"]);
    terminal.tell(&["select-pane", "-T", "before"]);
    terminal.run("echo still here");
    let harmless = "\\u{1b}]2;pwned\\u{7}\\u{1b}[2J\\u{1b}[H\\u{1b}[31m\\u{9b}31m\\u{202e}end";
    let cat = format!("jp c cat {id} 0");
    for command in ["jp c ls", "jp c show", "jp c print --color never", &cat] {
        let screen = terminal.run(command);
        assert!(screen.contains("still here\n"), "{screen}");
        let unwrapped = screen.replace('\n', "");
        // A list shows as much of a title as there is room for.
        let shown = if command == "jp c ls" { &harmless[..20] } else { harmless };
        assert!(unwrapped.contains(shown), "{screen}");
        assert!(!terminal.coloured_screen().contains('\u{1b}'), "{screen}");
        assert_eq!(terminal.ask("#{pane_title}"), "before");
        terminal.run("clear");
        terminal.run("echo still here");
    }

    // The same text as it is: that the terminal obeys is what makes the above worth something.
    let file = jp.write("hostile", format!("{HOSTILE}\n"));
    let screen = terminal.run(&format!("cat {}", file.display()));
    assert!(!screen.contains("still here"), "{screen}");
    assert!(terminal.coloured_screen().contains("\u{1b}[31m"), "{screen}");
    assert_eq!(terminal.ask("#{pane_title}"), "pwned");
}
