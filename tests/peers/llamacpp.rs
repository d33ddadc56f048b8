//! llama.cpp's own server with a real model, small and foolish: that an answer arrives, is stored,
//! and is counted.

use std::process::Command;

use crate::{
    ask, events,
    peer::{Peer, installed},
    types, user,
};

fn serve() -> Peer {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/llamacpp.py");
    Peer::start(Command::new(installed("venv/bin/python")).arg(program))
}

#[test]
fn a_real_model_answers_twice_in_both_of_its_wire_formats() {
    let server = serve();
    for (api, base) in [("openai", format!("{}/v1", server.url)), ("anthropic", server.url.clone())]
    {
        let jp = user(api, &base, "assistant.max_tokens = 6\nassistant.system_prompt = \"Hi\"\n");
        for args in [&["--new", "Say hello"][..], &["Again"]] {
            let output = ask(&jp, args);
            assert_eq!(output.code, 0, "{api}: {}", output.stderr);
            assert!(!output.stdout.trim().is_empty(), "{api}: {}", output.stderr);
            assert!(output.stderr.contains("tokens"), "{api}: {}", output.stderr);
        }
        let events = events(&jp);
        assert_eq!(types(&events), ["request", "message", "request", "message"], "{api}");
        for answer in [&events[1], &events[3]] {
            let finish = answer["finish"].as_str().unwrap();
            assert!(["length", "stop"].contains(&finish), "{api}: {answer}");
            let usage = &answer["metadata"]["usage"];
            assert!(usage["input"].as_u64().unwrap() > 0, "{api}: {answer}");
            assert!((1..=6).contains(&usage["output"].as_u64().unwrap()), "{api}: {answer}");
        }
    }
}

#[test]
fn a_conversation_that_is_too_long_for_it_is_known_as_such() {
    let server = serve();
    let jp = user("openai", &format!("{}/v1", server.url), "assistant.max_tokens = 6\n");
    let output = ask(&jp, &["--new", &"many words ".repeat(4000)]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    assert!(output.stderr.contains("too long for the model"), "{}", output.stderr);
}
