//! Where a block can be cut along one attribute.

use super::cut::middle;
use super::leaves::LeafNumbers;
use crate::taxonomy::ValueId;

/// Pieces of about equally many rows in which a range is looked at.
const PIECES: u64 = 16;

/// The values of a block just below its closure in an attribute; of an attribute without a tree,
/// pieces of the range.
pub(super) struct Branches {
    pub(super) attribute: usize,
    /// Rows of each branch, in order.
    rows: Vec<u64>,
    /// The branch of each leaf that occurs.
    of_leaf: LeafNumbers,
    /// Whether branches that are next to each other are near.
    ordered: bool,
    costs: BranchCosts,
}

/// What the join of rows of two different branches costs.
enum BranchCosts {
    Same(f64),
    /// By row.
    OfPairs(Vec<f64>),
}

/// The part of each branch.
pub(super) struct BranchParts {
    pub(super) of_branch: Vec<usize>,
    pub(super) count: usize,
}

impl Branches {
    /// The branches of a tree, by the value below its top that a leaf is under; leaves that occur
    /// come in order, with their rows.
    pub(super) fn of_tree(
        attribute: usize,
        rows_of_leaf: &[(ValueId, u64)],
        below_top: impl Fn(ValueId) -> ValueId,
        cost: f64,
    ) -> Option<Branches> {
        let (mut rows, mut of_leaf) = (Vec::new(), Vec::with_capacity(rows_of_leaf.len()));
        let mut known = rustc_hash::FxHashMap::default();
        for &(leaf, of) in rows_of_leaf {
            let branch = *known.entry(below_top(leaf)).or_insert(rows.len());
            if branch == rows.len() {
                rows.push(0);
            }
            rows[branch] += of;
            of_leaf.push((leaf, branch as u32));
        }
        let (costs, of_leaf) = (BranchCosts::Same(cost), LeafNumbers::new(of_leaf));
        (rows.len() > 1).then_some(Branches { attribute, rows, of_leaf, ordered: false, costs })
    }

    /// The pieces of a range; leaves that occur come in order, with their rows.
    pub(super) fn of_range(
        attribute: usize,
        rows_of_leaf: &[(ValueId, u64)],
        cost: impl Fn(ValueId, ValueId) -> f64,
    ) -> Option<Branches> {
        let all: u64 = rows_of_leaf.iter().map(|(_, rows)| rows).sum();
        let (mut rows, mut of_leaf, mut firsts) = (Vec::<u64>::new(), Vec::new(), Vec::new());
        let mut before = 0;
        for &(leaf, of) in rows_of_leaf {
            // A piece begins where the rows before fill the earlier ones.
            if before * PIECES >= all * rows.len() as u64 {
                rows.push(0);
                firsts.push(leaf);
            }
            let piece = rows.len() - 1;
            rows[piece] += of;
            of_leaf.push((leaf, piece as u32));
            before += of;
        }
        let pairs = firsts.iter().flat_map(|&a| firsts.iter().map(move |&b| (a, b)));
        let costs = BranchCosts::OfPairs(pairs.map(|(a, b)| if a == b { 0.0 } else { cost(a, b) }).collect());
        let of_leaf = LeafNumbers::new(of_leaf);
        (rows.len() > 1).then_some(Branches { attribute, rows, of_leaf, ordered: true, costs })
    }

    /// The branch of a leaf that occurs.
    pub(super) fn of_leaf(&self, leaf: ValueId) -> usize {
        self.of_leaf.number(leaf) as usize
    }

    /// Every branch of at least `floor` rows by itself, the others together; none if that is no
    /// cut. Pieces of a range are halved.
    pub(super) fn set_apart(&self, floor: u64) -> Option<BranchParts> {
        if self.ordered {
            return self.halve(floor);
        }
        let mut of_branch = vec![usize::MAX; self.rows.len()];
        let large = (0..self.rows.len()).filter(|&branch| self.rows[branch] >= floor);
        let mut count = 0;
        for branch in large {
            of_branch[branch] = count;
            count += 1;
        }
        let small: u64 = self.rows.iter().filter(|&&rows| rows < floor).sum();
        let part_of_small = if small >= floor {
            count += 1;
            count - 1
        } else {
            // What is too little to stay by itself goes to the smallest of the large ones.
            let large = (0..self.rows.len()).filter(|&branch| self.rows[branch] >= floor);
            of_branch[large.min_by_key(|&branch| self.rows[branch])?]
        };
        of_branch.iter_mut().filter(|part| **part == usize::MAX).for_each(|part| *part = part_of_small);
        (count > 1).then_some(BranchParts { of_branch, count })
    }

    /// Two parts of at least `floor` rows, as equal as the order of the branches allows.
    pub(super) fn halve(&self, floor: u64) -> Option<BranchParts> {
        let middle = middle(&self.rows, floor)?;
        let of_branch = (0..self.rows.len()).map(|branch| usize::from(branch >= middle)).collect();
        Some(BranchParts { of_branch, count: 2 })
    }

    /// By how much a cut makes the join of two rows of one part cheaper, for each bit of the cut.
    pub(super) fn score(&self, parts: &BranchParts) -> f64 {
        let whole = BranchParts { of_branch: vec![0; self.rows.len()], count: 1 };
        let rows = self.rows_of(parts);
        let all: f64 = rows.iter().sum();
        let bits: f64 = rows.iter().map(|rows| rows / all * (all / rows).log2()).sum();
        (self.expected(&whole) - self.expected(parts)) / bits
    }

    fn rows_of(&self, parts: &BranchParts) -> Vec<f64> {
        let mut rows = vec![0.0; parts.count];
        self.rows.iter().zip(&parts.of_branch).for_each(|(&of, &part)| rows[part] += of as f64);
        rows
    }

    /// What the join of a row with another of its part costs on average, as far as branches say.
    fn expected(&self, parts: &BranchParts) -> f64 {
        let rows = self.rows_of(parts);
        let all: f64 = rows.iter().sum();
        let mut sums = vec![0.0; parts.count];
        for (branch, &part) in parts.of_branch.iter().enumerate() {
            let of = self.rows[branch] as f64;
            sums[part] += match &self.costs {
                BranchCosts::Same(cost) => of * (rows[part] - of) * cost,
                BranchCosts::OfPairs(costs) => {
                    let costs = &costs[branch * self.rows.len()..][..self.rows.len()];
                    let others = (0..costs.len()).filter(|&other| parts.of_branch[other] == part);
                    of * others.map(|other| self.rows[other] as f64 * costs[other]).sum::<f64>()
                }
            };
        }
        sums.iter().zip(&rows).map(|(sum, rows)| sum / rows).sum::<f64>() / all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_leaf(rows: impl Iterator<Item = u64>) -> Vec<(ValueId, u64)> {
        (0..).zip(rows).collect()
    }

    fn of_tree(rows: &[u64]) -> Branches {
        Branches::of_tree(0, &by_leaf(rows.iter().copied()), |leaf| leaf, 1.0).unwrap()
    }

    #[test]
    fn small_branches_stay_together() {
        let parts = of_tree(&[50, 3, 40, 9]).set_apart(10).unwrap();
        assert_eq!((parts.of_branch, parts.count), (vec![0, 2, 1, 2], 3));
        // Too few for a part: they go with the smallest.
        let parts = of_tree(&[50, 3, 40, 5]).set_apart(10).unwrap();
        assert_eq!((parts.of_branch, parts.count), (vec![0, 1, 1, 1], 2));
        assert!(of_tree(&[50, 3, 5]).set_apart(10).is_none());
        assert!(of_tree(&[5, 3, 5]).set_apart(10).is_none());
    }

    #[test]
    fn halves_are_equal_or_there_are_none() {
        let parts = of_tree(&[5, 3, 5, 4]).halve(8).unwrap();
        assert_eq!(parts.of_branch, [0, 0, 1, 1]);
        assert!(of_tree(&[50, 3, 5]).halve(9).is_none());
    }

    #[test]
    fn a_clean_cut_scores_more_than_an_arbitrary_one() {
        let clean = of_tree(&[50, 50]);
        let arbitrary = of_tree(&[10; 10]);
        let score = |branches: &Branches| branches.score(&branches.halve(1).unwrap());
        assert!((score(&clean) - 0.5).abs() < 1e-9, "half of all pairs are joined, for one bit");
        assert!((score(&arbitrary) - 0.1).abs() < 1e-9, "nine in ten before, eight in ten after");
    }

    #[test]
    fn a_range_is_halved_at_its_median() {
        let rows = by_leaf((0..100).map(|leaf| if leaf < 10 { 100 } else { 1 }));
        let cost = |a: ValueId, b: ValueId| f64::from(a.abs_diff(b)) / 99.0;
        let branches = Branches::of_range(3, &rows, cost).unwrap();
        assert!(branches.rows.len() <= 16);
        assert_eq!(branches.rows.iter().sum::<u64>(), 1_090);
        let parts = branches.set_apart(300).unwrap();
        let part = |leaf: ValueId| parts.of_branch[branches.of_leaf(leaf)];
        assert_eq!((part(0), part(4), part(6), part(99)), (0, 0, 1, 1));
        assert!(branches.score(&parts) > 0.0);
    }
}
