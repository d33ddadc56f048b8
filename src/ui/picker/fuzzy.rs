//! How well a few typed characters fit a text that has them in the same order, with others in
//! between.

/// No text is looked at beyond so many characters.
const LONGEST: usize = 256;

/// For a character that begins the text, or a word of it, or that stands right behind the one
/// before. Nothing else earns as much as what stands together: what was typed without a gap fits
/// best, and best of all at the beginning.
const BEGINS_TEXT: i32 = 16;
const BEGINS_WORD: i32 = 12;
const STANDS_BEHIND: i32 = 24;

/// Worse than any score.
const NEVER: i32 = i32::MIN / 2;

/// A word that was typed.
#[derive(Clone, Debug)]
pub struct Word {
    chars: Vec<char>,
    /// Whether upper and lower case differ: only for who has typed upper case.
    is_exact: bool,
}

impl Word {
    /// A word as it was typed.
    pub fn new(text: &str) -> Self {
        let is_exact = text.chars().any(char::is_uppercase);
        let chars = text.chars().map(|c| if is_exact { c } else { fold(c) }).collect();
        Self { chars, is_exact }
    }

    /// How well it fits a text, with at most so many characters in each gap; `None` if it does not.
    pub fn score(&self, text: &str, widest_gap: usize) -> Option<i32> {
        let fits = |c: char, typed: char| typed == if self.is_exact { c } else { fold(c) };
        // Most texts fail here, and cost nothing more.
        let mut rest = text.chars().take(LONGEST);
        if !self.chars.iter().all(|typed| rest.any(|c| fits(c, *typed))) {
            return None;
        }
        let text: Vec<char> = text.chars().take(LONGEST).collect();
        // The best score with the last typed character at each place.
        let mut best = vec![NEVER; text.len()];
        for (index, typed) in self.chars.iter().enumerate() {
            let mut next = vec![NEVER; text.len()];
            // The best of those before, less what the gaps up to here cost.
            let mut gapped = NEVER;
            for at in 0..text.len() {
                gapped = match widest_gap {
                    usize::MAX => gapped.max(before(&best, at, 2)).saturating_sub(1).max(NEVER),
                    widest => across(&best, at, widest),
                };
                if !fits(text[at], *typed) {
                    continue;
                }
                let at_word = if begins_word(&text, at) { BEGINS_WORD } else { 0 };
                next[at] = match index {
                    0 if at == 0 => BEGINS_TEXT,
                    0 => at_word - i32::try_from(at).unwrap_or(i32::MAX),
                    _ => {
                        let behind = before(&best, at, 1).saturating_add(STANDS_BEHIND);
                        behind.max(gapped.saturating_add(at_word))
                    }
                };
            }
            best = next;
        }
        best.into_iter().max().filter(|score| *score > NEVER / 2)
    }
}

/// A character without its case.
pub fn fold(c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) }
}

/// The score of so many places before.
fn before(best: &[i32], at: usize, back: usize) -> i32 {
    at.checked_sub(back).map_or(NEVER, |place| best[place])
}

/// The best score on the other side of a gap of at most so many characters, less what it costs.
fn across(best: &[i32], at: usize, widest: usize) -> i32 {
    let gaps = 1..=widest;
    let score = |gap: usize| {
        let cost = i32::try_from(gap).unwrap_or(i32::MAX);
        before(best, at, gap + 1).saturating_sub(cost)
    };
    gaps.map(score).max().unwrap_or(NEVER).max(NEVER)
}

fn begins_word(text: &[char], at: usize) -> bool {
    let c = text[at];
    let Some(last) = at.checked_sub(1).map(|last| text[last]) else { return true };
    c.is_alphanumeric() && (!last.is_alphanumeric() || (last.is_lowercase() && c.is_uppercase()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(typed: &str, text: &str) -> Option<i32> {
        Word::new(typed).score(text, usize::MAX)
    }

    #[test]
    fn characters_must_stand_in_the_order_in_which_they_were_typed() {
        assert!(score("abc", "a-b-c").is_some());
        assert!(score("abc", "a-c-b").is_none());
        assert!(score("aa", "a").is_none());
        assert!(score("", "a").is_none());
        assert!(score("a", "").is_none());
    }

    #[test]
    fn case_counts_only_for_who_types_upper_case() {
        assert!(score("fix", "FIX").is_some());
        assert!(score("Fix", "fix").is_none());
        assert!(score("Fix", "Fix").is_some());
        assert!(score("ÜB", "über").is_none());
        assert!(score("üb", "Über").is_some());
    }

    #[test]
    fn together_and_early_and_at_the_beginning_of_words_is_better() {
        for (typed, better, worse) in [
            ("auth", "Fix auth", "a unit then"),
            ("fa", "Fix auth", "sofa"),
            ("fa", "fixAuth", "fixauth"),
            ("log", "a log", "catalog"),
            ("log", "a log", "another log"),
        ] {
            assert!(score(typed, better) > score(typed, worse), "{typed}: {better}, {worse}");
        }
    }

    #[test]
    fn a_gap_can_be_too_wide() {
        let narrow = |text| Word::new("ac").score(text, 2).is_some();
        assert!(narrow("ac") && narrow("abc") && narrow("abbc") && !narrow("abbbc"));
        assert!(narrow("abbbc ac"), "another place fits");
    }

    proptest! {
        #[test]
        fn a_beginning_beats_what_is_scattered(typed in "[a-c]{1,5}", other in "[a-cA-C -]{0,12}") {
            let begins = other.to_lowercase().starts_with(&typed);
            let beginning = score(&typed, &format!("{typed} and more")).unwrap();
            if let Some(scattered) = score(&typed, &other) {
                prop_assert_eq!(beginning > scattered, !begins, "{} {}", beginning, scattered);
            }
        }

        #[test]
        fn one_more_character_never_fits_what_did_not_fit(
            typed in "[a-cA-C]{1,4}", more in "[a-cA-C]", text in "[a-cA-C -]{0,12}",
            gap in prop::sample::select(vec![1, 2, usize::MAX]),
        ) {
            let fits = |typed: &str| Word::new(typed).score(&text, gap).is_some();
            let longer = format!("{typed}{more}");
            prop_assert!(fits(&typed) || !fits(&longer));
        }

        #[test]
        fn any_text_is_scored_without_a_panic(typed in ".{1,9}", text in ".{0,300}") {
            let _any = score(&typed, &text);
        }
    }
}
