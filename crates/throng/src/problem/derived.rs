//! What the parts of a problem have in common, made by the first that asks.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;

type DerivedTaxonomy = Arc<dyn Any + Send + Sync>;

/// One thing of each type.
#[derive(Debug, Default)]
pub(super) struct Derived {
    by_type: Mutex<FxHashMap<TypeId, Arc<OnceLock<DerivedTaxonomy>>>>,
}

impl Derived {
    /// The thing of a type; others who ask for it wait while it is made.
    pub(super) fn get<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let made = Arc::clone(self.slot(TypeId::of::<T>()).get_or_init(|| Arc::new(make())));
        made.downcast().expect("each is under its own type")
    }

    fn slot(&self, of: TypeId) -> Arc<OnceLock<DerivedTaxonomy>> {
        let mut by_type = self.by_type.lock().expect("no thread fails while it holds the lock");
        Arc::clone(by_type.entry(of).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn each_thing_is_made_once_whoever_asks() {
        let (derived, made) = (Derived::default(), AtomicUsize::new(0));
        let make = |of: usize| {
            made.fetch_add(1, Ordering::Relaxed);
            of
        };
        (0..1_000usize).into_par_iter().for_each(|_| {
            assert_eq!(*derived.get(|| make(7)), 7);
            assert_eq!(*derived.get(|| make(8).to_string()), "8");
            // One may be made from another.
            let pair = derived.get(|| (*derived.get(|| make(7)), make(9)));
            assert_eq!(*pair, (7, 9));
        });
        assert_eq!(made.into_inner(), 3);
    }
}
