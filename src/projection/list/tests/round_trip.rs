//! A list goes out and comes in, and is the same list.

use proptest::prelude::*;

use super::*;
use crate::model::EventKind;

/// The JSON of a list without what follows from where its messages stand.
fn without_addresses(list: &[Listed]) -> Value {
    let mut json = write(list);
    for message in json.as_array_mut().into_iter().flatten() {
        if let Value::Object(fields) = message {
            fields.shift_remove("addresses");
        }
    }
    json
}

/// A list as it is read: where its messages stand counts for nothing.
fn as_read(mut list: Vec<Listed>) -> Vec<Listed> {
    for Listed { message, .. } in &mut list {
        (message.turn, message.incomplete) = (None, false);
        message.addresses.clear();
    }
    list
}

/// Messages without the numbers of their events.
fn anywhere(mut messages: Vec<Message>) -> Vec<Message> {
    messages.iter_mut().for_each(|message| message.addresses.clear());
    messages
}

fn status(stream: &Stream) -> Status {
    let mut progress = Progress::default();
    stream.entries().for_each(|entry| progress.push(&entry.event));
    progress.status()
}

proptest! {
    #[test]
    fn a_list_reads_as_it_was_written(kept in streams::kept()) {
        let list = kept.list();
        prop_assume!(!list.is_empty());
        let json = write(&list);
        let read = read(json.to_string().as_bytes());
        prop_assert_eq!(read, Ok(Read { list: as_read(list), warnings: Vec::new() }));
    }

    #[test]
    fn what_was_exported_and_imported_is_exported_as_the_same_list(before in streams::kept()) {
        let list = before.list();
        prop_assume!(!list.is_empty());
        let after = super::kept(&write(&list));
        prop_assert_eq!(without_addresses(&after.list()), without_addresses(&list));
        prop_assert_eq!(anywhere(after.messages()), anywhere(before.messages()));
        let again = super::kept(&write(&after.list()));
        prop_assert_eq!(&again.stream, &after.stream);
        // That somebody was asked about a call, a list does not hold.
        let was_asked = before.stream.entries().any(|entry| {
            matches!(entry.event.kind, EventKind::InquiryRequest(_))
        });
        prop_assert!(was_asked || status(&after.stream) == status(&before.stream));
    }

    #[test]
    fn a_list_that_is_appended_message_by_message_is_the_same(before in streams::kept()) {
        let list = before.list();
        let mut progress = Progress::default();
        let mut events = Vec::new();
        let mut system = None;
        for listed in &list {
            let unrolled = super::events(std::slice::from_ref(listed), &progress, now()).unwrap();
            system = system.or(unrolled.system);
            for made in unrolled.events {
                progress.push(&made.event);
                events.push(Made { message: 0, ..made });
            }
        }
        let one_by_one = Kept::of(Unrolled { system, events, warnings: Vec::new() });
        prop_assert_eq!(without_addresses(&one_by_one.list()), without_addresses(&list));
    }

    #[test]
    fn what_is_written_fits_the_schema(kept in streams::kept()) {
        let validator = jsonschema::options().should_validate_formats(true).build(&schema());
        let json = write(&kept.list());
        prop_assume!(json != json!([]));
        let told = validator.unwrap().validate(&json).map_err(|error| error.to_string());
        prop_assert_eq!(told, Ok(()));
    }
}
