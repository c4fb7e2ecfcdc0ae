//! The first page: tables, what was begun, and earlier runs.

use maud::{Markup, html};

use super::frame::{Frame, Page};
use crate::app::App;
use crate::draft;
use crate::folder::extensions;
use crate::run;
use crate::store::{Draft, Run, State};
use crate::words as w;

/// Runs that are listed.
const MOST_RUNS: usize = 50;

pub(crate) fn start(app: &App) -> Page {
    let (drafts, runs) = (draft::all(app), run::all(app));
    let content = html! {
        h1 { (w::START) }
        p.lede { (w::START_LEDE) }
        div.split.even.gap {
            (drop(app))
            div.stack-y { (tables(app)) @if app.has_database { (of_database()) } }
        }
        @if !drafts.is_empty() { (begun(&drafts)) }
        @if !runs.is_empty() { (earlier(&runs)) (next_month(app, &runs)) }
        (open_job())
    };
    Frame { title: w::START, name: None, step: None, switch: None }.around(&content, None)
}

fn drop(app: &App) -> Markup {
    let ends = extensions().join(",");
    html! {
        form.card.drop method="post" action="/tables" enctype="multipart/form-data" data-drop {
            h2 { label for="table" { (w::DROP) } }
            input type="file" id="table" name="table" accept={ (ends) ",.gz,.zst" } required;
            p.small.dim { (w::taken(&extensions(), app.budget.upload.0)) }
            progress.sent max="100" value="0" hidden aria-label=(w::DROP) {}
            p.flag role="alert" hidden {}
            button.btn.main type="submit" { (w::DROP_BUTTON) }
        }
    }
}

fn tables(app: &App) -> Markup {
    let tables = app.folder.tables();
    html! {
        section.card aria-labelledby="h-tables" {
            h2 id="h-tables" { (w::IN_FOLDER) }
            @if tables.is_empty() { p.small.dim { (w::NONE_IN_FOLDER) } }
            ul.plain.list-rows { @for table in &tables { li {
                form method="post" action="/drafts" {
                    input type="hidden" name="table" value=(table.name);
                    span.mono { (table.name) } " " span.small.dim { (w::bytes(table.bytes)) }
                    button.btn type="submit" aria-label={ (w::USE_TABLE) " " (table.name) } { (w::USE_TABLE) }
                }
            } } }
        }
    }
}

fn begun(drafts: &[(String, Draft)]) -> Markup {
    html! {
        section aria-labelledby="h-drafts" {
            h2 id="h-drafts" { (w::DRAFTS) }
            ul.plain.list-rows.card { @for (id, draft) in drafts { li {
                span { span.mono { (draft.name) } " " span.small.dim { (when(&draft.created)) } }
                span.buttons {
                    a.btn href={ "/drafts/" (id) "/table" } aria-label={ (w::GO_ON) " " (draft.name) } { (w::GO_ON) }
                    details.remove { summary { (w::REMOVE) }
                        div.card.stack-y {
                            form method="post" action={ "/drafts/" (id) "/remove" } { button.btn type="submit" { (w::REMOVE_DRAFT) } }
                            p.small { (w::REMOVE_ALL_WHY) }
                            form method="post" action="/tables/remove" {
                                input type="hidden" name="draft" value=(id);
                                button.btn.bad type="submit" { (w::REMOVE_ALL) }
                            }
                        }
                    }
                }
            } } }
        }
    }
}

fn earlier(runs: &[(String, Run)]) -> Markup {
    html! {
        section aria-labelledby="h-runs" {
            h2 id="h-runs" { (w::RUNS) }
            div.scroll tabindex="0" role="region" aria-labelledby="h-runs" { table {
                thead { tr { th scope="col" { (w::RUN_TABLE) } th scope="col" { (w::RUN_WHEN) } th scope="col" { (w::RUN_STATE) } } }
                tbody { @for (id, run) in runs.iter().take(MOST_RUNS) { tr {
                    th scope="row" { a href={ "/runs/" (id) } { (run.name) } }
                    td { (when(&run.created)) }
                    td { (state(run.state)) }
                } } }
            } }
        }
    }
}

/// What was decided about one table, asked of another: next month's file.
fn next_month(app: &App, runs: &[(String, Run)]) -> Markup {
    let tables = app.folder.tables();
    let name = |run: &Run| format!("{}, {}", run.name, when(&run.created));
    html! {
        @if !tables.is_empty() { section aria-labelledby="h-again" {
            h2 id="h-again" { (w::ANOTHER) }
            p.small.dim { (w::ANOTHER_WHY) }
            form.card.fields method="post" action="/again" {
                label.field { span { (w::RUNS) } select name="run" { @for (id, run) in runs.iter().take(MOST_RUNS) { option value=(id) { (name(run)) } } } }
                label.field { span { (w::RUN_TABLE) } select name="table" { @for table in &tables { option value=(table.name) { (table.name) } } } }
                button.btn type="submit" { (w::ANOTHER_BUTTON) }
            }
        } }
    }
}

fn of_database() -> Markup {
    html! {
        form.card.stack-y method="post" action="/drafts" {
            h2 { label for="relation" { (w::DATABASE) } }
            p.small.dim { (w::DATABASE_WHY) }
            input.text type="text" id="relation" name="relation" maxlength="128" required;
            button.btn type="submit" { (w::DATABASE_BUTTON) }
        }
    }
}

/// How far a run is, in words.
fn state(state: State) -> &'static str {
    match state {
        State::Queued => w::STATE_QUEUED,
        State::Running => w::STATE_RUNNING,
        State::Released => w::STATE_RELEASED,
        State::Infeasible => w::STATE_INFEASIBLE,
        State::Failed => w::STATE_FAILED,
        State::Cancelled => w::STATE_CANCELLED,
        State::Interrupted => w::STATE_INTERRUPTED,
    }
}

fn open_job() -> Markup {
    html! {
        section aria-labelledby="h-job" {
            h2 id="h-job" { (w::OPEN_JOB) }
            p.small.dim { (w::OPEN_JOB_WHY) }
            form.card.row method="post" action="/jobs" enctype="multipart/form-data" {
                label for="job" { (w::JOB_FILE) }
                input type="file" id="job" name="job" accept=".toml" required;
                button.btn type="submit" { (w::OPEN_JOB_BUTTON) }
            }
        }
    }
}

/// A time as people read it.
pub(super) fn when(time: &str) -> String {
    time.replace('T', " ").replace('Z', " UTC")
}
