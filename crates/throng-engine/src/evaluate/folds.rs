//! Rows in folds, as many of each class in every fold as can be.

use throng::random::mix;

use super::examples::Examples;

/// Rows with a class, divided.
pub(super) struct Folds {
    folds: Vec<Vec<u32>>,
}

impl Folds {
    /// So many folds, by a seed.
    pub(super) fn new(examples: &Examples, count: usize, seed: u64) -> Folds {
        let mut rows: Vec<(u32, u64, u32)> =
            examples.rows().map(|row| (examples.class(row), mix(mix(seed) ^ u64::from(row)), row)).collect();
        rows.sort_unstable();
        let mut folds = vec![Vec::new(); count];
        rows.iter().enumerate().for_each(|(at, &(.., row))| folds[at % count].push(row));
        folds.iter_mut().for_each(|fold| fold.sort_unstable());
        Folds { folds }
    }

    /// The rows to learn from, and those of a fold, to be asked about.
    pub(super) fn split(&self, fold: usize) -> (Vec<u32>, Vec<u32>) {
        let others = self.folds.iter().enumerate().filter(|(at, _)| *at != fold);
        let mut train: Vec<u32> = others.flat_map(|(_, rows)| rows).copied().collect();
        train.sort_unstable();
        (train, self.folds[fold].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_asked_about_once_and_classes_are_spread() {
        let classes: Vec<u32> = (0..103).map(|row| u32::from(row % 5 == 0)).collect();
        let examples = Examples::from_features(Vec::new(), classes.clone(), 2);
        let folds = Folds::new(&examples, 10, 7);
        let mut asked = Vec::new();
        for fold in 0..10 {
            let (train, test) = folds.split(fold);
            assert_eq!(train.len() + test.len(), 103);
            assert!(test.iter().all(|row| train.binary_search(row).is_err()));
            let rare = test.iter().filter(|&&row| classes[row as usize] == 1).count();
            assert!((2..=3).contains(&rare), "{rare}");
            asked.extend(test);
        }
        asked.sort_unstable();
        assert!(asked.into_iter().eq(0..103));
        assert_ne!(Folds::new(&examples, 10, 8).folds, folds.folds);
    }
}
