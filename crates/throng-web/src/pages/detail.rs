//! How much detail must stay: the steps of each column, how they are made, and the tree of its groups.

use maud::{Markup, html};

use super::frame::{Frame, Page};
use super::parts;
use crate::draft::{Branch, ColumnLevels, Looked};
use crate::session::Visitor;
use crate::words as w;

pub(crate) fn detail(visitor: &Visitor, looked: &Looked, columns: &[ColumnLevels]) -> Page {
    let id = looked.id.as_str();
    let frame = Frame {
        title: w::DETAIL,
        name: Some(&looked.draft.name),
        step: Some((2, Some(id))),
        switch: Some(visitor),
    };
    let content = html! {
        h1 { (w::DETAIL) }
        p.lede { (w::DETAIL_LEDE) }
        div.gap { @for (at, column) in columns.iter().enumerate() { (one(id, at, column, visitor.session.shows_originals)) } }
    };
    let go = html! {
        a.btn href={ "/drafts/" (id) "/columns" } { (w::BACK) }
        p { (w::DETAIL_NEXT) }
        a.btn.main href={ "/drafts/" (id) "/safety" } { (w::DETAIL_BUTTON) }
    };
    frame.around(&content, Some(&go))
}

fn one(id: &str, at: usize, column: &ColumnLevels, shows: bool) -> Markup {
    let steps = column.levels.len().saturating_sub(1);
    html! {
        details.colrow id={ "column-" (at) } open[at == 0 || column.failure.is_some()] {
            summary.h {
                h2 { code { (column.name) } }
                span.small.dim { (w::builder(column.builder)) @if steps > 0 { ", " (w::many(steps as u64, "step")) } }
            }
            div.in {
                div.stack-y {
                    @if let Some(failure) = &column.failure { (parts::failure(failure)) }
                    (ladder(column, shows))
                    @if !column.tree.is_empty() { (tree(id, at, column)) }
                    @if !shows { p.small.dim { (w::EXAMPLES_COVERED) } }
                }
                (controls(id, at, column))
            }
        }
    }
}

fn ladder(column: &ColumnLevels, shows: bool) -> Markup {
    let last = column.levels.len().saturating_sub(1);
    let examples = column.levels.first().map_or(0, |level| level.examples.len());
    html! {
        div.scroll tabindex="0" role="region" aria-label={ (w::LEVEL) " " (column.name) } { table.ladder {
            thead { tr {
                th scope="col" { (w::LEVEL) }
                th.n scope="col" { (w::LEVEL_VALUES) }
                th scope="col" { (w::LEVEL_ALONE) }
                @if shows { @for at in 0..examples { th scope="col" { (w::example_row(at + 1)) } } }
            } }
            tbody { @for (at, level) in column.levels.iter().enumerate() { tr {
                th scope="row" { (at) @if at == 0 { " · " (w::LEVEL_EXACT) } @else if at == last && level.values == 1 { " · " (w::LEVEL_TOP) } }
                td.n { (w::count(level.values as u64)) }
                td { (w::unique(level.alone)) (parts::bar(level.alone, level.alone > 0.05)) }
                @if shows { @for label in &level.examples { td.ex { (parts::cell(label)) } } }
            } } }
        } }
    }
}

fn tree(id: &str, at: usize, column: &ColumnLevels) -> Markup {
    let top = column.levels.len().saturating_sub(1);
    html! {
        form.treeform method="post" action={ "/drafts/" (id) "/detail" } data-tree {
            h3 { (w::TREE) }
            p.small.dim { (w::TREE_WHY) }
            input type="hidden" name="column" value=(at);
            ul.tree role="list" aria-label={ (w::TREE) ": " (column.name) } {
                @for branch in &column.tree { (line(branch, column.rows, top)) }
            }
            @if column.hidden_lines > 0 { p.small.dim { (w::more_lines(column.hidden_lines)) } }
            div.tools {
                label.field { span { (w::TO_NAME) } input.text type="text" name="to" maxlength="200" list={ "groups-" (at) } autocomplete="off"; }
                datalist id={ "groups-" (at) } {
                    @for branch in column.tree.iter().filter(|branch| branch.level > 0 && branch.level < top) { option value=(branch.label) {} }
                }
                button.btn type="submit" name="change" value="rename" { (w::RENAME) }
                button.btn type="submit" name="change" value="move" { (w::MOVE) }
                button.btn type="submit" name="change" value="split" { (w::SPLIT) }
            }
        }
    }
}

fn line(branch: &Branch, rows: u64, top: usize) -> Markup {
    let share = branch.rows as f64 / rows.max(1) as f64;
    html! {
        li class={ "depth-" (branch.depth.min(8)) } {
            label draggable=(if branch.level < top { "true" } else { "false" }) data-label=(branch.label) data-level=(branch.level) {
                input type="radio" name="pick" value={ (branch.level) ":" (branch.label) } disabled[branch.level == top];
                em { (parts::cell(&branch.label)) }
                (parts::bar(share, false))
                span.n { (w::count(branch.rows)) }
            }
        }
    }
}

fn controls(id: &str, at: usize, column: &ColumnLevels) -> Markup {
    let action = format!("/drafts/{id}/detail");
    let weights: Vec<(&str, &str)> = w::IMPORTANCES.to_vec();
    let weight = column.weight.to_string();
    html! {
        div.stack-y.small {
            form.stack-y method="post" action=(action) {
                input type="hidden" name="column" value=(at);
                label.field { span { (w::BUILDER) } select name="builder" {
                    @for (value, text) in &w::BUILDERS { option value=(value) selected[*value == column.builder] { (text) } }
                } }
                label.field { span { (w::WIDTHS) } input.text type="text" name="widths" placeholder="5, 10, 20" inputmode="decimal"; }
                label.field { span { (w::UNITS) } input.text type="text" name="units" placeholder="month, year, decade"; }
                button.btn type="submit" name="change" value="build" { (w::BUILD) }
            }
            @if column.can_undo {
                form method="post" action=(action) {
                    input type="hidden" name="column" value=(at);
                    button.btn type="submit" name="change" value="undo" { (w::UNDO) }
                }
            }
            form.row method="post" action=(action) {
                input type="hidden" name="column" value=(at);
                label.field { span { (w::IMPORTANCE) } select name="weight" {
                    @for (value, text) in weights { option value=(value) selected[value == weight] { (text) } }
                } }
                button.btn type="submit" name="change" value="weight" { (w::SAVE) }
            }
            p.tiny.dim { (w::IMPORTANCE_NOTE) }
        }
    }
}
