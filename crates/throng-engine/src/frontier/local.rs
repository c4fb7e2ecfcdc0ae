//! What local recodings are worth by the objectives of a front: one point for each algorithm and k.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use throng::algorithm::{self, Entry, Family, Serves};
use throng::frontier::{Front, Objective, dominates, of_release};
use throng::loss::{self, Aggregate, Loss};
use throng::notion::Notion;
use throng::problem::Problem;
use throng::solve;

use super::{FrontierOptions, looked_at, named};
use crate::error::{EngineError, Result};
use crate::job::find_algorithm;
use crate::pipeline::{judge, search};
use crate::prepare::EncodedTable;
use crate::progress::Progress;
use crate::summary::number;

/// A local recoding beside a front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalPoint {
    /// The algorithm.
    pub algorithm: String,
    /// The k that was asked for.
    pub k: u64,
    /// By objective; none if nothing was found.
    pub values: Option<Map<String, Value>>,
    /// Rows that are suppressed.
    pub suppressed_rows: u64,
    /// Whether the search went through.
    pub complete: bool,
    /// Whether a node of the front is nowhere worse and somewhere better; none where a value is not defined.
    pub dominated: Option<bool>,
}

/// Local algorithms, each at a ladder of k.
pub(super) struct LadderOfK {
    entries: Vec<&'static Entry>,
    ks: Vec<u64>,
}

impl LadderOfK {
    /// Reads names of algorithms and the k that they are asked for.
    ///
    /// # Errors
    /// A name that is unknown or of no local algorithm, one that does not guarantee k-anonymity, a k below 2.
    pub(super) fn read(options: &FrontierOptions) -> Result<LadderOfK> {
        let mut entries = Vec::new();
        for name in &options.local {
            let entry = find_algorithm(name)?;
            let gives = |entry: &Entry| entry.family == Family::Local && entry.notions.contains(&Notion::K);
            if !gives(entry) {
                let able = algorithm::registry().iter().filter(|entry| gives(entry));
                let able = able.map(|entry| entry.name).collect::<Vec<_>>().join(", ");
                let fault = match entry.family {
                    Family::Local => "does not guarantee k-anonymity",
                    _ => "is not a local algorithm",
                };
                return Err(EngineError::bad((
                    format!("'{name}' {fault}"),
                    format!("local algorithms for k-anonymity are {able}"),
                )));
            }
            entries.push(entry);
        }
        match options.ks.iter().find(|&&k| k < 2) {
            Some(k) => Err(EngineError::bad((format!("k is {k}"), "it must be at least 2"))),
            None => Ok(LadderOfK { entries, ks: options.ks.clone() }),
        }
    }

    /// Searches for each, and measures what is found as the nodes of a problem that asks for nothing are.
    pub(super) fn climb(
        &self,
        prepared: &EncodedTable,
        open: &Problem,
        objectives: &[Objective],
        options: &FrontierOptions,
        front: &Front,
        progress: &dyn Progress,
    ) -> Result<Vec<LocalPoint>> {
        let columns = looked_at(objectives, prepared, false);
        let mut points = Vec::new();
        for entry in &self.entries {
            refuse_blind(entry, !columns.is_empty())?;
            let measure = minimised(entry, objectives);
            for &k in &self.ks {
                progress.phase(entry.name);
                let mut problem = prepared.open_problem(k, &columns, open.max_suppressed_rows, measure)?;
                // They minimise plain sums, whatever the front compares by.
                problem.aggregate = Aggregate::default();
                let solution = search(&problem, entry, options.time_limit, progress)?;
                let mut point = LocalPoint {
                    algorithm: entry.name.to_owned(),
                    k,
                    values: None,
                    suppressed_rows: 0,
                    complete: !matches!(solution.outcome, solve::Outcome::Stopped { .. }),
                    dominated: None,
                };
                if let Some(recoding) = solution.outcome.recoding() {
                    judge(&problem, recoding, progress)?;
                    let release = recoding.apply(open);
                    let tally = release.tally();
                    let values = of_release(&release, &tally, objectives);
                    let is_dominated =
                        || front.points.iter().any(|node| dominates(objectives, &node.values, &values));
                    point.dominated = values.iter().all(|value| !value.is_nan()).then(is_dominated);
                    point.suppressed_rows = tally.suppressed_rows;
                    point.values = Some(named(options, values.iter().map(|&value| number(value))).collect());
                }
                points.push(point);
            }
        }
        Ok(points)
    }
}

/// The first measure among the objectives that the algorithm can make small.
fn minimised(entry: &Entry, objectives: &[Objective]) -> &'static dyn Loss {
    let measures = objectives.iter().filter_map(|objective| match objective {
        Objective::Loss(loss) => Some(*loss),
        _ => None,
    });
    let mut fit = measures.filter(|loss| entry.family.minimises(loss.kind()));
    fit.next().unwrap_or_else(|| loss::find("lm").expect("registered"))
}

/// Refuses an algorithm that may divide rows of different sensitive values, where these are looked at.
fn refuse_blind(entry: &Entry, values: bool) -> Result<()> {
    if !values || entry.serves != Serves::Crowd {
        return Ok(());
    }
    let able = algorithm::registry()
        .iter()
        .filter(|entry| entry.family == Family::Local && entry.serves != Serves::Crowd);
    Err(EngineError::bad(format!(
        "'{}' ignores sensitive columns, which an objective needs. Local algorithms that consider them: {}",
        entry.name,
        able.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
    )))
}
