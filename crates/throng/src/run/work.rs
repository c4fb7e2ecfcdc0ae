//! How much of a local search is done.
//!
//! A search says how many steps it expects, most often tuples or a few times as many, and how many
//! it has made. A part of it, such as the search in a block, counts steps of its own, which stand for
//! a number of the whole's. Counts only grow, from whatever thread they come.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::Observer;

/// Least time between two reports: 1 ms.
const REST_MICROS: u64 = 1_000;

/// Steps that a search, or a part of it, has made of those that it will make.
pub(crate) struct Work<'w> {
    done: AtomicU64,
    total: AtomicU64,
    recipient: Recipient<'w>,
}

/// Who wants to know.
enum Recipient<'w> {
    Watched {
        observer: &'w dyn Observer,
        started: Instant,
        /// When it was last told, in microseconds since the start; 0 for never.
        told: AtomicU64,
    },
    /// Work of which this is so many steps; how many of those it has made.
    Part { of: &'w Work<'w>, share: u64, made: AtomicU64 },
}

impl<'w> Work<'w> {
    /// Work that an observer is told about.
    pub(super) fn watched(observer: &'w dyn Observer) -> Work<'w> {
        let recipient = Recipient::Watched { observer, started: Instant::now(), told: AtomicU64::new(0) };
        Work { done: AtomicU64::new(0), total: AtomicU64::new(0), recipient }
    }

    /// Work of `total` steps that is `share` steps of this.
    pub(crate) fn part(&'w self, share: u64, total: u64) -> Work<'w> {
        let recipient = Recipient::Part { of: self, share, made: AtomicU64::new(0) };
        Work { done: AtomicU64::new(0), total: AtomicU64::new(total), recipient }
    }

    /// Begins with so many steps before it.
    pub(super) fn expect(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Makes so many steps.
    pub(crate) fn advance(&self, steps: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        self.pass_on(done);
    }

    /// Has made so many steps in all, or more already.
    pub(super) fn advance_to(&self, done: u64) {
        let before = self.done.fetch_max(done, Ordering::Relaxed);
        self.pass_on(done.max(before));
    }

    fn pass_on(&self, done: u64) {
        let total = self.total.load(Ordering::Relaxed);
        let done = done.min(total);
        match &self.recipient {
            Recipient::Part { of, share, made } => {
                let now = (u128::from(*share) * u128::from(done) / u128::from(total.max(1))) as u64;
                let before = made.fetch_max(now, Ordering::Relaxed);
                if now > before {
                    of.advance(now - before);
                }
            }
            Recipient::Watched { observer, started, told } => {
                let now = started.elapsed().as_micros() as u64 + 1;
                let last = told.load(Ordering::Relaxed);
                let due = last == 0 || now >= last + REST_MICROS;
                // Of several threads, the one that notes the time tells.
                let is_due = || told.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed);
                if due && total > 0 && is_due().is_ok() {
                    observer.advanced(done, total);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<(u64, u64)>>);

    impl Observer for Told {
        fn advanced(&self, done: u64, total: u64) {
            self.0.lock().unwrap().push((done, total));
        }
    }

    fn rest() {
        std::thread::sleep(Duration::from_micros(REST_MICROS + 100));
    }

    #[test]
    fn parts_make_steps_of_the_whole() {
        let told = Told::default();
        let work = Work::watched(&told);
        work.expect(100);
        let half = work.part(50, 3);
        half.advance(1);
        rest();
        half.advance(1);
        rest();
        half.part(1, 7).advance(9);
        rest();
        work.advance_to(40);
        rest();
        work.advance(60);
        assert_eq!(*told.0.lock().unwrap(), [(16, 100), (33, 100), (50, 100), (50, 100), (100, 100)]);
    }

    #[test]
    fn no_more_is_told_than_anybody_can_read() {
        let told = Told::default();
        let work = Work::watched(&told);
        work.expect(1_000_000);
        let started = Instant::now();
        (0..100_000).for_each(|_| work.advance(1));
        let most = started.elapsed().as_millis() as usize + 2;
        assert!((1..=most).contains(&told.0.lock().unwrap().len()));
    }
}
