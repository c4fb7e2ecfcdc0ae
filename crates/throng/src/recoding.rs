//! What a search decides: how each value is recoded.

mod assemble;
mod parts;

pub use parts::Parts;

use crate::classes::{self, Grid};
use crate::cut::Cut;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::release::Release;
use crate::stop::{GoOn, Stop};
use crate::taxonomy::{Closure, Leaves, Taxonomy, ValueId};

/// A recoding of the quasi-identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recoding {
    /// All values of an attribute go to its level in the node.
    FullDomain(Node),
    /// All values of an attribute go to those of a cut through its tree; one for each attribute.
    Cut(Vec<Cut>),
    /// Each tuple, or part of one, has generalised values of its own.
    Local(Local),
}

/// A generalised value for each attribute and tuple, or part of a tuple.
///
/// An attribute's values are those of its taxonomy and, after them, the ranges or sets of leaves
/// that the recoding made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    columns: Vec<Vec<ValueId>>,
    made: Vec<Vec<Leaves>>,
    /// None if each tuple is released as a whole.
    parts: Option<Parts>,
}

impl Local {
    /// A local recoding from one column of generalised values per attribute, each with an entry
    /// for every tuple of the table; all are values of the taxonomies.
    pub fn new(columns: Vec<Vec<ValueId>>) -> Local {
        let made = vec![Vec::new(); columns.len()];
        Local { columns, made, parts: None }
    }

    /// A local recoding whose columns also have values that it made: the id of `made[a][i]` is `i`
    /// more than the number of values of attribute `a`'s taxonomy.
    pub fn with_made(columns: Vec<Vec<ValueId>>, made: Vec<Vec<Leaves>>) -> Local {
        assert_eq!(columns.len(), made.len(), "a list of values an attribute");
        Local { columns, made, parts: None }
    }

    /// The same where the columns have an entry for every part of a tuple.
    #[must_use]
    pub fn in_parts(self, parts: Parts) -> Local {
        let fits = self.columns.iter().all(|column| column.len() == parts.tuples().len());
        assert!(fits, "a value for each part and attribute");
        Local { parts: Some(parts), ..self }
    }

    /// A local recoding from the closure of each of an attribute's groups of tuples.
    ///
    /// `closures(a)` gives the closures, and for each tuple which of them is its own. The same
    /// closures give the same recoding, in whatever order they come. It may stop in between.
    pub(crate) fn from_closures(
        problem: &Problem,
        closures: impl Fn(usize) -> Result<(Vec<Closure>, Vec<u32>), Stop> + Sync,
    ) -> Result<Local, Stop> {
        use rayon::prelude::*;
        let column = |a: usize| {
            let (closures, mut column) = closures(a)?;
            let (ids, made) = number(&problem.attributes()[a].taxonomy, closures);
            column.iter_mut().for_each(|of| *of = ids[*of as usize]);
            Ok((column, made))
        };
        let columns = (0..problem.attributes().len()).into_par_iter().map(column);
        let columns: Vec<(Vec<ValueId>, Vec<Leaves>)> = columns.collect::<Result<_, Stop>>()?;
        let (columns, made) = columns.into_iter().unzip();
        Ok(Local::with_made(columns, made))
    }

    /// The same recoding where an attribute's values are others.
    pub(crate) fn mapped(mut self, attribute: usize, to: impl Fn(ValueId) -> ValueId) -> Local {
        self.columns[attribute].iter_mut().for_each(|value| *value = to(*value));
        self
    }

    /// Rows that it leaves out.
    pub(crate) fn suppressed_rows(&self) -> u64 {
        let parts = self.parts.iter().flat_map(|parts| parts.rows().iter().zip(parts.suppressed()));
        parts.filter(|(_, suppressed)| **suppressed).map(|(&rows, _)| u64::from(rows)).sum()
    }

    /// The parts that tuples are released in; none if each is released as a whole.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_ref()
    }

    /// The generalised values of one attribute, by tuple or part.
    pub fn column(&self, attribute: usize) -> &[ValueId] {
        &self.columns[attribute]
    }

    /// The values of one attribute that are not of its taxonomy.
    pub fn made(&self, attribute: usize) -> &[Leaves] {
        &self.made[attribute]
    }
}

/// The id of each closure, and the values that have to be made for them, in order.
fn number(taxonomy: &Taxonomy, closures: Vec<Closure>) -> (Vec<ValueId>, Vec<Leaves>) {
    let mut order: Vec<u32> = (0..closures.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| closures[a as usize].cmp(&closures[b as usize]));
    let mut ids = vec![0; closures.len()];
    let mut made: Vec<Leaves> = Vec::new();
    for at in order {
        ids[at as usize] = match &closures[at as usize] {
            Closure::Value(value) => *value,
            Closure::Made(leaves) => {
                if made.last() != Some(leaves) {
                    made.push(leaves.clone());
                }
                (taxonomy.values().len() + made.len() - 1) as ValueId
            }
        };
    }
    (ids, made)
}

impl Recoding {
    /// Recodes the table. Full-domain and cut recoding suppress the rows of classes that a requirement
    /// does not allow; local recoding suppresses the parts that it says.
    ///
    /// # Panics
    /// If the recoding is not one of this table.
    pub fn apply(&self, problem: &Problem) -> Release {
        self.apply_asking(problem, &|| Ok(())).expect("nothing stops this")
    }

    /// The same, unless `go_on` stops it.
    pub(crate) fn apply_asking(&self, problem: &Problem, go_on: &GoOn<'_>) -> Result<Release, Stop> {
        let suppressed = |grid: &Grid| classes::counter(problem, go_on)?.suppressed_tuples(grid, go_on);
        let suppressed = match self {
            Recoding::FullDomain(node) => suppressed(&Grid::of_node(node))?,
            Recoding::Cut(cuts) => suppressed(&Grid::of_cuts(problem, cuts))?,
            Recoding::Local(Local { parts: Some(parts), .. }) => {
                assert!(parts.fit(problem.table()), "every row is in one part");
                parts.suppressed().to_vec()
            }
            Recoding::Local(_) => vec![false; problem.table().tuples()],
        };
        Ok(Release::new(problem, self.clone(), suppressed))
    }

    /// Whether this one is preferred to another that costs the same: the lower node, then the first; the
    /// first of cuts; of local recodings neither.
    pub(crate) fn is_finer(&self, other: &Recoding) -> bool {
        match (self, other) {
            (Recoding::FullDomain(a), Recoding::FullDomain(b)) => (a.height(), a) < (b.height(), b),
            (Recoding::Cut(a), Recoding::Cut(b)) => a < b,
            _ => false,
        }
    }
}
