//! The whole trade-off of a job's table: the levels that no others are better than in everything.
//!
//! What the job requires does not count, but for how many rows may be suppressed: a node's k is the largest that
//! it reaches within that limit.

mod local;
mod measured;
mod objectives;
pub(crate) mod saved;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use throng::algorithm::Settings;
use throng::frontier::{Boxes, Evolution, Front, Objective, Point, Walk, exact, front_walk, pbg_ea};
use throng::loss::{self, Needs};
use throng::problem::Problem;
use throng::run::Stop;
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::job::Job;
use crate::plan::OpenJob;
use crate::prepare::EncodedTable;
use crate::progress::{Progress, Watch};
use crate::summary::AggregateSummary;
use crate::summary::number;
use local::LadderOfK;
pub use local::LocalPoint;
use measured::FrontReference;
pub use measured::{FrontQuality, ReferenceFront, Spread};

/// Nodes of a lattice up to which all of them are looked at.
const SMALL_LATTICE: u128 = 200_000;

/// Nodes times distinct tuples up to which they are: some ten seconds on two cores.
const SMALL_WORK: u128 = 10_000_000_000;

/// How the front is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// All nodes where they are few, else the walk along the front.
    #[default]
    Auto,
    /// All nodes.
    Exact,
    /// The evolutionary search of the paper.
    PbgEa,
    /// The neighbours of what is on the front so far.
    FrontWalk,
}

/// What to find.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontierOptions {
    /// Names of the objectives: `k`, `l`, `sk`, `sl`, those of measures and those of models, whose degree is
    /// compared. `l`, `sl` and models are of the first sensitive column, or of one that is named: `l:diagnosis`;
    /// models may be given more, as `t-closeness:diagnosis+distance=ordered`.
    pub objectives: Vec<String>,
    /// The sides of boxes of which each shows one node; none for the whole front.
    pub epsilon: Vec<f64>,
    /// How.
    pub method: Method,
    /// The most nodes that `front-walk` looks at.
    pub nodes: Option<u64>,
    /// What `pbg-ea` is told, in the place of what the job says.
    pub settings: Settings,
    /// The front of which it is measured how much was found.
    pub reference: Option<ReferenceFront>,
    /// Whether the nodes are compared record by record.
    pub spread: bool,
    /// Local algorithms whose releases are measured by the same objectives.
    pub local: Vec<String>,
    /// The k that each of them is asked for.
    pub ks: Vec<u64>,
    /// The most that the search for the front, and each local one, may take.
    pub time_limit: Option<Duration>,
    /// What random choices start from.
    pub seed: u64,
}

/// A front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontierSummary {
    /// How it was found: `exact`, `pbg-ea` or `front-walk`.
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
    /// A hash of the quasi-identifiers of all rows, their hierarchies and the suppression limit.
    pub fingerprint: String,
    /// Names of the objectives, and whether more is better.
    pub objectives: Vec<(String, bool)>,
    /// How the losses of columns became one number, where that is not the plain sum: in all measures that are sums over
    /// columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<AggregateSummary>,
    /// The nodes, the first objective's best first.
    pub front: Vec<FrontPoint>,
    /// What PBG-EA was told; nothing where it was not asked.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// How much of a reference was found, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<FrontQuality>,
    /// By objective, how the nodes compare record by record, if that was asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spread: BTreeMap<String, Spread>,
    /// Local recodings by the same objectives, if some were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub local: Vec<LocalPoint>,
}

/// A node of a front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontPoint {
    /// Its place in the front, from 1.
    pub number: usize,
    /// Level of each quasi-identifier, in the order of the job.
    pub levels: Map<String, Value>,
    /// By objective.
    pub values: Map<String, Value>,
    /// The largest k that it reaches within the suppression limit.
    pub k: u64,
    /// Rows that are suppressed.
    pub suppressed_rows: u64,
}

/// Finds the front of a job's table; must be called in a multi-threaded Tokio runtime.
///
/// # Errors
/// Fewer than two objectives, or one that is unknown or cannot be had; a side that is not positive, or too few of
/// them; persons, which nodes are not compared by yet; a cancelled run.
pub async fn frontier(
    job: &Job,
    options: &FrontierOptions,
    progress: &dyn Progress,
) -> Result<FrontierSummary> {
    refuse_persons(job)?;
    let asked = objectives::read(&options.objectives)?;
    let boxes = boxes(options)?;
    let ladder = LadderOfK::read(options)?;
    refuse_budget(options)?;
    let evolution = evolution(job, options)?;
    progress.phase("read");
    let opened = OpenJob::of_tables(job)?;
    let columns = objectives::columns(&asked, &opened.roles)?;
    let prepared = EncodedTable::read_unrequired(&opened, &columns, progress).await?;
    let limit = job.privacy.suppression.max_rows(prepared.rows());
    let objectives = asked.iter().map(|one| one.find(&prepared)).collect::<Result<Vec<Objective>>>()?;
    let glm = loss::find("glm").expect("registered");
    let problem = prepared.open_problem(1, &looked_at(&objectives, &prepared, true), limit, glm)?;
    progress.phase("search");
    let method = choose(options.method, &problem);
    let front = find(&problem, &objectives, boxes.clone(), method, options, evolution, progress)?;
    let fingerprint = tokio::task::block_in_place(|| saved::fingerprint(&prepared, limit));
    let known = FrontReference::find(options, &problem, &objectives, &fingerprint, progress)?;
    let spread = tokio::task::block_in_place(|| measured::spreads(options, &problem, &objectives, &front))?;
    let local = ladder.climb(&prepared, &problem, &objectives, options, &front, progress)?;
    Ok(FrontierSummary {
        method,
        complete: method == Method::Exact && front.stopped.is_none(),
        evaluated_nodes: front.evaluated_nodes,
        lattice_nodes: problem.lattice().size(),
        rows: problem.table().rows(),
        max_suppressed_rows: limit,
        fingerprint,
        objectives: named(options, objectives.iter().map(Objective::more_is_better)).collect(),
        aggregate: AggregateSummary::from_aggregate(problem.aggregate),
        front: {
            let order = in_order_of(job, &problem);
            (1..).zip(&front.points).map(|(at, point)| show(at, point, &order, &problem, options)).collect()
        },
        settings: if method == Method::PbgEa { told(&evolution, &problem) } else { Map::new() },
        quality: known.map(|known| known.quality(&front, &objectives, boxes)),
        spread,
        local,
    })
}

/// How PBG-EA evolves.
fn evolution(job: &Job, options: &FrontierOptions) -> Result<Evolution> {
    let mut front = job.frontier.clone();
    front.settings.extend(&options.settings);
    front.validate()?;
    Ok(Evolution::from_settings(&front.settings, options.seed))
}

/// What PBG-EA was told, by the names of its settings.
fn told(evolution: &Evolution, problem: &Problem) -> Map<String, Value> {
    let values = [
        json!(evolution.population),
        json!(evolution.generations),
        number(evolution.crossover),
        number(evolution.mutation_of(problem.attributes().len())),
    ];
    let names = Evolution::SETTINGS.iter().map(|setting| setting.name.to_owned());
    names.zip(values).collect()
}

/// Whether all nodes can be looked at in little time.
fn is_small(problem: &Problem) -> bool {
    let nodes = problem.lattice().size();
    nodes <= SMALL_LATTICE && nodes.saturating_mul(problem.table().tuples() as u128) <= SMALL_WORK
}

/// What to do where nobody said.
fn choose(asked: Method, problem: &Problem) -> Method {
    match asked {
        Method::Auto if is_small(problem) => Method::Exact,
        Method::Auto => Method::FrontWalk,
        asked => asked,
    }
}

fn find(
    problem: &Problem,
    objectives: &[Objective],
    boxes: Boxes,
    method: Method,
    options: &FrontierOptions,
    evolution: Evolution,
    progress: &dyn Progress,
) -> Result<Front> {
    let (watch, limit, seed) = (Watch::new(problem, progress), options.time_limit, options.seed);
    let front = tokio::task::block_in_place(|| match method {
        Method::PbgEa => pbg_ea(problem, objectives, boxes, evolution, limit, &watch),
        Method::FrontWalk => {
            let walk = Walk { nodes: options.nodes.unwrap_or(Walk::default().nodes), seed };
            front_walk(problem, objectives, boxes, walk, limit, &watch)
        }
        Method::Exact | Method::Auto => exact(problem, objectives, boxes, limit, &watch),
    });
    found_or_interrupted(front)
}

fn found_or_interrupted(front: Front) -> Result<Front> {
    if front.stopped == Some(Stop::Cancelled) { Err(EngineError::Interrupted) } else { Ok(front) }
}

/// What belongs to each objective, by its name.
fn named<T>(options: &FrontierOptions, of: impl Iterator<Item = T>) -> impl Iterator<Item = (String, T)> {
    options.objectives.iter().cloned().zip(of)
}

/// The attributes of a problem in the order in which the job names them: that of levels in flags and tables.
pub(crate) fn in_order_of(job: &Job, problem: &Problem) -> Vec<usize> {
    let named: Vec<&str> = job.columns.named().map(|(name, _)| name).collect();
    let place = |a: &usize| named.iter().position(|name| *name == problem.attributes()[*a].name);
    let mut order: Vec<usize> = (0..problem.attributes().len()).collect();
    order.sort_by_key(place);
    order
}

fn show(
    at: usize,
    point: &Point,
    order: &[usize],
    problem: &Problem,
    options: &FrontierOptions,
) -> FrontPoint {
    let level = |&a: &usize| (problem.attributes()[a].name.clone(), json!(point.node.level(a)));
    FrontPoint {
        number: at,
        levels: order.iter().map(level).collect(),
        values: named(options, point.values.iter().map(|&value| number(value))).collect(),
        k: point.k,
        suppressed_rows: point.suppressed_rows,
    }
}

/// Places of the columns that objectives look at, the target with them if that is asked for.
fn looked_at(objectives: &[Objective], prepared: &EncodedTable, with_target: bool) -> Vec<usize> {
    let of = |objective: &Objective| match objective {
        Objective::L { column } | Objective::SpreadL { column } => Some(*column),
        Objective::Degree(model) => model.column(),
        Objective::Loss(loss) if with_target && loss.needs() == Needs::Target => prepared.target(),
        _ => None,
    };
    let mut columns: Vec<usize> = objectives.iter().filter_map(of).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn refuse_persons(job: &Job) -> Result<()> {
    match job.person() {
        None => Ok(()),
        Some(person) => Err(EngineError::bad(format!(
            "persons are counted by {}, but a front counts only rows and would claim too much",
            quoted(person)
        ))),
    }
}

fn refuse_budget(options: &FrontierOptions) -> Result<()> {
    let said = Evolution::SETTINGS.iter().find(|setting| options.settings.says(setting));
    if let Some(setting) = said.filter(|_| options.method != Method::PbgEa) {
        return Err(EngineError::bad(format!("{} can only be used with the method pbg-ea", setting.name)));
    }
    match (options.nodes, options.method) {
        (Some(0), _) => Err(EngineError::bad(("nodes is 0", "a walk checks at least one node"))),
        (Some(_), Method::Exact | Method::PbgEa) => {
            Err(EngineError::bad("a number of nodes can only be used with the method front-walk"))
        }
        _ => Ok(()),
    }
}

fn boxes(options: &FrontierOptions) -> Result<Boxes> {
    let (sides, objectives) = (options.epsilon.len(), options.objectives.len());
    if sides == 0 {
        return Ok(Boxes::fine(objectives));
    }
    if sides != objectives {
        return Err(EngineError::bad((
            format!("epsilon has {sides} sides"),
            format!("there must be one for each of the {objectives} objectives"),
        )));
    }
    Boxes::build(&options.epsilon)
        .map_err(|side| EngineError::bad((format!("epsilon has a side of {side}"), "each must be above 0")))
}
