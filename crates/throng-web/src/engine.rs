//! Where the engine works: threads of its own, so that pages are answered while a search runs.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use throng_engine::error::{EngineError, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};

/// Looks at tables at a time, and long pieces of work beside runs; further ones wait.
const LOOKS: usize = 2;
const TASKS: usize = 2;

/// The engine's threads. Each piece of work has its own: a short look does not wait for a long search. A thread that waits
/// for a part of its work may take up another part meanwhile, and must not meet other work there, which would start within it.
#[derive(Debug)]
pub(crate) struct Engine {
    runtime: Option<Runtime>,
    threads: usize,
    free_for_looks: Semaphore,
    free_for_tasks: Semaphore,
}

impl Engine {
    pub(crate) fn start(threads: Option<usize>) -> io::Result<Engine> {
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let runtime = Builder::new_multi_thread().worker_threads(threads.max(2)).enable_all().build()?;
        Ok(Engine {
            runtime: Some(runtime),
            threads,
            free_for_looks: Semaphore::new(LOOKS),
            free_for_tasks: Semaphore::new(TASKS),
        })
    }

    /// Looks at a table while somebody waits for it.
    pub(crate) async fn look<T, F>(self: &Arc<Engine>, work: impl FnOnce() -> F + Send + 'static) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>>,
    {
        let _permit = self.free_for_looks.acquire().await.map_err(|_| EngineError::Interrupted)?;
        let (send, receive) = oneshot::channel();
        let engine = Arc::clone(self);
        std::thread::spawn(move || drop(send.send(engine.work(work))));
        receive.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Does a long piece of work that nobody waits for.
    pub(crate) async fn task<T, F>(self: &Arc<Engine>, work: impl FnOnce() -> F + Send + 'static) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>>,
    {
        let _permit = self.free_for_tasks.acquire().await.map_err(|_| EngineError::Interrupted)?;
        let (send, receive) = oneshot::channel();
        let engine = Arc::clone(self);
        std::thread::spawn(move || drop(send.send(engine.work(work))));
        receive.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Does a long piece of work on this thread.
    pub(crate) fn search<T, F>(&self, work: impl FnOnce() -> F + Send) -> Result<T>
    where
        T: Send,
        F: Future<Output = Result<T>>,
    {
        self.work(work)
    }

    fn work<T, F>(&self, work: impl FnOnce() -> F + Send) -> Result<T>
    where
        T: Send,
        F: Future<Output = Result<T>>,
    {
        let runtime = self.runtime.as_ref().expect("the runtime lives as long as the engine");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|error| EngineError::Data(error.to_string().into()))?;
        pool.install(|| runtime.block_on(work()))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(100));
        }
    }
}

/// A thread that ended without a result has met a bug.
fn lost() -> EngineError {
    EngineError::Data("the engine stopped without a result; this is a bug in throng".into())
}
