//! Missing values in quasi-identifiers.

use std::sync::Arc;

use arrow::array::{Array, Float64Array, Int32Array};
use arrow::array::{RecordBatch, StringArray};

use crate::sandbox::Sandbox;
use crate::table::{Table, read_parquet, write_parquet};
use crate::truth::{Case, Hierarchy};

fn job(hierarchy: &str, privacy: &str) -> String {
    format!(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nrecord = {{ role = 'other' }}\n\
         x = {{ role = 'quasi'{hierarchy} }}\n[privacy]\n{privacy}\n"
    )
}

/// Releases values under a hierarchy, which is also given as text.
fn release(values: &[&str], hierarchy: &str, text: &str, k: usize, level: u64) -> Vec<String> {
    let rows: String = values.iter().zip(1..).map(|(value, record)| format!("{record},{value}\n")).collect();
    let sandbox =
        Sandbox::with(&[("in.csv", &format!("record,x\n{rows}")), ("x.csv", "a;ab;*\nb;ab;*\nc;c;*\n")]);
    let summary = sandbox.run(&job(hierarchy, &format!("k = {k}")));
    let (input, output) = (sandbox.table("in.csv"), sandbox.table("out.csv"));
    let quasi = &[("x", Hierarchy::parse(text))];
    Case { input: &input, output: &output, quasi, kept: &[], k, masked: false }.assert_true(&summary);
    assert_eq!(summary.levels.as_ref().unwrap()["x"], level);
    output.column("x").into_iter().map(str::to_owned).collect()
}

#[test]
fn a_hierarchy_file_need_not_know_them() {
    let text = "a;ab;*\nb;ab;*\nc;c;*\n;;*\n";
    let file = ", hierarchy = 'x.csv'";
    assert_eq!(release(&["a", "", "b", ""], file, text, 2, 1), ["ab", "", "ab", ""]);
    assert_eq!(release(&["a", "", "a", ""], file, text, 2, 0), ["a", "", "a", ""]);
    assert_eq!(release(&["a", "", "a", "b"], file, text, 2, 2), ["*"; 4]);
}

#[test]
fn builders_keep_them_apart() {
    let intervals = ", hierarchy = { intervals = [10] }";
    assert_eq!(
        release(&["7", "", "3", ""], intervals, "7;0-9;*\n3;0-9;*\n;;*\n", 2, 1),
        ["0-9", "", "0-9", ""]
    );
    let dates = ", hierarchy = { dates = ['year'] }";
    let text = "2020-01-02;2020;*\n2020-05-06;2020;*\n;;*\n";
    assert_eq!(release(&["2020-01-02", "", "2020-05-06", ""], dates, text, 2, 1), ["2020", "", "2020", ""]);
    let mask = ", hierarchy = { mask = 'right' }";
    assert_eq!(release(&["12", "", "13", ""], mask, "12;1*;*\n13;1*;*\n;;*\n", 2, 1), ["1*", "", "1*", ""]);
    let groups = ", hierarchy = { groups = [{ p = ['a', 'b'] }] }";
    assert_eq!(release(&["a", "", "b", ""], groups, "a;p;*\nb;p;*\n;;*\n", 2, 1), ["p", "", "p", ""]);
    assert_eq!(release(&["a", "", "b", ""], "", "a;*\nb;*\n;*\n", 2, 1), ["*"; 4]);
    assert_eq!(release(&["", "a", "", "a"], "", "a;*\n;*\n", 2, 0), ["", "a", "", "a"]);
}

#[test]
fn missing_numbers_are_null_in_parquet() {
    let sandbox = Sandbox::with(&[]);
    let x: Int32Array = [Some(7), None, Some(3), None].into_iter().collect();
    let record: Int32Array = vec![1, 2, 3, 4].into();
    let batch =
        RecordBatch::try_from_iter([("record", Arc::new(record) as _), ("x", Arc::new(x) as _)]).unwrap();
    write_parquet(&sandbox.path("in.parquet"), &batch);
    sandbox.run(&job(", hierarchy = { intervals = [10] }", "k = 2").replace(".csv", ".parquet"));
    let x = read_parquet(&sandbox.path("out.parquet")).column(1).clone();
    assert_eq!((0..4).map(|row| x.is_null(row)).collect::<Vec<_>>(), [false, true, false, true]);
}

#[test]
fn nobody_can_tell_empty_text_from_missing_text() {
    let sandbox = Sandbox::with(&[]);
    let x: StringArray = [Some("a"), None, Some(""), Some("a"), Some("a")].into_iter().collect();
    let record: Int32Array = vec![1, 2, 3, 4, 5].into();
    let batch =
        RecordBatch::try_from_iter([("record", Arc::new(record) as _), ("x", Arc::new(x) as _)]).unwrap();
    write_parquet(&sandbox.path("in.parquet"), &batch);
    for order in ["keep", "shuffle"] {
        let output = format!("{{ path = 'out.parquet', order = '{order}' }}");
        let summary =
            sandbox.run(&job("", "k = 2").replace("'out.csv'", &output).replace(".csv", ".parquet"));
        assert_eq!((&summary.levels.unwrap()["x"], &summary.achieved["k"]), (&0.into(), &2.into()));
        let release = read_parquet(&sandbox.path("out.parquet"));
        assert_eq!(release.column(1).null_count(), 2);
        assert_eq!(Table::from_batch(&release).sorted(), Table::from_batch(&batch).sorted());
    }
}

/// Programs write a number that is none (NaN) for one that is missing, with either sign.
#[test]
fn numbers_that_are_none_make_no_class_diverse() {
    let sandbox = Sandbox::with(&[]);
    let x: StringArray = ["a", "a", "a", "b", "b", "b"].map(Some).into_iter().collect();
    let dose: Float64Array = vec![1.5, f64::NAN, -f64::NAN, 1.5, 2.5, f64::NAN].into();
    let batch = RecordBatch::try_from_iter([("x", Arc::new(x) as _), ("dose", Arc::new(dose) as _)]).unwrap();
    write_parquet(&sandbox.path("in.parquet"), &batch);
    let job = |told: &str| {
        format!(
            "input = 'in.parquet'\noutput = 'out.parquet'\n[columns]\n\
             x = {{ role = 'quasi' }}\ndose = {{ role = 'sensitive'{told} }}\n[privacy]\nk = 2\n\
             [[privacy.require]]\nmodel = 'distinct-l'\nl = 2\ncolumn = 'dose'\n"
        )
    };
    for (told, level) in [("", 1), (", exact = true", 0)] {
        let summary = sandbox.run(&job(told));
        assert_eq!(summary.levels.as_ref().unwrap()["x"], level, "{told}");
    }
}
