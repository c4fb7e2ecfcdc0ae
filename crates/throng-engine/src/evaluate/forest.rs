//! A random forest, by the crate `smartcore`.
//!
//! Its trees split numbers, so values become their ranks: those of a feature of numbers in that order, all others
//! by the share of the most common class among the training rows that have them. A value of few training rows would
//! tell trees the classes of just these, so all such values count as one of which nothing is known.
//!
//! The crate looks for a split only between neighbours of different classes. Where many rows have one value, their
//! order would decide which splits are found, so training rows stand at random within their rank.

use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;
use throng::random::mix;

use super::classifier::Trained;
use super::examples::{Examples, Readable};
use crate::error::{EngineError, Result};

/// Trees of a forest.
const TREES: u16 = 25;
/// Splits from the root to a leaf at most.
const DEPTH: u16 = 12;
/// Rows of a leaf at least.
const LEAF_ROWS: usize = 5;
/// Training rows of a value before its share says anything.
const FEW_ROWS: u32 = 20;

pub(super) struct ForestClassifier {
    features: Vec<Numbered>,
    forest: Option<RandomForestClassifier<f32, u32, DenseMatrix<f32>, Vec<u32>>>,
    /// The most common class: what is told without features.
    common: u32,
}

/// A feature as numbers.
struct Numbered {
    feature: usize,
    /// By code, the rank of the value.
    rank_of: Vec<f32>,
    /// Where nothing is known.
    unknown: f32,
}

impl ForestClassifier {
    pub(super) fn train(
        examples: &Examples,
        features: &[usize],
        rows: &[u32],
        seed: u64,
    ) -> Result<ForestClassifier> {
        let counts = examples.count_classes(rows.iter().copied());
        let common = (0..counts.len()).max_by_key(|&class| (counts[class], usize::MAX - class)).unwrap_or(0);
        let common = common as u32;
        let number = |&feature: &usize| Numbered::learn(examples, feature, rows, common);
        let mut features: Vec<Numbered> = features.iter().map(number).collect();
        // A tree draws some features for each split; from one that never differs it learns nothing.
        features.retain(|feature| feature.differs(examples, rows));
        // A class by itself needs no trees.
        if features.is_empty() || counts.iter().filter(|&&rows| rows > 0).count() < 2 {
            return Ok(ForestClassifier { features, forest: None, common });
        }
        let place = |feature: &Numbered, row: u32| {
            let draw = mix(mix(seed ^ u64::from(row)) ^ feature.feature as u64);
            feature.number(&Readable::AsItIs(examples), row) + (draw >> 40) as f32 / (1 << 25) as f32 - 0.25
        };
        let cells = matrix(&features, rows, place)?;
        let classes: Vec<u32> = rows.iter().map(|&row| examples.class(row)).collect();
        let parameters = RandomForestClassifierParameters::default()
            .with_n_trees(TREES)
            .with_max_depth(DEPTH)
            .with_min_samples_leaf(LEAF_ROWS)
            .with_m((features.len() as f64).sqrt().ceil() as usize)
            .with_seed(seed);
        let forest = RandomForestClassifier::fit(&cells, &classes, parameters).map_err(failed)?;
        Ok(ForestClassifier { features, forest: Some(forest), common })
    }
}

impl Trained for ForestClassifier {
    fn tell(&self, readable: &Readable<'_>, rows: &[u32]) -> Result<Vec<u32>> {
        match &self.forest {
            Some(forest) if !rows.is_empty() => {
                let cells = matrix(&self.features, rows, |feature, row| feature.number(readable, row))?;
                forest.predict(&cells).map_err(failed)
            }
            _ => Ok(vec![self.common; rows.len()]),
        }
    }
}

impl Numbered {
    fn learn(examples: &Examples, feature: usize, rows: &[u32], common: u32) -> Numbered {
        let column = &examples.features[feature];
        if let Some(numbers) = &column.numbers {
            let mut sorted: Vec<f64> =
                rows.iter().map(|&row| numbers[column.codes[row as usize] as usize]).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
            return Numbered::ranked(feature, numbers, middle);
        }
        let mut counts = vec![(0_u32, 0_u32); column.bin_of.len()];
        for &row in rows {
            let (all, of_common) = &mut counts[column.codes[row as usize] as usize];
            *all += 1;
            *of_common += u32::from(examples.class(row) == common);
        }
        let of_common: u32 = counts.iter().map(|&(_, of_common)| of_common).sum();
        let prior = f64::from(of_common) / rows.len().max(1) as f64;
        let share = |&(all, of_common): &(u32, u32)| match all {
            0..FEW_ROWS => prior,
            _ => f64::from(of_common) / f64::from(all),
        };
        Numbered::ranked(feature, &counts.iter().map(share).collect::<Vec<_>>(), prior)
    }

    /// The ranks of numbers, and of what stands for one that is not known.
    fn ranked(feature: usize, numbers: &[f64], unknown: f64) -> Numbered {
        let mut sorted: Vec<f64> = numbers.iter().copied().chain([unknown]).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.dedup();
        let rank = |number: f64| sorted.partition_point(|&other| other < number) as f32;
        Numbered { feature, rank_of: numbers.iter().map(|&n| rank(n)).collect(), unknown: rank(unknown) }
    }

    /// Whether not all of some rows have the same rank.
    fn differs(&self, examples: &Examples, rows: &[u32]) -> bool {
        let of = |row: u32| self.number(&Readable::AsItIs(examples), row);
        rows.split_first().is_some_and(|(&first, others)| others.iter().any(|&row| of(row) != of(first)))
    }

    fn number(&self, readable: &Readable<'_>, row: u32) -> f32 {
        readable.code(self.feature, row).map_or(self.unknown, |code| self.rank_of[code as usize])
    }
}

fn matrix(
    features: &[Numbered],
    rows: &[u32],
    place: impl Fn(&Numbered, u32) -> f32,
) -> Result<DenseMatrix<f32>> {
    let cells =
        features.iter().flat_map(|feature| rows.iter().map(|&row| place(feature, row)).collect::<Vec<_>>());
    DenseMatrix::new(rows.len(), features.len(), cells.collect(), true).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> EngineError {
    EngineError::Data(format!("the random forest failed: {error}").into())
}
