//! What a run has of its tables beside their files: what came in on standard input, what was fetched of objects, the
//! views of databases that it looks at.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a run opens its tables, so that all that are opened see the same: standard input is taken in once, an object is
/// fetched once, and a database is looked at as it was when it was first asked.
///
/// Copies share what they hold. It goes with the last of them, or when they are [closed](Tables::close).
///
/// ```
/// use throng_tables::tables::Tables;
///
/// let tables = Tables::default();
/// # let directory = tempfile::tempdir()?;
/// # let people = directory.path().join("people.csv");
/// std::fs::write(&people, "age,ill\n31,flu\n")?;
/// let source = tables.open(&people, &Default::default())?;
/// assert_eq!(source.columns(), ["age", "ill"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Tables(Arc<State>);

#[derive(Default)]
struct State {
    /// What others can do with tables, one of each type.
    added: Vec<Arc<dyn Any + Send + Sync>>,
    /// What backends hold, one of each type.
    held: Mutex<Vec<Arc<dyn Held>>>,
}

/// What a backend holds for a run.
pub(crate) trait Held: Any + Send + Sync {
    /// Removes what takes room on a disk.
    fn let_go(&self) {}
}

impl Tables {
    /// Tables with which somebody can do more, such as read them by plans. Nothing is held of them yet.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(&self, added: T) -> Tables {
        let mut all = self.0.added.clone();
        all.push(Arc::new(added));
        Tables(Arc::new(State { added: all, held: Mutex::default() }))
    }

    /// The same for another run: nothing is held of them yet.
    #[must_use]
    pub fn anew(&self) -> Tables {
        Tables(Arc::new(State { added: self.0.added.clone(), held: Mutex::default() }))
    }

    /// What somebody [added](Tables::with).
    pub fn added<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.added.iter().find_map(|one| Arc::clone(one).downcast().ok())
    }

    /// What a backend holds for the run.
    pub(crate) fn held<T: Held + Default>(&self) -> Arc<T> {
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            held.iter().find_map(|one| (Arc::clone(one) as Arc<dyn Any + Send + Sync>).downcast().ok());
        known.unwrap_or_else(|| {
            let new = Arc::new(T::default());
            held.push(Arc::clone(&new) as Arc<dyn Held>);
            new
        })
    }

    /// Removes what was taken in or fetched, whoever still has a copy: nothing of it can be read any more.
    pub fn close(&self) {
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.drain(..).for_each(|one| one.let_go());
    }
}

/// They say nothing of what is asked: jobs that ask the same are equal, wherever their tables are opened.
impl PartialEq for Tables {
    fn eq(&self, _: &Tables) -> bool {
        true
    }
}

impl Eq for Tables {}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Counter(Mutex<usize>);

    impl Held for Counter {}

    fn count(tables: &Tables) -> usize {
        let counter = tables.held::<Counter>();
        let mut count = counter.0.lock().unwrap();
        *count += 1;
        *count
    }

    #[test]
    fn copies_share_what_is_held_until_it_is_closed() {
        let tables = Tables::default();
        assert_eq!((count(&tables), count(&tables.clone()), count(&tables)), (1, 2, 3));
        assert_eq!(count(&tables.anew()), 1);
        tables.clone().close();
        assert_eq!(count(&tables), 1);
    }

    #[test]
    fn what_is_added_is_there_for_other_runs() {
        let tables = Tables::default().with(7_u8).with("plans");
        assert_eq!(tables.added::<u8>().as_deref(), Some(&7));
        assert_eq!(tables.anew().added::<&str>().as_deref(), Some(&"plans"));
        assert!(Tables::default().added::<u8>().is_none() && tables.added::<u16>().is_none());
    }
}
