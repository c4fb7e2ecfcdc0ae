//! Answers of forms about columns and safety, as they change the job.

use std::sync::Arc;

use throng::taxonomy::to_text;
use throng_engine::init::build_hierarchy;
use throng_engine::input::source::Source;
use throng_engine::job::{Column, HierarchySpec, Job, NO_PERSON, Require, Role, Suppression, TypedText};
use throng_engine::plan::OpenJob;
use throng_engine::progress::Quiet;

use super::{Looked, Said, said};
use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::{safe_name, write_whole};
use crate::store::Draft;
use crate::words;

/// Levels between the values and `*` of a hierarchy that is suggested.
const LEVELS: usize = 5;

/// The roles, and who a row is.
pub(crate) async fn choose_roles(
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

/// What must hold, and who receives it.
pub(crate) fn choose_safety(job: &mut Job, form: &Said) -> Answer<()> {
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
