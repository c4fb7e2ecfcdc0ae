//! What a local recoding would lose, where the best levels leave nothing of a column.

use std::time::Instant;

use throng::algorithm::{self, Family};
use throng::problem::Problem;

use super::{judge, search};
use crate::plan::{Plan, refuse_aggregate, refuse_unfit, refuse_unserved};
use crate::progress::Progress;
use crate::summary::{LocalRecoding, Summary};

/// The local recoding that loses least of those that are quick.
const LOCAL: &str = "sequential";
/// Distinct tuples that it recodes in seconds.
const MOST_TUPLES: usize = 20_000;

/// Measures what a local recoding would lose, if the levels of a release are proven to be the best and yet leave nothing
/// of some column. Nothing is said where it would lose as much, or cannot give what the job asks for; nor where the search
/// has a time limit, which would be no limit if another search followed.
pub(super) fn compare(
    plan: &Plan,
    problem: &Problem,
    summary: &Summary,
    progress: &dyn Progress,
) -> Option<LocalRecoding> {
    let Plan { algorithm, measure, .. } = *plan;
    let job = &plan.job;
    let is_asked = summary.output.is_some()
        && summary.optimal
        && algorithm.family == Family::FullDomain
        && !summary.fully_generalised.is_empty()
        && summary.search.distinct_tuples <= MOST_TUPLES
        && job.search.time_limit.is_none();
    let local = algorithm::find(LOCAL).filter(|_| is_asked)?;
    let fits = refuse_unfit(local, measure, job.privacy.notion, "--notion")
        .and_then(|()| refuse_aggregate(local, job.search.aggregate))
        .and_then(|()| refuse_unserved(local, job.privacy.notion, &problem.settings, job));
    let started = Instant::now();
    // The release is there already: what goes wrong from here on, such as an interruption, is no failure of the run.
    let found = fits.and_then(|()| search(problem, local, None, progress)).ok()?;
    let judged = judge(problem, found.outcome.recoding()?, progress).ok()?;
    let (loss, of_levels) =
        (measure.measure(problem, &judged.tally), summary.measures.get(measure.name())?.as_f64()?);
    (loss < of_levels).then(|| LocalRecoding {
        algorithm: LOCAL.to_owned(),
        loss,
        less: 1.0 - loss / of_levels,
        seconds: started.elapsed().as_secs_f64(),
    })
}
