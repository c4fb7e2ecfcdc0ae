//! The threads that the engine works on.

use std::error::Error;
use std::future::Future;
use std::panic;

use throng_engine::error::{EngineError, Result};
use throng_engine::job::validate_threads;

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
    // Tokio panics where the system gives it no first thread.
    let runtime = panic::catch_unwind(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()
    });
    let runtime = runtime.map_err(|_| failed("the system gives no more".to_owned()))?;
    let runtime = runtime.map_err(|cause| failed(cause.to_string()))?;
    let result = runtime.block_on(work);
    // Does not wait for threads that the system never gave.
    runtime.shutdown_background();
    result
}
