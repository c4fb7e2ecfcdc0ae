//! Pitman's sampling formula.
//!
//! **Citation.** J. Pitman, *Exchangeable and Partially Exchangeable Random Partitions*, Probability Theory and Related
//! Fields 102, 1995; N. Hoshino, *Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment*, Journal of
//! Official Statistics 17, 2001.
//!
//! **Formula.** People join classes one after the other. After i of them, in u classes, the next one is the first of a new
//! class with probability (θ + u·α) / (θ + i), and joins a class of j with (j − α) / (θ + i). The likelihood of n rows in u
//! classes, f_j of them of j, is
//!
//! L(θ, α) ∝ Π_{i=1}^{u−1} (θ + i·α) / Π_{i=1}^{n−1} (θ + i) · Π_j [ Π_{i=1}^{j−1} (i − α) ]^{f_j}.
//!
//! With the θ and α of the greatest likelihood, a person of a population of N is alone if none of the others joins, so that
//! the share is
//!
//! Π_{i=1}^{N−1} (θ + α + i − 1) / (θ + i) = Γ(θ + 1) Γ(θ + α + N − 1) / (Γ(θ + α) Γ(θ + N)),
//!
//! of which Hoshino gives the approximation Γ(θ + 1) / Γ(θ + α) · N^(α − 1).
//!
//! **Worked example.** If θ = 1 and α = 1/2, two people are in classes of their own with probability (1 + 1/2) / 2 = 3/4; of
//! three, each is alone with 3/4 · 5/6 = 5/8.
//!
//! **Where it holds.** For small samples, of classes most of which are small: α between 0 and 1. Where no row is like any
//! other, every α is below a better one.

use super::special::{bisect, digamma, ln_gamma};
use super::{OutOfRange, PopulationShare, Sample};

/// α is looked for from here to as far below 1.
const LEAST_ALPHA: f64 = 1e-6;

const TOO_EVEN: OutOfRange = OutOfRange {
    reason: "its α would not be above 0: too few records are alone in their class for Pitman's formula",
    instead: "zayatz",
};
const ALL_ALONE: OutOfRange = OutOfRange {
    reason: "every record, or nearly every one, is alone in its class: its α would be 1",
    instead: "zayatz",
};

/// The share of the records that are unique in the population.
pub fn pitman(sample: &Sample) -> PopulationShare {
    if let Some(share) = sample.known_share() {
        return Ok(share);
    }
    let (theta, alpha) = Likelihood::new(sample).greatest()?;
    Ok(share_alone(theta, alpha, sample.population()))
}

/// The probability that a person is in a class of their own.
pub(super) fn share_alone(theta: f64, alpha: f64, population: f64) -> f64 {
    let logarithm = ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + ratio(theta, alpha, population);
    logarithm.exp().min(1.0)
}

/// ln Γ(θ + α + N − 1) − ln Γ(θ + N), which large numbers leave few digits of.
fn ratio(theta: f64, alpha: f64, population: f64) -> f64 {
    let (a, b) = (theta + alpha + population - 1.0, theta + population);
    if b < 1e6 {
        return ln_gamma(a) - ln_gamma(b);
    }
    // By Stirling's series, with ln a − ln b exact.
    let step = a - b;
    let log_ratio = (step / b).ln_1p();
    (a - 0.5) * log_ratio + step * b.ln() - step + (1.0 / a - 1.0 / b) / 12.0
}

/// What the likelihood needs of a sample.
struct Likelihood<'s> {
    sample: &'s Sample,
    rows: f64,
    classes: f64,
}

impl<'s> Likelihood<'s> {
    fn new(sample: &'s Sample) -> Likelihood<'s> {
        Likelihood { sample, rows: sample.rows(), classes: sample.class_count() }
    }

    /// θ and α at which it is greatest.
    fn greatest(&self) -> Result<(f64, f64), OutOfRange> {
        if self.classes >= self.rows {
            return Err(ALL_ALONE);
        }
        if self.classes < 2.0 {
            return Err(TOO_EVEN);
        }
        // Along the best θ of each α, the whole derivative is the partial one.
        let slope = |alpha: f64| self.by_alpha(self.best_theta(alpha), alpha);
        let (low, high) = (LEAST_ALPHA, 1.0 - LEAST_ALPHA);
        if slope(low) <= 0.0 {
            return Err(TOO_EVEN);
        }
        if slope(high) >= 0.0 {
            return Err(ALL_ALONE);
        }
        let alpha = bisect(low, high, slope);
        Ok((self.best_theta(alpha), alpha))
    }

    /// The θ of the greatest likelihood for an α; θ is above −α.
    fn best_theta(&self, alpha: f64) -> f64 {
        let slope = |log: f64| self.by_theta(log.exp() - alpha, alpha);
        let mut high = 1.0;
        while slope(high) > 0.0 && high < 60.0 {
            high += 2.0;
        }
        bisect(-60.0, high, slope).exp() - alpha
    }

    /// Σ_{i=1}^{u−1} 1/(θ + iα).
    fn by_classes(&self, theta: f64, alpha: f64) -> f64 {
        let x = theta / alpha;
        (digamma(x + self.classes) - digamma(x + 1.0)) / alpha
    }

    /// The logarithm's derivative by θ.
    fn by_theta(&self, theta: f64, alpha: f64) -> f64 {
        self.by_classes(theta, alpha) - (digamma(theta + self.rows) - digamma(theta + 1.0))
    }

    /// The logarithm's derivative by α.
    fn by_alpha(&self, theta: f64, alpha: f64) -> f64 {
        let of_new = (self.classes - 1.0 - theta * self.by_classes(theta, alpha)) / alpha;
        let joined = |(size, classes): (f64, f64)| classes * (digamma(size - alpha) - digamma(1.0 - alpha));
        of_new - self.sample.sizes().filter(|(size, _)| *size > 1.0).map(joined).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_the_worked_example() {
        assert!((share_alone(1.0, 0.5, 2.0) - 0.75).abs() < 1e-12);
        assert!((share_alone(1.0, 0.5, 3.0) - 0.625).abs() < 1e-12);
        // The product, and Stirling's series for as many people as it is used for.
        let people = 2_000_000;
        let product: f64 =
            (1..people).map(|i| ((7.5 + 0.3 + f64::from(i) - 1.0) / (7.5 + f64::from(i))).ln()).sum();
        let share = share_alone(7.5, 0.3, f64::from(people));
        assert!((share.ln() - product).abs() < 1e-8, "{} {product}", share.ln());
    }

    /// The likelihood by its definition, term by term, is no greater anywhere near.
    #[test]
    fn no_parameters_near_are_likelier() {
        let sample = Sample::new([(1, 40), (2, 12), (3, 5), (7, 2), (20, 1)], 0.1);
        let by_definition = |theta: f64, alpha: f64| -> f64 {
            let (rows, classes) = (sample.rows() as u32, sample.class_count() as u32);
            let new: f64 = (1..classes).map(|i| (theta + f64::from(i) * alpha).ln()).sum();
            let all: f64 = (1..rows).map(|i| (theta + f64::from(i)).ln()).sum();
            let joined = |(size, classes): (f64, f64)| {
                classes * (1..size as u32).map(|i| (f64::from(i) - alpha).ln()).sum::<f64>()
            };
            new - all + sample.sizes().map(joined).sum::<f64>()
        };
        let (theta, alpha) = Likelihood::new(&sample).greatest().unwrap();
        let best = by_definition(theta, alpha);
        for step in [0.001, 0.01, 0.1] {
            for (a, b) in
                [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, 1.0)]
            {
                let other = by_definition(theta * (1.0 + a * step), alpha * (1.0 + b * step));
                assert!(other < best + 1e-9, "{theta} {alpha} {step} {a} {b}: {other} {best}");
            }
        }
    }
}
