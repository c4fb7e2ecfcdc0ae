//! Zayatz's estimator.
//!
//! **Citation.** L. Zayatz, *Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample*,
//! Bureau of the Census, Statistical Research Division, RR-91/08, 1991.
//!
//! **Formula.** A class of j people of the population of N has just one of them in a sample of n with the hypergeometric
//! probability H(j) = j · C(N − j, n − 1) / C(N, n). If a class of the population is of size j as often as one of the sample
//! is, f_j of u, Bayes' rule says how likely a class with one row is one of one person:
//!
//! P = f₁ H(1) / Σ_j f_j H(j), and the share of unique records is P · f₁ / n.
//!
//! **Worked example.** Four rows of a population of eight, in classes of 1, 1 and 2. H(1) = 1/2, and H(2) = 2 · C(6, 3) /
//! C(8, 4) = 4/7. P = (2 · 1/2) / (2 · 1/2 + 4/7) = 7/11; half of the rows are alone, so that 7/22 are unique.
//!
//! ```
//! use throng::sample::{Sample, zayatz};
//! let share = zayatz(&Sample::new([(1, 2), (2, 1)], 0.5)).unwrap();
//! assert!((share - 7.0 / 22.0).abs() < 1e-12);
//! ```
//!
//! **Where it holds.** Everywhere; as the sample's classes are smaller than the population's, it says too much for small
//! samples.

use super::{PopulationShare, Sample};

/// The share of the records that are unique in the population.
pub fn zayatz(sample: &Sample) -> PopulationShare {
    if let Some(share) = sample.known_share() {
        return Ok(share);
    }
    let (rows, population) = (sample.rows(), sample.population());
    let unique = sample.uniques() * sample.fraction;
    let all: f64 = sample.sizes().map(|(size, classes)| classes * alone(size, rows, population)).sum();
    Ok(unique / all * sample.uniques() / rows)
}

/// The probability that just one of so many people is in the sample.
fn alone(people: f64, rows: f64, population: f64) -> f64 {
    let mut chance = people * rows / population;
    let mut others = 1.0;
    while others < people && chance > 0.0 {
        let left = (population - rows - others + 1.0).max(0.0);
        chance *= left / (population - others);
        others += 1.0;
    }
    chance
}
