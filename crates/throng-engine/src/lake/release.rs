//! A release that nodes write, part by part.

use std::path::Path;

use futures::StreamExt;
use rustc_hash::FxHashSet;
use throng::release::Release;

use super::order::{Counts, Order, WrittenPart};
use super::table::LakeTable;
use crate::error::Result;
use crate::job::{Job, SuppressedRows};
use crate::mapping::{Mapping, Parts, Way};
use crate::output::recode::Lexicon;
use crate::output::sink::FileLayout;
use crate::prepare::Prepared;

/// Has the release written into a folder, whose parts have names of this extension. `desk` is a folder for what the nodes
/// are told, which shows original values: nobody else may look into it, and it is not released.
///
/// # Errors
/// If a node fails, or the table is not what it was when it was counted.
pub(crate) async fn write_release(
    job: &Job,
    prepared: &Prepared,
    release: &Release,
    suppressed: SuppressedRows,
    (folder, extension, desk): (&Path, &str, &Path),
) -> Result<Vec<WrittenPart>> {
    let table = prepared.source.remote().and_then(|remote| remote.lake()).expect("a table that plans write");
    let dialect = prepared.source.dialect().unwrap_or(FileLayout::PLAIN);
    let order = Order {
        folder: folder.to_owned(),
        desk: desk.to_owned(),
        table: prepared.source.path().to_owned(),
        is_text: prepared.source.dialect().is_some(),
        extension: extension.to_owned(),
        delimiter: dialect.delimiter,
        quote: dialect.quote,
        header: dialect.header,
        encoding: job.output.encoding.clone(),
        rows_per_file: None,
        seed: prepared.secret_seed(job.search.seed),
    };
    let mapping = tokio::task::block_in_place(|| {
        let mapping = Mapping::of(prepared, release, suppressed);
        order.put_mapping(&mapping).map(|()| mapping)
    })?;
    if let Way::Tuples(parts) = &mapping.way
        && parts.is_divided
    {
        let divided = divided(parts);
        order.put_counts(&count_divided(table, prepared, mapping, &divided).await?)?;
    }
    let columns: Vec<usize> = prepared.roles.released().map(|(column, _)| column).collect();
    let parts = table.write_parts(&columns, order).await;
    Order::forget_mapping();
    let parts = parts?;
    let sum = |of: fn(&WrittenPart) -> u64| parts.iter().map(of).sum::<u64>();
    if sum(|part| part.read_rows) != prepared.rows()
        || sum(|part| part.suppressed_rows) != release.suppressed_rows()
    {
        return Err(prepared.source.bad("the table changed while it was being read"));
    }
    Ok(parts)
}

/// The codes of tuples that are released in several parts.
fn divided(parts: &Parts) -> FxHashSet<Box<[u32]>> {
    let later = (0..parts.len()).filter(|&part| parts.first_rows[part] > 1);
    later.map(|part| parts.codes.iter().map(|codes| codes[part]).collect()).collect()
}

/// How many rows of divided tuples each part of the table has: which of them are in which part of the tuple is decided in
/// the order of the rows, and a node knows only its own.
async fn count_divided(
    table: &LakeTable,
    prepared: &Prepared,
    mapping: Mapping,
    divided: &FxHashSet<Box<[u32]>>,
) -> Result<Counts> {
    let columns: Vec<usize> = prepared.attributes.iter().map(|attribute| attribute.column).collect();
    let lexicon = Lexicon::new(mapping);
    let mut counts = Counts { codes: vec![Vec::new(); columns.len()], ..Counts::default() };
    let mut batches = table.count_parts(&columns)?;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        let codes = lexicon.codes(&batch.columns()[..columns.len()])?;
        let (parts, rows) = LakeTable::parts_and_rows(&batch);
        for (at, (&part, &rows)) in parts.iter().zip(rows).enumerate() {
            let tuple: Box<[u32]> = codes.iter().map(|codes| codes[at]).collect();
            if divided.contains(&tuple) {
                counts.codes.iter_mut().zip(&tuple).for_each(|(list, &code)| list.push(code));
                counts.parts.push(part);
                counts.rows.push(rows);
            }
        }
    }
    Ok(counts)
}
