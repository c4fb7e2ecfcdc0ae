//! A directory of its own for each test, and jobs in it.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use throng_engine::error::{EngineError, Result};
use throng_engine::job::Job;
use throng_engine::pipeline::anonymize;
use throng_engine::progress::{Progress, Quiet};
use throng_engine::summary::Summary;

use crate::table::Table;

pub(crate) struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    /// A directory with the given files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Sandbox {
        let sandbox = Sandbox { dir: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(name, text)| fs::write(sandbox.path(name), text).unwrap());
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// A table of comma-separated text.
    pub(crate) fn table(&self, name: &str) -> Table {
        Table::parse(&self.text(name))
    }

    /// Names of all files, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn job(&self, text: &str) -> Job {
        Job::parse(text, self.dir.path()).unwrap()
    }

    /// Runs a job that must not fail.
    pub(crate) fn run(&self, job: &str) -> Summary {
        run(&self.job(job), &Quiet).unwrap()
    }

    /// Runs a job that must fail, and leave nothing behind.
    pub(crate) fn fail(&self, job: &str, progress: &dyn Progress) -> EngineError {
        let (job, before) = (self.job(job), self.names());
        let error = run(&job, progress).unwrap_err();
        assert_eq!(self.names(), before, "{error}");
        error
    }
}

/// Runs a job on two workers.
pub(crate) fn run(job: &Job, progress: &dyn Progress) -> Result<Summary> {
    run_on(2, job, progress)
}

/// Runs a job on so many workers.
pub(crate) fn run_on(workers: usize, job: &Job, progress: &dyn Progress) -> Result<Summary> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build();
    runtime.unwrap().block_on(anonymize(job, progress))
}
