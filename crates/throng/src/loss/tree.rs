//! The tree measure (G. Aggarwal et al., *Approximation Algorithms for k-Anonymity*, 2005).

use super::precision::Precision;
use super::{CellLoss, Domain, Kind, Loss, Scope, cells};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Mean over cells of level / height: what [`Precision`] has less than 1.
#[derive(Debug)]
pub(super) struct TreeLoss;

impl CellLoss for TreeLoss {
    fn cost(&self, domain: &Domain, value: &Scope) -> f64 {
        Precision.cost(domain, value)
    }

    fn denominator(&self, attribute: &Attribute) -> Option<u64> {
        Precision.denominator(attribute)
    }
}

impl Loss for TreeLoss {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn summary(&self) -> &'static str {
        "tree measure: mean over cells of level / height, 1 - prec"
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
