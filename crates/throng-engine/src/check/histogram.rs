//! Class sizes in buckets: 1, 2, 3–4, 5–9, 10–19, 20–49, 50–99, …

use serde::{Deserialize, Serialize};

use super::sizes::Sizes;

/// Classes of about the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// The smallest size in it.
    pub from: u64,
    /// The largest size in it.
    pub to: u64,
    /// Its classes.
    pub classes: u64,
    /// The rows in them.
    pub rows: u64,
}

/// The buckets from size 1 to the largest class, empty ones among them.
pub fn histogram(sizes: &Sizes) -> Vec<Bucket> {
    let mut buckets: Vec<Bucket> = Vec::new();
    for (size, classes) in sizes.iter() {
        while buckets.last().is_none_or(|last| last.to < size) {
            let from = buckets.last().map_or(1, |last| last.to + 1);
            buckets.push(Bucket { from, to: end_of_bucket(from), classes: 0, rows: 0 });
        }
        let last = buckets.last_mut().expect("one was just made if there was none");
        last.classes += classes;
        last.rows += size * classes;
    }
    buckets
}

/// Where a bucket ends that starts at 1, 2, 3 or a number of the series 5, 10, 20, 50, …
fn end_of_bucket(from: u64) -> u64 {
    match from {
        1 | 2 => from,
        3 => 4,
        _ => {
            let leading = from / 10u64.pow(from.ilog10());
            // From 2 to 5 is the one step of the series that is not a doubling.
            let next = if leading == 2 { u128::from(from) * 5 / 2 } else { u128::from(from) * 2 };
            u64::try_from(next - 1).unwrap_or(u64::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_the_series() {
        let sizes: Sizes = [1_000].into_iter().collect();
        let bounds: Vec<(u64, u64)> = histogram(&sizes).iter().map(|b| (b.from, b.to)).collect();
        let expected = [
            (1, 1),
            (2, 2),
            (3, 4),
            (5, 9),
            (10, 19),
            (20, 49),
            (50, 99),
            (100, 199),
            (200, 499),
            (500, 999),
            (1000, 1999),
        ];
        assert_eq!(bounds, expected);
    }

    #[test]
    fn every_class_is_in_one_bucket() {
        let sizes: Sizes = [1, 1, 2, 3, 4, 4, 12].into_iter().collect();
        let counts: Vec<(u64, u64)> = histogram(&sizes).iter().map(|b| (b.classes, b.rows)).collect();
        assert_eq!(counts, [(2, 2), (1, 2), (3, 11), (0, 0), (1, 12)]);
        assert!(histogram(&Sizes::default()).is_empty());
    }

    #[test]
    fn the_largest_class_that_can_be_has_a_bucket() {
        let sizes: Sizes = [u64::from(u32::MAX)].into_iter().collect();
        let last = *histogram(&sizes).last().unwrap();
        assert_eq!((last.from, last.to), (2_000_000_000, 4_999_999_999));
    }
}
