//! Queries of somebody else's job, as the user of a server who may do everything: they read, and do nothing else.

use std::path::Path;

use super::people;
use super::server::Database;
use crate::sandbox::Sandbox;

/// The address of a query.
pub(super) fn asking(database: &Database, query: &str) -> String {
    let encoded: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("{}?query={encoded}", database.address())
}

/// What a hostile query would change: tables, rows, sequences, large objects, settings, and a file of the server.
struct Witness<'a> {
    database: &'a Database,
    file: String,
    before: String,
}

impl<'a> Witness<'a> {
    fn new(database: &'a Database, dir: &Path) -> Witness<'a> {
        // The server may write there, if anything makes it.
        std::process::Command::new("chmod").arg("0777").arg(dir).status().unwrap();
        database.sql(
            "CREATE TABLE victim AS SELECT 'Victor Secretname' AS name, 1 AS age;
             CREATE SEQUENCE counter;
             CREATE FUNCTION kill() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM victim; RETURN 1; END';
             CREATE FUNCTION leave() RETURNS int LANGUAGE plpgsql AS 'BEGIN COMMIT; DELETE FROM victim; RETURN 1; END';
             CREATE PROCEDURE end_it() LANGUAGE plpgsql AS 'BEGIN COMMIT; DELETE FROM victim; COMMIT; END'",
        );
        let mut witness =
            Witness { database, file: dir.join("written").display().to_string(), before: String::new() };
        witness.before = witness.state();
        witness
    }

    fn state(&self) -> String {
        self.database.sql(
            "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1, 2;
             SELECT * FROM victim; SELECT count(*) FROM people; SELECT last_value, is_called FROM counter;
             SELECT count(*) FROM pg_largeobject_metadata;
             SELECT count(*) FROM pg_db_role_setting",
        )
    }

    fn assert_nothing_happened(&self, query: &str) {
        assert_eq!(self.state(), self.before, "{query}");
        assert!(!Path::new(&self.file).exists(), "{query}");
    }
}

/// Every way by which a query comes to a server.
fn commands(database: &Database, query: &str) -> [Vec<String>; 5] {
    let address = asking(database, query);
    let line = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let anonymize = |target: &str| {
        line(&[
            "anonymize",
            &address,
            "--qi",
            "age",
            "--rest",
            "identifier",
            "-k",
            "2",
            "-q",
            "--replace",
            "-o",
            target,
        ])
    };
    [
        line(&["profile", &address]),
        line(&["check", &address, "--qi", "age"]),
        anonymize("out.csv"),
        anonymize(&database.table("fresh")),
        anonymize(&database.table("old")),
    ]
}

/// Runs a query by every command; all must refuse it, and the server must be as it was.
fn assert_refused(sandbox: &Sandbox, witness: &Witness, query: &str) {
    for command in commands(witness.database, query) {
        let ran = sandbox.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ran.code, Some(2), "{query}\n{command:?}: {}{}", ran.stdout, ran.stderr);
        let by_server =
            ["the server says", "SQLSTATE", "a query must be a single SELECT", "the query gives no columns"];
        assert!(by_server.iter().any(|what| ran.stderr.contains(what)), "{query}: {}", ran.stderr);
        assert!(!ran.stderr.contains("Secret"), "a cell is shown: {}", ran.stderr);
        witness.assert_nothing_happened(query);
    }
}

/// What is refused above is refused for what it asks, and for nothing else.
#[test]
fn a_harmless_query_is_taken_by_every_command() {
    let Some((sandbox, database)) = people("harmless") else { return };
    database.sql("CREATE TABLE old (age int)");
    for command in commands(&database, "SELECT 1 AS age FROM people") {
        sandbox.run(&command.iter().map(String::as_str).collect::<Vec<_>>()).done();
    }
    assert_eq!(database.sql("SELECT count(*) FROM old; SELECT count(*) FROM fresh"), "8\n8\n");
}

#[test]
fn a_query_is_one_statement_that_only_reads() {
    let Some((sandbox, database)) = people("attacked") else { return };
    database.sql("CREATE TABLE old (age int)");
    let witness = Witness::new(&database, sandbox.dir());
    let file = &witness.file;
    let program = format!("TO PROGRAM 'touch {file}'");
    for query in [
        // More than one statement.
        "SELECT age FROM people; COMMIT; DROP TABLE victim",
        "COMMIT; DROP TABLE victim; SELECT age FROM people",
        "SELECT age FROM people; ROLLBACK; DELETE FROM victim; BEGIN",
        &format!("SELECT age FROM people; COPY people {program}"),
        "SELECT age FROM people;; DELETE FROM victim",
        "SELECT age FROM people; -- and\n DELETE FROM victim",
        // Out of the parentheses, and out of what closes them.
        &format!("SELECT age FROM people) {program} --"),
        &format!("SELECT age FROM people\n) {program} --"),
        &format!("SELECT age FROM people) {program} /*"),
        &format!("SELECT age FROM people) AS x) {program} --"),
        &format!("SELECT age FROM people) AS throng) {program}; --"),
        "SELECT age FROM people) TO STDOUT; DROP TABLE victim; --",
        "SELECT age FROM people) AS x; DELETE FROM victim; SELECT age FROM (SELECT age FROM people",
        "SELECT age FROM people) UNION ALL (SELECT age FROM victim",
        "SELECT age FROM people) AS a, (SELECT kill()",
        // What is not closed.
        "SELECT age FROM people /*",
        "SELECT age, 'x FROM people",
        "SELECT age, $x$ FROM people",
        "SELECT (age FROM people",
        "SELECT age AS \"x FROM people",
        // Other statements.
        &format!("COPY people {program}"),
        &format!("COPY (SELECT age FROM people) {program}"),
        "DO $$ BEGIN DELETE FROM victim; END $$",
        "CALL end_it()",
        "DELETE FROM victim RETURNING age",
        "INSERT INTO victim VALUES ('x', 1) RETURNING age",
        "UPDATE victim SET age = 2 RETURNING age",
        "EXPLAIN ANALYZE DELETE FROM victim",
        "SHOW ALL",
        "CREATE TABLE made AS SELECT age FROM people",
        "SELECT age INTO made FROM people",
        "SELECT $1::int AS age",
        "PREPARE x AS SELECT age FROM people",
        "DECLARE c CURSOR WITH HOLD FOR SELECT age FROM people",
        "SET TRANSACTION READ WRITE",
        "VACUUM victim",
        "WITH gone AS (DELETE FROM victim RETURNING age) SELECT age FROM gone",
        "WITH gone AS (DELETE FROM victim RETURNING age) TABLE gone",
        "SELECT age FROM people WHERE age IN (WITH gone AS (DELETE FROM victim RETURNING age) SELECT age FROM gone)",
    ] {
        assert_refused(&sandbox, &witness, query);
    }
}

/// What a function does inside of a query, the transaction refuses.
#[test]
fn a_query_has_no_side_effects() {
    let Some((sandbox, database)) = people("side_effects") else { return };
    database.sql("CREATE TABLE old (age int)");
    let witness = Witness::new(&database, sandbox.dir());
    for query in [
        "SELECT age FROM people FOR UPDATE",
        "SELECT kill() AS age",
        "SELECT leave() AS age",
        "SELECT nextval('counter') AS age",
        "SELECT setval('counter', 77) AS age",
        "SELECT age, set_config('transaction_read_only', 'off', true) FROM people",
        "SELECT age, set_config('transaction_read_only', 'off', false), kill() FROM people",
        "SELECT set_config('transaction_read_only', 'off', true) AS age FROM people WHERE kill() = 1",
        "SELECT query_to_xml('DELETE FROM victim', true, true, '')::text AS age",
        "SELECT query_to_xml('COMMIT', true, true, '')::text AS age",
    ] {
        assert_refused(&sandbox, &witness, query);
    }
    // These are allowed to whoever only reads, and undone: the transaction is never committed.
    for query in [
        "SELECT lo_from_bytea(0, 'x')::int8 % 1 AS age FROM people",
        "SELECT length(set_config('work_mem', '1MB', false)) AS age FROM people",
        "SELECT length(set_config('default_transaction_read_only', 'off', false)) AS age FROM people",
    ] {
        sandbox.run(&["profile", &asking(&database, query)]).done();
        witness.assert_nothing_happened(query);
    }
}

/// Whatever stands in quotes and comments is no end of anything.
#[test]
fn queries_of_all_forms_are_read() {
    let Some((sandbox, database)) = people("formed") else { return };
    for (query, rows) in [
        ("TABLE people", 8),
        ("TABLE people;", 8),
        ("SELECT age FROM people -- all of them", 8),
        ("/* all /* of */ them */ SELECT age FROM people /* ) */", 8),
        ("SELECT ') TO PROGRAM ''x'' --' AS a, age FROM people", 8),
        ("SELECT $q$) ; ' -- $q$ AS a, age FROM people", 8),
        ("SELECT E'\\') ; --' AS a, age FROM people", 8),
        ("SELECT U&'d\\0061t' AS \"a) --\", age FROM people", 8),
        ("SELECT 'back\\' AS a, ')' AS b, age FROM people", 8),
        ("(SELECT age FROM people) UNION ALL (SELECT age FROM people)", 16),
        ("WITH p AS (SELECT age FROM people) SELECT * FROM p ORDER BY age LIMIT 3", 3),
        ("VALUES (1, 'a'), (2, 'b')", 2),
    ] {
        let said = sandbox.run(&["profile", &asking(&database, query), "--json"]).done();
        assert!(said.contains(&format!("\"rows\": {rows},")), "{query}: {said}");
    }
}

/// Functions and operators of other users, named as the server's and made for types that fit better, are not called.
#[test]
fn functions_of_others_are_not_called() {
    let Some((sandbox, database)) = people("hijacked") else { return };
    sandbox.throng(&format!("anonymize pg.toml -q -o {}", database.table("release"))).done();
    database.sql(
        "CREATE ROLE hijacked_reader; GRANT SELECT, UPDATE (age) ON release TO hijacked_reader;
         COMMENT ON COLUMN release.age IS 'years'; CREATE TABLE typed AS SELECT '{}'::jsonb AS j FROM people",
    );
    let raise = "LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hijacked''; END'";
    let types = ["text", "name", "jsonb"];
    for (one, two) in types.iter().flat_map(|one| types.map(|two| (one, two))) {
        for arguments in
            [format!("text, {one}"), format!("text, {one}, {two}"), format!("text, text, {one}, {two}")]
        {
            database.sql(&format!("CREATE OR REPLACE FUNCTION format({arguments}) RETURNS text {raise}"));
        }
    }
    database.sql(&format!(
        "CREATE FUNCTION format(text, text, text, text, text) RETURNS text {raise};
         CREATE FUNCTION quote_ident(name) RETURNS text {raise}; CREATE FUNCTION unnest(oid[]) RETURNS SETOF oid {raise};
         CREATE FUNCTION joined(name, name) RETURNS text {raise}; CREATE FUNCTION unlike(name, name) RETURNS bool {raise};
         CREATE OPERATOR || (FUNCTION = joined, LEFTARG = name, RIGHTARG = name);
         CREATE OPERATOR !~ (FUNCTION = unlike, LEFTARG = name, RIGHTARG = name)"
    ));
    sandbox.throng(&format!("anonymize pg.toml -q --replace -o {}", database.table("release"))).done();
    sandbox.run(&["profile", &database.table("typed")]).done();
    let said = sandbox.refused(&format!("profile {}", database.table("public.peolpe")));
    assert!(said.contains("did you mean 'public.people'?"), "{said}");
    let acl = "SELECT relacl::text ~ 'hijacked_reader=r', col_description(oid, 1) FROM pg_class WHERE relname = 'release'";
    assert_eq!(database.sql(acl), "t|years\n");
}
