//! A search that begins with a release that was made before.

use std::path::Path;

use throng::algorithm::{self, BLOCK_ROWS};
use throng::problem::Problem;
use throng::run::Stop;
use throng::solve::{self, Solution, solve_from};

use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::plan::Plan;
use crate::prepare::EncodedTable;
use crate::progress::{Progress, Watch};
use crate::verify::linkage::{Linkage, open_release};

/// Refuses a release to begin with where none can be.
pub(super) fn refuse_useless(plan: &Plan) -> Result<()> {
    let (job, algorithm) = (&plan.job, plan.algorithm);
    if job.search.start.is_none() {
        return Ok(());
    }
    if !algorithm.begins_with_release() {
        let able = algorithm::registry().iter().filter(|entry| entry.begins_with_release());
        return Err(EngineError::bad(format!(
            "'{}' cannot start from a release (start). Algorithms that can: {}",
            algorithm.name,
            able.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
        )));
    }
    match job.search.settings.says(&BLOCK_ROWS) {
        true => Err(EngineError::bad(
            "a search that starts from a release (start) cannot be divided into blocks (block_rows)",
        )),
        false => Ok(()),
    }
}

/// Goes on from a release, whose rows are those of the table in the same order.
pub(super) async fn search(
    plan: &Plan,
    prepared: &EncodedTable,
    problem: &Problem,
    start: &Path,
    progress: &dyn Progress,
) -> Result<Solution> {
    let release = open_release(&plan.job, prepared, &Address::from_path(start))?;
    let begun = Linkage::find(prepared, &release, &plan.job, progress).await?.recoding_of(problem);
    let watch = Watch::new(problem, progress);
    let limit = plan.job.search.time_budget();
    let solution = tokio::task::block_in_place(|| solve_from(problem, plan.algorithm, &begun, limit, &watch));
    let solution = solution.map_err(|why| release.bad(why))?;
    match &solution.outcome {
        solve::Outcome::Stopped { reason: Stop::Cancelled, .. } => Err(EngineError::Interrupted),
        _ => Ok(solution),
    }
}
