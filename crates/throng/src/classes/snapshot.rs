//! The classes of one grid, as packed keys with rows.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::fields::Fields;
use super::hashes::Columns;
use super::key::Key;
use super::rolled::PIECE;
use super::values::ClassValues;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::stop::{GoOn, Stop};

/// The distinct classes of one grid, kept to roll coarser ones up from if it is a node.
pub(crate) struct Snapshot<K: Key> {
    pub(super) node: Node,
    pub(super) fields: Fields,
    pub(super) classes: Vec<(K, u64)>,
    /// None if no requirement looks at values.
    pub(super) values: Option<ClassValues>,
    /// When it was rolled up from last.
    pub(super) used: AtomicU64,
    /// No other has it.
    pub(super) number: u64,
    /// Made when first needed.
    columns: OnceLock<Columns>,
}

/// Snapshots so far.
static MADE: AtomicU64 = AtomicU64::new(0);

impl<K: Key> Snapshot<K> {
    pub(super) fn new(
        node: Node,
        fields: Fields,
        classes: Vec<(K, u64)>,
        values: Option<ClassValues>,
    ) -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Snapshot {
            node,
            fields,
            classes,
            values,
            used: AtomicU64::default(),
            number,
            columns: OnceLock::new(),
        }
    }

    /// The codes of the classes, to be hashed.
    pub(super) fn columns(&self) -> &Columns {
        self.columns.get_or_init(|| Columns::new(self))
    }

    /// What it takes of the room for snapshots, in classes.
    pub(super) fn size(&self) -> usize {
        self.classes.len() + self.values.as_ref().map_or(0, |values| values.len() / 2)
    }
}

/// The classes that the tuples of a table are, each by itself; `code` has that of an attribute and a leaf.
pub(super) fn classes_of_tuples<K: Key>(
    problem: &Problem,
    fields: &Fields,
    code: impl Fn(usize, u32) -> u32 + Sync,
    go_on: &GoOn<'_>,
) -> Result<Vec<(K, u64)>, Stop> {
    let table = problem.table();
    let mut classes = vec![(K::none(), 0); table.tuples()];
    classes.par_chunks_mut(PIECE).enumerate().try_for_each(|(piece, classes)| {
        go_on()?;
        for (tuple, class) in (piece * PIECE..).zip(classes) {
            let codes = (0..table.attributes()).map(|a| code(a, table.column(a)[tuple]));
            *class = (fields.pack(codes), u64::from(table.weights()[tuple]));
        }
        Ok(())
    })?;
    Ok(classes)
}
