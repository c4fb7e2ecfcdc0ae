//! What a server says of rows may quote a cell, in whatever kind of error or notice; nobody is shown it.

use super::people;
use super::queries::asking;
use super::server::Server;

#[test]
fn no_error_of_the_server_shows_a_cell() {
    let Some((sandbox, database)) = people("quoting") else { return };
    database.sql(
        "CREATE FUNCTION tell(cell text, code text) RETURNS int LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION '%', cell USING ERRCODE = code, DETAIL = cell, HINT = cell; END $$;
         CREATE FUNCTION whisper(cell text) RETURNS int LANGUAGE plpgsql AS
         $$ BEGIN RAISE NOTICE '%', cell; RAISE WARNING '%', cell; RAISE INFO '%', cell; RAISE LOG '%', cell; RETURN 1; END $$;
         CREATE DOMAIN short AS text CHECK (length(value) < 3)",
    );
    let run = |query: &str| {
        let address = asking(&database, query);
        let commands = [
            vec!["profile", &address, "--log", "run.log", "--log-level", "debug"],
            vec![
                "anonymize",
                &address,
                "--qi",
                "age",
                "--rest",
                "identifier",
                "-k",
                "2",
                "-o",
                "out.csv",
                "--json",
            ],
        ];
        commands.map(|command| {
            let ran = sandbox.run(&command);
            let said = format!("{}{}{}", ran.stdout, ran.stderr, sandbox.read("run.log"));
            assert!(!said.contains("Secret"), "{query}: {said}");
            (ran.code, said)
        })
    };
    // The names of types, tables, functions, settings and time zones, which casts and functions quote.
    for query in [
        "SELECT name::regclass::text AS age FROM people",
        "SELECT name::regtype::text AS age FROM people",
        "SELECT name::regproc::text AS age FROM people",
        "SELECT name::regrole::text AS age FROM people",
        "SELECT name::regnamespace::text AS age FROM people",
        "SELECT name::regconfig::text AS age FROM people",
        "SELECT name::int AS age FROM people",
        "SELECT name::short AS age FROM people",
        "SELECT current_setting(name) AS age FROM people",
        "SELECT nextval(name) AS age FROM people",
        "SELECT (now() AT TIME ZONE name)::text AS age FROM people",
        "SELECT to_tsquery(name)::text AS age FROM people",
        "SELECT query_to_xml(name, true, true, '')::text AS age FROM people",
        "SELECT has_table_privilege(name, 'SELECT') AS age FROM people",
        "SELECT pg_read_file(name) AS age FROM people",
        "SELECT length(name COLLATE \"C\") / (age - age) AS age FROM people",
    ] {
        for (code, said) in run(query) {
            assert!(matches!(code, Some(2 | 3)), "{query}: {said}");
            assert!(said.contains("SQLSTATE"), "{query}: {said}");
        }
    }
    // A function may claim any kind of error.
    for class in [
        "42P01", "0A000", "25006", "2BP01", "3D000", "3F000", "53100", "54000", "55000", "57014", "58000",
        "P0001", "XX000",
    ] {
        for (code, said) in run(&format!("SELECT tell(name, '{class}') AS age FROM people")) {
            assert!(matches!(code, Some(2 | 3)) && said.contains(class), "{class}: {said}");
        }
    }
    run("SELECT whisper(name) AS age FROM people")
        .into_iter()
        .for_each(|(code, _)| assert_eq!(code, Some(0)));
}

/// A value that is one in the source's database, and none where the release goes.
#[test]
fn no_error_of_a_target_shows_a_cell() {
    let Some((sandbox, database)) = people("quoted_here") else { return };
    let Some(server) = Server::shared() else { return };
    let there = server.database("quoted_there");
    database.sql(
        "CREATE TABLE \"Secrettable\" (); CREATE TYPE kind AS ENUM ('Secretkind');
         CREATE TABLE seen AS SELECT 1 AS age, '\"Secrettable\"'::regclass AS about, 'Secretkind'::kind AS kind FROM people",
    );
    there.sql("CREATE TYPE kind AS ENUM ('other')");
    for (column, code) in [("about", "42P01"), ("kind", "22P02")] {
        let line = format!(
            "anonymize {} --qi age --other {column} --rest identifier -k 2 -o {}",
            database.table("seen"),
            there.table("release")
        );
        let refused = sandbox.refused(&line);
        assert!(refused.contains(&format!("SQLSTATE {code}")), "{refused}");
        assert_eq!(there.sql("SELECT count(*) FROM pg_class WHERE relname = 'release'"), "0\n");
    }
}
