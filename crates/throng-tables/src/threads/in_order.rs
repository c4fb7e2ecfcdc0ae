//! What several threads make of parts, in the order of the parts.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{died, start};
use crate::error::Result;

/// What threads make of parts, in order; an error for one that a thread died of.
pub struct InOrder<T> {
    shared: Arc<Shared<T>>,
    next: usize,
}

struct Shared<T> {
    make: Box<dyn Fn(usize) -> T + Send + Sync>,
    parts: usize,
    /// Parts that may be under way, or wait, before they are taken.
    window: usize,
    progress: Mutex<Progress<T>>,
    moved: Condvar,
}

struct Progress<T> {
    /// Parts that a thread has begun with, and that were taken.
    begun: usize,
    taken: usize,
    made: BTreeMap<usize, Result<T>>,
    stopped: bool,
}

impl<T: Send + 'static> InOrder<T> {
    /// Starts to make something of each of so many parts; no more than one for each thread, and one more, are under way or
    /// wait.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(
        parts: usize,
        threads: usize,
        make: impl Fn(usize) -> T + Send + Sync + 'static,
    ) -> Result<InOrder<T>> {
        let threads = threads.min(parts).max(1);
        let progress = Progress { begun: 0, taken: 0, made: BTreeMap::new(), stopped: false };
        let (progress, moved) = (Mutex::new(progress), Condvar::new());
        let shared = Arc::new(Shared { make: Box::new(make), parts, window: threads + 1, progress, moved });
        for thread in 0..threads {
            let own = Arc::clone(&shared);
            match start("reader", move || own.make_parts()) {
                // Those that did start are enough.
                Err(_) if thread > 0 => break,
                started => drop(started?),
            }
        }
        Ok(InOrder { shared, next: 0 })
    }

    /// The part that was given last.
    pub fn part(&self) -> usize {
        self.next.saturating_sub(1)
    }
}

impl<T> Iterator for InOrder<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let part = self.next;
        if part == self.shared.parts {
            return None;
        }
        self.next += 1;
        Some(self.shared.take(part))
    }
}

impl<T> Drop for InOrder<T> {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.moved.notify_all();
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Progress<T>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was made of a part, as soon as it is.
    fn take(&self, part: usize) -> Result<T> {
        let mut progress = self.lock();
        loop {
            if let Some(made) = progress.made.remove(&part) {
                progress.taken = part + 1;
                self.moved.notify_all();
                return made;
            }
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn make_parts(&self) {
        while let Some(part) = self.begin() {
            // Without this, a thread that died would be waited for for ever.
            let made = catch_unwind(AssertUnwindSafe(|| (self.make)(part)));
            self.lock().made.insert(part, made.map_err(|_| died()));
            self.moved.notify_all();
        }
    }

    /// The next part that nobody has, as soon as there is room for what it holds.
    fn begin(&self) -> Option<usize> {
        let mut progress = self.lock();
        loop {
            if progress.stopped || progress.begun == self.parts {
                return None;
            }
            if progress.begun < progress.taken + self.window {
                progress.begun += 1;
                return Some(progress.begun - 1);
            }
            progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn parts_come_in_order_and_no_more_are_under_way_than_may() {
        let (begun, taken) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (begun_there, taken_there) = (Arc::clone(&begun), Arc::clone(&taken));
        let made = InOrder::start(50, 3, move |part| {
            let under_way = begun_there.fetch_add(1, Ordering::SeqCst) + 1;
            thread::sleep(Duration::from_micros(if part % 3 == 0 { 500 } else { 1 }));
            // What was handed out but not counted yet is one at most.
            (part, under_way - taken_there.load(Ordering::SeqCst) <= 3 + 2)
        });
        for (expected, made) in made.unwrap().enumerate() {
            assert_eq!(made.unwrap(), (expected, true));
            taken.fetch_add(1, Ordering::SeqCst);
        }
        assert_eq!(begun.load(Ordering::SeqCst), 50);
    }

    #[test]
    fn one_that_died_is_an_error() {
        let made = InOrder::start(4, 2, |part| assert!(part != 2, "this part dies"));
        let ended: Vec<bool> = made.unwrap().map(|made| made.is_ok()).collect();
        assert_eq!(ended, [true, true, false, true]);
    }
}
