//! Records with a class, as classifiers see them.

use super::rows::{CodedColumn, Rows};
use super::translation::Translation;
use crate::error::{EngineError, Result};

/// Distinct numbers of a column up to which each is a value of its own.
const MANY_NUMBERS: usize = 100;
/// Values that more numbers than that become: as many rows in each.
const BINS: usize = 32;

/// Records, each with its class.
pub(super) struct Examples {
    pub(super) features: Vec<Feature>,
    /// None if it is missing.
    of_row: Vec<Option<u32>>,
    classes: usize,
}

/// A column to predict from.
pub(super) struct Feature {
    /// By row.
    pub(super) codes: Vec<u32>,
    /// The number of each code, if all are numbers.
    pub(super) numbers: Option<Vec<f64>>,
    /// What each code counts as where values must be few.
    pub(super) bin_of: Vec<u32>,
    /// How many such there are.
    pub(super) bins: usize,
}

impl Examples {
    /// The rows of a table whose first column is the target; `classes` are in order.
    pub(super) fn new(rows: Rows, classes: &[String]) -> Result<Examples> {
        let mut columns = rows.columns.into_iter();
        let target = columns.next().expect("the target comes first");
        let mut of_code: Vec<Option<u32>> = Vec::with_capacity(target.texts.len());
        for text in target.texts.values() {
            let class = classes.binary_search_by(|class| class.as_str().cmp(text)).ok();
            if class.is_none() && !text.is_empty() {
                return Err(EngineError::bad(
                    "the release has a class of the target that the original does not have",
                ));
            }
            of_code.push(class.map(|class| class as u32));
        }
        Ok(Examples {
            of_row: target.codes.iter().map(|&code| of_code[code as usize]).collect(),
            features: columns.map(Feature::new).collect(),
            classes: classes.len(),
        })
    }

    /// The records of some features and a class each.
    pub(super) fn from_features(features: Vec<Feature>, of_row: Vec<u32>, classes: usize) -> Examples {
        Examples { features, of_row: of_row.into_iter().map(Some).collect(), classes }
    }

    /// Rows with a class.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.of_row.len() as u32).filter(|&row| self.of_row[row as usize].is_some())
    }

    /// How many these are.
    pub(super) fn len(&self) -> usize {
        self.of_row.iter().flatten().count()
    }

    /// Rows without a class.
    pub(super) fn without_class(&self) -> usize {
        self.of_row.len() - self.len()
    }

    /// The class of a row that has one.
    pub(super) fn class(&self, row: u32) -> u32 {
        self.of_row[row as usize].expect("a row with a class")
    }

    pub(super) fn classes(&self) -> usize {
        self.classes
    }

    /// Rows of each class among some.
    pub(super) fn count_classes(&self, rows: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut counts = vec![0; self.classes];
        rows.into_iter().for_each(|row| counts[self.class(row) as usize] += 1);
        counts
    }

    /// The share of the most common class.
    pub(super) fn majority_share(&self) -> f64 {
        let most = self.count_classes(self.rows()).into_iter().max().unwrap_or(0);
        f64::from(most) / self.len().max(1) as f64
    }

    pub(super) fn refuse_fewer_than(&self, folds: usize, what: &str) -> Result<()> {
        let rows = self.len();
        if folds < 2 {
            return Err(EngineError::bad((format!("folds is {folds}"), "there must be at least 2")));
        }
        if rows < folds {
            return Err(EngineError::bad((
                format!("{what} has {rows} rows with a class, fewer than the {folds} folds"),
                "ask for fewer folds",
            )));
        }
        Ok(())
    }
}

impl Feature {
    fn new(column: CodedColumn) -> Feature {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers: Option<Vec<f64>> = column.texts.values().map(number).collect();
        Feature::from_codes(column.codes, column.texts.len(), numbers)
    }

    /// A column of codes, which may be numbers.
    pub(super) fn from_codes(codes: Vec<u32>, values: usize, numbers: Option<Vec<f64>>) -> Feature {
        let (bin_of, bins) = match &numbers {
            Some(numbers) if values > MANY_NUMBERS => bin(&codes, numbers),
            _ => ((0..values as u32).collect(), values),
        };
        Feature { codes, numbers, bin_of, bins }
    }
}

/// Bins of about as many rows each, in the order of the numbers; equal numbers go together.
fn bin(codes: &[u32], numbers: &[f64]) -> (Vec<u32>, usize) {
    let mut rows = vec![0_u64; numbers.len()];
    codes.iter().for_each(|&code| rows[code as usize] += 1);
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let (mut bin_of, mut before, mut bin) = (vec![0; numbers.len()], 0, 0);
    for same in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let due = (before * BINS as u64 / codes.len().max(1) as u64) as u32;
        bin = due.max(bin);
        same.iter().for_each(|&code| bin_of[code] = bin);
        before += same.iter().map(|&code| rows[code]).sum::<u64>();
    }
    (bin_of, bin as usize + 1)
}

/// Records that a classifier is asked about.
pub(super) enum Readable<'a> {
    /// Records like those that it learned from.
    AsItIs(&'a Examples),
    /// Original records, read as released ones.
    Translated(&'a Examples, &'a Translation),
}

impl Readable<'_> {
    /// The code of a cell, as the classifier knows it; none if it knows nothing like it.
    pub(super) fn code(&self, feature: usize, row: u32) -> Option<u32> {
        match self {
            Readable::AsItIs(examples) => Some(examples.features[feature].codes[row as usize]),
            Readable::Translated(examples, translation) => {
                translation.released(feature, examples.features[feature].codes[row as usize])
            }
        }
    }

    /// The class of a row.
    pub(super) fn class(&self, row: u32) -> u32 {
        match self {
            Readable::AsItIs(examples) | Readable::Translated(examples, _) => examples.class(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_numbers_go_into_bins_of_equal_rows() {
        let codes: Vec<u32> = (0..1000).collect();
        let numbers: Vec<f64> = (0..1000).map(|n| f64::from(n * 7 % 1000)).collect();
        let feature = Feature::from_codes(codes, 1000, Some(numbers.clone()));
        assert_eq!(feature.bins, BINS);
        let mut rows = vec![0; BINS];
        feature.bin_of.iter().for_each(|&bin| rows[bin as usize] += 1);
        assert!(rows.iter().all(|&rows| (31..=32).contains(&rows)), "{rows:?}");
        assert!(feature.bin_of[0] == 0 && numbers[0] == 0.0);
    }

    #[test]
    fn few_values_are_their_own() {
        let feature = Feature::from_codes(vec![0, 1, 1], 2, Some(vec![5.0, 3.0]));
        assert_eq!((feature.bin_of, feature.bins), (vec![0, 1], 2));
    }
}
