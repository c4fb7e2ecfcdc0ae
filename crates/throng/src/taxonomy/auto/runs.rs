//! Cuts a sequence into runs of about equal weight.

/// The run of each item: at most `count` runs of neighbours, numbered from 0 without gaps.
///
/// An item that is heavier than a run should be has one of its own, or shares it with few.
pub(super) fn cut(weights: &[u64], count: usize) -> Vec<u32> {
    let total: u128 = weights.iter().map(|&weight| u128::from(weight.max(1))).sum();
    let mut before = 0u128;
    let mut runs = Vec::with_capacity(weights.len());
    let mut last = None;
    let mut run = 0;
    for &weight in weights {
        let weight = u128::from(weight.max(1));
        // Where the middle of the item lies decides.
        let place = (2 * before + weight) * count as u128 / (2 * total);
        run += u32::from(last.is_some_and(|last| last != place));
        last = Some(place);
        runs.push(run);
        before += weight;
    }
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn weights_are_shared_out() {
        assert_eq!(cut(&[1; 6], 3), [0, 0, 1, 1, 2, 2]);
        assert_eq!(cut(&[10, 1, 1, 1, 1], 2), [0, 1, 1, 1, 1]);
        assert_eq!(cut(&[0, 0], 2), [0, 1]);
        assert_eq!(cut(&[5], 4), [0]);
        assert_eq!(cut(&[], 4), []);
    }

    proptest! {
        #[test]
        fn runs_are_neighbours_and_few(
            weights in proptest::collection::vec(0_u64..1_000, 0..60),
            count in 1_usize..20,
        ) {
            let runs = cut(&weights, count);
            prop_assert!(runs.first().is_none_or(|&first| first == 0));
            prop_assert!(runs.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
            prop_assert!(runs.last().is_none_or(|&last| (last as usize) < count));
        }
    }
}
