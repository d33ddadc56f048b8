//! What a conversation keeps of the settings that it was made with.
//!
//! Only who answers and how: addresses, commands and what a terminal shows belong to the user, and
//! a conversation may be opened elsewhere.

use toml::Table;

use super::{Effective, Key, Origin, Resolved, read::insert};

impl Resolved {
    /// The base configuration of a new conversation: what was set of `assistant`, without defaults.
    pub fn base_config(&self) -> Table {
        self.table_of(|effective| effective.origin != Origin::Default)
    }

    /// What the command line changes in `assistant` for a conversation that is continued: the
    /// content of a `config-delta` event, or nothing if it has all of this already.
    pub fn delta(&self) -> Option<Table> {
        let delta = self.table_of(|effective| {
            matches!(effective.origin, Origin::Argument(_))
                && self.conversation.get(&effective.key) != Some(&effective.value)
        });
        (!delta.is_empty()).then_some(delta)
    }

    fn table_of(&self, wanted: impl Fn(&Effective) -> bool) -> Table {
        let assistant = Key::new(["assistant"]);
        let mut table = Table::new();
        for effective in self.effective() {
            if assistant.is_around(&effective.key) && wanted(effective) {
                insert(&mut table, &effective.key, effective.value.clone());
            }
        }
        table
    }
}
