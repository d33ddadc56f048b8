//! A file to start from for each type of event: everything that it needs, and remarks about what
//! it may have.

use crate::model::EventType;

/// The file to start from.
pub fn template(event_type: EventType) -> &'static str {
    match event_type {
        EventType::Request => include_str!("../../templates/events/request.md"),
        EventType::Message => include_str!("../../templates/events/message.md"),
        EventType::Reasoning => include_str!("../../templates/events/reasoning.md"),
        EventType::Structured => include_str!("../../templates/events/structured.md"),
        EventType::ToolCall => include_str!("../../templates/events/tool-call.md"),
        EventType::ToolStart => include_str!("../../templates/events/tool-start.toml"),
        EventType::ToolResult => include_str!("../../templates/events/tool-result.md"),
        EventType::InquiryRequest => include_str!("../../templates/events/inquiry-request.md"),
        EventType::InquiryResponse => include_str!("../../templates/events/inquiry-response.md"),
        EventType::Attachment => include_str!("../../templates/events/attachment.md"),
        EventType::ConfigDelta => include_str!("../../templates/events/config-delta.toml"),
        EventType::Compaction => include_str!("../../templates/events/compaction.toml"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        format::{Decoded, Form, decode, with_call_id},
        model::Timestamp,
    };

    fn read(event_type: EventType, text: &str) -> Decoded {
        let form = Form::of_type(event_type);
        let bytes = with_call_id(text.as_bytes().to_vec(), form, || "call-1".to_owned());
        let decoded = decode(&bytes, form, None, Timestamp::from_seconds(0));
        let decoded = decoded.unwrap_or_else(|flaws| panic!("{event_type}: {flaws:?}\n{text}"));
        assert_eq!(decoded.event.event_type(), event_type);
        decoded
    }

    #[test]
    fn every_template_is_an_event_of_its_type_without_a_time() {
        for event_type in EventType::ALL {
            let decoded = read(event_type, template(event_type));
            assert!(decoded.has_type && !decoded.has_timestamp, "{event_type}");
            assert!(decoded.event.extra.is_empty() && decoded.event.metadata.is_empty());
        }
    }

    /// Whether a remark is a key with a value, or the name of a table.
    fn is_offer(remark: &str) -> bool {
        let rest = remark.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '_');
        let is_key = rest.len() < remark.len() && [": ", " = "].iter().any(|s| rest.starts_with(s));
        is_key || remark.starts_with('[')
    }

    #[test]
    fn what_is_offered_in_a_remark_can_be_taken() {
        // These go with another body, or with another type of answer.
        const APART: [&str; 2] = ["encoding: ", "options: "];
        for event_type in EventType::ALL {
            let line = |line: &'static str| {
                let indent = line.len() - line.trim_start().len();
                let offered = line[indent..].strip_prefix("# ").filter(|line| is_offer(line));
                let offered = offered.filter(|line| !APART.iter().any(|key| line.starts_with(key)));
                format!("{}{}", &line[..indent], offered.unwrap_or(&line[indent..]))
            };
            let text: Vec<_> = template(event_type).lines().map(line).collect();
            let decoded = read(event_type, &text.join("\n"));
            assert!(decoded.has_timestamp, "{event_type}");
            assert!(decoded.event.extra.is_empty(), "{event_type}: {:?}", decoded.event.extra);
        }
    }

    #[test]
    fn the_options_of_a_question_are_offered_as_they_are_written() {
        let text = template(EventType::InquiryRequest);
        let text = text.replace("type: boolean", "type: select").replace("# options", "options");
        read(EventType::InquiryRequest, &text);
    }
}
