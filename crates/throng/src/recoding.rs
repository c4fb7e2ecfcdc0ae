//! What a search decides: how each value is recoded.

use crate::classes;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::release::Release;

/// A recoding of the quasi-identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recoding {
    /// All values of an attribute go to its level in the node.
    FullDomain(Node),
}

impl Recoding {
    /// Recodes the table, and suppresses the rows of classes that the requirement does not allow.
    pub fn apply<'p>(&self, problem: &'p Problem) -> Release<'p> {
        match self {
            Recoding::FullDomain(node) => {
                let suppressed = classes::counter(problem).suppressed_tuples(node);
                Release::full_domain(problem, node.clone(), suppressed)
            }
        }
    }
}
