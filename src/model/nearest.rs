//! The name that somebody may have meant.

/// Longer names are not compared: nobody types them by hand.
const LONGEST: usize = 100;

/// The candidate that is nearest to what was given, if one is near enough to be what was meant.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given: Vec<char> = given.chars().take(LONGEST + 1).collect();
    if given.len() > LONGEST {
        return None;
    }
    let far = 1 + given.len() / 3;
    let measured = candidates.into_iter().map(|candidate| {
        let letters: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        (distance(&given, &letters), candidate)
    });
    let near = measured.filter(|(distance, candidate)| {
        *distance <= far && *distance < candidate.chars().count().max(given.len())
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// How many letters were put in, left out, changed or swapped with their neighbour.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, l) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, r) in right.iter().enumerate() {
            let changed = above[column] + usize::from(!l.eq_ignore_ascii_case(r));
            let mut best = changed.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *l == right[column - 1] && left[row - 1] == *r {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let keys = ["model", "max_tokens", "system_prompt", "temperature"];
        let found = |given| nearest(given, keys);
        assert_eq!(found("modle"), Some("model"));
        assert_eq!(found("Model"), Some("model"));
        assert_eq!(found("max-tokens"), Some("max_tokens"));
        assert_eq!(found("maxtoken"), Some("max_tokens"));
        assert_eq!(found("temperatur"), Some("temperature"));
        assert_eq!(found("colour"), None);
        assert_eq!(found(""), None);
        assert_eq!(found(&"m".repeat(10_000)), None);
    }

    #[test]
    fn two_letters_that_changed_places_are_one_slip() {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&letters("modle"), &letters("model")), 1);
        assert_eq!(distance(&letters(""), &letters("abc")), 3);
        assert_eq!(distance(&letters("kitten"), &letters("sitting")), 3);
    }

    #[test]
    fn of_two_that_are_near_the_nearer_one_is_taken() {
        assert_eq!(nearest("tools", ["tool", "tools"]), Some("tools"));
        assert_eq!(nearest("x", ["y"]), None);
    }
}
