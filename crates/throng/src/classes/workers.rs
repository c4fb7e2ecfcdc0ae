//! Threads that stand ready for tasks of a few dozen microseconds.
//!
//! A search checks a few nodes, learns from them, and checks the next. A thread pool puts its
//! workers to sleep in the meantime, and waking one takes longer than a check. The workers of a
//! pool wait for the next tasks by asking again and again, and sleep only when the search has
//! had none for a while.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How long a hand asks for work before it sleeps.
const PATIENCE: Duration = Duration::from_millis(1);

/// A wait so much longer than the caller's own work means that other programs have the cores.
const STARVED: Duration = Duration::from_millis(1);

/// How often the caller then does without the workers.
const REST: u32 = 64;

/// Questions between two looks at the clock.
const ASKS: u32 = 1 << 10;

/// The caller and its workers; with none, tasks run one after the other.
pub(super) struct WorkerPool {
    board: Arc<TaskBoard>,
    threads: Vec<JoinHandle<()>>,
    /// Calls of [`map`](Self::map) that the caller still does by itself.
    rest: u32,
}

/// Where the caller posts tasks and the workers look for them.
#[derive(Default)]
struct TaskBoard {
    /// Number of the latest post.
    posts: AtomicU64,
    post: Mutex<Option<Arc<dyn SharedTasks>>>,
    over: AtomicBool,
}

/// Tasks that any number of threads can work on together.
trait SharedTasks: Send + Sync {
    /// Does tasks that nobody else does, until there are no more.
    fn take_part(&self);
}

impl WorkerPool {
    /// A pool of so many threads, the caller included.
    pub(super) fn new(threads: usize) -> WorkerPool {
        let board = Arc::new(TaskBoard::default());
        let worker = |_| {
            let board = Arc::clone(&board);
            // A machine that has no thread to spare does the work without it.
            thread::Builder::new().spawn(move || board.serve()).ok()
        };
        WorkerPool { threads: (1..threads).filter_map(worker).collect(), board, rest: 0 }
    }

    /// Applies `run` to every item; the results are in the order of the items.
    pub(super) fn map<C, T, R>(&mut self, context: &Arc<C>, items: Vec<T>, run: fn(&C, &T) -> R) -> Vec<R>
    where
        C: Send + Sync + 'static,
        T: Send + Sync + 'static,
        R: Send + 'static,
    {
        let resting = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        if resting || self.threads.is_empty() || items.len() < 2 {
            return items.iter().map(|item| run(context, item)).collect();
        }
        let tasks = Arc::new(Tasks::new(Arc::clone(context), items, run));
        self.board
            .post(Arc::clone(&tasks) as Arc<dyn SharedTasks>, self.threads.iter().map(JoinHandle::thread));
        let start = Instant::now();
        tasks.take_part();
        let own = start.elapsed();
        if tasks.wait() > STARVED + 2 * own {
            self.rest = REST;
        }
        self.board.clear();
        tasks.results()
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.board.over.store(true, Ordering::Release);
        for worker in self.threads.drain(..) {
            worker.thread().unpark();
            // A hand that panicked left its task undone, which its caller has noticed.
            _ = worker.join();
        }
    }
}

impl TaskBoard {
    fn post<'a>(&self, share: Arc<dyn SharedTasks>, threads: impl Iterator<Item = &'a Thread>) {
        *self.post.lock().unwrap_or_else(PoisonError::into_inner) = Some(share);
        self.posts.fetch_add(1, Ordering::Release);
        // Nothing happens to a hand that is awake.
        threads.for_each(Thread::unpark);
    }

    fn clear(&self) {
        *self.post.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What a hand does: waits for a post, takes part, waits for the next.
    fn serve(&self) {
        let mut seen = 0;
        while let Some(post) = self.wait(seen) {
            seen = post;
            let share = self.post.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(share) = share {
                share.take_part();
            }
        }
    }

    /// The number of the next post after `seen`; none when the pool is dissolved.
    fn wait(&self, seen: u64) -> Option<u64> {
        let mut since = Instant::now();
        loop {
            for _ in 0..ASKS {
                let posts = self.posts.load(Ordering::Acquire);
                if self.over.load(Ordering::Acquire) {
                    return None;
                }
                if posts != seen {
                    return Some(posts);
                }
                spin_loop();
            }
            if since.elapsed() > PATIENCE {
                thread::park();
                since = Instant::now();
            }
        }
    }
}

/// Items, and what to do with each.
struct Tasks<C, T, R> {
    context: Arc<C>,
    items: Vec<T>,
    run: fn(&C, &T) -> R,
    /// The next item that nobody does.
    next: AtomicUsize,
    /// Items that are not done.
    left: AtomicUsize,
    results: Vec<Mutex<Option<R>>>,
}

impl<C, T, R> Tasks<C, T, R> {
    fn new(context: Arc<C>, items: Vec<T>, run: fn(&C, &T) -> R) -> Tasks<C, T, R> {
        let results = items.iter().map(|_| Mutex::new(None)).collect();
        let (next, left) = (AtomicUsize::new(0), AtomicUsize::new(items.len()));
        Tasks { context, items, run, next, left, results }
    }

    /// Waits until the last item is done, and says how long: not long, since all of them are begun.
    fn wait(&self) -> Duration {
        let since = Instant::now();
        let mut asked = 0;
        while self.left.load(Ordering::Acquire) > 0 {
            asked += 1;
            if asked % ASKS == 0 {
                // The hand may have lost its core to another program.
                thread::yield_now();
            }
            spin_loop();
        }
        since.elapsed()
    }

    fn results(&self) -> Vec<R> {
        let take = |result: &Mutex<Option<R>>| {
            let result = result.lock().unwrap_or_else(PoisonError::into_inner).take();
            result.expect("a task panicked")
        };
        self.results.iter().map(take).collect()
    }
}

impl<C: Send + Sync, T: Send + Sync, R: Send> SharedTasks for Tasks<C, T, R> {
    fn take_part(&self) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(at) else { return };
            let _done = Done(&self.left);
            let result = (self.run)(&self.context, item);
            *self.results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    }
}

/// Counts an item as done when it is dropped: also by a panic, or its caller would wait for ever.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut workers = WorkerPool::new(threads);
            for round in 0..200u64 {
                let items: Vec<u64> = (0..round % 7).collect();
                let expected: Vec<u64> = items.iter().map(|item| item * item + round).collect();
                assert_eq!(workers.map(&Arc::new(round), items, |round, item| item * item + round), expected);
                if round % 50 == 0 {
                    thread::sleep(PATIENCE * 2);
                }
            }
        }
    }

    #[test]
    fn a_task_that_panics_is_not_waited_for() {
        let mut workers = WorkerPool::new(2);
        let fails = |_: &(), item: &u32| assert!(*item != 3, "on purpose");
        let mapped = catch_unwind(AssertUnwindSafe(|| workers.map(&Arc::new(()), (0..8).collect(), fails)));
        assert!(mapped.is_err());
        assert_eq!(workers.map(&Arc::new(()), vec![1, 2], |_, item| item + 1), [2, 3]);
    }
}
