//! Drafts: a table, and what was decided about it so far. Each answer changes its job.

mod choose;
mod counted;
mod levels;
mod safety;
mod tree;

use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::response::Redirect;
use throng_engine::init::{InitOptions, init_profiled};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{Column, HierarchySpec, Job};
use throng_engine::profile::{Profile, ProfileOptions, profile};
use throng_engine::progress::Quiet;

use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::{Kind, safe_name};
use crate::store::{self, Draft, copy};
use crate::{jobs, words};

pub(crate) use choose::choose_roles;
pub(crate) use counted::Counts;
pub(crate) use levels::{Branch, ColumnLevels, change, look_at, quasi};
pub(crate) use safety::{Membership, choose_safety, crowd, secrets};
pub(crate) use tree::can_undo;

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
        app.may_read(&draft.table).then_some((place, draft))
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
    let found = found.await?;
    // From here on the page shows it.
    store::write(&place.join(Draft::PROFILE), &found)?;
    if suggest {
        let options = InitOptions {
            job: Some(place.join(Draft::JOB)),
            csv: draft.csv,
            force: true,
            ..InitOptions::default()
        };
        let made = app
            .engine
            .look(move || async move { init_profiled(&draft.table, &options, found, &Quiet).await });
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
