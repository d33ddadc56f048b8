//! Title and labels in a checkout: changed there, in the conversation, or in both.

use std::collections::BTreeSet;

use super::{Checkout, CheckoutError, Look, meta_name};
use crate::{
    format::{Flaw, FormatVersion, decode_meta},
    model::Meta,
    plan::{Change, Fault, TreePath},
    store::ObjectId,
    workspace::{Handle, Workspace},
};

/// What becomes of `meta.toml`.
#[derive(Debug, Default)]
pub(super) struct MetaEdit {
    /// What it says from now on, if that changes.
    pub(super) meta: Option<Meta>,
    /// The change of the file.
    pub(super) change: Option<Change>,
    /// What changes, one line each.
    pub(super) remarks: Vec<String>,
    /// What was changed on both sides, one line each.
    pub(super) fields: Vec<String>,
}

/// Brings what a checkout says of title and labels onto the present version.
pub(super) fn merge(
    workspace: &Workspace,
    tip: &Handle,
    checkout: &Checkout,
    look: &Look,
) -> Result<Result<MetaEdit, Vec<Fault>>, CheckoutError> {
    let Some(bytes) = &look.meta else { return Ok(Ok(MetaEdit::default())) };
    let fault = |flaw| Fault::new(meta_name(), flaw);
    let here = match decode_meta(bytes) {
        Ok((version, meta)) if version == FormatVersion::CURRENT => meta,
        Ok(_) => {
            let flaw = Flaw::new("the version of the format is not for people to change");
            return Ok(Err(vec![fault(flaw)]));
        }
        Err(flaws) => return Ok(Err(flaws.into_iter().map(fault).collect())),
    };
    let there = workspace.meta(tip)?;
    let was = match &checkout.record.meta {
        Some(entry) => read(workspace, tip, &entry.stored)?.unwrap_or_default(),
        None => Meta::default(),
    };
    if here.forked != was.forked || here.created != was.created {
        let flaw = Flaw::new("where and when the conversation began is not for people to change");
        return Ok(Err(vec![fault(flaw)]));
    }
    if here == there {
        return Ok(Ok(MetaEdit::default()));
    }
    let mut edit = MetaEdit::default();
    let mut merged = there.clone();
    if here.title != was.title {
        if there.title != was.title && there.title != here.title {
            let title = there.title.as_deref().unwrap_or_default();
            edit.fields.push(format!("the title became `{title}` in the conversation meanwhile"));
        }
        merged.title.clone_from(&here.title);
        edit.remarks.push(match &here.title {
            Some(title) => format!("title: {title}"),
            None => "the title goes".to_owned(),
        });
    }
    if here.labels != was.labels {
        merge_labels(&was, &here, &mut merged, &mut edit.fields);
        edit.remarks.push("labels".to_owned());
    }
    if here.extra != was.extra {
        if there.extra != was.extra && there.extra != here.extra {
            edit.fields.push("other keys changed in the conversation meanwhile".to_owned());
        }
        merged.extra.clone_from(&here.extra);
        edit.remarks.push(format!("{}: other keys", meta_name()));
    }
    // Bytes that nobody else changed are stored as they were written.
    let bytes = match there == was {
        true => bytes.clone(),
        false => crate::format::encode_meta(&merged),
    };
    if merged == there {
        return Ok(Ok(MetaEdit::default()));
    }
    edit.change = Some(Change::Put(TreePath::meta(), bytes));
    edit.meta = Some(merged);
    Ok(Ok(edit))
}

/// Takes the labels that were changed here, each by itself.
fn merge_labels(was: &Meta, here: &Meta, merged: &mut Meta, fields: &mut Vec<String>) {
    let names: BTreeSet<&String> = was.labels.keys().chain(here.labels.keys()).collect();
    for name in names {
        let (own, before) = (here.labels.get(name), was.labels.get(name));
        if own == before {
            continue;
        }
        let their = merged.labels.get(name);
        if their != before && their != own {
            fields.push(match their {
                Some(their) => {
                    format!("label `{name}` became `{their}` in the conversation meanwhile")
                }
                None => format!("label `{name}` was removed from the conversation meanwhile"),
            });
        }
        match own {
            Some(own) => merged.labels.insert(name.clone(), own.clone()),
            None => merged.labels.remove(name),
        };
    }
}

fn read(
    workspace: &Workspace,
    tip: &Handle,
    blob: &ObjectId,
) -> Result<Option<Meta>, CheckoutError> {
    let bytes = workspace.read_blob(tip.id(), blob)?;
    Ok(decode_meta(&bytes).ok().map(|(_, meta)| meta))
}
