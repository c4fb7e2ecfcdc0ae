//! Columns that are kept, but coded or moved: typed ones, row by row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Decimal128Array, Float32Array, Int64Array, RecordBatch,
    StringArray, TimestampMicrosecondArray,
};
use arrow::datatypes::{Date32Type, Decimal128Type, Float32Type, Int64Type, TimestampMicrosecondType};

use crate::sandbox::Sandbox;
use crate::table::{read_parquet, write_parquet};

const ROWS: i32 = 60;
const PERSONS: i32 = 20;
const DAY: i64 = 86_400_000_000;

fn wards() -> ArrayRef {
    let wards: StringArray = (0..ROWS).map(|row| Some(["north", "south"][row as usize % 2])).collect();
    Arc::new(wards)
}

fn write(sandbox: &Sandbox, columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, cells)| (name, cells, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    write_parquet(&sandbox.path("in.parquet"), &batch);
    batch
}

fn job(columns: &str, person: &str) -> String {
    format!(
        "input = 'in.parquet'\noutput = {{ path = 'out.parquet', order = 'keep' }}\n[columns]\n\
         ward = {{ role = 'quasi' }}\n{columns}\n[privacy]\nk = 2\n{person}\n"
    )
}

/// By how many days both dates of each row were moved; none where the day is missing.
fn shifts(person: &str) -> Vec<i64> {
    let sandbox = Sandbox::with(&[]);
    let patients: Int64Array = (0..ROWS).map(|row| Some(i64::from(row % PERSONS))).collect();
    let came: Date32Array = (0..ROWS).map(|row| (row % 11 != 3).then_some(19_000 + row * 7 % 30)).collect();
    let left: TimestampMicrosecondArray =
        (0..ROWS).map(|row| Some(1_700_000_000_000_000 + i64::from(row) * 3_600_000_001)).collect();
    let left = left.with_timezone("UTC");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("patient", Arc::new(patients)),
        ("ward", wards()),
        ("came", Arc::new(came)),
        ("left", Arc::new(left)),
    ];
    let input = write(&sandbox, columns);
    let columns = "patient = { role = 'identifier' }\ncame = { role = 'other', shift_days = 60 }\n\
                   left = { role = 'other', shift_days = 60 }";
    sandbox.run(&job(columns, &format!("person = '{person}'")));
    let release = read_parquet(&sandbox.path("out.parquet"));
    let both = |name: &str| {
        let (before, after) = (input.column_by_name(name).unwrap(), release.column_by_name(name).unwrap());
        assert_eq!(before.data_type(), after.data_type(), "{name}");
        (Arc::clone(before), Arc::clone(after))
    };
    let ((came, moved_came), (left, moved_left)) = (both("came"), both("left"));
    let (came, moved_came) = (came.as_primitive::<Date32Type>(), moved_came.as_primitive::<Date32Type>());
    let left = left.as_primitive::<TimestampMicrosecondType>();
    let moved_left = moved_left.as_primitive::<TimestampMicrosecondType>();
    let shift = |row: usize| {
        let microseconds = moved_left.value(row) - left.value(row);
        assert_eq!(microseconds % DAY, 0, "row {row} keeps its time of day");
        let days = microseconds / DAY;
        assert!(days.abs() <= 60, "row {row}: {days}");
        assert_eq!(came.is_valid(row), moved_came.is_valid(row), "row {row}");
        if came.is_valid(row) {
            assert_eq!(i64::from(moved_came.value(row) - came.value(row)), days, "row {row}");
        }
        days
    };
    (0..ROWS as usize).map(shift).collect()
}

/// The numbers of days of each person.
fn by_person(shifts: &[i64]) -> BTreeMap<usize, BTreeSet<i64>> {
    let mut found: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    for (row, days) in shifts.iter().enumerate() {
        found.entry(row % PERSONS as usize).or_default().insert(*days);
    }
    found
}

#[test]
fn typed_dates_of_a_person_move_by_one_number() {
    let found = by_person(&shifts("patient"));
    assert!(found.values().all(|days| days.len() == 1), "{found:?}");
    let all: BTreeSet<i64> = found.into_values().flatten().collect();
    assert!(all.len() > 5, "{all:?}");
}

#[test]
fn typed_dates_of_rows_without_persons_move_row_by_row() {
    let found = by_person(&shifts("none"));
    let apart = found.values().filter(|days| days.len() > 1).count();
    assert!(apart > PERSONS as usize / 2, "{found:?}");
}

#[test]
fn typed_numbers_are_coded_row_by_row() {
    let sandbox = Sandbox::with(&[]);
    let known = |row: i32| row % 7 != 3;
    let ages: Int64Array = (0..ROWS).map(|row| known(row).then_some(i64::from(row) * 3)).collect();
    let scores: Float32Array = (0..ROWS).map(|row| known(row).then_some(row as f32 * 0.017)).collect();
    let pay: Decimal128Array = (0..ROWS).map(|row| known(row).then_some(i128::from(row) * 101)).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("ward", wards()),
        ("age", Arc::new(ages)),
        ("score", Arc::new(scores)),
        ("pay", Arc::new(pay.with_precision_and_scale(12, 2).unwrap())),
    ];
    let input = write(&sandbox, columns);
    let columns = "age = { role = 'other', bottom = 20, top = 90, round = 5 }\n\
                   score = { role = 'sensitive', round = 0.1 }\n\
                   pay = { role = 'other', bottom = 1.5, top = 40, round = 0.5 }";
    sandbox.run(&job(columns, ""));
    let release = read_parquet(&sandbox.path("out.parquet"));
    assert_eq!(release.schema().field(1).data_type(), input.schema().field(1).data_type());
    let ages = release.column_by_name("age").unwrap().as_primitive::<Int64Type>();
    let scores = release.column_by_name("score").unwrap().as_primitive::<Float32Type>();
    let pay = release.column_by_name("pay").unwrap();
    assert_eq!(pay.data_type(), input.column_by_name("pay").unwrap().data_type());
    let pay = pay.as_primitive::<Decimal128Type>();
    for row in 0..ROWS {
        let at = row as usize;
        assert_eq!([ages.is_valid(at), scores.is_valid(at), pay.is_valid(at)], [known(row); 3], "row {row}");
        if known(row) {
            assert_eq!(ages.value(at), ((i64::from(row) * 3).clamp(20, 90) + 2) / 5 * 5, "row {row}");
            let tenths = (f64::from(row as f32 * 0.017) * 10.0).round();
            assert_eq!(scores.value(at), (tenths / 10.0) as f32, "row {row}");
            assert_eq!(
                pay.value(at),
                ((i128::from(row) * 101).clamp(150, 4_000) + 25) / 50 * 50,
                "row {row}"
            );
        }
    }
}
