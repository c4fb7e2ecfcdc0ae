//! The rule of Dankar et al.
//!
//! **Citation.** F. K. Dankar, K. El Emam, A. Neisa, T. Roffey, *Estimating the Re-identification Risk of Clinical Data Sets*,
//! BMC Medical Informatics and Decision Making 12:66, 2012.
//!
//! **Formula.** Of a sample of at most a tenth of the population Pitman's estimator is taken; of a larger one the lower of
//! the SNB estimator and that of Zayatz. Where the estimator to be taken does not hold, that of Zayatz is taken.
//!
//! **Worked example.** In the example of [`snb`](super::snb), half of the population, SNB says 1/4 and Zayatz about 0.295:
//! the rule says 1/4.
//!
//! **Deviations.** None that is known: the tenth, and the lower of the two estimators, are also those of ARX. The text of the
//! rule in the paper was not at hand; its abstract names the sampling fraction and the difference between estimates.
//!
//! **Where it holds.** It was found by experiments on clinical data of several thousand records and more.

use super::{PopulationShare, Sample, pitman, snb, zayatz};

/// Samples up to this share of the population are small.
const SMALL: f64 = 0.1;

/// The share of the records that are unique in the population.
pub fn dankar(sample: &Sample) -> PopulationShare {
    rule(sample).map(|(_, share)| share)
}

/// The estimator that the rule takes, and what it says.
pub fn rule(sample: &Sample) -> Result<(&'static str, f64), super::OutOfRange> {
    let zayatz = zayatz(sample)?;
    Ok(match sample.fraction() <= SMALL {
        true => pitman(sample).map_or(("zayatz", zayatz), |share| ("pitman", share)),
        false => match snb(sample) {
            Ok(share) if share <= zayatz => ("snb", share),
            _ => ("zayatz", zayatz),
        },
    })
}
