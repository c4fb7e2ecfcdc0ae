//! Releases of levels that somebody chose, in the place of a search.

use std::str::FromStr;

use throng::cut::Cut;
use throng::lattice::Node;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::solve::{Outcome, Solution};
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::frontier::{FrontierSummary, in_order_of, saved};
use crate::job::Job;
use crate::prepare::EncodedTable;
use crate::reuse::SavedRecoding;
use crate::wording::guess;

/// What the summary names in the place of an algorithm.
pub const CHOSEN: &str = "node";

/// What was chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum ChosenRelease {
    /// Levels.
    Levels(Levels),
    /// A recoding of an earlier delivery.
    Recoding(Box<SavedRecoding>),
    /// What an earlier run of the same job found.
    Found(Recoding),
    /// A node of a front.
    Point {
        /// The front.
        frontier: Box<FrontierSummary>,
        /// The number of the node, from 1.
        number: usize,
        /// Whether the node must have the k that it has on the front, in the place of the job's.
        own_k: bool,
    },
}

/// A level for each quasi-identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Levels {
    /// In the order of the job, which is that of `throng frontier`, too.
    InOrder(Vec<u64>),
    /// By column.
    Named(Vec<(String, u64)>),
}

/// Reads `2,0,1` or `age=2,sex=0,zip=1`.
impl FromStr for Levels {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Levels> {
        let level = |text: &str| {
            let level = text.trim().parse::<u64>();
            level.map_err(|_| {
                EngineError::bad((format!("{} is not a level", quoted(text.trim())), "levels are 0, 1, 2, …"))
            })
        };
        if !text.contains('=') {
            return Ok(Levels::InOrder(text.split(',').map(level).collect::<Result<_>>()?));
        }
        let named = |part: &str| match part.rsplit_once('=') {
            Some((name, text)) => Ok((name.trim().to_owned(), level(text)?)),
            None => Err(EngineError::bad(format!(
                "{} is not of the form COLUMN=LEVEL, as the others are",
                quoted(part)
            ))),
        };
        Ok(Levels::Named(text.split(',').map(named).collect::<Result<_>>()?))
    }
}

impl ChosenRelease {
    /// The job that asks for what was chosen.
    ///
    /// # Errors
    /// A point that the front does not have, or that hides nobody.
    pub fn job(&self, job: &Job) -> Result<Job> {
        let mut job = job.clone();
        if matches!(self, ChosenRelease::Recoding(_) | ChosenRelease::Found(_)) {
            return Ok(job);
        }
        // Says what the node must satisfy, and searches for nothing.
        "exhaustive".clone_into(&mut job.search.algorithm);
        job.search.settings = Default::default();
        if let ChosenRelease::Point { frontier, number, own_k } = self {
            let k = frontier.point(*number)?.k;
            if *own_k && k < 2 {
                return Err(EngineError::bad((
                    format!("point {number} of the frontier has k = {k} and hides nobody"),
                    "pick another",
                )));
            }
            job.privacy.k = if *own_k { Some(k) } else { job.privacy.k };
        }
        Ok(job)
    }

    /// Refuses a front of another job.
    ///
    /// # Errors
    /// If it is one.
    pub(super) fn refuse_foreign(&self, prepared: &EncodedTable, max_suppressed_rows: u64) -> Result<()> {
        let ChosenRelease::Point { frontier, .. } = self else { return Ok(()) };
        let own = tokio::task::block_in_place(|| saved::fingerprint(prepared, max_suppressed_rows));
        if own == frontier.fingerprint {
            return Ok(());
        }
        Err(EngineError::bad((
            "the frontier belongs to a different job: its table, quasi-identifiers, hierarchies or suppression limit differ",
            "make a new one with `throng frontier`",
        )))
    }

    /// The node, in the lattice of the problem.
    ///
    /// # Errors
    /// Levels that the lattice does not have.
    pub(super) fn node(&self, job: &Job, problem: &Problem) -> Result<Node> {
        let order = in_order_of(job, problem);
        match self {
            ChosenRelease::Levels(levels) => levels.node(&order, problem),
            ChosenRelease::Recoding(_) | ChosenRelease::Found(_) => {
                unreachable!("a recoding is more than a node")
            }
            ChosenRelease::Point { frontier, number, .. } => {
                let levels = frontier.point(*number)?.levels.iter();
                let named = levels.map(|(name, level)| (name.clone(), level.as_u64().unwrap_or(u64::MAX)));
                Levels::Named(named.collect()).node(&order, problem)
            }
        }
    }
}

/// What an earlier run found, in the place of a search. Whether it may be released is judged as for any other.
///
/// # Errors
/// If it does not fit the table, which must have changed since.
pub(super) fn solve_found(found: &Recoding, problem: &Problem) -> Result<Solution> {
    if !fits(found, problem) {
        return Err(EngineError::bad((
            "the table has changed since the release was made",
            "release it again",
        )));
    }
    Ok(Solution::without_search(Outcome::Found(found.clone()), problem.lattice().size()))
}

/// Whether a recoding could be one of this table.
fn fits(found: &Recoding, problem: &Problem) -> bool {
    let mut attributes = problem.attributes().iter().enumerate();
    match found {
        Recoding::FullDomain(node) => attributes.all(|(a, of)| node.level(a) <= of.taxonomy.height()),
        Recoding::Cut(cuts) => attributes.all(|(a, of)| {
            let values = cuts[a].values();
            let is_known = values.iter().all(|&value| (value as usize) < of.taxonomy.values().len());
            is_known && Cut::new(&of.taxonomy, &values).as_ref() == Ok(&cuts[a])
        }),
        Recoding::Local(local) => attributes.all(|(a, of)| {
            let tuples = local.parts().map_or(problem.table().tuples(), |parts| parts.tuples().len());
            let values = of.taxonomy.values().len() + local.made(a).len();
            local.column(a).len() == tuples && local.column(a).iter().all(|&value| (value as usize) < values)
        }),
    }
}

impl Levels {
    /// The node of levels of attributes in an order.
    fn node(&self, order: &[usize], problem: &Problem) -> Result<Node> {
        let names: Vec<&str> = order.iter().map(|&a| problem.attributes()[a].name.as_str()).collect();
        let (levels, given) = match self {
            Levels::InOrder(levels) => (levels.clone(), levels.len()),
            Levels::Named(named) => (Levels::in_order(named, &names)?, named.len()),
        };
        if given != names.len() {
            return Err(EngineError::bad((
                format!("the node has {given} level{}", if given == 1 { "" } else { "s" }),
                format!(
                    "there must be one for each of the {} quasi-identifiers: {}",
                    names.len(),
                    names.join(", ")
                ),
            )));
        }
        let mut node = problem.lattice().raw();
        for ((name, &level), &a) in names.iter().zip(&levels).zip(order) {
            let height = problem.lattice().heights()[a];
            if level > u64::from(height) {
                return Err(EngineError::bad((
                    format!("column {} has no level {level}", quoted(name)),
                    format!("its highest is {height}"),
                ))
                .about_column(name));
            }
            let floor = problem.lattice().floors()[a];
            if level < u64::from(floor) {
                let problem = format!("column {} must have at least level {floor} (min_level)", quoted(name));
                return Err(EngineError::bad(problem).about_column(name));
            }
            node = node.with(a, level as usize);
        }
        Ok(node)
    }

    fn in_order(named: &[(String, u64)], names: &[&str]) -> Result<Vec<u64>> {
        for (at, (name, _)) in named.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                let near = guess(name, names.iter().copied());
                return Err(EngineError::bad(format!("there is no quasi-identifier {}{near}", quoted(name))));
            }
            if named[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(EngineError::bad(format!("the level of {} is given twice", quoted(name))));
            }
        }
        let level = |name: &&str| named.iter().find(|(of, _)| of == name).map(|(_, level)| *level);
        Ok(names.iter().filter_map(level).collect())
    }
}
