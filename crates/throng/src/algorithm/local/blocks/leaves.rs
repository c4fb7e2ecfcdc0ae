//! What a block knows of its leaves, in no more time and space than its tuples take.
//!
//! A taxonomy may have far more leaves than a block has tuples. Most often those of a block are near
//! each other, and then a list from the least to the greatest is fast and short enough; where it is
//! not, only leaves that occur are listed, in order.

use crate::taxonomy::ValueId;

/// Entries of a list for each tuple or leaf that is worth it.
const SPARE: usize = 4;

/// The rows of each leaf that occurs, in order, by the leaf and the rows of each tuple.
pub(super) fn count(tuples: impl ExactSizeIterator<Item = (ValueId, u32)> + Clone) -> Vec<(ValueId, u64)> {
    let ends = |(least, most): (ValueId, ValueId), (leaf, _)| (least.min(leaf), most.max(leaf));
    let (least, most) = tuples.clone().fold((ValueId::MAX, 0), ends);
    if spread(least, most) > SPARE * tuples.len() {
        let mut rows: Vec<(ValueId, u64)> = tuples.map(|(leaf, rows)| (leaf, u64::from(rows))).collect();
        rows.sort_unstable();
        rows.dedup_by(|next, last| {
            let same = next.0 == last.0;
            last.1 += if same { next.1 } else { 0 };
            same
        });
        return rows;
    }
    let mut rows = vec![0; spread(least, most)];
    tuples.for_each(|(leaf, of)| rows[(leaf - least) as usize] += u64::from(of));
    rows.into_iter().zip(least..).filter(|&(rows, _)| rows > 0).map(|(rows, leaf)| (leaf, rows)).collect()
}

/// Leaves from one to another.
fn spread(least: ValueId, most: ValueId) -> usize {
    (most as usize + 1).saturating_sub(least as usize)
}

/// A number for each leaf that occurs.
pub(super) enum LeafNumbers {
    /// From the least leaf on.
    From(ValueId, Vec<u32>),
    /// With their leaves.
    Of(Vec<(ValueId, u32)>),
}

impl LeafNumbers {
    /// The numbers of leaves that are in order.
    pub(super) fn new(numbers: Vec<(ValueId, u32)>) -> LeafNumbers {
        let (Some(&(least, _)), Some(&(most, _))) = (numbers.first(), numbers.last()) else {
            return LeafNumbers::Of(numbers);
        };
        if spread(least, most) > SPARE * numbers.len() {
            return LeafNumbers::Of(numbers);
        }
        let mut list = vec![u32::MAX; spread(least, most)];
        numbers.into_iter().for_each(|(leaf, number)| list[(leaf - least) as usize] = number);
        LeafNumbers::From(least, list)
    }

    /// The number of a leaf that occurs.
    pub(super) fn number(&self, leaf: ValueId) -> u32 {
        match self {
            LeafNumbers::From(least, list) => list[(leaf - least) as usize],
            LeafNumbers::Of(numbers) => numbers[numbers.partition_point(|&(other, _)| other < leaf)].1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_leaves_are_counted_alike() {
        for step in [1, 3, 1_000] {
            let tuples = [(7, 1), (2, 5), (7, 2), (4, 1), (2, 1)].map(|(leaf, rows)| (leaf * step, rows));
            let rows = count(tuples.into_iter());
            assert_eq!(rows, [(2, 6), (4, 1), (7, 3)].map(|(leaf, rows)| (leaf * step, rows)));
        }
        assert_eq!(count([].into_iter()), []);
    }

    #[test]
    fn near_and_far_leaves_have_their_numbers() {
        for step in [1, 3, 1_000] {
            let all = [(2, 9), (4, 0), (7, 5)].map(|(leaf, number)| (leaf * step, number));
            let numbers = LeafNumbers::new(all.to_vec());
            assert_eq!(matches!(numbers, LeafNumbers::Of(_)), step > 1);
            assert!(all.iter().all(|&(leaf, number)| numbers.number(leaf) == number));
        }
    }

    /// The last of a million leaves beside the first: what is kept does not depend on those between.
    #[test]
    fn what_is_kept_is_no_more_than_a_few_times_the_leaves_that_occur() {
        for leaves in [10u32, 1_000, 1_000_000] {
            let numbers = LeafNumbers::new(vec![(0, 1), (leaves - 1, 2)]);
            let kept = match numbers {
                LeafNumbers::From(_, list) => list.len(),
                LeafNumbers::Of(list) => list.len(),
            };
            assert!(kept <= SPARE * 2);
        }
    }
}
