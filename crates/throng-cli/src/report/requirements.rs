//! Requirements beside k, and what the release achieves of each.

use throng::notion::Notion;
use throng_engine::summary::{RequirementSummary, Summary, Verified};

/// A line for each.
pub(super) fn lines(summary: &Summary) -> String {
    // By other notions than k-anonymity a crowd is no class.
    let crowd = if summary.requirement.notion == Notion::K.name() { "class" } else { "crowd" };
    others(summary)
        .map(|one| format!("  {}: the worst {crowd} has {}{}\n", one.name(), one.degree_text(), by_run(one)))
        .collect()
}

/// That the file alone does not show it, if it does not.
fn by_run(one: &RequirementSummary) -> &'static str {
    if one.verified == Some(Verified::Run) { ", which cannot be seen from the file alone" } else { "" }
}

/// What was asked for beside k, in words.
pub(super) fn asked(summary: &Summary) -> Vec<String> {
    others(summary).map(RequirementSummary::name).collect()
}

/// The best that is possible for each, within the suppression limit.
pub(super) fn reach(summary: &Summary) -> String {
    let lines =
        others(summary).map(|one| format!("\n  {} alone could reach {}", one.name(), one.degree_text()));
    lines.collect()
}

/// All but the k of the job, which is the first.
fn others(summary: &Summary) -> impl Iterator<Item = &RequirementSummary> {
    summary.requirements.iter().skip(usize::from(summary.requirement.k.is_some()))
}
