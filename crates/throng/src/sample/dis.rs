//! Data intrusion simulation: how likely a match with a record that is alone is right.
//!
//! **Citation.** C. J. Skinner, M. J. Elliot, *A Measure of Disclosure Risk for Microdata*, Journal of the Royal Statistical
//! Society B 64, 2002 (DIS); M. J. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane, *SUDA: A Program for Detecting Special
//! Uniques*, UNECE Work Session on Statistical Data Confidentiality 2005 (DIS-SUDA).
//!
//! **Formula.** Of a sample in which U records are alone in their class and P are in pairs, a share π of the population: a
//! match with a record that is alone is right with the probability
//!
//! DIS = π·U / (π·U + (1 − π)·P),
//!
//! which is simple to see: a record leaves the sample and comes back with probability π; it is alone, then, if it was, and
//! another is alone by itself if it was one of a pair. DIS-SUDA spreads that over the records with a score s, so that special
//! ones have more of it:
//!
//! 1 / (1 + U·(1/DIS − 1) / (s^Q · Σ s^(−Q))), with Q = 1 + (8 − A)/20 for A columns; the sum is over all records with a score.
//!
//! **Worked example.** Of 30 records 20 are alone and 10 in pairs, of a tenth of the population: DIS = 2 / (2 + 9) = 2/11. If
//! all of the 20 have the same score, s^Q · Σ s^(−Q) is 20, and DIS-SUDA is DIS for each.
//!
//! ```
//! use throng::sample::{dis, dis_suda};
//! let all = dis(20, 10, 0.1);
//! assert!((all - 2.0 / 11.0).abs() < 1e-12);
//! assert!(dis_suda(&[6.0; 20], 4, 20, all).iter().all(|of| (of - all).abs() < 1e-12));
//! ```
//!
//! **Deviations.** The exponent Q is that of the program of the International Household Survey Network, which sdcMicro has,
//! too; the paper leaves it open.

/// The probability that a match with a record that is alone is right.
pub fn dis(alone: u64, in_pairs: u64, fraction: f64) -> f64 {
    let (right, wrong) = (fraction * alone as f64, (1.0 - fraction) * in_pairs as f64);
    if right > 0.0 { right / (right + wrong) } else { 0.0 }
}

/// The same for each record by its score, of so many columns; 0 of those without one.
pub fn dis_suda(scores: &[f64], columns: usize, alone: u64, dis: f64) -> Vec<f64> {
    let q = 1.0 + (8.0 - columns as f64) / 20.0;
    let powers: Vec<f64> =
        scores.iter().map(|score| if *score > 0.0 { score.powf(q) } else { 0.0 }).collect();
    let all: f64 = powers.iter().filter(|power| **power > 0.0).map(|power| 1.0 / power).sum();
    let against = alone as f64 * (1.0 / dis - 1.0);
    let of =
        |&power: &f64| if power > 0.0 && dis > 0.0 { 1.0 / (1.0 + against / (power * all)) } else { 0.0 };
    powers.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Drawing samples of known populations, matches with records that are alone are right as often as DIS says.
    #[test]
    fn matches_with_unique_records_are_right_as_often() {
        for fraction in [0.1, 0.4] {
            let (mut said, mut right, mut matched) = (0.0, 0.0, 0.0);
            for seed in 0..60 {
                let random = &mut Random::new(seed);
                let classes: Vec<usize> = (0..4_000).map(|_| 1 + random.skewed_index(8)).collect();
                let sampled: Vec<usize> = classes
                    .iter()
                    .map(|&people| (0..people).filter(|_| random.chance(fraction)).count())
                    .collect();
                let alone = sampled.iter().filter(|&&rows| rows == 1).count() as u64;
                let pairs = 2 * sampled.iter().filter(|&&rows| rows == 2).count() as u64;
                said += dis(alone, pairs, fraction);
                // Each person of a class with one record is matched with it, and is right if it is theirs.
                let of_alone = classes.iter().zip(&sampled).filter(|(_, rows)| **rows == 1);
                right += alone as f64;
                matched += of_alone.map(|(&people, _)| people as f64).sum::<f64>();
            }
            let (mean, truth) = (said / 60.0, right / matched);
            assert!((mean - truth).abs() < 0.02, "{fraction}: {mean} {truth}");
        }
    }

    #[test]
    fn special_records_have_more_of_it() {
        let of = dis_suda(&[2.0, 2.0, 24.0, 0.0], 5, 3, 0.2);
        assert!(of[0] == of[1] && of[2] > of[0] && of[3] == 0.0 && of[2] < 1.0);
        assert_eq!(dis_suda(&[2.0, 0.0], 5, 0, 0.0), [0.0, 0.0]);
        assert_eq!(dis(3, 0, 0.1), 1.0);
    }
}
