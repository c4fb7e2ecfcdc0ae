//! Releases in SQL, run in real engines beside what `anonymize` writes.

mod duck;

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
}
