//! The upper tail of the binomial distribution, by the continued fraction of the incomplete beta function.

use super::special::ln_gamma;

/// Terms of the continued fraction, and what is as good as nothing in it.
const MOST_TERMS: u32 = 20_000;
const TINY: f64 = 1e-300;

/// The probability that of so many people, each sampled with a probability, at least so many are in the sample.
pub(crate) fn tail_of_binomial(people: f64, probability: f64, at_least: f64) -> f64 {
    if at_least <= 0.0 {
        return 1.0;
    }
    if at_least > people {
        return 0.0;
    }
    incomplete_beta(probability, at_least, people - at_least + 1.0)
}

/// The regularised incomplete beta function, for x from 0 to 1 and positive a and b.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast on the side of x that the mass is not on.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let log = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    (log.exp() / a * fraction(x, a, b)).clamp(0.0, 1.0)
}

/// The continued fraction from its front, by Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let away = |of: f64| if of.abs() < TINY { TINY } else { of };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for term in 1..MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / away(1.0 + numerator * d);
            c = away(1.0 + numerator / c);
            change = c * d;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_of_the_probabilities() {
        for people in [1u32, 2, 5, 13, 40] {
            for probability in [0.01, 0.2, 0.5, 0.83] {
                let choose =
                    |k: u32| (0..k).map(|i| f64::from(people - i) / f64::from(i + 1)).product::<f64>();
                for at_least in 0..=people + 1 {
                    let of = |k: u32| {
                        choose(k)
                            * f64::powi(probability, k as i32)
                            * f64::powi(1.0 - probability, (people - k) as i32)
                    };
                    let sum: f64 = (at_least..=people).map(of).sum();
                    let found = tail_of_binomial(people.into(), probability, at_least.into());
                    assert!((found - sum).abs() < 1e-12, "{people} {probability} {at_least}: {found} {sum}");
                }
            }
        }
        // Of a million half are expected.
        assert!((tail_of_binomial(1e6, 0.5, 500_000.0) - 0.500_399).abs() < 1e-5);
    }
}
