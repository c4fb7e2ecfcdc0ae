//! What would make a release possible where there is none. Commands and pages put it into words of their own.

use throng::algorithm::{self, BLOCK_ROWS, Entry, Family};
use throng_engine::job::{HierarchySpec, Job};
use throng_engine::pipeline::CHOSEN;
use throng_engine::summary::{RequirementSummary, RunOutcome, Summary};

/// A share of rows that may be left out, which is often enough.
pub const USUAL_SHARE: f64 = 0.05;

/// A change that could make a release possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Rows may be suppressed of which a saved recoding does not give what is required.
    SuppressFailing {
        /// How many there are.
        rows: u64,
    },
    /// A search, in the place of a recoding that was saved.
    Search,
    /// The search may take longer.
    MoreTime,
    /// The best that was found may be released though nothing is left in it.
    AcceptAny,
    /// Another search is faster.
    FasterSearch {
        /// Names of algorithms.
        names: Vec<&'static str>,
    },
    /// The table is searched in blocks, or in smaller ones.
    Blocks {
        /// Whether it is already.
        is_in_blocks: bool,
    },
    /// Another local search is faster.
    FasterLocal {
        /// Its name.
        name: &'static str,
    },
    /// A release without rows is one, too.
    AcceptEmpty,
    /// A smaller crowd.
    SmallerK {
        /// The largest that is possible.
        most: u64,
    },
    /// Less of a requirement that could not be had even by itself.
    Less {
        /// What it is called.
        requirement: String,
    },
    /// A search that tries everything may find one.
    OptimalSearch,
    /// More rows may be suppressed.
    MoreSuppression {
        /// Whether fewer than the usual share may be now.
        is_small: bool,
    },
    /// Higher levels than those that were chosen, or a search for them.
    HigherLevels,
    /// Columns may be released at higher levels.
    HigherMaxLevel {
        /// Their names, and the highest levels now.
        columns: Vec<(String, usize)>,
    },
    /// A last level with one value for all.
    LastLevel {
        /// The columns whose hierarchies have none; all, if it is not known which.
        columns: Vec<String>,
    },
}

/// What to change, what helps most first.
pub fn remedies(job: &Job, report: &Summary) -> Vec<Remedy> {
    match report.outcome {
        _ if report.applied.is_some() => again(report),
        RunOutcome::Infeasible => infeasible(job, report),
        _ => stopped(job),
    }
}

/// The largest k that was found to be possible; 0 if none was.
pub fn best_k(report: &Summary) -> u64 {
    report.achieved.get("k").and_then(serde_json::Value::as_u64).unwrap_or(0)
}

/// Whether the search of a job does not try everything.
pub fn is_local(job: &Job) -> bool {
    algorithm::find(&job.search.algorithm).is_some_and(|entry| entry.family == Family::Local)
}

fn again(report: &Summary) -> Vec<Remedy> {
    let rows = report.applied.as_ref().map_or(0, |applied| applied.rows_to_suppress);
    let suppress = (rows < report.rows).then_some(Remedy::SuppressFailing { rows });
    suppress.into_iter().chain([Remedy::Search]).collect()
}

fn stopped(job: &Job) -> Vec<Remedy> {
    let mut remedies = vec![Remedy::MoreTime];
    remedies.extend((!job.search.accept_any).then_some(Remedy::AcceptAny));
    let local = algorithm::find(&job.search.algorithm).filter(|entry| entry.family == Family::Local);
    let Some(local) = local else {
        let fast = ["improved-greedy", "datafly"].into_iter().filter(|name| *name != job.search.algorithm);
        remedies.push(Remedy::FasterSearch { names: fast.collect() });
        return remedies;
    };
    if local.takes(&BLOCK_ROWS) {
        remedies.push(Remedy::Blocks { is_in_blocks: job.search.settings.says(&BLOCK_ROWS) });
    }
    let is_faster = |entry: &&Entry| entry.name != local.name && entry.notions.contains(&job.privacy.notion);
    let mondrian = algorithm::find("mondrian").filter(is_faster);
    remedies.extend(mondrian.map(|entry| Remedy::FasterLocal { name: entry.name }));
    remedies
}

fn infeasible(job: &Job, report: &Summary) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    remedies.extend((report.suppressed_rows == report.rows).then_some(Remedy::AcceptEmpty));
    let best = best_k(report);
    // Else it is not k that fails.
    let is_less = report.requirement.k.is_some_and(|k| k > best);
    remedies.extend((best >= 2 && is_less).then_some(Remedy::SmallerK { most: best }));
    let beside_k = report.requirements.iter().skip(usize::from(report.requirement.k.is_some()));
    let failing = beside_k.filter(|one| one.holds == Some(false)).map(RequirementSummary::name);
    remedies.extend(failing.map(|requirement| Remedy::Less { requirement }));
    remedies.extend(is_local(job).then_some(Remedy::OptimalSearch));
    let share = report.max_suppressed_rows as f64 / report.rows.max(1) as f64;
    remedies.extend((share < 1.0).then_some(Remedy::MoreSuppression { is_small: share < USUAL_SHARE }));
    if report.algorithm == CHOSEN {
        remedies.push(Remedy::HigherLevels);
        return remedies;
    }
    let limited = job.columns.named().filter_map(|(name, column)| Some((name.to_owned(), column.max_level?)));
    let limited: Vec<(String, usize)> = limited.collect();
    remedies.extend((!limited.is_empty()).then_some(Remedy::HigherMaxLevel { columns: limited }));
    remedies.push(Remedy::LastLevel { columns: open_ended(job) });
    remedies
}

/// Columns whose hierarchy file ends in more than one value.
fn open_ended(job: &Job) -> Vec<String> {
    let files = job.columns.named().filter_map(|(name, column)| match &column.hierarchy {
        Some(file @ HierarchySpec::File(_)) => Some((name, file)),
        _ => None,
    });
    let is_open = |(name, file): &(&str, &HierarchySpec)| {
        let taxonomy = file.build::<&str>(name, &[]);
        taxonomy.is_ok_and(|taxonomy| taxonomy.level_size(taxonomy.height()) > 1)
    };
    files.filter(is_open).map(|(name, _)| name.to_owned()).collect()
}
