//! JSON Schemas of everything that people edit, generated from the types that read it.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    event::Form,
    header::{
        AttachmentHeader, BlockHeader, Common, Header, InquiryRequestHeader, InquiryResponseHeader,
        RequestHeader, ToolCallHeader, ToolResultHeader,
    },
    meta::MetaTable,
    toml_event::{CompactionTable, EventTable, ToolStartTable},
};
use crate::model::EventType;

/// A schema and the name of its file without `.schema.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// What it describes: the name of an event type, `frontmatter`, or `meta`.
    pub name: &'static str,
    /// The schema.
    pub json: Value,
}

impl Schema {
    /// The bytes of its file.
    pub fn to_text(&self) -> String {
        format!("{:#}\n", self.json)
    }
}

/// The schemas of the frontmatter or table of each event type, of any frontmatter, and of
/// `meta.toml`.
pub fn schemas() -> Vec<Schema> {
    let events = EventType::ALL
        .map(|event_type| Schema { name: event_type.name(), json: event_schema(event_type) });
    let any = Schema { name: "frontmatter", json: titled("frontmatter", any_frontmatter()) };
    let meta = Schema { name: "meta", json: titled("meta.toml", generated::<MetaTable>()) };
    events.into_iter().chain([any, meta]).collect()
}

fn event_schema(event_type: EventType) -> Value {
    let own = match event_type {
        EventType::Request => frontmatter::<RequestHeader>(event_type),
        EventType::Message | EventType::Reasoning | EventType::Structured => {
            frontmatter::<BlockHeader>(event_type)
        }
        EventType::ToolCall => frontmatter::<ToolCallHeader>(event_type),
        EventType::ToolResult => frontmatter::<ToolResultHeader>(event_type),
        EventType::InquiryRequest => frontmatter::<InquiryRequestHeader>(event_type),
        EventType::InquiryResponse => frontmatter::<InquiryResponseHeader>(event_type),
        EventType::Attachment => frontmatter::<AttachmentHeader>(event_type),
        EventType::ConfigDelta => table(event_type, json!({"type": "object"})),
        EventType::Compaction => table(event_type, generated::<CompactionTable>()),
        EventType::ToolStart => table(event_type, generated::<ToolStartTable>()),
    };
    titled(event_type.name(), own)
}

/// The schema of a frontmatter: the keys of the type, then those of every event.
fn frontmatter<H: Header>(event_type: EventType) -> Value {
    let mut schema = generated::<H>();
    let common = generated::<Common>();
    let mut properties = Map::new();
    properties.insert("type".to_owned(), json!({"const": event_type.name()}));
    for part in [&schema, &common] {
        if let Some(Value::Object(own)) = part.get("properties") {
            properties.extend(own.clone());
        }
    }
    let mut required = vec![Value::from("type")];
    if let Some(Value::Array(own)) = schema.get("required") {
        required.extend(own.iter().cloned());
    }
    schema["properties"] = Value::Object(properties);
    schema["required"] = Value::Array(required);
    merge_definitions(&mut schema, &common);
    schema
}

/// The schema of the frontmatter of any event: which type it has, and then the keys of that type.
///
/// It branches by conditions, because editors follow them: they complete the type, then the keys
/// of that type alone, and tell one mistake instead of one for each type.
fn any_frontmatter() -> Value {
    let types = EventType::ALL.into_iter().filter(|of| Form::of_type(*of) == Form::Markdown);
    let names: Vec<_> = types.clone().map(EventType::name).collect();
    let mut properties = Map::new();
    properties
        .insert("type".to_owned(), json!({"enum": names, "description": "The type of the event."}));
    if let Some(Value::Object(common)) = generated::<Common>().get("properties") {
        properties.extend(common.clone());
    }
    let mut definitions = Map::new();
    let mut branches = Vec::new();
    for event_type in types {
        let name = event_type.name();
        let mut own = event_schema(event_type);
        if let Value::Object(own) = &mut own {
            own.remove("$schema");
            if let Some(Value::Object(shared)) = own.remove("$defs") {
                definitions.extend(shared);
            }
        }
        definitions.insert(name.to_owned(), own);
        branches.push(json!({
            "if": {
                "type": "object",
                "properties": {"type": {"const": name}},
                "required": ["type"],
            },
            "then": {"$ref": format!("#/$defs/{name}")},
        }));
    }
    json!({
        "type": "object",
        "description": "The frontmatter of an event.",
        "properties": properties,
        "required": ["type"],
        "allOf": branches,
        "$defs": definitions,
    })
}

/// The schema of a TOML event: its content, and the table `event`.
fn table(event_type: EventType, mut schema: Value) -> Value {
    let mut event = generated::<EventTable>();
    event["properties"]["type"] = json!({"const": event_type.name()});
    let definitions = event.as_object_mut().and_then(|event| event.remove("$defs"));
    if let Some(definitions) = definitions {
        merge_definitions(&mut schema, &json!({"$defs": definitions}));
    }
    if schema.get("properties").is_none() {
        schema["properties"] = json!({});
    }
    schema["properties"]["event"] = event;
    schema
}

fn merge_definitions(schema: &mut Value, other: &Value) {
    if let Some(Value::Object(definitions)) = other.get("$defs") {
        for (name, definition) in definitions {
            schema["$defs"][name] = definition.clone();
        }
    }
}

fn generated<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut value = generator.into_root_schema_for::<T>().to_value();
    if let Value::Object(map) = &mut value {
        map.remove("$schema");
        map.remove("title");
    }
    value
}

fn titled(title: &str, schema: Value) -> Value {
    let mut titled = Map::new();
    titled.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    titled.insert("title".to_owned(), json!(title));
    if let Value::Object(own) = schema {
        titled.extend(own);
    }
    Value::Object(titled)
}
