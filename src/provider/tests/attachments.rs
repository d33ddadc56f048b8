//! What each service gets of attachments: everything where it is taken, and the truth where not.

use serde_json::{Value, json};

use super::query;
use crate::{
    model::Attachment,
    projection::{Role, Takes},
    provider::{Query, anthropic, ollama, openai},
};

const HELLO: &str = "<attachment-5891b5b5 source=\"a.txt\" type=\"text/plain\">\nhello\n\
                     </attachment-5891b5b5>";
const IMAGE: &str = "<attachment-843ac23b source=\"b.png\" type=\"image/png\" />";
const DOCUMENT: &str = "<attachment-e5c62df5 source=\"c.pdf\" type=\"application/pdf\" />";
const NO_IMAGE: &str = "<attachment-843ac23b source=\"b.png\" type=\"image/png\">\n(an image of 9 \
                        bytes that is not shown: no images are taken)\n</attachment-843ac23b>";
const NO_DOCUMENT: &str = "<attachment-e5c62df5 source=\"c.pdf\" type=\"application/pdf\">\n(a \
                           document of 9 bytes that is not shown: no PDF is taken)\n\
                           </attachment-e5c62df5>";
const PNG: &str = "iVBORw0KGgoA";
const PDF: &str = "JVBERi0xLjQK";

fn asking(images: bool, pdf: bool) -> Query {
    let attachment = |source: &str, media_type: &str, content: &[u8]| Attachment {
        source: source.to_owned(),
        media_type: Some(media_type.to_owned()),
        content: content.to_vec().into(),
    };
    let attachments = vec![
        attachment("a.txt", "text/plain", b"hello\n"),
        attachment("b.png", "image/png", b"\x89PNG\r\n\x1a\n\0"),
        attachment("c.pdf", "application/pdf", b"%PDF-1.4\n"),
    ];
    let mut query = query(vec![Role::User { content: "What is this?".into(), attachments }]);
    query.takes = Takes { images, pdf };
    query
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[test]
fn anthropic_gets_images_and_documents_as_blocks() {
    let asked = json!({
        "type": "text", "text": "What is this?", "cache_control": { "type": "ephemeral" },
    });
    let image = json!({
        "type": "image",
        "source": { "type": "base64", "media_type": "image/png", "data": PNG },
    });
    let document = json!({
        "type": "document",
        "source": { "type": "base64", "media_type": "application/pdf", "data": PDF },
    });
    let content = [text(HELLO), text(IMAGE), image, text(DOCUMENT), document, asked.clone()];
    let expected = json!([{ "role": "user", "content": content }]);
    assert_eq!(anthropic::encode(&asking(true, true)).to_value()["messages"], expected);
    let content = [text(HELLO), text(NO_IMAGE), text(NO_DOCUMENT), asked];
    let expected = json!([{ "role": "user", "content": content }]);
    assert_eq!(anthropic::encode(&asking(false, false)).to_value()["messages"], expected);
}

#[test]
fn openai_gets_images_and_documents_as_addresses_that_hold_them() {
    let encode = |query: &Query| openai::encode(query, &openai::Dialect::COMMON).to_value();
    let image = format!("data:image/png;base64,{PNG}");
    let image = json!({ "type": "image_url", "image_url": { "url": image } });
    let document = format!("data:application/pdf;base64,{PDF}");
    let document =
        json!({ "type": "file", "file": { "filename": "c.pdf", "file_data": document } });
    let asked = text("What is this?");
    let content =
        [text(HELLO), text(IMAGE), image.clone(), text(DOCUMENT), document, asked.clone()];
    let expected = json!([{ "role": "user", "content": content }]);
    assert_eq!(encode(&asking(true, true))["messages"], expected);
    let content = [text(HELLO), text(IMAGE), image, text(NO_DOCUMENT), asked];
    let expected = json!([{ "role": "user", "content": content }]);
    assert_eq!(encode(&asking(true, false))["messages"], expected);
    let content = format!("{HELLO}\n\n{NO_IMAGE}\n\n{NO_DOCUMENT}\n\nWhat is this?");
    let expected = json!([{ "role": "user", "content": content }]);
    assert_eq!(encode(&asking(false, false))["messages"], expected);
}

#[test]
fn ollama_gets_images_beside_the_text() {
    let content = format!("{HELLO}\n\n{IMAGE}\n\n{NO_DOCUMENT}\n\nWhat is this?");
    let expected = json!([{ "role": "user", "content": content, "images": [PNG] }]);
    assert_eq!(ollama::encode(&asking(true, false)).to_value()["messages"], expected);
    let content = format!("{HELLO}\n\n{NO_IMAGE}\n\n{NO_DOCUMENT}\n\nWhat is this?");
    let expected = json!([{ "role": "user", "content": content }]);
    assert_eq!(ollama::encode(&asking(false, false)).to_value()["messages"], expected);
}
