//! What it costs that a query runs in a process of its own.

use std::time::Duration;

use super::{
    Sizes,
    measure::{Contender, Outcome, contest},
    page::{Page, Row},
    world::{World, time_of},
};

/// What the process may add to a query.
const ALLOWED: Duration = Duration::from_millis(20);

/// The same query with a server and without one, which the built-in guide answers at once.
pub fn serve(world: &World, sizes: &Sizes, page: &mut Page) -> Outcome<()> {
    let place = world.workspace("serve")?;
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
