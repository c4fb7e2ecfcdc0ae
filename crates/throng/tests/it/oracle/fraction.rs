//! Exact fractions.

use std::cmp::Ordering;

/// A fraction in lowest terms, whose denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction {
    top: i128,
    bottom: i128,
}

impl Fraction {
    pub(crate) fn new(top: i128, bottom: i128) -> Fraction {
        let divisor = gcd(top.abs(), bottom).max(1);
        Fraction { top: top / divisor, bottom: bottom / divisor }
    }

    pub(crate) fn plus(self, other: Fraction) -> Fraction {
        Fraction::new(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        (self.top * other.bottom).cmp(&(other.top * self.bottom))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
