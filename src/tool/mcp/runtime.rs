//! The one thread in which the protocol is spoken.

use std::{io, thread};

use tokio::{
    runtime::{Builder, Handle},
    sync::oneshot,
};

/// An async runtime of one thread. It ends when this is dropped.
pub(super) struct Runtime {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Runtime {
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("mcp".to_owned()).spawn(move || {
            // Whether it was told to or whoever would tell it is gone, it is over.
            let _over = runtime.block_on(stopped);
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, stop: Some(stop), thread: Some(thread) })
    }

    /// What starts tasks in it, from any thread.
    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It panicked: whoever waited for it knows already.
            let _panicked = thread.join();
        }
    }
}
