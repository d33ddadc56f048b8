//! On what terms a tool is used: what was settled about it before anybody calls it.

use crate::config::{Delivery, Permission, Rule, Unattended};

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
    let touches = rule.path.as_ref().is_some_and(|pattern| {
        let mut paths = subject.paths.iter();
        match rule.permission {
            Permission::Allow => !subject.paths.is_empty() && paths.all(|path| pattern.fits(path)),
            Permission::Ask | Permission::Edit | Permission::Deny => {
                paths.any(|path| pattern.fits(path))
            }
        }
    });
    is_it || touches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Subject {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Subject { argv: Some(words), paths: Vec::new() }
    }

    fn paths(paths: &[&str]) -> Subject {
        Subject { argv: None, paths: paths.iter().map(|&path| path.to_owned()).collect() }
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
}
