//! A key that does not show itself.

use std::fmt;

/// What stands in place of a key.
const REDACTED: &str = "[redacted]";

/// Keys shorter than this are words that may stand anywhere, such as the `none` of a server that
/// wants no key.
const SHORTEST: usize = 6;

/// A key that is written nowhere but into the request it is for.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key, without the white space around it that a file or a shell left there.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The key itself: for the request and for nothing else.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// A text without the key, should somebody have repeated it there.
    pub fn redact(&self, text: &str) -> String {
        if self.0.len() < SHORTEST {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_itself_in_no_form() {
        let secret = Secret::new(" sk-12345\n");
        assert_eq!(format!("{secret} {secret:?}"), "[redacted] [redacted]");
        assert_eq!(secret.reveal(), "sk-12345");
        assert_eq!(secret.redact("bad key sk-12345!"), "bad key [redacted]!");
    }

    #[test]
    fn a_word_in_place_of_a_key_is_not_taken_out_of_messages() {
        assert_eq!(Secret::new("none").redact("none of these"), "none of these");
    }
}
