//! Pieces of work on all cores, each on a thread of its own from start to end.
//!
//! The pieces use the thread pool themselves. In the pool, a thread that waits for a part of its
//! piece would begin another piece meanwhile, and hold the memory of both; here no more
//! pieces are under way than there are threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The results of `count` pieces of work, in order.
pub(in crate::algorithm::local) fn side_by_side<T: Send>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let threads = rayon::current_num_threads();
    let workers = threads.min(count);
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return done;
            }
            done.push((at, work(at)));
        }
    };
    if workers < 2 {
        return take().into_iter().map(|(_, result)| result).collect();
    }
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let take = &take;
        let spawn = || scope.spawn(move || within_pool(threads / workers, take));
        let workers: Vec<_> = (0..workers).map(|_| spawn()).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    done.sort_unstable_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs something in a pool of so many threads; in the common one if the system grants no more.
fn within_pool<T: Send>(threads: usize, work: impl Fn() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let squares = pool.install(|| side_by_side(40, |at| at * at));
            assert_eq!(squares, (0..40).map(|at| at * at).collect::<Vec<_>>(), "{threads} threads");
        }
    }

    #[test]
    fn no_more_pieces_are_under_way_than_threads() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let (under_way, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.install(|| {
            side_by_side(20, |_| {
                most.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                rayon::join(std::thread::yield_now, std::thread::yield_now);
                under_way.fetch_sub(1, Ordering::SeqCst);
            })
        });
        assert!((1..=3).contains(&most.into_inner()));
    }
}
