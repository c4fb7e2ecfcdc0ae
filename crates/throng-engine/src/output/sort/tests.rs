use arrow::array::{DictionaryArray, Int64Array, StringArray, StringViewArray};
use arrow::datatypes::{Field, Schema};
use arrow::util::display::array_value_to_string;

use super::*;

const ROWS: usize = 20_000;

/// Labels as a search met them, which is in no order; two have the same text.
fn labels() -> ArrayRef {
    Arc::new(StringArray::from(vec![Some("low"), None, Some("high"), Some("*"), Some("low")]))
}

fn schema() -> SchemaRef {
    let labelled = DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("label", labelled, true),
        Field::new("number", DataType::Int64, true),
        Field::new("view", DataType::Utf8View, true),
    ]))
}

fn batch(rows: &[usize], labels: &ArrayRef) -> RecordBatch {
    let codes: UInt32Array = rows.iter().map(|row| Some(*row as u32 % 5)).collect();
    let numbers: Int64Array =
        rows.iter().map(|&row| (row % 7 > 0).then_some(row as i64 / 3 % 50 - 9)).collect();
    let views: StringViewArray = rows.iter().map(|row| Some(format!("view {}", row % 11))).collect();
    let label = DictionaryArray::new(codes, Arc::clone(labels));
    RecordBatch::try_new(schema(), vec![Arc::new(label), Arc::new(numbers), Arc::new(views)]).unwrap()
}

/// What a sort of these rows hands over, as text, and the sizes of its batches.
fn sorted(memory: usize, rows: &[usize], step: usize) -> (Vec<String>, Vec<usize>) {
    let (dir, labels) = (tempfile::tempdir().unwrap(), labels());
    let mut sort =
        Sort::within(memory, schema(), vec![Some(Arc::clone(&labels)), None, None], dir.path()).unwrap();
    rows.chunks(step).for_each(|rows| sort.add(&batch(rows, &labels)).unwrap());
    let (mut texts, mut sizes) = (Vec::new(), Vec::new());
    sort.finish(|batch| {
        sizes.push(batch.num_rows());
        texts.extend((0..batch.num_rows()).map(|row| text(batch, row)));
        Ok(())
    })
    .unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the temporary file has no name");
    (texts, sizes)
}

fn text(batch: &RecordBatch, row: usize) -> String {
    let cells = batch.columns().iter().map(|column| array_value_to_string(column, row).unwrap());
    cells.collect::<Vec<_>>().join("|")
}

#[test]
fn rows_are_sorted_by_what_they_show() {
    let labels = labels();
    let rows: Vec<usize> = (0..ROWS).collect();
    let (found, sizes) = sorted(usize::MAX, &rows, 3_000);
    assert_eq!(sizes, [BATCH, BATCH, ROWS - 2 * BATCH]);
    let all = batch(&rows, &labels);
    let mut expected: Vec<(Option<&str>, Option<i64>, String)> = rows
        .iter()
        .map(|&row| {
            let label = [Some("low"), None, Some("high"), Some("*"), Some("low")][row % 5];
            (label, (row % 7 > 0).then_some(row as i64 / 3 % 50 - 9), text(&all, row))
        })
        .collect();
    // Text by its bytes, numbers as numbers, and what is empty first.
    expected.sort();
    assert_eq!(found, expected.into_iter().map(|(.., text)| text).collect::<Vec<_>>());
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let rows: Vec<usize> = (0..ROWS).collect();
    let backwards: Vec<usize> = rows.iter().rev().copied().collect();
    assert_eq!(sorted(usize::MAX, &rows, 3_000), sorted(usize::MAX, &backwards, 7_001));
}

#[test]
fn the_result_depends_on_neither_memory_nor_batches() {
    let rows: Vec<usize> = (0..ROWS).collect();
    let in_memory = sorted(usize::MAX, &rows, ROWS);
    for (memory, step) in [(0, 900), (400_000, 1_000), (2_000_000, 8_192)] {
        assert_eq!(sorted(memory, &rows, step), in_memory, "{memory}");
    }
}

#[test]
fn equal_rows_are_no_burden() {
    let rows = vec![11; 30_000];
    let (found, sizes) = sorted(100_000, &rows, 500);
    assert!(found.iter().all(|row| *row == found[0]) && found.len() == 30_000, "{sizes:?}");
}

#[test]
fn without_rows_nothing_comes_out() {
    assert_eq!(sorted(0, &[], 1), (Vec::new(), Vec::new()));
}

#[test]
fn a_failure_to_write_ends_the_sort() {
    let (dir, labels) = (tempfile::tempdir().unwrap(), labels());
    let mut sort = Sort::within(0, schema(), vec![Some(labels.clone()), None, None], dir.path()).unwrap();
    (0..3).for_each(|_| sort.add(&batch(&[1, 2, 3], &labels)).unwrap());
    assert!(matches!(sort.finish(|_| Err(EngineError::Interrupted)), Err(EngineError::Interrupted)));
}
