//! The native half of the package `throng` for Python: jobs as text, tables as Arrow, summaries as JSON.
//!
//! * `table`: batches from and for whatever speaks Arrow's PyCapsule interface
//! * `run`: work beside the interpreter: signals, progress, threads
//! * `error`: errors of the engine as exceptions
//! * `job`: a job from text, with tables of this process in the place of names
//! * `ask`: one function for each question

mod ask;
mod error;
mod job;
mod run;
mod table;

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// The package's native half; use `throng`.
#[pymodule]
mod _throng {
    use super::*;

    #[pymodule_export]
    use super::table::Table;

    #[pymodule_export]
    use super::ask::{
        Found, anonymize, apply, attack, check, compare, evaluate, frontier, init, profile, report_page,
        save, sql,
    };

    #[pymodule_export]
    use super::job::{build_hierarchy, read_hierarchy, read_job, registry, rows_of_hierarchy, write_job};

    /// What this build has of what can be left out: `s3`, `cluster`.
    #[pyfunction]
    fn features() -> Vec<&'static str> {
        let all = [("s3", cfg!(feature = "s3")), ("cluster", cfg!(feature = "cluster"))];
        all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }

    /// Runs the command with these arguments, the first of which is its name; the exit code.
    #[pyfunction]
    fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| {
            let ended = throng_cli::main_with(arguments);
            // A code cannot be asked for its number.
            (0..=u8::MAX).find(|&code| ExitCode::from(code) == ended).unwrap_or(1)
        })
    }
}
