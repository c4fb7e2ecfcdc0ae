//! Where a part is cut.

use super::axis::{Axis, Way};
use super::records::Part;
use super::{Search, part_tuple};
use crate::run::Stop;
use crate::taxonomy::ValueId;

/// An allowable cut of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Records before a place on an axis, and the others; tuples of one rank are told apart by
    /// their number.
    Between { axis: usize, rank: u32, tuple: u32 },
    /// The children of a value, of which those in the pool (sorted) go together.
    Children { axis: usize, node: ValueId, pool: Vec<u32> },
}

/// What cuts are found with; one for each thread, used again for every part.
pub(super) struct Scratch {
    /// Rows by rank or child; all 0 between two uses.
    counts: Vec<u32>,
    /// Rows of the part.
    rows: u64,
    /// Least and greatest rank on each axis.
    bounds: Vec<(u32, u32)>,
    /// Axes by width.
    order: Vec<(f64, usize)>,
    /// Ranks or tuples with their rows, in order.
    sorted: Vec<(u32, u32)>,
}

impl Scratch {
    pub(super) fn new(axes: &[Axis]) -> Scratch {
        let ranks = axes.iter().map(Axis::len).max().unwrap_or(0);
        let (counts, bounds) = (vec![0; ranks], vec![(0, 0); axes.len()]);
        Scratch { counts, rows: 0, bounds, order: Vec::new(), sorted: Vec::new() }
    }

    /// The cut of the widest axis that has an allowable one.
    pub(super) fn choose(&mut self, part: &Part<'_>, search: &Search<'_, '_>) -> Result<Option<Cut>, Stop> {
        self.rows = part.records().map(|record| u64::from(rows_of(record))).sum();
        if part.len() < 2 || self.rows < 2 * search.k {
            return Ok(None);
        }
        self.measure(part, search.axes);
        for next in 0..self.order.len() {
            search.go_on(part)?;
            if let Some(cut) = self.cut(part, self.order[next].1, search) {
                return Ok(Some(cut));
            }
        }
        Ok(None)
    }

    /// Finds the bounds of a part, and sorts the axes on which it has a width.
    fn measure(&mut self, part: &Part<'_>, axes: &[Axis]) {
        self.bounds.fill((u32::MAX, 0));
        for record in part.records() {
            for ((least, most), &rank) in self.bounds.iter_mut().zip(record) {
                *least = (*least).min(rank);
                *most = (*most).max(rank);
            }
        }
        self.order.clear();
        for (a, axis) in axes.iter().enumerate() {
            let (least, most) = self.bounds[a];
            let values = if axis.is_set() && least < most { self.count_values(part, a) } else { 0 };
            let width = axis.width(least, most, values);
            if width > 0.0 {
                self.order.push((width, a));
            }
        }
        self.order.sort_by(|(x, _), (y, _)| y.total_cmp(x));
    }

    /// Number of ranks of a part on an axis.
    fn count_values(&mut self, part: &Part<'_>, axis: usize) -> usize {
        let mut values = 0;
        for record in part.records() {
            let seen = &mut self.counts[record[axis] as usize];
            values += usize::from(*seen == 0);
            *seen = 1;
        }
        part.records().for_each(|record| self.counts[record[axis] as usize] = 0);
        values
    }

    fn cut(&mut self, part: &Part<'_>, axis: usize, search: &Search<'_, '_>) -> Option<Cut> {
        let (least, most) = self.bounds[axis];
        match search.axes[axis].way(least, most) {
            Way::Children(node) => {
                let pool = self.pool(part, axis, search.axes[axis].child_starts(node), search)?;
                Some(Cut::Children { axis, node, pool })
            }
            Way::Between { missing } => {
                let (rank, tuple) = self.between(part, axis, missing && least == 0, search)?;
                Some(Cut::Between { axis, rank, tuple })
            }
        }
    }

    /// The children that go together, if the cut is allowable.
    fn pool(
        &mut self,
        part: &Part<'_>,
        axis: usize,
        starts: &[u32],
        search: &Search<'_, '_>,
    ) -> Option<Vec<u32>> {
        let child = |record: &[u32]| starts.partition_point(|&start| start <= record[axis]);
        part.records().for_each(|record| self.counts[child(record)] += rows_of(record));
        // Each child that occurs is taken once, by the first of its records.
        self.sorted.clear();
        for record in part.records() {
            let child = child(record);
            let rows = std::mem::take(&mut self.counts[child]);
            if rows > 0 {
                self.sorted.push((rows, child as u32));
            }
        }
        let small = self.sorted.iter().any(|&(rows, _)| u64::from(rows) < search.k);
        match (small, search.relaxed) {
            (false, _) => Some(Vec::new()),
            (true, false) => None,
            (true, true) => pool_small(&mut self.sorted, search.k),
        }
    }

    /// The place on an axis that cuts a part most evenly, if that is allowable; if it is not, no
    /// place is.
    fn between(
        &mut self,
        part: &Part<'_>,
        axis: usize,
        missing: bool,
        search: &Search<'_, '_>,
    ) -> Option<(u32, u32)> {
        self.count_ranks(part, axis);
        let first = u64::from(self.sorted[0].1);
        if missing && first.min(self.rows - first) >= search.k {
            return Some((1, 0));
        }
        let mut half = Half { rows: self.rows, ..Half::default() };
        for &(rank, rows) in &self.sorted {
            half.offer((rank, 0));
            half.pass(rank, rows);
        }
        if search.relaxed {
            self.cut_within(part, axis, &mut half);
        }
        (half.smaller >= search.k).then_some(half.place)
    }

    /// Sorts the ranks of a part on an axis, with their rows.
    fn count_ranks(&mut self, part: &Part<'_>, axis: usize) {
        let (least, most) = self.bounds[axis];
        self.sorted.clear();
        // Where ranks are few and far between, going through them takes longer than sorting.
        if (most - least) as usize > 4 * part.len() {
            self.sorted.extend(part.records().map(|record| (record[axis], rows_of(record))));
            self.sorted.sort_unstable();
            self.sorted.dedup_by(|next, last| {
                let same = next.0 == last.0;
                last.1 += if same { next.1 } else { 0 };
                same
            });
            return;
        }
        part.records().for_each(|record| self.counts[record[axis] as usize] += rows_of(record));
        for (rank, count) in (least..=most).zip(&mut self.counts[least as usize..=most as usize]) {
            if *count > 0 {
                self.sorted.push((rank, std::mem::take(count)));
            }
        }
    }

    /// Offers the places between the tuples of the rank that holds the middle.
    fn cut_within(&mut self, part: &Part<'_>, axis: usize, half: &mut Half) {
        let rank = half.middle.0;
        let of_rank = part.records().filter(|record| record[axis] == rank);
        self.sorted.clear();
        self.sorted.extend(of_rank.map(|record| (part_tuple(record), rows_of(record))));
        self.sorted.sort_unstable();
        half.before = half.middle.1;
        for &(tuple, rows) in &self.sorted {
            half.offer((rank, tuple));
            half.before += u64::from(rows);
        }
    }
}

/// The place nearest to the middle so far; of two as near, the one that was offered first.
#[derive(Default)]
struct Half {
    rows: u64,
    /// Rows before the place at hand.
    before: u64,
    /// Rows of the smaller side of the best place.
    smaller: u64,
    place: (u32, u32),
    /// The rank that holds the middle, and the rows before it.
    middle: (u32, u64),
}

impl Half {
    fn offer(&mut self, place: (u32, u32)) {
        let smaller = self.before.min(self.rows - self.before);
        if smaller > self.smaller {
            (self.smaller, self.place) = (smaller, place);
        }
    }

    fn pass(&mut self, rank: u32, rows: u32) {
        let after = self.before + u64::from(rows);
        if 2 * self.before < self.rows && self.rows <= 2 * after {
            self.middle = (rank, self.before);
        }
        self.before = after;
    }
}

/// The children, as (rows, child), that have fewer than k rows, with the smallest other if they
/// lack rows even together; none if nothing would be left beside them.
fn pool_small(children: &mut [(u32, u32)], k: u64) -> Option<Vec<u32>> {
    children.sort_unstable();
    let mut pooled = children.partition_point(|&(rows, _)| u64::from(rows) < k);
    let rows: u64 = children[..pooled].iter().map(|&(rows, _)| u64::from(rows)).sum();
    pooled += usize::from(rows < k);
    if pooled >= children.len() {
        return None;
    }
    let mut pool: Vec<u32> = children[..pooled].iter().map(|&(_, child)| child).collect();
    pool.sort_unstable();
    Some(pool)
}

/// How many rows a record stands for.
fn rows_of(record: &[u32]) -> u32 {
    record[record.len() - 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_children_go_together() {
        let pool = |children: &[(u32, u32)]| pool_small(&mut children.to_vec(), 5);
        assert_eq!(pool(&[(9, 0), (3, 1), (6, 2), (2, 3)]), Some(vec![1, 3]));
        assert_eq!(pool(&[(9, 0), (3, 1), (6, 2)]), Some(vec![1, 2]), "three rows need more");
        assert_eq!(pool(&[(9, 0), (3, 1)]), None);
        assert_eq!(pool(&[(3, 0), (3, 1)]), None);
    }

    #[test]
    fn the_middle_is_found_by_rows() {
        let of = |ranks: &[(u32, u32)]| {
            let rows = ranks.iter().map(|&(_, rows)| u64::from(rows)).sum();
            let mut half = Half { rows, ..Half::default() };
            for &(rank, rows) in ranks {
                half.offer((rank, 0));
                half.pass(rank, rows);
            }
            (half.place.0, half.smaller, half.middle)
        };
        assert_eq!(of(&[(1, 2), (4, 1), (6, 3)]), (6, 3, (4, 2)));
        assert_eq!(of(&[(1, 1), (4, 8), (6, 1)]), (4, 1, (4, 1)), "the lower of two");
        assert_eq!(of(&[(1, 1), (4, 8)]), (4, 1, (4, 1)));
    }
}
