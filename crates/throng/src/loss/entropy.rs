//! The entropy measure (eq. 3 of 'k-Anonymization Revisited'; Gionis and Tassa).

use rustc_hash::FxHashMap;

use super::{Basis, CellLoss, Domain, Kind, Loss, Scope, cells};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;
use crate::taxonomy::ValueId;

/// Mean over cells of the bits that the released value leaves open, by the original distribution; columns count by their
/// weights.
///
/// The cost of a value is not monotone along the tree: a set of two equally frequent leaves
/// leaves one bit open, the same set with one very frequent leaf added leaves less.
#[derive(Debug)]
pub(super) struct Entropy;

impl CellLoss for Entropy {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        let bits = || (value.rows.log2() - value.logs / value.rows).max(0.0);
        domain.weight * if value.rows > 0.0 { bits() } else { 0.0 }
    }

    fn basis(&self) -> Basis {
        Basis::Rows
    }

    /// The rows of a value cost n·log2 n for all n of them, less the same for each leaf. Logarithms are sums of
    /// those of primes, each rounded once, so that what is equal for whole numbers is equal here.
    fn costs_of_rows(&self, attribute: &Attribute, unit: f64) -> Option<Vec<i128>> {
        let mut logs = Logs { unit: unit * attribute.weight, of: FxHashMap::default() };
        let mut n_log_n = |rows: u64| i128::from(rows) * logs.log(rows);
        let taxonomy = &attribute.taxonomy;
        let mut sums = vec![(0u64, 0i128); taxonomy.values().len()];
        for (leaf, &rows) in attribute.leaf_rows().iter().enumerate() {
            let own = n_log_n(rows);
            let add = |sum: &mut (u64, i128)| *sum = (sum.0 + rows, sum.1 + own);
            taxonomy.ancestors(leaf as ValueId).for_each(|value| add(&mut sums[value as usize]));
        }
        Some(sums.into_iter().map(|(rows, leaves)| n_log_n(rows) - leaves).collect())
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
        (own.min(p * own + domain.weight * split) - ROUNDING).max(0.0)
    }

    fn most(&self, attribute: &Attribute) -> f64 {
        attribute.weight * (attribute.taxonomy.leaf_total() as f64).log2()
    }
}

/// Binary logarithms of whole numbers, in units.
struct Logs {
    unit: f64,
    /// Those that were asked for.
    of: FxHashMap<u64, i128>,
}

impl Logs {
    /// The logarithm of a number; 0 for 0.
    fn log(&mut self, number: u64) -> i128 {
        if let Some(&log) = self.of.get(&number) {
            return log;
        }
        let (mut rest, mut log, mut divisor) = (number, 0, 2);
        while rest > 1 {
            if divisor * divisor > rest {
                divisor = rest;
            }
            while rest.is_multiple_of(divisor) {
                rest /= divisor;
                log += ((divisor as f64).log2() * self.unit).round() as i128;
            }
            divisor += 1;
        }
        self.of.insert(number, log);
        log
    }
}

/// More bits than costs are rounded by, which keeps bounds below what they bound.
pub(super) const ROUNDING: f64 = 1e-6;

impl Loss for Entropy {
    fn name(&self) -> &'static str {
        "entropy"
    }

    fn summary(&self) -> &'static str {
        "mean over cells of the bits of information that the released value leaves unknown"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.of_sum(problem, self.total(problem, tally))
    }

    fn of_sum(&self, problem: &Problem, sum: f64) -> f64 {
        sum / cells(problem)
    }
}
