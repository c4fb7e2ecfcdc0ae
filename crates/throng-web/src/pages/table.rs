//! Is this your table? How it is read, and what its columns look like.

use maud::{Markup, html};
use throng_engine::profile::{ColumnProfile, Profile};

use super::frame::{Frame, Page};
use super::parts;
use crate::database;
use crate::draft::Looked;
use crate::session::Visitor;
use crate::store::Draft;
use crate::words as w;

pub(crate) fn table(visitor: &Visitor, looked: &Looked, rows: Option<Vec<Vec<String>>>) -> Page {
    let id = looked.id.as_str();
    let frame = Frame {
        title: w::TABLE,
        name: Some(&looked.draft.name),
        step: Some((0, Some(id))),
        switch: looked.profile.as_ref().map(|_| visitor),
    };
    let is_done =
        !looked.is_busy && looked.profile.is_some() && looked.job.is_some() && looked.failure.is_none();
    let content = html! {
        h1 { (w::TABLE) }
        p.lede { (w::TABLE_LEDE) }
        @if looked.is_busy { (waiting(id, looked.profile.is_some())) }
        @if let Some(failure) = &looked.failure { (parts::failure(failure)) }
        @if let Some(profile) = &looked.profile {
            (facts(profile))
            @if let Some(rows) = &rows { (first(profile, rows)) }
            (kinds(profile))
        }
        @if !looked.is_busy && database::table_of(&looked.draft.table).is_none() {
            @if looked.failure.is_some() { p.gap { (w::SAY_BELOW) } }
            (dialect(id, &looked.draft))
        }
    };
    let go = html! {
        p { (w::TABLE_NEXT) }
        a.btn.main href={ "/drafts/" (id) "/columns" } { (w::YES_MY_TABLE) }
    };
    frame.around(&content, is_done.then_some(&go))
}

/// The table is read, or was and roles are being suggested.
fn waiting(id: &str, is_profiled: bool) -> Markup {
    let (what, awaited) = if is_profiled { (w::SUGGESTING, "ready") } else { (w::LOOKING, "profiled") };
    html! {
        div.card.wait data-wait={ "/drafts/" (id) "/" (awaited) } {
            p { b { (what) } }
            p.small.dim { (w::LOOKING_WHY) }
            progress aria-label=(what) {}
            p { a.btn href={ "/drafts/" (id) "/table" } { (w::RELOAD) } }
        }
    }
}

fn facts(profile: &Profile) -> Markup {
    html! {
        dl.facts {
            div { dt { (w::ROWS) } dd { (w::count(profile.rows)) } }
            div { dt { (w::COLUMNS) } dd { (w::count(profile.columns.len() as u64)) } }
        }
    }
}

fn first(profile: &Profile, rows: &[Vec<String>]) -> Markup {
    html! {
        section aria-labelledby="h-rows" {
            h2 id="h-rows" { (w::FIRST_ROWS) }
            div.scroll.rows tabindex="0" role="region" aria-labelledby="h-rows" { table {
                caption.sr { (w::table_caption(rows.len())) }
                thead { tr { @for column in &profile.columns { th scope="col" { (column.name) small { (w::kind(column.kind)) } } } } }
                tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
            } }
        }
    }
}

fn kinds(profile: &Profile) -> Markup {
    let notes = |column: &ColumnProfile| column.notes.join("; ");
    html! {
        section aria-labelledby="h-kinds" {
            h2.sr id="h-kinds" { (w::COLUMNS) }
            div.scroll tabindex="0" role="region" aria-labelledby="h-kinds" { table {
                thead { tr {
                    th scope="col" { (w::COLUMN) }
                    th scope="col" { (w::KIND) }
                    th.n scope="col" { (w::DIFFERENT) }
                    th.n scope="col" { (w::EMPTY) }
                } }
                tbody { @for column in &profile.columns { tr {
                    th scope="row" { code { (column.name) } @if !column.notes.is_empty() { small.dim { (notes(column)) } } }
                    td { (w::kind(column.kind)) }
                    td.n { @if column.distinct.estimated { "≈ " } (w::count(column.distinct.value)) }
                    td.n { @if column.missing == 0 { "–" } @else { (w::percent(column.missing_share)) } }
                } } }
            } }
        }
    }
}

fn dialect(id: &str, draft: &Draft) -> Markup {
    let csv = &draft.csv;
    let is_workbook = draft.name.to_lowercase().ends_with(".xlsx");
    let (delimiter, decimal) =
        (csv.delimiter.map(|c| if c == '\t' { "tab".to_owned() } else { c.to_string() }), csv.decimal);
    let header = csv.header.map(|header| if header { "yes" } else { "no" });
    html! {
        section aria-labelledby="h-read" {
            h2 id="h-read" { (w::HOW_READ) }
            p.small.dim { (w::HOW_READ_WHY) }
            form.card.fields method="post" action={ "/drafts/" (id) "/table" } {
                (parts::choice("header", w::HEADER, header, &[("yes", w::HEADER_YES), ("no", w::HEADER_NO)]))
                @if is_workbook {
                    label.field { span { (w::SHEET) } input.text type="text" name="sheet" maxlength="100" value=[csv.sheet.as_deref()]; }
                } @else {
                    (parts::choice("delimiter", w::DELIMITER, delimiter.as_deref(), &w::DELIMITERS))
                    (parts::choice("decimal", w::DECIMAL, decimal.map(|c| c.to_string()).as_deref(), &w::DECIMALS))
                    (parts::choice("encoding", w::ENCODING, csv.encoding.as_deref(), &w::ENCODINGS))
                }
                button.btn type="submit" { (w::READ_AGAIN) }
            }
        }
    }
}
