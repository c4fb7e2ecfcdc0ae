//! Somebody who looks at all classes of a node, for more than whether they may be released.

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
