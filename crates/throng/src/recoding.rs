//! What a search decides: how each value is recoded.

use crate::classes;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::release::Release;
use crate::taxonomy::ValueId;

/// A recoding of the quasi-identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recoding {
    /// All values of an attribute go to its level in the node.
    FullDomain(Node),
    /// Each tuple has generalised values of its own.
    Local(Local),
}

/// A generalised value for each attribute and tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    columns: Vec<Vec<ValueId>>,
}

impl Local {
    /// A local recoding from one column of generalised values per attribute, each with an entry
    /// for every tuple of the table.
    pub fn new(columns: Vec<Vec<ValueId>>) -> Local {
        Local { columns }
    }

    /// The generalised values of one attribute, by tuple.
    pub fn column(&self, attribute: usize) -> &[ValueId] {
        &self.columns[attribute]
    }
}

impl Recoding {
    /// Recodes the table. Full-domain recoding suppresses the rows of classes that the requirement
    /// does not allow; local recoding suppresses nothing.
    pub fn apply<'p>(&self, problem: &'p Problem) -> Release<'p> {
        let suppressed = match self {
            Recoding::FullDomain(node) => classes::counter(problem).suppressed_tuples(node),
            Recoding::Local(_) => vec![false; problem.table().tuples()],
        };
        Release::new(problem, self.clone(), suppressed)
    }
}
