//! Persons in the classes of a release that does not name them, counted in the original.

use throng::notion::Notion;

use throng_engine::check::CheckSummary;
use throng_engine::error::Result;
use throng_engine::job::Job;
use throng_engine::progress::Progress;
use throng_engine::summary::Judgement;
use throng_engine::verify::attack::fewest_persons;

/// Judges the crowd over all quasi-identifiers that the release alone could not be judged by.
///
/// # Errors
/// If a file cannot be read, or a released value cannot be understood.
pub(super) async fn judge(job: &Job, after: &mut CheckSummary, progress: &dyn Progress) -> Result<()> {
    let quasi = after.quasi.len();
    let mut open = after.requirements.iter_mut().filter(|one| {
        one.not_judged.is_some() && one.summary.model == Notion::K.name() && one.summary.shield.len() == quasi
    });
    let (Some(one), Some(k)) = (open.next(), job.privacy.k) else { return Ok(()) };
    if !after.lacks_persons || job.privacy.notion != Notion::K {
        return Ok(());
    }
    let Some(found) = fewest_persons(job, job.output.path()?, progress).await? else { return Ok(()) };
    let holds = found.are(k);
    one.summary.holds = holds;
    one.verdict = Judgement::from_answer(holds);
    one.not_judged = match holds {
        None => Some(format!(
            "the class with the fewest persons has {} to {}: the tables do not show which rows belong to \
                whom",
            found.at_least, found.at_most
        )),
        Some(holds) => {
            one.summary.degree = Some(if holds { found.at_least } else { found.at_most } as f64);
            None
        }
    };
    Ok(())
}
