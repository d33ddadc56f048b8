//! What a model is told before a turn, beside the conversation itself: kept, so that a turn that was
//! interrupted can go on with the same words.

use std::collections::BTreeMap;

use super::{Change, TreePath};
use crate::format::{BriefingFile, limits};

/// What a model is told before a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Briefing {
    /// The files that say it.
    pub files: BTreeMap<BriefingFile, Vec<u8>>,
}

impl Briefing {
    /// The changes that keep it, given whether a file is there and has this content, or is there
    /// at all.
    pub fn changes(&self, is_there: impl Fn(BriefingFile, Option<&[u8]>) -> bool) -> Vec<Change> {
        let change = |file: BriefingFile| {
            let path = TreePath::briefing(file);
            // What nobody could read again is not kept.
            let bytes = self.files.get(&file);
            match bytes.filter(|bytes| bytes.len() as u64 <= limits::MANIFEST_FILE) {
                Some(bytes) if is_there(file, Some(bytes)) => None,
                Some(bytes) => Some(Change::Put(path, bytes.clone())),
                None => is_there(file, None).then_some(Change::Remove(path)),
            }
        };
        BriefingFile::ALL.into_iter().filter_map(change).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_written() {
        let files = BTreeMap::from([
            (BriefingFile::SystemPrompt, b"Be brief".to_vec()),
            (BriefingFile::Tools, b"[]".to_vec()),
        ]);
        let briefing = Briefing { files };
        let put = |file, bytes: &[u8]| Change::Put(TreePath::briefing(file), bytes.to_vec());
        let schema = TreePath::briefing(BriefingFile::AnswerSchema);
        assert_eq!(
            briefing.changes(|_, _| false),
            [put(BriefingFile::SystemPrompt, b"Be brief"), put(BriefingFile::Tools, b"[]")]
        );
        assert_eq!(briefing.changes(|_, _| true), [Change::Remove(schema)]);
        let same = |file, bytes: Option<&[u8]>| {
            bytes.is_some_and(|bytes| briefing.files.get(&file).is_some_and(|own| own == bytes))
        };
        assert_eq!(briefing.changes(same), []);
    }
}
