//! The safest that can be left of a class when some of its rows go.
//!
//! Of all ways to take so many rows from a class, the safest takes them from its most frequent values until
//! these are level: what is left is majorised by whatever else could be. So it has the greatest entropy,
//! the least greatest share, and the least ratio of the greatest counts to the others.

use super::missing::ShownBySensitive;
use crate::table::Histogram;

/// How many rows must go at least for a set of values that does not hold to do so; all if none of its subsets does.
/// Where cells are missing, one at least.
///
/// `holds` must be true of level counts if of any with the same sum, and of lower levels if of higher ones.
pub(super) fn least_to_level(values: ShownBySensitive<'_>, holds: impl Fn(Histogram<'_>) -> bool) -> u64 {
    if values.missing > 0 {
        return 1;
    }
    let counts: Vec<u32> = values.counts().collect();
    let capped = |cap: u32| counts.iter().map(|&count| count.min(cap)).collect::<Vec<u32>>();
    let holds_at = |cap: u32| holds(Histogram::Placed(&capped(cap)));
    let left = |cap: u32| counts.iter().map(|&count| u64::from(count - count.min(cap))).sum::<u64>();
    // The lowest cap that does not hold: one row more must go than it takes away.
    let (mut low, mut high) = (1, counts.iter().copied().max().unwrap_or(0));
    if !holds_at(1) {
        return counts.iter().map(|&count| u64::from(count)).sum();
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds_at(middle) { low = middle + 1 } else { high = middle }
    }
    left(low) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Whole;
    use crate::privacy::tests::class;

    #[test]
    fn the_most_frequent_values_give_way() {
        let at_most_half = |values: Histogram<'_>| {
            2 * values.iter().map(|(_, rows)| u64::from(rows)).max().unwrap_or(0) <= values.rows()
        };
        let least = |counts: &[u32]| {
            class(counts, |class| {
                least_to_level(ShownBySensitive::new(class, 0, &Whole::default()), at_most_half)
            })
        };
        // 9 + 2 + 1: six of the nine must go.
        assert_eq!(least(&[9, 0, 2, 1]), 6);
        assert_eq!(least(&[5]), 5, "no subset holds");
        assert_eq!(least(&[3, 2]), 1);
    }
}
