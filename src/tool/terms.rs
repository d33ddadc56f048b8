//! On what terms a tool is used: what was settled about it before anybody calls it.

use crate::config::{Delivery, PathPattern, Permission, Rule, Unattended};

/// On what terms a tool is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    /// Whether it may run, where no rule says otherwise.
    pub permission: Permission,
    /// What holds for some calls; the first that is about a call decides.
    pub rules: Vec<Rule>,
    /// What becomes of its results.
    pub delivery: Delivery,
    /// Whether only a person may answer what it asks; `None` if the question says it.
    pub exclusive: Option<bool>,
    /// What happens when nobody can be asked, where this is settled for the tool.
    pub unattended: Unattended,
    /// Whether running it twice is the same as running it once; `None` if the tool says it.
    pub idempotent: Option<bool>,
}

/// What rules look at in a call. A tool of which nobody knows what it runs and touches has none of
/// it: only rules that let less happen are about its calls, and about all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The words of the program that would run.
    pub argv: Option<Vec<String>>,
    /// Every path that would be touched: from the root of the workspace, without `.` and `..`, and
    /// as it is behind symbolic links.
    pub paths: Vec<String>,
    /// Whether everything beneath them would be touched as well.
    pub beneath: bool,
}

impl Subject {
    /// The directory that the program would run in; none if that is the root of the workspace.
    pub fn cwd(&self) -> Option<&str> {
        self.argv.as_ref()?;
        self.paths.iter().map(String::as_str).find(|path| *path != ".")
    }
}

impl Terms {
    /// Whether a call about this may be made.
    pub fn permission_for(&self, subject: &Subject) -> Permission {
        let rule = self.rules.iter().find(|rule| is_about(rule, subject));
        rule.map_or(self.permission, |rule| rule.permission)
    }
}

/// A rule that lets more happen has to be about everything that a call touches; one that lets less
/// happen is about a call as soon as it is about a part of it.
fn is_about(rule: &Rule, subject: &Subject) -> bool {
    if *subject == Subject::default() {
        return rule.permission != Permission::Allow;
    }
    let is_it = rule.argv.as_ref().is_some_and(|argv| subject.argv.as_ref() == Some(argv));
    match (rule.permission, &rule.path) {
        // The same words elsewhere are another program, and what a program touches nobody knows.
        (Permission::Allow, _) if subject.argv.is_some() => is_it && subject.cwd().is_none(),
        (Permission::Allow, Some(pattern)) => {
            let mut paths = subject.paths.iter();
            !subject.paths.is_empty()
                && match subject.beneath {
                    true => paths.all(|path| pattern.fits_all_beneath(path)),
                    false => paths.all(|path| pattern.fits(path)),
                }
        }
        (Permission::Allow, None) => false,
        (Permission::Ask | Permission::Edit | Permission::Deny, pattern) => {
            let touches = |path: &String| {
                let fits = |pattern: &PathPattern| {
                    pattern.fits(path) || (subject.beneath && pattern.may_fit_beneath(path))
                };
                pattern.as_ref().is_some_and(fits)
            };
            is_it || subject.paths.iter().any(touches)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Subject {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Subject { argv: Some(words), ..Subject::default() }
    }

    fn paths(paths: &[&str]) -> Subject {
        let paths = paths.iter().map(|&path| path.to_owned()).collect();
        Subject { paths, ..Subject::default() }
    }

    fn path(pattern: &str, permission: Permission) -> Rule {
        let path = Some(pattern.to_owned().try_into().unwrap());
        Rule { argv: None, path, permission }
    }

    #[test]
    fn a_rule_about_a_program_is_about_exactly_its_words() {
        let argv_of = Some(["cargo", "test"].map(str::to_owned).to_vec());
        let rules = vec![Rule { argv: argv_of, path: None, permission: Permission::Allow }];
        let terms = Terms { rules, ..Terms::default() };
        assert_eq!(terms.permission_for(&argv(&["cargo", "test"])), Permission::Allow);
        for other in [
            argv(&["cargo", "test", "--", "x"]),
            argv(&["cargo"]),
            argv(&["cargo test"]),
            argv(&["cargo", "test "]),
            argv(&["cargo", "test;rm"]),
            argv(&[]),
            Subject::default(),
            paths(&["cargo", "test"]),
        ] {
            assert_eq!(terms.permission_for(&other), Permission::Ask, "{other:?}");
        }
    }

    #[test]
    fn the_first_rule_that_is_about_a_call_decides() {
        let rules = vec![
            path("src/secret/**", Permission::Deny),
            path("src/**", Permission::Allow),
            path("**/*.lock", Permission::Edit),
        ];
        let terms = Terms { rules, ..Terms::default() };
        for (touched, expected) in [
            (&["src/a.rs"][..], Permission::Allow),
            (&["src/a.rs", "src/b/c.rs"], Permission::Allow),
            (&["src/a.rs", "src/secret/k"], Permission::Deny),
            (&["src/a.rs", "README.md"], Permission::Ask),
            (&["src/a.rs", "Cargo.lock"], Permission::Edit),
            (&["srcx/a.rs"], Permission::Ask),
            (&[], Permission::Deny),
        ] {
            assert_eq!(terms.permission_for(&paths(touched)), expected, "{touched:?}");
        }
    }

    #[test]
    fn a_program_is_allowed_in_the_root_only_and_denied_everywhere() {
        let argv_of = Some(vec!["make".to_owned()]);
        let rule = |permission| Rule { argv: argv_of.clone(), path: None, permission };
        let at = |cwd: &str| Subject { paths: vec![cwd.to_owned()], ..argv(&["make"]) };
        let decide = |rule: Rule, cwd: &str| {
            Terms { rules: vec![rule], ..Terms::default() }.permission_for(&at(cwd))
        };
        assert_eq!(decide(rule(Permission::Allow), "."), Permission::Allow);
        assert_eq!(decide(rule(Permission::Allow), "vendor"), Permission::Ask);
        assert_eq!(decide(rule(Permission::Deny), "vendor"), Permission::Deny);
        assert_eq!(decide(path("vendor", Permission::Deny), "vendor"), Permission::Deny);
        assert_eq!(decide(path("**", Permission::Allow), "vendor"), Permission::Ask);
    }

    #[test]
    fn what_goes_through_directories_is_about_all_that_is_beneath() {
        let through = |path: &str| Subject { beneath: true, ..paths(&[path]) };
        let decide = |pattern: &str, permission, at: &str| {
            let terms = Terms { rules: vec![path(pattern, permission)], ..Terms::default() };
            terms.permission_for(&through(at))
        };
        for (pattern, at, is_denied) in [
            ("secrets/**", ".", true),
            ("secrets/**", "secrets", true),
            ("secrets/**", "secrets/a", true),
            ("a/secrets/key", "a", true),
            ("**/*.key", "src", true),
            ("s?crets/**", "src", true),
            ("secrets/**", "src", false),
            ("secrets/**", "secretsx", false),
        ] {
            let expected = if is_denied { Permission::Deny } else { Permission::Ask };
            assert_eq!(decide(pattern, Permission::Deny, at), expected, "{pattern} {at}");
        }
        for (pattern, at, is_allowed) in [
            ("**", ".", true),
            ("src/**", "src", true),
            ("src/**", "src/deep", true),
            ("src/**", ".", false),
            ("src/*", "src", false),
            ("src/**/*.rs", "src", false),
            ("*", ".", false),
            ("src", "src", false),
        ] {
            let expected = if is_allowed { Permission::Allow } else { Permission::Ask };
            assert_eq!(decide(pattern, Permission::Allow, at), expected, "{pattern} {at}");
        }
    }
}
