//! What a run did: the summary that scripts read.

mod aggregate;
mod applied;
mod columns;
mod fate;
mod provenance;
mod requirement;

pub use aggregate::AggregateSummary;
pub use applied::{Applied, FailingSummary, UnknownValue};
pub(crate) use columns::columns;
pub use columns::{CellsSummary, ColumnSummary, MadeCells};
pub use fate::{Fate, level_meaning};
pub use provenance::Provenance;
pub(crate) use provenance::{Hashing, HashingByNodes};
pub use requirement::{Judgement, RequirementSummary, Verified};
pub(crate) use requirement::{parameter, requirements};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use throng::algorithm::{self, BLOCK_ROWS, Entry, Family, Settings};
use throng::loss;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::release::Release;
use throng::solve::{self, Judged, Solution};
use throng::tally::Tally;
use throng::wording::quoted;

use crate::job::SpelledValue;
use crate::process;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunOutcome {
    /// A release was written.
    Released,
    /// No release satisfies the requirement.
    Infeasible,
    /// A budget was spent before the search was through; what it had found, if anything, was written.
    Stopped,
}

/// Seconds of each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Reading and encoding the input.
    pub read: f64,
    /// The search.
    pub search: f64,
    /// Recoding the tuples and measuring the loss.
    pub apply: f64,
    /// Verifying the release, and the written file.
    pub verify: f64,
    /// Writing.
    pub write: f64,
}

/// How the search went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchSummary {
    /// Nodes of the lattice.
    pub lattice_nodes: u128,
    /// Nodes whose classes were counted.
    pub checked_nodes: u64,
    /// Nodes over a part of the attributes whose classes were counted.
    pub projected_nodes: u64,
    /// Distinct tuples that the search worked on.
    pub distinct_tuples: usize,
    /// Most rows of a block, if the table was cut into blocks before the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_rows: Option<u64>,
    /// How many blocks that were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<usize>,
    /// For how long a finished search was improved, if it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub improved_seconds: Option<f64>,
    /// Where matches were wanted, how many records took one step of Algorithm 6 of *k-Anonymization Revisited*, how many
    /// two, and so on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub matching_steps: Option<Vec<u64>>,
    /// By what share the loss is at most above the optimum of its kind, where the search proved a bound.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gap: Option<f64>,
    /// Which search was chosen, where that was left open.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chosen: Option<String>,
    /// Why that one: a part of a sentence about the lattice.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chosen_because: Option<String>,
    /// What a local recoding would lose, where the best levels leave nothing of a column and it loses less.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub local_recoding: Option<LocalRecoding>,
}

/// What a local recoding of the same table would lose; it was made to be measured, and not written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalRecoding {
    /// Name of the algorithm.
    pub algorithm: String,
    /// What it loses by the measure of the job.
    pub loss: f64,
    /// By what share that is less than what the release loses.
    pub less: f64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What a release was asked to satisfy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The least crowd; none if only other requirements were made.
    pub k: Option<u64>,
    /// Name of the notion: what a crowd is.
    pub notion: String,
}

/// One of several nodes that are as good as each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Minimal {
    /// Level of each quasi-identifier.
    pub levels: Map<String, Value>,
    /// What it loses by the measure of the job.
    pub loss: Value,
    /// Rows that it suppresses.
    pub suppressed_rows: u64,
}

/// The summary of a run: `--json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// By what, when and of which files it was made.
    #[serde(default)]
    pub provenance: Provenance,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The settings that it used, those left at their defaults included.
    pub settings: Map<String, Value>,
    /// Name of the measure that it minimised.
    pub measure: String,
    /// How the losses of columns became one number, where that is not the plain sum: in all measures that are sums over
    /// columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<AggregateSummary>,
    /// What was asked for.
    pub requirement: Asked,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// Whether no release of the kind that was searched, by levels or by cuts, can lose less by the measure.
    pub optimal: bool,
    /// Whether what the algorithm promises of its result is proven: no less than that if it is optimal, but an
    /// algorithm may promise something else than the least loss.
    #[serde(default)]
    pub proven: bool,
    /// Rows of the input.
    pub rows: u64,
    /// The column by which persons are counted in place of rows, if they are.
    #[serde(default)]
    pub person: Option<String>,
    /// Rows left out of the release, or masked in it.
    pub suppressed_rows: u64,
    /// Those of them that are masked.
    #[serde(default)]
    pub masked_rows: u64,
    /// Most rows that might have been.
    pub max_suppressed_rows: u64,
    /// What the release achieves; for an infeasible job, what could be had.
    pub achieved: Map<String, Value>,
    /// What was asked for, one by one, and what the release achieves of each.
    pub requirements: Vec<RequirementSummary>,
    /// Level of each quasi-identifier; null without a release, or if it has none.
    pub levels: Option<Map<String, Value>>,
    /// The values that each quasi-identifier is cut at; only for cut recoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuts: Option<Map<String, Value>>,
    /// All that the search found to be as good in its own sense, the release first: only of an algorithm that
    /// looks for all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimal: Vec<Minimal>,
    /// Height of each quasi-identifier's hierarchy.
    pub heights: Map<String, Value>,
    /// The quasi-identifiers of which nothing is left: every released row has the top of the hierarchy.
    pub fully_generalised: Vec<String>,
    /// Every column of the input, and what its released cells are; empty without a release.
    #[serde(default)]
    pub columns: Vec<ColumnSummary>,
    /// Every measure of the release; empty without one.
    pub measures: Map<String, Value>,
    /// How the search went.
    pub search: SearchSummary,
    /// Seconds of each phase.
    pub seconds: Seconds,
    /// The most memory that the process had.
    pub peak_memory_bytes: Option<u64>,
    /// The released file.
    pub output: Option<String>,
    /// How many files it is, if it is a directory of parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_files: Option<usize>,
    /// The file that the recoding was saved in, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recoding: Option<String>,
    /// What became of a recoding that was applied; only where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Applied>,
    /// What the reader should know before publishing.
    pub warnings: Vec<String>,
}

/// Says which highest levels are why nothing may be released, if they are.
pub(crate) fn levels_to_blame(problem: &Problem, solution: &Solution) -> Option<String> {
    if !matches!(solution.outcome, solve::Outcome::Infeasible { .. }) {
        return None;
    }
    let blamed = solve::levels_to_blame(problem);
    let name = |&a: &usize| {
        let highest = problem.lattice().heights()[a];
        format!("{} (max_level {highest})", quoted(&problem.attributes()[a].name))
    };
    let names: Vec<String> = blamed.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("no release stays within the highest level of {}", names.join(", ")))
}

impl Summary {
    /// Notes what a release is; so many of its suppressed rows are shown as masked.
    pub(crate) fn describe(&mut self, judged: &Judged, masked_rows: u64) {
        let Judged { release, tally, achieved, .. } = judged;
        let problem = release.problem();
        self.levels = levels(release);
        self.cuts = cuts(release, tally).or_else(|| self.cuts_of_maps(release, tally));
        self.measures = measures(problem, tally);
        self.fully_generalised = fully_generalised(problem, tally);
        (self.suppressed_rows, self.masked_rows) = (tally.suppressed_rows, masked_rows);
        // Of a release without rows nothing has a degree, and everything holds.
        let is_empty = tally.suppressed_rows - masked_rows == tally.rows;
        let degrees = if is_empty { &[][..] } else { &achieved.degrees };
        self.achieved = requirement::achieved(problem, Some(achieved.k), degrees);
        self.requirements = requirements(problem, degrees);
        self.requirements.iter_mut().filter(|_| is_empty).for_each(|one| one.holds = Some(true));
    }
}

impl Summary {
    /// Notes that there is no release, because all that was found is one without rows.
    pub(crate) fn refuse_empty(&mut self) {
        (self.outcome, self.optimal, self.proven) = (RunOutcome::Infeasible, false, false);
        self.suppressed_rows = self.rows;
        self.warnings.push(format!(
            "all {} rows would have to be suppressed, and a release without rows is no release; accept_any \
                (--accept-any) writes it anyway",
            self.rows
        ));
    }
}

impl Summary {
    /// The labels that each quasi-identifier shows, of a search among cuts that made ranges of its own.
    fn cuts_of_maps(&self, release: &Release, tally: &Tally) -> Option<Map<String, Value>> {
        algorithm::find(&self.algorithm).filter(|entry| entry.family == Family::Cut)?;
        let labels = release.problem().attributes().iter().enumerate().map(|(a, attribute)| {
            let root = attribute.taxonomy.root();
            // Suppressed rows count as the root.
            let rows = |value: u32| {
                let hidden = if value == root { tally.suppressed_rows } else { 0 };
                tally.cells[a][value as usize] - hidden
            };
            let shown = (0..tally.cells[a].len() as u32).filter(|&value| rows(value) > 0);
            (attribute.name.clone(), json!(shown.map(|value| release.label(a, value)).collect::<Vec<_>>()))
        });
        Some(labels.collect())
    }
}

/// All nodes that a search kept, if it is one that looks for several.
pub(crate) fn minimal(algorithm: &Entry, problem: &Problem, solution: &Solution) -> Vec<Minimal> {
    let several = (algorithm.build)(&problem.settings).finds_several();
    let each = solution.kept.iter().filter(|_| several).filter_map(|(recoding, evaluation)| {
        let Recoding::FullDomain(node) = recoding else { return None };
        let release = recoding.apply(problem);
        let attributes = problem.attributes().iter().enumerate();
        Some(Minimal {
            levels: attributes.map(|(a, of)| (of.name.clone(), json!(node.level(a)))).collect(),
            loss: number(problem.objective.measure(problem, &release.tally())),
            suppressed_rows: evaluation.suppressed_rows,
        })
    });
    each.collect()
}

/// The settings that an algorithm uses of all that it is told, as a job spells them.
pub(crate) fn used_settings(algorithm: &Entry, settings: &Settings) -> Map<String, Value> {
    algorithm
        .used(settings)
        .map(|(setting, value)| (setting.name.to_owned(), json!(SpelledValue(value))))
        .collect()
}

/// Every measure of a release by name, and the loss per cell where the measure is a sum.
pub(crate) fn measures(problem: &Problem, tally: &Tally) -> Map<String, Value> {
    let mut all = Map::new();
    let cells = (tally.rows * problem.attributes().len() as u64) as f64;
    for measure in loss::measures().iter().filter(|measure| measure.lack(problem).is_none()) {
        let value = measure.measure(problem, tally);
        all.insert(measure.name().to_owned(), number(value));
        if measure.name() == "iloss" {
            all.insert("iloss_per_cell".to_owned(), number(value / cells));
        }
    }
    all
}

/// Whole numbers without a fraction; null for what is not a number.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// The labels of each quasi-identifier's cut, for cut recoding: those that the release shows. A value that
/// only suppressed rows have stays out.
pub(crate) fn cuts(release: &Release, tally: &Tally) -> Option<Map<String, Value>> {
    let cuts = release.cuts()?.iter().zip(release.problem().attributes()).enumerate();
    let labels = cuts.map(|(a, (cut, attribute))| {
        // Suppressed rows count as the root, which is in the cut only if it is all of it.
        let is_shown = |value: &&u32| tally.cells[a][**value as usize] > 0;
        let values = cut.values();
        let shown = values.iter().filter(is_shown).filter(|_| tally.suppressed_rows < tally.rows);
        let labels: Vec<&str> = shown.map(|&value| attribute.taxonomy.label(value)).collect();
        (attribute.name.clone(), json!(labels))
    });
    Some(labels.collect())
}

pub(crate) fn levels(release: &Release) -> Option<Map<String, Value>> {
    let node = release.node()?;
    let attributes = release.problem().attributes().iter().enumerate();
    Some(attributes.map(|(a, attribute)| (attribute.name.clone(), json!(node.level(a)))).collect())
}

pub(crate) fn heights(problem: &Problem) -> Map<String, Value> {
    let attributes = problem.attributes().iter();
    attributes.map(|attribute| (attribute.name.clone(), json!(attribute.taxonomy.height()))).collect()
}

/// The quasi-identifiers of which every released row has the value that covers the whole domain.
pub(crate) fn fully_generalised(problem: &Problem, tally: &Tally) -> Vec<String> {
    if tally.suppressed_rows == tally.rows {
        return Vec::new();
    }
    let attributes = problem.attributes().iter().zip(&tally.cells);
    let emptied = attributes.filter(|(attribute, cells)| {
        let (root, leaves) = (attribute.taxonomy.root() as usize, attribute.taxonomy.leaf_total());
        root >= leaves && cells[root] == tally.rows
    });
    emptied.map(|(attribute, _)| attribute.name.clone()).collect()
}

pub(crate) fn search_summary(problem: &Problem, solution: &Solution) -> SearchSummary {
    SearchSummary {
        lattice_nodes: solution.lattice_nodes,
        checked_nodes: solution.checked_nodes,
        projected_nodes: solution.projected_nodes,
        distinct_tuples: problem.table().tuples(),
        block_rows: solution.blocks.and(problem.settings.optional_count(&BLOCK_ROWS)),
        blocks: solution.blocks,
        improved_seconds: solution.improved.map(|time| time.as_secs_f64()),
        matching_steps: solution.matching_steps.clone(),
        gap: solution.gap,
        chosen: solution.choice.as_ref().map(|choice| choice.algorithm.to_owned()),
        chosen_because: solution.choice.as_ref().map(|choice| choice.why.clone()),
        local_recoding: None,
    }
}

/// The most memory that this process had at once, where the system tells.
pub fn peak_memory_bytes() -> Option<u64> {
    process::status_bytes("VmHWM:")
}

#[cfg(test)]
mod tests {
    use throng::algorithm::find;

    use super::*;

    #[test]
    fn settings_are_those_that_the_algorithm_uses() {
        let of =
            |name: &str, settings: &Settings| Value::Object(used_settings(find(name).unwrap(), settings));
        let standard = Settings::default();
        assert_eq!(
            of("agglomerative", &standard),
            json!({ "variant": "improved", "distance": 3, "shrink": false })
        );
        assert_eq!(of("mondrian", &standard), json!({ "variant": "improved", "relaxed": false }));
        assert_eq!(of("flash", &standard), json!({}));
        let told = [("distance", "4"), ("epsilon", "0.5"), ("shrink", "true"), ("block_rows", "100")];
        let told = told.into_iter().fold(standard, |told, (name, text)| told.with(name, text).unwrap());
        let expected = json!({ "distance": 4, "epsilon": 0.5, "block_rows": 100, "passes": 20 });
        assert_eq!(of("sequential", &told), expected);
        assert_eq!(of("forest", &told), json!({ "variant": "improved", "block_rows": 100 }));
        let named = told.with("distance", "nergiz-clifton").unwrap();
        let expected = json!({ "distance": "nergiz-clifton", "block_rows": 100, "passes": 20 });
        assert_eq!(of("sequential", &named), expected);
    }
}
