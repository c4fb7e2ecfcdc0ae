//! Cuts for models that look at more than the size of a part.

use super::children::{ChildPieces, Pool};
use super::cut::{RegionCut, rows_of};
use super::records::Region;
use super::{Cutting, part_tuple};
use crate::algorithm::local::admissible::Contents;

impl Cutting<'_, '_> {
    /// Whether every piece of a cut may be released. Where size alone decides, the rows were counted when
    /// the cut was found.
    pub(super) fn allows(&self, part: &Region<'_>, cut: &RegionCut) -> bool {
        if self.admissibility.by_size().is_some() {
            return true;
        }
        let pieces = match cut {
            &RegionCut::Between { axis, rank, tuple } => {
                let is_after = |record: &[u32]| (record[axis], part_tuple(record)) >= (rank, tuple);
                self.contents(part, |record| u32::from(is_after(record)))
            }
            RegionCut::Children { axis, node, pool } => {
                let children = self.axes[*axis].children(*node);
                self.contents(part, |record| {
                    let child = children.child(record[*axis]);
                    if pool.contains(child, part_tuple(record)) { u32::MAX } else { child }
                })
            }
        };
        pieces.iter().all(|(_, piece)| self.admissibility.is_ripe(piece))
    }

    /// What the records of each kind hold, by kind.
    fn contents(&self, part: &Region<'_>, kind: impl Fn(&[u32]) -> u32) -> Vec<(u32, Contents)> {
        let mut records: Vec<(u32, u32, u32)> =
            part.records().map(|record| (kind(record), part_tuple(record), rows_of(record))).collect();
        records.sort_unstable();
        let of = |same: &[(u32, u32, u32)]| {
            let mut all = Contents::default();
            let each =
                same.iter().map(|&(_, tuple, rows)| self.admissibility.contents(self.table, tuple, rows));
            each.for_each(|one| all.add(&one));
            (same[0].0, all)
        };
        records.chunk_by(|a, b| a.0 == b.0).map(of).collect()
    }

    /// The pieces of a part by the children that its records have: those that may not be released go
    /// together, with the smallest others until they may.
    pub(super) fn pieces(&self, part: &Region<'_>, child: impl Fn(&[u32]) -> u32) -> ChildPieces {
        let children = self.contents(part, child);
        let (mut ripe, unripe): (Vec<_>, Vec<_>) =
            children.into_iter().partition(|(_, child)| self.admissibility.is_ripe(child));
        ripe.sort_by_key(|(child, contents)| (contents.rows, *child));
        let only = ripe.last().map(|&(child, _)| child);
        let (mut pool, mut pooled) = (Contents::default(), Vec::new());
        let mut rest = ripe.into_iter();
        for (child, contents) in unripe {
            pool.add(&contents);
            pooled.push(child);
        }
        while !pooled.is_empty() && !self.admissibility.is_ripe(&pool) {
            let Some((child, contents)) = rest.next() else { break };
            pool.add(&contents);
            pooled.push(child);
        }
        match (rest.len(), only) {
            (_, None) => ChildPieces::None,
            (0, Some(only)) => ChildPieces::Only(only),
            _ => ChildPieces::Allowable(Pool::new(pooled)),
        }
    }
}
