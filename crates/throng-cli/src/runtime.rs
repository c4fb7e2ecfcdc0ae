//! The threads that the engine works on.

use std::error::Error;
use std::future::Future;
use std::io::{self, Write};
use std::{panic, process};

use throng_engine::error::{EngineError, Result};
use throng_engine::job::validate_threads;
use tokio::runtime::{Builder, Runtime};

use crate::exit::MACHINE;

/// Runs a piece of work of the engine on so many threads; on all cores when not given.
pub(crate) fn run<T>(threads: Option<usize>, work: impl Future<Output = Result<T>>) -> Result<T> {
    threads.map_or(Ok(()), validate_threads)?;
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let failed = |cause: String| EngineError::Data(format!("cannot start {threads} threads: {cause}").into());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    // Without a cause there is a pool already: that of an earlier piece of work.
    if let Some(cause) = pool.as_ref().err().and_then(Error::source) {
        return Err(failed(cause.to_string()));
    }
    let runtime = start(threads).map_err(|cause| failed(cause.to_string()))?;
    let result = runtime.block_on(work);
    // Does not wait for threads that the system never gave.
    runtime.shutdown_background();
    result
}

/// Starts Tokio, which panics where the system gives it no thread, and would then wait for ever for those that it has:
/// the process ends before that.
fn start(threads: usize) -> io::Result<Runtime> {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |_| {
        let message = format!("error: cannot start {threads} threads: the system allows no more\n");
        let _ = io::stderr().write_all(message.as_bytes());
        process::exit(MACHINE.into());
    }));
    let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    panic::set_hook(usual);
    runtime
}
