//! What it costs that a query runs in a process of its own, and that anybody may connect to it.

use std::{
    cell::Cell,
    io::Write,
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

use jp::{
    model::ConversationId,
    serve::{Connection, FromServer, Role, place},
};

use super::{
    Sizes,
    measure::{Contender, Outcome, contest, peak},
    page::{Page, Row},
    world::{Place, World, run, time_of},
};

/// What the process may add to a query.
const ALLOWED: Duration = Duration::from_millis(20);

/// The parts of an answer: it comes faster than from any model, and slowly enough for all to come.
const PARTS: usize = 1_500;

/// How many clients disturb a query, and by how much they may slow it.
const NUISANCES: usize = 100;
const SLOWER: f64 = 1.1;

/// The memory that a server may use whatever its clients do, in kB.
const MEMORY: f64 = 100_000.0;

/// What it costs to have a server, and what bad clients cost it.
pub fn serve(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("serve")?;
    alone_and_served(&place, sizes, page)?;
    disturbed(&place, sizes, page)
}

/// The same query with a server and without one, which the built-in guide answers at once.
fn alone_and_served(place: &Place, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let ask = |more: &[&str]| {
        let args = ["query", "--new", "--non-interactive", "--quiet", "How do I undo a change?"];
        time_of(place.jp(&[&args, more].concat()))
    };
    let contenders: [Contender<'_>; 2] =
        [Box::new(|| ask(&[])), Box::new(|| ask(&["--no-server"]))];
    let [served, alone] = contest(sizes.starts / 4, contenders)?;
    let allowed = ALLOWED + alone.p50();
    page.rows.push(Row {
        work: "query that runs in a server of its own, the whole of it".to_owned(),
        jp: served.show(),
        peer: format!("in the same process {}, and 20 ms", alone.show()),
        ratio: served.p50().as_secs_f64() / allowed.as_secs_f64(),
        bar: Some(1.0),
    });
    Ok(())
}

/// An answer with clients that do not read or talk nonsense, and without them.
fn disturbed(place: &Place, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let stream = Stream::write(place)?;
    let most = Cell::new(0.0_f64);
    let contenders: [Contender<'_>; 2] = [
        Box::new(|| {
            let (time, memory) = stream.play(place, NUISANCES)?;
            most.set(most.get().max(memory));
            Ok(time)
        }),
        Box::new(|| Ok(stream.play(place, 0)?.0)),
    ];
    let [disturbed, alone] = contest(sizes.reads / 4, contenders)?;
    page.rows.push(Row {
        work: format!(
            "answer of {PARTS} parts, one each millisecond, beside {NUISANCES} clients that do not \
             read or talk nonsense"
        ),
        jp: disturbed.show(),
        peer: format!("without them {}", alone.show()),
        ratio: disturbed.ratio(&alone),
        bar: Some(SLOWER),
    });
    page.rows.push(Row {
        work: "memory of that server at its peak".to_owned(),
        jp: format!("{:.1} MB", most.get() / 1e3),
        peer: format!("allowed: {:.0} MB", MEMORY / 1e3),
        ratio: most.get() / MEMORY,
        bar: Some(1.0),
    });
    Ok(())
}

/// An answer that is played from a script.
struct Stream {
    settings: [String; 2],
    last: String,
}

impl Stream {
    fn write(place: &Place) -> Outcome<Self> {
        let text: String = (0..PARTS).map(|part| format!("{part:05} ")).collect();
        let file = place.root.join("script.toml");
        let script = format!("[[answer]]\nchunk = 6\npause = 1\ntext = \"{text}\"\n");
        std::fs::File::create(&file)?.write_all(script.as_bytes())?;
        let settings = [
            "providers.play.api=\"script\"".to_owned(),
            format!("providers.play.file={:?}", file.to_str().ok_or("a path is no text")?),
        ];
        Ok(Self { settings, last: format!("{:05} ", PARTS - 1) })
    }

    /// Plays it; how long the query takes, and the memory of its server.
    fn play(&self, place: &Place, nuisances: usize) -> Outcome<(Duration, f64)> {
        let [api, file] = &self.settings;
        let ask = ["query", "--detach", "--new", "-c", api, "-c", file, "--model", "play/x", "Go"];
        let begin = Instant::now();
        let id: ConversationId = String::from_utf8(run(place.jp(&ask))?)?.trim().parse()?;
        let process = place.workspace.process_of(id).ok_or("the query was over too soon")?;
        let mut watcher =
            Connection::open(&process.socket, Role::Watcher)?.ok_or("the server is gone")?;
        let mut held: Vec<UnixStream> = Vec::new();
        let mut silent: Vec<Connection> = Vec::new();
        for number in 0..nuisances {
            let mut stream = place::connect(&process.socket)?;
            if number % 2 == 0 {
                // Whoever is refused is cut off while it talks.
                let _refused = stream.write_all(&[b'x'; 1 << 16]);
                held.push(stream);
            } else {
                silent.extend(Connection::greet(stream, Role::Watcher));
            }
        }
        let mut memory = 0.0;
        loop {
            match watcher.hear()? {
                FromServer::Text { text } if text.ends_with(&self.last) => {
                    memory = peak(process.process.pid)?;
                }
                FromServer::End(_) => return Ok((begin.elapsed(), memory)),
                _ => {}
            }
        }
    }
}
