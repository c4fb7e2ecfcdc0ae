//! A release to begin with, in the place of what Algorithm 3 or 4 would make.

use super::by_record::search_from;
use crate::algorithm::Entry;
use crate::algorithm::variant::Variant;
use crate::consistency::find_uncovered;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::{Local, Recoding};
use crate::requirement::Requirement;
use crate::run::{Run, Stop};
use crate::verify::{Verdict, verify};

/// Refuses a release that Algorithms 5 and 6 cannot begin with.
///
/// # Errors
/// The sentence for people.
pub(crate) fn check_start(problem: &Problem, start: &Local) -> Result<(), String> {
    let notion = problem.requirements.notion();
    if !matches!(notion, Notion::OneK | Notion::KK | Notion::GlobalOneK) {
        return Err(format!(
            "the release in start can be made (1,k), (k,k) or global (1,k), not {}",
            notion.text()
        ));
    }
    if start.parts().is_some_and(|parts| parts.suppressed().contains(&true)) {
        return Err("the release in start leaves out rows, which these notions do not allow".into());
    }
    if find_uncovered(&Recoding::Local(start.clone()).apply(problem)).is_some() {
        return Err("the release in start is not a generalisation of every row of the table".into());
    }
    if start.parts().is_some() && problem.requirements.diversities().next().is_some() {
        return Err("the release in start shows equal rows in different ways, so it is not known which of \
            them has which sensitive value"
            .into());
    }
    let k = problem.requirements.k();
    // Algorithm 5 keeps what is (k,1)-anonymous so, and makes nothing so.
    if notion == Notion::KK && !holds(problem, start, Notion::KOne, k) {
        return Err(format!(
            "the release in start is not (k,1)-anonymous for k = {k}, so it cannot become (k,k)"
        ));
    }
    Ok(())
}

/// Whether the release has a notion.
fn holds(problem: &Problem, start: &Local, notion: Notion, k: u64) -> bool {
    let mut asked = problem.clone();
    asked.requirements = Requirement::crowd(notion, k).into();
    matches!(verify(&Recoding::Local(start.clone()).apply(&asked)), Verdict::Safe(_))
}

/// Algorithms 5 and 6 on a release, in the variant that the settings ask for.
pub(crate) fn complete(
    problem: &Problem,
    algorithm: &Entry,
    start: &Local,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    let variant = if algorithm.is_printed(&problem.settings) { Variant::Printed } else { Variant::Improved };
    search_from(problem, variant, start, run)
}
