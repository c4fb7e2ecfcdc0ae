//! Where a part is cut.

use super::axis::{AxisCut, CutAxis};
use super::children::Pool;
use super::records::Region;
use super::{Cutting, part_tuple};
use crate::run::Stop;
use crate::taxonomy::ValueId;

/// An allowable cut of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegionCut {
    /// RankRecords before a place on an axis, and the others; tuples of one rank are told apart by
    /// their number.
    Between { axis: usize, rank: u32, tuple: u32 },
    /// The children of a value; what is in the pool goes together.
    Children { axis: usize, node: ValueId, pool: Pool },
}

/// What cuts are found with; one for each thread, used again for every part.
pub(super) struct Scratch {
    /// Rows by rank or child, from the least; all 0 between two uses.
    counts: Vec<u32>,
    /// Rows of the part.
    pub(super) rows: u64,
    /// Least and greatest rank on each axis.
    pub(super) bounds: Vec<(u32, u32)>,
    /// Axes by width.
    order: Vec<(f64, usize)>,
    /// Ranks or tuples with their rows, in order.
    pub(super) sorted: Vec<(u32, u32)>,
    /// Tuples that are in classes and not yet reported.
    pub(super) closed: u64,
    /// Axes on which only one child of a value has k rows, and all others not even together; the widest
    /// first.
    pub(super) blocked: Vec<(usize, ValueId, u32)>,
}

impl Scratch {
    pub(super) fn new(axes: &[CutAxis]) -> Scratch {
        let bounds = vec![(0, 0); axes.len()];
        Scratch {
            counts: Vec::new(),
            rows: 0,
            bounds,
            order: Vec::new(),
            sorted: Vec::new(),
            closed: 0,
            blocked: Vec::new(),
        }
    }

    /// The cut of the widest axis that has an allowable one; if none has, the widest one below the
    /// children of the value that covers the part.
    pub(super) fn choose(
        &mut self,
        part: &Region<'_>,
        search: &Cutting<'_, '_>,
    ) -> Result<Option<RegionCut>, Stop> {
        self.rows = part.records().map(|record| u64::from(rows_of(record))).sum();
        if part.len() < 2 || self.rows < 2 * search.k {
            return Ok(None);
        }
        self.measure(part, search.axes);
        self.blocked.clear();
        for next in 0..self.order.len() {
            search.go_on(part)?;
            let cut = self.cut(part, self.order[next].1, search);
            if let Some(cut) = cut.filter(|cut| search.allows(part, cut)) {
                return Ok(Some(cut));
            }
        }
        for next in 0..self.blocked.len() {
            search.go_on(part)?;
            let cut = self.cut_below(part, self.blocked[next], search);
            if let Some(cut) = cut.filter(|cut| search.allows(part, cut)) {
                return Ok(Some(cut));
            }
        }
        Ok(None)
    }

    /// Finds the bounds of a part, and sorts the axes on which it has more than one rank.
    fn measure(&mut self, part: &Region<'_>, axes: &[CutAxis]) {
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
            if least < most {
                self.order.push((axis.width(least, most, values), a));
            }
        }
        self.order.sort_by(|(x, _), (y, _)| y.total_cmp(x));
    }

    /// Number of ranks of a part on an axis.
    fn count_values(&mut self, part: &Region<'_>, axis: usize) -> usize {
        self.count(part, self.bounds[axis], |record| record[axis]);
        self.sorted.len()
    }

    fn cut(&mut self, part: &Region<'_>, axis: usize, search: &Cutting<'_, '_>) -> Option<RegionCut> {
        let (least, most) = self.bounds[axis];
        match search.axes[axis].way(least, most) {
            AxisCut::Children(node) => self.cut_children(part, axis, node, search),
            AxisCut::Between { missing } => {
                let (rank, tuple) = self.between(part, axis, missing && least == 0, search)?;
                Some(RegionCut::Between { axis, rank, tuple })
            }
        }
    }

    /// The place on an axis that cuts a part most evenly, if that is allowable; if it is not, no
    /// place is.
    fn between(
        &mut self,
        part: &Region<'_>,
        axis: usize,
        missing: bool,
        search: &Cutting<'_, '_>,
    ) -> Option<(u32, u32)> {
        self.count(part, self.bounds[axis], |record| record[axis]);
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

    /// Sorts what records of a part have on an axis, from `least` to `most`, with their rows: ranks
    /// or children.
    pub(super) fn count(&mut self, part: &Region<'_>, (least, most): (u32, u32), of: impl Fn(&[u32]) -> u32) {
        let spread = (most - least) as usize + 1;
        self.sorted.clear();
        // Where these are few and far between, going through all takes longer than sorting.
        if spread > 4 * part.len() + 1 {
            self.sorted.extend(part.records().map(|record| (of(record), rows_of(record))));
            self.sorted.sort_unstable();
            self.sorted.dedup_by(|next, last| {
                let same = next.0 == last.0;
                last.1 += if same { next.1 } else { 0 };
                same
            });
            return;
        }
        self.counts.resize(self.counts.len().max(spread), 0);
        part.records().for_each(|record| self.counts[(of(record) - least) as usize] += rows_of(record));
        for (of, count) in (least..=most).zip(&mut self.counts) {
            if *count > 0 {
                self.sorted.push((of, std::mem::take(count)));
            }
        }
    }

    /// Offers the places between the tuples of the rank that holds the middle.
    fn cut_within(&mut self, part: &Region<'_>, axis: usize, half: &mut Half) {
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

/// How many rows a record stands for.
pub(super) fn rows_of(record: &[u32]) -> u32 {
    record[record.len() - 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::local::admissible::Admissibility;
    use crate::algorithm::local::mondrian::records::RankRecords;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::requirement::Requirement;
    use crate::run::{Run, Unobserved};
    use crate::table::Table;
    use crate::taxonomy::{Taxonomy, ranges, sets};

    /// Four of 50,000 values, in a tree, a range and a set.
    #[test]
    fn a_small_part_is_counted_in_little_space() {
        let labels: Vec<String> = (0..50_000).map(|leaf| format!("{leaf:05}")).collect();
        let taxonomies = [Taxonomy::flat(&labels), ranges(&labels, None), sets(&labels, 4)];
        let attributes = taxonomies.map(|taxonomy| ("column".to_owned(), taxonomy.unwrap(), 1.0));
        let table = Table::new(vec![vec![7, 300, 20_000, 49_999]; 3], vec![2; 4]);
        let k = Requirement::new(KAnonymity { k: 2 });
        let problem =
            Problem::new(table, attributes.to_vec(), k, 0, loss::find("ncp").unwrap()).expect("valid");
        let axes: Vec<CutAxis> = problem.attributes().iter().map(CutAxis::new).collect();
        let mut records = RankRecords::new(problem.table(), &axes);
        let run = Run::new(&problem, None, &Unobserved);
        let (admissibility, table) = (&Admissibility::new(&problem), problem.table());
        let search = Cutting { axes: &axes, k: 2, admissibility, table, relaxed: false, run: &run };
        let mut scratch = Scratch::new(&axes);
        assert!(scratch.choose(&records.whole(), &search).unwrap().is_some());
        for axis in 0..3 {
            assert!(scratch.cut(&records.whole(), axis, &search).is_some());
        }
        assert!(scratch.counts.len() <= 17);
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
