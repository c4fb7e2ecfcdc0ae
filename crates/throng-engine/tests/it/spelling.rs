//! Numbers and dates as people spell them, and values that a hierarchy lacks.

use throng_engine::progress::Quiet;

use crate::sandbox::Sandbox;

/// A job over one quasi-identifier `x`.
fn job(column: &str, rest: &str) -> String {
    format!(
        "input = 'in.csv'\noutput = 'out.csv'\n{rest}\n[columns]\nx = {{ role = 'quasi', {column} }}\n\
         '*' = {{ role = 'other' }}\n[privacy]\nk = 2\n[search]\nalgorithm = 'flash'\n"
    )
}

fn table(values: &[&str]) -> String {
    let rows = values.iter().enumerate().map(|(at, value)| format!("\"{value}\",{at}\n"));
    format!("x,row\n{}", rows.collect::<String>())
}

/// The released column, sorted, and the notes and warnings.
fn released(values: &[&str], job: &str) -> (Vec<String>, String) {
    let sandbox = Sandbox::with(&[("in.csv", &table(values)), ("x.csv", "a;low;*\nb;low;*\nc;high;*\n")]);
    let summary = sandbox.run(job);
    let table = sandbox.table("out.csv");
    let cells = table.column("x").iter().map(|cell| cell.to_string()).collect();
    (cells, serde_json::to_string(&summary).unwrap())
}

fn complaint(values: &[&str], job: &str) -> String {
    let sandbox = Sandbox::with(&[("in.csv", &table(values)), ("x.csv", "a;low;*\nb;low;*\nc;high;*\n")]);
    sandbox.fail(job, &Quiet).to_string()
}

#[test]
fn decimal_commas_are_found_said_and_written() {
    let values = ["1,5", "2,25", "1.234,5", "1234,75"];
    let intervals = job("hierarchy = { intervals = [10] }", "");
    let (cells, summary) = released(&values, &intervals);
    assert_eq!(cells, ["[0; 10)", "[0; 10)", "[1230; 1240)", "[1230; 1240)"]);
    assert!(summary.contains("read with a decimal comma"), "{summary}");
    let (said, summary) = released(&values, &job("hierarchy = { intervals = [10] }", "csv.decimal = ','"));
    assert_eq!(said, cells);
    assert!(!summary.contains("read with a decimal comma"), "what is said is not found: {summary}");
    let (column, _) = released(&values, &job("hierarchy = { intervals = [10] }, decimal = ','", ""));
    assert_eq!(column, cells);
    let ranges = job("generalise = 'range'", "").replace("flash", "agglomerative");
    assert_eq!(released(&values, &ranges).0, ["1,5~2,25", "1,5~2,25", "1.234,5~1234,75", "1.234,5~1234,75"]);
    let (auto, _) =
        released(&["0,1", "0,2", "0,4", "0,8", "1,6", "0,3"], &job("hierarchy = { auto = true }", ""));
    assert!(auto.iter().all(|cell| !cell.contains('.')), "{auto:?}");
}

#[test]
fn a_thousand_or_one_is_asked_back() {
    let values = ["1,234", "5,678", "1,235", "5,679"];
    for way in ["hierarchy = { intervals = [10] }", "generalise = 'range'"] {
        let message = complaint(&values, &job(way, ""));
        assert!(message.contains("column 'x'") && message.contains("decimal = \",\""), "{message}");
    }
    let thousands = released(&values, &job("hierarchy = { intervals = [10] }", "csv.decimal = '.'")).0;
    assert_eq!(thousands, ["1230-1239", "5670-5679", "1230-1239", "5670-5679"]);
    let ones = released(&values, &job("hierarchy = { intervals = [1] }", "csv.decimal = ','")).0;
    assert_eq!(ones, ["[1; 2)", "[5; 6)", "[1; 2)", "[5; 6)"]);
    let wrong = complaint(&values, &job("hierarchy = { intervals = [10] }, decimal = ';'", ""));
    assert!(wrong.contains("decimal must be"), "{wrong}");
}

#[test]
fn date_times_of_usual_spellings_are_dates() {
    let years = job("hierarchy = { dates = ['year'] }", "");
    for values in [
        ["13/02/2024 03:34", "14/02/2024 04:00", "03/02/2023 00:00", "04/02/2023 23:59"],
        ["2024-02-03T03:34:00Z", "2024-02-04T03:34:00Z", "2023-02-03T03:34:00Z", "2023-01-03T03:34:00Z"],
        ["3.2.2024 03:34", "4.2.2024 03:34", "3.2.2023 03:34", "1.1.2023 03:34"],
    ] {
        assert_eq!(released(&values, &years).0, ["2024", "2024", "2023", "2023"], "{values:?}");
    }
    let unclear = ["03/02/2024 03:34", "04/02/2024 03:34", "03/05/2023 03:34", "01/01/2023 03:34"];
    let message = complaint(&unclear, &years);
    assert!(message.contains("column 'x'") && message.contains("cannot be told apart"), "{message}");
    let told = job("hierarchy = { dates = ['year'], format = '%d/%m/%Y %H:%M' }", "");
    assert_eq!(released(&unclear, &told).0, ["2024", "2024", "2023", "2023"]);
}

/// The alphabet has the last row first.
#[test]
fn the_first_bad_row_is_that_of_the_file() {
    for (way, values) in [
        ("hierarchy = { intervals = [10] }", ["1", "zzyzz", "2", "aabaa"]),
        ("generalise = 'range'", ["1", "zzyzz", "2", "aabaa"]),
        ("hierarchy = { dates = ['year'] }", ["2024-01-01", "zzyzz", "2024-01-02", "aabaa"]),
        ("hierarchy = 'x.csv'", ["a", "zzyzz", "b", "aabaa"]),
        ("generalise = 'set'", ["a", "{z, zzyzz}", "b", "{a, aabaa}"]),
    ] {
        let message = complaint(&values, &job(way, ""));
        assert!(message.contains("row 2, column 'x'"), "{way}: {message}");
        assert!(!message.contains("zzyzz") && !message.contains("aabaa"), "{message}");
    }
}

#[test]
fn the_last_age_is_open() {
    let values = ["85", "86", "90+", "93", "<18", "12"];
    let (cells, _) = released(&values, &job("hierarchy = { intervals = [5] }", ""));
    assert_eq!(cells, ["85-89", "85-89", "90+", "90+", "<20", "<20"]);
    let ranges = job("generalise = 'range'", "").replace("'flash'", "'agglomerative'\nmeasure = 'ncp'");
    assert_eq!(released(&values, &ranges).0, ["85~86", "85~86", "93~90+", "93~90+", "<18~12", "<18~12"]);
}

#[test]
fn values_that_a_hierarchy_lacks_are_hidden_if_the_job_says_so() {
    let values = ["a", "b", "zzyzz", "c", "yy", "c"];
    let (cells, summary) = released(&values, &job("hierarchy = 'x.csv', unknown = 'top'", ""));
    assert_eq!(cells, ["low", "low", "*", "high", "*", "high"]);
    assert!(summary.contains("2 rows have a value that its hierarchy lacks"), "{summary}");
    assert!(!summary.contains("zzyzz"), "{summary}");
    let lone = ["a", "b", "zzyzz", "c", "c"];
    let message = complaint(&lone, &job("hierarchy = 'x.csv', unknown = 'error'", ""));
    assert!(message.contains("row 3, column 'x'"), "{message}");
    let numbers = ["1", "2", "n.a.", "unknown"];
    let (cells, _) = released(&numbers, &job("hierarchy = { intervals = [5] }, unknown = 'top'", ""));
    assert_eq!(cells, ["0-4", "0-4", "*", "*"]);
}

/// `E` is two values at level 1 and three at level 2.
#[test]
fn a_label_with_two_meanings_is_told_apart_where_levels_mix() {
    let hierarchy = "a;E;E;*\nb;E;E;*\nc;F;E;*\nd;d;G;*\ne;e;G;*\n";
    let values = ["a", "b", "c", "c", "d", "e", "a", "c"];
    let sandbox = Sandbox::with(&[("in.csv", &table(&values)), ("x.csv", hierarchy)]);
    let full = sandbox.run(&job("hierarchy = 'x.csv'", ""));
    let warning = "x.csv: the label of level 2 (line 1) also stands for other values at level 1 (line 1)";
    assert!(full.warnings.iter().any(|found| found.ends_with(warning)), "{:?}", full.warnings);
    let local = sandbox.job(&job("hierarchy = 'x.csv'", "").replace("flash", "mondrian"));
    let prepared = crate::sandbox::run(&local, &Quiet).unwrap();
    assert!(prepared.warnings.iter().any(|found| found.ends_with(warning)));
    let table = sandbox.table("out.csv");
    for (original, cell) in values.iter().zip(table.column("x")) {
        assert!(cell != "E" || ["a", "b"].contains(original), "{original} {cell}");
    }
}
