//! Looks into conversations in a thread of its own: first whatever the screen shows, then all of
//! them in their order, so that they can be searched.

use std::{
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    super::prompt::Waker,
    item::{Content, Reader},
    pattern::folded,
    state::Arrival,
};

/// Bytes of each conversation that can be searched.
pub const CONTENT: usize = 64 << 10;

/// Bytes of all of them.
const CONTENTS: usize = 64 << 20;

/// How often contents are handed over.
const EVERY: Duration = Duration::from_millis(50);

/// Looks into conversations for as long as it lives.
pub struct Worker {
    shared: Arc<Shared>,
    arrivals: Receiver<Arrival>,
}

#[derive(Default)]
struct Shared {
    wanted: Mutex<Wanted>,
    is_new: Condvar,
}

/// What the screen shows and does not know.
#[derive(Default)]
struct Wanted {
    glances: Vec<usize>,
    preview: Option<usize>,
    is_over: bool,
}

impl Worker {
    /// Starts the thread, which opens what it reads from by itself, for so many conversations. The
    /// waker tells that something has arrived.
    pub fn start<R: Reader>(
        count: usize,
        open: impl FnOnce() -> Result<R, String> + Send + 'static,
        waker: Waker,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (sender, arrivals) = channel();
        let desk = Desk { shared: shared.clone(), sender, waker, has_glanced: vec![false; count] };
        thread::Builder::new().name("picker".to_owned()).spawn(move || match open() {
            Ok(mut reader) => desk.work(&mut reader),
            Err(why) => desk.refuse(&why),
        })?;
        Ok(Self { shared, arrivals })
    }

    /// What the screen shows and does not know, in the place of what it did not know before.
    pub fn want(&self, glances: Vec<usize>, preview: Option<usize>) {
        let mut wanted = self.shared.wanted();
        (wanted.glances, wanted.preview) = (glances, preview);
        self.shared.is_new.notify_one();
    }

    /// What has arrived.
    pub fn arrivals(&self) -> impl Iterator<Item = Arrival> {
        self.arrivals.try_iter()
    }
}

impl Drop for Worker {
    /// The thread ends by itself. Nobody waits for it.
    fn drop(&mut self) {
        self.shared.wanted().is_over = true;
        self.shared.is_new.notify_one();
    }
}

impl Shared {
    fn wanted(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the thread works.
struct Desk {
    shared: Arc<Shared>,
    sender: Sender<Arrival>,
    waker: Waker,
    has_glanced: Vec<bool>,
}

/// What is done next.
enum Job {
    Glance(usize),
    Preview(usize),
    /// Whatever can wait.
    Other,
    /// Nobody wants anything any more.
    Over,
}

impl Desk {
    fn work(mut self, reader: &mut impl Reader) {
        let mut contents = Contents::default();
        loop {
            match self.next_job() {
                Job::Over => return,
                Job::Glance(item) => {
                    self.has_glanced[item] = true;
                    self.hand_over(Arrival::Glance(item, reader.glance(item)));
                }
                Job::Preview(item) => {
                    self.hand_over(Arrival::Preview(item, reader.preview(item)));
                }
                Job::Other if contents.is_over => self.wait(),
                Job::Other => {
                    if let Some(item) = contents.next_of(self.has_glanced.len()) {
                        contents.take(item, reader.content(item, CONTENT));
                        self.has_glanced[item] = true;
                    }
                    if contents.is_due() {
                        self.hand_over(Arrival::Contents(std::mem::take(&mut contents.read)));
                    }
                    if contents.is_over {
                        self.hand_over(Arrival::Over);
                    }
                }
            }
        }
    }

    /// Tells of everything that it cannot be read.
    fn refuse(mut self, why: &str) {
        self.hand_over(Arrival::Over);
        loop {
            match self.next_job() {
                Job::Over => return,
                Job::Glance(item) => {
                    self.has_glanced[item] = true;
                    self.hand_over(Arrival::Glance(item, Err(why.to_owned())));
                }
                Job::Preview(item) => {
                    self.hand_over(Arrival::Preview(item, Err(why.to_owned())));
                }
                Job::Other => self.wait(),
            }
        }
    }

    fn next_job(&self) -> Job {
        let mut wanted = self.shared.wanted();
        if wanted.is_over {
            return Job::Over;
        }
        wanted.glances.retain(|item| !self.has_glanced[*item]);
        if let Some(item) = wanted.preview.take() {
            return Job::Preview(item);
        }
        if wanted.glances.is_empty() {
            return Job::Other;
        }
        Job::Glance(wanted.glances.remove(0))
    }

    /// Waits until somebody wants something.
    fn wait(&self) {
        let wanted = self.shared.wanted();
        let nothing = |wanted: &mut Wanted| {
            wanted.glances.retain(|item| !self.has_glanced[*item]);
            wanted.glances.is_empty() && wanted.preview.is_none() && !wanted.is_over
        };
        let _wanted = self.shared.is_new.wait_while(wanted, nothing);
    }

    fn hand_over(&self, arrival: Arrival) {
        // Nobody takes it when everything is over, and the next job says so.
        let _over = self.sender.send(arrival);
        self.waker.wake();
    }
}

/// Contents on their way.
#[derive(Default)]
struct Contents {
    next: usize,
    bytes: usize,
    read: Vec<(usize, Result<Content, String>)>,
    since: Option<Instant>,
    is_over: bool,
}

impl Contents {
    /// The next conversation to be read; `None` if no more are.
    fn next_of(&mut self, count: usize) -> Option<usize> {
        self.is_over = self.next >= count || self.bytes >= CONTENTS;
        let next = self.next;
        self.next += usize::from(!self.is_over);
        (!self.is_over).then_some(next)
    }

    fn take(&mut self, item: usize, read: Result<Content, String>) {
        let read = read.map(|Content { glance, text }| {
            let mut text = folded(&text);
            let fits = |at: &usize| text.is_char_boundary(*at);
            let end = (0..=CONTENT.min(text.len())).rev().find(fits).unwrap_or_default();
            text.truncate(end);
            text.shrink_to_fit();
            // For what a text takes beside its bytes, too.
            self.bytes += text.len() + 64;
            Content { glance, text }
        });
        self.read.push((item, read));
    }

    /// Whether what was read is handed over now.
    fn is_due(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let is_due = self.is_over || since.elapsed() >= EVERY;
        if is_due {
            self.since = None;
        }
        is_due && !self.read.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{super::prompt::Wake, item::Glance},
        *,
    };

    /// A reader that waits before it reads the first content, and tells when it is gone.
    struct Slow {
        may_go_on: Option<Receiver<()>>,
        content: String,
        gone: Sender<()>,
    }

    impl Reader for Slow {
        fn glance(&mut self, item: usize) -> Result<Glance, String> {
            Ok(Glance { opening: None, last: format!("last of {item}") })
        }

        fn preview(&mut self, item: usize) -> Result<String, String> {
            Ok(format!("preview of {item}"))
        }

        fn content(&mut self, item: usize, _: usize) -> Result<Content, String> {
            if let Some(may_go_on) = self.may_go_on.take() {
                may_go_on.recv().unwrap();
            }
            Ok(Content { glance: self.glance(item)?, text: self.content.clone() })
        }
    }

    impl Drop for Slow {
        fn drop(&mut self) {
            self.gone.send(()).unwrap();
        }
    }

    fn start(count: usize, content: &str) -> (Worker, Sender<()>, Receiver<()>) {
        let (go_on, may_go_on) = channel();
        let (gone, is_gone) = channel();
        let (may_go_on, content) = (Some(may_go_on), content.to_owned());
        let open = move || Ok(Slow { may_go_on, content, gone });
        let waker = Wake::new().unwrap().waker();
        (Worker::start(count, open, waker).unwrap(), go_on, is_gone)
    }

    #[test]
    fn what_the_screen_shows_comes_before_what_can_wait() {
        let (worker, go_on, is_gone) = start(9, "Said");
        worker.want(vec![7], Some(3));
        go_on.send(()).unwrap();
        let mut arrived = Vec::new();
        let mut read = 0;
        loop {
            match worker.arrivals.recv().unwrap() {
                Arrival::Glance(item, glance) => {
                    arrived.push(format!("{item}: {}", glance.unwrap().last));
                }
                Arrival::Preview(item, preview) => {
                    arrived.push(format!("{item}: {}", preview.unwrap()));
                }
                Arrival::Contents(contents) => {
                    for (_, content) in &contents {
                        assert_eq!(content.as_ref().unwrap().text, "said");
                    }
                    read += contents.len();
                }
                Arrival::Over => break,
            }
        }
        assert_eq!(
            (arrived, read),
            (vec!["3: preview of 3".to_owned(), "7: last of 7".to_owned()], 9)
        );
        // What is known already is not read again; another preview is.
        worker.want(vec![7], Some(4));
        let arrival = worker.arrivals.recv().unwrap();
        assert!(matches!(arrival, Arrival::Preview(4, Ok(_))), "{arrival:?}");
        drop(worker);
        is_gone.recv().unwrap();
    }

    #[test]
    fn no_more_is_kept_than_fits() {
        let (worker, go_on, _is_gone) = start(5000, &"x".repeat(CONTENT + 1));
        go_on.send(()).unwrap();
        let (mut read, mut bytes) = (0, 0);
        while let Arrival::Contents(contents) = worker.arrivals.recv().unwrap() {
            read += contents.len();
            bytes +=
                contents.iter().map(|(_, read)| read.as_ref().unwrap().text.len()).sum::<usize>();
        }
        assert!(read < 1100, "{read}");
        assert!(bytes <= CONTENTS + CONTENT, "{bytes}");
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let mut contents = Contents::default();
        let text = format!("{}É", "x".repeat(CONTENT - 1));
        contents.take(0, Ok(Content { glance: Glance::default(), text }));
        let (_, read) = contents.read.remove(0);
        assert_eq!(read.unwrap().text.len(), CONTENT - 1);
    }

    #[test]
    fn what_cannot_be_opened_is_told_for_each_that_is_shown() {
        let open = || Err::<Slow, _>("it is gone".to_owned());
        let waker = Wake::new().unwrap().waker();
        let worker = Worker::start(3, open, waker).unwrap();
        worker.want(vec![1, 2], None);
        assert!(matches!(worker.arrivals.recv().unwrap(), Arrival::Over));
        for item in [1, 2] {
            let arrival = worker.arrivals.recv().unwrap();
            let Arrival::Glance(which, Err(why)) = arrival else { panic!("{arrival:?}") };
            assert_eq!((which, why.as_str()), (item, "it is gone"));
        }
    }
}
