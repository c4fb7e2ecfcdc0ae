//! Why there is no release, and what would make one possible.

use maud::{Markup, html};
use throng_engine::job::Job;
use throng_engine::summary::Summary;
use throng_report::remedy::{Remedy, USUAL_SHARE, remedies};

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
            @if let Some(report) = report.filter(|_| self.run.state == State::Infeasible) && let Some(job) = &self.job { (self.helps(job, report)) }
            div.gap { (self.again()) p.small.dim { (w::AGAIN_WHY) } }
            (self.command())
        }
    }
}

impl Result {
    /// What would make a release possible, by what the search found.
    fn helps(&self, job: &Job, report: &Summary) -> Markup {
        html! {
            section aria-labelledby="h-helps" {
                h2 id="h-helps" { (w::WHAT_HELPS_TITLE) }
                ul.plain.remedies { @for remedy in remedies(job, report) { li {
                    p { (told(&remedy, report)) }
                    @if let Some((name, value)) = answer(&remedy) {
                        form method="post" action={ "/runs/" (self.id) "/again" } {
                            button.btn type="submit" name=(name) value=(value) { (w::TRY_THIS) }
                        }
                    }
                } } }
                @if !report.warnings.is_empty() { ul.list.small.gap { @for warning in &report.warnings { li { (warning) } } } }
            }
        }
    }
}

/// A remedy in words.
fn told(remedy: &Remedy, report: &Summary) -> String {
    match remedy {
        Remedy::SuppressFailing { rows } => w::remedy_failing(*rows),
        Remedy::Search => w::REMEDY_SEARCH.to_owned(),
        Remedy::MoreTime => w::REMEDY_TIME.to_owned(),
        Remedy::AcceptAny => w::REMEDY_ANY.to_owned(),
        Remedy::FasterSearch { names } => w::remedy_faster(names),
        Remedy::FasterLocal { name } => w::remedy_faster(&[name]),
        Remedy::Blocks { is_in_blocks } => w::remedy_blocks(*is_in_blocks).to_owned(),
        Remedy::AcceptEmpty => w::REMEDY_EMPTY.to_owned(),
        Remedy::SmallerK { most } => w::remedy_crowd(*most),
        Remedy::Less { requirement } => w::remedy_less(requirement),
        Remedy::OptimalSearch => w::REMEDY_OPTIMAL.to_owned(),
        Remedy::MoreSuppression { .. } => w::remedy_left_out(report.max_suppressed_rows),
        Remedy::HigherLevels => w::REMEDY_LEVELS.to_owned(),
        Remedy::HigherMaxLevel { columns } => {
            let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
            w::remedy_max_level(&names)
        }
        Remedy::LastLevel { columns } => w::remedy_last_level(columns),
    }
}

/// The answer of the form about safety that a remedy is, where it is one.
fn answer(remedy: &Remedy) -> Option<(&'static str, String)> {
    match remedy {
        Remedy::SmallerK { most } => Some(("k", most.to_string())),
        Remedy::MoreSuppression { is_small: true } => {
            Some(("suppression", (100.0 * USUAL_SHARE).to_string()))
        }
        _ => None,
    }
}
