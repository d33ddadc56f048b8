//! Questions that people ask, and what must be in the first quote of the answer.

use super::{
    hints::HINTS,
    index::INDEX,
    tests::{answer, quote_of},
};

/// A question, and what the quote must hold, with `jp c` written out.
const QUESTIONS: &[(&str, &str)] = &[
    ("how do I undo the last change?", "jp conversation undo"),
    ("I made a mistake, how can I go back?", "jp conversation undo"),
    ("take back what I just did", "jp conversation undo"),
    ("revert to the previous state", "jp conversation restore"),
    ("how do I redo?", "jp conversation redo"),
    ("delete a conversation", "jp conversation rm"),
    ("How do I remove a chat?", "jp conversation rm"),
    ("get rid of an old conversation", "jp conversation rm"),
    ("how do I delete things permanently", "jp store empty-trash"),
    ("empty the trash", "jp store empty-trash"),
    ("restore a removed conversation", "jp conversation restore"),
    ("I deleted a conversation by accident, can I recover it?", "jp conversation restore"),
    ("where are my conversations stored?", "Where things are kept"),
    ("where does jp keep its files", "Where things are kept"),
    ("in which directory is the store?", "jp store path"),
    ("how to export to markdown", "jp conversation export"),
    ("export a conversation as JSON", "jp conversation export"),
    ("can I download my chat as a document", "jp conversation export"),
    ("how do I import a conversation from a folder?", "jp conversation import"),
    ("how do I share with my team", "jp git push"),
    ("send a conversation to a colleague", "jp git push"),
    ("how do I move conversations to another computer?", "jp git push"),
    ("make a backup", "git clone -q --mirror"),
    ("what is a turn?", "begins a turn"),
    ("what is an event", "event"),
    ("what is a workspace?", "workspace"),
    ("how do I start a new conversation", "Start a new conversation"),
    ("how do I make this directory a workspace", "jp init"),
    ("getting started", "jp init"),
    ("list all my conversations", "jp conversation ls"),
    ("show archived conversations", "--archived"),
    ("how do I archive a conversation?", "jp conversation archive"),
    ("rename a conversation", "jp conversation title"),
    ("change the title", "jp conversation title"),
    ("how do I tag conversations", "jp conversation label"),
    ("find conversations with a label", "ls --label"),
    ("branch a conversation", "jp conversation fork"),
    ("how can I try something else without losing the original?", "jp conversation fork"),
    ("copy a conversation", "jp conversation fork"),
    ("what changed since yesterday?", "jp conversation diff"),
    ("compare two versions", "jp conversation diff"),
    ("who wrote this line?", "jp conversation blame"),
    ("show the history of a conversation", "jp conversation log"),
    ("see a conversation as it was two hours ago", "2h ago"),
    ("how do I read a conversation", "jp conversation print"),
    ("print only the last turn", "--last"),
    ("show the model's reasoning", "--reasoning"),
    ("edit a conversation in my editor", "worktree"),
    ("how do I change an answer of the model by hand", "worktree"),
    ("search in conversations", "git grep"),
    ("is my data corrupt?", "jp conversation fsck"),
    ("repair a broken conversation", "--repair"),
    ("how big is the repository", "jp store stats"),
    ("make the store smaller", "jp store pack"),
    ("tab completion for zsh", "jp completions zsh"),
    ("how do I install the man pages", "jp man"),
    ("turn off colors", "NO_COLOR"),
    ("disable the pager", "pager"),
    ("does it run on Windows?", "Windows"),
    ("which exit codes are there?", "75"),
    ("what does status interrupted mean", "interrupted"),
    ("what is the CONVERSATION file for", "manifest"),
    ("what does an event file look like?", "---"),
    ("two terminals", "locked"),
    ("configure anthropic", "ANTHROPIC_API_KEY"),
    ("how do I use a real model?", "jp config set assistant.model"),
    ("how do I set my OpenAI API key", "OPENAI_API_KEY"),
    ("can I use ollama?", "jp models"),
    ("how do I call a tool?", "call fs_read_file"),
    ("are you a language model?", "no language model"),
    ("how do I write a script for tests", "A script is a TOML file"),
    ("can I run git commands on the store", "jp git"),
    ("json schema of a request", "jp schema"),
    ("how large can an event be?", "Limits"),
    ("license", "MIT"),
    ("can I get my deleted chat back", "jp conversation restore"),
    ("how to mark a conversation as important", "jp conversation label"),
    ("show me the differences between two conversations", "jp conversation diff"),
    ("how do I see conversations I archived", "--archived"),
    ("hide a conversation from the list", "jp conversation archive"),
    ("where's the database file", "jp store path"),
    ("how do I sync between two computers", "jp git push"),
    ("how do I clean up disk space", "jp store pack"),
    ("save the chat to a file", "jp conversation export"),
    ("rewind to turn 4", "turn"),
    ("what commands are there?", "command"),
    ("how do I see the newest conversation", "jp conversation"),
    ("can the model call several tools at once", "call"),
    ("how do I use structured output", "schema"),
    ("which models are available", "jp models"),
    ("use gpt instead", "OPENAI_API_KEY"),
    ("what does jp do", "jp keeps conversations"),
    ("how do I split a conversation", "jp conversation fork"),
    ("list of event types", "Event types"),
    ("how do I verify the repository", "fsck"),
    ("which model wrote this message", "jp conversation blame"),
    ("how do I see the trash", "--trash"),
    ("can I keep only the last 3 turns in a fork", "--last"),
    ("what's the difference between archive and rm", "archive"),
    ("how do I print without markdown formatting", "--raw"),
    ("how do I find my git repository with the chats", "jp store path"),
    ("list conversations by creation date", "--sort"),
    ("what do the numbers in the file names mean?", "number"),
    ("how do I write an event by hand", "jp conversation append"),
    ("what is an inquiry", "inquiry"),
    ("shrink the database", "jp store pack"),
    ("check for errors", "fsck"),
    ("can I reorder messages?", "order"),
    ("does it need internet?", "without network"),
    ("how do I show one event", "jp conversation cat"),
    ("what files are in a conversation?", "CONVERSATION"),
    ("how do I retry a failed answer in a script", "attempt"),
    ("what license is it under", "MIT"),
    ("use jp with claude", "ANTHROPIC_API_KEY"),
    ("where do I put my api key?", "API_KEY"),
    ("oops, that was wrong, undo please", "jp conversation undo"),
    ("how do I see what a conversation looked like last week", "--at"),
    ("I want to throw a conversation away", "jp conversation rm"),
    ("is there a recycle bin?", "trash"),
    ("how can I continue a conversation on my laptop", "jp git"),
    ("can I put my chats on github", "jp git"),
    ("how do I get a JSON list of conversations", "jp conversation ls"),
    ("where is the config file", "config.toml"),
    ("how can I see only the first turns in a new conversation", "--first"),
    ("how do I append an answer from stdin", "standard input"),
    ("what does idle mean?", "idle"),
    ("how do I give a conversation a name", "jp conversation title"),
    ("remove a label", "jp conversation label rm"),
    ("bring back an archived conversation", "jp conversation unarchive"),
    ("what happened in this conversation", "jp conversation log"),
    ("can two processes write at the same time?", "locked"),
    ("will I lose data when the power fails?", "durable"),
    ("how do I use fish shell completion", "fish"),
    ("how do I show tool calls when printing", "--tools"),
    ("what is a compaction?", "compaction"),
    ("how do attachments work", "attachment"),
    ("how do I open the conversation in vim", "worktree"),
    ("sort conversations by title", "--sort"),
    ("what are sealed runs", "Sealed"),
    ("does jp touch my project's git history?", "never touched"),
    ("how do I simulate a disconnect", "disconnect"),
];

#[test]
fn each_question_gets_the_section_that_answers_it() {
    let mut wrong = Vec::new();
    for (question, needle) in QUESTIONS {
        let answer = answer(question);
        let quote = quote_of(&answer).replace("jp c ", "jp conversation ");
        if !quote.contains(needle) {
            let title: String = quote.lines().take(1).collect();
            wrong.push(format!("{question}: no `{needle}` in {title}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), QUESTIONS.len(), wrong.join("\n"));
}

#[test]
fn what_has_nothing_to_do_with_jp_finds_nothing() {
    for question in [
        "what is the capital of France?",
        "compose a poem about spring rain",
        "how do I bake bread",
        "solve x^2 = 9",
        "hello",
        "",
        "¿cómo estás?",
        "?!",
    ] {
        assert!(answer(question).contains("I found nothing about this"), "{question}");
    }
}

#[test]
fn each_hint_is_about_a_section() {
    for (title, _) in HINTS {
        assert!(INDEX.sections.iter().any(|section| section.title == *title), "{title}");
    }
}
