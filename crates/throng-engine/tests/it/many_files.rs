//! Tables of many files, other formats, and releases in parts.

use std::fs::{self, File};
use std::io::Read;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use throng_engine::error::EngineError;
use throng_engine::hash::{sha256, sha256_of_table};
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::progress::{Progress, Quiet};

use crate::sandbox::{Sandbox, run_on};
use crate::table::{Table, read_parquet, write_parquet};

/// Rows `start..end` of a table of 600: age 20 to 59, three towns, a number.
fn rows(start: usize, end: usize) -> RecordBatch {
    let town = |row: usize| ["Bonn", "Kiel", "Ulm"][row / 7 % 3];
    let ages: ArrayRef =
        Arc::new((start..end).map(|row| Some(20 + (row * 7 % 40) as i64)).collect::<Int64Array>());
    let towns: ArrayRef = Arc::new((start..end).map(|row| Some(town(row))).collect::<StringArray>());
    let number: ArrayRef = Arc::new(
        (start..end).map(|row| (row % 11 > 0).then(|| format!("{row}.50"))).collect::<StringArray>(),
    );
    RecordBatch::try_from_iter_with_nullable([
        ("age", ages, true),
        ("town", towns, true),
        ("number", number, true),
    ])
    .unwrap()
}

fn csv(batch: &RecordBatch, header: &[&str]) -> String {
    let table = Table::from_batch(batch);
    let columns: Vec<Vec<String>> =
        header.iter().map(|name| table.column(name).iter().map(|c| c.to_string()).collect()).collect();
    let mut text = header.join(",") + "\n";
    for row in 0..batch.num_rows() {
        text += &(columns.iter().map(|column| column[row].clone()).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

fn lines(batch: &RecordBatch) -> String {
    let table = Table::from_batch(batch);
    let (ages, towns, numbers) = (table.column("age"), table.column("town"), table.column("number"));
    let mut text = String::new();
    for row in 0..batch.num_rows() {
        let age = format!("\"age\": {}", ages[row]);
        let town = format!("\"town\":\"{}\"", towns[row]);
        let number =
            if numbers[row].is_empty() { String::new() } else { format!(",\"number\":{}", numbers[row]) };
        // Keys are in any order, and some are missing.
        text += &match row % 2 {
            0 => format!("{{{age},{town}{number}}}\n"),
            _ => format!("{{{town},{age}{number}}}\n"),
        };
    }
    text
}

fn arrow_file(path: &std::path::Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    for start in (0..batch.num_rows()).step_by(100) {
        writer.write(&batch.slice(start, 100.min(batch.num_rows() - start))).unwrap();
    }
    writer.finish().unwrap();
}

fn job(input: &str, output: &str) -> String {
    format!(
        "input = '{input}'\noutput = {output}\n[columns]\n\
         age = {{ role = 'quasi', hierarchy = {{ intervals = [10, 20] }} }}\ntown = {{ role = 'quasi' }}\n\
         '*' = {{ role = 'other' }}\n[privacy]\nk = 20\n"
    )
}

/// The table as one CSV file, and its release.
fn whole() -> (Sandbox, String) {
    let sandbox = Sandbox::with(&[("whole.csv", &csv(&rows(0, 600), &["age", "town", "number"]))]);
    sandbox.run(&job("whole.csv", "'whole-out.csv'"));
    let release = sandbox.text("whole-out.csv");
    assert!(release.starts_with("age,town,number\n") && release.lines().count() == 601);
    (sandbox, release)
}

#[test]
fn many_files_are_one_table_whatever_their_format() {
    let (sandbox, release) = whole();
    for folder in ["csv", "parquet", "arrow", "stream", "lines"] {
        fs::create_dir_all(sandbox.path(folder).join("deep")).unwrap();
    }
    fs::write(sandbox.path("csv/_SUCCESS"), "").unwrap();
    fs::write(sandbox.path("csv/.hidden"), "x").unwrap();
    for (at, name) in ["a", "b", "deep/c"].iter().enumerate() {
        let part = rows(at * 200, at * 200 + 200);
        let text = csv(&part, if at == 1 { &["number", "town", "age"] } else { &["age", "town", "number"] });
        match at {
            2 => fs::write(
                sandbox.path(&format!("csv/{name}.csv.zst")),
                zstd::encode_all(text.as_bytes(), 1).unwrap(),
            ),
            _ => fs::write(sandbox.path(&format!("csv/{name}.csv")), text),
        }
        .unwrap();
        let reordered = if at == 1 { part.project(&[2, 0, 1]).unwrap() } else { part.clone() };
        write_parquet(&sandbox.path(&format!("parquet/{name}.parquet")), &reordered);
        arrow_file(&sandbox.path(&format!("arrow/{name}.feather")), &reordered);
        let stream = File::create(sandbox.path(&format!("stream/{name}"))).unwrap();
        let mut writer = StreamWriter::try_new(stream, &part.schema()).unwrap();
        writer.write(&part).unwrap();
        writer.finish().unwrap();
        fs::write(sandbox.path(&format!("lines/{name}.jsonl")), lines(&part)).unwrap();
    }
    for folder in ["csv", "parquet", "arrow", "stream", "lines"] {
        for threads in [1, 3] {
            let job = sandbox.job(&job(folder, "'out.csv'"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let summary = pool.install(|| run_on(threads, &job, &Quiet)).unwrap();
            assert_eq!(summary.rows, 600, "{folder}");
            assert_eq!(sandbox.text("out.csv"), release, "{folder} with {threads} threads");
        }
    }
    sandbox.run(&job("csv/*", "'out.csv'"));
    assert_eq!(sandbox.text("out.csv"), release);
    sandbox.run(&job("parquet/**/*.parquet", "'out.csv'"));
    assert_eq!(sandbox.text("out.csv"), release);
}

#[test]
fn every_format_can_be_written() {
    let (sandbox, release) = whole();
    for output in ["out.arrow", "out.jsonl", "out.jsonl.gz", "out.ndjson.zst"] {
        sandbox.run(&job("whole.csv", &format!("'{output}'")));
        let again = job(output, "'again.csv'").replace("hierarchy = { intervals = [10, 20] }", "");
        sandbox.run(&again.replace("'quasi',", "'quasi'"));
        assert_eq!(sandbox.text("again.csv"), release, "{output}");
    }
    let reader = FileReader::try_new(File::open(sandbox.path("out.arrow")).unwrap(), None).unwrap();
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.unwrap()).collect();
    assert_eq!(Table::from_batch(&concat_batches(&schema, &batches).unwrap()), Table::parse(&release));
}

#[test]
fn json_lines_keep_the_types_of_what_is_released_as_it_was() {
    let text = "{\"age\":31,\"price\":1.50,\"member\":true,\"code\":\"007\",\"tags\":[1, 2]}\n\n\
                {\"code\":\"8\",\"age\":35,\"price\":null,\"tags\":{\"a\": \"b\"}}\n";
    let sandbox = Sandbox::with(&[("in.jsonl", text)]);
    let job = "input = 'in.jsonl'\noutput = 'out.jsonl'\n[columns]\n\
               age = { role = 'quasi', hierarchy = { intervals = [10] } }\n'*' = { role = 'other' }\n[privacy]\nk = 2\n";
    sandbox.run(job);
    assert_eq!(
        sandbox.text("out.jsonl"),
        "{\"age\":\"30-39\",\"price\":1.50,\"member\":true,\"code\":\"007\",\"tags\":[1, 2]}\n\
         {\"age\":\"30-39\",\"price\":null,\"member\":null,\"code\":\"8\",\"tags\":{\"a\": \"b\"}}\n"
    );
    let nested =
        job.replace("'*' = { role = 'other' }", "tags = { role = 'quasi' }\n'*' = { role = 'other' }");
    let error = sandbox.fail(&nested, &Quiet).to_string();
    assert!(error.contains("column 'tags' holds lists or objects"), "{error}");
}

#[test]
fn bad_lines_are_placed_and_not_shown() {
    let good = "{\"age\":31,\"town\":\"Bonn\"}\n";
    for (line, expected) in [
        ("{\"age\":31,\"town\":\"Secret", "row 3: this is not JSON"),
        ("[\"Secret\"]", "row 3: this is JSON, but not an object"),
        ("{\"age\":1,\"age\":2,\"town\":\"Secret\"}", "row 3: a key occurs twice"),
    ] {
        let sandbox = Sandbox::with(&[("in.jsonl", &format!("{good}\n{good}{line}\n{good}"))]);
        let error = sandbox.fail(&job("in.jsonl", "'out.csv'"), &Quiet);
        let text = error.to_string();
        assert!(text.contains(expected) && text.contains("in.jsonl") && !text.contains("Secret"), "{text}");
    }
    // What comes later than the first look.
    let many = good.repeat(30_000);
    for (line, expected) in [
        ("{\"age\":1,\"secret\":2}", "row 30001: this line has a key that no line"),
        ("{\"age\":[\"secret\"]}", "row 30001, column 'age': this is a list or an object"),
    ] {
        let sandbox = Sandbox::with(&[("in.jsonl", &format!("{many}{line}\n"))]);
        let text = sandbox.fail(&job("in.jsonl", "'out.csv'"), &Quiet).to_string();
        assert!(text.contains(expected) && !text.contains("secret"), "{text}");
    }
}

#[test]
fn partitions_of_hive_are_columns() {
    let sandbox = Sandbox::with(&[]);
    for (folder, start) in
        [("year=2023/region=S%C3%BCd", 0), ("year=2024/region=__HIVE_DEFAULT_PARTITION__", 300)]
    {
        let folder = sandbox.path("lake").join(folder);
        fs::create_dir_all(&folder).unwrap();
        write_parquet(&folder.join("part-0.parquet"), &rows(start, start + 300));
    }
    let source = Source::open(sandbox.path("lake"), &DialectOverrides::default()).unwrap();
    assert_eq!(source.columns(), ["age", "town", "number", "year", "region"]);
    assert_eq!((source.expected_rows(), source.file_count()), (Some(600), 2));
    let quasi = "year = { role = 'quasi' }\nregion = { role = 'quasi' }\n'*' = ";
    sandbox.run(&job("lake", "'out.csv'").replace("'*' = ", quasi));
    let table = sandbox.table("out.csv");
    let regions = table.column("region");
    assert!(
        regions[..300].iter().all(|&cell| cell == "Süd") && regions[300..].iter().all(|cell| cell.is_empty())
    );
    assert!(table.column("year")[300..].iter().all(|&cell| cell == "2024"));
    // A job must decide about them, too.
    let undecided =
        job("lake", "'out.csv'").replace("'*' = { role = 'other' }", "number = { role = 'other' }");
    let error = sandbox.fail(&undecided, &Quiet).to_string();
    assert!(error.contains("'year'") && error.contains("'region'"), "{error}");
    let error = sandbox.fail(&job("lake/year=2024/*/*", "'lake/year=2024/new/x.csv'"), &Quiet).to_string();
    assert!(error.contains("choose another output") || error.contains("does not exist"), "{error}");
}

#[test]
fn files_that_are_not_of_one_table_are_told_apart() {
    let complaint = |files: &[(&str, &str)]| {
        let sandbox = Sandbox::with(&[]);
        fs::create_dir(sandbox.path("in")).unwrap();
        files.iter().for_each(|(name, text)| {
            let path = sandbox.path("in").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        });
        let error = sandbox.fail(&job("in", "'out.csv'"), &Quiet);
        assert!(matches!(error, EngineError::BadInput(_)), "{error}");
        error.to_string()
    };
    let table = "age,town,number\n31,Bonn,1\n";
    let error = complaint(&[("a.csv", table), ("b.csv", "age,town,extra\n31,Bonn,1\n")]);
    assert!(error.contains("b.csv") && error.contains("it lacks 'number', it also has 'extra'"), "{error}");
    assert!(error.contains("a.csv"), "{error}");
    let error = complaint(&[("a.csv", table), ("b.jsonl", "{\"age\":1}\n")]);
    assert!(error.contains("JSON lines") && error.contains("delimited text"), "{error}");
    let error = complaint(&[("y=1/a.csv", table), ("b.csv", table)]);
    assert!(error.contains("the keys in its path are"), "{error}");
    let error = complaint(&[("town=1/a.csv", table)]);
    assert!(error.contains("column 'town' is both in the file and in its path"), "{error}");
    // First rows that have nothing in common may be data.
    let error = complaint(&[("a.csv", "Ann,Bonn\nBob,Kiel\nCas,Ulm\n"), ("b.csv", "Dan,Köln\nEve,Hof\n")]);
    assert!(error.contains("--no-header") && !error.contains("Dan"), "{error}");
}

#[test]
fn types_that_differ_name_both_files() {
    let sandbox = Sandbox::with(&[]);
    fs::create_dir(sandbox.path("in")).unwrap();
    write_parquet(&sandbox.path("in/a.parquet"), &rows(0, 10));
    let narrow: ArrayRef = Arc::new(Int32Array::from(vec![31; 10]));
    let mut columns: Vec<(&str, ArrayRef, bool)> = vec![("age", narrow, true)];
    let others = rows(0, 10);
    columns.extend([("town", others.column(1).clone(), true), ("number", others.column(2).clone(), true)]);
    write_parquet(&sandbox.path("in/b.parquet"), &RecordBatch::try_from_iter_with_nullable(columns).unwrap());
    let error = sandbox.fail(&job("in", "'out.csv'"), &Quiet).to_string();
    assert!(error.contains("b.parquet") && error.contains("a.parquet"), "{error}");
    assert!(error.contains("column 'age' has type Int32, but Int64"), "{error}");
}

#[test]
fn faults_are_placed_in_their_file() {
    let sandbox = Sandbox::with(&[]);
    fs::create_dir(sandbox.path("in")).unwrap();
    let good = csv(&rows(0, 200), &["age", "town", "number"]);
    fs::write(sandbox.path("in/a.csv.zst"), zstd::encode_all(good.as_bytes(), 1).unwrap()).unwrap();
    fs::write(sandbox.path("in/b.csv"), format!("{good}31,Bonn\n")).unwrap();
    let error = sandbox.fail(&job("in", "'out.csv'"), &Quiet);
    assert!(error.file().unwrap().ends_with("in/b.csv") && error.row() == Some(201), "{error}");
    // A value that the hierarchy cannot take is found after all was read.
    fs::write(sandbox.path("in/b.csv"), format!("{good}old,Bonn,1\n")).unwrap();
    let error = sandbox.fail(&job("in", "'out.csv'"), &Quiet);
    assert!(error.file().unwrap().ends_with("in/b.csv") && error.row() == Some(201), "{error}");
}

#[test]
fn files_that_were_cut_short_say_what_to_do() {
    let sandbox = Sandbox::with(&[]);
    write_parquet(&sandbox.path("t.parquet"), &rows(0, 600));
    arrow_file(&sandbox.path("t.arrow"), &rows(0, 600));
    for name in ["t.parquet", "t.arrow"] {
        let whole = sandbox.bytes(name);
        fs::write(sandbox.path(name), &whole[..whole.len() - 20]).unwrap();
        let error = sandbox.fail(&job(name, "'out.csv'"), &Quiet);
        let text = error.to_string();
        assert!(matches!(error, EngineError::BadInput(_)) && text.contains(name), "{text}");
        assert!(text.contains("is missing: it was cut short") && text.contains("copy it again"), "{text}");
    }
}

#[test]
fn a_release_in_parts_is_the_same_table() {
    let (sandbox, release) = whole();
    for (format, count) in [("csv", 6), ("csv.gz", 6), ("jsonl", 6), ("parquet", 6), ("arrow", 6)] {
        let output =
            format!("{{ path = 'parts/', rows_per_file = 110, format = '{format}', replace = true }}");
        let summary = sandbox.run(&job("whole.csv", &output));
        assert_eq!(summary.output_files, Some(count), "{format}");
        let names: Vec<String> = (0..count).map(|number| format!("part-{number:05}.{format}")).collect();
        let mut found: Vec<String> = fs::read_dir(sandbox.path("parts"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(found, names);
        // Labels are values of their own now.
        let again =
            job("parts", "'again.csv'").replace("'quasi', hierarchy = { intervals = [10, 20] }", "'quasi'");
        sandbox.run(&again);
        assert_eq!(sandbox.text("again.csv"), release, "{format}");
        assert_eq!(
            summary.provenance.output_sha256,
            Some(sha256_of_table(&sandbox.path("parts"), &Default::default()).unwrap())
        );
    }
    let first = read_parquet(&{
        sandbox.run(&job("whole.csv", "{ path = 'p/', rows_per_file = 599, format = 'parquet' }"));
        sandbox.path("p/part-00001.parquet")
    });
    assert_eq!(first.num_rows(), 1);
    assert!(!sandbox.names().iter().any(|name| name.starts_with('.')), "{:?}", sandbox.names());
}

#[test]
fn parts_replace_nothing_unasked_and_leave_nothing_behind() {
    let (sandbox, _) = whole();
    let parts = |more: &str| job("whole.csv", &format!("{{ path = 'parts/', rows_per_file = 200{more} }}"));
    sandbox.run(&parts(""));
    let before = sandbox.bytes("parts/part-00002.csv");
    let error = sandbox.fail(&parts(""), &Quiet).to_string();
    assert!(error.contains("--replace"), "{error}");
    /// Cancels as soon as rows are written.
    struct Stop(std::sync::atomic::AtomicBool);
    impl Progress for Stop {
        fn rows_written(&self, _: u64) {
            self.0.store(true, std::sync::atomic::Ordering::Relaxed);
        }
        fn cancelled(&self) -> bool {
            self.0.load(std::sync::atomic::Ordering::Relaxed)
        }
    }
    let error = sandbox.fail(&parts(", replace = true"), &Stop(false.into()));
    assert!(matches!(error, EngineError::Interrupted), "{error}");
    assert_eq!(sandbox.bytes("parts/part-00002.csv"), before);
    sandbox.run(&parts(", replace = true").replace("200", "500"));
    assert!(!sandbox.path("parts/part-00002.csv").exists() && sandbox.path("parts/part-00001.csv").exists());
}

#[test]
fn the_hash_of_many_files_is_that_of_their_sums() {
    let sandbox = Sandbox::with(&[]);
    fs::create_dir_all(sandbox.path("in/b")).unwrap();
    fs::write(sandbox.path("in/z.csv"), "age\n1\n").unwrap();
    fs::write(sandbox.path("in/b/a.csv"), "age\n2\n").unwrap();
    let sum = |name: &str| format!("{}  {name}\n", sha256(&sandbox.path("in").join(name)).unwrap());
    fs::write(sandbox.path("sums"), format!("{}{}", sum("b/a.csv"), sum("z.csv"))).unwrap();
    assert_eq!(
        sha256_of_table(&sandbox.path("in"), &Default::default()).unwrap(),
        sha256(&sandbox.path("sums")).unwrap()
    );
}

#[test]
fn a_compressed_part_is_whole() {
    let (sandbox, release) = whole();
    sandbox.run(&job("whole.csv", "{ path = 'parts/', format = 'csv.gz' }"));
    let mut text = String::new();
    let part = sandbox.bytes("parts/part-00000.csv.gz");
    flate2::read::GzDecoder::new(&*part).read_to_string(&mut text).unwrap();
    assert_eq!(text, release);
}
