//! The result of a run: what was released and what it cost, or why nothing was.

mod after;
mod learned;
mod none;
mod take;

use std::path::PathBuf;
use std::sync::Arc;

use maud::{Markup, PreEscaped, html};
use serde::{Deserialize, Serialize};
use throng_engine::check::CheckSummary;
use throng_engine::evaluate::EvaluateSummary;
use throng_engine::input::source::Source;
use throng_engine::job::Job;
use throng_engine::summary::Summary;
use throng_engine::verify::attack::AttackSummary;

use super::frame::{Frame, Page};
use super::parts;
use crate::app::App;
use crate::failure::Answer;
use crate::rows;
use crate::run::{self, Crowds, KeptByLevel};
use crate::session::Visitor;
use crate::store::{self, Run, State};
use crate::task::{self, Stage};
use crate::words as w;

/// What one column costs the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) name: String,
    pub(crate) own: f64,
    pub(crate) others: Option<f64>,
    pub(crate) without: Option<f64>,
}

/// What all columns cost, or why that is not known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Costs {
    pub(crate) columns: Vec<Cost>,
    pub(crate) none: Option<String>,
}

/// Rows of the release, and of the original where they are shown.
#[derive(Debug)]
struct Shown {
    columns: Vec<String>,
    released: Vec<Vec<String>>,
    /// The original's columns and rows, and whether each row is that of the released one at its place.
    original: Option<(Vec<String>, Vec<Vec<String>>, bool)>,
}

/// All that the page shows of a run.
#[derive(Debug)]
pub(crate) struct Result {
    id: String,
    place: PathBuf,
    run: Run,
    job: Option<Job>,
    report: Option<Summary>,
    before: Option<CheckSummary>,
    after: Option<CheckSummary>,
    attack: Stage<AttackSummary>,
    costs: Stage<Costs>,
    learned: Stage<EvaluateSummary>,
    crowds: Option<Crowds>,
    kept: Option<KeptByLevel>,
    shown: Option<Shown>,
    /// Tables for which the same could be done.
    tables: Vec<String>,
    /// The other runs of the table, with what they keep.
    ways: Vec<(String, Run, Summary)>,
}

impl Result {
    /// Reads what a run left.
    pub(crate) async fn read(
        app: &Arc<App>,
        id: &str,
        place: PathBuf,
        run: Run,
        shows: bool,
    ) -> Answer<Result> {
        let job = Job::read(&place.join(Run::JOB)).ok();
        let report: Option<Summary> = store::read(&place.join(Run::SUMMARY));
        let shown = match (&job, &report) {
            (Some(job), Some(report)) if run.state == State::Released => {
                // Masked rows keep their place.
                let is_whole = report.suppressed_rows == report.masked_rows;
                let pairs = is_whole && job.output.order == Default::default();
                look(app, job.clone(), shows, pairs).await.ok()
            }
            _ => None,
        };
        let ways = run::all(app)
            .into_iter()
            .filter(|(_, other)| other.table == run.table && other.state == State::Released);
        let ways = ways.filter_map(|(id, other)| {
            let report = store::read(&run::find(app, &id).ok()?.0.join(Run::SUMMARY))?;
            Some((id, other, report))
        });
        Ok(Result {
            ways: ways.collect(),
            tables: app.folder.tables().into_iter().map(|table| table.name).collect(),
            id: id.to_owned(),
            job,
            report,
            before: store::read(&place.join(Run::BEFORE)),
            after: store::read(&place.join(Run::AFTER)),
            attack: task::stage(app, &place.join(Run::ATTACK)),
            costs: task::stage(app, &place.join(Run::COSTS)),
            learned: task::stage(app, &place.join(Run::LEARNED)),
            crowds: store::read(&place.join(Run::CROWDS)),
            kept: store::read(&place.join(Run::KEPT)),
            shown,
            place,
            run,
        })
    }

    /// The page.
    pub(crate) fn show(&self, visitor: &Visitor) -> Page {
        let title = match self.run.state {
            State::Released => w::RESULT,
            State::Infeasible => w::NO_RESULT,
            State::Cancelled => w::STOPPED,
            State::Interrupted => w::INTERRUPTED,
            State::Failed | State::Queued | State::Running => w::FAILED_RUN,
        };
        let is_released = self.run.state == State::Released;
        let frame = Frame {
            title,
            name: Some(&self.run.name),
            step: Some((4, None)),
            switch: is_released.then_some(visitor),
        };
        let content = html! {
            h1 { (title) }
            @match &self.report {
                Some(report) if is_released => (self.released(report)),
                report => (self.nothing(report.as_ref())),
            }
            (self.remove())
        };
        let go = html! { p { (w::RESULT_NEXT) } (self.again()) @if self.run.judgement.is_some() {
            a.btn.main href={ "/runs/" (self.id) "/files/report" } target="_blank" rel="noopener" { (w::OPEN_REPORT) }
        } };
        frame.around(&content, Some(&go))
    }

    fn released(&self, report: &Summary) -> Markup {
        html! {
            @if let Some(judgement) = &self.run.judgement { (PreEscaped(&judgement.banner)) }
            @if let Some(failure) = &self.run.unreported { p { b { (w::UNREPORTED) } } (parts::failure(failure)) }
            p.small.dim.gap { (w::made(report.rows, report.suppressed_rows - report.masked_rows, report.optimal)) }
            (self.rows())
            (self.left(report))
            (self.risks())
            @if let Some(crowds) = &self.crowds { (super::crowds::picture(crowds)) }
            (self.attacked())
            (self.learned())
            (self.costs())
            @if let Some(picture) = super::lattice::picture(report, self.kept.as_ref()) {
                section aria-labelledby="h-lattice" { h2 id="h-lattice" { (w::LATTICE) } p.small.dim { (w::LATTICE_WHY) } (picture) }
            }
            (self.ways())
            (self.take())
            (self.another())
            @if !report.warnings.is_empty() {
                section aria-labelledby="h-warnings" {
                    h2 id="h-warnings" { (w::WARNINGS) }
                    ul.list.small { @for warning in &report.warnings { li { (warning) } } }
                }
            }
        }
    }

    fn again(&self) -> Markup {
        html! {
            form method="post" action={ "/runs/" (self.id) "/again" } {
                button.btn type="submit" title=(w::AGAIN_WHY) { (w::CHANGE_ANSWERS) }
            }
        }
    }

    /// Next month's file on the same job.
    fn another(&self) -> Markup {
        html! {
            @if !self.tables.is_empty() {
                section aria-labelledby="h-another" {
                    h2 id="h-another" { (w::ANOTHER) }
                    p.small.dim { (w::ANOTHER_WHY) }
                    form.row method="post" action={ "/runs/" (self.id) "/again" } {
                        label.field { span { (w::RUN_TABLE) } select name="table" { @for table in &self.tables { option value=(table) { (table) } } } }
                        button.btn type="submit" { (w::ANOTHER_BUTTON) }
                    }
                }
            }
        }
    }

    fn remove(&self) -> Markup {
        html! {
            details.remove.gap { summary { (w::REMOVE) }
                form.card.stack-y method="post" action={ "/runs/" (self.id) "/remove" } {
                    p.small { (w::REMOVE_RUN_WHY) }
                    button.btn.bad type="submit" { (w::REMOVE_RUN) }
                }
            }
        }
    }
}

/// Some rows of a release, and of its original if that is wanted.
async fn look(app: &Arc<App>, job: Job, shows: bool, pairs: bool) -> Answer<Shown> {
    let found = app.engine.look(move || async move {
        let release = Source::open(job.output.path()?, &job.csv_of_release())?;
        let released = rows::first_rows(&release).await?;
        let original = match shows {
            true => {
                let source = Source::open(&job.input, &job.csv)?;
                Some((source.columns().to_vec(), rows::first_rows(&source).await?, pairs))
            }
            false => None,
        };
        Ok(Shown { columns: release.columns().to_vec(), released, original })
    });
    Ok(found.await?)
}
