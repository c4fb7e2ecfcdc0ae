//! Readers of other people's formats that are not our code: over a damaged file they may panic.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is within such a reader.
    static IS_WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// What a reader gives; nothing if it panicked. Such a panic is not printed: it is the file's fault, and its message
/// may hold a cell. Panics of our own code, outside of this, are printed as ever.
///
/// A reader that panicked may be dropped, but not asked again.
pub fn guard<T>(read: impl FnOnce() -> T) -> Option<T> {
    static QUIETEN: Once = Once::new();
    QUIETEN.call_once(quieten);
    let was_within = IS_WITHIN.replace(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read)).ok();
    IS_WITHIN.set(was_within);
    read
}

fn quieten() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !IS_WITHIN.try_with(Cell::get).unwrap_or(false) {
            usual(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_within_is_no_result() {
        assert_eq!(guard(|| 3), Some(3));
        assert_eq!(guard(|| -> u8 { panic!("of a reader") }), None);
        assert!(!IS_WITHIN.get(), "panics behind it are printed again");
        assert_eq!(
            guard(|| guard(|| -> u8 { panic!("of a reader") }).is_none() && IS_WITHIN.get()),
            Some(true)
        );
    }
}
