//! Words as the search sees them: lower case, without endings.

/// Words that say nothing about what is meant.
const STOP_WORDS: &str = "\
    a about after all also am an and any anything are as at be been but by can cannot cant could \
    did do does doesnt doing dont each else even every everything for from get give go had has \
    have he hello help here hey hi how i id if ill im in instead into is isnt it its ive jp just \
    know let like made make may me might mine must my myself need no not now of off ok on once \
    one only or other our out own please possible put really same should so some somebody \
    someone something such sure tell than thank that the their them then there these they thing \
    things this those to too us use used using very want was way we well were what whats when \
    where which who whose why will with without wont work works would yes you your";

/// The words of a text, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// Hears the words of a text, in lower case.
pub(super) fn each_word(text: &str, mut hear: impl FnMut(&str)) {
    let mut lower = String::new();
    for run in text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')) {
        if run.is_empty() {
            continue;
        }
        lower.clear();
        if run.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            lower.push_str(run);
            lower.make_ascii_lowercase();
        } else {
            let letters = run.chars().filter(|c| c.is_alphanumeric());
            lower.extend(letters.flat_map(char::to_lowercase));
        }
        if !lower.is_empty() {
            hear(&lower);
        }
    }
}

/// Whether a word says nothing about what is meant.
pub(super) fn is_stop_word(word: &str) -> bool {
    word.len() < 2 || STOP_WORDS.split_ascii_whitespace().any(|stop| stop == word)
}

/// A word without the endings of its forms: `restored`, `restores` and `restore` are the same.
pub(super) fn stem(word: &str) -> String {
    if !word.is_ascii() {
        return word.to_owned();
    }
    let stem = singular(word);
    let stem = strip(&stem, "ation", 5)
        .or_else(|| strip(&stem, "ing", 3).map(undouble))
        .or_else(|| strip(&stem, "ed", 3).map(undouble))
        .unwrap_or(stem);
    let stem = stem.strip_suffix('e').filter(|short| short.len() > 2).unwrap_or(&stem);
    stem.to_owned()
}

fn singular(word: &str) -> String {
    if let Some(short) = strip(word, "ies", 2) {
        return short + "y";
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let keeps = ["ss", "us", "is", "as"].iter().any(|ending| word.ends_with(ending));
    if keeps { word.to_owned() } else { strip(word, "s", 2).unwrap_or(word.to_owned()) }
}

/// The word without an ending, if at least so many letters and a vowel are left.
fn strip(word: &str, ending: &str, least: usize) -> Option<String> {
    let short = word.strip_suffix(ending)?;
    let has_vowel = short.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    (short.len() >= least && has_vowel).then(|| short.to_owned())
}

/// `forgott` and `stopp` lose a letter, `pull` and `pass` do not.
fn undouble(stem: String) -> String {
    let last: Vec<char> = stem.chars().rev().take(2).collect();
    match last.as_slice() {
        [one, two] if one == two && !matches!(one, 'l' | 's' | 'z') => {
            stem[..stem.len() - 1].to_owned()
        }
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_word_are_one_word() {
        for forms in [
            &["restore", "restores", "restored", "restoring"][..],
            &["delete", "deleting", "deleted"],
            &["configure", "configuration", "configured"],
            &["history", "histories"],
            &["branch", "branches", "branching"],
            &["stop", "stopped", "stopping"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
        assert_eq!(
            (stem("status"), stem("pass"), stem("jp")),
            ("status".into(), "pass".into(), "jp".into())
        );
    }

    #[test]
    fn words_are_split_at_anything_but_letters_and_digits() {
        assert_eq!(
            words("Don’t `jp c ls --label` Größe2!"),
            ["dont", "jp", "c", "ls", "label", "größe2"]
        );
    }
}
