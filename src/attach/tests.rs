use std::{ffi::OsString, path::Path};

use super::*;
use crate::{
    env::Env,
    model::{Media, Timestamp},
    projection::Takes,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0";

struct World(tempfile::TempDir);

impl World {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        Self(directory)
    }

    fn gather_in(&self, cwd: &str, arguments: &[&str]) -> Result<Gathered, String> {
        let env = Env::fixed([], self.0.path().join(cwd), Timestamp::from_seconds(0));
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        let gatherer = Gatherer { env: &env, root: self.0.path() };
        gatherer
            .gather(&arguments, &mut &b"piped\n"[..])
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    fn told(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        self.gather_in("", arguments).map(|gathered| told(&gathered))
    }
}

/// Each in a line: what is put beside the request, and what is left out.
fn told(gathered: &Gathered) -> Vec<String> {
    let picked = gathered.picked.iter().map(|picked| {
        let attachment = &picked.attachment;
        let bytes = attachment.content.as_bytes().escape_ascii();
        format!("{} {} {bytes}", attachment.source, attachment.media_type.as_deref().unwrap())
    });
    let left_out = gathered.left_out.iter().map(|left| format!("- {} {}", left.source, left.kind));
    picked.chain(left_out).collect()
}

#[test]
fn files_are_told_apart_by_their_content() {
    let world = World::new(&[("a.png", b"no image"), ("b.txt", PNG), ("c", b"%PDF-1.7\xff")]);
    let expected = [
        "a.png text/plain no image",
        "b.txt image/png \\x89PNG\\r\\n\\x1a\\n\\x00",
        "c application/pdf %PDF-1.7\\xff",
        "- text/plain piped\\n",
    ];
    assert_eq!(world.told(&["a.png", "b.txt", "c", "-"]).unwrap(), expected);
}

#[test]
fn what_is_none_of_them_is_refused_and_all_problems_are_told() {
    let world = World::new(&[("a.bin", b"a\0b"), ("latin", b"gr\xf6\xdfer"), ("ok", b"ok")]);
    let accepted = "is neither text in UTF-8, nor an image (PNG, JPEG, GIF or WebP), nor a PDF \
                    document";
    let expected = format!(
        "`a.bin` {accepted}; `latin` {accepted}; there is no file or directory `none`; no file \
         matches `*.none`; files that git ignores do not count; `a{{b` is not a pattern: unclosed \
         alternate group; missing '}}' (maybe escape '{{' with '[{{]'?)"
    );
    let arguments = ["a.bin", "latin", "ok", "none", "*.none", "a{b"];
    assert_eq!(world.told(&arguments).unwrap_err(), expected);
}

#[test]
fn a_directory_stands_for_what_git_does_not_ignore() {
    let files: [(&str, &[u8]); 6] = [
        (".gitignore", b"*.o\n"),
        ("src/b.rs", b"b"),
        ("src/a/x.rs", b"x"),
        ("src/a.o", b"o"),
        ("src/logo", PNG),
        ("src/data", b"\0"),
    ];
    let world = World::new(&files);
    let expected = [
        "src/a/x.rs text/plain x",
        "src/b.rs text/plain b",
        "src/logo image/png \\x89PNG\\r\\n\\x1a\\n\\x00",
        "- src/data neither text nor image",
    ];
    assert_eq!(world.told(&["src"]).unwrap(), expected);
    let patterns = ["src/a/x.rs text/plain x", "src/b.rs text/plain b"];
    assert_eq!(world.told(&["src/**/*.rs"]).unwrap(), patterns);
    assert!(world.told(&["src/*.o"]).unwrap_err().contains("files that git ignores"));
    // Who names it wants it.
    assert_eq!(world.told(&["src/a.o"]).unwrap(), ["src/a.o text/plain o"]);
    let below = world.gather_in("src/a", &["../b.rs", "x.rs", "."]).unwrap();
    assert_eq!(told(&below), ["src/b.rs text/plain b", "src/a/x.rs text/plain x"]);
}

#[test]
fn the_same_file_is_taken_once() {
    let world = World::new(&[("a", b"a"), ("d/b", b"b")]);
    let told = world.told(&["a", "./a", "d/../a", "d", "d/b"]).unwrap();
    assert_eq!(told, ["a text/plain a", "d/b text/plain b"]);
}

#[test]
fn a_file_that_stands_for_a_pattern_too_is_itself() {
    let world = World::new(&[("a[1].txt", b"itself"), ("a1.txt", b"match")]);
    assert_eq!(world.told(&["a[1].txt"]).unwrap(), ["a[1].txt text/plain itself"]);
    assert_eq!(world.told(&["a[12].txt"]).unwrap(), ["a1.txt text/plain match"]);
}

#[test]
fn what_is_outside_of_the_workspace_is_named_from_the_top() {
    let world = World::new(&[("in/x", b"x"), ("out", b"y")]);
    let env = Env::fixed([], world.0.path().join("in"), Timestamp::from_seconds(0));
    let root = world.0.path().join("in");
    let gatherer = Gatherer { env: &env, root: &root };
    let arguments = ["x", "../out"].map(OsString::from);
    let gathered = gatherer.gather(&arguments, &mut std::io::empty()).unwrap();
    let sources: Vec<_> = gathered.picked.iter().map(|one| &one.attachment.source[..]).collect();
    let out = world.0.path().canonicalize().unwrap().join("out");
    assert_eq!(sources.iter().map(Path::new).collect::<Vec<_>>(), [Path::new("x"), &out]);
}

#[test]
fn too_many_and_too_large_is_told_with_numbers() {
    let names: Vec<_> = (0..=limits::FILES).map(|number| format!("many/{number:03}")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let world = World::new(&files);
    assert_eq!(
        world.told(&["many"]).unwrap_err(),
        "`many` stands for 201 files, and at most 200 are attached at once"
    );
    assert_eq!(world.told(&["many/0*"]).unwrap().len(), 100);
    let large = vec![b'x'; 3 << 20];
    let world = World::new(&[("d/a", &large), ("d/b", &large)]);
    assert_eq!(
        world.told(&["d"]).unwrap_err(),
        "`d` stands for 2 files of 6.0 MiB together, and at most 4 MiB are attached at once"
    );
    assert_eq!(world.told(&["d/a", "d/b"]).unwrap().len(), 2);
    let huge = vec![b'x'; (20 << 20) + 1];
    let world = World::new(&[("huge", &huge), ("a", &huge[1..]), ("b", &huge[1..])]);
    assert_eq!(
        world.told(&["huge"]).unwrap_err(),
        "`huge` is larger than 20 MiB, the most of one attachment"
    );
    assert_eq!(
        world.told(&["a", "b"]).unwrap_err(),
        "the attachments have 40.0 MiB together, and a request takes at most 32 MiB"
    );
}

#[test]
fn what_a_model_does_not_take_is_left_out_of_many_and_refused_by_name() {
    let world = World::new(&[("d/a", b"a"), ("d/b", PNG), ("c.pdf", b"%PDF-")]);
    let mut gathered = world.gather_in("", &["d"]).unwrap();
    assert!(gathered.is_more_than_text());
    gathered.sift(Takes::default(), "m/n").unwrap();
    assert_eq!(told(&gathered), ["d/a text/plain a", "- d/b an image"]);
    assert!(!gathered.is_more_than_text());
    let mut gathered = world.gather_in("", &["d/b", "c.pdf"]).unwrap();
    assert_eq!(gathered.picked[1].media, Media::Pdf);
    let errors = gathered.sift(Takes { images: true, pdf: false }, "m/n").unwrap_err();
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors, ["`c.pdf` is a PDF document, and `m/n` takes none"]);
}
