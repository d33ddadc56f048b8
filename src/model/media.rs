//! What content is, told by its bytes and not by a name.

/// What content is, of the kinds that a model may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// Text in UTF-8.
    Text,
    /// An image, with its media type.
    Image(&'static str),
    /// A PDF document.
    Pdf,
}

const PDF: &str = "application/pdf";

impl Media {
    /// Tells what bytes are; `None` if they are nothing that a model may be shown.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() {
            return Some(Self::Text);
        }
        let image = match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => return None,
        };
        Some(Self::Image(image))
    }

    /// Its media type, where nobody knows it better.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain",
            Self::Image(media_type) => media_type,
            Self::Pdf => PDF,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_told_by_its_bytes() {
        let cases: [(&[u8], Option<Media>); 13] = [
            (b"", Some(Media::Text)),
            ("größer\n".as_bytes(), Some(Media::Text)),
            (b"<svg/>", Some(Media::Text)),
            (b"GIF89a is how an image begins", Some(Media::Text)),
            (b"\x89PNG\r\n\x1a\n\0\0", Some(Media::Image("image/png"))),
            (b"\xff\xd8\xff\xe0", Some(Media::Image("image/jpeg"))),
            (b"GIF89a\x01\0\x01\0", Some(Media::Image("image/gif"))),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some(Media::Image("image/webp"))),
            (b"%PDF-1.7\n%\xe2\xe3", Some(Media::Pdf)),
            (b"%PDF-1.4 in letters only", Some(Media::Pdf)),
            (b"RIFF\x24\0\0\0WAVEfmt ", None),
            (b"a\0b", None),
            (b"gr\xf6\xdfer", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Media::of(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn each_kind_has_a_media_type() {
        assert_eq!(Media::Text.media_type(), "text/plain");
        assert_eq!(Media::Image("image/gif").media_type(), "image/gif");
        assert_eq!(Media::Pdf.media_type(), "application/pdf");
    }
}
