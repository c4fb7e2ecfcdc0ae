//! The second scan: rows of the input become rows of the release, in a file of their own.

use std::env;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use futures::StreamExt;
use throng::privacy::ParameterValue;
use throng::release::Release;
use tokio::time::timeout;

use super::Run;
use crate::address::Address;
use crate::backend::NewTable;
use crate::error::{EngineError, Result};
use crate::format::json_lines::line::JsonKind;
use crate::input::source::{BATCH_ROWS, Batches};
use crate::job::{Job, RowOrder, SuppressedRows};
use crate::output::recode::Recoder;
use crate::output::shuffle::{Secret, Shuffle};
use crate::output::sort::Sort;
use crate::plan::{Plan, Target};
use crate::prepare::EncodedTable;
use crate::progress::{Progress, refuse_cancelled};
use crate::summary::Provenance;
use throng_tables::output::metadata::carry;
use throng_tables::output::sink::{Limit, Sink, Written};

/// A release that is being written.
pub type Writing<'a> = Pin<Box<dyn Future<Output = Result<Written>> + 'a>>;

/// Has the releases of jobs that have a cluster written by plans, if it was
/// [added](throng_tables::tables::Tables::with).
#[derive(Clone, Copy)]
pub struct ReleaseWriter(pub WriteByPlans);

/// Writes a release into a directory of parts that nobody sees yet.
type WriteByPlans = for<'a> fn(
    &'a Plan,
    &'a Target,
    &'a EncodedTable,
    &'a Release,
    SuppressedRows,
    &'a dyn Progress,
) -> Writing<'a>;

/// How often somebody who waits for rows looks whether the run is cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// Batches that are recoded and encoded side by side, fewer where they are wide: all of them are in memory.
const WAVE_BATCHES: usize = 8;
const WAVE_CELLS: usize = 1 << 20;

/// Scans the input a second time, and writes the recoded rows.
///
/// # Errors
/// If the input is not what it was in the first scan, the output cannot be written, or the run
/// was interrupted.
pub(super) async fn write(
    run: &Run<'_>,
    prepared: &EncodedTable,
    release: &Release,
    suppressed: SuppressedRows,
) -> Result<Written> {
    let Run { plan, target, key, progress, .. } = *run;
    let job = &plan.job;
    let writer = plan.source.tables().added::<ReleaseWriter>();
    if let (Some(_), Some(writer)) = (&job.engine.cluster, writer) {
        return (writer.0)(plan, target, prepared, release, suppressed, progress).await;
    }
    let person = person_to_shift(job, prepared);
    let scanned = scanned_columns(prepared, person);
    let (layout, format) = (target.layout, target.layout.format);
    let seed = seed_of_parts(job, prepared)?;
    let mut recoder =
        Recoder::new(prepared, release, &scanned, suppressed, format, seed).with_pseudonyms(prepared, key);
    recoder = recoder.with_codings(prepared).with_shifts(prepared, person)?;
    let schema = Arc::new(carry(&recoder.schema(), &prepared.source.schema()));
    let output = job.output.path()?;
    let sink = match output {
        Address::Postgres(_) => {
            let (types, comment) = (types(prepared, &recoder), comment(job));
            let table = NewTable {
                schema,
                types,
                comment,
                replace: job.output.replace,
                tables: plan.source.tables().clone(),
            };
            Sink::create_remote(output, table)?
        }
        Address::Memory(table) => Sink::create_in_memory(table, &schema)?,
        _ => {
            let kinds = kinds(prepared, &recoder);
            let sink = match target.parts.clone() {
                Some(parts) => Sink::create_parts(output, schema, layout, parts, kinds)?,
                None => Sink::create_spelled(output, schema, layout, kinds)?,
            };
            sink.limit_to(Limit::of_table(&job.input)?)
        }
    };
    let mut rows = Rows::start(job, &recoder, sink)?;

    let mut batches = prepared.source.scan_coded(&scanned, &recoder.recoded_columns()).await?;
    let (mut read, mut suppressed_rows) = (0, 0);
    loop {
        let wave = next_wave(&mut batches, scanned.len(), progress).await?;
        if wave.is_empty() {
            break;
        }
        suppressed_rows += tokio::task::block_in_place(|| {
            let recoded = recoder.recode(&wave, read)?;
            let suppressed_rows: u64 = recoded.iter().map(|recoded| recoded.suppressed_rows).sum();
            rows.add(recoded.into_iter().map(|recoded| recoded.batch).collect())?;
            Ok::<_, EngineError>(suppressed_rows)
        })?;
        read += wave.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        progress.rows_written(read);
    }
    if read != prepared.rows() || suppressed_rows != release.suppressed_rows() {
        return Err(prepared.source.bad("the file changed while it was being read"));
    }
    tokio::task::block_in_place(|| rows.finish(progress))
}

/// What decides which of several identical rows are in which part of their tuple. A seed made of the table could be
/// computed by those who know its quasi-identifiers; they could then tell the parts of such rows apart, though the
/// rows were shuffled or sorted. So where nobody shall know the order, nobody knows this either.
fn seed_of_parts(job: &Job, prepared: &EncodedTable) -> Result<u64> {
    match job.output.order {
        RowOrder::Shuffle { seed: None } | RowOrder::Sort => Ok(Secret::drawn()?.word()),
        RowOrder::Shuffle { seed: Some(_) } | RowOrder::Keep => Ok(prepared.seed_of_table(job.search.seed)),
    }
}

/// The next batches that are worked on side by side, as many of them however many threads there are; none at the end.
async fn next_wave(
    batches: &mut Batches,
    columns: usize,
    progress: &dyn Progress,
) -> Result<Vec<RecordBatch>> {
    let most = (WAVE_CELLS / (BATCH_ROWS * columns.max(1))).clamp(1, WAVE_BATCHES);
    let mut wave = Vec::with_capacity(most);
    while wave.len() < most
        && let Some(batch) = next(batches, progress).await?
    {
        wave.push(batch);
    }
    Ok(wave)
}

/// The next batch. Before the first one all of a large text is looked through, so whoever waits asks now and then
/// whether to go on.
async fn next(batches: &mut Batches, progress: &dyn Progress) -> Result<Option<RecordBatch>> {
    loop {
        refuse_cancelled(progress)?;
        if let Ok(batch) = timeout(LOOK, batches.next()).await {
            return batch.transpose();
        }
    }
}

/// The column of persons, if it says by how much dates are moved.
fn person_to_shift(job: &Job, prepared: &EncodedTable) -> Option<usize> {
    let person = job.person().filter(|_| job.columns.shifted().next().is_some())?;
    prepared.roles.columns().iter().position(|(name, _)| name == person)
}

/// The released columns and that of persons, if it is looked at; of text also the last one, because only there a quote
/// that is never closed is seen.
fn scanned_columns(prepared: &EncodedTable, person: Option<usize>) -> Vec<usize> {
    let mut scanned: Vec<usize> = prepared.roles.released().map(|(column, _)| column).collect();
    scanned.extend(person.filter(|person| !scanned.contains(person)));
    let last = prepared.source.columns().len() - 1;
    if prepared.source.dialect().is_some() && !scanned.contains(&last) {
        scanned.push(last);
    }
    scanned
}

/// The types that released columns have where the table is from, if their values are released as they were read.
fn types(prepared: &EncodedTable, recoder: &Recoder<'_>) -> Vec<Option<String>> {
    let remote = prepared.source.remote();
    let of = |column: Option<usize>| remote?.type_of(column?).map(str::to_owned);
    recoder.kept_columns().map(of).collect()
}

/// What released columns were in JSON, if their values are released as they were read.
fn kinds(prepared: &EncodedTable, recoder: &Recoder<'_>) -> Vec<JsonKind> {
    let of = |column: Option<usize>| column.and_then(|column| prepared.source.json_kind(column));
    recoder.kept_columns().map(|column| of(column).unwrap_or_default()).collect()
}

/// What a table says of itself: by what it was made, when, and what it satisfies.
fn comment(job: &Job) -> String {
    let k = job.privacy.k.map(|k| format!("{} with k = {k}", job.privacy.notion.text()));
    let others = job.privacy.require.iter().map(|require| {
        let numbers = require.parameters.iter().filter_map(|(name, value)| match value {
            ParameterValue::Number(number) => Some(format!(" {name} = {number}")),
            _ => None,
        });
        format!("{}{}", require.model, numbers.collect::<Vec<_>>().join(","))
    });
    let asked: Vec<String> = k.into_iter().chain(others).collect();
    let Provenance { version, date, .. } = Provenance::now();
    format!("Release made by throng {version}, {date}. Satisfies: {}.", asked.join(", "))
}

/// Released rows on their way to the file.
struct Rows {
    sink: Sink,
    order: Ordering,
}

/// What brings rows into another order.
enum Ordering {
    Kept,
    Shuffled(Box<Shuffle>),
    Sorted(Box<Sort>),
}

impl Rows {
    fn start(job: &Job, recoder: &Recoder<'_>, sink: Sink) -> Result<Rows> {
        let output = job.output.path()?;
        let place = match (output, output.parent()) {
            (Address::Files(_), Some(parent)) if parent != Path::new("") => parent.to_owned(),
            (Address::Files(_), _) => PathBuf::from("."),
            _ => env::temp_dir(),
        };
        let order = match job.output.order {
            RowOrder::Keep => Ordering::Kept,
            RowOrder::Shuffle { seed } => {
                let secret = seed.map_or_else(Secret::drawn, |seed| Ok(Secret::of_seed(seed)))?;
                Ordering::Shuffled(Box::new(Shuffle::new(secret, recoder.schema(), recoder.labels(), &place)))
            }
            RowOrder::Sort => {
                Ordering::Sorted(Box::new(Sort::new(recoder.schema(), recoder.labels(), &place)?))
            }
        };
        Ok(Rows { sink, order })
    }

    fn add(&mut self, batches: Vec<RecordBatch>) -> Result<()> {
        match &mut self.order {
            Ordering::Shuffled(shuffle) => batches.iter().try_for_each(|batch| shuffle.add(batch)),
            Ordering::Sorted(sort) => batches.iter().try_for_each(|batch| sort.add(batch)),
            Ordering::Kept => self.sink.write_all(batches),
        }
    }

    fn finish(self, progress: &dyn Progress) -> Result<Written> {
        let Rows { mut sink, order } = self;
        let write = |batch: &RecordBatch| {
            refuse_cancelled(progress)?;
            sink.write(batch)
        };
        match order {
            Ordering::Shuffled(shuffle) => shuffle.finish(write)?,
            Ordering::Sorted(sort) => sort.finish(write)?,
            Ordering::Kept => {}
        }
        sink.finish()
    }
}
