//! How safe must it be: questions that people can answer, and what the answers cost.

use maud::{Markup, PreEscaped, html};
use throng_engine::frontier::FrontierSummary;
use throng_engine::job::{Job, Suppression};
use throng_engine::profile::Profile;
use throng_report::plot::{Mark, Plot, Series};

use super::frame::{Frame, Page};
use super::parts;
use crate::app::App;
use crate::draft::{Looked, Membership, crowd as asked_for, secrets};
use crate::failure::Failure;
use crate::store::Draft;
use crate::task::{self, Stage};
use crate::words as w;

/// Points of the front that can be chosen.
const MOST_CHOICES: usize = 12;

pub(crate) fn safety(
    app: &App,
    looked: &Looked,
    profile: &Profile,
    job: &Job,
    failure: Option<&Failure>,
) -> Page {
    let id = looked.id.as_str();
    let frame =
        Frame { title: w::SAFETY, name: Some(&looked.draft.name), step: Some((3, Some(id))), switch: None };
    let front: Stage<FrontierSummary> = task::stage(app, &looked.place.join(Draft::FRONT));
    let tables: Vec<String> = app.folder.tables().into_iter().map(|table| table.name).collect();
    let content = html! {
        h1 { (w::SAFETY) }
        p.lede { (w::SAFETY_LEDE) }
        @if let Some(failure) = failure { (parts::failure(failure)) }
        div.split.gap {
            form id="safety" method="post" action={ "/drafts/" (id) "/safety" } data-save="asked" {
                input type="hidden" name="then" value="run";
                (crowd(job))
                @for (at, name) in secrets(job).iter().enumerate() { (secret(at, name, job)) }
                (member(job, &tables))
                (left_out(job))
                (alike(job))
                (again(job))
                (stated(job))
            }
            aside.follow.stack-y {
                (picture(id, &front, asked_for(job)))
                (asked(id, job, profile))
            }
        }
    };
    let go = html! {
        a.btn href={ "/drafts/" (id) "/detail" } { (w::BACK) }
        p { (w::SAFETY_NEXT) }
        button.btn.main type="submit" form="safety" { (w::MAKE) }
    };
    frame.around(&content, Some(&go))
}

fn crowd(job: &Job) -> Markup {
    let k = asked_for(job);
    let is_other = k.is_some_and(|k| w::CROWDS.iter().all(|(known, _)| *known != k));
    html! {
        fieldset.q {
            legend { (w::CROWD) }
            p { (w::CROWD_WHY) }
            div.picks {
                @for (crowd, text) in &w::CROWDS { (parts::pick("k", &crowd.to_string(), k == Some(*crowd), &w::one_in(*crowd), text)) }
                div.pick.with-input {
                    input type="radio" name="k" value="other" id="k-other" checked[is_other];
                    label for="k-other" { b { (w::CROWD_OTHER) } }
                    input.text type="number" name="other-k" min="2" step="1" aria-label=(w::CROWD) value=[k.map(|k| k.to_string())];
                }
            }
            p.gloss { (w::CROWD_TERM) }
        }
    }
}

fn secret(at: usize, name: &str, job: &Job) -> Markup {
    let all: Vec<_> = job.privacy.require.iter().filter(|one| one.column.as_deref() == Some(name)).collect();
    let chosen = match all.as_slice() {
        [] => "0".to_owned(),
        [one] if one.model == "distinct-l" && one.shield.is_none() => {
            one.parameters.get("l").map(ToString::to_string).unwrap_or_default()
        }
        [one] if one.model == "t-closeness" && one.shield.is_none() && one.parameters.len() == 1 => {
            "t".to_owned()
        }
        _ => "kept".to_owned(),
    };
    let is_known = w::SECRETS.iter().any(|(value, _)| *value == chosen);
    let chosen = if is_known { chosen.as_str() } else { "kept" };
    let mut answers = w::SECRETS.to_vec();
    if chosen == "kept" {
        answers.push(("kept", w::SECRET_KEPT));
    }
    html! {
        fieldset.q {
            legend { (w::learn(name)) }
            p { (w::SECRET_WHY) }
            (parts::answers(&format!("secret-{at}"), &w::learn(name), chosen, &answers))
            p.gloss { (w::SECRET_TERM) }
        }
    }
}

/// Whether others could know that a person is in the table.
fn member(job: &Job, tables: &[String]) -> Markup {
    let (chosen, register) = match Membership::from_job(job) {
        Membership::Known => ("known", None),
        Membership::Register(file) => ("register", Some(file)),
        Membership::Secret(file) => ("secret", Some(file)),
        Membership::Kept => ("kept", None),
    };
    html! {
        fieldset.q {
            legend { (w::MEMBER) }
            p { (w::MEMBER_WHY) }
            div.picks {
                @for (value, title, text) in &w::MEMBERS { (parts::pick("member", value, *value == chosen, title, text)) }
                @if chosen == "kept" { (parts::pick("member", "kept", true, w::MEMBER_KEPT, "")) }
            }
            label.field.gap { span { (w::REGISTER) } select name="register" {
                @for table in tables { option value=(table) selected[register.as_ref() == Some(table)] { (table) } }
            } }
            p.gloss { (w::MEMBER_TERM) }
        }
    }
}

/// What those are alike in who make up a crowd.
fn alike(job: &Job) -> Markup {
    let chosen = job.privacy.notion.name();
    let is_known = w::ALIKES.iter().any(|(value, ..)| *value == chosen);
    html! {
        fieldset.q {
            legend { (w::ALIKE) }
            p { (w::ALIKE_WHY) }
            div.picks {
                @for (value, title, text) in &w::ALIKES { (parts::pick("alike", value, *value == chosen, title, text)) }
                @if !is_known { (parts::pick("alike", "kept", true, w::ALIKE_KEPT, "")) }
            }
            p.gloss { (w::ALIKE_TERM) }
        }
    }
}

fn left_out(job: &Job) -> Markup {
    let share = match job.privacy.suppression {
        Suppression::Share(share) => format!("{}", (10_000.0 * share).round() / 100.0),
        Suppression::Rows(0) => "0".to_owned(),
        Suppression::Rows(_) => "kept".to_owned(),
    };
    let is_known = w::SHARES.iter().any(|(value, _)| *value == share);
    let chosen = if is_known { share.as_str() } else { "kept" };
    let mut answers = w::SHARES.to_vec();
    if chosen == "kept" {
        answers.push(("kept", w::SHARE_KEPT));
    }
    html! {
        fieldset.q {
            legend { (w::LEFT_OUT) }
            p { (w::LEFT_OUT_WHY) }
            (parts::answers("suppression", w::LEFT_OUT, chosen, &answers))
        }
    }
}

/// Whether the next delivery of the table is to be made in the same way.
fn again(job: &Job) -> Markup {
    let chosen = if job.output.recoding.is_some() { "yes" } else { "no" };
    html! {
        fieldset.q {
            legend { (w::LATER) }
            p { (w::LATER_WHY) }
            (parts::answers("again", w::LATER, chosen, &w::LATER_ANSWERS))
            p.gloss { (w::LATER_TERM) }
        }
    }
}

fn stated(job: &Job) -> Markup {
    let field = |name: &str, label: &str, value: Option<&str>| {
        html! { label.field { span { (label) } input.text type="text" name=(name) maxlength="300" value=[value]; } }
    };
    html! {
        fieldset.q {
            legend { (w::STATED) }
            p { (w::STATED_WHY) }
            div.fields.gap {
                (field("recipient", w::RECIPIENT, job.release.recipient.as_deref()))
                (field("purpose", w::PURPOSE, job.release.purpose.as_deref()))
                (field("decided_by", w::DECIDED_BY, job.release.decided_by.as_deref()))
            }
        }
    }
}

/// A point of the front: its crowd, and the share of the detail that it keeps.
fn points(front: &FrontierSummary) -> Vec<(u64, f64)> {
    let kept = |values: &serde_json::Map<String, serde_json::Value>| Some(1.0 - values.get("lm")?.as_f64()?);
    let all = front.front.iter().filter_map(|point| Some((point.k, kept(&point.values)?)));
    let mut points: Vec<(u64, f64)> = all.filter(|(k, _)| *k >= 2).collect();
    points.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    points.dedup_by_key(|(k, _)| *k);
    points
}

fn picture(id: &str, front: &Stage<FrontierSummary>, chosen: Option<u64>) -> Markup {
    let points = if let Stage::Done(front) = front { points(front) } else { Vec::new() };
    html! {
        section.card id="front" aria-labelledby="h-front" {
            h2 id="h-front" { (w::FRONT) }
            p.small.dim { (w::FRONT_WHY) }
            @if let Stage::Busy = front { (parts::waiting(&format!("/drafts/{id}/frontier/ready"), &format!("/drafts/{id}/safety"))) }
            @if let Stage::Failed(failure) = front { (parts::failure(failure)) }
            @if !points.is_empty() {
                figure.plot data-points data-chooses="front-k" data-chosen=[chosen] {
                    (PreEscaped(drawn(&points)))
                    p.small.pointed data-pointed { (w::POINT) }
                }
                p.small.dim { (w::FRONT_NOTE) }
                ul.plain.choices { @for (k, kept) in sampled(&points) { li {
                    button.btn type="submit" form="safety" name="front-k" value=(k) { (w::kept_at(k, kept)) }
                } } }
            }
            form method="post" action={ "/drafts/" (id) "/frontier" } { button.btn type="submit" { (w::FRONT_BUTTON) } }
        }
    }
}

/// Some points from the first to the last, where they are many.
fn sampled(points: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let last = points.len() - 1;
    let wanted = MOST_CHOICES.min(points.len());
    let mut places: Vec<usize> = (0..wanted).map(|at| at * last / (wanted - 1).max(1)).collect();
    places.dedup();
    places.into_iter().map(|at| points[at]).collect()
}

fn drawn(points: &[(u64, f64)]) -> String {
    let places: Vec<(f64, f64)> = points.iter().map(|(k, kept)| (*k as f64, 100.0 * kept)).collect();
    let mark = |(k, kept): &(u64, f64)| Mark { id: k.to_string(), title: w::kept_at(*k, *kept) };
    Plot {
        title: w::FRONT.to_owned(),
        x_label: w::FRONT_X.to_owned(),
        y_label: w::FRONT_Y.to_owned(),
        log_x: true,
        log_y: false,
        series: vec![
            Series { points: places.clone(), ..Series::default() },
            Series { points: places, marks: points.iter().map(mark).collect(), ..Series::default() },
        ],
    }
    .inline()
}

fn asked(id: &str, job: &Job, profile: &Profile) -> Markup {
    let most = job.privacy.suppression.max_rows(profile.rows);
    html! {
        section.card.sum id="asked" {
            p { b { (w::ASKED) } }
            ul.plain {
                @if let Some(k) = asked_for(job) { li { (w::asked_crowd(k, job.person().is_some())) } }
                @if !job.privacy.require.is_empty() { li { (w::asked_more(job.privacy.require.len())) } }
                li { (w::asked_left_out(most, profile.rows)) }
            }
            p.small { a href={ "/drafts/" (id) "/job" } { (w::SHOW_JOB) } }
        }
    }
}
