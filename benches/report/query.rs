//! What jp adds to a query: the time until the server hears of it, memory, and the pace of a
//! stream.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use super::{
    Sizes,
    append::{begin, thousands},
    events::Author,
    measure::{Contender, Outcome, contest, milliseconds, peak, timed},
    page::{Page, Row},
    world::{Place, World},
};

/// What a query may take beside one durable commit.
const ALLOWED: Duration = Duration::from_millis(50);

/// The memory that a query may use, in kB.
const MEMORY: f64 = 50_000.0;

/// The chunks per second that a query has to keep up with.
const PACE: f64 = 1_000.0;

/// Chunks that are sent as fast as they can be read.
const CHUNKS: usize = 20_000;

/// What a query was seen to take.
struct Seen {
    until_asked: Duration,
    /// From the first chunk to the end of the process.
    streaming: Duration,
    /// The most memory that it used, in kB.
    memory: f64,
}

/// Queries against a server on this machine.
pub fn query(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("query")?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut author = Author::new(20);
    let mut guard = begin(&place, &mut author, 1)?;
    let rounds = sizes.starts / 4;
    let contenders: [Contender<'_>; 2] = [
        Box::new(|| Ok(ask(&place, &listener, &["--new"], 1)?.until_asked)),
        Box::new(|| {
            let drafts = author.drafts(1);
            timed(|| Ok(place.workspace.append(&mut guard, &drafts)?))
        }),
    ];
    let [asked, append] = contest(rounds, contenders)?;
    let allowed = ALLOWED + append.p50();
    page.rows.push(Row {
        work: "query, from the start of jp to the first byte at the server".to_owned(),
        jp: asked.show(),
        peer: format!(
            "{} ms and a durable append: {} ms",
            ALLOWED.as_millis(),
            milliseconds(allowed)
        ),
        ratio: asked.p50().as_secs_f64() / allowed.as_secs_f64(),
        bar: Some(1.0),
    });
    let seen = ask(&place, &listener, &["--new"], CHUNKS)?;
    #[expect(clippy::cast_precision_loss, reason = "the number is small")]
    let pace = CHUNKS as f64 / seen.streaming.as_secs_f64();
    page.rows.push(Row {
        work: format!("stream of {} chunks, as fast as it is read", thousands(CHUNKS)),
        jp: format!("{pace:.0} chunks/s"),
        peer: format!("wanted: {PACE:.0} chunks/s"),
        ratio: PACE / pace,
        bar: Some(1.0),
    });
    page.rows.push(Row {
        work: "memory of that query at its peak, client and server".to_owned(),
        jp: format!("{:.1} MB", seen.memory / 1e3),
        peer: format!("allowed: {:.0} MB", MEMORY / 1e3),
        ratio: seen.memory / MEMORY,
        bar: Some(1.0),
    });
    Ok(())
}

/// Asks once, and answers with so many chunks.
fn ask(place: &Place, listener: &TcpListener, args: &[&str], chunks: usize) -> Outcome<Seen> {
    let base = format!("http://{}/v1", listener.local_addr()?);
    let mut command = place.jp(&["query", "--model", "openai/bench", "--quiet", "Hello"]);
    command.args(args).env("OPENAI_BASE_URL", base);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let (mut stream, _) = listener.accept()?;
    let until_asked = hear(&mut stream, begin)?;
    let begin = Instant::now();
    let memory = answer(&mut stream, &child, chunks)?;
    drop(stream);
    let status = child.wait()?;
    if !status.success() {
        return Err(format!("the query ended with {status}").into());
    }
    Ok(Seen { until_asked, streaming: begin.elapsed(), memory })
}

/// Reads the request, and tells when its first byte came.
fn hear(stream: &mut TcpStream, begin: Instant) -> Outcome<Duration> {
    stream.peek(&mut [0])?;
    let until_asked = begin.elapsed();
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    Ok(until_asked)
}

/// Sends the answer, and tells how much memory the query has used by then.
fn answer(stream: &mut TcpStream, child: &Child, chunks: usize) -> Outcome<f64> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    )?;
    for number in 0..chunks {
        let text = if number % 12 == 11 { "a line.\\n\\n" } else { "some words " };
        writeln!(stream, "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n")?;
    }
    // Everything has been read but what is in the buffers of the system.
    let memory = peak_of_both(child)?;
    stream.write_all(
        b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    )?;
    Ok(memory)
}

/// The most memory that a command and the server that it has started have used together, in kB.
fn peak_of_both(child: &Child) -> Outcome<f64> {
    let pid = child.id();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    let mut memory = peak(pid)?;
    for server in children.split_whitespace() {
        memory += peak(server.parse()?)?;
    }
    Ok(memory)
}
