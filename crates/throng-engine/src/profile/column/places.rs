//! Whole numbers that lie close together, such as days: found by place instead of by hash.

/// What is known about the numbers in some range: the tag of each, and what the sample calls it.
///
/// A number is *settled* once it was met twice: nothing that a sample keeps of it can change then,
/// so further rows need not look it up there.
#[derive(Clone, Debug)]
pub(super) struct Places {
    first: i64,
    /// For each number, what it is called, its tag, and in the lowest bits how often it was met.
    entries: Vec<u32>,
    most: usize,
}

const MET: u32 = 0b11;
const SETTLED: u32 = 2;
const TAG_SHIFT: u32 = 2;
const TAG: u32 = 0b11_1111;
const CALLED_SHIFT: u32 = 8;

impl Places {
    /// Room for a range of at most so many numbers.
    pub(super) fn new(most: usize) -> Places {
        Places { first: 0, entries: Vec::new(), most }
    }

    /// Makes places for the numbers from the least to the greatest, unless the range would become
    /// too long. Then it stays as it is, and numbers beyond it have no place.
    pub(super) fn cover(&mut self, least: i64, greatest: i64) {
        let (first, last) = match self.entries.len() {
            0 => (least, greatest),
            length => (self.first.min(least), (self.first + (length as i64 - 1)).max(greatest)),
        };
        let Some(length) = last.checked_sub(first).and_then(|span| usize::try_from(span).ok()) else {
            return;
        };
        if length >= self.most || length < self.entries.len() && first == self.first {
            return;
        }
        let mut entries = vec![0; length + 1];
        if !self.entries.is_empty() {
            let before = (self.first - first) as usize;
            entries[before..before + self.entries.len()].copy_from_slice(&self.entries);
        }
        (self.first, self.entries) = (first, entries);
    }

    /// The tag of a settled number, and what it is called.
    #[inline]
    pub(super) fn find(&self, number: i64) -> Option<(u8, u32)> {
        let entry = *self.entries.get(self.place(number))?;
        (entry & MET == SETTLED).then_some(((entry >> TAG_SHIFT & TAG) as u8, entry >> CALLED_SHIFT))
    }

    /// Notes that a number that is not settled was met, its tag, and what it is called.
    #[inline]
    pub(super) fn meet(&mut self, number: i64, (tag, called): (u8, u32)) {
        let place = self.place(number);
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = called << CALLED_SHIFT | u32::from(tag) << TAG_SHIFT | ((*entry & MET) + 1);
        }
    }

    /// Forgets what is known of all numbers.
    pub(super) fn forget(&mut self) {
        self.entries.fill(0);
    }

    /// The place of a number; there is none for numbers before the first, which wrap around.
    #[inline]
    fn place(&self, number: i64) -> usize {
        usize::try_from(number.wrapping_sub(self.first) as u64).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_settled_when_met_twice() {
        let mut places = Places::new(100);
        places.cover(-5, 20);
        assert_eq!(places.find(7), None);
        places.meet(7, (63, 70_000));
        assert_eq!(places.find(7), None);
        places.meet(7, (63, 70_000));
        assert_eq!((places.find(7), places.find(8)), (Some((63, 70_000)), None));
        places.forget();
        assert_eq!(places.find(7), None);
    }

    #[test]
    fn a_range_grows_on_both_sides_up_to_a_limit() {
        let mut places = Places::new(100);
        places.cover(10, 20);
        (0..2).for_each(|_| places.meet(10, (5, 1)));
        places.cover(0, 15);
        places.cover(90, 99);
        assert_eq!((places.first, places.entries.len(), places.find(10)), (0, 100, Some((5, 1))));
        for beyond in [-1, 100, i64::MIN, i64::MAX] {
            places.cover(beyond, beyond);
            (0..2).for_each(|_| places.meet(beyond, (5, 1)));
            assert_eq!((places.first, places.entries.len(), places.find(beyond)), (0, 100, None));
        }
        assert_eq!(places.find(10), Some((5, 1)));
        let mut far = Places::new(100);
        far.cover(i64::MIN, i64::MAX);
        assert!(far.entries.is_empty());
        far.cover(i64::MAX - 9, i64::MAX);
        far.cover(i64::MIN, i64::MIN);
        assert_eq!(far.entries.len(), 10);
    }
}
