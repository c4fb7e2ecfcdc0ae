//! Answers about columns, as they change the job.

use std::sync::Arc;

use throng::taxonomy::to_text;
use throng_engine::init::build_hierarchy_profiled;
use throng_engine::input::source::Source;
use throng_engine::job::{Column, HierarchySpec, Job, NO_PERSON, Pseudonym, Role, TypedText};
use throng_engine::plan::OpenJob;
use throng_engine::progress::Quiet;

use super::{Looked, Said, said};
use crate::app::App;
use crate::failure::Answer;
use crate::folder::{safe_name, write_whole};
use crate::store::Draft;

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
        // Without a key the form does not ask, and what a job says stays.
        if app.key.is_some() && role == Role::Identifier {
            column.pseudonym = said(form, &format!("code-{at}")).map(|_| Pseudonym::Keyed);
        }
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
    let Some(profile) = looked.profile.clone() else { return Ok(None) };
    let built = app.engine.look(move || async move {
        build_hierarchy_profiled(&Source::open(&table, &csv)?, profile, at, LEVELS, &Quiet).await
    });
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
