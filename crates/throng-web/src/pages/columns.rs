//! What could others know? A role for each column, with the reason for the suggestion.

use maud::{Markup, html};
use throng_engine::job::{Job, NO_PERSON, Role};
use throng_engine::profile::{ColumnKind, ColumnProfile, Profile};

use super::frame::{Frame, Page};
use super::parts;
use crate::app::App;
use crate::draft::Looked;
use crate::failure::Failure;
use crate::words as w;

pub(crate) fn columns(
    app: &App,
    looked: &Looked,
    profile: &Profile,
    job: &Job,
    failure: Option<&Failure>,
) -> Page {
    let id = looked.id.as_str();
    let frame = Frame {
        title: w::COLUMNS_TITLE,
        name: Some(&looked.draft.name),
        step: Some((1, Some(id))),
        switch: None,
    };
    let mut order: Vec<usize> = (0..profile.columns.len()).collect();
    order.sort_by(|&a, &b| profile.columns[b].unique_share.total_cmp(&profile.columns[a].unique_share));
    let content = html! {
        h1 { (w::COLUMNS_TITLE) }
        p.lede { (w::COLUMNS_LEDE) }
        @if let Some(failure) = failure { (parts::failure(failure)) }
        form id="columns" method="post" action={ "/drafts/" (id) "/columns" } data-save {
            div.split.gap { (stands_out(profile)) (who(profile, job)) }
            section aria-labelledby="h-cols" {
                h2 id="h-cols" { (w::ROLE_QUESTION) }
                p.small.dim { (w::ROLE_SORT) }
                dl.key.meanings { @for (_, name, meaning) in &w::ROLES { div { dt { (name) } dd { (meaning) } } } }
                div.cols.gap { @for at in order { (column(at, &profile.columns[at], job, app.key.is_some(), failure)) } }
            }
        }
    };
    let go = html! {
        a.btn href={ "/drafts/" (id) "/table" } { (w::BACK) }
        p { (w::COLUMNS_NEXT) }
        button.btn.main type="submit" form="columns" { (w::COLUMNS_BUTTON) }
    };
    frame.around(&content, Some(&go))
}

/// What singles people out.
fn stands_out(profile: &Profile) -> Markup {
    let small = profile.combinations.iter().find(|found| found.columns.len() <= 3);
    html! {
        div.card.fact {
            @if let Some(found) = small {
                p.big { (w::together(&found.columns, found.unique_share)) }
                (parts::bar(found.unique_share, true))
                p.small.dim { (w::together_why(found.unique_rows.value, profile.rows)) }
            }
        }
    }
}

/// Whether rows are people.
fn who(profile: &Profile, job: &Job) -> Markup {
    let chosen = job.privacy.person.as_deref();
    let named =
        chosen.filter(|name| *name != NO_PERSON && profile.persons.iter().all(|found| found.column != *name));
    html! {
        fieldset.card {
            legend { (w::WHO) }
            p.small.dim { (w::WHO_WHY) }
            ul.plain.small {
                @for found in &profile.persons { li { label {
                    input type="radio" name="person" value=(found.column) checked[chosen == Some(found.column.as_str())];
                    " " (w::count_people(&found.column, found.persons.value)) " " span.tag.good { (w::SUGGESTED) }
                } } }
                @if let Some(name) = named { li { label {
                    input type="radio" name="person" value=(name) checked; " " (name)
                } } }
                li { label { input type="radio" name="person" value=(NO_PERSON) checked[chosen == Some(NO_PERSON)]; " " (w::EVERY_ROW) } }
                li { label { input type="radio" name="person" value="" checked[chosen.is_none()]; " " (w::NOT_SAID) } }
            }
        }
    }
}

fn column(at: usize, column: &ColumnProfile, job: &Job, has_key: bool, failure: Option<&Failure>) -> Markup {
    let told = job.columns.get(&column.name).or(job.columns.rest());
    let role = told.map_or(column.suggestion.role, |told| told.role);
    let is_text = column.kind == ColumnKind::Text;
    let keeps = told.is_some_and(|told| told.text.is_some());
    let codes = told.is_some_and(|told| told.pseudonym.is_some());
    let is_wrong = failure.is_some_and(|failure| failure.columns.contains(&column.name));
    let name = format!("role-{at}");
    let roles: Vec<(&str, &str)> = w::ROLES.iter().map(|(role, name, _)| (*role, *name)).collect();
    let is_alone = column.unique_share > 0.5;
    html! {
        div.col.alarm[is_wrong || (is_alone && role != Role::Identifier)] {
            h3 { (column.name) " " span.eg { (w::kind(column.kind)) ", " (w::count(column.distinct.value)) } }
            div {
                p.why { (column.suggestion.reason) }
                @for note in &column.notes { p.small.dim { (note) } }
                div.uniq { (parts::bar(column.unique_share, is_alone)) span { (w::unique(column.unique_share)) } }
                @if is_wrong && let Some(failure) = failure { p.flag { (failure.message) } }
                @if is_text || keeps {
                    label.small { input type="checkbox" name=(format!("text-{at}")) value="keep" checked[keeps]; " " (w::KEEP_TEXT) }
                }
                @if has_key && column.suggestion.role == Role::Identifier || codes {
                    label.small title=(w::CODE_OF_KEY) { input type="checkbox" name=(format!("code-{at}")) value="keyed" checked[codes] disabled[!has_key]; " " (w::CODE) }
                }
            }
            (parts::answers(&name, &column.name, role.name(), &roles))
        }
    }
}
