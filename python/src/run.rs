//! Work of the engine beside the interpreter, which stays free for other threads, signals and progress.

use std::error::Error as _;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pyo3::prelude::*;
use throng_engine::error::{EngineError, Result};
use throng_engine::postgres;
use throng_engine::progress::{Event, Watched, watch};
use throng_engine::tables::Tables;
use tokio::runtime::{Builder, Runtime};

use crate::error::raise;

/// How often signals and progress are looked at.
const LOOK: Duration = Duration::from_millis(40);

/// What work has at hand.
pub(crate) struct Desk {
    runtime: Runtime,
    /// Hears how far the work is, and tells it to stop.
    pub(crate) watched: Watched,
    /// With what tables are opened that are not of this process: files, databases, stores, clusters.
    pub(crate) tables: Tables,
}

impl Desk {
    fn new(watched: Watched) -> Result<Desk> {
        let tables = Tables::default();
        #[cfg(any(feature = "s3", feature = "cluster"))]
        let tables = throng_cluster::plans_for(&tables);
        Ok(Desk { runtime: runtime()?, watched, tables })
    }

    /// Waits for something that takes its time.
    pub(crate) fn wait<T>(&self, working: impl Future<Output = T>) -> T {
        self.runtime.block_on(working)
    }

    /// Puts everything away that was fetched.
    fn leave(self) {
        self.tables.close();
        self.runtime.shutdown_background();
    }
}

/// Runs work on a thread of its own until it ends or the user interrupts it, and says how far it is.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Bound<'_, PyAny>>,
    work: impl FnOnce(&Desk) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (watched, canceller, events) = watch();
    // Nobody listens to an end that is dropped, so nothing is kept for it.
    let events = progress.is_some().then_some(events);
    let (running, ended) = channel::<()>();
    let thread = thread::Builder::new().name("throng".to_owned()).spawn(move || {
        let _running = running;
        let desk = Desk::new(watched)?;
        let result = work(&desk);
        desk.leave();
        result
    });
    let thread = thread.map_err(|cause| raise(py, failed(&cause.to_string())))?;
    let ended = Mutex::new(ended);
    while !has_ended(py, &ended) {
        let told = tell(events.as_ref(), progress.as_ref()).and_then(|()| py.check_signals());
        if let Err(stopped) = told {
            canceller.cancel();
            drop(join(py, thread));
            return Err(stopped);
        }
    }
    tell(events.as_ref(), progress.as_ref())?;
    let result = join(py, thread);
    log(py, postgres::take_warnings())?;
    result.map_err(|error| raise(py, error))
}

/// Logs what the command would warn of.
fn log(py: Python<'_>, warnings: Vec<String>) -> PyResult<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    let logger = py.import("logging")?.call_method1("getLogger", ("throng",))?;
    warnings.into_iter().try_for_each(|warning| logger.call_method1("warning", ("%s", warning)).map(drop))
}

fn has_ended(py: Python<'_>, ended: &Mutex<Receiver<()>>) -> bool {
    let wait = || ended.lock().map(|ended| ended.recv_timeout(LOOK)).map_err(drop);
    !matches!(py.detach(wait), Ok(Err(RecvTimeoutError::Timeout)))
}

fn join<T: Send>(py: Python<'_>, thread: JoinHandle<Result<T>>) -> Result<T> {
    let bug = |_| Err(EngineError::Data("a bug stopped it; nothing was written".into()));
    py.detach(|| thread.join()).unwrap_or_else(bug)
}

/// Tells what happened since the last look.
fn tell(events: Option<&Receiver<Event>>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let (Some(events), Some(progress)) = (events, progress) else { return Ok(()) };
    let mut last: Option<Event> = None;
    for event in events.try_iter() {
        // Of many steps of one kind the last says all.
        if let Some(earlier) = last.replace(event)
            && (matches!(earlier, Event::Phase { .. })
                || std::mem::discriminant(&earlier) != std::mem::discriminant(&event))
        {
            tell_one(earlier, progress)?;
        }
    }
    last.map_or(Ok(()), |event| tell_one(event, progress))
}

fn tell_one(event: Event, progress: &Bound<'_, PyAny>) -> PyResult<()> {
    let told: (&str, u64, Option<u64>) = match event {
        Event::Phase { name } => (name, 0, None),
        Event::RowsRead { rows } => ("rows read", rows, None),
        Event::NodesChecked { checked, total } => ("nodes checked", checked, Some(total)),
        Event::SearchAdvanced { done, total } => ("steps", done, Some(total)),
        Event::RowsWritten { rows } => ("rows written", rows, None),
    };
    progress.call1((matches!(event, Event::Phase { .. }), told.0, told.1, told.2)).map(drop)
}

fn runtime() -> Result<Runtime> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    runtime.map_err(|cause| failed(&cause.to_string()))
}

/// Sets how many threads the searches use, for the whole process: the first who says it decides.
pub(crate) fn use_threads(threads: Option<usize>) -> Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    match pool.as_ref().err().and_then(|failed| failed.source()) {
        Some(cause) => Err(failed(&cause.to_string())),
        None => Ok(()),
    }
}

fn failed(cause: &str) -> EngineError {
    EngineError::Data(format!("cannot start threads: {cause}").into())
}
