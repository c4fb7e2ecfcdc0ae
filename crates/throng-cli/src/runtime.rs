//! The threads that the engine works on.

use std::future::Future;

use throng_engine::error::{EngineError, Result};
use throng_engine::job::validate_threads;

/// Runs a piece of work of the engine on so many threads; on all cores when not given.
pub(crate) fn run<T>(threads: Option<usize>, work: impl Future<Output = Result<T>>) -> Result<T> {
    threads.map_or(Ok(()), validate_threads)?;
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    // Fails only if there is a pool already: that of an earlier piece of work.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|cause| EngineError::Data(format!("cannot start {threads} threads: {cause}").into()))?;
    runtime.block_on(work)
}
