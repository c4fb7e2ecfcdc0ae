//! Local recoding where columns may not be released at all of their levels.
//!
//! **Citation.** Our own; limits on the levels of a column are those of full-domain searches (F. Prasser et al., *A Tool
//! for Optimizing De-Identified Health Data for Use in Statistical Classification*, CBMS 2017, has them as the minimum and
//! maximum level of generalisation).
//!
//! **Idea.** Records that meet only above a column's highest level can be in no class together. So the table is divided
//! by the values of the highest levels, and each part is searched by itself: nothing in it is generalised
//! further. A part that cannot be released is suppressed, if the limit allows it. Finally, values below a
//! column's lowest level are raised to that level.
//!
//! **Guarantee.** The release is judged again after its values were raised, because classes merge, which not
//! all models allow. A release is only proposed if it may be released.
//!
//! **Complexity.** That of the search, and one look at the release.

use std::collections::BTreeMap;

use super::finish::is_admissible;
use super::pieces::{recode_without, whole};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::Local;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Searches within the levels of a problem, by a search that knows nothing of them.
pub(crate) fn within_levels(
    problem: &Problem,
    search: impl Fn(&Problem, &mut Run<'_>) -> Result<(), Stop>,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    let parts = parts(problem);
    let found = match parts.len() {
        1 => {
            let mut whole = run.on(problem, 1);
            let stopped = search(problem, &mut whole).err();
            (whole.into_local(), stopped)
        }
        _ => search_parts(problem, &parts, search, run)?,
    };
    let (local, stopped) = found;
    if let Some(local) = local.map(|local| raised(problem, local)) {
        let suppressed = local.suppressed_rows();
        if suppressed <= problem.max_suppressed_rows && is_admissible(problem, &local) {
            run.propose(local);
        }
    }
    stopped.map_or(Ok(()), Err)
}

/// The tuples that are alike at the highest level of every column that has one, in order.
fn parts(problem: &Problem) -> Vec<Vec<u32>> {
    let heights = problem.lattice().heights();
    let is_bounded = |&a: &usize| usize::from(heights[a]) < problem.attributes()[a].taxonomy.height();
    let bounded: Vec<usize> = problem.limited().filter(is_bounded).collect();
    let mut parts: BTreeMap<Vec<ValueId>, Vec<u32>> = BTreeMap::new();
    for tuple in 0..problem.table().tuples() {
        let highest = |&a: &usize| {
            let leaf = problem.table().column(a)[tuple];
            problem.attributes()[a].taxonomy.generalise(leaf, heights[a].into())
        };
        parts.entry(bounded.iter().map(highest).collect()).or_default().push(tuple as u32);
    }
    parts.into_values().collect()
}

/// The release of all parts; that of a part without one is nothing.
fn search_parts(
    problem: &Problem,
    parts: &[Vec<u32>],
    search: impl Fn(&Problem, &mut Run<'_>) -> Result<(), Stop>,
    run: &Run<'_>,
) -> Result<(Option<Local>, Option<Stop>), Stop> {
    let divisible = problem.divisible();
    let (mut found, mut ended) = (Vec::with_capacity(parts.len()), None);
    for tuples in parts {
        let mut part = divisible.part(tuples);
        // What may be left out is left out in whole parts.
        part.max_suppressed_rows = 0;
        let mut of_part = run.on(&part, tuples.len() as u64);
        ended = ended.or(search(&part, &mut of_part).err());
        if ended.is_some_and(|stop| stop != Stop::TimeLimit) {
            return Ok((None, ended));
        }
        let nothing = || {
            let all = whole(part.table(), &[(0..tuples.len() as u32).collect()]).concat();
            recode_without(&part, &[], &all, &|| run.unless_cancelled())
        };
        let local = of_part.into_local();
        if local.is_none() && problem.requirements.notion() != Notion::K {
            // Where crowds are not classes, nothing may be left out.
            return Ok((None, ended));
        }
        found.push(local.map_or_else(nothing, Ok)?);
    }
    let pieces: Vec<(&[u32], &Local)> = parts.iter().map(Vec::as_slice).zip(&found).collect();
    Ok((Some(Local::assemble(problem, &pieces, &|| run.unless_cancelled())?), ended))
}

/// The same recoding with nothing below the lowest levels.
fn raised(problem: &Problem, local: Local) -> Local {
    let floors = problem.lattice().floors();
    let raised = problem.limited().filter(|&a| floors[a] > 0).map(|a| {
        let taxonomy = &problem.attributes()[a].taxonomy;
        let mut to: Vec<ValueId> = (0..taxonomy.values().len() as ValueId).collect();
        for (leaf, &lowest) in (0..).zip(taxonomy.level_values(floors[a].into())) {
            let below = taxonomy.ancestors(leaf).take_while(|&value| value != lowest);
            below.for_each(|value| to[value as usize] = lowest);
        }
        (a, to)
    });
    raised.fold(local, |local, (a, to)| {
        local.mapped(a, |value| to.get(value as usize).copied().unwrap_or(value))
    })
}
