//! The entropy measure (eq. 3 of 'k-Anonymization Revisited'; Gionis and Tassa).

use super::{Basis, CellLoss, Domain, Kind, Loss, Scope, cells};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Mean over cells of the bits that the released value leaves open, by the original distribution.
///
/// The cost of a value is not monotone along the tree: a set of two equally frequent leaves
/// leaves one bit open, the same set with one very frequent leaf added leaves less.
#[derive(Debug)]
pub(super) struct Entropy;

impl CellLoss for Entropy {
    fn cost(&self, _: &Domain, value: &Scope) -> f64 {
        if value.rows > 0.0 { (value.rows.log2() - value.logs / value.rows).max(0.0) } else { 0.0 }
    }

    fn basis(&self) -> Basis {
        Basis::Rows
    }

    /// A value of n rows with H bits open is a share p of one that covers it, in which at least
    /// p·H + h(p) bits are open. That is concave in p, and so least for p = 1 or where p is least.
    fn least_above(&self, domain: &Domain, value: &Scope) -> f64 {
        let own = self.cost(domain, value);
        let p = value.rows / domain.rows as f64;
        if p <= 0.0 || p >= 1.0 {
            return if p > 0.0 { (own - ROUNDING).max(0.0) } else { 0.0 };
        }
        let split = -p * p.log2() - (1.0 - p) * (1.0 - p).log2();
        (own.min(p * own + split) - ROUNDING).max(0.0)
    }

    fn most(&self, attribute: &Attribute) -> f64 {
        (attribute.taxonomy.leaf_total() as f64).log2()
    }
}

/// More bits than costs are rounded by, which keeps bounds below what they bound.
const ROUNDING: f64 = 1e-6;

impl Loss for Entropy {
    fn name(&self) -> &'static str {
        "entropy"
    }

    fn summary(&self) -> &'static str {
        "mean over cells of the bits that the released value leaves open"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn of(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.of_sum(problem, self.total(problem, tally))
    }

    fn of_sum(&self, problem: &Problem, sum: f64) -> f64 {
        sum / cells(problem)
    }
}
