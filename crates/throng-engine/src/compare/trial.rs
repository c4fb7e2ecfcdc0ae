//! One algorithm on one problem: what it found, and what it took.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use throng::consistency::Consistency;
use throng::notion::Notion;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::release::Release;
use throng::run::Stop;
use throng::solve::{Judged, Outcome, judge_watched};

use super::searches::Searches;
use super::{ComparisonPlan, Contender};
use crate::error::{EngineError, Result};
use crate::evaluate::{Accuracy, ClassifierKind, FOLDS, accuracies};
use crate::progress::{Progress, Watch};
use crate::summary;

/// What an algorithm did with a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Name of the contender: the algorithm and its settings.
    pub contender: String,
    /// Name of the algorithm.
    pub algorithm: String,
    /// How it recodes.
    pub family: String,
    /// The settings in force, the job's too: those that the algorithm takes and that matter. If the
    /// table was cut into blocks, `block_rows` and how many `blocks` there were; else neither.
    pub settings: Map<String, Value>,
    /// Name of the notion that was asked for.
    pub notion: String,
    /// Name of the measure that was minimised.
    pub measure: String,
    /// The k that was asked for.
    pub k: u64,
    /// How many quasi-identifiers there were.
    pub quasi_identifiers: usize,
    /// How the search ended.
    #[serde(flatten)]
    pub ending: Ending,
    /// Whether it is proven that no full-domain recoding loses less by the measure.
    pub optimal: bool,
    /// Median of the times that the search took.
    pub seconds: f64,
    /// Nodes of the lattice.
    pub lattice_nodes: u128,
    /// Nodes whose classes were counted.
    pub checked_nodes: u64,
    /// Nodes over a part of the quasi-identifiers whose classes were counted.
    pub projected_nodes: u64,
    /// The verified recoding, if there is one.
    pub found: Option<JudgedRecoding>,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Ending {
    /// It went through and found a recoding.
    Found,
    /// No recoding reaches k within the suppression limit.
    Infeasible {
        /// The largest k that one could have.
        best_k: u64,
    },
    /// It was stopped; there may be a recoding nonetheless.
    Stopped {
        /// Why.
        reason: StopReason,
    },
}

/// Why a search was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// Its time was over.
    #[serde(rename = "time limit")]
    TimeLimit,
    /// The algorithm cannot take on a lattice of that size.
    #[serde(rename = "lattice too large")]
    LatticeTooLarge,
    /// More candidates were open than are kept.
    #[serde(rename = "too many candidates")]
    TooManyOpen,
    /// The algorithm cannot take on a table of so many distinct tuples.
    #[serde(rename = "table too large")]
    TableTooLarge,
    /// The user stopped it.
    #[serde(rename = "cancelled")]
    Cancelled,
}

impl StopReason {
    /// The reason in a few words.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::TimeLimit => "time limit",
            StopReason::LatticeTooLarge => "lattice too large",
            StopReason::TooManyOpen => "too many candidates",
            StopReason::TableTooLarge => "table too large",
            StopReason::Cancelled => "cancelled",
        }
    }
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> StopReason {
        match stop {
            Stop::TimeLimit => StopReason::TimeLimit,
            Stop::LatticeTooLarge => StopReason::LatticeTooLarge,
            Stop::TooManyOpen => StopReason::TooManyOpen,
            Stop::TableTooLarge => StopReason::TableTooLarge,
            Stop::Cancelled => StopReason::Cancelled,
        }
    }
}

/// A recoding that was applied and judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedRecoding {
    /// Rows of the smallest class.
    pub achieved_k: u64,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// The level of each quasi-identifier; empty for local recoding.
    pub levels: Map<String, Value>,
    /// How large the crowds are, for other notions than k-anonymity.
    pub crowds: Option<Crowds>,
    /// Every measure by name.
    pub measures: Map<String, Value>,
    /// How well classifiers tell the target from the quasi-identifiers of the release, and from original ones.
    #[serde(default)]
    pub accuracies: Vec<Accuracy>,
}

/// How many released rows original ones are linked to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crowds {
    /// The largest k for which the release has the notion.
    pub degree: u64,
    /// Released rows that an original one is consistent with, on average: the mean degree of the
    /// consistency graph.
    pub mean_neighbours: f64,
    /// Those of them that may be its own row, given everybody else's, on average.
    pub mean_matches: f64,
    /// Rows with fewer than k matches, which global (1,k)-anonymity forbids.
    pub rows_below_k_matches: u64,
}

impl Trial {
    /// The trial of searches that were done.
    pub(super) fn new(
        contender: &Contender,
        k: u64,
        problem: &Problem,
        searches: Searches,
        plan: &ComparisonPlan,
        progress: &dyn Progress,
    ) -> Result<Trial> {
        let seconds = searches.median_seconds();
        let solution = searches.solution;
        let (ending, recoding) = match solution.outcome {
            Outcome::Found(recoding) => (Ending::Found, Some(recoding)),
            Outcome::Infeasible { reach } => (Ending::Infeasible { best_k: reach[0] as u64 }, None),
            Outcome::Stopped { reason, best } => (Ending::Stopped { reason: reason.into() }, best),
        };
        Ok(Trial {
            contender: contender.name.clone(),
            algorithm: contender.algorithm.name.to_owned(),
            family: contender.algorithm.family.name().to_owned(),
            settings: contender.in_force(solution.blocks),
            notion: contender.notion.name().to_owned(),
            measure: problem.objective.name().to_owned(),
            k,
            quasi_identifiers: problem.attributes().len(),
            ending,
            optimal: solution.optimal,
            seconds,
            lattice_nodes: solution.lattice_nodes,
            checked_nodes: solution.checked_nodes,
            projected_nodes: solution.projected_nodes,
            found: recoding
                .map(|recoding| JudgedRecoding::new(problem, &recoding, plan, progress))
                .transpose()?,
        })
    }

    /// A measure of what was found.
    pub fn measured(&self, name: &str) -> Option<f64> {
        self.found.as_ref()?.measures.get(name)?.as_f64()
    }

    /// What a classifier that learned from the release tells right of its records.
    pub fn accuracy(&self, classifier: ClassifierKind) -> Option<f64> {
        let of = |one: &&Accuracy| one.classifier == classifier && !one.tested_on_original;
        Some(self.found.as_ref()?.accuracies.iter().find(of)?.accuracy)
    }

    /// All classes that were counted, over all quasi-identifiers or a part of them.
    pub fn counted_nodes(&self) -> u64 {
        self.checked_nodes + self.projected_nodes
    }
}

impl JudgedRecoding {
    /// # Errors
    /// If the judge refuses the recoding, which is a bug of ours.
    fn new(
        problem: &Problem,
        recoding: &Recoding,
        plan: &ComparisonPlan,
        progress: &dyn Progress,
    ) -> Result<JudgedRecoding> {
        let judged = judge_watched(problem, recoding, &Watch::new(problem, progress));
        let judged = judged.ok_or(EngineError::Interrupted)?.map_err(|reason| {
            EngineError::Data(format!("a search found a recoding that is unsafe: {reason}").into())
        })?;
        let Judged { release, tally, achieved, .. } = &judged;
        Ok(JudgedRecoding {
            achieved_k: achieved.k,
            suppressed_rows: achieved.suppressed_rows,
            levels: summary::levels(release).unwrap_or_default(),
            crowds: Crowds::measure(release, achieved.degrees[0] as u64),
            measures: summary::measures(problem, tally),
            accuracies: accuracies(release, &plan.classifiers, FOLDS, plan.seed, progress)?,
        })
    }
}

impl Crowds {
    fn measure(release: &Release, degree: u64) -> Option<Crowds> {
        if release.problem().requirements.notion() == Notion::K {
            return None;
        }
        let graph = Consistency::new(release);
        let [neighbours, matches] = [Notion::OneK, Notion::GlobalOneK].map(|notion| {
            let parts = graph.crowds(notion).into_iter().enumerate().filter(|&(_, links)| links > 0);
            parts.map(|(part, links)| (links, u64::from(release.rows(part)))).collect::<Vec<_>>()
        });
        let k = release.problem().requirements.k();
        Some(Crowds {
            degree,
            mean_neighbours: mean(&neighbours),
            mean_matches: mean(&matches),
            rows_below_k_matches: matches.iter().filter(|(links, _)| *links < k).map(|(_, rows)| rows).sum(),
        })
    }
}

/// Released rows that an original one is linked to, on average over the original rows: links with their rows.
fn mean(links: &[(u64, u64)]) -> f64 {
    let rows: u64 = links.iter().map(|(_, rows)| rows).sum();
    let all: f64 = links.iter().map(|&(links, rows)| links as f64 * rows as f64).sum();
    if rows == 0 { 0.0 } else { all / rows as f64 }
}
