//! What is kept on disk about drafts and runs, so that a restart finds it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use throng_engine::input::dialect::DialectOverrides;

use crate::failure::{Answer, Failure};
use crate::folder::write_whole;

/// A table with what was decided about it. Its job, its hierarchies and its profile are files beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Draft {
    /// The table's file.
    pub(crate) table: PathBuf,
    /// What it is called on the page.
    pub(crate) name: String,
    /// How it is spelled, where that should not be guessed.
    #[serde(default)]
    pub(crate) csv: DialectOverrides,
    pub(crate) created: String,
}

impl Draft {
    pub(crate) const FILE: &str = "draft.json";
    /// What the table is.
    pub(crate) const PROFILE: &str = "profile.json";
    /// Why it could not be looked at.
    pub(crate) const FAILURE: &str = "failure.json";
    pub(crate) const JOB: &str = "job.toml";
    /// What each crowd costs at least.
    pub(crate) const FRONT: &str = "frontier.json";
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// Others are before it.
    Queued,
    /// It is being made.
    Running,
    /// There is a release.
    Released,
    /// There is none that satisfies the job.
    Infeasible,
    /// It could not be made.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// The server ended before it was through.
    Interrupted,
}

impl State {
    pub(crate) fn is_over(self) -> bool {
        !matches!(self, State::Queued | State::Running)
    }
}

/// What the report says first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    /// `green`, `amber` or `red`.
    pub(crate) colour: String,
    /// The verdict and what needs judgement, as HTML that the report wrote.
    pub(crate) banner: String,
}

/// A run. Its job, its summary, its release and its report are files beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) state: State,
    pub(crate) name: String,
    pub(crate) table: PathBuf,
    pub(crate) created: String,
    /// The name of the released file.
    pub(crate) release: String,
    #[serde(default)]
    pub(crate) failure: Option<Failure>,
    /// What the report says first.
    #[serde(default)]
    pub(crate) judgement: Option<Judgement>,
    /// Why there is no report.
    #[serde(default)]
    pub(crate) unreported: Option<Failure>,
}

impl Run {
    pub(crate) const FILE: &str = "run.json";
    pub(crate) const JOB: &str = "job.toml";
    pub(crate) const SUMMARY: &str = "summary.json";
    pub(crate) const REPORT: &str = "report.html";
    pub(crate) const RECODING: &str = "recoding.json";
    /// What the table and the release are like, as `throng check` tells it.
    pub(crate) const BEFORE: &str = "before.json";
    pub(crate) const AFTER: &str = "after.json";
    /// What an attack found.
    pub(crate) const ATTACK: &str = "attack.json";
    /// What classifiers learned.
    pub(crate) const LEARNED: &str = "learned.json";
    /// The crowds of the release, or some of them.
    pub(crate) const CROWDS: &str = "crowds.json";
    /// What each column keeps at each level.
    pub(crate) const KEPT: &str = "kept.json";
    /// What each column costs.
    pub(crate) const COSTS: &str = "costs.json";
}

/// Reads what was kept; nothing of what is not there, or was written by another version.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

pub(crate) fn write<T: Serialize>(path: &Path, what: &T) -> Answer<()> {
    let text = serde_json::to_vec_pretty(what).map_err(std::io::Error::other)?;
    Ok(write_whole(path, &text)?)
}

/// The time, to the second.
pub(crate) fn now() -> String {
    let now = jiff::Timestamp::now();
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Copies a hierarchy, so that what is changed later changes no earlier run.
pub(crate) fn copy(from: &Path, to: &Path) -> Answer<()> {
    Ok(write_whole(to, &fs::read(from)?)?)
}
