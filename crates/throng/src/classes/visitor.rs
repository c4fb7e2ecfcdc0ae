//! Somebody who looks at all classes of a node, for more than whether they may be released.

use super::{Grid, Key, Rules, Snapshot, reachable_size};
use crate::lattice::Node;
use crate::privacy::Class;
use crate::tally::ClassSizes;
use crate::taxonomy::ValueId;

/// The classes of a node.
pub(crate) trait NodeClasses {
    /// Rows of the smallest class that stays when the smallest ones, of so many rows together, are left out.
    fn least_rows(&self, max_suppressed_rows: u64) -> u64;

    /// Sizes of the classes of at least so many rows.
    fn sizes(&self, least: u64) -> ClassSizes;

    /// Hands the rows of each smaller class to `visit`, and its generalised value in each attribute.
    fn each_smaller(&self, least: u64, visit: &mut dyn FnMut(u64, &[ValueId]));

    /// Hands each other class to `visit` as models see it.
    fn each_kept(&self, least: u64, visit: &mut dyn FnMut(&Class<'_>));
}

/// What was seen of a node: some numbers, the rows of its smallest class that stays, and those that it would suppress.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NodeView {
    pub(crate) values: Vec<f64>,
    pub(crate) least_rows: u64,
    pub(crate) suppressed_rows: u64,
}

/// Looks at classes; from several threads at once.
pub(crate) trait ClassVisitor: Send + Sync {
    fn see(&self, node: &Node, classes: &dyn NodeClasses) -> NodeView;
}

/// The classes of a snapshot, to be looked at.
pub(super) struct SeenSnapshot<'s, K: Key> {
    pub(super) rules: &'s Rules,
    pub(super) grid: &'s Grid,
    pub(super) snapshot: &'s Snapshot<K>,
}

impl<K: Key> SeenSnapshot<'_, K> {
    /// Rows of the classes that occur.
    fn rows(&self) -> impl Iterator<Item = u64> {
        self.snapshot.classes.iter().map(|(_, rows)| *rows).filter(|&rows| rows > 0)
    }
}

impl<K: Key> NodeClasses for SeenSnapshot<'_, K> {
    fn least_rows(&self, max_suppressed_rows: u64) -> u64 {
        reachable_size(self.rows(), max_suppressed_rows)
    }

    fn sizes(&self, least: u64) -> ClassSizes {
        self.rows().filter(|&rows| rows >= least).collect()
    }

    fn each_smaller(&self, least: u64, visit: &mut dyn FnMut(u64, &[ValueId])) {
        let Snapshot { fields, classes, .. } = self.snapshot;
        let attributes = 0..fields.all().len();
        let at_grid: Vec<&[ValueId]> = attributes.map(|a| self.grid.values(&self.rules.codes, a)).collect();
        let mut values = vec![0; at_grid.len()];
        for (key, rows) in classes.iter().filter(|(_, rows)| *rows > 0 && *rows < least) {
            for ((value, code), of) in values.iter_mut().zip(fields.codes(key)).zip(&at_grid) {
                *value = of[code as usize];
            }
            visit(*rows, &values);
        }
    }

    fn each_kept(&self, least: u64, visit: &mut dyn FnMut(&Class<'_>)) {
        for (class, rows) in self.snapshot.classes.iter().map(|(_, rows)| *rows).enumerate() {
            if rows < least.max(1) {
                continue;
            }
            match &self.snapshot.values {
                Some(values) => values.with_class(class, rows, |class| visit(class)),
                None => visit(&Class::of_rows(rows)),
            }
        }
    }
}
