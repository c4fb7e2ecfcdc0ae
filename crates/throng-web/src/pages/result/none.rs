//! Why there is no release, and what would make one possible.

use maud::{Markup, html};
use throng_engine::summary::Summary;

use super::Result;
use crate::pages::parts;
use crate::store::State;
use crate::words as w;

impl Result {
    pub(super) fn nothing(&self, report: Option<&Summary>) -> Markup {
        let lede = match self.run.state {
            State::Infeasible => w::NO_RESULT_LEDE,
            State::Cancelled => w::STOPPED_LEDE,
            State::Interrupted => w::INTERRUPTED_LEDE,
            _ => w::FAILED_RUN_LEDE,
        };
        html! {
            p.lede { (lede) }
            @if let Some(failure) = &self.run.failure { (parts::failure(failure)) }
            @if let Some(report) = report.filter(|_| self.run.state == State::Infeasible) { (helps(report)) }
            div.gap { (self.again()) p.small.dim { (w::AGAIN_WHY) } }
            (self.command())
        }
    }
}

/// What would make a release possible, by what the search found.
fn helps(report: &Summary) -> Markup {
    let possible = report.achieved.get("k").and_then(serde_json::Value::as_u64);
    let possible = possible.filter(|k| *k >= 2 && report.requirement.k.is_some_and(|asked| *k < asked));
    let has_more = report.requirements.iter().any(|one| one.column.is_some());
    html! {
        section aria-labelledby="h-helps" {
            h2 id="h-helps" { (w::WHAT_HELPS_TITLE) }
            ul.list {
                @if let Some(k) = possible { li { (w::smaller_crowd(k)) } }
                li { (w::more_left_out(report.max_suppressed_rows)) }
                @if has_more { li { (w::FEWER_DEMANDS) } }
                li { (w::MORE_STEPS) }
                li { (w::FEWER_COLUMNS) }
            }
            @if !report.warnings.is_empty() { ul.list.small.gap { @for warning in &report.warnings { li { (warning) } } } }
        }
    }
}
