//! The classes of one grid, as packed keys with rows.

use std::sync::atomic::AtomicU64;

use rayon::prelude::*;

use super::fields::Fields;
use super::rolled::PIECE;
use super::values::ClassValues;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::recoding::GoOn;
use crate::run::Stop;

/// The distinct classes of one grid, kept to roll coarser ones up from if it is a node.
pub(crate) struct Snapshot<const W: usize> {
    pub(super) node: Node,
    pub(super) fields: Fields,
    pub(super) classes: Vec<(Key<W>, u32)>,
    /// None if no requirement looks at values.
    pub(super) values: Option<ClassValues>,
    /// When it was rolled up from last.
    pub(super) used: AtomicU64,
}

impl<const W: usize> Snapshot<W> {
    /// What it takes of the room for snapshots, in classes.
    pub(super) fn size(&self) -> usize {
        self.classes.len() + self.values.as_ref().map_or(0, |values| values.len() / 2)
    }
}

pub(crate) type Key<const W: usize> = [u64; W];

/// The classes that the tuples of a table are, each by itself; `code` has that of an attribute and a leaf.
pub(super) fn classes_of_tuples<const W: usize>(
    problem: &Problem,
    fields: &Fields,
    code: impl Fn(usize, u32) -> u32 + Sync,
    go_on: &GoOn<'_>,
) -> Result<Vec<(Key<W>, u32)>, Stop> {
    let table = problem.table();
    let mut classes = vec![([0; W], 0); table.tuples()];
    classes.par_chunks_mut(PIECE).enumerate().try_for_each(|(piece, classes)| {
        go_on()?;
        for (tuple, class) in (piece * PIECE..).zip(classes) {
            let codes = (0..table.attributes()).map(|a| code(a, table.column(a)[tuple]));
            *class = (fields.pack(codes), table.weights()[tuple]);
        }
        Ok(())
    })?;
    Ok(classes)
}
