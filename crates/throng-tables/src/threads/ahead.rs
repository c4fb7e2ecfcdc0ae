//! What one thread makes while whoever takes it works on what came before.

use std::sync::mpsc::{Receiver as Taken, sync_channel};
use std::thread::JoinHandle;

use arrow::array::RecordBatch;
use futures::StreamExt;
use futures::stream;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::{died, start};
use crate::backend::Batches;
use crate::error::Result;

/// Batches that may be decoded before anybody asks for them: as many as are written at a time.
const READ_AHEAD: usize = 8;

/// Items that a thread takes from an iterator, in order. It ends at an error, or when nobody listens.
pub struct Ahead<T> {
    items: Taken<Result<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Ahead<T> {
    /// Starts to take items, of which so many may wait.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(
        waiting: usize,
        items: impl Iterator<Item = Result<T>> + Send + 'static,
    ) -> Result<Ahead<T>> {
        let (sender, taken) = sync_channel(waiting);
        let thread = start("reader", move || {
            for item in items {
                let failed = item.is_err();
                if sender.send(item).is_err() || failed {
                    return;
                }
            }
        })?;
        Ok(Ahead { items: taken, thread: Some(thread) })
    }
}

impl<T> Iterator for Ahead<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if let Ok(item) = self.items.recv() {
            return Some(item);
        }
        // Without this, a thread that died would look like the end of the file.
        self.thread.take()?.join().err().map(|_| Err(died()))
    }
}

/// The same for batches that a runtime waits for.
pub fn read_ahead(batches: impl Iterator<Item = Result<RecordBatch>> + Send + 'static) -> Batches {
    pass_on(move |sender| {
        for batch in batches {
            let failed = batch.is_err();
            if sender.blocking_send(batch).is_err() || failed {
                return;
            }
        }
    })
}

/// The batches that `read` sends, on a thread of its own. It may send nothing after an error, and ends when nobody
/// listens.
pub fn pass_on(read: impl FnOnce(Sender<Result<RecordBatch>>) + Send + 'static) -> Batches {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    match start("reader", move || read(sender)) {
        Ok(reader) => stream::unfold((receiver, Some(reader)), next).fuse().boxed(),
        Err(error) => stream::iter([Err(error)]).boxed(),
    }
}

type State = (Receiver<Result<RecordBatch>>, Option<JoinHandle<()>>);

async fn next((mut receiver, reader): State) -> Option<(Result<RecordBatch>, State)> {
    if let Some(batch) = receiver.recv().await {
        return Some((batch, (receiver, reader)));
    }
    // Without this, a reader that died would look like the end of the file.
    match reader?.join() {
        Ok(()) => None,
        Err(_) => Some((Err(died()), (receiver, None))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use arrow::datatypes::Schema;
    use futures::TryStreamExt;

    use super::*;
    use crate::error::EngineError;

    fn empty() -> RecordBatch {
        RecordBatch::new_empty(Arc::new(Schema::empty()))
    }

    #[tokio::test]
    async fn a_reader_that_died_is_not_the_end() {
        let batches = (0..3).map(|at| if at < 2 { Ok(empty()) } else { panic!("this reader dies") });
        let mut read = read_ahead(batches);
        assert!(read.next().await.unwrap().is_ok() && read.next().await.unwrap().is_ok());
        assert!(matches!(read.next().await, Some(Err(EngineError::Data(_)))));
        assert!(read.next().await.is_none());
        let read: Vec<RecordBatch> = read_ahead((0..9).map(|_| Ok(empty()))).try_collect().await.unwrap();
        assert_eq!(read.len(), 9);
    }

    #[test]
    fn the_same_without_a_runtime() {
        let mut taken =
            Ahead::start(1, (0..3).map(|at| if at < 2 { Ok(at) } else { panic!("this one dies") }));
        let taken = taken.as_mut().unwrap();
        assert!(matches!((taken.next(), taken.next()), (Some(Ok(0)), Some(Ok(1)))));
        assert!(matches!(taken.next(), Some(Err(EngineError::Data(_)))));
        assert!(taken.next().is_none());
        let failed = [Ok(1), Err(EngineError::Interrupted), Ok(2)];
        let ended: Vec<bool> =
            Ahead::start(4, failed.into_iter()).unwrap().map(|item| item.is_ok()).collect();
        assert_eq!(ended, [true, false]);
    }

    #[tokio::test]
    async fn nobody_listening_ends_it() {
        let taken = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&taken);
        let mut read = read_ahead(std::iter::repeat_with(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(empty())
        }));
        assert!(read.next().await.unwrap().is_ok());
        drop(read);
        // The reader holds the counter as long as it runs.
        while Arc::strong_count(&taken) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(taken.load(Ordering::Relaxed) <= READ_AHEAD + 3);
    }
}
