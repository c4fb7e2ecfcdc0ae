//! The non-uniform entropy measure (A. Gionis and T. Tassa, *k-Anonymization with Minimal Loss of Information*, 2009).

use super::{Basis, CellLoss, Domain, Kind, Loss, Scope, cells};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Mean over cells of −log2 of the share that the original value has of the rows of the released one: a rare value loses
/// more than a frequent one that is generalised as far.
///
/// With n(B) rows of a value B, a cell of original b loses log2 n(B) − log2 n(b). The second term is the same for all
/// releases of a table, so the first is the cost of a value, and the sum of the others is taken from what is reported.
#[derive(Debug)]
pub(super) struct NonUniformEntropy;

/// What the cells of an attribute cost as they are: the sum over rows of log2 of those of their value.
fn as_it_is(attribute: &Attribute) -> f64 {
    let rows = attribute.leaf_rows().iter().map(|&rows| rows as f64);
    attribute.weight * rows.filter(|&rows| rows > 0.0).map(|rows| rows * rows.log2()).sum::<f64>()
}

impl CellLoss for NonUniformEntropy {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        domain.weight * if value.rows > 0.0 { value.rows.log2() } else { 0.0 }
    }

    fn basis(&self) -> Basis {
        Basis::Rows
    }

    fn starts_at_zero(&self) -> bool {
        false
    }
}

impl Loss for NonUniformEntropy {
    fn name(&self) -> &'static str {
        "non_uniform_entropy"
    }

    fn summary(&self) -> &'static str {
        "mean over cells of -log2 of the share of the original value among the rows that the released value \
            stands for"
    }

    fn kind(&self) -> Kind<'_> {
        Kind::Cells(self)
    }

    fn measure(&self, problem: &Problem, tally: &Tally) -> f64 {
        self.of_sum(problem, self.total(problem, tally))
    }

    fn of_sum(&self, problem: &Problem, sum: f64) -> f64 {
        let start: f64 = problem.attributes().iter().map(as_it_is).sum();
        // What is left of a release that loses nothing is rounding.
        ((sum - start) / cells(problem)).max(0.0)
    }

    fn of_attribute(&self, attribute: &Attribute, sum: f64) -> f64 {
        (sum - as_it_is(attribute)).max(0.0)
    }
}
