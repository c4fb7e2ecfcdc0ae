//! The entropy measure (eq. 3 of 'k-Anonymization Revisited'; Gionis and Tassa).

use super::{CellLoss, Kind, Loss};
use crate::problem::{Attribute, Problem};
use crate::tally::Tally;

/// Mean over cells of the bits that the released value leaves open, by the original distribution.
///
/// The cost of a value is not monotone along the tree: a set of two equally frequent leaves
/// leaves one bit open, the same set with one very frequent leaf added leaves less.
#[derive(Debug)]
pub(super) struct Entropy;

impl CellLoss for Entropy {
    fn costs(&self, attribute: &Attribute) -> Vec<f64> {
        let taxonomy = &attribute.taxonomy;
        // For each value: rows below, and the sum of n·log2 n over its leaves.
        let mut rows = vec![0.0f64; taxonomy.values().len()];
        let mut logs = vec![0.0f64; taxonomy.values().len()];
        for (leaf, &count) in attribute.leaf_rows().iter().enumerate().filter(|&(_, &n)| n > 0) {
            let n = count as f64;
            let mut at = leaf as u32;
            loop {
                rows[at as usize] += n;
                logs[at as usize] += n * n.log2();
                let parent = taxonomy.values()[at as usize].parent;
                if parent == at {
                    break;
                }
                at = parent;
            }
        }
        let open = |(&n, &s): (&f64, &f64)| if n > 0.0 { (n.log2() - s / n).max(0.0) } else { 0.0 };
        rows.iter().zip(&logs).map(open).collect()
    }
}

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
        self.mean(problem, tally)
    }
}
