//! How long to wait before another try.

use std::time::Duration;

use crate::provider::ProviderError;

/// The longest rest that is worth waiting for.
const LONGEST: Duration = Duration::from_secs(120);

/// The longest rest that nobody asked for.
const LONGEST_OF_OURS: Duration = Duration::from_secs(30);

/// How long to wait after so many failures in a row; `None` if another try makes no sense.
pub fn rest_after(error: &ProviderError, failures: u32, retries: u32) -> Option<Duration> {
    if !error.may_pass() || failures > retries {
        return None;
    }
    if let Some(asked) = error.retry_after {
        return (asked <= LONGEST).then_some(asked);
    }
    let doubled = Duration::from_secs(1 << failures.saturating_sub(1).min(5));
    Some(doubled.min(LONGEST_OF_OURS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Trouble;

    #[test]
    fn rests_double_up_to_a_limit_and_end() {
        let error = ProviderError::new(Trouble::Server, "529");
        let rests = (1..=8).map(|failures| rest_after(&error, failures, 7).map(|d| d.as_secs()));
        let expected = [1, 2, 4, 8, 16, 30, 30].map(Some).into_iter().chain([None]);
        assert_eq!(rests.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn the_server_is_obeyed_unless_it_wants_too_much() {
        let busy = |seconds| ProviderError {
            retry_after: Some(Duration::from_secs(seconds)),
            ..ProviderError::new(Trouble::Busy, "429")
        };
        assert_eq!(rest_after(&busy(7), 1, 3), Some(Duration::from_secs(7)));
        assert_eq!(rest_after(&busy(0), 1, 3), Some(Duration::ZERO));
        assert_eq!(rest_after(&busy(3600), 1, 3), None);
    }

    #[test]
    fn what_does_not_pass_is_not_tried_again() {
        let error = ProviderError::new(Trouble::Key, "401");
        assert_eq!(rest_after(&error, 1, 3), None);
    }
}
