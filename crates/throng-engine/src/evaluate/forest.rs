//! A random forest, by the crate `smartcore`.
//!
//! Its trees split numbers. A feature of numbers is taken as it is; the values of any other one are ordered by
//! the share of the most common class among the training rows that have it, drawn towards that of all rows
//! where they are few, so that a value of its own for every row says nothing.

use smartcore::ensemble::random_forest_classifier::{
    RandomForestClassifier, RandomForestClassifierParameters,
};
use smartcore::linalg::basic::matrix::DenseMatrix;

use super::classifier::Trained;
use super::examples::{Examples, Readable};
use crate::error::{EngineError, Result};

/// Trees of a forest.
const TREES: u16 = 25;
/// Splits from the root to a leaf at most.
const DEPTH: u16 = 12;
/// Rows of a leaf at least.
const LEAF_ROWS: usize = 5;
/// Rows of the whole that every value is mixed with.
const PRIOR_ROWS: f64 = 10.0;

pub(super) struct Forest {
    features: Vec<Numbered>,
    forest: Option<RandomForestClassifier<f32, u32, DenseMatrix<f32>, Vec<u32>>>,
    /// The most common class: what is told without features.
    common: u32,
}

/// A feature as numbers.
struct Numbered {
    feature: usize,
    /// By code.
    number_of: Vec<f32>,
    /// Where nothing is known.
    unknown: f32,
}

impl Forest {
    pub(super) fn train(examples: &Examples, features: &[usize], rows: &[u32], seed: u64) -> Result<Forest> {
        let counts = examples.count_classes(rows.iter().copied());
        let common = (0..counts.len()).max_by_key(|&class| (counts[class], usize::MAX - class)).unwrap_or(0);
        let common = common as u32;
        let number = |&feature: &usize| Numbered::learn(examples, feature, rows, common);
        let mut features: Vec<Numbered> = features.iter().map(number).collect();
        // A tree draws some features for each split; from one that never differs it learns nothing.
        features.retain(|feature| feature.differs(examples, rows));
        if features.is_empty() {
            return Ok(Forest { features, forest: None, common });
        }
        let cells = matrix(&features, &Readable::AsItIs(examples), rows)?;
        let classes: Vec<u32> = rows.iter().map(|&row| examples.class(row)).collect();
        let parameters = RandomForestClassifierParameters::default()
            .with_n_trees(TREES)
            .with_max_depth(DEPTH)
            .with_min_samples_leaf(LEAF_ROWS)
            .with_m((features.len() as f64).sqrt().ceil() as usize)
            .with_seed(seed);
        let forest = RandomForestClassifier::fit(&cells, &classes, parameters).map_err(failed)?;
        Ok(Forest { features, forest: Some(forest), common })
    }
}

impl Trained for Forest {
    fn tell(&self, readable: &Readable<'_>, rows: &[u32]) -> Result<Vec<u32>> {
        match &self.forest {
            Some(forest) if !rows.is_empty() => {
                forest.predict(&matrix(&self.features, readable, rows)?).map_err(failed)
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
            let unknown = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0) as f32;
            return Numbered { feature, number_of: numbers.iter().map(|&n| n as f32).collect(), unknown };
        }
        let mut counts = vec![(0_u32, 0_u32); column.bin_of.len()];
        for &row in rows {
            let (all, of_common) = &mut counts[column.codes[row as usize] as usize];
            *all += 1;
            *of_common += u32::from(examples.class(row) == common);
        }
        let of_common: u32 = counts.iter().map(|&(_, of_common)| of_common).sum();
        let prior = f64::from(of_common) / rows.len().max(1) as f64;
        let share = |&(all, of_common): &(u32, u32)| {
            ((f64::from(of_common) + PRIOR_ROWS * prior) / (f64::from(all) + PRIOR_ROWS)) as f32
        };
        Numbered { feature, number_of: counts.iter().map(share).collect(), unknown: prior as f32 }
    }

    /// Whether not all of some rows have the same number.
    fn differs(&self, examples: &Examples, rows: &[u32]) -> bool {
        let of = |row: u32| self.of(&Readable::AsItIs(examples), row);
        rows.split_first().is_some_and(|(&first, others)| others.iter().any(|&row| of(row) != of(first)))
    }

    fn of(&self, readable: &Readable<'_>, row: u32) -> f32 {
        readable.code(self.feature, row).map_or(self.unknown, |code| self.number_of[code as usize])
    }
}

fn matrix(features: &[Numbered], readable: &Readable<'_>, rows: &[u32]) -> Result<DenseMatrix<f32>> {
    let cells = features.iter().flat_map(|feature| rows.iter().map(|&row| feature.of(readable, row)));
    DenseMatrix::new(rows.len(), features.len(), cells.collect(), true).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> EngineError {
    EngineError::Data(format!("the random forest failed: {error}").into())
}
