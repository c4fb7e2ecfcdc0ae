//! Jobs as keywords say them: JSON with the keys of a job file, in which tables of this process have names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use throng_engine::address::Address;
use throng_engine::batches::MemoryTable;
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{HierarchyFile, HierarchySpec, Job};

use crate::error::raise;
use crate::table::Table;

/// Tables of this process, by the names that jobs have for them.
pub(crate) type Frames = HashMap<String, MemoryTable>;

/// The tables that Python gave.
pub(crate) fn frames(given: HashMap<String, Bound<'_, Table>>) -> Frames {
    given.into_iter().map(|(name, table)| (name, table.get().table.clone())).collect()
}

/// What a name means: a table of this process, or what a job file would mean by it.
pub(crate) fn address(name: &str, frames: &Frames) -> Address {
    frames.get(name).map_or_else(|| Address::from_path(name), |table| table.clone().into())
}

/// The job that JSON says, in the words of a job file.
pub(crate) fn parse(job: &str, frames: &Frames) -> Result<Job> {
    let job: Value = serde_json::from_str(job)
        .map_err(|error| EngineError::bad(format!("cannot read the job: {error}")))?;
    let text = as_toml(&job)?;
    let mut job = Job::parse(&text, Path::new(""))?;
    place(&mut job, frames);
    Ok(job)
}

fn as_toml(job: &Value) -> Result<String> {
    let bad = |error: toml::ser::Error| EngineError::bad(format!("cannot write the job: {error}"));
    toml::to_string(job).map_err(bad)
}

/// Puts tables of this process where the job has their names.
fn place(job: &mut Job, frames: &Frames) {
    for address in std::iter::once(&mut job.input).chain(&mut job.output.path) {
        if let Some(table) = named(address, frames) {
            *address = table.into();
        }
    }
    for hierarchy in job.columns.hierarchies_mut() {
        if let HierarchySpec::File(file) = hierarchy
            && let Some(table) = named(&file.path, frames)
        {
            *file = HierarchyFile::of_memory(table);
        }
    }
    for require in &mut job.privacy.require {
        if let Some(table) = require.population().and_then(|population| named(&population, frames)) {
            *require = require.clone().with_population(table);
        }
    }
}

fn named(path: &Path, frames: &Frames) -> Option<MemoryTable> {
    frames.get(path.to_str()?).cloned()
}

/// Reads a job file: its keys as JSON, its paths from here.
#[pyfunction]
pub(crate) fn read_job(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let read = || -> Result<String> { Ok(json!(Job::read(&path)?).to_string()) };
    py.detach(read).map_err(|error| raise(py, error))
}

/// The text of a job file that says the same as JSON; refuses what no job file can say.
#[pyfunction]
pub(crate) fn write_job(py: Python<'_>, job: &str) -> PyResult<String> {
    parse(job, &Frames::new()).and_then(|job| job.to_toml()).map_err(|error| raise(py, error))
}

/// The rows of a hierarchy file: the value and its label on each level.
#[pyfunction]
pub(crate) fn read_hierarchy(py: Python<'_>, path: PathBuf) -> PyResult<Vec<Vec<String>>> {
    build(HierarchySpec::File(path.into()), &[]).map_err(|error| raise(py, error))
}

/// The rows of a hierarchy that is a table.
#[pyfunction]
pub(crate) fn rows_of_hierarchy(py: Python<'_>, table: &Bound<'_, Table>) -> PyResult<Vec<Vec<String>>> {
    let file = HierarchyFile::of_memory(table.get().table.clone());
    build(HierarchySpec::File(file), &[]).map_err(|error| raise(py, error))
}

/// The rows of the hierarchy that a builder makes of values.
#[pyfunction]
pub(crate) fn build_hierarchy(
    py: Python<'_>,
    builder: &str,
    values: Vec<String>,
) -> PyResult<Vec<Vec<String>>> {
    let spec = serde_json::from_str::<HierarchySpec>(builder);
    let spec = spec.map_err(|error| EngineError::bad(error.to_string()));
    spec.and_then(|spec| build(spec, &values)).map_err(|error| raise(py, error))
}

fn build(spec: HierarchySpec, values: &[String]) -> Result<Vec<Vec<String>>> {
    let taxonomy = spec.build("", values)?;
    Ok(taxonomy.to_rows().into_iter().map(|row| row.into_iter().map(str::to_owned).collect()).collect())
}

/// The names of all algorithms with their settings, models with their parameters, and measures.
#[pyfunction]
pub(crate) fn registry() -> String {
    let algorithms: Map<String, Value> = throng::algorithm::registry()
        .iter()
        .map(|entry| (entry.name.to_owned(), json!(entry.summary)))
        .collect();
    let models: Map<String, Value> = throng::privacy::registry()
        .iter()
        .map(|entry| {
            let names: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
            (entry.name.to_owned(), json!(names))
        })
        .collect();
    let measures: Vec<&str> = throng::loss::measures().iter().map(|measure| measure.name()).collect();
    let settings: Vec<&str> = throng::algorithm::Setting::all().iter().map(|setting| setting.name).collect();
    json!({ "algorithms": algorithms, "models": models, "measures": measures, "settings": settings })
        .to_string()
}
