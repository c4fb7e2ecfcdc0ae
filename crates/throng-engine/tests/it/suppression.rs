//! Rows that no class is large enough for.

use crate::sandbox::Sandbox;

/// Rows 3 and 8 are alone, whatever is done about the others.
const PEOPLE: &str = "\
record,age,sex,mark
1,30,f,a
2,30,f,b
3,50,f,c
4,40,m,d
5,30,f,e
6,40,m,f
7,40,m,g
8,60,m,h
";

fn job(output: &str, k: u64, suppression: u64) -> String {
    format!(
        "input = 'people.csv'\noutput = {output}\n\
         [columns]\nage = {{ role = 'quasi' }}\nsex = {{ role = 'quasi' }}\n'*' = {{ role = 'other' }}\n\
         [privacy]\nk = {k}\nsuppression = {suppression}\n"
    )
}

#[test]
fn dropped_rows_are_gone_and_the_others_untouched() {
    let sandbox = Sandbox::with(&[("people.csv", PEOPLE)]);
    let summary = sandbox.run(&job("'out.csv'", 3, 2));
    assert_eq!((summary.suppressed_rows, summary.max_suppressed_rows), (2, 2));
    let expected: String = PEOPLE
        .lines()
        .filter(|line| !line.contains("50") && !line.contains("60"))
        .map(|l| l.to_owned() + "\n")
        .collect();
    assert_eq!(sandbox.text("out.csv"), expected);
    assert!(!summary.warnings.iter().any(|warning| warning.contains("masked")), "{:?}", summary.warnings);
}

/// Two masked rows are no crowd of three: they are left out, and no class is given up for them, however many rows may
/// be suppressed.
#[test]
fn too_few_masked_rows_are_left_out() {
    for limit in [2, 5, 8] {
        let sandbox = Sandbox::with(&[("people.csv", PEOPLE)]);
        let summary = sandbox.run(&job("{ path = 'out.csv', suppressed = 'mask' }", 3, limit));
        assert_eq!((summary.suppressed_rows, summary.masked_rows), (2, 0));
        assert!(!sandbox.text("out.csv").contains('*'));
        let warning = summary.warnings.iter().find(|warning| warning.contains("masked"));
        assert!(
            warning.unwrap().contains("the 2 suppressed rows are left out instead of masked"),
            "{warning:?}"
        );
    }
}

#[test]
fn enough_masked_rows_are_no_reason_to_warn() {
    let sandbox = Sandbox::with(&[("people.csv", PEOPLE)]);
    let summary = sandbox.run(&job("{ path = 'out.csv', suppressed = 'mask' }", 2, 2));
    assert_eq!((summary.suppressed_rows, summary.masked_rows, &summary.achieved["k"]), (2, 2, &2.into()));
    let expected = PEOPLE.replace("3,50,f", "3,*,*").replace("8,60,m", "8,*,*");
    assert_eq!(sandbox.text("out.csv"), expected, "they keep their place");
    assert!(!summary.warnings.iter().any(|warning| warning.contains("masked")), "{:?}", summary.warnings);
}

#[test]
fn with_nothing_to_mask_a_masked_release_is_the_same_as_a_dropped_one() {
    let people: String = PEOPLE
        .lines()
        .filter(|l| !l.contains("50") && !l.contains("60"))
        .map(|l| l.to_owned() + "\n")
        .collect();
    let sandbox = Sandbox::with(&[("people.csv", &people)]);
    let summary = sandbox.run(&job("{ path = 'out.csv', suppressed = 'mask' }", 3, 2));
    assert_eq!((summary.suppressed_rows, sandbox.text("out.csv")), (0, people));
}

#[test]
fn all_rows_may_be_suppressed() {
    // To show nothing of anybody loses as much.
    let sandbox = Sandbox::with(&[("people.csv", "age,sex,mark\n1,f,a\n2,g,b\n3,m,c\n4,n,d\n")]);
    for (output, rows) in
        [("'out.csv'", 0), ("'out.parquet'", 0), ("{ path = 'masked.csv', suppressed = 'mask' }", 4)]
    {
        let summary = sandbox.run(&(job(output, 2, 4) + "[search]\naccept_any = true\n"));
        // Masked, they are one class of four.
        let k = if rows == 4 { 4 } else { 0 };
        assert_eq!((summary.suppressed_rows, &summary.achieved["k"]), (4, &k.into()));
        let written = match output {
            "'out.parquet'" => crate::table::read_parquet(&sandbox.path("out.parquet")).num_rows(),
            "'out.csv'" => sandbox.table("out.csv").rows.len(),
            _ => sandbox.table("masked.csv").rows.iter().filter(|row| row[..2] == ["*", "*"]).count(),
        };
        assert_eq!(written, rows, "{output}");
    }
}
