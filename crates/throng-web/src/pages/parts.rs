//! What several pages have: failures, bars, answers.

use maud::{Markup, html};

use crate::failure::Failure;
use crate::words as w;

/// What went wrong, and where.
pub(crate) fn failure(failure: &Failure) -> Markup {
    html! {
        div.failure role="alert" {
            p { b { (failure.message) } }
            dl {
                @if let Some(file) = &failure.file { div { dt { (w::WHERE_FILE) } dd { (file) } } }
                @if let Some(row) = failure.row { div { dt { (w::WHERE_ROW) } dd { (w::count(row)) } } }
                @if let Some(line) = failure.line { div { dt { (w::WHERE_LINE) } dd { (w::count(line)) } } }
                @if !failure.columns.is_empty() { div { dt { (w::WHERE_COLUMN) } dd { (w::listed(&failure.columns)) } } }
                @if let Some(hint) = &failure.hint { div { dt { (w::WHAT_HELPS) } dd { (hint) } } }
            }
        }
    }
}

/// Work that is being done; the page goes on by itself when it is, or by a click where there is no script.
pub(crate) fn waiting(ready: &str, page: &str) -> Markup {
    html! {
        div.wait data-wait=(ready) {
            p.small { b { (w::WORKING) } " " (w::WORKING_WHY) }
            progress aria-label=(w::WORKING) {}
            p.small { a href=(page) { (w::RELOAD) } }
        }
    }
}

/// A bar of a share; the number stands beside it as text.
pub(crate) fn bar(share: f64, is_bad: bool) -> Markup {
    html! {
        svg.bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect.grid width="100" height="8" {}
            rect.bad[is_bad].full[!is_bad] width=(format!("{:.1}", (100.0 * share).clamp(0.0, 100.0))) height="8" {}
        }
    }
}

/// How exact the cells of a column are: exact, one step coarser, coarser still; what is left is hidden.
pub(crate) fn mix(shares: [f64; 3]) -> Markup {
    const CLASSES: [&str; 3] = ["d0", "d1", "d2"];
    let mut from = 0.0;
    let mut parts = Vec::new();
    for (share, class) in shares.into_iter().zip(CLASSES) {
        let width = 100.0 * share;
        parts.push((from, width, class));
        from += width;
    }
    html! {
        svg.mix viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" {
            @for (from, width, class) in parts {
                rect class=(class) x=(format!("{from:.1}")) width=(format!("{width:.1}")) height="12" {}
            }
        }
    }
}

/// A large answer.
pub(crate) fn pick(name: &str, value: &str, is_chosen: bool, title: &str, text: &str) -> Markup {
    html! {
        label.pick {
            input type="radio" name=(name) value=(value) checked[is_chosen];
            b { (title) } (text)
        }
    }
}

/// Answers side by side.
pub(crate) fn answers(name: &str, label: &str, chosen: &str, all: &[(&str, &str)]) -> Markup {
    html! {
        div.seg role="radiogroup" aria-label=(label) {
            @for (value, text) in all {
                label { input type="radio" name=(name) value=(value) checked[*value == chosen]; (text) }
            }
        }
    }
}

/// Choices of a list, the first of which leaves it open.
pub(crate) fn choice(name: &str, label: &str, chosen: Option<&str>, all: &[(&str, &str)]) -> Markup {
    html! {
        label.field {
            span { (label) }
            select name=(name) {
                option value="" selected[chosen.is_none()] { (w::GUESS) }
                @for (value, text) in all { option value=(value) selected[chosen == Some(*value)] { (text) } }
            }
        }
    }
}

/// A cell that is empty says so.
pub(crate) fn cell(text: &str) -> &str {
    if text.is_empty() { w::EMPTY_VALUE } else { text }
}
