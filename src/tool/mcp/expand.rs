//! `${VAR}` and `${VAR:-default}` in a text.

/// A text with its variables in place, or the name of one that is not set and has no default.
pub(super) fn expand(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        let Some((inside, next)) = after[2..].split_once('}') else { break };
        expanded.push_str(before);
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        if is_name(name) {
            // An empty variable is as good as none where there is a default.
            let set = variable(name).filter(|set| !set.is_empty() || default.is_none());
            let value = set.or_else(|| default.map(str::to_owned));
            expanded.push_str(&value.ok_or_else(|| name.to_owned())?);
        } else {
            expanded.push_str(&after[..inside.len() + 3]);
        }
        rest = next;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_name(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, String> {
        expand(text, &|name| match name {
            "HOME" => Some("/home/u".to_owned()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${HOME}".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn variables_and_defaults_are_put_in_place_once() {
        let right = [
            ("plain $HOME", "plain $HOME"),
            ("${HOME}/x and ${HOME}", "/home/u/x and /home/u"),
            ("${NONE:-there}${EMPTY:-too}", "theretoo"),
            ("${HOME:-no}|${EMPTY}|${NONE:-}", "/home/u||"),
            ("${NESTED}", "${HOME}"),
            ("${not a name} ${} ${1}", "${not a name} ${} ${1}"),
            ("${HOME", "${HOME"),
            ("a${HOME}b${", "a/home/ub${"),
        ];
        for (text, expected) in right {
            assert_eq!(expanded(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        assert_eq!(expanded("${HOME} ${NONE}"), Err("NONE".to_owned()));
    }
}
