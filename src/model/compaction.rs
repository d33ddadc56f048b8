//! What a compaction says about the turns that it covers.
//!
//! The table of rules is kept as it was written; here it is read. A rule that is not known, or not
//! of the known form, says nothing: what it covers stays as it is.

use toml::{Table, Value};

const REASONING: &str = "reasoning";
const TOOLS: &str = "tools";
const SUMMARY: &str = "summary";
const POLICY: &str = "policy";
const TEXT: &str = "text";
const MODEL: &str = "model";

const KEEP: &str = "keep";
const STRIP: &str = "strip";
const OMIT: &str = "omit";

/// What a model sees of earlier turns changed from here on.
#[derive(Clone, Debug, PartialEq)]
pub struct Compaction {
    /// The first turn that it covers.
    pub from_turn: u64,
    /// The last turn that it covers.
    pub to_turn: u64,
    /// What happens to each part of these turns.
    pub rules: Table,
}

impl Compaction {
    /// A compaction of turns by known rules.
    pub fn new(from_turn: u64, to_turn: u64, rules: &Rules) -> Self {
        Self { from_turn, to_turn, rules: rules.to_table() }
    }

    /// The turns that it covers, in words.
    pub fn turns(&self) -> String {
        turns_in_words(self.from_turn, self.to_turn)
    }

    /// Whether it covers a turn.
    pub fn covers(&self, turn: u64) -> bool {
        (self.from_turn..=self.to_turn).contains(&turn)
    }

    /// The rules that are known.
    pub fn known_rules(&self) -> Rules {
        Rules::of(&self.rules)
    }

    /// Takes the summary out, and says whether there was one.
    pub fn drop_summary(&mut self) -> bool {
        self.rules.remove(SUMMARY).is_some()
    }
}

/// Turns from one to another, in words.
pub fn turns_in_words(from: u64, to: u64) -> String {
    match (from, to) {
        (from, to) if from == to => format!("turn {from}"),
        (from, to) => format!("turns {from} to {to}"),
    }
}

/// The rules of a compaction; for each part of a turn the last compaction with a rule for it counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What becomes of thoughts.
    pub reasoning: Option<ReasoningRule>,
    /// What becomes of calls of tools and their results.
    pub tools: Option<ToolRule>,
    /// What stands for the turns as a whole.
    pub summary: Option<SummaryRule>,
}

/// What becomes of thoughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningRule {
    /// They stay.
    Keep,
    /// They are left out.
    Strip,
}

/// What becomes of calls of tools and their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolRule {
    /// They stay.
    Keep,
    /// Calls stay with their arguments cut short; results are left out.
    Strip,
    /// Calls and results are left out together.
    Omit,
}

/// What stands for turns as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryRule {
    /// The turns themselves.
    Keep,
    /// A text.
    Text {
        /// The text.
        text: String,
        /// The model that wrote it.
        model: Option<String>,
    },
}

impl Rules {
    /// Everything as it is stored.
    pub fn keep_all() -> Self {
        Self {
            reasoning: Some(ReasoningRule::Keep),
            tools: Some(ToolRule::Keep),
            summary: Some(SummaryRule::Keep),
        }
    }

    /// Whether they say nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads what is known of a table.
    pub fn of(table: &Table) -> Self {
        let text = |rule: &str, key: &str| match table.get(rule) {
            Some(Value::Table(rule)) => rule.get(key).and_then(Value::as_str),
            _ => None,
        };
        Self {
            reasoning: match text(REASONING, POLICY) {
                Some(KEEP) => Some(ReasoningRule::Keep),
                Some(STRIP) => Some(ReasoningRule::Strip),
                _ => None,
            },
            tools: match text(TOOLS, POLICY) {
                Some(KEEP) => Some(ToolRule::Keep),
                Some(STRIP) => Some(ToolRule::Strip),
                Some(OMIT) => Some(ToolRule::Omit),
                _ => None,
            },
            summary: match (text(SUMMARY, TEXT), text(SUMMARY, POLICY)) {
                (Some(words), _) if !words.trim().is_empty() => Some(SummaryRule::Text {
                    text: words.to_owned(),
                    model: text(SUMMARY, MODEL).map(str::to_owned),
                }),
                (None, Some(KEEP)) => Some(SummaryRule::Keep),
                _ => None,
            },
        }
    }

    /// The table that they are stored as.
    pub fn to_table(&self) -> Table {
        let rule = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value)));
            Value::Table(pairs.collect())
        };
        let mut table = Table::new();
        if let Some(reasoning) = self.reasoning {
            let policy = match reasoning {
                ReasoningRule::Keep => KEEP,
                ReasoningRule::Strip => STRIP,
            };
            table.insert(REASONING.to_owned(), rule(&[(POLICY, policy)]));
        }
        if let Some(tools) = self.tools {
            let policy = match tools {
                ToolRule::Keep => KEEP,
                ToolRule::Strip => STRIP,
                ToolRule::Omit => OMIT,
            };
            table.insert(TOOLS.to_owned(), rule(&[(POLICY, policy)]));
        }
        match &self.summary {
            None => {}
            Some(SummaryRule::Keep) => {
                table.insert(SUMMARY.to_owned(), rule(&[(POLICY, KEEP)]));
            }
            Some(SummaryRule::Text { text, model }) => {
                let mut pairs = vec![(TEXT, text.as_str())];
                pairs.extend(model.as_deref().map(|model| (MODEL, model)));
                table.insert(SUMMARY.to_owned(), rule(&pairs));
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_were_written() {
        let text = SummaryRule::Text { text: "All done.".to_owned(), model: Some("a/b".into()) };
        let all = [
            Rules::default(),
            Rules::keep_all(),
            Rules { reasoning: Some(ReasoningRule::Strip), ..Rules::default() },
            Rules { tools: Some(ToolRule::Omit), summary: Some(text), ..Rules::default() },
            Rules { tools: Some(ToolRule::Strip), ..Rules::keep_all() },
        ];
        for rules in all {
            assert_eq!(Rules::of(&rules.to_table()), rules);
        }
    }

    #[test]
    fn a_rule_that_is_not_known_says_nothing() {
        for text in [
            "[reasoning]\npolicy = \"fold\"",
            "[tools]\npolicy = 3",
            "tools = \"strip\"",
            "[summary]\ntext = \" \"",
            "[summary]\npolicy = \"strip\"",
            "[pictures]\npolicy = \"strip\"",
        ] {
            assert!(Rules::of(&text.parse().unwrap()).is_empty(), "{text}");
        }
    }
}
