//! What each quasi-identifier costs the others: why nothing better was possible, where the search proved that.
//!
//! For each column the same search is made twice more: without the column, and with a hierarchy of twice as many
//! steps, where the values below each value first meet in two halves. What the others then lose says how much
//! the column drives the loss. Losses are those of `lm`, whatever the job minimises, because they can be told
//! by column.

use std::time::{Duration, Instant};

use throng::algorithm::{Entry, Family};
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::requirement::{Requirement, Rule};
use throng::solve::{Outcome, solve};
use throng::taxonomy::{Scheme, Taxonomy};

use super::TablePair;
use super::columns::ColumnEvidence;
use throng_engine::error::Result;
use throng_engine::job::Job;
use throng_engine::job::find_algorithm;
use throng_engine::progress::{Progress, Watch, refuse_cancelled};

/// Local searches take longer: they are made again only on tables that are not larger.
const MOST_TUPLES: usize = 50_000;

/// A quasi-identifier, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct LossDriver {
    /// Its name.
    pub name: String,
    /// What it loses itself.
    pub own: f64,
    /// What all others lose now, in the mean.
    pub others: Option<f64>,
    /// What the others would lose without it.
    pub without: WhatIf,
    /// What all columns would lose, in the mean, if its hierarchy were finer.
    pub finer: WhatIf,
}

/// What a search found that was made for comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhatIf {
    /// A release that loses this.
    Loses(f64),
    /// Nothing: no release, or not in the time.
    Unknown,
    /// It makes no sense here: there is no other column, or no hierarchy that could be finer.
    Senseless,
}

/// The quasi-identifiers, those first that lose most; and why nothing was searched, if nothing was. All searches together
/// take no longer than `limit`; what those find that are not through by then is not known.
pub(super) fn find(
    job: &Job,
    pair: &TablePair,
    columns: &[ColumnEvidence],
    limit: Duration,
    progress: &dyn Progress,
) -> Result<(Vec<LossDriver>, Option<String>)> {
    let algorithm = find_algorithm(&job.search.algorithm)?;
    let tuples = pair.problem.table().tuples();
    let is_quick = algorithm.family == Family::FullDomain || tuples <= MOST_TUPLES;
    let why_not = (!is_quick).then(|| {
        format!(
            "with {tuples} distinct tuples, it would take too long to run '{}' again for each column",
            algorithm.name
        )
    });
    let losses: Vec<f64> =
        pair.prepared.quasi().filter_map(|name| columns.iter().find(|one| one.name == name)?.loss).collect();
    let started = Instant::now();
    let mut drivers = Vec::with_capacity(losses.len());
    for (a, name) in pair.prepared.quasi().enumerate() {
        refuse_cancelled(progress)?;
        let others =
            (losses.len() > 1).then(|| (losses.iter().sum::<f64>() - losses[a]) / (losses.len() - 1) as f64);
        let (mut without, mut finer) = (WhatIf::Unknown, WhatIf::Unknown);
        if is_quick {
            let find = |problem| {
                let rest = limit.saturating_sub(started.elapsed());
                tokio::task::block_in_place(|| search(problem, algorithm, rest, progress))
            };
            without = find(without_column(&pair.problem, a));
            finer = find(with_finer(&pair.problem, a));
        }
        drivers.push(LossDriver { name: name.to_owned(), own: losses[a], others, without, finer });
    }
    drivers.sort_by(|a, b| b.own.total_cmp(&a.own));
    Ok((drivers, why_not))
}

/// The loss of what a search finds.
fn search(problem: Option<Problem>, algorithm: &Entry, limit: Duration, progress: &dyn Progress) -> WhatIf {
    let Some(problem) = problem else { return WhatIf::Senseless };
    if !algorithm.serves.all_of(&problem.requirements) {
        return WhatIf::Senseless;
    }
    let watch = Watch::new(&problem, progress);
    match solve(&problem, algorithm, Some(limit), &watch).outcome {
        Outcome::Found(recoding) => WhatIf::Loses(lm(&problem, &recoding)),
        _ => WhatIf::Unknown,
    }
}

fn lm(problem: &Problem, recoding: &Recoding) -> f64 {
    let lm = throng::loss::find("lm").expect("registered");
    lm.measure(problem, &recoding.apply(problem).tally())
}

/// The problem of all other columns; nothing if there is none, or a requirement is about this one alone.
fn without_column(problem: &Problem, column: usize) -> Option<Problem> {
    let others: Vec<usize> = (0..problem.attributes().len()).filter(|&a| a != column).collect();
    if others.is_empty() {
        return None;
    }
    let place = |a: usize| a - usize::from(a > column);
    let requirements: Option<Vec<Requirement>> = problem
        .requirements
        .iter()
        .map(|one| match (one.rule(), one.shield()) {
            (Rule::Classes(model), Some(shield)) => {
                let shield: Vec<usize> = shield.iter().filter(|&&a| a != column).map(|&a| place(a)).collect();
                (!shield.is_empty()).then(|| Requirement::of_model(model.clone()).over(shield))
            }
            _ => Some(one.clone()),
        })
        .collect();
    let parts = others.iter().map(|&a| part(problem, a, None)).collect();
    pose(problem, problem.table().over(&others), parts, requirements?)
}

/// The problem with twice as many steps in one hierarchy; nothing if that makes no new value.
fn with_finer(problem: &Problem, column: usize) -> Option<Problem> {
    let finer = refine(&problem.attributes()[column].taxonomy, problem.attributes()[column].leaf_rows())?;
    let parts =
        (0..problem.attributes().len()).map(|a| part(problem, a, (a == column).then_some(&finer))).collect();
    pose(problem, problem.table().clone(), parts, problem.requirements.iter().cloned().collect())
}

fn part(problem: &Problem, a: usize, taxonomy: Option<&Taxonomy>) -> (String, Taxonomy, f64) {
    let attribute = &problem.attributes()[a];
    (attribute.name.clone(), taxonomy.unwrap_or(&attribute.taxonomy).clone(), attribute.weight)
}

fn pose(
    problem: &Problem,
    table: throng::table::Table,
    parts: Vec<(String, Taxonomy, f64)>,
    requirements: Vec<Requirement>,
) -> Option<Problem> {
    let posed =
        Problem::new(table, parts, requirements, problem.max_suppressed_rows, problem.objective).ok()?;
    let mut posed = match problem.target_place() {
        Some(place) => posed.with_target(place),
        None => posed,
    };
    posed.settings = problem.settings.clone();
    posed.aggregate = problem.aggregate;
    Some(posed)
}

/// A level between any two: the values below a value, in their order, in two halves of about as many rows.
fn refine(taxonomy: &Taxonomy, leaf_rows: &[u64]) -> Option<Taxonomy> {
    if taxonomy.scheme() != Scheme::Tree {
        return None;
    }
    let height = taxonomy.height();
    let mut rows: Vec<Vec<String>> =
        (0..taxonomy.leaf_total()).map(|leaf| vec![taxonomy.label(leaf as u32).to_owned()]).collect();
    for level in 1..=height {
        let halves = halve(taxonomy, leaf_rows, level);
        for (leaf, row) in rows.iter_mut().enumerate() {
            row.push(halves[leaf].clone());
            row.push(taxonomy.label(taxonomy.generalise(leaf as u32, level)).to_owned());
        }
    }
    let finer = Taxonomy::from_rows(&rows).ok()?;
    (finer.values().len() > taxonomy.values().len()).then_some(finer)
}

/// For each leaf, the label of the half of its value at `level` that it is in.
fn halve(taxonomy: &Taxonomy, leaf_rows: &[u64], level: usize) -> Vec<String> {
    let (below, above) = (taxonomy.level_values(level - 1), taxonomy.level_values(level));
    let mut rows_below = vec![0u64; taxonomy.values().len()];
    let mut rows_above = vec![0u64; taxonomy.values().len()];
    for (leaf, &rows) in leaf_rows.iter().enumerate() {
        rows_below[below[leaf] as usize] += rows;
        rows_above[above[leaf] as usize] += rows;
    }
    let mut order: Vec<(u32, u32)> = below.iter().copied().zip(above.iter().copied()).collect();
    order.sort_unstable();
    order.dedup();
    let mut seen = vec![0u64; taxonomy.values().len()];
    let mut members: Vec<[Vec<u32>; 2]> = vec![Default::default(); taxonomy.values().len()];
    for (value, parent) in order {
        let parent = parent as usize;
        let is_second = 2 * seen[parent] >= rows_above[parent] && seen[parent] > 0;
        members[parent][usize::from(is_second)].push(value);
        seen[parent] += rows_below[value as usize].max(1);
    }
    let mut label = vec![String::new(); taxonomy.values().len()];
    for (parent, halves) in members.iter().enumerate() {
        for (half, values) in halves.iter().enumerate() {
            // A half of one value is that value.
            let name = match values[..] {
                [only] => taxonomy.label(only).to_owned(),
                _ => format!("{level}:{parent}:{half}"),
            };
            values.iter().for_each(|&value| label[value as usize].clone_from(&name));
        }
    }
    below.iter().map(|&value| label[value as usize].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finer_hierarchy_has_halves_between_its_levels() {
        let rows = [["a", "x", "*"], ["b", "x", "*"], ["c", "x", "*"], ["d", "y", "*"]];
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        let finer = refine(&taxonomy, &[5, 5, 5, 5]).unwrap();
        assert_eq!(finer.height(), 2 * taxonomy.height());
        let groups = |level| finer.level_size(level);
        assert_eq!((groups(0), groups(1), groups(2), groups(3), groups(4)), (4, 3, 2, 2, 1));
        // What was one value is one still.
        assert_eq!(finer.generalise(0, 2), finer.generalise(2, 2));
        assert_ne!(finer.generalise(0, 1), finer.generalise(2, 1));
    }

    #[test]
    fn what_cannot_be_finer_is_not() {
        let flat = Taxonomy::from_rows(&[["a", "*"], ["b", "*"]]).unwrap();
        assert!(refine(&flat, &[1, 1]).is_none());
    }
}
