//! Reads what was named, and tells what it is.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    path::Path,
};

use super::{
    AttachError, limits, name,
    pattern::Pattern,
    source::{Source, shown},
};
use crate::{
    env::Env,
    fsutil::AtPath,
    model::{Attachment, Media},
    projection::Takes,
    provider::{Fetch, Fetched},
    walk::{Found, files_below},
};

/// Somebody who reads what was named.
#[derive(Clone, Copy, Debug)]
pub struct Gatherer<'a> {
    /// The world.
    pub env: &'a Env,
    /// The directory that sources are named from.
    pub root: &'a Path,
}

/// What was gathered.
#[derive(Debug, Default)]
pub struct Gathered {
    /// What is put beside the request, in the order in which it was named.
    pub picked: Vec<Picked>,
    /// Files of directories and patterns that cannot be.
    pub left_out: Vec<LeftOut>,
}

/// Something that is put beside the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// It.
    pub attachment: Attachment,
    /// What its content is.
    pub media: Media,
    /// Whether it was named itself, and not as one of many.
    pub named: bool,
}

/// A file that was one of many and is not put beside the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it is.
    pub source: String,
    /// What it is.
    pub kind: &'static str,
}

impl Gatherer<'_> {
    /// Reads everything that was named. If anything fails there is nothing but what failed.
    pub fn gather(
        &self,
        arguments: &[OsString],
        stdin: &mut dyn Read,
    ) -> Result<Gathered, Vec<AttachError>> {
        let mut gathered = Gathered::default();
        let mut known = HashSet::new();
        let mut errors = Vec::new();
        for argument in arguments {
            match self.read(argument, stdin, &mut known) {
                Ok(more) => {
                    gathered.picked.extend(more.picked);
                    gathered.left_out.extend(more.left_out);
                }
                Err(error) => errors.push(error),
            }
        }
        let total = gathered.picked.iter().map(Picked::size).sum();
        if total > limits::TOTAL {
            errors.push(AttachError::TooMuch(total));
        }
        if errors.is_empty() { Ok(gathered) } else { Err(errors) }
    }

    fn read(
        &self,
        argument: &OsStr,
        stdin: &mut dyn Read,
        known: &mut HashSet<String>,
    ) -> Result<Gathered, AttachError> {
        let single = |source: String, media_type: Option<String>, bytes: Vec<u8>| {
            let picked = pick(source.clone(), media_type, bytes, true);
            Ok(picked.ok_or(AttachError::Unknown(source))?.alone())
        };
        match Source::find(argument, self.env.cwd())? {
            Source::Stdin => {
                let bytes = read_up_to(stdin).map_err(AttachError::Stdin)?;
                let bytes = bytes.ok_or_else(|| AttachError::TooLarge("-".to_owned()))?;
                single("-".to_owned(), None, bytes)
            }
            Source::Address(address) => {
                let fetch = Fetch {
                    time: limits::TIME,
                    largest: limits::LARGEST,
                    redirects: limits::REDIRECTS,
                };
                let Fetched { media_type, bytes } = fetch.fetch(&address, self.env)?;
                single(address, media_type, bytes)
            }
            Source::File(path) => {
                let source = name::of_file(&path, self.root);
                if !known.insert(source.clone()) {
                    return Ok(Gathered::default());
                }
                let bytes = read_file(&path)?;
                let bytes = bytes.ok_or_else(|| AttachError::TooLarge(source.clone()))?;
                single(source, None, bytes)
            }
            Source::Directory(path) => {
                let found = files_below(&path, limits::COUNTED)?;
                self.read_many(shown(argument), found, known)
            }
            Source::Pattern(pattern) => {
                let named = shown(argument);
                let found = self.matching(&named, &pattern)?;
                if found.is_empty() {
                    return Err(AttachError::NoMatch(named));
                }
                self.read_many(named, found, known)
            }
        }
    }

    /// The files that a pattern stands for.
    fn matching(&self, named: &str, pattern: &Pattern) -> Result<Vec<Found>, AttachError> {
        let base = self.env.cwd().join(&pattern.base);
        if !base.is_dir() {
            return Ok(Vec::new());
        }
        let mut found = files_below(&base, limits::COUNTED)?;
        if found.len() == limits::COUNTED {
            return Err(AttachError::TooMany { name: named.to_owned(), count: found.len() });
        }
        found.retain(|file| file.path.strip_prefix(&base).is_ok_and(|path| pattern.matches(path)));
        Ok(found)
    }

    fn read_many(
        &self,
        name: String,
        found: Vec<Found>,
        known: &mut HashSet<String>,
    ) -> Result<Gathered, AttachError> {
        let count = found.len();
        let bytes = found.iter().map(|file| file.size).sum();
        if count > limits::FILES {
            return Err(AttachError::TooMany { name, count });
        }
        if bytes > limits::MANY {
            return Err(AttachError::TooManyBytes { name, count, bytes });
        }
        let mut gathered = Gathered::default();
        for Found { path, .. } in found {
            let source = name::of_file(&path, self.root);
            // What was named before may be among them, too.
            let is_new = known.insert(source.clone());
            let bytes = read_file(&path)?;
            let bytes = bytes.ok_or_else(|| AttachError::TooLarge(source.clone()))?;
            match pick(source.clone(), None, bytes, false) {
                Some(picked) if is_new => gathered.picked.push(picked),
                Some(_) => {}
                None => gathered.left_out.push(LeftOut { source, kind: "neither text nor image" }),
            }
        }
        match gathered.left_out.len() == count {
            true if count == 0 => Err(AttachError::Empty(name)),
            true => Err(AttachError::Unknown(name)),
            false => Ok(gathered),
        }
    }
}

impl Gathered {
    /// Whether anything in it is more than text.
    pub fn is_more_than_text(&self) -> bool {
        self.picked.iter().any(|picked| picked.media != Media::Text)
    }

    /// Leaves out what a model does not take; what was named itself must not be left out.
    pub fn sift(&mut self, takes: Takes, model: &str) -> Result<(), Vec<AttachError>> {
        let mut errors = Vec::new();
        for Picked { attachment, media, named } in std::mem::take(&mut self.picked) {
            if takes.takes(media) {
                self.picked.push(Picked { attachment, media, named });
                continue;
            }
            let kind = match media {
                Media::Image(_) => "an image",
                Media::Pdf | Media::Text => "a PDF document",
            };
            let source = attachment.source;
            match named {
                true => {
                    let model = model.to_owned();
                    errors.push(AttachError::NotTaken { source_name: source, kind, model });
                }
                false => self.left_out.push(LeftOut { source, kind }),
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Picked {
    fn size(&self) -> u64 {
        self.attachment.content.as_bytes().len() as u64
    }

    fn alone(self) -> Gathered {
        Gathered { picked: vec![self], left_out: Vec::new() }
    }
}

/// What bytes are; a server may know better what kind of text it sends.
fn pick(source: String, media_type: Option<String>, bytes: Vec<u8>, named: bool) -> Option<Picked> {
    let media = Media::of(&bytes)?;
    let own = media.media_type().to_owned();
    let media_type = match media {
        Media::Text => media_type.unwrap_or(own),
        Media::Image(_) | Media::Pdf => own,
    };
    let attachment = Attachment { source, media_type: Some(media_type), content: bytes.into() };
    Some(Picked { attachment, media, named })
}

fn read_file(path: &Path) -> Result<Option<Vec<u8>>, AttachError> {
    let file = File::open(path).at("open", path)?;
    Ok(read_up_to(file).at("read", path)?)
}

/// All of it; nothing if it is larger than one attachment may be.
fn read_up_to(from: impl Read) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(limits::LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= limits::LARGEST))
}
