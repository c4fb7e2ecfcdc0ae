//! Runs: made one after the other, found again, and marked where the server ended before they were through.

mod crowds;
mod losses;
mod make;

use std::path::PathBuf;

use crate::app::App;
use crate::failure::{Answer, Failure};
use crate::folder::Kind;
use crate::store::{self, Run, State as Stage};
use crate::words;

pub(crate) use crowds::{Crowd, Crowds};
pub(crate) use losses::KeptByLevel;
pub(crate) use make::{command, prepare, work};

/// The folder of a run, and what is kept about it.
pub(crate) fn find(app: &App, id: &str) -> Answer<(PathBuf, Run)> {
    let found = app.folder.find(Kind::Runs, id).and_then(|place| {
        let run = store::read(&place.join(Run::FILE))?;
        Some((place, run))
    });
    found.ok_or_else(|| Failure::not_there(words::NO_SUCH_RUN))
}

/// All runs, the newest first.
pub(crate) fn all(app: &App) -> Vec<(String, Run)> {
    let runs = app.folder.entries(Kind::Runs).into_iter();
    let mut runs: Vec<(String, Run)> =
        runs.filter_map(|id| find(app, &id).ok().map(|(_, run)| (id, run))).collect();
    runs.sort_by(|(a, one), (b, other)| (&other.created, b).cmp(&(&one.created, a)));
    runs
}

/// What was running when the server ended will not be through by itself.
pub(crate) fn mark_interrupted(app: &App) {
    for (id, run) in all(app) {
        if !run.state.is_over()
            && let Some(place) = app.folder.find(Kind::Runs, &id)
        {
            let _ = store::write(&place.join(Run::FILE), &Run { state: Stage::Interrupted, ..run });
            remove_begun(&place);
        }
    }
}

/// Removes a release that was not yet verified.
fn remove_begun(place: &std::path::Path) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(".throng-") {
            let path = entry.path();
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
    }
}

/// The folder of a run that has a release.
pub(crate) fn released(app: &App, id: &str) -> Answer<(PathBuf, Run)> {
    let (place, run) = find(app, id)?;
    if run.state == Stage::Released {
        Ok((place, run))
    } else {
        Err(Failure::not_there(words::NO_RELEASE_HERE))
    }
}
