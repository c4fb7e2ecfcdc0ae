//! Releases in SQL, run in real engines beside what `anonymize` writes.

mod duck;
mod text;

use crate::sandbox::Sandbox;

/// Towns with everything that has to be quoted somewhere, one of them missing.
const TOWNS: [&str; 8] =
    ["Bonn", "O'Fallon", "Kö\"ln, Süd", "a\\b'", "", "${HOME}", "łódź -- x", "line\nbreak"];

/// Rows with an identifier, three quasi-identifiers, of which many are equal, and two others.
fn odd() -> String {
    let mut text = "id,age,town,grade,illness,\"no\"\"te\"\n".to_owned();
    for row in 0..160_usize {
        let town = TOWNS[row * row % 11 % 8].replace('"', "\"\"");
        let age = 20 + row * 7 % 31;
        let grade = ["x'1", "x'2", "y\\1", "y\\2"][row % 9 % 4];
        let illness = ["flu", "cold", "gout", ""][row % 13 % 4];
        let id = if row % 10 == 0 { String::new() } else { format!("n{row}\\") };
        text.push_str(&format!("P{row},{age},\"{town}\",{grade},{illness},{id}\n"));
    }
    text
}

const JOB: &str = r#"
input  = "odd.csv"
output = "release.csv"

[columns]
id      = { role = "identifier" }
age     = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
town    = { role = "quasi" }
grade   = { role = "quasi", hierarchy = "grade.csv" }
illness = { role = "sensitive" }
'no"te' = { role = "other" }

[privacy]
k = 3
suppression = 0.3
"#;

/// What is asked for, and which columns its release has in the same rows: all, unless rows of a tuple are drawn.
const CASES: [(&str, &str); 9] = [
    ("--algorithm flash", ALL),
    ("--algorithm flash --suppressed mask", ALL),
    ("--node age=1,town=0,grade=0 --suppression 90% --suppressed mask", ALL),
    ("--node age=3,town=0,grade=0 --suppression 90%", ALL),
    ("--algorithm cut-search", ALL),
    ("--algorithm mondrian --qi town=set --order shuffle", ALL),
    ("--algorithm mondrian --require distinct-l:l=2,column=illness --qi town=set", ALL),
    ("--algorithm sequential -k 2 --qi town=set,age=range --suppressed mask", QUASI),
    ("--algorithm sequential -k 4 --qi town=set,age=range", QUASI),
];
const ALL: &str = "age,town,grade,illness,no\"te";
const QUASI: &str = "age,town,grade";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("odd.csv", odd());
    sandbox.write("grade.csv", "x'1;x';*\nx'2;x';*\ny\\1;y\\;*\ny\\2;y\\;*\n");
    sandbox.write("job.toml", JOB);
    sandbox
}

/// The text of a case, in `release.sql`; our own release is in `release.csv`.
fn tell(sandbox: &Sandbox, dialect: &str, flags: &str) -> String {
    sandbox.throng(&format!("anonymize job.toml -q {flags}")).done();
    sandbox.throng(&format!("sql job.toml --dialect {dialect} -o release.sql -q {flags}")).done();
    sandbox.read("release.sql")
}

#[test]
fn duckdb_makes_the_same_rows() {
    let Some(python) = duck::python() else { return };
    let sandbox = sandbox();
    let mut divided = 0;
    for (flags, columns) in CASES {
        let text = tell(&sandbox, "duckdb", flags);
        divided += usize::from(text.contains("first_row"));
        let columns = columns.replace("no\"te", "no\"\"te");
        let [script, table, ours] = ["release.sql", "odd.csv", "release.csv"].map(|name| sandbox.path(name));
        let found = duck::differences(&python, &script, &columns, &table, &ours);
        assert_eq!(found, "", "{flags}");
    }
    assert!(divided > 0, "no tuple was released in parts");
}

/// The query finds what is not as it was: rows, values, and classes.
#[test]
fn the_query_finds_what_is_wrong() {
    let Some(python) = duck::python() else { return };
    let sandbox = sandbox();
    let flags = "--node age=3,town=0,grade=2 --require distinct-l:l=2,column=illness";
    tell(&sandbox, "duckdb", flags);
    let found = |table: String| {
        sandbox.write("other.csv", table);
        let [script, table, ours] =
            ["release.sql", "other.csv", "release.csv"].map(|name| sandbox.path(name));
        duck::differences(&python, &script, "age", &table, &ours)
    };
    let (same, town) = (odd(), "Bonn");
    assert_eq!(found(same.clone()), "");
    let more = found(format!("{same}P,21,Atlantis,x'1,flu,n\n"));
    assert!(more.contains("('more or fewer rows than the table had during the search', 1)"), "{more}");
    assert!(more.contains("('rows with values that did not exist during the search', 1)"), "{more}");
    // The third is in a class that is released; the first two are in one of a single value, beside what is missing.
    let mut met = 0;
    let is_kept = |line: &&str| {
        met += usize::from(line.contains(town));
        !line.contains(town) || met == 3
    };
    let fewer = found(same.lines().filter(is_kept).map(|line| format!("{line}\n")).collect());
    assert!(fewer.contains("('classes of fewer than 3 rows', 1)"), "{fewer}");
    assert!(fewer.contains("('classes of fewer than 2 values of illness', 1)"), "{fewer}");
}

/// Means of classes are labels of their tuples.
#[test]
fn numbers_of_classes_are_told() {
    let Some(python) = duck::python() else { return };
    let sandbox = sandbox();
    sandbox.write(
        "job.toml",
        JOB.replace("hierarchy = { intervals = [5, 10, 20] }", "generalise = { mean = true, top = 45 }"),
    );
    let text = tell(&sandbox, "duckdb", "--algorithm mondrian --qi town=set");
    assert!(text.contains("45+"));
    let [script, table, ours] = ["release.sql", "odd.csv", "release.csv"].map(|name| sandbox.path(name));
    assert_eq!(duck::differences(&python, &script, QUASI, &table, &ours), "");
}

#[cfg(all(unix, feature = "postgres"))]
mod in_postgres {
    use super::*;
    use crate::postgres::server::{Database, Server};

    fn differences(database: &Database, columns: &str) -> String {
        let of: Vec<String> = columns
            .split(',')
            .map(|name| format!("nullif(\"{}\"::text, '')", name.replace('"', "\"\"")))
            .collect();
        let of = of.join(", ");
        let except = |one: &str, other: &str| {
            database.sql(&format!("SELECT {of} FROM {one} EXCEPT ALL SELECT {of} FROM {other}"))
        };
        except("ours", "release") + &except("release", "ours")
    }

    #[test]
    fn postgres_makes_the_same_rows() {
        let Some(server) = Server::shared() else { return };
        let (sandbox, database) = (sandbox(), server.database("told"));
        database.sql(
            "CREATE TABLE odd (id text, age int, town text, grade varchar(9), illness text, \"no\"\"te\" text)",
        );
        database.load("odd", &sandbox.read("odd.csv"));
        for (flags, columns) in CASES {
            tell(&sandbox, "postgres", flags);
            sandbox
                .throng(&format!("anonymize job.toml -q {flags} -o {} --replace", database.table("ours")))
                .done();
            assert_eq!(database.run(&sandbox.path("release.sql")), "", "{flags}");
            assert_eq!(differences(&database, columns), "", "{flags}");
            database.sql("DROP TABLE release");
        }
    }

    /// Texts of a table of PostgreSQL are those that it was searched by, whatever its types are.
    #[test]
    fn a_table_of_types_is_told_as_it_was_read() {
        let Some(server) = Server::shared() else { return };
        let (sandbox, database) = (Sandbox::empty(), server.database("told_types"));
        database.sql(
            "CREATE TYPE mood AS ENUM ('sad', 'so so');
             CREATE TABLE typed (b bool, c char(4), m mood, n numeric, d date, f float8, kept int, gone text);
             INSERT INTO typed SELECT g % 2 = 0, CASE g % 3 WHEN 0 THEN 'ab' WHEN 1 THEN 'abcd' END,
                 CASE WHEN g % 4 < 2 THEN 'sad'::mood ELSE 'so so' END, CASE WHEN g % 2 = 0 THEN 1.0 ELSE 1.00 END,
                 CASE WHEN g % 5 > 0 THEN DATE '1999-12-25' + g % 2 END, g % 2 / 3.0, g, 'x' FROM generate_series(1, 240) g",
        );
        let input = database.table("typed");
        for more in ["--algorithm flash", "--algorithm mondrian"] {
            let mut line = vec![input.as_str(), "-k", "2", "--identifier", "gone", "--other", "kept", "-q"];
            line.extend(["--qi", "b,c,m,n,d,f", "--suppression", "10%"]);
            line.extend(more.split(' '));
            let ours = database.table("ours");
            sandbox.run(&[&["anonymize"], &line[..], &["-o", &ours, "--replace"]].concat()).done();
            sandbox
                .run(&[&["sql"], &line[..], &["--dialect", "postgres", "-o", "release.sql"]].concat())
                .done();
            assert_eq!(database.run(&sandbox.path("release.sql")), "", "{more}");
            assert_eq!(differences(&database, "b,c,m,n,d,f,kept"), "", "{more}");
            database.sql("DROP TABLE release");
        }
    }
}
