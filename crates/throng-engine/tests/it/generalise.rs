//! Columns without hierarchies: ranges, sets and prefixes, from the file to the release.

use std::collections::BTreeMap;

use throng_engine::error::EngineError;
use throng_engine::progress::Quiet;
use throng_engine::summary::Summary;

use crate::sandbox::Sandbox;
use crate::table::Table;

/// A job over columns with a way to generalise each, `k = 2` and a search.
fn job(columns: &[(&str, &str)], privacy: &str, search: &str) -> String {
    let columns: String = columns
        .iter()
        .map(|(name, way)| format!("{name} = {{ role = 'quasi', generalise = {way} }}\n"))
        .collect();
    format!(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\n{columns}'*' = {{ role = 'other' }}\n\
         [privacy]\nk = 2\n{privacy}\n[search]\n{search}\n"
    )
}

fn release(input: &str, job: &str) -> (Table, Summary) {
    let sandbox = Sandbox::with(&[("in.csv", input)]);
    let summary = sandbox.run(job);
    (sandbox.table("out.csv"), summary)
}

const AGGLOMERATIVE: &str = "algorithm = 'agglomerative'";

/// Tables 1 and 2 of Sarrafi Aghdam and Sonehara.
#[test]
fn the_patients_of_the_paper_are_released_as_there() {
    let input = "age,zip,disease\n25,22370,HIV\n35,22410,Asthma\n40,55490,Malaria\n45,55410,Flue\n";
    let columns = [("age", "'range'"), ("zip", "'prefix'")];
    let (table, summary) = release(input, &job(&columns, "", AGGLOMERATIVE));
    assert_eq!(table.column("age"), ["25~35", "25~35", "40~45", "40~45"]);
    assert_eq!(table.column("zip"), ["22***", "22***", "554**", "554**"]);
    assert_eq!((summary.levels, &summary.achieved["k"]), (None, &2.into()));
    let ncp = summary.measures["ncp"].as_f64().unwrap();
    // Half of the ages span 10 of 20, half 5; half of the codes share two digits of four codes.
    assert!((ncp - (0.5 * (0.5 + 0.25) + 0.5 * (0.5 + 0.5)) / 2.0).abs() < 1e-12, "{ncp}");
}

#[test]
fn full_domain_algorithms_see_values_and_nothing() {
    let input = "age,job\n25,cook\n25,cook\n30,nurse\n31,nurse\n";
    let columns = [("age", "'range'"), ("job", "'set'")];
    let (table, summary) = release(input, &job(&columns, "", "algorithm = 'flash'"));
    assert_eq!(table.column("age"), ["*"; 4]);
    assert_eq!(table.column("job"), ["cook", "cook", "nurse", "nurse"]);
    assert_eq!(summary.heights["age"], 1);
}

/// Numbers with decimals and signs, dates of two spellings, text that needs quotes, codes with
/// leading zeros; some are missing.
fn mixed() -> String {
    let jobs = ["cook", "nurse, night", "{clerk}x", "say \"hi\"", " spaced", "judge", ""];
    let mut text = String::from("record,size,seen,born,job,code\n");
    for i in 0..60u32 {
        let size =
            if i % 13 == 5 { String::new() } else { format!("{:.2}", f64::from(i * 37 % 101) / 4.0 - 9.0) };
        let seen = format!("20{:02}-{:02}-{:02}", 10 + i % 11, 1 + i * 5 % 12, 1 + i * 7 % 28);
        let born = format!("{:02}.{:02}.19{:02}", 1 + i * 11 % 28, 1 + i % 12, 40 + i * 3 % 60);
        let job = jobs[(i * i % 7) as usize].replace('"', "\"\"");
        text += &format!("{i},{size},{seen},{born},\"{job}\",{:05}\n", i * 7919 % 3000);
    }
    text
}

const COLUMNS: [(&str, &str); 5] = [
    ("size", "'range'"),
    ("seen", "'range'"),
    ("born", "{ range = '%d.%m.%Y' }"),
    ("job", "{ set = 3 }"),
    ("code", "'prefix'"),
];

/// Whether a released cell covers the original one, by the text of both alone.
fn covers(column: &str, released: &str, original: &str) -> bool {
    if released == original || released == "*" {
        return true;
    }
    let date = |text: &str| text.split('.').rev().map(str::to_owned).collect::<Vec<_>>();
    let between = released.split_once('~');
    match column {
        "size" => {
            let number = |text: &str| text.parse::<f64>().unwrap();
            !original.is_empty()
                && between.is_some_and(|(low, high)| (number(low)..=number(high)).contains(&number(original)))
        }
        "seen" => between.is_some_and(|(low, high)| (low..=high).contains(&original)),
        "born" => between.is_some_and(|(low, high)| (date(low)..=date(high)).contains(&date(original))),
        "job" => {
            let plain =
                !original.is_empty() && original.trim() == original && !original.contains([',', '{', '"']);
            let member =
                if plain { original.to_owned() } else { format!("\"{}\"", original.replace('"', "\"\"")) };
            let inner = released.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap();
            let (first, last) = (format!("{member}, "), format!(", {member}"));
            inner.starts_with(&first) || inner.ends_with(&last) || inner.contains(&format!(", {member}, "))
        }
        _ => original.starts_with(released.trim_end_matches('*')),
    }
}

fn assert_covers(input: &Table, output: &Table) {
    for (column, _) in COLUMNS {
        for (released, original) in output.column(column).iter().zip(input.column(column)) {
            assert!(covers(column, released, original), "{column}: {released} for {original}");
        }
    }
}

#[test]
fn every_local_algorithm_releases_them_and_the_file_verifies() {
    let input = mixed();
    let original = Table::parse(&input);
    for algorithm in ["agglomerative", "forest", "sequential"] {
        let (table, summary) = release(&input, &job(&COLUMNS, "", &format!("algorithm = '{algorithm}'")));
        assert_covers(&original, &table);
        let mut classes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        for row in 0..table.rows.len() {
            let class = COLUMNS.map(|(column, _)| table.column(column)[row]).to_vec();
            *classes.entry(class).or_default() += 1;
        }
        assert!(classes.values().all(|&rows| rows >= 2), "{algorithm}");
        let shown: Vec<&str> = COLUMNS.iter().flat_map(|(column, _)| table.column(column)).collect();
        for pattern in ["~", "{", "*"] {
            assert!(shown.iter().any(|cell| cell.contains(pattern)), "{algorithm}: no {pattern}");
        }
        assert!(summary.measures["lm"].as_f64().unwrap() < 0.9, "{algorithm}");
    }
}

/// The notions other than k are judged row by row in the written file: labels are read back.
#[test]
fn notions_are_judged_in_the_written_file() {
    let input = mixed();
    let original = Table::parse(&input);
    for (algorithm, notion) in [("expansion", "kk"), ("nearest", "global-1k"), ("expansion", "k1")] {
        let job = job(&COLUMNS, &format!("notion = '{notion}'"), &format!("algorithm = '{algorithm}'"));
        let (table, summary) = release(&input, &job);
        assert_covers(&original, &table);
        assert!(summary.achieved.values().all(|degree| degree.as_u64().is_some()), "{algorithm}");
    }
}

/// The message about a bad value: it names the row and the column, and shows no cell.
fn complaint(values: &[&str], way: &str) -> String {
    let rows: String = values.iter().map(|value| format!("\"{value}\"\n")).collect();
    let sandbox = Sandbox::with(&[("in.csv", &format!("x\n{rows}"))]);
    let error = sandbox.fail(&job(&[("x", way)], "", AGGLOMERATIVE), &Quiet);
    assert!(matches!(error, EngineError::BadInput(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    error.to_string()
}

#[test]
fn values_that_do_not_fit_are_named_by_row_and_column() {
    for bad in ["secret", "NaN", "-inf", "2020-01-05"] {
        let message = complaint(&["1", "2.5", bad, "7"], "'range'");
        assert!(message.contains("row 3, column 'x': the value is not a finite number"), "{message}");
    }
    let message = complaint(&["2020-01-05", "2021-01-05", "05/01/2020"], "'range'");
    assert!(message.contains("row 3, column 'x': the value is not a date"), "{message}");
    let message = complaint(&["05/01/2020", "2020-01-05"], "{ range = '%d/%m/%Y' }");
    assert!(message.contains("row 2, column 'x': the value is not a date of the form"), "{message}");
    let message = complaint(&["a", "{secret}"], "'set'");
    assert!(message.contains("row 2, column 'x'"), "{message}");
}

#[test]
fn columns_of_one_value_or_of_none_stay_as_they_are() {
    for (way, value) in
        [("'range'", "7"), ("'range'", ""), ("'set'", "a"), ("'set'", ""), ("'prefix'", "007")]
    {
        let input = format!("x,y\n{value},1\n{value},2\n{value},3\n");
        let (table, _) = release(&input, &job(&[("x", way)], "", AGGLOMERATIVE));
        assert_eq!(table.column("x"), [value; 3], "{way}");
    }
}

/// A range is asked for where numbers are meant, and 007 is 7; elsewhere every spelling is a value.
#[test]
fn leading_zeros_are_kept_where_no_numbers_are_meant() {
    for (way, released) in [("'range'", "7"), ("'set'", "{007, 7}"), ("'prefix'", "*")] {
        let (table, _) = release("x\n007\n7\n", &job(&[("x", way)], "", AGGLOMERATIVE));
        assert_eq!(table.column("x"), [released; 2], "{way}");
    }
}

/// The written file is read back for every notion, in which a number stands for all of its spellings,
/// and `*` for everything, even where the data have it.
#[test]
fn other_spellings_and_stars_are_read_back() {
    let (numbers, words) = (["25", "25.0", "025", "30", "30.00", "7"], ["*", "a", "b", "*"]);
    let mut input = String::from("x,y\n");
    for row in 0..24 {
        input += &format!("{},{}\n", numbers[row * 5 % 6], words[row * 7 / 3 % 4]);
    }
    for (algorithm, notion) in
        [("expansion", "k1"), ("nearest", "k1"), ("expansion", "kk"), ("nearest", "global-1k")]
    {
        for measure in ["ncp", "lm"] {
            let search = format!("algorithm = '{algorithm}'\nmeasure = '{measure}'");
            let columns = [("x", "'range'"), ("y", "'set'")];
            let (table, _) = release(&input, &job(&columns, &format!("notion = '{notion}'"), &search));
            for label in table.column("x").into_iter().filter(|label| label.contains('~')) {
                let (low, high) = label.split_once('~').unwrap();
                assert!(low.parse::<f64>().unwrap() < high.parse::<f64>().unwrap(), "{label}");
            }
        }
    }
}

/// The same codes, masked or as a prefix, by a file or by a builder, lose the same.
#[test]
fn codes_lose_the_same_however_they_are_given() {
    let codes = ["01067", "01069", "22301", "22305", "80331", "80335"];
    let rows: String = (0..30).map(|row| format!("{}\n", codes[row * 7 % 11 % 6])).collect();
    let file: String = codes
        .map(|zip| format!("{zip};{}*;{}**;{}***;{}****;*\n", &zip[..4], &zip[..3], &zip[..2], &zip[..1]))
        .concat();
    let lost = |way: &str| {
        let sandbox = Sandbox::with(&[("in.csv", &format!("x\n{rows}")), ("zip.csv", &file)]);
        let job = job(&[("x", "'prefix'")], "", "algorithm = 'mondrian'\nmeasure = 'ncp'")
            .replace("k = 2", "k = 7");
        let summary = sandbox.run(&job.replace("generalise = 'prefix'", way));
        summary.measures["ncp"].as_f64().unwrap()
    };
    let prefix = lost("generalise = 'prefix'");
    assert!(prefix > 0.0);
    for way in ["hierarchy = { mask = 'right' }", "hierarchy = 'zip.csv'"] {
        assert_eq!(lost(way), prefix, "{way}");
    }
}

#[test]
fn missing_numbers_go_to_nothing_and_missing_text_is_a_member() {
    let columns = [("age", "'range'"), ("job", "'set'")];
    let input = "age,job\n1,a\n,\n30,b\n31,b\n";
    let (table, _) = release(input, &job(&columns, "", AGGLOMERATIVE));
    assert_eq!(table.column("age"), ["*", "*", "30~31", "30~31"]);
    assert_eq!(table.column("job"), ["{a, \"\"}", "{a, \"\"}", "b", "b"]);
}
