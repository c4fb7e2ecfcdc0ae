//! Work that takes a while and that somebody asked for: done beside the answer, so that no click waits for it. What it found
//! is kept in a file, and pages ask whether it is there.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use throng_engine::error::{EngineError, Result};
use throng_engine::progress::Progress;

use crate::app::App;
use crate::failure::Failure;
use crate::{store, words};

/// How long such work may take.
const MOST_TIME: Duration = Duration::from_secs(600);

/// Begins work whose result goes into `file`; nothing if it is being done already.
pub(crate) fn begin<T, F>(app: &Arc<App>, file: PathBuf, work: impl FnOnce(Deadline) -> F + Send + 'static)
where
    T: Serialize + Send + 'static,
    F: Future<Output = Result<T>>,
{
    if !app.begin(file.clone()) {
        return;
    }
    let _ = std::fs::remove_file(failure_of(&file));
    let app = Arc::clone(app);
    tokio::spawn(async move {
        let begun = move || work(Deadline(Instant::now() + MOST_TIME));
        let found = app.engine.task(begun).await;
        let kept = match found {
            Ok(found) => store::write(&file, &found),
            Err(EngineError::Interrupted) => Err(Failure::bad(words::TOOK_TOO_LONG)),
            Err(error) => Err(Failure::from(error)),
        };
        if let Err(failure) = kept {
            let _ = store::write(&failure_of(&file), &failure);
        }
        app.end(&file);
    });
}

/// How far such work is.
#[derive(Debug)]
pub(crate) enum Stage<T> {
    /// Nobody asked for it.
    Open,
    /// It is being done.
    Busy,
    Done(T),
    Failed(Failure),
}

/// How far the work is whose result goes into `file`.
pub(crate) fn stage<T: serde::de::DeserializeOwned>(app: &App, file: &Path) -> Stage<T> {
    if app.is_busy(file) {
        return Stage::Busy;
    }
    match (store::read(&failure_of(file)), store::read(file)) {
        (Some(failure), _) => Stage::Failed(failure),
        (None, Some(found)) => Stage::Done(found),
        (None, None) => Stage::Open,
    }
}

/// Why there is no result.
fn failure_of(file: &Path) -> PathBuf {
    file.with_extension("failure")
}

/// Ends what takes too long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Progress for Deadline {
    fn cancelled(&self) -> bool {
        Instant::now() > self.0
    }
}
