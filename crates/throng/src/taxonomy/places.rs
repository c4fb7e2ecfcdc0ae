//! Leaves that are the same number or moment, spelled differently.

use std::sync::Arc;

use super::{Leaves, ValueId};

/// The place of each leaf that generalises to ranges; equal ones have the same.
///
/// Nothing is kept if all are different: then a leaf's place is its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places(Option<Arc<[u32]>>);

impl Places {
    /// From the place of each leaf but the missing one, in ascending order.
    pub(super) fn new(places: Vec<u32>) -> Places {
        let distinct = places.windows(2).all(|pair| pair[0] < pair[1]);
        Places((!distinct).then(|| places.into()))
    }

    /// The place of a leaf.
    pub(super) fn position(&self, leaf: ValueId) -> u32 {
        let place = self.0.as_ref().and_then(|places| places.get(leaf as usize));
        place.copied().unwrap_or(leaf)
    }

    /// The first of the leaves that are equal to one.
    pub(super) fn first_equal(&self, leaf: ValueId) -> ValueId {
        match &self.0 {
            Some(places) => places.partition_point(|&place| place < self.position(leaf)) as ValueId,
            None => leaf,
        }
    }

    /// Adds all leaves that are equal to the ends of a range.
    pub(crate) fn widen(&self, leaves: &mut Leaves) {
        if let (Leaves::Range { first, last }, Some(places)) = (leaves, &self.0) {
            let most = self.position(*last);
            *first = self.first_equal(*first);
            *last = places.partition_point(|&place| place <= most) as ValueId - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widened(places: &Places, first: ValueId, last: ValueId) -> (ValueId, ValueId) {
        let mut leaves = Leaves::Range { first, last };
        places.widen(&mut leaves);
        let Leaves::Range { first, last } = leaves else { panic!("a range stays one") };
        (first, last)
    }

    #[test]
    fn a_range_has_all_that_equals_its_ends() {
        let places = Places::new(vec![0, 1, 1, 1, 2, 3, 3]);
        assert_eq!([0, 2, 4, 6].map(|leaf| places.position(leaf)), [0, 1, 2, 3]);
        assert_eq!((widened(&places, 2, 4), widened(&places, 3, 5)), ((1, 4), (1, 6)));
        assert_eq!((widened(&places, 2, 2), widened(&places, 0, 4)), ((1, 3), (0, 4)));
        assert_eq!([0, 3, 6].map(|leaf| places.first_equal(leaf)), [0, 1, 5]);
    }

    #[test]
    fn different_numbers_are_as_they_are() {
        let places = Places::new(vec![0, 1, 2]);
        assert_eq!(places, Places::default());
        assert_eq!((places.position(2), places.first_equal(2), widened(&places, 0, 1)), (2, 2, (0, 1)));
    }
}
