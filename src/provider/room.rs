//! How much room there is for a conversation: what services say about it, and what is known.

/// How many tokens were sent, and how many a model takes, as far as somebody told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// The tokens that were sent.
    pub sent: Option<u64>,
    /// The tokens that the model takes.
    pub allowed: Option<u64>,
}

/// Words before or after the number of tokens that a model takes.
const ALLOWED: &[&str] = &["maximum", "limit", "allowed", "context size", "n_ctx", "window"];

/// How many characters away the word may stand that says what a number counts.
const NEAR: usize = 20;

/// Numbers below this one tell something else: a status, a version.
const LEAST: u64 = 256;

impl Room {
    /// Finds the numbers in a complaint that a conversation is too long.
    pub fn in_words(message: &str) -> Self {
        let message = message.to_lowercase();
        let numbers = numbers(&message);
        let is_limit = |(at, end, _): &&(usize, usize, u64)| {
            // The words stand in the same part of the sentence.
            let before = &message[..*at];
            let from = before.rfind(['>', '.', ':']).map_or(0, |cut| cut + 1);
            let after = &message[*end..];
            let to = after.find([',', '.', ';', '>']).unwrap_or(after.len());
            let near = last_chars(&before[from..], 2 * NEAR + 8);
            let next = after[..to].trim_start_matches([' ', ')']);
            let told = |text: &str| ALLOWED.iter().any(|word| text.contains(word));
            let is_less = before.trim_end().ends_with('>');
            is_less || told(near) || next.starts_with("maximum") || next.starts_with("token limit")
        };
        let allowed = numbers.iter().find(is_limit).map(|(.., number)| *number);
        let counts_tokens = |(at, end, _): &&(usize, usize, u64)| {
            let after: String = message[*end..].chars().take(NEAR).collect();
            last_chars(&message[..*at], NEAR).contains("token") || after.contains("token")
        };
        let counted = numbers.iter().filter(counts_tokens).map(|(.., number)| *number);
        let sent = { counted }.filter(|number| allowed.is_some_and(|most| *number > most)).max();
        Self { sent, allowed }
    }

    /// What is known, in words.
    pub fn words(&self) -> Option<String> {
        match (self.sent, self.allowed) {
            (Some(sent), Some(allowed)) => {
                Some(format!("{sent} tokens were sent, and the model takes {allowed}"))
            }
            (None, Some(allowed)) => Some(format!("the model takes {allowed} tokens")),
            (_, None) => None,
        }
    }
}

/// The numbers in a text, with where they stand; commas between thousands are no ends.
fn numbers(text: &str) -> Vec<(usize, usize, u64)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_ascii_digit()
            || c == ',' && text[at + 1..].starts_with(|next: char| next.is_ascii_digit());
        match (inside, start) {
            // What hangs on to something else is a port, a version or a part of a name.
            (true, None) if c != ',' && !hangs(&text[..at]) => start = Some(at),
            (false, Some(from)) => {
                let number: u64 = text[from..at].replace(',', "").parse().unwrap_or(0);
                if number >= LEAST {
                    found.push((from, at, number));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn hangs(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '.' | '-' | '_' | '/'))
}

fn last_chars(text: &str, count: usize) -> &str {
    let start = text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at);
    &text[start..]
}

/// The context windows of well-known models, by the beginnings of their names. What is not known
/// for sure is left to `assistant.context_window`.
const WINDOWS: &[(&str, u64)] = &[
    ("claude-3", 200_000),
    ("claude-haiku-4", 200_000),
    ("claude-opus-4", 200_000),
    ("claude-sonnet-4", 200_000),
    ("gpt-3.5-turbo", 16_385),
    ("gpt-4-turbo", 128_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-5", 400_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("gemini-2.0-flash", 1_048_576),
    ("gemini-2.5", 1_048_576),
];

/// The context window of a model by the name that its provider gives it, if it is well known.
pub fn known_window(provider: &str, name: &str) -> Option<u64> {
    // Elsewhere the same name may be another model, or have less room.
    let services = ["anthropic", "openai", "gemini", "openrouter"];
    if !services.contains(&provider) {
        return None;
    }
    let name = name.rsplit('/').next().unwrap_or(name);
    let fits = |beginning: &str| {
        name.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    WINDOWS.iter().find(|(beginning, _)| fits(beginning)).map(|(_, window)| *window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_services_are_found() {
        let cases = [
            ("prompt is too long: 215,000 tokens > 200000 maximum", 215_000, 200_000),
            (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
                9001,
                8192,
            ),
            (
                "This model's maximum context length is 4096 tokens. However, you requested 5012 tokens (4500 in the messages, 512 in the completion).",
                5012,
                4096,
            ),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                1_200_000,
                1_048_576,
            ),
            (
                "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
                537_812,
                131_072,
            ),
            (
                "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
                9000,
                4096,
            ),
        ];
        for (message, sent, allowed) in cases {
            let expected = Room { sent: Some(sent), allowed: Some(allowed) };
            assert_eq!(Room::in_words(message), expected, "{message}");
        }
        let place =
            "the server at http://127.0.0.1:34823/v1 says: maximum context length is 512 tokens";
        assert_eq!(Room::in_words(place), Room { sent: None, allowed: Some(512) });
        for message in ["", "the conversation is too long for the model", "HTTP 400: too much"] {
            assert_eq!(Room::in_words(message), Room::default(), "{message}");
        }
    }

    #[test]
    fn a_sum_of_tokens_is_told_as_a_whole() {
        let message = "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000";
        assert_eq!(
            Room::in_words(message).words().as_deref(),
            Some("the model takes 200000 tokens")
        );
    }

    #[test]
    fn only_models_that_are_known_for_sure_have_a_window() {
        assert_eq!(known_window("anthropic", "claude-sonnet-4-5"), Some(200_000));
        assert_eq!(known_window("openrouter", "openai/gpt-4o-mini"), Some(128_000));
        assert_eq!(known_window("openai", "o3"), Some(200_000));
        for (provider, name) in [("openai", "gpt-4"), ("openai", "o30"), ("llamacpp", "gpt-4o")] {
            assert_eq!(known_window(provider, name), None, "{provider}/{name}");
        }
    }
}
