use proptest::prelude::*;

use super::*;

fn found(pattern: &Pattern, text: &str) -> Vec<(usize, String)> {
    let line = |line: MatchingLine| (line.number, text[line.range].to_owned());
    pattern.lines(text.as_bytes()).map(line).collect()
}

fn numbers(source: &str, text: &str) -> Vec<usize> {
    let pattern = Pattern::regex(source, Case::Smart).unwrap();
    found(&pattern, text).into_iter().map(|(number, _)| number).collect()
}

#[test]
fn a_match_stays_within_a_line() {
    let text = "one two\ntwo\r\n\nthree\ntwo one";
    assert_eq!(numbers("two", text), [1, 2, 5]);
    assert_eq!(numbers("^two$", text), [2]);
    assert_eq!(numbers(r"\Atwo", text), [2, 5]);
    assert_eq!(numbers(r"two\z", text), [1, 2]);
    assert_eq!(numbers("(?-m)^two", text), [2, 5]);
    assert_eq!(numbers(r"two\s+two", text), [0; 0]);
    assert_eq!(numbers(r"two\s", text), [5]);
    assert_eq!(numbers(r"[^x]three", text), [0; 0]);
    assert_eq!(numbers("(?s)one.*three", text), [0; 0]);
    assert_eq!(numbers("^$", text), [3]);
    assert_eq!(numbers("", text), [1, 2, 3, 4, 5]);
    assert_eq!(numbers("", ""), [0; 0]);
    assert_eq!(numbers("x*", "a\n\n"), [1, 2]);
    assert_eq!([numbers("$", "a"), numbers("$", "a\n")], [[1], [1]]);
    assert_eq!(numbers("^$", "a\n"), [0; 0]);
}

#[test]
fn a_line_comes_without_its_end() {
    let pattern = Pattern::regex("o", Case::Smart).unwrap();
    assert_eq!(found(&pattern, "on\r\nno\n"), [(1, "on".to_owned()), (2, "no".to_owned())]);
}

#[test]
fn case_counts_once_the_pattern_has_a_letter_of_upper_case() {
    for (source, text, is_found) in [
        ("carrot", "CARROT", true),
        ("Carrot", "carrot", false),
        ("Carrot", "Carrot", true),
        (r"\Sarrot", "CARROT", true),
        (r"\pLarrot", "CARROT", true),
        (r"[A-Z]x", "ax", false),
        (r"[a-z]x", "AX", true),
        ("über", "ÜBER", true),
        ("Über", "über", false),
    ] {
        let pattern = Pattern::regex(source, Case::Smart).unwrap();
        assert_eq!(!found(&pattern, text).is_empty(), is_found, "{source} in {text}");
    }
    let is_found = |case, source| {
        let pattern = Pattern::regex(source, case).unwrap();
        !found(&pattern, "Carrot").is_empty()
    };
    assert!(is_found(Case::Ignore, "CARROT") && !is_found(Case::Sensitive, "carrot"));
}

#[test]
fn a_fixed_text_means_itself() {
    let pattern = Pattern::fixed("a.b(", Case::Smart).unwrap();
    assert_eq!(found(&pattern, "axb(\nA.B(\n"), [(2, "A.B(".to_owned())]);
    let pattern = Pattern::fixed("A.b", Case::Smart).unwrap();
    assert_eq!(found(&pattern, "a.b\nA.b\n"), [(2, "A.b".to_owned())]);
}

#[test]
fn an_error_tells_where_it_is() {
    for (source, message) in [
        ("a(b", "`a(b` is not a regular expression: unclosed group, at column 2"),
        (
            "a[z-a]",
            "`a[z-a]` is not a regular expression: invalid character class range, the start must be <= the end, at column 3",
        ),
        (r"\pX", r"`\pX` is not a regular expression: Unicode property not found, at column 1"),
        ("a\n(", "`a\n(` is not a regular expression: unclosed group, at line 2, column 1"),
        (r"\w{1000}{1000}", r"`\w{1000}{1000}` is not a regular expression: it is too large"),
    ] {
        assert_eq!(Pattern::regex(source, Case::Smart).unwrap_err().to_string(), message);
    }
}

#[test]
fn bytes_that_are_not_utf8_are_searched() {
    let pattern = Pattern::regex("b.*d", Case::Smart).unwrap();
    let lines: Vec<_> = pattern.lines(b"\xff\nb\xffd\nbcd\n").map(|line| line.number).collect();
    assert_eq!(lines, [3]);
}

proptest! {
    /// Looking through a whole text finds what looking at each line finds.
    #[test]
    fn a_text_is_searched_as_its_lines_are(
        source in r"(a|b|c|\^|\$|\.|\\s|\\b|\[\^a\]|\\A|\\z|a\*|\(a\|bc\)|\\n|\\r|\(\?s\)){0,5}",
        text in "[abc \r\n]{0,40}",
    ) {
        let Ok(pattern) = Pattern::regex(&source, Case::Smart) else { return Ok(()) };
        let by_line: Vec<_> = text
            .split_inclusive('\n')
            .enumerate()
            .map(|(index, line)| (index + 1, line.strip_suffix('\n').unwrap_or(line)))
            .map(|(number, line)| (number, line.strip_suffix('\r').unwrap_or(line)))
            .filter(|(_, line)| pattern.regex.is_match(line.as_bytes()))
            .map(|(number, line)| (number, line.to_owned()))
            .collect();
        prop_assert_eq!(found(&pattern, &text), by_line, "{}", source);
    }
}

#[test]
fn a_pattern_that_reaches_over_lines_takes_no_time() {
    let text = "aaaa bbbb\n".repeat(50_000) + "z\na q z\n";
    let pattern = Pattern::regex("a[^q]*z", Case::Smart).unwrap();
    let begun = std::time::Instant::now();
    assert_eq!(pattern.lines(text.as_bytes()).count(), 0);
    assert!(begun.elapsed().as_secs() < 20);
    let pattern = Pattern::regex("a[^b]*z", Case::Smart).unwrap();
    let lines: Vec<_> = pattern.lines(text.as_bytes()).map(|line| line.number).collect();
    assert_eq!(lines, [50_002]);
}

#[test]
fn no_more_matches_of_a_line_are_told_than_anybody_wants() {
    let pattern = Pattern::fixed("x", Case::Smart).unwrap();
    assert_eq!(pattern.matches(&[b'x'; 5000]).count(), MOST_MATCHES);
}
