//! Requirements beside k, and what the release achieves of each.

use throng_engine::report::{Report, RequirementSummary};

/// A line for each.
pub(super) fn lines(report: &Report) -> String {
    others(report).map(|one| format!("  {}: the worst class has {}\n", name(one), degree(one))).collect()
}

/// What was asked for beside k, in words.
pub(super) fn asked(report: &Report) -> Vec<String> {
    others(report).map(name).collect()
}

/// What could be had of each at best, within the suppression limit.
pub(super) fn reach(report: &Report) -> String {
    let lines =
        others(report).map(|one| format!("\n  of {} by itself, {} could be had", name(one), degree(one)));
    lines.collect()
}

/// Those that could not be had, even by themselves.
pub(super) fn failing(report: &Report) -> impl Iterator<Item = String> {
    others(report).filter(|one| one.holds == Some(false)).map(name)
}

/// All but the k of the job, which is the first.
fn others(report: &Report) -> impl Iterator<Item = &RequirementSummary> {
    report.requirements.iter().skip(usize::from(report.requirement.k.is_some()))
}

/// `distinct-l (l = 3) of 'diagnosis' over age, sex`.
pub(crate) fn name(one: &RequirementSummary) -> String {
    let parameters: Vec<String> =
        one.parameters.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let column = one.column.as_ref().map(|column| format!(" of '{column}'")).unwrap_or_default();
    format!("{} ({}){column} over {}", one.model, parameters.join(", "), one.shield.join(", "))
}

pub(crate) fn degree(one: &RequirementSummary) -> String {
    // A degree that is judged but has no number is infinite.
    let without = if one.holds.is_some() { "an infinite one" } else { "nothing" };
    one.degree.map_or_else(|| without.to_owned(), |degree| format!("{}", (degree * 1e4).round() / 1e4))
}
