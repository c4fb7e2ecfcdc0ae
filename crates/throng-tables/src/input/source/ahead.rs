//! Decodes a file while the rows before are worked on.

use std::thread::{Builder, JoinHandle};

use arrow::array::RecordBatch;
use futures::StreamExt;
use futures::stream;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::Batches;
use crate::error::{EngineError, Result};

/// Batches that may be decoded before anybody asks for them: as many as are written at a time.
const READ_AHEAD: usize = 8;

/// Takes the batches on a thread of their own. It ends at an error, or when nobody listens.
///
/// Not on one of the runtime's: where the system allows no more threads, that would wait for one for ever.
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
    match Builder::new().name("reader".to_owned()).spawn(move || read(sender)) {
        Ok(reader) => stream::unfold((receiver, Some(reader)), next).fuse().boxed(),
        Err(cause) => {
            let failed = EngineError::Data(format!("cannot start a thread to read: {cause}").into());
            stream::iter([Err(failed)]).boxed()
        }
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
        Err(_) => {
            let died = EngineError::Data("reading stopped unexpectedly".into());
            Some((Err(died), (receiver, None)))
        }
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
