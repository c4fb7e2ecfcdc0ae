//! The whole trade-off of a job's table: the levels that no others are better than in everything.
//!
//! What the job requires does not count, but for how many rows may be suppressed: a node's k is the largest that
//! it reaches within that limit.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use throng::frontier::{Boxes, Evolution, Front, Objective, Point, exact, pbg_ea};
use throng::loss::{self, Needs};
use throng::privacy::ParameterValue;
use throng::problem::Problem;
use throng::run::Stop;
use throng::wording::{quoted, quoted_list};

use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::job::{Job, Require, Role};
use crate::prepare::Prepared;
use crate::progress::{Progress, Watch};
use crate::report::number;
use crate::wording::guess;

/// Nodes of a lattice up to which all of them are looked at.
const SMALL_LATTICE: u128 = 200_000;

/// Objectives that are no measures.
const OF_PRIVACY: [&str; 4] = ["k", "l", "sk", "sl"];

/// How the front is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// All nodes where they are few, else PBG-EA.
    #[default]
    Auto,
    /// All nodes.
    Exact,
    /// The evolutionary search of the paper.
    PbgEa,
}

/// What to find.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontierOptions {
    /// Names of the objectives: `k`, `l`, `sk`, `sl`, or those of measures. `l` and `sl` are of the first
    /// sensitive column, or of one that is named: `l:diagnosis`.
    pub objectives: Vec<String>,
    /// The sides of boxes of which each shows one node; none for the whole front.
    pub epsilon: Vec<f64>,
    /// How.
    pub method: Method,
    /// The most that the search may take.
    pub time_limit: Option<Duration>,
    /// What PBG-EA starts from.
    pub seed: u64,
}

/// A front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontierSummary {
    /// How it was found: `exact` or `pbg-ea`.
    pub method: Method,
    /// Whether it is known to be all of it.
    pub complete: bool,
    /// Nodes that were looked at.
    pub evaluated_nodes: u64,
    /// Nodes of the lattice.
    pub lattice_nodes: u128,
    /// Rows of the table.
    pub rows: u64,
    /// Most rows that a node may suppress.
    pub max_suppressed_rows: u64,
    /// Names of the objectives, and whether more is better.
    pub objectives: Vec<(String, bool)>,
    /// The nodes, the first objective's best first.
    pub front: Vec<FrontPoint>,
}

/// A node of a front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontPoint {
    /// Level of each quasi-identifier.
    pub levels: Map<String, Value>,
    /// By objective.
    pub values: Map<String, Value>,
    /// Rows that are suppressed.
    pub suppressed_rows: u64,
}

/// Finds the front of a job's table; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// Fewer than two objectives, or one that is unknown or cannot be had; a side that is not positive, or too few of
/// them; persons, which nodes are not compared by yet; a lattice that cannot be listed; a cancelled run.
pub async fn frontier(
    job: &Job,
    options: &FrontierOptions,
    progress: &dyn Progress,
) -> Result<FrontierSummary> {
    let names = Names::read(job, options)?;
    let boxes = boxes(options)?;
    progress.phase("read");
    let prepared = Prepared::read(&names.carrying(job)?, progress).await?;
    let max_suppressed_rows = job.privacy.suppression.max_rows(prepared.rows());
    let glm = loss::find("glm").expect("registered");
    let objectives = names.find(&prepared)?;
    let problem = prepared.open_problem(&looked_at(&objectives, &prepared), max_suppressed_rows, glm)?;
    progress.phase("search");
    let lattice_nodes = problem.lattice().size();
    let method = match options.method {
        Method::Auto if lattice_nodes <= SMALL_LATTICE => Method::Exact,
        Method::Auto => Method::PbgEa,
        asked => asked,
    };
    let watch = Watch::new(&problem, progress);
    let front = tokio::task::block_in_place(|| match method {
        Method::PbgEa => {
            let evolution = Evolution { seed: options.seed, ..Evolution::default() };
            pbg_ea(&problem, &objectives, boxes, evolution, options.time_limit, &watch)
        }
        _ => exact(&problem, &objectives, boxes, options.time_limit, &watch),
    });
    if front.stopped == Some(Stop::Cancelled) {
        return Err(EngineError::Interrupted);
    }
    Ok(summary(&problem, &names.0, &objectives, &front, method))
}

fn summary(
    problem: &Problem,
    names: &[String],
    objectives: &[Objective],
    front: &Front,
    method: Method,
) -> FrontierSummary {
    let point = |point: &Point| FrontPoint {
        levels: problem
            .attributes()
            .iter()
            .enumerate()
            .map(|(a, attribute)| (attribute.name.clone(), json!(point.node.level(a))))
            .collect(),
        values: names.iter().cloned().zip(point.values.iter().map(|&value| number(value))).collect(),
        suppressed_rows: point.suppressed_rows,
    };
    FrontierSummary {
        method,
        complete: method == Method::Exact && front.stopped.is_none(),
        evaluated_nodes: front.evaluated_nodes,
        lattice_nodes: problem.lattice().size(),
        rows: problem.table().rows(),
        max_suppressed_rows: problem.max_suppressed_rows,
        objectives: names.iter().cloned().zip(objectives.iter().map(Objective::more_is_better)).collect(),
        front: front.points.iter().map(point).collect(),
    }
}

/// Places of the columns that objectives look at.
fn looked_at(objectives: &[Objective], prepared: &Prepared) -> Vec<usize> {
    let of = |objective: &Objective| match objective {
        Objective::L { column } | Objective::SpreadL { column } => Some(*column),
        Objective::Loss(loss) if loss.needs() == Needs::Target => prepared.target(),
        _ => None,
    };
    let mut columns: Vec<usize> = objectives.iter().filter_map(of).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn boxes(options: &FrontierOptions) -> Result<Boxes> {
    let (sides, objectives) = (options.epsilon.len(), options.objectives.len());
    if sides == 0 {
        return Ok(Boxes::fine(objectives));
    }
    if sides != objectives {
        return Err(EngineError::bad(format!(
            "epsilon has {sides} sides; there must be one for each of the {objectives} objectives"
        )));
    }
    Boxes::of(&options.epsilon)
        .map_err(|side| EngineError::bad(format!("epsilon has a side of {side}; each must be above 0")))
}

/// The names of objectives, which are known.
struct Names(Vec<String>);

impl Names {
    fn read(job: &Job, options: &FrontierOptions) -> Result<Names> {
        if let Some(person) = job.person() {
            return Err(EngineError::bad(format!(
                "persons are counted by {}; fronts count rows only, and would claim too much",
                quoted(person)
            )));
        }
        let allowed: Vec<&str> =
            OF_PRIVACY.into_iter().chain(loss::measures().iter().map(|measure| measure.name())).collect();
        for (at, name) in options.objectives.iter().enumerate() {
            let (kind, column) = split(name);
            if !allowed.contains(&kind) || (column.is_some() && !matches!(kind, "l" | "sl")) {
                return Err(EngineError::bad(format!(
                    "there is no objective {}{}; allowed are {}, and l:COLUMN and sl:COLUMN",
                    quoted(name),
                    guess(kind, allowed.iter().copied()),
                    quoted_list(&allowed)
                )));
            }
            if options.objectives[..at].contains(name) {
                return Err(EngineError::bad(format!("the objective {} is given twice", quoted(name))));
            }
        }
        if options.objectives.len() < 2 {
            return Err(EngineError::bad("a front needs at least two objectives: --objectives k,glm"));
        }
        Ok(Names(options.objectives.clone()))
    }

    /// The job that carries the columns which objectives look at, and asks for nothing else.
    fn carrying(&self, job: &Job) -> Result<Job> {
        let mut job = job.clone();
        job.privacy.require.clear();
        job.privacy.k = Some(2);
        let source = Source::open(&job.input, &job.csv)?;
        let roles = job.resolve_in(&source)?;
        let first = roles.with_role(Role::Sensitive).next().map(|(_, name)| name.to_owned());
        for name in &self.0 {
            let (kind, column) = split(name);
            if !matches!(kind, "l" | "sl") {
                continue;
            }
            let column = column.map(str::to_owned).or(first.clone()).ok_or_else(|| {
                EngineError::bad(format!(
                    "the objective {} needs a sensitive column; the job has none",
                    quoted(name)
                ))
            })?;
            let parameters = [("l".to_owned(), ParameterValue::Number(2.0))].into();
            let shield = None;
            job.privacy.require.push(Require {
                model: "distinct-l".to_owned(),
                parameters,
                column: Some(column),
                shield,
            });
        }
        Ok(job)
    }

    /// The objectives on a table that carries their columns.
    fn find(&self, prepared: &Prepared) -> Result<Vec<Objective>> {
        let columns = &prepared.beside.columns;
        let sensitive = |name: Option<&str>| match name {
            Some(name) => columns.iter().position(|column| column.name() == name).expect("it is carried"),
            None => {
                let first = prepared.roles.with_role(Role::Sensitive).next();
                let (_, first) = first.expect("there is one");
                columns.iter().position(|column| column.name() == first).expect("it is carried")
            }
        };
        let find = |name: &String| -> Result<Objective> {
            let (kind, column) = split(name);
            Ok(match kind {
                "k" => Objective::K,
                "sk" => Objective::SpreadK,
                "l" => Objective::L { column: sensitive(column) },
                "sl" => Objective::SpreadL { column: sensitive(column) },
                measure => {
                    let loss = loss::find(measure).expect("known");
                    if loss.needs() == Needs::Target && prepared.target().is_none() {
                        let problem = "it needs a target: the column to predict";
                        return Err(EngineError::bad(format!("the objective {}: {problem}", quoted(name))));
                    }
                    Objective::Loss(loss)
                }
            })
        };
        self.0.iter().map(find).collect()
    }
}

/// The kind of an objective, and the column that it names.
fn split(name: &str) -> (&str, Option<&str>) {
    match name.split_once(':') {
        Some((kind, column)) => (kind, Some(column)),
        None => (name, None),
    }
}
