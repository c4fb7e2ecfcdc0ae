use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{
    AsArray, DictionaryArray, Int64Array, ListArray, StringArray, StringViewArray, UInt32Array,
};
use arrow::datatypes::{DataType, Field, Int8Type, Int64Type, Schema, UInt32Type};
use arrow::util::display::array_value_to_string;

use super::*;

const ROWS: usize = 20_000;

fn labels() -> ArrayRef {
    Arc::new(StringArray::from(vec![Some("low"), None, Some("high"), Some("*")]))
}

fn schema() -> SchemaRef {
    let labelled = DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8));
    let kind = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let list = DataType::List(Arc::new(Field::new("item", DataType::Utf8View, true)));
    let field = |name: &str, kind| Field::new(name, kind, true);
    Arc::new(Schema::new(vec![
        Field::new("row", DataType::Int64, false),
        field("label", labelled),
        field("kind", kind),
        field("view", DataType::Utf8View),
        field("list", list),
    ]))
}

/// Rows whose every cell tells the row's number; each batch has a dictionary of its own.
fn batch(start: usize, end: usize, labels: &ArrayRef) -> RecordBatch {
    let rows: Vec<usize> = (start..end).collect();
    let codes: UInt32Array = rows.iter().map(|row| Some(*row as u32 % 4)).collect();
    let kinds: Vec<String> = rows.iter().rev().map(|row| format!("kind {}", row % 100)).collect();
    let kinds: DictionaryArray<Int8Type> = kinds.iter().rev().map(|kind| Some(kind.as_str())).collect();
    let views = || rows.iter().map(|row| (row % 3 > 0).then(|| format!("view of the row {row}")));
    let views: StringViewArray = views().collect();
    let list = ListArray::new(
        Arc::new(Field::new("item", DataType::Utf8View, true)),
        arrow::buffer::OffsetBuffer::from_lengths(vec![1; rows.len()]),
        Arc::new(views.clone()),
        None,
    );
    let columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|&row| row as i64).collect::<Int64Array>()),
        Arc::new(DictionaryArray::new(codes, Arc::clone(labels))),
        Arc::new(kinds),
        Arc::new(views),
        Arc::new(list),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

/// The batches that a shuffle of the first `count` rows, in batches of `step`, hands over.
fn shuffled(memory: usize, seed: u64, count: usize, step: usize) -> Vec<RecordBatch> {
    let (dir, labels) = (tempfile::tempdir().unwrap(), labels());
    let known = vec![None, Some(Arc::clone(&labels)), None, None, None];
    let mut shuffle = Shuffle::within(memory, Secret::of_seed(seed), schema(), known, dir.path());
    for start in (0..count).step_by(step) {
        shuffle.add(&batch(start, count.min(start + step), &labels)).unwrap();
    }
    let mut batches = Vec::new();
    shuffle
        .finish(|batch| {
            let shared = batch.column(1).as_dictionary::<UInt32Type>().values();
            assert!(Arc::ptr_eq(shared, &labels), "labels are not copied");
            batches.push(batch.clone());
            Ok(())
        })
        .unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the temporary file has no name");
    batches
}

fn rows(batches: &[RecordBatch]) -> Vec<i64> {
    batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[test]
fn every_row_comes_out_once_with_all_its_cells() {
    let labels = labels();
    for memory in [usize::MAX, 2_000_000] {
        let batches = shuffled(memory, 1, ROWS, 3_000);
        let order = rows(&batches);
        assert!(!order.is_sorted());
        assert_eq!(order.iter().copied().collect::<BTreeSet<_>>().len(), ROWS);
        // Batch by batch: each may have a dictionary of its own, and all together more words than fit into one.
        let before = batch(0, ROWS, &labels);
        let text = |array: &ArrayRef, row| array_value_to_string(array, row).unwrap();
        for after in &batches {
            for (place, row) in rows(std::slice::from_ref(after)).into_iter().enumerate().step_by(7) {
                for (after, before) in after.columns().iter().zip(before.columns()) {
                    assert_eq!(text(after, place), text(before, row as usize));
                }
            }
        }
    }
}

#[test]
fn the_result_depends_on_neither_memory_nor_batches() {
    let in_memory = shuffled(usize::MAX, 1, ROWS, 3_000);
    let sizes: Vec<usize> = in_memory.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(sizes, [BATCH, BATCH, ROWS - 2 * BATCH]);
    for (memory, step) in [(1_000_000, 3_000), (2_000_000, 8_192), (usize::MAX, ROWS)] {
        assert_eq!(shuffled(memory, 1, ROWS, step), in_memory, "{memory}");
    }
}

#[test]
fn buckets_of_buckets_end_with_single_rows() {
    let in_memory = shuffled(usize::MAX, 1, 900, 900);
    assert_eq!(shuffled(0, 1, 900, 100), in_memory);
}

#[test]
fn the_seed_decides_the_order() {
    let first = rows(&shuffled(usize::MAX, 1, ROWS, 5_000));
    assert_eq!(first, rows(&shuffled(usize::MAX, 1, ROWS, 5_000)));
    assert_ne!(first, rows(&shuffled(usize::MAX, 2, ROWS, 5_000)));
}

#[test]
fn without_rows_nothing_comes_out() {
    let dir = tempfile::tempdir().unwrap();
    let mut shuffle = Shuffle::within(
        0,
        Secret::of_seed(1),
        schema(),
        vec![None, Some(labels()), None, None, None],
        dir.path(),
    );
    shuffle.add(&batch(0, 0, &labels())).unwrap();
    shuffle.finish(|_| panic!("no row was added")).unwrap();
}

#[test]
fn rows_beyond_32_bits_have_keys_of_their_own() {
    let far = 1 << 40;
    let rows = (0..1_000).chain(u64::from(u32::MAX) - 500..u64::from(u32::MAX) + 500).chain(far..far + 1_000);
    let keys: BTreeSet<u64> = rows.map(|row| key(Secret::of_seed(7), row)).collect();
    assert_eq!(keys.len(), 3_000);
    let mut buckets = [0u32; 256];
    (0..256_000).for_each(|row| buckets[(key(Secret::of_seed(7), far + row) >> 56) as usize] += 1);
    assert!(buckets.iter().all(|rows| (800..1_200).contains(rows)), "buckets are about alike");
}

#[test]
fn a_failure_to_write_ends_the_shuffle() {
    let (dir, labels) = (tempfile::tempdir().unwrap(), labels());
    let mut shuffle = Shuffle::within(
        0,
        Secret::of_seed(1),
        schema(),
        vec![None, Some(labels.clone()), None, None, None],
        dir.path(),
    );
    shuffle.add(&batch(0, 100, &labels)).unwrap();
    let mut calls = 0;
    let error = shuffle.finish(|_| {
        calls += 1;
        Err(EngineError::Interrupted)
    });
    assert!(matches!(error, Err(EngineError::Interrupted)));
    assert_eq!(calls, 1);
}

#[test]
fn rows_go_elsewhere_if_their_place_takes_no_file() {
    let (dir, labels) = (tempfile::tempdir().unwrap(), labels());
    let known = vec![None, Some(Arc::clone(&labels)), None, None, None];
    let mut shuffle = Shuffle::within(0, Secret::of_seed(1), schema(), known, &dir.path().join("none"));
    shuffle.add(&batch(0, 100, &labels)).unwrap();
    let mut rows = 0;
    shuffle
        .finish(|batch| {
            rows += batch.num_rows();
            Ok(())
        })
        .unwrap();
    assert_eq!(rows, 100);
}
