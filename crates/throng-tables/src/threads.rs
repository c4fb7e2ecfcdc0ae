//! Threads that read, for whoever has a table or a file in parts: one after the other and a little ahead, several in the
//! order of the parts, or several in any order. None has more under way than it is told, all end when nobody waits for
//! them any more, and one that died is an error, not an end.
//!
//! They are no threads of a runtime or a pool: where the system allows no more of these, whoever waits for one would
//! wait for ever.

mod ahead;
mod in_order;

use std::io;
use std::panic;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Builder, JoinHandle};

use tokio::sync::oneshot;

use crate::error::{EngineError, Result};
pub use ahead::{Ahead, pass_on, read_ahead};
pub use in_order::InOrder;

/// Starts a thread.
///
/// # Errors
/// If the system gives none.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).spawn(work).map_err(no_thread)
}

/// Has some work done by a thread; what comes of it will be received, or nothing if the thread died.
///
/// # Errors
/// If the system gives none.
pub fn have_done<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<oneshot::Receiver<T>> {
    let (sender, done) = oneshot::channel();
    start(name, move || drop(sender.send(work())))?;
    Ok(done)
}

fn no_thread(cause: io::Error) -> EngineError {
    EngineError::Data(format!("cannot start a thread to read: {cause}").into())
}

/// A thread that reads has died.
pub fn died() -> EngineError {
    EngineError::Data("reading stopped unexpectedly".into())
}

/// Has all of so many parts taken by threads, of which this is one: each `begin`s and then takes one part after the other,
/// the first that nobody has. What all of them have in the end; which of them took which part is left to chance.
///
/// They take no further part when one fails or `stopped` is set; who takes long over a part looks at it, too.
///
/// # Errors
/// That of the first part that failed: all before it were taken.
pub fn each_part<W: Send>(
    parts: usize,
    threads: usize,
    stopped: &AtomicBool,
    begin: impl Fn() -> Result<W> + Sync,
    take: impl Fn(&mut W, usize) -> Result<()> + Sync,
) -> Result<Vec<W>> {
    let next = AtomicUsize::new(0);
    let work = || -> (usize, Result<W>) {
        let _watched = StopOnPanic(stopped);
        let mut part = 0;
        let taken = begin().and_then(|mut worker| {
            loop {
                part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts || stopped.load(Ordering::Relaxed) {
                    return Ok(worker);
                }
                take(&mut worker, part)?;
            }
        });
        if taken.is_err() {
            stopped.store(true, Ordering::Relaxed);
        }
        (part, taken)
    };
    let ended = thread::scope(|scope| {
        let spawn = |_| Builder::new().name("reader".to_owned()).spawn_scoped(scope, work);
        // Those that the system gives are enough.
        let others: Vec<_> = (1..threads.min(parts)).map_while(|at| spawn(at).ok()).collect();
        let own = panic::catch_unwind(panic::AssertUnwindSafe(work));
        let ended = std::iter::once(own).chain(others.into_iter().map(thread::ScopedJoinHandle::join));
        ended.map(|ended| ended.unwrap_or_else(|died| panic::resume_unwind(died))).collect::<Vec<_>>()
    });
    if ended.iter().all(|(_, worker)| worker.is_ok()) {
        return ended.into_iter().map(|(_, worker)| worker).collect();
    }
    let failed = ended.into_iter().filter_map(|(part, worker)| Some((part, worker.err()?)));
    let (_, error) = failed.min_by_key(|(part, _)| *part).expect("one has failed");
    Err(error)
}

/// Others may wait for what a thread that dies would have done.
struct StopOnPanic<'s>(&'s AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(parts: usize, threads: usize, bad: &[usize]) -> Result<Vec<Vec<usize>>> {
        let stopped = AtomicBool::new(false);
        each_part(
            parts,
            threads,
            &stopped,
            || Ok(Vec::new()),
            |taken: &mut Vec<usize>, part| {
                taken.push(part);
                if bad.contains(&part) { Err(EngineError::bad(format!("part {part}"))) } else { Ok(()) }
            },
        )
    }

    #[test]
    fn every_part_is_taken_once() {
        for (parts, threads) in [(0, 1), (1, 4), (7, 1), (100, 3), (3, 8)] {
            let mut all: Vec<usize> = take(parts, threads, &[]).unwrap().concat();
            all.sort_unstable();
            assert_eq!(all, (0..parts).collect::<Vec<_>>(), "{threads} threads");
        }
    }

    #[test]
    fn of_several_failures_it_is_the_first() {
        for threads in [1, 2, 5] {
            let error = take(60, threads, &[7, 8, 9, 40]).unwrap_err().to_string();
            assert_eq!(error, "part 7", "{threads} threads");
        }
    }

    #[test]
    fn nothing_is_taken_when_it_is_stopped() {
        let stopped = AtomicBool::new(true);
        let taken = each_part(
            9,
            2,
            &stopped,
            || Ok(0),
            |count, _| {
                *count += 1;
                Ok(())
            },
        );
        assert!(taken.unwrap().iter().all(|&count| count == 0));
    }

    #[test]
    #[should_panic = "this part panics"]
    fn a_bug_is_not_hidden() {
        let stopped = AtomicBool::new(false);
        let _ = each_part(
            9,
            3,
            &stopped,
            || Ok(()),
            |(), part| {
                assert!(part != 5, "this part panics");
                Ok(())
            },
        );
    }
}
