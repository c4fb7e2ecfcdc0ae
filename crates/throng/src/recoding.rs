//! What a search decides: how each value is recoded.

use crate::classes;
use crate::lattice::Node;
use crate::problem::Problem;
use crate::release::Release;
use crate::run::Stop;
use crate::taxonomy::{Closure, Leaves, Taxonomy, ValueId};

/// Asked now and then whether to go on, from any thread.
pub(crate) type GoOn<'a> = dyn Fn() -> Result<(), Stop> + Sync + 'a;

/// A recoding of the quasi-identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recoding {
    /// All values of an attribute go to its level in the node.
    FullDomain(Node),
    /// Each tuple has generalised values of its own.
    Local(Local),
}

/// A generalised value for each attribute and tuple.
///
/// An attribute's values are those of its taxonomy and, after them, the ranges or sets of leaves
/// that the recoding made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    columns: Vec<Vec<ValueId>>,
    made: Vec<Vec<Leaves>>,
}

impl Local {
    /// A local recoding from one column of generalised values per attribute, each with an entry
    /// for every tuple of the table; all are values of the taxonomies.
    pub fn new(columns: Vec<Vec<ValueId>>) -> Local {
        let made = vec![Vec::new(); columns.len()];
        Local { columns, made }
    }

    /// A local recoding whose columns also have values that it made: the id of `made[a][i]` is `i`
    /// more than the number of values of attribute `a`'s taxonomy.
    pub fn with_made(columns: Vec<Vec<ValueId>>, made: Vec<Vec<Leaves>>) -> Local {
        assert_eq!(columns.len(), made.len(), "a list of values an attribute");
        Local { columns, made }
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

    /// One recoding from those of parts of the table, each with the tuples that it is about;
    /// every tuple is in one part. `go_on` may stop it.
    pub(crate) fn assemble(
        problem: &Problem,
        parts: &[(&[u32], &Local)],
        go_on: &GoOn<'_>,
    ) -> Result<Local, Stop> {
        let tuples = problem.table().tuples();
        Local::from_closures(problem, |a| {
            go_on()?;
            let values = problem.attributes()[a].taxonomy.values().len() as ValueId;
            let mut closures: Vec<Closure> = (0..values).map(Closure::Value).collect();
            let mut own = vec![0; tuples];
            for (tuples, local) in parts {
                let others = closures.len() as u32 - values;
                closures.extend(local.made(a).iter().cloned().map(Closure::Made));
                for (&tuple, &value) in tuples.iter().zip(local.column(a)) {
                    own[tuple as usize] = if value < values { value } else { others + value };
                }
            }
            Ok((closures, own))
        })
    }

    /// The generalised values of one attribute, by tuple.
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
