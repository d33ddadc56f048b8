//! Markdown as people and models write it to each other.

use jp::{
    model::{Block, Body, Event, EventKind, Finish, Message, ModelName, Request},
    plan::Draft,
};

use super::{
    events::{code, draft, fenced},
    random::Random,
    world::moment,
};

/// Requests and answers in turn, whose bodies are 1 to 2 kB of markdown each, and the bytes of all
/// bodies together.
pub fn discussion(seed: u64, events: usize) -> (Vec<Draft>, usize) {
    let mut random = Random::new(seed);
    let mut bytes = 0;
    let drafts = (0..events).map(|number| {
        let content = body(&mut random);
        bytes += content.len();
        let content = Body::from(content);
        let kind = if number % 2 == 0 {
            EventKind::Request(Request { content, interrupts: false })
        } else {
            let (model, finish) = (Some(ModelName::new("model-large")), Some(Finish::Stop));
            let block = Block { model, finish, ..Block::default() };
            EventKind::Message(Message { content, block })
        };
        draft(Event::new(moment(number), kind))
    });
    (drafts.collect(), bytes)
}

/// A heading, a paragraph with emphasis and a link, a list, a table and code, and prose.
fn body(random: &mut Random) -> String {
    let mut lines = code(random);
    lines.truncate(9);
    let mut text = format!("## {}\n\n{}\n\n", words(random, 4), paragraph(random));
    text.push_str(&list(random));
    text.push_str(&table(random));
    text.push_str(&fenced(&lines));
    let wanted = random.between(1050, 1800);
    while text.len() < wanted {
        text.push_str(&paragraph(random));
        text.push_str("\n\n");
    }
    text.truncate(text.trim_end().len());
    text
}

fn paragraph(random: &mut Random) -> String {
    let (before, strong, emphasis) = (words(random, 6), words(random, 2), words(random, 2));
    let (link, page, after) = (words(random, 2), random.identifier(), words(random, 4));
    format!(
        "{before} **{strong}** and *{emphasis}*, see [{link}](https://example.com/{page}) for \
         `{}`: {after}.",
        random.identifier(),
    )
}

fn list(random: &mut Random) -> String {
    let (first, second) = (words(random, 5), words(random, 6));
    let (below, third) = (words(random, 4), words(random, 5));
    format!("1. {first}\n2. {second}\n   - **{}**: {below}\n3. {third}\n\n", random.noun())
}

fn table(random: &mut Random) -> String {
    let mut text = "| name | meaning | count |\n|---|:-:|--:|\n".to_owned();
    for _ in 0..3 {
        let (name, meaning) = (random.identifier(), words(random, 3));
        text.push_str(&format!("| `{name}` | {meaning} | {} |\n", random.below(5000)));
    }
    text
}

fn words(random: &mut Random, count: usize) -> String {
    let words = (0..count).map(|index| if index % 3 == 2 { random.noun() } else { random.word() });
    words.collect::<Vec<_>>().join(" ")
}
