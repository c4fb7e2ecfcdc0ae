//! Somebody who looks at all classes of a node, for more than whether they may be released.

use super::{Grid, Rules, Snapshot};
use crate::lattice::Node;
use crate::privacy::Class;
use crate::taxonomy::ValueId;

/// The classes of a node.
pub(crate) trait SeenClasses {
    /// How many there are.
    fn count(&self) -> usize;

    /// Rows of a class.
    fn rows(&self, class: usize) -> u64;

    /// Hands each attribute and the generalised value that a class has in it to `visit`.
    fn each_value(&self, class: usize, visit: &mut dyn FnMut(usize, ValueId));

    /// Hands a class to `visit` as models see it.
    fn look_at(&self, class: usize, visit: &mut dyn FnMut(&Class<'_>));
}

/// What was seen of a node: some numbers, and the rows that it would suppress.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) values: Vec<f64>,
    pub(crate) suppressed_rows: u64,
}

/// Looks at classes; from several threads at once.
pub(crate) trait Eye: Send + Sync {
    fn see(&self, node: &Node, classes: &dyn SeenClasses) -> Seen;
}

/// The classes of a snapshot, to be looked at.
pub(super) struct SeenSnapshot<'s, const W: usize> {
    pub(super) rules: &'s Rules,
    pub(super) grid: &'s Grid,
    pub(super) snapshot: &'s Snapshot<W>,
}

impl<const W: usize> SeenClasses for SeenSnapshot<'_, W> {
    fn count(&self) -> usize {
        self.snapshot.classes.len()
    }

    fn rows(&self, class: usize) -> u64 {
        u64::from(self.snapshot.classes[class].1)
    }

    fn each_value(&self, class: usize, visit: &mut dyn FnMut(usize, ValueId)) {
        let codes = self.snapshot.fields.codes(&self.snapshot.classes[class].0);
        for (a, code) in codes.enumerate() {
            visit(a, self.grid.values(&self.rules.codes, a)[code as usize]);
        }
    }

    fn look_at(&self, class: usize, visit: &mut dyn FnMut(&Class<'_>)) {
        match &self.snapshot.values {
            Some(values) => values.with_class(class, self.rows(class), |class| visit(class)),
            None => visit(&Class::of_rows(self.rows(class))),
        }
    }
}
