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
use throng_engine::compare::{self as compares, ComparisonPlan, Contender, RowSample};
use throng_engine::error::{EngineError, Result};
use throng_engine::evaluate::{self as evaluates, ClassifierKind, EvaluateOptions, find_classifiers};
use throng_engine::frontier::{self as fronts, FrontierOptions, Method};
use throng_engine::init::{self as inits, InitOptions};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::job::{EngineSpec, Job, JobFlags, NO_PERSON, Require, Suppression, find_measure};
use throng_engine::pipeline;
use throng_engine::plan::OpenJob;
use throng_engine::policy::{self, Policy};
use throng_engine::profile::{self as profiles, ProfileOptions};
use throng_engine::pseudonym::PseudonymKey;
use throng_engine::reuse::{Delivery, SavedRecoding};
use throng_engine::sql::SqlTarget;
use throng_engine::summary::Summary;
use throng_engine::verify::attack::control::{self, Control};
use throng_engine::verify::attack::{self as attacks, KnownValues};
use throng_report::evidence::Evidence;
use throng_report::page;

use crate::job::{Frames, address, frames, parse};
use crate::run::{Desk, run, use_threads};
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
    let frames = frames(given);
    let report = run(py, progress, move |desk| {
        let (job, key) = (job_at(desk, &job, &frames)?, find_key(key)?);
        use_threads(job.search.threads)?;
        let (report, found) = desk.wait(pipeline::anonymize_keeping(&job, key.as_ref(), &desk.watched))?;
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
    let (frames, found) = (frames(given), found.get().recoding.clone());
    run(py, None, move |desk| {
        let (job, key) = (job_at(desk, &job, &frames)?, find_key(key)?);
        as_json(&desk.wait(pipeline::save_found(&job, &found, key.as_ref(), &desk.watched))?)
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
    let frames = frames(given);
    let report = run(py, progress, move |desk| {
        let options: Value = read(&options)?;
        let (text, place) = recoding;
        let saved = SavedRecoding::parse(text.as_bytes()).map_err(|error| error.in_file(&place))?;
        let engine: EngineSpec = said(&options, "engine")?.unwrap_or_default();
        let flags = JobFlags {
            input: Some(PathBuf::from(&input)),
            output: Some(PathBuf::from(&output)),
            suppression: said::<Suppression>(&options, "suppression")?,
            unknown: said(&options, "unknown")?.unwrap_or_default(),
            cluster: engine.cluster,
            cluster_tls: engine.tls,
            ..JobFlags::default()
        };
        let mut job = saved.job(&place, Delivery { flags, ..Delivery::default() })?.with_tables(&desk.tables);
        job.input = address(&input, &frames);
        job.output.path = Some(address(&output, &frames));
        let key = find_key(key)?;
        let report = desk.wait(pipeline::apply(&job, &saved, key.as_ref(), &desk.watched))?;
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let options: Value = read(&options)?;
        let names = |key: &str| said::<Vec<String>>(&options, key).map(Option::unwrap_or_default);
        let (quasi, sensitive) = (names("quasi")?, names("sensitive")?);
        let person: Option<String> = said(&options, "person")?;
        let required: Vec<Require> = said(&options, "require")?.unwrap_or_default();
        let csv: DialectOverrides = said(&options, "csv")?.unwrap_or_default();
        let columns = required.iter().filter_map(|one| one.column.clone());
        let weight: Option<String> = said(&options, "sampling_weight")?;
        let household: Option<String> = said(&options, "household")?;
        let named = person.clone().filter(|person| person != NO_PERSON).into_iter();
        let named = named.chain(weight.clone()).chain(household.clone());
        let beside: Vec<String> = sensitive.iter().cloned().chain(columns).chain(named).collect();
        let sampling = Sampling::from_flags(said(&options, "sampling_fraction")?, weight.as_deref())?;
        let policy = said::<String>(&options, "policy")?;
        let policy = policy.map(|name| policy::find(&name)).transpose()?;
        let subject = CheckedTable::of_table(&desk.tables, address(&data, &frames), &csv, &quasi, &beside)?;
        let subject = subject.with_sensitive(&sensitive, person.as_deref())?.with_required(required)?;
        let subject = subject.with_household(household.as_deref())?;
        let subject = subject.with_sampling(sampling).with_special_uniques(said(&options, "suda")?);
        let of_policy = policy.as_ref().and_then(Policy::least_rows);
        let threshold = said(&options, "k")?.or(of_policy).unwrap_or(5);
        let found = desk.wait(checks::check(&subject, threshold, &desk.watched))?;
        let mut answer = serde_json::to_value(&found).map_err(|_| unspeakable())?;
        answer["policy"] = Value::Null;
        let Some(policy) = policy else { return as_json(&answer) };
        let findings = desk.wait(find_removals(&subject, &policy, &desk.watched))?;
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let options: Value = read(&options)?;
        let source =
            desk.tables.open(address(&data, &frames), &said(&options, "csv")?.unwrap_or_default())?;
        let usual = ProfileOptions::default();
        let asked = ProfileOptions {
            max_columns: said(&options, "max_columns")?.unwrap_or(usual.max_columns),
            combine: said(&options, "combine")?.unwrap_or_default(),
        };
        as_json(&desk.wait(profiles::profile(&source, &asked, &desk.watched))?)
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let options: Value = read(&options)?;
        let options = InitOptions {
            job: Some(PathBuf::from("job.toml")),
            csv: said(&options, "csv")?.unwrap_or_default(),
            force: false,
            quasi: said(&options, "quasi")?.unwrap_or_default(),
            tables: desk.tables.clone(),
        };
        let drafted = desk.wait(inits::draft(address(&data, &frames), &options, &desk.watched))?;
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let (job, options): (Job, Value) = (job_at(desk, &job, &frames)?, read(&options)?);
        let sensitive: Vec<String> = said(&options, "sensitive")?.unwrap_or_default();
        let claimed = said(&options, "claimed")?.unwrap_or(false);
        let seed = said(&options, "seed")?.unwrap_or(1);
        let known = said::<String>(&options, "known")?;
        let known = known.map(|known| KnownValues::read(&known, seed)).transpose()?;
        let control: Option<String> = said(&options, "control")?;
        let attacks = said(&options, "attacks")?.unwrap_or(control::ATTACKS);
        let opened = OpenJob::of_tables(&job)?;
        let released = job.output.path()?;
        let found = attacks::attack(&opened, released, &sensitive, claimed, known.as_ref(), &desk.watched);
        let mut found = desk.wait(found)?;
        if let Some(control) = control {
            let control = Control { table: address(&control, &frames), attacks, seed };
            let measured = control::measure(&opened, released, &sensitive, &control, &desk.watched);
            found.control = Some(desk.wait(measured)?);
        }
        as_json(&found)
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let (job, options): (Job, Value) = (job_at(desk, &job, &frames)?, read(&options)?);
        let options = FrontierOptions {
            objectives: said(&options, "objectives")?.unwrap_or_default(),
            epsilon: said(&options, "epsilon")?.unwrap_or_default(),
            method: said::<Method>(&options, "method")?.unwrap_or_default(),
            nodes: said(&options, "nodes")?,
            reference: said::<String>(&options, "reference")?.map(|front| match front.parse() {
                Ok(front) => front,
                Err(never) => match never {},
            }),
            spread: said(&options, "spread")?.unwrap_or(false),
            local: said(&options, "local")?.unwrap_or_default(),
            ks: said(&options, "ks")?.unwrap_or_else(|| vec![2, 5, 10, 25, 50, 100]),
            time_limit: job.search.time_budget(),
            seed: job.search.seed,
            ..FrontierOptions::default()
        };
        as_json(&desk.wait(fronts::frontier(&job, &options, &desk.watched))?)
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let (job, options): (Job, Value) = (job_at(desk, &job, &frames)?, read(&options)?);
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
            quasi_counts: said::<[usize; 2]>(&options, "quasi_counts")?.map(|[least, most]| least..=most),
            quasi_k: said(&options, "quasi_k")?.unwrap_or(5),
            sample: said(&options, "rows")?.map(|rows| RowSample { rows, seed: job.search.seed }),
            suppression: job.privacy.suppression,
            time_limit: job.search.time_budget(),
            repeats: said(&options, "repeat")?.unwrap_or(1),
            classifiers: find_classifiers(&classifiers)?,
            seed: job.search.seed,
        };
        as_json(&desk.wait(compares::compare(&job, &plan, &desk.watched))?)
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let options: Value = read(&options)?;
        let csv: DialectOverrides = said(&options, "csv")?.unwrap_or_default();
        let original = desk.tables.open(address(&original, &frames), &csv)?;
        let released = desk.tables.open(address(&released, &frames), &csv.of_release())?;
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
        as_json(&desk.wait(evaluates::evaluate(&original, &released, &options, &desk.watched))?)
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let job = job_at(desk, &job, &frames)?;
        let target = SqlTarget {
            dialect: dialect.parse()?,
            table: Some(table.parse()?),
            release: Some(release.parse()?),
        };
        let drafted = desk.wait(pipeline::draft_sql(&job, None, &target, &desk.watched))?;
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
    let frames = frames(given);
    run(py, progress, move |desk| {
        let job = job_at(desk, &job, &frames)?;
        let summary: Option<Summary> = summary.as_deref().map(read).transpose()?;
        let released = job.output.path()?.clone();
        let gathered = Evidence::gather(&job, &released, summary.as_ref(), None, &desk.watched);
        Ok(page::report(&desk.wait(gathered)?, None))
    })
}

/// A job from Python, whose tables are opened at this desk.
fn job_at(desk: &Desk, job: &str, frames: &Frames) -> Result<Job> {
    Ok(parse(job, frames)?.with_tables(&desk.tables))
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
