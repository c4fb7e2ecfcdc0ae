//! One function for each question: a job or options as JSON, tables by name, the answer as JSON.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use throng::recoding::Recoding;
use throng_engine::address::Address;
use throng_engine::batches::MemoryTable;
use throng_engine::check::{self as checks, CheckedTable, Sampling, find_removals};
use throng_engine::compare::{self as compares, ComparisonPlan, Contender};
use throng_engine::error::{EngineError, Result};
use throng_engine::evaluate::{self as evaluates, ClassifierKind, EvaluateOptions, find_classifiers};
use throng_engine::frontier::{self as fronts, FrontierOptions, Method};
use throng_engine::init::{self as inits, InitOptions};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{Job, JobFlags, NO_PERSON, Require, Suppression, find_measure};
use throng_engine::pipeline;
use throng_engine::plan::OpenJob;
use throng_engine::policy::{self, Policy};
use throng_engine::profile::{self as profiles, ProfileOptions};
use throng_engine::pseudonym::PseudonymKey;
use throng_engine::reuse::{Delivery, SavedRecoding};
use throng_engine::sql::SqlTarget;
use throng_engine::summary::Summary;
use throng_engine::verify::attack::{self as attacks, KnownValues};
use throng_report::evidence::Evidence;
use throng_report::page;

use crate::job::{address, parse, tables};
use crate::run::{run, use_threads};
use crate::table::Table;

/// Tables that Python gives, by the names that jobs have for them.
type Given<'py> = HashMap<String, Bound<'py, Table>>;
/// A summary as JSON, and the release, if it is in memory.
type Released = (String, Option<Table>);

/// What a search found, so that it can be saved without another.
#[pyclass(frozen, module = "throng._throng")]
pub struct Found {
    recoding: Recoding,
}

/// Searches and releases; also what was found, if there is a release.
#[pyfunction]
#[pyo3(signature = (job, given, key = None, progress = None))]
pub(crate) fn anonymize(
    py: Python<'_>,
    job: String,
    given: Given<'_>,
    key: Option<Vec<u8>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, Option<Table>, Option<Found>)> {
    let tables = tables(given);
    let report = run(py, progress, move |runtime, watched| {
        let (job, key) = (parse(&job, &tables)?, find_key(key)?);
        use_threads(job.search.threads)?;
        let (report, found) = runtime.block_on(pipeline::anonymize_keeping(&job, key.as_ref(), watched))?;
        Ok((as_json(&report)?, release_of(&job), found))
    });
    report.map(|(report, table, found)| {
        (report, table.map(|table| Table { table }), found.map(|recoding| Found { recoding }))
    })
}

/// Releases once more what was found for a job, which now says where to save it.
#[pyfunction]
#[pyo3(signature = (job, given, found, key = None))]
pub(crate) fn save(
    py: Python<'_>,
    job: String,
    given: Given<'_>,
    found: &Bound<'_, Found>,
    key: Option<Vec<u8>>,
) -> PyResult<String> {
    let (tables, found) = (tables(given), found.get().recoding.clone());
    run(py, None, move |runtime, watched| {
        let (job, key) = (parse(&job, &tables)?, find_key(key)?);
        as_json(&runtime.block_on(pipeline::save_found(&job, &found, key.as_ref(), watched))?)
    })
}

/// Applies a recoding, which is text, to a delivery of its table.
#[pyfunction]
#[pyo3(signature = (recoding, input, output, given, options, key = None, progress = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords of Python")]
pub(crate) fn apply(
    py: Python<'_>,
    recoding: (String, PathBuf),
    input: String,
    output: String,
    given: Given<'_>,
    options: String,
    key: Option<Vec<u8>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Released> {
    let tables = tables(given);
    let report = run(py, progress, move |runtime, watched| {
        let options: Value = read(&options)?;
        let (text, place) = recoding;
        let saved = SavedRecoding::parse(text.as_bytes()).map_err(|error| error.in_file(&place))?;
        let flags = JobFlags {
            input: Some(PathBuf::from(&input)),
            output: Some(PathBuf::from(&output)),
            suppression: said::<Suppression>(&options, "suppression")?,
            unknown: said(&options, "unknown")?.unwrap_or_default(),
            ..JobFlags::default()
        };
        let mut job = saved.job(&place, Delivery { flags, ..Delivery::default() })?;
        job.input = address(&input, &tables);
        job.output.path = Some(address(&output, &tables));
        let key = find_key(key)?;
        let report = runtime.block_on(pipeline::apply(&job, &saved, key.as_ref(), watched))?;
        Ok((as_json(&report)?, release_of(&job)))
    });
    report.map(|(report, table)| (report, table.map(|table| Table { table })))
}

/// The largest k of a table, and who is at risk.
#[pyfunction]
#[pyo3(signature = (data, given, options, progress = None))]
pub(crate) fn check(
    py: Python<'_>,
    data: String,
    given: Given<'_>,
    options: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let options: Value = read(&options)?;
        let names = |key: &str| said::<Vec<String>>(&options, key).map(Option::unwrap_or_default);
        let (quasi, sensitive) = (names("quasi")?, names("sensitive")?);
        let person: Option<String> = said(&options, "person")?;
        let required: Vec<Require> = said(&options, "require")?.unwrap_or_default();
        let csv: DialectOverrides = said(&options, "csv")?.unwrap_or_default();
        let columns = required.iter().filter_map(|one| one.column.clone());
        let weight: Option<String> = said(&options, "sampling_weight")?;
        let named = person.clone().filter(|person| person != NO_PERSON).into_iter().chain(weight.clone());
        let beside: Vec<String> = sensitive.iter().cloned().chain(columns).chain(named).collect();
        let sampling = Sampling::from_flags(said(&options, "sampling_fraction")?, weight.as_deref())?;
        let policy = said::<String>(&options, "policy")?;
        let policy = policy.map(|name| policy::find(&name)).transpose()?;
        let subject =
            CheckedTable::of_table(&Default::default(), address(&data, &tables), &csv, &quasi, &beside)?;
        let subject = subject.with_sensitive(&sensitive, person.as_deref())?.with_required(required)?;
        let subject = subject.with_sampling(sampling).with_special_uniques(said(&options, "suda")?);
        let of_policy = policy.as_ref().and_then(Policy::least_rows);
        let threshold = said(&options, "k")?.or(of_policy).unwrap_or(5);
        let found = runtime.block_on(checks::check(&subject, threshold, watched))?;
        let mut answer = serde_json::to_value(&found).map_err(|_| unspeakable())?;
        answer["policy"] = Value::Null;
        let Some(policy) = policy else { return as_json(&answer) };
        let findings = runtime.block_on(find_removals(&subject, &policy, watched))?;
        answer["policy"] = json!(policy.judge(&found, findings));
        as_json(&answer)
    })
}

/// What the columns of a table are.
#[pyfunction]
#[pyo3(signature = (data, given, options, progress = None))]
pub(crate) fn profile(
    py: Python<'_>,
    data: String,
    given: Given<'_>,
    options: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let options: Value = read(&options)?;
        let source = Source::open(address(&data, &tables), &said(&options, "csv")?.unwrap_or_default())?;
        let usual = ProfileOptions::default();
        let asked = ProfileOptions {
            max_columns: said(&options, "max_columns")?.unwrap_or(usual.max_columns),
            combine: said(&options, "combine")?.unwrap_or_default(),
        };
        as_json(&runtime.block_on(profiles::profile(&source, &asked, watched))?)
    })
}

/// A job for a table, what was decided, and the hierarchies that it names.
#[pyfunction]
#[pyo3(signature = (data, given, options, progress = None))]
pub(crate) fn init(
    py: Python<'_>,
    data: String,
    given: Given<'_>,
    options: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let options: Value = read(&options)?;
        let options = InitOptions {
            job: Some(PathBuf::from("job.toml")),
            csv: said(&options, "csv")?.unwrap_or_default(),
            force: false,
            quasi: said(&options, "quasi")?.unwrap_or_default(),
            tables: Default::default(),
        };
        let drafted = runtime.block_on(inits::draft(address(&data, &tables), &options, watched))?;
        let job = Job::parse(&drafted.job, Path::new(""))?;
        let hierarchies = drafted.hierarchies.iter().map(|(path, taxonomy)| {
            let rows: Vec<Vec<&str>> = taxonomy.to_rows();
            json!({ "path": path, "rows": rows })
        });
        let hierarchies: Vec<Value> = hierarchies.collect();
        let answer = json!({
            "job": job, "text": drafted.job, "initial": drafted.initial, "hierarchies": hierarchies,
        });
        Ok(answer.to_string())
    })
}

/// What adversaries who have the original learn from a release.
#[pyfunction]
#[pyo3(signature = (job, given, options, progress = None))]
pub(crate) fn attack(
    py: Python<'_>,
    job: String,
    given: Given<'_>,
    options: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let (job, options): (Job, Value) = (parse(&job, &tables)?, read(&options)?);
        let sensitive: Vec<String> = said(&options, "sensitive")?.unwrap_or_default();
        let claimed = said(&options, "claimed")?.unwrap_or(false);
        let seed = said(&options, "seed")?.unwrap_or(1);
        let known = said::<String>(&options, "known")?;
        let known = known.map(|known| KnownValues::read(&known, seed)).transpose()?;
        let opened = OpenJob::of_tables(&job)?;
        let released = job.output.path()?;
        let found = attacks::attack(&opened, released, &sensitive, claimed, known.as_ref(), watched);
        as_json(&runtime.block_on(found)?)
    })
}

/// The front for a job's table.
#[pyfunction]
#[pyo3(signature = (job, given, options, progress = None))]
pub(crate) fn frontier(
    py: Python<'_>,
    job: String,
    given: Given<'_>,
    options: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let (job, options): (Job, Value) = (parse(&job, &tables)?, read(&options)?);
        let options = FrontierOptions {
            objectives: said(&options, "objectives")?.unwrap_or_default(),
            epsilon: said(&options, "epsilon")?.unwrap_or_default(),
            method: said::<Method>(&options, "method")?.unwrap_or_default(),
            nodes: said(&options, "nodes")?,
            local: said(&options, "local")?.unwrap_or_default(),
            ks: said(&options, "ks")?.unwrap_or_else(|| vec![2, 5, 10, 25, 50, 100]),
            time_limit: job.search.time_budget(),
            seed: job.search.seed,
            ..FrontierOptions::default()
        };
        as_json(&runtime.block_on(fronts::frontier(&job, &options, watched))?)
    })
}

/// Algorithms side by side on a job's table.
#[pyfunction]
#[pyo3(signature = (job, given, options, progress = None))]
pub(crate) fn compare(
    py: Python<'_>,
    job: String,
    given: Given<'_>,
    options: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let (job, options): (Job, Value) = (parse(&job, &tables)?, read(&options)?);
        let algorithms: Vec<String> = said(&options, "algorithms")?.unwrap_or_default();
        let contenders = algorithms.iter().map(|text| Contender::parse(text, &job)).collect::<Result<_>>()?;
        let measures: Vec<String> =
            said(&options, "measures")?.unwrap_or_else(|| vec![job.search.measure.clone()]);
        let classifiers: Vec<String> = said(&options, "classifiers")?.unwrap_or_default();
        let plan = ComparisonPlan {
            contenders,
            measures: measures.iter().map(|name| find_measure(name)).collect::<Result<_>>()?,
            ks: said(&options, "ks")?.unwrap_or_else(|| vec![2, 5, 10]),
            only_ks_within_rows: true,
            quasi_counts: None,
            quasi_k: 2,
            sample: None,
            suppression: job.privacy.suppression,
            time_limit: job.search.time_budget(),
            repeats: said(&options, "repeat")?.unwrap_or(1),
            classifiers: find_classifiers(&classifiers)?,
            seed: job.search.seed,
        };
        as_json(&runtime.block_on(compares::compare(&job, &plan, watched))?)
    })
}

/// What classifiers learn from a release beside its original.
#[pyfunction]
#[pyo3(signature = (original, released, given, options, progress = None))]
pub(crate) fn evaluate(
    py: Python<'_>,
    original: String,
    released: String,
    given: Given<'_>,
    options: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let options: Value = read(&options)?;
        let csv: DialectOverrides = said(&options, "csv")?.unwrap_or_default();
        let original = Source::open(address(&original, &tables), &csv)?;
        let released = Source::open(address(&released, &tables), &csv.of_release())?;
        let classifiers: Vec<String> = said(&options, "classifiers")?.unwrap_or_default();
        let options = EvaluateOptions {
            target: said(&options, "target")?.unwrap_or_default(),
            quasi: said(&options, "quasi")?.unwrap_or_default(),
            folds: said(&options, "folds")?.unwrap_or(10),
            seed: said(&options, "seed")?.unwrap_or(1),
            classifiers: match classifiers.as_slice() {
                [] => ClassifierKind::ALL.to_vec(),
                names => find_classifiers(names)?,
            },
        };
        as_json(&runtime.block_on(evaluates::evaluate(&original, &released, &options, watched))?)
    })
}

/// A release told in SQL; the text, and the summary of the search.
#[pyfunction]
#[pyo3(signature = (job, given, table, release, dialect, progress = None))]
pub(crate) fn sql(
    py: Python<'_>,
    job: String,
    given: Given<'_>,
    table: String,
    release: String,
    dialect: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, Option<String>)> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let job = parse(&job, &tables)?;
        let target = SqlTarget {
            dialect: dialect.parse()?,
            table: Some(table.parse()?),
            release: Some(release.parse()?),
        };
        let drafted = runtime.block_on(pipeline::draft_sql(&job, None, &target, watched))?;
        Ok((as_json(&drafted.summary)?, drafted.text))
    })
}

/// The page of a report about a release.
#[pyfunction]
#[pyo3(signature = (job, summary, given, progress = None))]
pub(crate) fn report_page(
    py: Python<'_>,
    job: String,
    summary: Option<String>,
    given: Given<'_>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let tables = tables(given);
    run(py, progress, move |runtime, watched| {
        let job = parse(&job, &tables)?;
        let summary: Option<Summary> = summary.as_deref().map(read).transpose()?;
        let released = job.output.path()?.clone();
        let gathered = Evidence::gather(&job, &released, summary.as_ref(), None, watched);
        Ok(page::report(&runtime.block_on(gathered)?, None))
    })
}

/// The release of a job, if it is in memory and there is one.
fn release_of(job: &Job) -> Option<MemoryTable> {
    match &job.output.path {
        Some(Address::Memory(table)) => table.rows().map(|_| table.clone()),
        _ => None,
    }
}

fn find_key(key: Option<Vec<u8>>) -> Result<Option<PseudonymKey>> {
    match key {
        Some(key) => PseudonymKey::new(&key).map(Some),
        None => PseudonymKey::find(None),
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| EngineError::bad(error.to_string()))
}

/// What options say of a key.
fn said<T: DeserializeOwned>(options: &Value, key: &str) -> Result<Option<T>> {
    let Some(value) = options.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    let bad = |error: serde_json::Error| EngineError::bad(format!("{key}: {error}"));
    T::deserialize(value).map(Some).map_err(bad)
}

fn as_json(found: &impl Serialize) -> Result<String> {
    serde_json::to_string(found).map_err(|_| unspeakable())
}

fn unspeakable() -> EngineError {
    EngineError::Data("cannot write the answer as JSON".into())
}
