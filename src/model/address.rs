//! The number of an event within its conversation.

use std::{fmt, str::FromStr};

/// The address of an event: given once, never renumbered, printed with at least three digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(u32);

impl Address {
    /// The address of the first event of a conversation.
    pub const FIRST: Self = Self(0);

    /// The largest number that is ever given.
    pub const MAX: u32 = 99_999_999;

    /// Makes an address, unless the number is larger than [`Address::MAX`].
    pub fn new(number: u32) -> Option<Self> {
        (number <= Self::MAX).then_some(Self(number))
    }

    /// The bare number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The address after this one, unless the numbers are used up.
    pub fn next(self) -> Option<Self> {
        Self::new(self.0 + 1)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03}", self.0)
    }
}

/// A text that is not an address.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an address: expected a number such as `007`")]
pub struct InvalidAddress(pub String);

impl FromStr for Address {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits
            .then(|| text.parse().ok().and_then(Self::new))
            .flatten()
            .ok_or_else(|| InvalidAddress(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_at_least_three_digits() {
        assert_eq!(Address(7).to_string(), "007");
        assert_eq!(Address(12_345).to_string(), "12345");
        assert_eq!("007".parse::<Address>().unwrap(), Address(7));
        assert_eq!("7".parse::<Address>().unwrap(), Address(7));
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in ["", "-1", "+1", "1a", " 1", "999999999999", "100000000"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
