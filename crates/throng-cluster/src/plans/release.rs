//! A release that nodes write, part by part.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::StreamExt;
use rustc_hash::FxHashMap;
use throng::release::Release;

use super::counts::TupleRows;
use super::order::{LastMapping, WriteOrder, WrittenPart};
use super::table::PlanTable;
use throng_engine::job::SuppressedRows;
use throng_engine::mapping::{Mapping, RowRule, TupleParts};
use throng_engine::output::recode::{MappingIndex, Recoder};
use throng_engine::plan::{Plan, Target};
use throng_engine::prepare::EncodedTable;
use throng_engine::progress::{Progress, cancellation};
use throng_tables::backend::again_if_lost;
use throng_tables::error::{EngineError, Result};
use throng_tables::output::metadata::carry;
use throng_tables::output::sink::{FileLayout, Limit, Sink, StagedDirectory, Written};

/// Has a release written by nodes, into a directory of parts that nobody sees yet.
///
/// # Errors
/// If a node fails, the table is not what it was when it was counted, or the run was interrupted.
pub(crate) async fn write_release(
    plan: &Plan,
    target: &Target,
    prepared: &EncodedTable,
    release: &Release,
    suppressed: SuppressedRows,
    progress: &dyn Progress,
) -> Result<Written> {
    let (job, layout) = (&plan.job, target.layout);
    let parts = target.parts.clone().expect("jobs without a directory are refused");
    let mut directory = StagedDirectory::beside(job.output.path()?, parts.replace)?;
    directory.limit_to(Limit::of_table(&job.input)?);
    let mode = directory.file_mode()?;
    let working_folder = directory.working_folder()?;
    let order = WriteOrder {
        folder: working_folder.files(),
        shared: working_folder.shared(),
        is_text: prepared.source.dialect().is_some(),
        extension: format!(".{}", parts.extension),
        delimiter: layout.dialect.delimiter,
        quote: layout.dialect.quote,
        header: layout.dialect.header,
        encoding: job.output.encoding.clone(),
        formulas: job.csv.formulas.unwrap_or_default(),
        rows_per_file: parts.rows_per_file,
        mode,
        seed: prepared.seed_of_table(job.search.seed),
        last: LastMapping::default(),
    };
    let written = tokio::select! {
        biased;
        () = cancellation(progress) => Err(EngineError::Interrupted),
        written = write_parts(prepared, release, suppressed, order) => written,
    };
    let written = written?;
    WrittenPart::refuse_other_names(&written, &format!(".{}", parts.extension))?;
    let names = written.iter().flat_map(|part| &part.files);
    let mut files: Vec<PathBuf> = names.map(|name| working_folder.files().join(name)).collect();
    if files.is_empty() {
        let file = working_folder.files().join(format!("none.{}", parts.extension));
        write_columns(prepared, release, suppressed, layout, (&file, mode))?;
        files.push(file);
    }
    let rows = written.iter().map(|part| part.written_rows).sum();
    progress.rows_written(prepared.rows());
    let newlines = written.iter().any(|part| part.newlines);
    let columns = prepared.roles.released().count();
    let formulas = |at: usize| written.iter().filter_map(|part| part.formulas.get(at)).sum();
    let formulas = (0..columns).map(formulas).collect();
    Written::of_parts(directory, &files, (layout, parts), (rows, newlines, formulas))
}

/// Writes the columns of a release that has no rows.
fn write_columns(
    prepared: &EncodedTable,
    release: &Release,
    suppressed: SuppressedRows,
    layout: FileLayout,
    (file, mode): (&Path, u32),
) -> Result<()> {
    let columns: Vec<usize> = prepared.roles.released().map(|(column, _)| column).collect();
    let recoder = Recoder::new(prepared, release, &columns, suppressed, layout.format, 0);
    let schema = Arc::new(carry(&recoder.schema(), &prepared.source.schema()));
    Sink::create_as(file, schema, layout)?.with_mode(mode).finish()?.publish()
}

async fn write_parts(
    prepared: &EncodedTable,
    release: &Release,
    suppressed: SuppressedRows,
    order: WriteOrder,
) -> Result<Vec<WrittenPart>> {
    let table = prepared
        .source
        .remote()
        .and_then(|remote| PlanTable::downcast(&**remote))
        .expect("a table that plans write");
    let mapping = tokio::task::block_in_place(|| {
        let mapping = Mapping::from_release(prepared, release, suppressed);
        order.put_mapping(&mapping).map(|()| mapping)
    })?;
    if let RowRule::Tuples(parts) = &mapping.way
        && parts.is_divided
    {
        let tuples = divided(parts);
        let index = MappingIndex::new(mapping);
        let counted = again_if_lost(async || count_divided(table, prepared, &index, &tuples).await).await?;
        order.put_counts(counted, &tuples)?;
    }
    let columns: Vec<usize> = prepared.roles.released().map(|(column, _)| column).collect();
    let parts = table.write_parts(&columns, order).await?;
    let sum = |of: fn(&WrittenPart) -> u64| parts.iter().map(of).sum::<u64>();
    if sum(|part| part.read_rows) != prepared.rows()
        || sum(|part| part.suppressed_rows) != release.suppressed_rows()
    {
        return Err(prepared.source.bad("the table changed while it was being read"));
    }
    Ok(parts)
}

/// The codes of tuples that are released in several parts.
fn divided(parts: &TupleParts) -> Vec<Box<[u32]>> {
    let later = (0..parts.len()).filter(|&part| parts.first_rows[part] > 1);
    let codes = |part: usize| parts.codes.iter().map(|codes| codes[part]).collect();
    let mut tuples: Vec<Box<[u32]>> = later.map(codes).collect();
    tuples.sort_unstable();
    tuples.dedup();
    tuples
}

/// How many rows of divided tuples each part of the table has: which of them are in which part of the tuple is decided in
/// the order of the rows, and a node knows only its own.
async fn count_divided(
    table: &PlanTable,
    prepared: &EncodedTable,
    index: &MappingIndex,
    tuples: &[Box<[u32]>],
) -> Result<Vec<TupleRows>> {
    let columns: Vec<usize> = prepared.attributes.iter().map(|attribute| attribute.column).collect();
    let known: FxHashMap<&[u32], u32> = tuples.iter().map(|tuple| &**tuple).zip(0..).collect();
    let (mut counted, mut key) = (Vec::new(), vec![0; columns.len()]);
    let mut batches = table.count_parts(&columns)?;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        let codes = index.codes(&batch.columns()[..columns.len()])?;
        let (parts, rows) = PlanTable::parts_and_rows(&batch);
        for (at, (&part, &rows)) in parts.iter().zip(rows).enumerate() {
            key.iter_mut().zip(&codes).for_each(|(code, codes)| *code = codes[at]);
            if let Some(&tuple) = known.get(key.as_slice()) {
                counted.push(TupleRows { part, tuple, rows });
            }
        }
    }
    Ok(counted)
}
