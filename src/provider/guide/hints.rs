//! What people ask when they look for a section, in words that the section does not use itself.
//!
//! A phrase between commas counts as a whole when a question has all of its words.

/// The title of a section, and phrases of questions that it answers.
pub(super) const HINTS: &[(&str, &str)] = &[
    ("jp init", "get started, begin project setup initialise initialize workspace create"),
    (
        "jp conversation append",
        "write event by hand, add a message by hand, write an event, stdin pipe, append an \
         answer, save a question or an answer",
    ),
    (
        "jp conversation ls",
        "see trash, what is in trash, list all conversations, overview, see the trash, show \
         archived, sort by creation date, order by title, filter by label, newest, oldest, \
         json list",
    ),
    (
        "jp conversation show",
        "details, status, summary, how many events and turns, what is it waiting for",
    ),
    (
        "jp conversation print",
        "show reasoning, see reasoning, show thoughts, show tool calls, see tool calls, print \
         tool calls, print without markdown, read a conversation, view, display the text, \
         transcript, without markdown formatting, raw, reasoning, thoughts, only the last \
         turns",
    ),
    (
        "jp conversation cat",
        "one event, single event, show one event, a single event file, raw file, source of an \
         event",
    ),
    (
        "jp conversation log",
        "history, what happened, past operations, timeline, when was it changed",
    ),
    ("jp conversation diff", "compare versions, what changed, differences, changes since"),
    (
        "jp conversation blame",
        "who wrote, which model wrote, who said, author, which model said it",
    ),
    (
        "jp conversation undo",
        "last change, take back, go back, revert, mistake, oops, cancel the last change, roll \
         back",
    ),
    ("jp conversation redo", "undo the undo, forward again"),
    (
        "jp conversation compact",
        "summarize earlier turns, let a model summarize, shorten, too long, context full",
    ),
    ("What a workspace would do", "tool of the workspace ignored, why is it ignored"),
    (
        "jp conversation restore",
        "removed by accident, deleted by accident, recover a deleted or removed conversation, \
         undelete, get it back, old version, previous state, by accident",
    ),
    (
        "jp conversation fork",
        "only first turns, only last turns, without losing original, branch, copy, duplicate, \
         clone a conversation, alternative, experiment, try something else, keep only some \
         turns",
    ),
    ("jp conversation title", "rename, change the name of a conversation"),
    ("jp conversation label", "tag, mark, category, group, organise, find by tag"),
    ("jp conversation archive", "put away, hide old conversations"),
    ("jp conversation rm", "delete, remove, throw away, get rid of a conversation, recycle bin"),
    (
        "jp conversation export",
        "save to file, save chat, write to file, save as markdown, pdf, html, document, \
         download, json data, send a transcript",
    ),
    ("jp conversation import", "load from a folder, bring in, from another tool"),
    ("jp conversation fsck", "check for errors, corrupt, damaged, broken, repair, fix, validate"),
    (
        "jp store path",
        "find git repository, where is store, where is repository, where is the repository, \
         location of the store, find the git repository with the conversations, directory of \
         the store",
    ),
    ("jp store stats", "how big, size, disk usage"),
    ("jp store pack", "smaller, shrink, compress, free disk space, garbage collection, database"),
    ("jp store empty-trash", "delete for good, permanently, forever, purge, wipe"),
    ("jp git", "run git, git commands, run git commands on conversations, plain git"),
    ("jp schema", "validate headers in an editor, which keys does an event have"),
    ("jp man", "manual, install man pages"),
    ("Shells and man pages", "tab completion, autocomplete, bash, zsh, fish"),
    (
        "Where things are kept",
        "where keep files, where are conversations stored, where is data, where is config \
         file, where is configuration, where are conversations, files, data, configuration \
         file stored, saved, located; does jp touch my project's git history",
    ),
    ("Platforms", "operating system, mac, windows, linux"),
    ("Try it", "install, build, quick start, first steps"),
    (
        "Look back",
        "hours ago, days ago, looked last week, looked yesterday, as it was, time travel, as \
         it was yesterday, last week, hours ago, earlier version, looked like",
    ),
    (
        "jp conversation edit",
        "change an answer by hand, vim, emacs, open in my editor, modify, rewrite, reorder \
         messages, correct an answer, edit in my editor",
    ),
    ("jp conversation drop", "delete one message, remove an event, take out a turn"),
    ("jp conversation pick", "cherry-pick, take turns from another conversation, merge"),
    ("jp conversation checkout", "work in a directory, files in my IDE, VS Code, Zed"),
    ("Edit", "work tree, edit with git"),
    (
        "Keep a copy",
        "continue conversation on laptop, conversation on laptop, on laptop, on another machine, on another computer, share with a team, colleague, \
         backup, another computer, laptop, machine, sync, push to github, remote, \
         collaborate, send",
    ),
    ("Look", "search in conversations, grep, find text"),
    (
        "Two terminals at once",
        "two terminals, same time, two processes, at once, concurrent, parallel processes, \
         locked, same time",
    ),
    ("The durable commit", "lose data, power fails, power failure, lose data, data safe"),
    (
        "Turns and status",
        "what is a turn, what does interrupted or idle mean, what does status interrupted mean",
    ),
    ("The manifest", "conversation file for, what is the CONVERSATION file for, order of events"),
    (
        "The directory",
        "what files in conversation, which files in conversation, which files are in a \
         conversation, layout, structure",
    ),
    ("Names", "numbers in file names mean"),
    ("Event types", "what is an event, kinds of events, list of event types"),
    (
        "Limits",
        "how large event, how big event, how long event, how large can an event be, maximum \
         size",
    ),
    ("Exit codes", "exit status, return value"),
    (
        "The built-in guide",
        "are you a language model, are you ai, are you human, need internet, need network, \
         need account, who are you, are you a language model, offline, without internet or \
         account",
    ),
    (
        "Use a real model, with or without a key",
        "use a real model, real model, configure anthropic, use claude, with claude, which models are, available models, list models, other models, configure a provider, \
         api key, choose another model, connect, chatgpt, local model, switch",
    ),
    (
        "Call a tool",
        "how call tool, call a tool, several tools, run a tool, try tools, function calling, \
         syntax",
    ),
    ("What fails first", "retry, simulate errors, disconnect, attempts in a script"),
    (
        "Everyday commands",
        "turn off pager, disable pager, without pager, turn off colors, turn off colours, no \
         color, disable colors",
    ),
    ("Keep order", "difference archive rm, difference archive delete"),
    ("jp", "what is jp, what does jp do, what is this"),
    ("Ask for data with a schema", "structured output, structured data, answer as json"),
    ("jp store fsck", "verify repository, check repository, check store"),
    (
        "The first question",
        "ask question, new conversation, start conversation, begin conversation, start a new \
         chat, begin another chat, talk to a model",
    ),
    (
        "Continue a conversation",
        "continue a conversation, same chat, same conversation, another question, ask another \
         question, ask another question in the same chat, follow up, go on with a conversation",
    ),
    (
        "Files, pipes and drafts",
        "give file, give the model a file, send a file to a model, attach a file, include a \
         file, pipe into, where draft, lost draft, question in vim, question in emacs, question \
         in an editor",
    ),
    (
        "Tools and permission",
        "allow tool, tool without asking, tool refused, permission for a tool, confirm a tool",
    ),
    ("Stop an answer", "stop answer, cancel answer, interrupt answer, abort answer, ctrl c"),
    ("Data instead of text", "answer json lines, json lines, fits json schema"),
    (
        "Choose a model",
        "change model, switch model, another model, default model, which model answers now",
    ),
    ("Services and their keys", "use gpt, gpt instead, use chatgpt, use gemini, use grok"),
    (
        "A provider of your own",
        "own server, custom server, openai compatible, own provider, another address",
    ),
    (
        "When a model does not answer",
        "retry question, retry failed question, failed question, model does not answer, ask \
         again, wait for model, rate limit, overloaded",
    ),
    ("Tokens", "how many tokens, what did that cost, price, costs"),
    (
        "What is kept, and what never is",
        "store key, store api key, keep api key, is my key stored, what is sent, sent to \
         provider, privacy",
    ),
    (
        "Declare a tool",
        "add a tool, own tool, how long may tool run, how long tool run, define a tool, timeout \
         of a tool",
    ),
    ("Run once", "tool twice, run twice, twice after crash, tool run again"),
    ("Environment", "variables tool see, environment of a tool"),
    ("Layers", "where settings come from, order of settings, which setting counts"),
    (
        "What you trust, and no longer",
        "which workspaces trust, which projects trust, stop trusting, do not trust any more",
    ),
    ("Trust", "cloned project, hostile project, project run commands, cloned repository safe"),
];
