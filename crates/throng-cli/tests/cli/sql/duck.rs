//! DuckDB, by its Python package.

use std::path::Path;
use std::process::Command;

/// Runs a script over tables that were loaded from files, and prints what its queries give; then compares two tables.
const PROGRAM: &str = r#"
import sys, duckdb
script, columns, release, *files = sys.argv[1:]
base = duckdb.connect()
def load(name, file):
    base.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{file}', all_varchar=true, header=true, quote='\"', escape='\"', delim=',')")
load('odd', files[0])
load('ours', files[1])
for statement in duckdb.extract_statements(open(script, encoding='utf-8').read()):
    result = base.execute(statement)
    if statement.type == duckdb.StatementType.SELECT:
        for row in result.fetchall():
            print('verify:', row)
of = ', '.join(f'nullif(CAST("{c}" AS VARCHAR), \'\')' for c in columns.split(','))
for one, other in (('ours', release), (release, 'ours')):
    for row in base.execute(f'SELECT {of} FROM {one} EXCEPT ALL SELECT {of} FROM {other}').fetchall():
        print(one, 'has', row)
left = base.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'throng%'").fetchone()[0]
if left:
    print('left:', left)
"#;

/// A Python that has DuckDB; nothing where there is none and none is required.
pub(super) fn python() -> Option<String> {
    let python = std::env::var("THRONG_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_it = Command::new(&python).args(["-c", "import duckdb"]).output();
    if has_it.is_ok_and(|ran| ran.status.success()) {
        return Some(python);
    }
    assert!(std::env::var_os("THRONG_REQUIRE_DUCKDB").is_none(), "no DuckDB, which is required here");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no DuckDB\n");
    None
}

/// What the checks of a script find, and how its release differs from ours in some columns; nothing if all is well.
pub(super) fn differences(python: &str, script: &Path, columns: &str, table: &Path, ours: &Path) -> String {
    let ran = Command::new(python)
        .args(["-c", PROGRAM])
        .arg(script)
        .args([columns, "release"])
        .args([table, ours])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}
