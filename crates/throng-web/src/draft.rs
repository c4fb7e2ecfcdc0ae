//! Drafts: a table, and what was decided about it so far. Every page of one changes its job.

mod choose;
mod levels;
mod tree;

use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::Form;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect};
use throng_engine::init::{InitOptions, init};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{Column, HierarchySpec, Job};
use throng_engine::profile::{Profile, ProfileOptions, profile};
use throng_engine::progress::Quiet;

use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::{Kind, safe_name};
use crate::guard::Visitor;
use crate::run::copy;
use crate::store::{self, Draft};
use crate::{jobs, pages, words};

pub(crate) use choose::{frontier, secrets, set_columns, set_safety, set_table};
pub(crate) use levels::{Branch, ColumnLevels, detail, set_detail};

/// What a form says, in its order.
pub(crate) type Said = Vec<(String, String)>;

/// What a form says about one thing.
pub(crate) fn said<'f>(form: &'f Said, name: &str) -> Option<&'f str> {
    form.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The folder of a draft, and what is kept about it.
pub(crate) fn find(app: &App, id: &str) -> Answer<(PathBuf, Draft)> {
    let found = app.folder.find(Kind::Drafts, id).and_then(|place| {
        let draft: Draft = store::read(&place.join(Draft::FILE))?;
        // Somebody may have put a link in its place since.
        app.folder.contains(&draft.table).then_some((place, draft))
    });
    found.ok_or_else(|| Failure::not_there(words::NO_SUCH_DRAFT))
}

/// All drafts, the newest first.
pub(crate) fn all(app: &App) -> Vec<(String, Draft)> {
    let drafts = app.folder.entries(Kind::Drafts).into_iter();
    let mut drafts: Vec<(String, Draft)> =
        drafts.filter_map(|id| find(app, &id).ok().map(|(_, draft)| (id, draft))).collect();
    drafts.sort_by(|(a, one), (b, other)| (&other.created, b).cmp(&(&one.created, a)));
    drafts
}

/// Begins a draft about a table of the folder.
pub(crate) async fn create(State(app): State<Arc<App>>, Form(form): Form<Said>) -> Answer {
    let name = said(&form, "table").unwrap_or_default();
    let table = app.folder.resolve(name).ok_or_else(|| Failure::not_there(words::NO_SUCH_TABLE))?;
    let id = begin(&app, &table, name, DialectOverrides::default())?;
    Ok(Redirect::to(&format!("/drafts/{id}/table")).into_response())
}

/// Begins a draft, and looks at its table.
pub(crate) fn begin(app: &Arc<App>, table: &FilePath, name: &str, csv: DialectOverrides) -> Answer<String> {
    let (id, place) = app.folder.create(Kind::Drafts)?;
    let draft = Draft { table: table.to_owned(), name: name.to_owned(), csv, created: store::now() };
    store::write(&place.join(Draft::FILE), &draft)?;
    look(app, &id, place, true);
    Ok(id)
}

/// Profiles a draft's table, and suggests a job if that is wanted; pages ask whether it is done.
pub(crate) fn look(app: &Arc<App>, id: &str, place: PathBuf, suggest: bool) {
    let Ok((_, draft)) = find(app, id) else { return };
    if !app.begin(place.clone()) {
        return;
    }
    let app = Arc::clone(app);
    tokio::spawn(async move {
        let _ = fs::remove_file(place.join(Draft::FAILURE));
        if let Err(failure) = look_now(&app, &place, draft, suggest).await {
            let _ = store::write(&place.join(Draft::FAILURE), &failure);
        }
        app.end(&place);
    });
}

async fn look_now(app: &Arc<App>, place: &FilePath, draft: Draft, suggest: bool) -> Answer<()> {
    let Draft { table, csv, .. } = draft.clone();
    let found = app.engine.look(move || async move {
        let source = Source::open(&table, &csv)?;
        source.refuse_doubt()?;
        profile(&source, &ProfileOptions::default(), &Quiet).await
    });
    store::write(&place.join(Draft::PROFILE), &found.await?)?;
    if suggest {
        let options = InitOptions {
            job: Some(place.join(Draft::JOB)),
            csv: draft.csv,
            force: true,
            ..InitOptions::default()
        };
        let made = app.engine.look(move || async move { init(&draft.table, &options, &Quiet).await });
        made.await?;
    }
    Ok(())
}

/// Writes a job into a folder, with copies of its hierarchies: what is changed later changes nothing else.
pub(crate) fn keep_job(folder: &FilePath, job: &Job) -> Answer<()> {
    let mut job = job.clone();
    let place = folder.join("hierarchies");
    fs::create_dir_all(&place)?;
    let named: Vec<(String, Column)> =
        job.columns.named().map(|(name, column)| (name.to_owned(), column.clone())).collect();
    for (number, (name, mut column)) in named.into_iter().enumerate() {
        let Some(HierarchySpec::File(file)) = &mut column.hierarchy else { continue };
        let told = safe_name(&format!("{name}.csv")).unwrap_or_else(|| "column.csv".to_owned());
        let copied = format!("{:02}-{told}", number + 1);
        copy(file, &place.join(&copied))?;
        file.path = PathBuf::from("hierarchies").join(copied);
        job.columns.set(name, column);
    }
    jobs::write(&folder.join(Draft::JOB), &job)
}

/// What pages need of a draft.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) id: String,
    pub(crate) place: PathBuf,
    pub(crate) draft: Draft,
    pub(crate) profile: Option<Profile>,
    pub(crate) job: Option<Job>,
    pub(crate) failure: Option<Failure>,
    pub(crate) is_busy: bool,
}

impl Looked {
    pub(crate) fn at(app: &App, id: &str) -> Answer<Looked> {
        let (place, draft) = find(app, id)?;
        let job = place.join(Draft::JOB);
        Ok(Looked {
            id: id.to_owned(),
            profile: store::read(&place.join(Draft::PROFILE)),
            job: job.exists().then(|| Job::read(&job)).transpose()?,
            failure: store::read(&place.join(Draft::FAILURE)),
            is_busy: app.is_busy(&place),
            place,
            draft,
        })
    }

    /// The profile and the job, where both are there.
    pub(crate) fn decided(&self) -> Option<(&Profile, &Job)> {
        self.profile.as_ref().zip(self.job.as_ref()).filter(|_| !self.is_busy && self.failure.is_none())
    }

    /// Where a page is to go that cannot be shown yet.
    pub(crate) fn waits(&self) -> Redirect {
        Redirect::to(&format!("/drafts/{}/table", self.id))
    }
}

pub(crate) async fn open(Path(id): Path<String>) -> Redirect {
    Redirect::to(&format!("/drafts/{id}/table"))
}

/// Whether the table was looked at: asked by the page that waits.
pub(crate) async fn ready(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let looked = Looked::at(&app, &id)?;
    Ok(if looked.is_busy { StatusCode::ACCEPTED } else { StatusCode::OK }.into_response())
}

pub(crate) async fn table(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Answer {
    let mut looked = Looked::at(&app, &id)?;
    if looked.profile.is_none() && looked.failure.is_none() && !looked.is_busy {
        // The server ended while it looked.
        look(&app, &id, looked.place.clone(), looked.job.is_none());
        looked.is_busy = true;
    }
    let rows = match visitor.session.shows_originals && looked.profile.is_some() {
        true => first_rows(&app, &looked.draft).await.ok(),
        false => None,
    };
    Ok(pages::table(&visitor, &looked, rows).into_response())
}

/// The first rows of a table, for whoever turned the switch.
async fn first_rows(app: &Arc<App>, draft: &Draft) -> Answer<Vec<Vec<String>>> {
    let Draft { table, csv, .. } = draft.clone();
    Ok(app.engine.look(move || async move { pages::first_rows(&Source::open(&table, &csv)?).await }).await?)
}

pub(crate) async fn columns(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Answer {
    let looked = Looked::at(&app, &id)?;
    Ok(match looked.decided() {
        Some((profile, job)) => pages::columns(&visitor, &looked, profile, job, None).into_response(),
        None => looked.waits().into_response(),
    })
}

pub(crate) async fn safety(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Answer {
    let looked = Looked::at(&app, &id)?;
    Ok(match looked.decided() {
        Some((profile, job)) => pages::safety(&visitor, &looked, profile, job, None).into_response(),
        None => looked.waits().into_response(),
    })
}

/// The job as it stands.
pub(crate) async fn job(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let looked = Looked::at(&app, &id)?;
    let job = looked.job.ok_or_else(|| Failure::not_there(words::NO_SUCH_FILE))?;
    let kind = (axum::http::header::CONTENT_TYPE, "text/plain; charset=utf-8");
    Ok(([kind], jobs::text(&job)?).into_response())
}

pub(crate) async fn remove(State(app): State<Arc<App>>, Path(id): Path<String>) -> Answer {
    let (place, _) = find(&app, &id)?;
    if app.is_busy(&place) {
        return Err(Failure::bad(words::STILL_LOOKING));
    }
    app.folder.remove(Kind::Drafts, &id)?;
    Ok(Redirect::to("/").into_response())
}

/// Removes a table, and everything that was made of it.
pub(crate) async fn remove_table(State(app): State<Arc<App>>, Form(form): Form<Said>) -> Answer {
    let id = said(&form, "draft").unwrap_or_default();
    let (_, Draft { table, .. }) = find(&app, id)?;
    let runs = crate::run::all(&app);
    if runs.iter().any(|(_, run)| run.table == table && !run.state.is_over()) {
        return Err(Failure::bad(words::STOP_FIRST));
    }
    for (id, _) in runs.iter().filter(|(_, run)| run.table == table) {
        app.folder.remove(Kind::Runs, id)?;
    }
    for (id, _) in all(&app).iter().filter(|(_, draft)| draft.table == table) {
        app.folder.remove(Kind::Drafts, id)?;
    }
    fs::remove_file(&table)?;
    let sent = app.folder.place(Kind::Tables);
    if let Some(folder) = table.parent().filter(|folder| folder.parent() == Some(&sent)) {
        fs::remove_dir_all(folder)?;
    }
    Ok(Redirect::to("/").into_response())
}
