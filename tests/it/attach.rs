//! What is put beside a question: where it may come from, how it is kept, and what a model gets.

use std::{fs, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use jp::{
    env::Env,
    provider::{Fetch, Fetched, Trouble},
};
use serde_json::{Value, json};

use crate::{
    loopback::{Loopback, Step, reply},
    query::{KEY, answer, ask, client, configure, files, listed, only, player, saying},
    support::{Jp, Output, TIME},
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0";
const YES: &str = "[[answer]]\ntext = \"Yes.\"\n\n[[answer]]\ntext = \"Again.\"\n";
const ACCEPTED: &str = "is neither text in UTF-8, nor an image (PNG, JPEG, GIF or WebP), nor a PDF \
                        document";

/// An event file as it is stored.
fn stored(jp: &Jp, id: &str, file: &str) -> String {
    jp.git(&["show", &format!("{id}:{file}")])
}

/// The sources and contents of what was attached, as JSON.
fn attached(jp: &Jp, id: &str) -> Vec<(String, Value)> {
    let messages = jp.messages(id, &[]);
    let all = messages.as_array().unwrap().iter().filter_map(|one| one["attachments"].as_array());
    let pair = |one: &Value| (one["source"].as_str().unwrap().to_owned(), one["content"].clone());
    all.flatten().map(pair).collect()
}

/// Nothing was asked, and nothing is kept.
#[track_caller]
fn refused(jp: &Jp, output: &Output, code: i32, stderr: &str) {
    output.fails(code, stderr);
    assert_eq!(listed(jp), Vec::<Value>::new());
}

#[test]
fn attachments_are_event_files_before_the_request_and_of_the_same_operation() {
    let jp = player(&format!("[[answer]]\nexpect = [\"# Notes\"]\ntext = \"Yes.\"\n{YES}"));
    jp.write("notes.md", "# Notes\n");
    jp.write("logo", PNG);
    let output = ask(&jp, &["--new", "-a", "notes.md", "What", "is", "it?", "--attach=logo"]);
    assert_eq!(answer(output), "Yes.\n");
    let id = only(&jp);
    let names = ["000-attachment.md", "001-attachment.md", "002-request.md", "003-message.md"];
    assert_eq!(files(&jp, &id), names);
    let notes = stored(&jp, &id, names[0]);
    let (head, body) = notes.split_once("\n---\n").unwrap();
    // The newline at the end is the file's, as docs/format.md has it.
    assert_eq!(body, "# Notes\n\n");
    let [dashes, kind, source, media, _time] = head.lines().collect::<Vec<_>>()[..] else {
        panic!("{head}")
    };
    let expected = ("---", "type: attachment", "source: notes.md", "media_type: text/plain");
    assert_eq!((dashes, kind, source, media), expected);
    let logo = stored(&jp, &id, names[1]);
    assert!(logo.contains("media_type: image/png\n"), "{logo}");
    assert!(logo.contains("encoding: base64\n---\niVBORw0KGgoA\n"), "{logo}");
    let log = jp.git(&["log", "--format=%(trailers:key=Jp-Operation,valueonly,separator=)", &id]);
    let mut operations: Vec<_> = log.lines().collect();
    assert_eq!(operations.len(), 5);
    operations.pop();
    operations.dedup();
    assert_eq!(operations.len(), 1, "{log}");
    jp.assert_sound();
    // The turn is taken back with all that belongs to it.
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.show(&id)["events"], 0);
}

#[test]
fn a_directory_and_a_pattern_stand_for_files_that_git_does_not_ignore() {
    let jp = player(YES);
    jp.write(".gitignore", "*.log\n");
    jp.write("src/b.rs", "b\n");
    jp.write("src/a/c.rs", "c\n");
    jp.write("src/x.log", "noise\n");
    jp.write("src/data.bin", b"\0\x01");
    let output = ask(&jp, &["--new", "-a", "src", "What?"]);
    let warning = "warning: 1 file left out (neither text nor image): src/data.bin\n\
                   Attached 2 files, 4 bytes\n";
    assert!(output.stderr.starts_with(warning), "{}", output.stderr);
    answer(output);
    let id = only(&jp);
    let expected = [("src/a/c.rs".to_owned(), "c\n".into()), ("src/b.rs".into(), "b\n".into())];
    assert_eq!(attached(&jp, &id), expected);
    answer(ask(&jp.at("src"), &["--new", "-a", "**/*.rs", "What?"]));
    let newest = listed(&jp)[0]["id"].as_str().unwrap().to_owned();
    assert_ne!(newest, id);
    assert_eq!(attached(&jp, &newest), expected);
}

#[test]
fn standard_input_beside_the_question_is_not_in_it() {
    let jp = player(YES);
    let args = ["q", "--non-interactive", "--new", "--format", "json", "-a", "-", "Explain"];
    let output = jp.run_with_input(&args, "piped\n");
    let lines: Vec<Value> =
        answer(output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let told = |at: usize, key: &str| lines[at][key].clone();
    assert_eq!((told(0, "type"), told(0, "source")), ("attachment".into(), "-".into()));
    assert_eq!((told(0, "content"), told(1, "content")), ("piped\n".into(), "Explain".into()));
    for twice in [&["-a", "-", "-a", "-", "Why?"][..], &["-a", "-", "Why?", "-"]] {
        let args = [&["q", "--non-interactive"][..], twice].concat();
        let usage = "error: `-` can be given once: standard input is read once\n";
        jp.run_with_input(&args, "x").fails(2, usage);
    }
}

#[test]
fn nothing_is_kept_if_anything_fails_and_every_problem_is_told() {
    let jp = player(YES);
    jp.write("good.txt", "good");
    jp.write("bad\u{1b}[31m.bin", b"\0");
    for number in 0..201 {
        jp.write(&format!("many/{number}"), "x");
    }
    let arguments =
        ["--new", "-a", "good.txt", "-a", "bad\u{1b}[31m.bin", "-a", "none", "-a", "*.zip", "Why?"];
    let expected = format!(
        "error: `bad\\u{{1b}}[31m.bin` {ACCEPTED}\n\
         error: there is no file or directory `none`\n\
         error: no file matches `*.zip`; files that git ignores do not count\n"
    );
    refused(&jp, &ask(&jp, &arguments), 1, &expected);
    refused(
        &jp,
        &ask(&jp, &["--new", "-a", "many", "Why?"]),
        1,
        "error: `many` stands for 201 files, and at most 200 are attached at once\n\
         Hint: name fewer of them, as in `-a 'src/**/*.rs'`\n",
    );
    refused(
        &jp,
        &ask(&jp, &["--new", "-E", "-a", "good.txt"]),
        2,
        "error: an attachment goes with a request, and there is none\n\
         Hint: give a text, or leave out `--no-edit` to write it in an editor\n",
    );
}

#[test]
fn what_did_not_change_is_not_stored_again() {
    let jp = player(&format!("{YES}\n[[answer]]\ntext = \"Third.\"\n"));
    jp.write("a.txt", "one\n");
    jp.write("b.txt", "b\n");
    answer(ask(&jp, &["--new", "-a", "a.txt", "-a", "b.txt", "Look"]));
    let id = only(&jp);
    let output = ask(&jp, &["-a", "a.txt", "Again"]);
    let note = "Unchanged since it was attached, and not stored again: a.txt\n";
    assert!(output.stderr.starts_with(note), "{}", output.stderr);
    answer(output);
    assert_eq!(files(&jp, &id).len(), 6);
    jp.write("a.txt", "two\n");
    answer(ask(&jp, &["-a", "*.txt", "And now?"]));
    let contents: Vec<_> = attached(&jp, &id).into_iter().map(|(_, content)| content).collect();
    assert_eq!(contents, ["one\n", "b\n", "two\n"]);
    // Elsewhere it is new.
    answer(ask(&jp, &["--new", "-a", "b.txt", "Look"]));
    assert_eq!(attached(&jp, listed(&jp)[0]["id"].as_str().unwrap()).len(), 1);
}

#[test]
fn a_service_gets_text_between_marks_and_images_as_they_are() {
    let server = Loopback::start([saying("Yes."), saying("Still.")]);
    let jp = client(&server);
    jp.write("a.txt", "hello\n");
    jp.write("b.png", PNG);
    answer(ask(&jp, &["--no-persist", "-a", "a.txt", "-a", "b.png", "What is this?"]));
    assert_eq!(listed(&jp), Vec::<Value>::new());
    let text = "<attachment-5891b5b5 source=\"a.txt\" type=\"text/plain\">\nhello\n\
                </attachment-5891b5b5>";
    let image = "<attachment-843ac23b source=\"b.png\" type=\"image/png\" />";
    let url = format!("data:image/png;base64,{}", STANDARD.encode(PNG));
    let expected = json!([{
        "role": "user",
        "content": [
            { "type": "text", "text": text },
            { "type": "text", "text": image },
            { "type": "image_url", "image_url": { "url": url } },
            { "type": "text", "text": "What is this?" },
        ],
    }]);
    assert_eq!(server.requests()[0].json()["messages"], expected);
}

#[test]
fn a_turn_is_replayed_as_it_was() {
    let failing = reply(400, "application/json", "{\"error\":{\"message\":\"no\"}}");
    let server = Loopback::start([failing, saying("Yes.")]);
    let jp = client(&server);
    let path = jp.write("a.txt", "hello\n");
    assert_eq!(ask(&jp, &["--new", "-a", "a.txt", "What is this?"]).code, 1);
    fs::remove_file(path).unwrap();
    answer(ask(&jp, &["-E"]));
    let [first, second] = &server.requests()[..] else { panic!("two requests") };
    assert_eq!(first.json()["messages"], second.json()["messages"]);
}

#[test]
fn what_a_model_does_not_take_is_refused_now_and_told_of_later() {
    let server = Loopback::start([saying("Nice."), saying("I see."), saying("Now I see.")]);
    let jp = client(&server).with_var("DEEPSEEK_BASE_URL", &server.url);
    let jp = jp.with_var("DEEPSEEK_API_KEY", KEY);
    jp.write("b.png", PNG);
    let other = ["-m", "deepseek/chat"];
    refused(
        &jp,
        &ask(&jp, &[&["--new", "-a", "b.png", "What?"][..], &other].concat()),
        1,
        "error: `b.png` is an image, and `deepseek/chat` takes none\n\
         Hint: `jp query -m PROVIDER/MODEL` asks another model; if this one does take it, set \
         `providers.NAME.images` or `providers.NAME.pdf` to `true`\n",
    );
    answer(ask(&jp, &["--new", "-a", "b.png", "What?"]));
    let output = ask(&jp, &[&["Who?"][..], &other].concat());
    let warning = "warning: 1 attachment of this conversation, images or PDF documents, cannot be \
                   shown to `deepseek/chat`\n";
    assert!(output.stderr.starts_with(warning), "{}", output.stderr);
    answer(output);
    let first = server.requests()[1].json()["messages"][0]["content"].clone();
    assert_eq!(
        first,
        "<attachment-843ac23b source=\"b.png\" type=\"image/png\">\n(an image of 9 bytes that is \
         not shown: no images are taken)\n</attachment-843ac23b>\n\nWhat?"
    );
    configure(&jp, "\n[providers.deepseek]\nimages = true\n");
    answer(ask(&jp, &["And now?"]));
    assert!(server.requests()[2].body.contains("image_url"));
}

#[test]
fn ollama_is_asked_whether_its_model_takes_images() {
    let answered = "{\"message\":{\"role\":\"assistant\",\"content\":\"A cat.\"},\"done\":false}\n\
                    {\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\
                    \"done_reason\":\"stop\"}\n";
    let able = |abilities: &str| {
        reply(200, "application/json", &format!("{{\"capabilities\":{abilities}}}"))
    };
    let server = Loopback::start([
        able("[\"completion\"]"),
        able("[\"completion\",\"vision\"]"),
        reply(200, "application/x-ndjson", answered),
    ]);
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one").with_var("OLLAMA_HOST", &server.url);
    jp.write("b.png", PNG);
    let args = ["--new", "-m", "ollama/small", "-a", "b.png", "What is this?"];
    let output = ask(&jp, &args);
    let told = "error: `b.png` is an image, and `ollama/small` takes none\n";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
    assert_eq!(answer(ask(&jp, &args)), "A cat.\n");
    let requests = server.requests();
    assert_eq!(requests[0].line, "POST /api/show HTTP/1.1");
    assert_eq!(requests[0].json(), json!({ "model": "small" }));
    let content = "<attachment-843ac23b source=\"b.png\" type=\"image/png\" />\n\nWhat is this?";
    let expected =
        json!([{ "role": "user", "content": content, "images": [STANDARD.encode(PNG)] }]);
    assert_eq!(requests[2].json()["messages"], expected);
}

#[test]
fn the_guide_takes_texts_only() {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    jp.write("a.txt", "hello\n");
    jp.write("b.pdf", "%PDF-1.4\n");
    assert_eq!(answer(ask(&jp, &["--new", "-a", "a.txt", "say Hi."])), "Hi.\n");
    let output = ask(&jp, &["-a", "b.pdf", "say Hi."]);
    let told = "error: `b.pdf` is a PDF document, and `guide/jp` takes none\n";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
}

#[test]
fn an_attachment_is_one_line_in_print_and_whole_in_an_export() {
    let jp = player(YES);
    jp.write("b.png", PNG);
    answer(ask(&jp, &["--new", "-a", "b.png", "What?"]));
    let id = only(&jp);
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("\n[attachment: b.png, image/png, 9 bytes]\n"), "{printed}");
    assert_eq!(jp.run(&["c", "print", &id, "--raw"]).ok(), "What?\n\nYes.\n");
    let messages = jp.messages(&id, &[]);
    assert_eq!(messages[0]["addresses"], json!([0, 1]));
    let expected = json!([{
        "source": "b.png", "media_type": "image/png", "content": "iVBORw0KGgoA", "encoding": "base64",
    }]);
    assert_eq!(messages[0]["attachments"], expected);
}

#[test]
fn an_address_is_fetched_without_keys_and_kept_with_its_media_type() {
    let moved = vec![Step::Head(302, vec![("location", "/page?x=1".to_owned())]), Step::End];
    let page = reply(200, "text/html; charset=utf-8", "<p>Hi</p>\n");
    let server = Loopback::start([moved, page, saying("Yes.")]);
    let jp = client(&server);
    let url = format!("{}/start", server.url);
    answer(ask(&jp, &["--new", "-a", &url, "What?"]));
    let id = only(&jp);
    let page = stored(&jp, &id, "000-attachment.md");
    assert!(
        page.contains("media_type: text/html\n") && page.ends_with("---\n<p>Hi</p>\n\n"),
        "{page}"
    );
    assert_eq!(attached(&jp, &id), [(url, "<p>Hi</p>\n".into())]);
    let requests = server.requests();
    assert_eq!(requests[0].line, "GET /start HTTP/1.1");
    assert_eq!(requests[1].line, "GET /page?x=1 HTTP/1.1");
    for request in &requests[..2] {
        let mut names: Vec<_> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "host", "user-agent"], "{request:?}");
    }
}

#[test]
fn an_address_that_does_not_answer_well_leaves_nothing() {
    let binary = reply(200, "text/plain", "\0");
    let server = Loopback::start([reply(404, "text/html", "<p>no</p>"), binary]);
    let jp = client(&server);
    let url = &server.url;
    let ask = |argument: &str| ask(&jp, &["--new", "-a", argument, "What?"]);
    refused(
        &jp,
        &ask(&format!("{url}/a")),
        1,
        &format!("error: `{url}/a` answers with status 404\n"),
    );
    refused(&jp, &ask(&format!("{url}/b")), 1, &format!("error: `{url}/b` {ACCEPTED}\n"));
    refused(
        &jp,
        &ask("http://ann:sesame@127.0.0.1/"),
        1,
        "error: the address holds a user name or a password, which would be kept in the \
         conversation\n",
    );
}

/// Fetches from a server with small limits.
fn fetch(scripts: impl IntoIterator<Item = Vec<Step>>) -> Result<Fetched, (Trouble, String)> {
    let server = Loopback::start(scripts);
    let env = Env::fixed([], "/".into(), TIME.parse().unwrap());
    let fetch = Fetch { time: Duration::from_millis(900), largest: 1 << 20, redirects: 2 };
    let fetched = fetch.fetch(&format!("{}/x", server.url), &env);
    fetched.map_err(|error| (error.trouble, error.message.replace(&server.url, "URL")))
}

#[test]
fn a_fetch_has_an_end_in_time_in_size_and_in_redirects() {
    let hop = || vec![Step::Head(301, vec![("location", "/y".to_owned())]), Step::End];
    let fetched = fetch([hop(), hop(), reply(200, "Text/Plain", "at last")]).unwrap();
    let media_type = Some("text/plain".to_owned());
    assert_eq!(fetched, Fetched { media_type, bytes: b"at last".to_vec() });
    let (trouble, message) = fetch([hop(), hop(), hop()]).unwrap_err();
    assert_eq!(
        (trouble, &message[..]),
        (Trouble::Refused, "`URL/x` leads elsewhere more than 2 times")
    );

    let large = "is larger than 1 MiB, the most of one attachment";
    let mebibyte = vec![b'x'; 1 << 20];
    let head = || Step::Head(200, Vec::new());
    let body = |more: &[u8]| vec![head(), Step::Chunk([&mebibyte, more].concat()), Step::End];
    assert_eq!(fetch([body(b"")]).unwrap().bytes.len(), 1 << 20);
    let expected = (Trouble::Refused, format!("`URL/x` {large}"));
    assert_eq!(fetch([body(b"x")]).unwrap_err(), expected);
    let announced = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n".to_vec();
    assert_eq!(fetch([vec![Step::Raw(announced), Step::Hang]]).unwrap_err(), expected);

    let slow = (Trouble::Silent, "`URL/x` did not come within 900ms".to_owned());
    assert_eq!(fetch([vec![Step::Hang]]).unwrap_err(), slow);
    assert_eq!(fetch([vec![head(), Step::Chunk(b"half".to_vec()), Step::Hang]]).unwrap_err(), slow);
    let (trouble, message) = fetch([vec![head(), Step::Chunk(b"half".to_vec())]]).unwrap_err();
    let broken = "`URL/x` broke the connection in the middle";
    assert_eq!((trouble, &message[..]), (Trouble::Broken, broken));
    let squeezed = Step::Head(200, vec![("content-encoding", "gzip".to_owned())]);
    let (trouble, message) = fetch([vec![squeezed, Step::End]]).unwrap_err();
    let unasked = "`URL/x` came as `gzip`, which was not asked for";
    assert_eq!((trouble, &message[..]), (Trouble::Garbled, unasked));
}

#[test]
fn a_shell_is_offered_files_and_directories() {
    let jp = Jp::in_workspace();
    jp.write("notes.md", "");
    jp.write("src/a.rs", "");
    let offered = |words: &[&str]| -> Vec<String> {
        let args = [&["--", "jp"][..], words].concat();
        let answer = jp.with_var("JP_COMPLETE", "fish").run(&args).ok();
        answer.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    assert_eq!(offered(&["q", "-a", "no"]), ["notes.md"]);
    assert_eq!(offered(&["q", "--attach", "src/"]), ["src/a.rs"]);
    assert_eq!(offered(&["q", "-a", "sr"]), ["src/"]);
}
