//! The gamma function's logarithm and its derivative, for positive numbers.

/// From here on the asymptotic series have all digits of a double.
const LARGE: f64 = 12.0;

/// ln Γ(x) for x > 0, by Stirling's series.
pub(super) fn ln_gamma(mut x: f64) -> f64 {
    debug_assert!(x > 0.0);
    let mut shift = 0.0;
    while x < LARGE {
        shift += x.ln();
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

/// ψ(x), the derivative of ln Γ, for x > 0.
pub(super) fn digamma(mut x: f64) -> f64 {
    debug_assert!(x > 0.0);
    let mut shift = 0.0;
    while x < LARGE {
        shift += 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))));
    x.ln() - 0.5 / x - series - shift
}

/// A zero of a function between two numbers at which it has different signs, or the end at which it is nearer.
pub(super) fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rises = f(high) > 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if (f(middle) > 0.0) == rises { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_have_the_values_of_tables() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} {b}");
        near(ln_gamma(1.0), 0.0);
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        near(ln_gamma(11.0), (3_628_800.0f64).ln());
        // Euler's constant, and ψ(1/2) = −γ − 2 ln 2.
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(digamma(0.5), -0.577_215_664_901_532_9 - 2.0 * std::f64::consts::LN_2);
        let harmonic: f64 = (1..1000).map(|i| 1.0 / f64::from(i)).sum();
        near(digamma(1000.0) - digamma(1.0), harmonic);
        near(bisect(0.0, 2.0, |x| 2.0 - x * x), std::f64::consts::SQRT_2);
    }
}
