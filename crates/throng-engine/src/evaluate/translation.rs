//! What an original cell is called in the release.

use rustc_hash::FxHashMap;

use super::examples::Examples;

/// For each feature, the released code of each original one.
pub(super) struct Translation {
    released: Vec<Vec<Option<u32>>>,
}

impl Translation {
    /// Learned from rows that both tables have: the released value that most rows with a cell have; of equally
    /// many, the least code.
    pub(super) fn learn(original: &Examples, released: &Examples, rows: &[u32]) -> Translation {
        let features = original.features.iter().zip(&released.features);
        let of_feature = |(before, after): (&super::examples::Feature, &super::examples::Feature)| {
            let mut counts: FxHashMap<(u32, u32), u32> = FxHashMap::default();
            for &row in rows {
                *counts.entry((before.codes[row as usize], after.codes[row as usize])).or_default() += 1;
            }
            let mut counted: Vec<((u32, u32), u32)> = counts.into_iter().collect();
            counted.sort_unstable_by_key(|&((cell, value), rows)| (cell, std::cmp::Reverse(rows), value));
            let mut best = vec![None; before.bin_of.len()];
            counted.into_iter().rev().for_each(|((cell, value), _)| best[cell as usize] = Some(value));
            best
        };
        Translation { released: features.map(of_feature).collect() }
    }

    /// The released code of an original one; none if no row that was learned from has it.
    pub(super) fn released(&self, feature: usize, code: u32) -> Option<u32> {
        self.released[feature][code as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::Feature;
    use super::*;

    #[test]
    fn the_most_frequent_value_counts() {
        let of = |codes: &[u32], values| {
            Examples::from_features(
                vec![Feature::from_codes(codes.to_vec(), values, None)],
                vec![0; codes.len()],
                1,
            )
        };
        let (original, released) = (of(&[0, 0, 0, 1, 1, 2], 3), of(&[5, 7, 7, 6, 5, 7], 8));
        let translation = Translation::learn(&original, &released, &[0, 1, 2, 3, 4]);
        assert_eq!([0, 1, 2].map(|code| translation.released(0, code)), [Some(7), Some(5), None]);
    }
}
