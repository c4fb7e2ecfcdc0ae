//! The text itself: its spelling, what it says of others, and what is refused.

use super::{odd, sandbox};
use crate::sandbox::Sandbox;

const DIALECTS: [&str; 6] = ["postgres", "duckdb", "spark", "bigquery", "snowflake", "ansi"];

/// Six people from towns that have to be quoted.
fn tiny() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "tiny.csv",
        "name,born,town,illness\nAnn Secretname,1981,O'Fallon,Secretflu\nBob Secretname,1983,O'Fallon,Secretgout\n\
         Cas Secretname,1981,\"a\\b $x\",Secretflu\nDan Secretname,1983,\"a\\b $x\",Secretcold\nEve Secretname,1999,,Secretflu\n",
    );
    sandbox
}

const TINY: &str = "sql tiny.csv --identifier name --qi born=intervals:10 --qi town --sensitive illness -k 2 --suppression 20% \
                    --require distinct-l:l=2,column=illness --require alpha-k:alpha=0.5,column=illness \
                    --require entropy-l:l=1.5,column=illness,shield=born";

#[test]
fn every_dialect_has_its_spelling() {
    let sandbox = tiny();
    for dialect in DIALECTS {
        let text = sandbox.throng(&format!("{TINY} --dialect {dialect} --release made.tiny")).done();
        assert!(!text.contains("Secret"), "a cell of another column is shown: {text}");
        insta::assert_snapshot!(format!("{dialect}"), text);
    }
}

#[test]
fn tuples_of_a_local_recoding() {
    let text =
        sandbox().throng("sql job.toml --dialect spark --algorithm mondrian --order shuffle -k 40").done();
    // There are more tuples than anybody would read here.
    let is_row = |line: &&str| line.starts_with("  (");
    let read: Vec<&str> = text.lines().filter(|line| !is_row(line)).collect();
    insta::assert_snapshot!(read.join("\n"));
    assert!(text.lines().any(|line| line.starts_with("  (0, ") && line.ends_with("'),")), "{text}");
}

#[test]
fn the_file_says_what_it_is() {
    let sandbox = tiny();
    let said = sandbox.throng(&format!("{TINY} --dialect duckdb -o told.sql")).done();
    assert!(said.contains("SQL for DuckDB: told.sql") && said.contains("not for publication"), "{said}");
    let text = sandbox.read("told.sql");
    assert!(text.lines().nth(1).unwrap().contains("NOT FOR PUBLICATION"), "{text}");
    assert_eq!(sandbox.names(), ["tiny.csv", "told.sql"]);
    assert_eq!(text, sandbox.throng(&format!("{TINY} --dialect duckdb --threads 1")).done());
}

/// Others may do no more with it than with the table.
#[cfg(unix)]
#[test]
fn the_file_is_as_hidden_as_the_table() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = tiny();
    let mode = |name: &str| std::fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(sandbox.path("tiny.csv"), std::fs::Permissions::from_mode(0o600)).unwrap();
    sandbox.throng(&format!("{TINY} --dialect duckdb -o told.sql")).done();
    assert_eq!(mode("told.sql"), 0o600);
}

#[test]
fn long_lists_are_cut() {
    let sandbox = Sandbox::empty();
    let rows: String = (0..5_000).map(|row| format!("{},x\n", row % 2_500)).collect();
    sandbox.write("many.csv", format!("a,b\n{rows}"));
    let text = sandbox.throng("sql many.csv --qi a=intervals:10 --other b -k 2 --dialect ansi").done();
    assert_eq!(text.matches("INSERT INTO \"throng_values_1\"").count(), 3);
    assert_eq!(text.matches("\n  (").count(), 2_500);
}

#[test]
fn what_cannot_be_said_is_refused() {
    let sandbox = sandbox();
    let expect = |line: &str, what: &str| {
        let said = sandbox.refused(&format!("sql job.toml {line}"));
        assert!(said.contains(what), "{said}");
    };
    expect("--dialect duckdb --pseudonym id", "cannot make keyed pseudonyms");
    expect("--dialect duckdb --release odd", "give another name with --release");
    expect("--dialect duckdb --table a.b.c.d", "schema.name");
    expect("--dialect duckdb -o odd.csv", "odd.csv");
    expect("--dialect duckdb -o nowhere/told.sql", "nowhere");
    expect("--dialect ansi --algorithm sequential -k 4 --qi town=set,age=range", "must be drawn");
    let unknown = sandbox.throng("sql job.toml --dialect postgers");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean 'postgres'?"), "{}", unknown.stderr);
    let mut command =
        sandbox.command(&["sql", "-", "--qi", "age", "--rest", "identifier", "-k", "2", "--dialect", "ansi"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), odd().as_bytes()).unwrap();
    let ran = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stderr).contains("give --table NAME"), "{ran:?}");
}

#[test]
fn no_release_is_no_text() {
    let sandbox = sandbox();
    let ran = sandbox.throng(
        "sql job.toml --dialect duckdb -o none.sql --suppression 0 --require entropy-l:l=3,column=illness",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(!sandbox.path("none.sql").exists());
}

/// Persons are in no release, so no query over it can count them.
#[test]
fn what_the_query_does_not_see_is_said() {
    let sandbox = sandbox();
    let text = sandbox.throng("sql job.toml --dialect duckdb --person id").done();
    assert!(text.contains("-- It cannot tell whether k (k = 3) holds: persons are counted"), "{text}");
    assert!(!text.contains("COUNT(*) < 3"));
    let text = sandbox.throng("sql job.toml --dialect duckdb --algorithm expansion --notion kk").done();
    assert!(text.contains("-- It cannot tell whether kk"), "{text}");
}
