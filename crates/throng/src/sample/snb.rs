//! The slide negative binomial model.
//!
//! **Citation.** G. Chen, S. Keller-McNulty, *Estimation of Identification Disclosure Risk in Microdata*, Journal of Official
//! Statistics 14, 1998.
//!
//! **Formula.** A class of the population has F = 1 + X people, where X is negative binomial with r and p, so that a class is
//! of one person with probability p^r, and of m = 1 + r(1 − p)/p on average; there are K = N/m classes. Every person is
//! sampled with probability π. With t = 1 − π, D = 1 − (1 − p)t and h = (p/D)^r a class has
//!
//! no row with P₀ = t·h, and one row with P₁ = π·h·(1 + t·r(1 − p)/D).
//!
//! r and p are those with which as many classes as the sample has are expected, u = K(1 − P₀), and as many of one row,
//! f₁ = K·P₁. The share of unique records is K·p^r / N = p^r / m.
//!
//! **Worked example.** r = 1 and p = 1/2: half of all classes are of one person, and m = 2. Of 900 classes with 1,800 people
//! half are sampled: D = 3/4, h = 2/3, P₀ = 1/3, P₁ = 4/9, so that 600 classes have 900 rows, 400 of them one. From these
//! three numbers the share is found again: 1/2 / 2 = 1/4.
//!
//! ```
//! use throng::sample::{Sample, snb};
//! let share = snb(&Sample::new([(1, 400), (2, 100), (3, 100)], 0.5)).unwrap();
//! assert!((share - 0.25).abs() < 1e-9);
//! ```
//!
//! **Deviations.** K is not estimated beforehand: it follows from the population's size, which the sampling fraction gives,
//! so that the mean class of the model is N/K. ARX estimates K by Shlosser's estimator instead (P. J. Haas, L. Stokes,
//! *Estimating the Number of Classes in a Finite Population*, 1998), and fits r and p to f₁ and to f₂, the classes of two
//! rows; nothing then makes its classes have N people together. Figures of the two differ.
//!
//! **Where it holds.** Where some r and p fit: not where records are alone more, or less, often than in any such population.

use super::special::bisect;
use super::{OutOfRange, PopulationShare, Sample};

const NO_FIT: OutOfRange = OutOfRange {
    reason: "no slide negative binomial population has this many classes, and this many of one record",
    instead: "zayatz",
};

const ALL_ALONE: OutOfRange = OutOfRange {
    reason: "every record is alone in its class, as in any population of larger classes",
    instead: "zayatz",
};

/// Between these log-odds p is looked for, in so many steps.
const MOST_LOG_ODDS: f64 = 14.0;
const STEPS: u32 = 280;

/// The share of the records that are unique in the population.
pub fn snb(sample: &Sample) -> PopulationShare {
    if let Some(share) = sample.known_share() {
        return Ok(share);
    }
    let uniques = sample.uniques();
    if sample.class_count() >= sample.rows() {
        return Err(ALL_ALONE);
    }
    let fit = |log_odds: f64| Fit::new(sample, log_odds);
    let excess = |log_odds: f64| fit(log_odds).expected_uniques() / uniques - 1.0;
    let at = |step: u32| MOST_LOG_ODDS * (2.0 * f64::from(step) / f64::from(STEPS) - 1.0);
    let crosses = |step: &u32| (excess(at(*step)) > 0.0) != (excess(at(*step + 1)) > 0.0);
    let step = (0..STEPS).find(crosses).ok_or(NO_FIT)?;
    let found = fit(bisect(at(step), at(step + 1), excess));
    Ok(found.p.powf(found.r) / found.mean)
}

/// The model with a p that has as many classes in the sample as there are.
struct Fit {
    p: f64,
    r: f64,
    /// People of a class.
    mean: f64,
    population: f64,
    fraction: f64,
}

impl Fit {
    fn new(sample: &Sample, log_odds: f64) -> Fit {
        let p = 1.0 / (1.0 + (-log_odds).exp());
        let (population, fraction) = (sample.population(), sample.fraction);
        let with_mean = |mean: f64| {
            let r = (mean - 1.0) * p / (1.0 - p);
            Fit { p, r, mean, population, fraction }
        };
        // The larger the classes, the fewer of them are met; there are at least as many as are met.
        let classes = sample.class_count();
        let most = population / classes;
        let log_mean = bisect(0.0, most.ln(), |log| with_mean(log.exp()).expected_classes() - classes);
        with_mean(log_mean.exp())
    }

    /// D of the formula.
    fn denominator(&self) -> f64 {
        self.p + self.fraction * (1.0 - self.p)
    }

    /// h of the formula.
    fn h(&self) -> f64 {
        (self.p / self.denominator()).powf(self.r)
    }

    fn expected_classes(&self) -> f64 {
        self.population / self.mean * (1.0 - (1.0 - self.fraction) * self.h())
    }

    fn expected_uniques(&self) -> f64 {
        let others = (1.0 - self.fraction) * self.r * (1.0 - self.p) / self.denominator();
        self.population / self.mean * self.fraction * self.h() * (1.0 + others)
    }
}
