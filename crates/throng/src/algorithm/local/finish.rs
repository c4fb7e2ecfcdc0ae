//! From the classes that an algorithm ends with to a proposal.

use super::closure::Closures;
use super::mend::mend;
use super::peel::peel;
use super::pieces::{Piece, recode};
use super::ripe::Ripeness;
use crate::problem::Problem;
use crate::recoding::{GoOn, Local, Recoding};
use crate::run::{Run, Stop};

/// Proposes classes once those that fail are [mended](mend) and all have [given away](peel) what they can
/// spare; nothing if not even one class of all rows may be released.
pub(in crate::algorithm) fn propose(
    problem: &Problem,
    closures: &Closures,
    ripeness: &Ripeness,
    classes: Vec<Vec<Piece>>,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    let local = finish(problem, closures, ripeness, classes, &|| run.unless_cancelled())?;
    local.into_iter().for_each(|local| run.propose(local));
    Ok(())
}

fn finish(
    problem: &Problem,
    closures: &Closures,
    ripeness: &Ripeness,
    classes: Vec<Vec<Piece>>,
    go_on: &GoOn<'_>,
) -> Result<Option<Local>, Stop> {
    let Some(classes) = mend(problem, closures, ripeness, classes, go_on)? else { return Ok(None) };
    // Classes that lose rows may become equal to others, which only some models allow.
    if ripeness.holds_for_unions() {
        let classes = peel(problem, closures, ripeness, classes, go_on)?;
        return recode(problem, &classes, go_on).map(Some);
    }
    let local = recode(problem, &classes, go_on)?;
    if is_admissible(problem, &local) {
        return Ok(Some(local));
    }
    // Over fewer quasi-identifiers classes are unions of these, and fail; but not if there is one only.
    let local = recode(problem, &[classes.concat()], go_on)?;
    Ok(is_admissible(problem, &local).then_some(local))
}

fn is_admissible(problem: &Problem, local: &Local) -> bool {
    let release = Recoding::Local(local.clone()).apply(problem);
    release.evaluate(&release.tally()).admissible
}
