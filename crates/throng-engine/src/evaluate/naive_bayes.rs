//! Naive Bayes: features are taken to be independent within a class.
//!
//! P(class) · Π P(value | class), the counts with one added (Laplace), so that a value which a class never
//! had does not rule it out. A cell that nothing is known about says nothing.

use super::classifier::Trained;
use super::examples::{Examples, Readable};
use crate::error::Result;

pub(super) struct NaiveBayes {
    features: Vec<Likelihood>,
    /// Logarithm of the share of each class.
    prior: Vec<f64>,
}

/// What the values of a feature say of the class.
struct Likelihood {
    feature: usize,
    /// What each code counts as.
    bin_of: Vec<u32>,
    /// Logarithm of P(value | class), by bin and class.
    of_bin: Vec<f64>,
}

impl NaiveBayes {
    pub(super) fn train(examples: &Examples, features: &[usize], rows: &[u32]) -> NaiveBayes {
        let counts = examples.count_classes(rows.iter().copied());
        let all = (rows.len() + counts.len()) as f64;
        let prior = counts.iter().map(|&rows| (f64::from(rows + 1) / all).ln()).collect();
        let features = features.iter().map(|&feature| Likelihood::learn(examples, feature, rows, &counts));
        NaiveBayes { features: features.collect(), prior }
    }

    /// The first of the most likely classes.
    fn tell_one(&self, readable: &Readable<'_>, row: u32) -> u32 {
        let mut likely = self.prior.clone();
        for likelihood in &self.features {
            let Some(code) = readable.code(likelihood.feature, row) else { continue };
            let bin = likelihood.bin_of[code as usize] as usize;
            let of_bin = &likelihood.of_bin[bin * likely.len()..];
            likely.iter_mut().zip(of_bin).for_each(|(likely, of_bin)| *likely += of_bin);
        }
        let better = |best: usize, class: usize| if likely[class] > likely[best] { class } else { best };
        (0..likely.len()).reduce(better).unwrap_or(0) as u32
    }
}

impl Likelihood {
    fn learn(examples: &Examples, feature: usize, rows: &[u32], of_class: &[u32]) -> Likelihood {
        let column = &examples.features[feature];
        let classes = of_class.len();
        let mut counts = vec![1_u32; column.bins * classes];
        for &row in rows {
            let bin = column.bin_of[column.codes[row as usize] as usize] as usize;
            counts[bin * classes + examples.class(row) as usize] += 1;
        }
        let share = |(at, &count): (usize, &u32)| {
            (f64::from(count) / (f64::from(of_class[at % classes]) + column.bins as f64)).ln()
        };
        let of_bin = counts.iter().enumerate().map(share).collect();
        Likelihood { feature, bin_of: column.bin_of.clone(), of_bin }
    }
}

impl Trained for NaiveBayes {
    fn tell(&self, readable: &Readable<'_>, rows: &[u32]) -> Result<Vec<u32>> {
        Ok(rows.iter().map(|&row| self.tell_one(readable, row)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::Feature;
    use super::*;

    /// By hand: 3 rows `x` of class 0, 1 row `x` and 2 rows `y` of class 1.
    #[test]
    fn shares_with_one_added() {
        let feature = || Feature::from_codes(vec![0, 0, 0, 0, 1, 1], 2, None);
        let examples = Examples::from_features(vec![feature()], vec![0, 0, 0, 1, 1, 1], 2);
        let learned = NaiveBayes::train(&examples, &[0], &[0, 1, 2, 3, 4, 5]);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(learned.prior.iter().all(|&prior| close(prior, 0.5_f64.ln())));
        let expected = [4.0 / 5.0, 2.0 / 5.0, 1.0 / 5.0, 3.0 / 5.0_f64];
        let of_bin = &learned.features[0].of_bin;
        assert!(of_bin.iter().zip(expected).all(|(&a, b)| close(a, b.ln())), "{of_bin:?}");
        assert_eq!(learned.tell(&Readable::AsItIs(&examples), &[0, 3, 4]).unwrap(), [0, 0, 1]);
    }
}
