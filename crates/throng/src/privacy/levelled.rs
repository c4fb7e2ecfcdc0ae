//! The safest that can be left of a class when some of its rows go.
//!
//! Of all ways to take so many rows from a class, the safest takes them from its most frequent values until
//! these are level: what is left is majorised by whatever else could be. So it has the greatest entropy,
//! the least greatest share, and the least ratio of the greatest counts to the others.

use crate::table::Histogram;

/// How many rows must go at least for a set of values to hold; all if none of its subsets does.
///
/// `holds` must be true of level counts if of any with the same sum, and of lower levels if of higher ones.
pub(super) fn least_to_level(values: Histogram<'_>, holds: impl Fn(Histogram<'_>) -> bool) -> u64 {
    let counts: Vec<u32> = values.iter().map(|(_, rows)| rows).collect();
    let capped = |cap: u32| counts.iter().map(|&count| count.min(cap)).collect::<Vec<u32>>();
    let holds_at = |cap: u32| holds(Histogram::Placed(&capped(cap)));
    let left = |cap: u32| counts.iter().map(|&count| u64::from(count - count.min(cap))).sum::<u64>();
    // The lowest cap that does not hold: one row more must go than it takes away.
    let (mut low, mut high) = (1, counts.iter().copied().max().unwrap_or(0));
    if !holds_at(1) {
        return values.rows();
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

    #[test]
    fn the_most_frequent_values_give_way() {
        let at_most_half = |values: Histogram<'_>| {
            2 * values.iter().map(|(_, rows)| u64::from(rows)).max().unwrap_or(0) <= values.rows()
        };
        // 9 + 2 + 1: six of the nine must go.
        assert_eq!(least_to_level(Histogram::Placed(&[9, 0, 2, 1]), at_most_half), 6);
        assert_eq!(least_to_level(Histogram::Placed(&[5]), at_most_half), 5, "no subset holds");
        assert_eq!(least_to_level(Histogram::Placed(&[3, 2]), at_most_half), 1);
    }
}
