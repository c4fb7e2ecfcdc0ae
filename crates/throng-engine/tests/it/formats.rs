//! Text, Parquet and compression in every direction.

use std::fs;
use std::io::Read;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use throng_engine::error::EngineError;
use throng_engine::progress::Quiet;

use crate::sandbox::Sandbox;
use crate::table::{Table, read_parquet, write_parquet};

const PEOPLE: &str = "\
name,age,sex,note
Ann Secretname,31,f,00a
Bob Secretname,33,m,
Cas Secretname,38,f,\"1,5\"
Dan Secretname,36,m,d
";

/// With k = 2 ages go to ranges of ten, and sexes stay.
const RELEASE: &str = "\
age,sex,note
30-39,f,00a
30-39,m,
30-39,f,\"1,5\"
30-39,m,d
";

fn job(input: &str, output: &str) -> String {
    format!(
        "input = '{input}'\noutput = '{output}'\n[columns]\n\
         name = {{ role = 'identifier' }}\nage = {{ role = 'quasi', hierarchy = {{ intervals = [10] }} }}\n\
         sex = {{ role = 'quasi' }}\nnote = {{ role = 'other' }}\n[privacy]\nk = 2\n"
    )
}

#[test]
fn every_format_holds_the_same_release() {
    let sandbox = Sandbox::with(&[("people.csv", PEOPLE)]);
    for output in ["out.csv", "out.csv.gz", "out.csv.zst", "out.parquet", "out.tsv"] {
        sandbox.run(&job("people.csv", output));
    }
    assert_eq!(sandbox.text("out.csv"), RELEASE);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*sandbox.bytes("out.csv.gz")).read_to_string(&mut text).unwrap();
    assert_eq!(text, RELEASE);
    assert_eq!(zstd::decode_all(&*sandbox.bytes("out.csv.zst")).unwrap(), RELEASE.as_bytes());
    assert_eq!(Table::from_batch(&read_parquet(&sandbox.path("out.parquet"))), Table::parse(RELEASE));
    assert_eq!(
        sandbox.text("out.tsv"),
        RELEASE.replace("1,5", "#").replace(',', "\t").replace("\"#\"", "1,5")
    );
}

#[test]
fn every_format_can_be_read() {
    let sandbox = Sandbox::with(&[]);
    let mut gz = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(PEOPLE.as_bytes(), flate2::Compression::fast());
    encoder.read_to_end(&mut gz).unwrap();
    fs::write(sandbox.path("people.csv.gz"), gz).unwrap();
    fs::write(sandbox.path("people.csv.zst"), zstd::encode_all(PEOPLE.as_bytes(), 1).unwrap()).unwrap();
    write_parquet(&sandbox.path("people.parquet"), &people());
    for input in ["people.csv.gz", "people.csv.zst", "people.parquet"] {
        sandbox.run(&job(input, "out.csv"));
        assert_eq!(sandbox.text("out.csv"), RELEASE, "{input}");
    }
}

/// The people with their ages as numbers.
fn people() -> RecordBatch {
    let table = Table::parse(PEOPLE);
    let text = |name: &str| -> ArrayRef {
        Arc::new(
            table
                .column(name)
                .into_iter()
                .map(|cell| Some(cell).filter(|c| !c.is_empty()))
                .collect::<StringArray>(),
        )
    };
    let ages: Int64Array = table.column("age").iter().map(|age| age.parse::<i64>().ok()).collect();
    let columns =
        [("name", text("name")), ("age", Arc::new(ages) as _), ("sex", text("sex")), ("note", text("note"))];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
}

#[test]
fn names_and_cells_are_quoted_where_they_must_be() {
    let input = "\"the \"\"age\"\"\",\"a,b\",text\n31,x,\"line\nbreak\"\n31,x,\"quo\"\"te\"\n47,\"y\"\"\",\"com,ma\"\n47,\"y\"\"\",\"\r\n\"\n";
    let sandbox = Sandbox::with(&[("in.csv", input)]);
    let job = "input = 'in.csv'\noutput = 'out.csv'\n[columns]\n'the \"age\"' = { role = 'quasi' }\n\
               'a,b' = { role = 'quasi' }\ntext = { role = 'other' }\n[privacy]\nk = 2\n";
    sandbox.run(job);
    assert_eq!(sandbox.text("out.csv"), input);
    sandbox.run(&job.replace("out.csv", "out.parquet"));
    assert_eq!(Table::from_batch(&read_parquet(&sandbox.path("out.parquet"))), Table::parse(input));
    sandbox.run(&job.replace("'out.csv'", "{ path = 'mixed.csv', order = 'shuffle' }"));
    assert_eq!(sandbox.table("mixed.csv").sorted(), Table::parse(input).sorted());
}

#[test]
fn files_without_a_header_stay_without_one() {
    let text: String = PEOPLE.lines().skip(1).map(|line| line.to_owned() + "\n").collect();
    let sandbox = Sandbox::with(&[("people.csv", &text)]);
    let named = job("people.csv", "out.csv") + "[csv]\nheader = false\n";
    let names = [
        ("name =", "column_1 ="),
        ("age =", "column_2 ="),
        ("sex =", "column_3 ="),
        ("note =", "column_4 ="),
    ];
    let job = names.iter().fold(named, |job, (old, new)| job.replace(old, new));
    sandbox.run(&job);
    assert_eq!(format!("age,sex,note\n{}", sandbox.text("out.csv")), RELEASE);
}

#[test]
fn a_quote_that_is_never_closed_is_refused_even_in_a_column_left_out() {
    let sandbox = Sandbox::with(&[("in.csv", "age,name\n31,a\n31,\"b\n47,c\n47,d\n")]);
    let job = "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nage = { role = 'quasi' }\n\
               name = { role = 'identifier' }\n[privacy]\nk = 2\n";
    let error = sandbox.fail(job, &Quiet);
    assert!(
        matches!(error, EngineError::BadInput(_)) && error.to_string().contains("never closed"),
        "{error}"
    );
}
