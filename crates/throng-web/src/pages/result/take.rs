//! What can be taken away, and the command that gives the same.

use maud::{Markup, html};
use throng_engine::job::{HierarchySpec, Job, RowOrder};
use throng_engine::sql::SqlDialect;
use throng_report::remedy::is_local;

use super::Result;
use crate::run::command;
use crate::words as w;

impl Result {
    pub(super) fn take(&self) -> Markup {
        let file = |name: &str| format!("/runs/{}/files/{name}", self.id);
        let has_report = self.run.judgement.is_some();
        let downloads = w::DOWNLOADS.iter().filter(|(name, ..)| *name != "report.html" || has_report);
        let columns = self.job.iter().flat_map(|job| job.columns.named()).enumerate();
        let groups =
            columns.filter(|(_, (_, column))| matches!(column.hierarchy, Some(HierarchySpec::File(_))));
        let groups: Vec<(usize, &str)> = groups.map(|(at, (name, _))| (at, name)).collect();
        html! {
            section aria-labelledby="h-take" {
                h2 id="h-take" { (w::DOWNLOAD) }
                div.dl { @for (name, title, text) in downloads {
                    a.card href=(file(name)) download { b { (title) } span.small.dim { (text) } }
                } }
                details.gap { summary { (w::MORE_FILES) }
                    ul.plain.small.stack-y {
                        @if self.has_recoding() { li { a href=(file("recoding.json")) download { (w::RECODING) } " " (w::RECODING_WHY) } }
                        @for (at, name) in groups { li { a href=(file(&format!("hierarchy-{at}"))) download { (w::HIERARCHY_OF) " " (name) } } }
                        @for dialect in SqlDialect::ALL { li { a href=(file(&format!("sql-{}", dialect.name()))) download { (w::SQL_FOR) " " (dialect.title()) } } }
                    }
                }
                div.dont { p { b { (w::DO_NOT_SEND) } " " (w::DO_NOT_SEND_WHY) } }
            }
            (self.command())
        }
    }

    fn has_recoding(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.output.recoding.is_some())
    }

    /// Whether rows that are alike may be released in several ways, of which chance decides.
    fn is_divided(&self) -> bool {
        let is_local = |job: &Job| is_local(job) && job.output.order == RowOrder::Sort;
        self.job.as_ref().is_some_and(is_local)
    }

    pub(super) fn command(&self) -> Markup {
        html! {
            section aria-labelledby="h-command" {
                h2 id="h-command" { (w::SAME_COMMAND) }
                p.small.dim { @if self.is_divided() { (w::SAME_COMMAND_CHANCE) } @else { (w::SAME_COMMAND_WHY) } }
                div.cmd {
                    code id="command" tabindex="0" { (command(&self.place)) }
                    button.btn.quiet type="button" data-copy="command" data-done=(w::COPIED) hidden { (w::COPY) }
                }
            }
        }
    }
}
