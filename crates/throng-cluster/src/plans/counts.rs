//! How many rows of divided tuples come before each part of the table, in a file of which a node reads what its part
//! needs.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, UInt64Array};
use arrow::datatypes::UInt64Type;
use arrow::error::ArrowError;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;

use throng_engine::mapping::lists::{beside, codes, numbers};
use throng_tables::output::sink::private::create_private;

/// Rows of a tuple in a part of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TupleRows {
    pub(super) part: u32,
    pub(super) tuple: u32,
    pub(super) rows: u64,
}

/// For each part that has rows of a tuple, the rows of it that parts before have; parts in their order. Of those that
/// have the first there is nothing to say.
pub(super) fn rows_before(mut counted: Vec<TupleRows>, tuples: usize) -> Vec<TupleRows> {
    let key = |one: &TupleRows| (one.part, one.tuple);
    counted.sort_unstable_by_key(key);
    let mut so_far = vec![0; tuples];
    let before = counted.chunk_by(|a, b| key(a) == key(b)).map(|same| {
        let of = &mut so_far[same[0].tuple as usize];
        let rows = std::mem::replace(of, *of + same.iter().map(|one| one.rows).sum::<u64>());
        TupleRows { rows, ..same[0] }
    });
    before.filter(|one| one.rows > 0).collect()
}

/// Writes them, a batch for each part; `tuples` are the codes of each.
pub(super) fn put(file: &Path, before: &[TupleRows], tuples: &[Box<[u32]>]) -> Result<(), ArrowError> {
    let columns = tuples.first().map_or(0, |codes| codes.len());
    let of_part = |counted: &[TupleRows]| -> Result<RecordBatch, ArrowError> {
        let code = |at: usize| counted.iter().map(|one| tuples[one.tuple as usize][at]).collect();
        let rows: ArrayRef = Arc::new(UInt64Array::from_iter_values(counted.iter().map(|one| one.rows)));
        beside((0..columns).map(|at| numbers(code(at))).chain([rows]).collect())
    };
    let mut writer = FileWriter::try_new(create_private(file)?, &of_part(&[])?.schema())?;
    let parts = before.last().map_or(0, |last| last.part + 1);
    for part in 0..parts {
        let [start, end] = [part, part + 1].map(|part| before.partition_point(|one| one.part < part));
        writer.write(&of_part(&before[start..end])?)?;
    }
    writer.finish()
}

/// The codes of tuples of which parts before `part` have rows, if it has some, too; and how many.
pub(super) fn of_part(file: &Path, part: u32) -> Result<Vec<(Vec<u32>, u64)>, ArrowError> {
    let mut reader = FileReader::try_new(File::open(file)?, None)?;
    if part as usize >= reader.num_batches() {
        return Ok(Vec::new());
    }
    reader.set_index(part as usize)?;
    let Some(batch) = reader.next().transpose()? else { return Ok(Vec::new()) };
    let (rows, lists) = batch.columns().split_last().expect("a file of ours has a column of rows");
    let lists: Vec<Vec<u32>> = lists.iter().map(codes).collect();
    let tuple = |at: usize| lists.iter().map(|list| list[at]).collect();
    let rows = rows.as_primitive::<UInt64Type>().values().iter().enumerate();
    Ok(rows.map(|(at, &rows)| (tuple(at), rows)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_the_rows_before_them() {
        let counted = [(2, 0, 5), (0, 0, 3), (0, 1, 1), (2, 1, 9), (2, 0, 2), (4, 0, 1), (1, 2, 4)];
        let counted = counted.map(|(part, tuple, rows)| TupleRows { part, tuple, rows }).to_vec();
        let tuples: Vec<Box<[u32]>> = [[7, 70], [8, 80], [9, 90]].map(Box::from).to_vec();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("counts");
        put(&file, &rows_before(counted, 3), &tuples).unwrap();
        let found: Vec<_> = (0..6).map(|part| of_part(&file, part).unwrap()).collect();
        let second = vec![(vec![7, 70], 3), (vec![8, 80], 1)];
        assert_eq!(found, [vec![], vec![], second, vec![], vec![(vec![7, 70], 10)], vec![]]);
    }
}
