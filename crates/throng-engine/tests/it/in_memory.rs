//! Tables in memory, and releases that stay there: no file is touched, and nothing else is different.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, Decimal128Array, DictionaryArray, Int32Array, Int64Array, LargeStringArray,
    RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Int32Type, TimeUnit};
use throng_engine::batches::MemoryTable;
use throng_engine::error::EngineError;
use throng_engine::job::{HierarchyFile, HierarchySpec, Job, Output};
use throng_engine::progress::{Quiet, watch};
use throng_engine::summary::RunOutcome;

use crate::sandbox::{Sandbox, run, run_on};

const JOB: &str = r#"
    input = "people"
    output = "release"
    [columns]
    age = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
    town = { role = "quasi" }
    "*" = { role = "other" }
    [privacy]
    k = 3
    suppression = 0.2
    person = "none"
"#;

fn text(cells: impl IntoIterator<Item = String>) -> ArrayRef {
    Arc::new(cells.into_iter().map(Some).collect::<StringArray>())
}

fn people(rows: i64) -> RecordBatch {
    let ages: ArrayRef = Arc::new((0..rows).map(|row| 20 + row * 7 % 40).collect::<Int64Array>());
    let towns = DictionaryArray::<Int32Type>::new(
        (0..rows as i32).map(|row| (row % 5 != 4).then_some(row % 3)).collect::<Int32Array>(),
        Arc::new(StringArray::from(vec!["Bonn", "Kiel", "Ulm", "nobody lives here"])),
    );
    let whens = TimestampMillisecondArray::from_iter_values(0..rows).with_timezone("Europe/Berlin");
    let costs = Decimal128Array::from_iter_values((0..rows).map(i128::from)).with_precision_and_scale(9, 2);
    let columns: [(&str, ArrayRef); 6] = [
        ("age", ages),
        ("town", Arc::new(towns)),
        (
            "visits",
            Arc::new((0..rows as i32).map(|row| (row % 4 > 0).then_some(row % 2)).collect::<Int32Array>()),
        ),
        ("seen", Arc::new(whens)),
        ("cost", Arc::new(costs.unwrap())),
        ("ward", Arc::new((0..rows).map(|row| Some(format!("w{}", row % 2))).collect::<LargeStringArray>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The job of some batches, and where its release will be.
fn job_of(text: &str, batches: Vec<RecordBatch>) -> (Job, MemoryTable) {
    let release = MemoryTable::unwritten("release");
    let input = MemoryTable::from_batches("people", batches[0].schema(), batches).into();
    let job = Job { input, output: Output::at(release.clone()), ..Job::parse(text, "".as_ref()).unwrap() };
    (job, release)
}

fn rows_of(release: &MemoryTable) -> RecordBatch {
    let rows = release.rows().unwrap();
    concat_batches(&rows.schema, rows.batches.iter()).unwrap()
}

/// How many rows have the same cells in the first two columns.
fn classes(rows: &RecordBatch) -> BTreeMap<(String, Option<String>), usize> {
    let (ages, towns) = (rows.column(0).as_string::<i32>(), rows.column(1).as_string::<i32>());
    let mut classes = BTreeMap::new();
    for (age, town) in ages.iter().zip(towns) {
        *classes.entry((age.unwrap().to_owned(), town.map(str::to_owned))).or_default() += 1;
    }
    classes
}

#[test]
fn columns_that_are_kept_keep_their_types() {
    let (job, release) = job_of(JOB, vec![people(150), people(150).slice(0, 50)]);
    let summary = run(&job, &Quiet).unwrap();
    assert_eq!((summary.outcome, summary.rows), (RunOutcome::Released, 200));
    assert_eq!((summary.provenance.input_sha256, summary.provenance.output_sha256), (None, None));
    let rows = rows_of(&release);
    assert_eq!(rows.num_rows() as u64, 200 - summary.suppressed_rows);
    assert!(classes(&rows).values().all(|&size| size >= 3), "{:?}", classes(&rows));
    let kinds: Vec<DataType> = rows.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    let zoned = DataType::Timestamp(TimeUnit::Millisecond, Some("Europe/Berlin".into()));
    let kept = [DataType::Int32, zoned, DataType::Decimal128(9, 2), DataType::LargeUtf8];
    assert_eq!((&kinds[..2], &kinds[2..]), (&[DataType::Utf8, DataType::Utf8][..], &kept[..]));
    assert!(rows.column(2).null_count() > 0);
}

#[test]
fn the_release_is_that_of_a_file_whatever_the_threads() {
    let people = people(3000);
    let sandbox = Sandbox::with(&[]);
    let file = std::fs::File::create(sandbox.path("people.arrow")).unwrap();
    let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &people.schema()).unwrap();
    writer.write(&people).unwrap();
    writer.finish().unwrap();
    let from_file = JOB.replace("\"people\"", "\"people.arrow\"").replace("\"release\"", "\"release.arrow\"");
    let said = sandbox.run(&from_file);
    let file = std::fs::File::open(sandbox.path("release.arrow")).unwrap();
    let reader = arrow::ipc::reader::FileReader::try_new(file, None).unwrap();
    let expected =
        concat_batches(&reader.schema(), &reader.map(|batch| batch.unwrap()).collect::<Vec<_>>()).unwrap();
    for workers in [1, 3] {
        let (job, release) = job_of(JOB, vec![people.clone()]);
        let summary = run_on(workers, &job, &Quiet).unwrap();
        assert_eq!((summary.measures, summary.levels), (said.measures.clone(), said.levels.clone()));
        assert_eq!(rows_of(&release), expected);
    }
}

#[test]
fn hierarchies_and_populations_are_tables_too() {
    let job = format!("{JOB}\n[[privacy.require]]\nmodel = \"k-map\"\nk = 4\npopulation = \"everybody\"");
    let (mut job, release) = job_of(&job, vec![people(60)]);
    let towns = ["Bonn", "Kiel", "Ulm", ""].map(|town| {
        [town.to_owned(), if town == "Kiel" { "north" } else { "elsewhere" }.to_owned(), "*".to_owned()]
    });
    let levels = [0, 1, 2].map(|level| text(towns.iter().map(|row| row[level].clone())));
    let towns = RecordBatch::try_from_iter(["town", "part", "top"].into_iter().zip(levels)).unwrap();
    let towns = MemoryTable::from_batches("towns", towns.schema(), vec![towns]);
    let mut column = job.columns.get("town").unwrap().clone();
    column.hierarchy = Some(HierarchySpec::File(HierarchyFile::of_memory(towns)));
    job.columns.set("town", column);
    let everybody = people(60);
    let everybody =
        MemoryTable::from_batches("everybody", everybody.schema(), vec![everybody.clone(), everybody]);
    job.privacy.require[0] = job.privacy.require[0].clone().with_population(everybody);
    assert_eq!(run(&job, &Quiet).unwrap().outcome, RunOutcome::Released);
    let shown: Vec<Option<String>> = classes(&rows_of(&release)).into_keys().map(|(_, town)| town).collect();
    assert!(!shown.is_empty());
    let error = job.to_toml().unwrap_err().to_string();
    assert!(error.contains("is in memory"), "{error}");
}

#[test]
fn faults_are_named_and_leave_nothing() {
    let never = JOB.replace("town =", "ward = { role = \"sensitive\" }\n    town =");
    let never =
        format!("{never}\n[[privacy.require]]\nmodel = \"recursive-cl\"\nc = 0.1\nl = 2\ncolumn = \"ward\"");
    let (job, release) = job_of(&never, vec![people(60)]);
    assert_eq!(run(&job, &Quiet).unwrap().outcome, RunOutcome::Infeasible);
    assert!(release.rows().is_none());

    let ages = text((0..9).map(|row| if row == 6 { "old".to_owned() } else { row.to_string() }));
    let odd = RecordBatch::try_from_iter([("age", ages.clone()), ("town", ages)]).unwrap();
    let error = run(&job_of(JOB, vec![odd.clone()]).0, &Quiet).unwrap_err();
    assert_eq!((error.file(), error.row(), error.column()), (Some("people".as_ref()), Some(7), Some("age")));
    assert!(!error.to_string().contains("old"), "{error}");

    let error = run(&job_of(JOB, vec![odd.slice(0, 0)]).0, &Quiet).unwrap_err();
    assert!(error.to_string().contains("no data rows"), "{error}");

    let (job, release) = job_of(JOB, vec![people(60)]);
    let (watched, canceller, _events) = watch();
    canceller.cancel();
    assert!(matches!(run(&job, &watched).unwrap_err(), EngineError::Interrupted));
    assert!(release.rows().is_none());
}
