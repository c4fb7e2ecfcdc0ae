use std::sync::Arc;

use arrow::array::{BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array};

use super::*;
use crate::profile::{ColumnKind, DateFormat};

fn column(array: impl Array + 'static) -> ColumnCounts {
    let mut column = ColumnCounts::new(0, 1_000);
    let array: ArrayRef = Arc::new(array);
    column.add(&array).unwrap();
    column
}

fn summary(column: &ColumnCounts) -> (ColumnKind, u64, u64, u64) {
    let (distinct, unique) = column.counts();
    let kind = column.spellings().infer("", distinct.value).kind;
    (kind, column.spellings().missing(), distinct.value, unique.value)
}

#[test]
fn text_is_counted_and_spelled() {
    let cells = vec![Some("7"), None, Some("12"), Some("7"), Some(""), Some("3.5")];
    let column = column(StringArray::from(cells));
    assert_eq!(summary(&column), (ColumnKind::Decimal, 2, 3, 2));
    let keys = column.map_keys(|key| key);
    assert_eq!((keys.len(), keys[0] == keys[3], keys[1] == keys[4]), (6, true, true));
    assert_ne!(keys[0], keys[1]);
}

#[test]
fn columns_of_other_types_need_no_text() {
    let integers = column(Int32Array::from(vec![Some(-7), None, Some(5), Some(5)]));
    assert_eq!(summary(&integers), (ColumnKind::Integer, 1, 2, 2), "one missing row is unique, too");
    let floats = column(Float64Array::from(vec![0.5, f64::NAN, 2.0, f64::NAN]));
    assert_eq!(summary(&floats), (ColumnKind::Mixed, 0, 3, 2));
    let dates = column(Date32Array::from(vec![0, 1, 0]));
    assert_eq!(summary(&dates), (ColumnKind::Date(DateFormat::IsoDay), 0, 2, 1));
    let truth = column(BooleanArray::from(vec![true, false, true]));
    assert_eq!(summary(&truth), (ColumnKind::Boolean, 0, 2, 1));
}

/// Numbers, keys and the way back: what a row is does not depend on when it came.
#[test]
fn rows_keep_their_keys_when_values_get_numbers_and_lose_them() {
    let number = |row: i64| match row {
        ..500 => (row % 7 > 0).then_some(row % 7 * 1_000),
        _ => Some(row),
    };
    let text = |row: i64| number(row).map(|number| number.to_string());
    let batches = |make: &dyn Fn(std::ops::Range<i64>) -> ArrayRef| -> Vec<ArrayRef> {
        (0..10).map(|at| make(at * 100..at * 100 + 100)).collect()
    };
    let integers = batches(&|rows| Arc::new(rows.map(number).collect::<Int64Array>()));
    let texts = batches(&|rows| Arc::new(rows.map(text).collect::<StringArray>()));
    let coded = batches(&|rows| {
        let cells: Vec<Option<String>> = rows.map(text).collect();
        Arc::new(cells.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>())
    });
    for batches in [integers, texts, coded] {
        let [mut numbered, mut plain] = [ColumnCounts::new(0, 300), ColumnCounts::new(0, 300)];
        for (at, batch) in batches.iter().enumerate() {
            numbered.add(batch).unwrap();
            plain.add(batch).unwrap();
            if at == 1 {
                numbered.number_values();
            }
            assert_eq!(numbered.is_numbered(), (1..7).contains(&at), "batch {at}");
            assert!((0..100 * at + 100).all(|row| numbered.key(row) == plain.key(row)), "batch {at}");
            assert_eq!(numbered.map_keys(|key| key), plain.map_keys(|key| key));
        }
        assert_eq!(summary(&numbered), summary(&plain));
    }
}

/// A list of values that batches share, with values that no row has, and one that is empty.
#[test]
fn lists_of_values_are_counted_like_their_cells() {
    let values: ArrayRef = Arc::new(StringArray::from(vec!["a", "nobody", "", "7", "c"]));
    let [mut coded, mut plain] = [ColumnCounts::new(0, 100), ColumnCounts::new(0, 100)];
    for cells in [vec![Some(0), Some(3), None, Some(0)], vec![Some(4), Some(2)], vec![Some(0), Some(3)]] {
        let array = DictionaryArray::new(Int32Array::from(cells), Arc::clone(&values));
        plain.add(&as_text(&(Arc::new(array.clone()) as ArrayRef)).unwrap()).unwrap();
        coded.add(&(Arc::new(array) as ArrayRef)).unwrap();
    }
    assert_eq!(summary(&coded), (ColumnKind::Category, 2, 3, 1));
    assert_eq!(summary(&coded), summary(&plain));
    assert_eq!(coded.map_keys(|key| key), plain.map_keys(|key| key));
}

#[test]
fn integers_are_counted_alike_by_place_and_by_hash() {
    let far = i64::MAX / 3;
    let cells: Vec<Option<i64>> = (0..400)
        .map(|row| match row % 5 {
            0 => None,
            1 => Some(row % 60 - 30),
            2 => Some(far * (row % 3 - 1)),
            _ => Some(row),
        })
        .collect();
    let numbers = column(Int64Array::from(cells.clone()));
    let text: StringArray = cells.iter().map(|cell| cell.map(|cell| cell.to_string())).collect();
    assert_eq!(summary(&numbers), summary(&column(text)));
}

#[test]
fn equal_values_of_two_columns_have_different_keys() {
    let array: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let mut columns = [ColumnCounts::new(0, 10), ColumnCounts::new(1, 10)];
    columns.iter_mut().for_each(|column| column.add(&array).unwrap());
    assert_ne!(columns[0].key(0), columns[1].key(0));
}

/// Beyond the limit, kinds are still decided by every cell.
#[test]
fn one_odd_cell_among_many_is_found() {
    let mut cells: Vec<String> = (0..20_000).map(|n| (100_000 + n).to_string()).collect();
    cells[17_171] = "x".to_owned();
    let mut column = ColumnCounts::new(0, 100);
    let array: ArrayRef = Arc::new(StringArray::from(cells));
    column.add(&array).unwrap();
    assert!(column.counts().0.estimated);
    assert_eq!(summary(&column).0, ColumnKind::Mixed);
}
