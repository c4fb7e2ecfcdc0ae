//! Success rates with confidence intervals, and what an attack on a release gains over one on strangers.
//!
//! **Citation.** M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi, *A Unified Framework for Quantifying Privacy Risk in Synthetic
//! Data*, PoPETs 2023; E. B. Wilson, *Probable Inference*, JASA 22, 1927; R. G. Newcombe, *Interval Estimation for the
//! Difference between Independent Proportions*, Statistics in Medicine 17, 1998 (method 10).
//!
//! **Formula.** Of n attacks s succeed: p = s/n. With z = 1.96 for a confidence of 95 %, Wilson's interval is
//!
//! (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
//!
//! What an attack learns about strangers, with the rate c, it learns from what is true of people in general. The risk is the
//! rest, as a share of those of whom it would not have been learnt anyway: (p − c) / (1 − c), and 0 if that is less. Its
//! interval has the limits of Newcombe's for p − c, over 1 − c.
//!
//! **Worked example.** 40 of 100 attacks succeed, 10 of 100 on strangers: the risk is 0.3 / 0.9 = 1/3. Wilson's intervals are
//! 0.309 to 0.498 and 0.055 to 0.174; that of p − c is 0.3 − √(0.091² + 0.074²) = 0.182 to 0.3 + √(0.098² + 0.045²) = 0.407, so
//! that of the risk is 0.203 to 0.453.
//!
//! **Deviations.** The paper takes the middle of Wilson's interval for the rate, which is not 0 where no attack succeeds, and
//! propagates errors as if they were normal.

use serde::{Deserialize, Serialize};

/// The quantile of the normal distribution for a confidence of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// How often an attack succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Attacks.
    pub attacks: u64,
    /// The share of them that succeeded.
    pub rate: f64,
    /// The least rate that agrees with that, with a confidence of 95 %.
    pub at_least: f64,
    /// The greatest.
    pub at_most: f64,
}

/// What an attack on those in the table gains over one on a control group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RiskRate {
    /// On people of the table.
    pub original: Rate,
    /// On people of the control group.
    pub control: Rate,
    /// The risk that comes from being in the table, 0 to 1.
    pub risk: f64,
    /// The least risk that agrees with the rates, with a confidence of 95 %.
    pub at_least: f64,
    /// The greatest.
    pub at_most: f64,
}

impl Rate {
    /// Of so many attacks; successes may be expected ones, and need not be whole.
    pub(super) fn new(successes: f64, attacks: u64) -> Rate {
        if attacks == 0 {
            return Rate { attacks, rate: 0.0, at_least: 0.0, at_most: 1.0 };
        }
        let n = attacks as f64;
        let rate = (successes / n).clamp(0.0, 1.0);
        let (middle, scale) = (rate + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
        let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        // What is none, or all, is within; rounding would leave it out.
        let at_least = if rate == 0.0 { 0.0 } else { (middle - half) / scale };
        let at_most = if rate == 1.0 { 1.0 } else { (middle + half) / scale };
        Rate { attacks, rate, at_least: at_least.max(0.0), at_most: at_most.min(1.0) }
    }
}

impl RiskRate {
    /// Of an attack and its control.
    pub(super) fn new(original: Rate, control: Rate) -> RiskRate {
        let (gain, left) = (original.rate - control.rate, 1.0 - control.rate);
        let of = |difference: f64| if left > 0.0 { (difference / left).clamp(0.0, 1.0) } else { 0.0 };
        let below = (original.rate - original.at_least).hypot(control.at_most - control.rate);
        let above = (original.at_most - original.rate).hypot(control.rate - control.at_least);
        RiskRate { risk: of(gain), at_least: of(gain - below), at_most: of(gain + above), original, control }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 6e-4, "{a} {b}");
    }

    #[test]
    fn the_worked_example() {
        let found = RiskRate::new(Rate::new(40.0, 100), Rate::new(10.0, 100));
        near(found.original.at_least, 0.309);
        near(found.original.at_most, 0.498);
        near(found.control.at_least, 0.055);
        near(found.control.at_most, 0.174);
        near(found.risk, 1.0 / 3.0);
        near(found.at_least, 0.203);
        near(found.at_most, 0.453);
    }

    /// Newcombe's table II, method 10: 56/70 and 48/80 differ by 0.2, from 0.0524 to 0.3339; 0/10 and 0/20 by 0.
    #[test]
    fn differences_have_the_limits_of_the_paper() {
        let found = RiskRate::new(Rate::new(56.0, 70), Rate::new(48.0, 80));
        near(found.at_least * 0.4, 0.0524);
        near(found.at_most * 0.4, 0.3339);
        let none = RiskRate::new(Rate::new(0.0, 10), Rate::new(0.0, 20));
        assert_eq!((none.risk, none.at_least), (0.0, 0.0));
        near(none.at_most, 0.2775);
    }

    #[test]
    fn nothing_is_known_without_attacks_and_no_share_leaves_its_bounds() {
        let none = Rate::new(0.0, 0);
        assert_eq!((none.at_least, none.at_most), (0.0, 1.0));
        for attacks in 1..40u64 {
            for successes in 0..=attacks {
                let rate = Rate::new(successes as f64, attacks);
                assert!(0.0 <= rate.at_least && rate.at_least <= rate.rate, "{rate:?}");
                assert!(rate.rate <= rate.at_most && rate.at_most <= 1.0, "{rate:?}");
            }
        }
        let sure = RiskRate::new(Rate::new(5.0, 5), Rate::new(5.0, 5));
        assert_eq!(sure.risk, 0.0);
    }

    /// The interval has the rate that it is about, about as often as it says.
    #[test]
    fn intervals_cover_the_true_rate() {
        let (mut covered, trials) = (0, 2_000);
        for seed in 0..trials {
            let random = &mut throng::random::Random::new(seed);
            let truth = [0.02, 0.2, 0.5, 0.9][seed as usize % 4];
            let successes = (0..200).filter(|_| random.chance(truth)).count();
            let rate = Rate::new(successes as f64, 200);
            covered += u64::from((rate.at_least..=rate.at_most).contains(&truth));
        }
        let share = covered as f64 / trials as f64;
        assert!((0.93..0.975).contains(&share), "{share}");
    }
}
