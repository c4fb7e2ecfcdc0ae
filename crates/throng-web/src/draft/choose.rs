//! What is chosen on the pages about the table, its columns and its safety.

use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect};
use throng::taxonomy::to_text;
use throng_engine::frontier::{FrontierOptions, frontier as find_frontier};
use throng_engine::init::build_hierarchy;
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{Column, HierarchySpec, Job, NO_PERSON, Require, Role, Suppression, TypedText};
use throng_engine::plan::{OpenJob, validate};
use throng_engine::progress::Quiet;

use super::{Looked, Said, look, said};
use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::{safe_name, write_whole};
use crate::guard::Visitor;
use crate::store::{self, Draft};
use crate::{jobs, pages, words};

/// Levels between the values and `*` of a hierarchy that is suggested.
const LEVELS: usize = 5;

/// How long it is searched for the front.
const FRONT_TIME: Duration = Duration::from_secs(20);

/// How the table is spelled; it is looked at again, and roles are suggested anew.
pub(crate) async fn set_table(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Form(form): Form<Said>,
) -> Answer {
    let Looked { place, draft, is_busy, .. } = Looked::at(&app, &id)?;
    if is_busy {
        return Err(Failure::bad(words::STILL_LOOKING));
    }
    let one = |name: &str| said(&form, name).filter(|text| !text.is_empty());
    let character =
        |name: &str| one(name).and_then(|text| if text == "tab" { Some('\t') } else { text.chars().next() });
    let csv = DialectOverrides {
        delimiter: character("delimiter"),
        decimal: character("decimal"),
        header: one("header").map(|text| text == "yes"),
        encoding: one("encoding").map(str::to_owned),
        ..draft.csv.clone()
    };
    store::write(&place.join(Draft::FILE), &Draft { csv, ..draft })?;
    let _ = std::fs::remove_file(place.join(Draft::PROFILE));
    look(&app, &id, place, true);
    Ok(Redirect::to(&format!("/drafts/{id}/table")).into_response())
}

/// What the columns are.
pub(crate) async fn set_columns(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Form(form): Form<Said>,
) -> Answer {
    let _alone = app.changes.lock().await;
    let looked = Looked::at(&app, &id)?;
    let Some((profile, job)) = looked.decided() else { return Ok(looked.waits().into_response()) };
    let names: Vec<String> = profile.columns.iter().map(|column| column.name.clone()).collect();
    let mut job = job.clone();
    match choose_roles(&app, &looked, &mut job, &names, &form).await {
        Ok(()) => {
            jobs::write(&looked.place.join(Draft::JOB), &job)?;
            Ok(next(&form, &id, "columns", "detail"))
        }
        Err(failure) => {
            let page = pages::columns(&visitor, &looked, profile, &job, Some(&failure));
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
    }
}

/// Stays where a script saves a form, else goes on.
pub(super) fn next(form: &Said, id: &str, here: &str, there: &str) -> axum::response::Response {
    match said(form, "then") {
        Some("stay") => StatusCode::NO_CONTENT.into_response(),
        Some("here") => Redirect::to(&format!("/drafts/{id}/{here}")).into_response(),
        _ => Redirect::to(&format!("/drafts/{id}/{there}")).into_response(),
    }
}

async fn choose_roles(
    app: &Arc<App>,
    looked: &Looked,
    job: &mut Job,
    names: &[String],
    form: &Said,
) -> Answer<()> {
    for (at, name) in names.iter().enumerate() {
        let Some(role) = said(form, &format!("role-{at}")) else { continue };
        let role: Role = role.parse()?;
        let known = job.columns.get(name).filter(|known| known.role == role).cloned();
        let is_new = known.is_none();
        let mut column = known.unwrap_or_else(|| Column::new(role));
        let keeps = said(form, &format!("text-{at}")).is_some();
        let is_kept = matches!(role, Role::Sensitive | Role::Target | Role::Other);
        column.text = (keeps && is_kept).then_some(TypedText::Keep);
        if role == Role::Quasi && is_new {
            column.hierarchy = suggest_hierarchy(app, looked, name, at).await?;
        }
        job.columns.set(name.clone(), column);
    }
    if let Some(person) = said(form, "person") {
        job.privacy.person = match person {
            "" => None,
            NO_PERSON => Some(NO_PERSON.to_owned()),
            name => Some(name.to_owned()),
        };
    }
    forget_requirements(job);
    OpenJob::without_output(job)?;
    Ok(())
}

/// The hierarchy that would be suggested for a column; none if none can be built.
async fn suggest_hierarchy(
    app: &Arc<App>,
    looked: &Looked,
    name: &str,
    at: usize,
) -> Answer<Option<HierarchySpec>> {
    let Draft { table, csv, .. } = looked.draft.clone();
    let built = app
        .engine
        .look(move || async move { build_hierarchy(&Source::open(&table, &csv)?, at, LEVELS, &Quiet).await });
    let Ok(taxonomy) = built.await else { return Ok(None) };
    let place = looked.place.join("hierarchies");
    std::fs::create_dir_all(&place)?;
    let told = safe_name(&format!("{name}.csv")).unwrap_or_else(|| "column.csv".to_owned());
    let file = place.join(format!("new-{:02}-{told}", at + 1));
    write_whole(&file, to_text(&taxonomy).as_bytes())?;
    Ok(Some(HierarchySpec::File(file.into())))
}

/// Requirements of columns that are not what they were.
fn forget_requirements(job: &mut Job) {
    let columns = &job.columns;
    let has_role = |name: &str, role: Role| columns.get(name).is_some_and(|column| column.role == role);
    job.privacy.require.retain(|require| {
        let column = require.column.as_ref().is_none_or(|name| has_role(name, Role::Sensitive));
        column && require.shield.iter().flatten().all(|name| has_role(name, Role::Quasi))
    });
}

/// What must hold.
pub(crate) async fn set_safety(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Form(form): Form<Said>,
) -> Answer {
    let _alone = app.changes.lock().await;
    let looked = Looked::at(&app, &id)?;
    let Some((profile, job)) = looked.decided() else { return Ok(looked.waits().into_response()) };
    let mut changed = job.clone();
    let chosen = choose_safety(&mut changed, &form).and_then(|()| Ok(validate(&changed).map(drop)?));
    match chosen {
        Ok(()) => {
            jobs::write(&looked.place.join(Draft::JOB), &changed)?;
            if said(&form, "front-k").is_some() {
                return Ok(Redirect::to(&format!("/drafts/{id}/safety")).into_response());
            }
            if said(&form, "then") == Some("run") {
                return crate::run::start(State(Arc::clone(&app)), Path(id)).await;
            }
            Ok(next(&form, &id, "safety", "safety"))
        }
        Err(failure) => {
            let page = pages::safety(&visitor, &looked, profile, job, Some(&failure));
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
    }
}

fn choose_safety(job: &mut Job, form: &Said) -> Answer<()> {
    if let Some(k) = said(form, "front-k").or(said(form, "k")) {
        let k = if k == "other" { said(form, "other-k").unwrap_or_default() } else { k };
        let k: u64 = k.trim().parse().map_err(|_| Failure::bad(words::BAD_K))?;
        if !(2..=1_000_000_000).contains(&k) {
            return Err(Failure::bad(words::BAD_K));
        }
        job.privacy.k = Some(k);
    }
    if let Some(share) = said(form, "suppression").filter(|share| *share != "kept") {
        let share: f64 = share.parse().map_err(|_| Failure::bad(words::BAD_SHARE))?;
        if !(0.0..=100.0).contains(&share) {
            return Err(Failure::bad(words::BAD_SHARE));
        }
        job.privacy.suppression = Suppression::Share(share / 100.0);
    }
    choose_secrets(job, form)?;
    let stated =
        |name: &str| said(form, name).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    if said(form, "recipient").is_some() {
        job.release.recipient = stated("recipient");
        job.release.purpose = stated("purpose");
        job.release.decided_by = stated("decided_by");
    }
    Ok(())
}

/// How mixed a crowd must be in each secret column.
fn choose_secrets(job: &mut Job, form: &Said) -> Answer<()> {
    for (at, name) in secrets(job).into_iter().enumerate() {
        let Some(mixed) = said(form, &format!("secret-{at}")) else { continue };
        // What a job says in another way stays.
        if mixed == "kept" {
            continue;
        }
        job.privacy.require.retain(|require| require.column.as_ref() != Some(&name));
        let spelled = match mixed {
            "2" | "3" | "4" => format!("distinct-l:l={mixed}"),
            "t" => "t-closeness:t=0.2".to_owned(),
            _ => continue,
        };
        let mut require: Require = spelled.parse()?;
        require.column = Some(name);
        job.privacy.require.push(require);
    }
    Ok(())
}

/// The columns that nobody should learn.
pub(crate) fn secrets(job: &Job) -> Vec<String> {
    let secret = job.columns.named().filter(|(_, column)| column.role == Role::Sensitive);
    secret.map(|(name, _)| name.to_owned()).collect()
}

/// Finds what each crowd costs at least.
pub(crate) async fn frontier(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let looked = Looked::at(&app, &id)?;
    let Some((_, job)) = looked.decided() else { return Ok(looked.waits().into_response()) };
    let job = job.clone();
    let found = app.engine.look(move || async move {
        let options = FrontierOptions {
            objectives: vec!["k".to_owned(), "lm".to_owned()],
            time_limit: Some(FRONT_TIME),
            seed: job.search.seed,
            ..FrontierOptions::default()
        };
        find_frontier(&job, &options, &Quiet).await
    });
    store::write(&looked.place.join(Draft::FRONT), &found.await?)?;
    Ok(Redirect::to(&format!("/drafts/{id}/safety#front")).into_response())
}
