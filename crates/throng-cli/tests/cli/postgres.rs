//! Tables of a real PostgreSQL server, which the tests start themselves.

#![cfg(all(unix, feature = "postgres"))]

mod cells;
mod encryption;
mod kills;
mod queries;
mod replacing;
mod served;
pub(crate) mod server;
mod strangers;

use std::time::{Duration, Instant};

use crate::sandbox::{JOB, PEOPLE, Ran, Sandbox};
use server::{Database, Server};

/// The small table in a database, and a job that reads it.
fn people(name: &str) -> Option<(Sandbox, Database)> {
    let database = Server::shared()?.database(name);
    let sandbox = Sandbox::new();
    database.sql("CREATE TABLE people (name text, age int, sex text, zip char(5), illness varchar(9))");
    database.load("people", PEOPLE);
    let input = format!("input  = \"{}\"", database.table("people"));
    sandbox.write("pg.toml", JOB.replace("input  = \"people.csv\"", &input));
    Some((sandbox, database))
}

/// Whatever is done with a table, it is as if it were a file.
#[test]
fn a_table_is_read_as_its_file_is() {
    let Some((sandbox, database)) = people("reading") else { return };
    for (algorithm, more) in
        [("flash", ""), ("mondrian", "--require distinct-l:l=2,column=illness"), ("expansion", "--notion kk")]
    {
        let line =
            |job: &str, out: &str| format!("anonymize {job} -o {out} --algorithm {algorithm} {more} -q");
        sandbox.throng(&line("job.toml", "file.csv")).done();
        sandbox.throng(&line("pg.toml", "table.csv")).done();
        assert_eq!(sandbox.read("file.csv"), sandbox.read("table.csv"), "{algorithm}");
    }
    let table = database.table("people");
    let query = format!("{}?query=SELECT%20*%20FROM%20people%20WHERE%20age%20>%200;", database.address());
    for address in [&table, &query] {
        for line in ["profile X --json", "check X --qi age,sex --json"] {
            let of_file = sandbox.throng(&line.replace('X', "people.csv")).done();
            let of_table = sandbox.run(
                &line.split(' ').map(|word| if word == "X" { address } else { word }).collect::<Vec<_>>(),
            );
            assert_eq!(of_table.done().replace(address.as_str(), "people.csv"), of_file, "{line}");
        }
    }
    sandbox.throng("compare pg.toml --k 2 --repeat 1 -q").done();
    sandbox.run(&["init", &table, "-o", "made.toml", "-q"]).done();
    assert!(sandbox.read("made.toml").contains(&table));
}

/// Types whose texts are not their values: the same rows by COPY and by GROUP BY.
#[test]
fn values_of_all_types_come_as_text_and_go_back() {
    let Some(server) = Server::shared() else { return };
    let database = server.database("typed");
    let sandbox = Sandbox::empty();
    database.sql(
        "CREATE TYPE mood AS ENUM ('sad', 'so so'); CREATE DOMAIN year AS int;
         CREATE TABLE t (n numeric, p numeric(8,2), b bool, d date, s timestamp, z timestamptz, u uuid, f float8, r real,
                         m mood, y year, i inet, v interval, j jsonb, c char(4), big bigint, small smallint, t text);
         INSERT INTO t SELECT CASE WHEN g % 2 = 0 THEN 1.0 ELSE 1.00 END, -g * 1234.5, g % 2 = 0, DATE '1999-12-25' + g,
             TIMESTAMP '2001-02-03 04:05:06.789' - g * INTERVAL '1 day', TIMESTAMPTZ '2020-02-29 12:00+02',
             ('00000000-0000-0000-0000-00000000000' || g)::uuid, g / 3.0, g / 7.0, 'so so', 2000 + g, '10.0.0.1',
             g * INTERVAL '1 hour', '{\"a\": 1}', 'ab', g * 10000000000, g, E'tab\\t\"quote\", line\\nend' || g
         FROM generate_series(1, 8) g, generate_series(1, 2);
         INSERT INTO t (t) VALUES (NULL), ('');",
    );
    let columns = ["n", "p", "b", "d", "s", "z", "u", "f", "r", "m", "y", "i", "v", "j", "c", "big", "small"];
    let by_copy = database.sql(&format!("COPY (SELECT {} FROM t) TO STDOUT (FORMAT csv)", columns.join(",")));
    // Grouped, every column is a quasi-identifier; and released as it was.
    let mut args =
        vec!["anonymize".to_owned(), database.table("t"), "-k".to_owned(), "2".to_owned(), "-q".to_owned()];
    let quasi = columns.iter().filter(|&&column| column != "u");
    quasi.for_each(|column| args.extend(["--qi".to_owned(), (*column).to_owned()]));
    args.extend(["--other", "t,u", "-o"].map(str::to_owned));
    let to = |place: &str| {
        let args: Vec<&str> = args.iter().map(String::as_str).chain([place]).collect();
        sandbox.run(&args).done();
    };
    to("out.csv");
    to(&database.table("released"));
    assert_eq!(database.sql("SELECT * FROM t EXCEPT ALL SELECT * FROM released"), "");
    assert_eq!(database.sql("SELECT count(*) FROM released"), "18\n");
    let back =
        database.sql(&format!("COPY (SELECT {} FROM released) TO STDOUT (FORMAT csv)", columns.join(",")));
    assert_eq!(back, by_copy);
    let types = |table: &str| {
        database.sql(&format!(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
             WHERE attrelid = '{table}'::regclass AND attnum > 0 ORDER BY attname"
        ))
    };
    // Values of a domain come as those of its base.
    assert_eq!(types("released"), types("t").replace("y|year", "y|integer"));
}

#[test]
fn a_release_is_a_new_table_or_none() {
    let Some((sandbox, database)) = people("writing") else { return };
    let release = database.table("public.release");
    let line = format!("anonymize pg.toml -o {release}");
    sandbox.throng("anonymize job.toml -q").done();
    let said = sandbox.throng(&line).done();
    assert!(said.contains("Released: postgres://"), "{said}");
    assert_eq!(database.sql("COPY release TO STDOUT (FORMAT csv, HEADER)"), sandbox.read("release.csv"));
    let comment = database.sql("SELECT obj_description('release'::regclass)");
    assert!(comment.contains("k-anonymity with k = 2") && comment.contains("throng 0."), "{comment}");

    // There is one now.
    let before = database.sql("SELECT 'release'::regclass::oid");
    let refused = sandbox.refused(&line);
    assert!(
        refused.contains("the table 'public.release' already exists") && refused.contains("--replace"),
        "{refused}"
    );
    assert_eq!(database.sql("SELECT 'release'::regclass::oid"), before);
    sandbox.throng(&format!("{line} --replace -k 4 -q")).done();
    assert_ne!(database.sql("SELECT 'release'::regclass::oid"), before);
    assert!(database.sql("SELECT obj_description('release'::regclass)").contains("k = 4"));

    // Never the source, by whatever name.
    for subject in ["table=people", "query=SELECT%20*%20FROM%20people"] {
        sandbox.write("pg.toml", JOB.replace("people.csv", &format!("{}?{subject}", database.address())));
        let refused =
            sandbox.refused(&format!("anonymize pg.toml --replace -o {}", database.table("public.people")));
        assert!(refused.contains("this is the input table"), "{refused}");
    }
    // A release from a file, and one that cannot be made.
    sandbox.throng(&format!("anonymize job.toml -q -o {}", database.table("of_file"))).done();
    assert_eq!(database.sql("SELECT count(*) FROM of_file"), "8\n");
    let infeasible = format!(
        "anonymize job.toml --suppression 0 --require entropy-l:l=3,column=illness -q -o {}",
        database.table("none")
    );
    sandbox.throng(&infeasible).no_release();
    let tables =
        database.sql("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1");
    assert_eq!(tables, "of_file\npeople\nrelease\n");
}

#[test]
fn what_is_wrong_is_said() {
    let Some((sandbox, database)) = people("faults") else { return };
    database.sql("CREATE TABLE empty (a int); CREATE TABLE listed (id int, tags int[]); INSERT INTO listed VALUES (1, '{1}')");
    let profile = |address: &str| sandbox.refused(&format!("profile {address}"));
    let expect = |said: String, what: &str| assert!(said.contains(what), "{said}");
    expect(profile(&database.table("peolpe")), "has no table 'peolpe' (did you mean 'people'?)");
    expect(profile(&database.table("public.peolpe")), "did you mean 'public.people'?");
    expect(profile(&database.table("empty")), "there are no data rows");
    let said = profile(&database.table("listed"));
    expect(said, "column 'tags' has type integer[], which has no text");
    expect(profile(&format!("{}?query=SELEC%201", database.address())), "syntax error");
    expect(
        profile(&format!("{}?query=DELETE%20FROM%20people%20RETURNING%20*", database.address())),
        "the server says",
    );
    expect(profile(&database.elsewhere("no_such_database", "t")), "has no database 'no_such_database'");
    let down = |address: &str| {
        let ran = sandbox.throng(&format!("profile {address}"));
        assert_eq!(ran.code, Some(3), "{}", ran.stderr);
        ran.stderr
    };
    expect(down("postgres://127.0.0.1:1/shop?table=t"), "is it running");
    expect(down("postgres:///shop?table=t&host=/nowhere"), "there is no such socket");
    expect(profile("postgres:///shop?tabel=t"), "did you mean 'table'?");
    let cast = format!("{}?query=SELECT%20name::int%20FROM%20people", database.address());
    let said = profile(&cast);
    assert!(said.contains("a cast, a division or the like") && !said.contains("Secret"), "{said}");
    expect(
        sandbox.refused("anonymize people.csv --qi age --rest identifier -k 2 -o mysql://h/d"),
        "postgres://",
    );
    let schema = sandbox.refused(&format!("anonymize job.toml -o {}", database.table("publik.t")));
    expect(schema, "has no schema 'publik' (did you mean 'public'?)");
    let column =
        format!("anonymize {} --qi agee --rest identifier -k 2 -o out.csv", database.table("people"));
    expect(sandbox.refused(&column), "'age'");
    assert_eq!(database.sql("SELECT count(*) FROM people"), "8\n");
}

/// A password is handed to the server and shown to nobody.
#[test]
fn passwords_are_never_repeated() {
    let Some(server) = Server::shared() else { return };
    let database = server.database("secret");
    let sandbox = Sandbox::new();
    database.sql("CREATE TABLE t AS SELECT g % 2 AS a FROM generate_series(1, 9) g; CREATE ROLE ann LOGIN PASSWORD 's3cret'; GRANT SELECT ON t TO ann");
    let address = database.by_password("ann", "t");
    let command = |with: &[(&str, &str)]| {
        let mut command = sandbox.command(&["profile", &address, "--log", "run.log"]);
        command.env_remove("PGPASSWORD").env("HOME", sandbox.dir()).envs(with.iter().copied());
        Ran::from(command.output().unwrap())
    };
    for (with, code, what) in [
        (&[("PGPASSWORD", "s3cret")][..], 0, ""),
        (&[("PGPASSWORD", "s3cret-wrong")], 2, "refused the login of user 'ann'"),
        (&[], 2, "asks for a password"),
    ] {
        let ran = command(with);
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        assert!(ran.stderr.contains(what) && !ran.stderr.contains("s3cret"), "{}", ran.stderr);
        assert!(!ran.stdout.contains("s3cret") && !sandbox.read("run.log").contains("s3cret"));
    }
    sandbox.write("pass", "*:*:*:ann:s3cret\n");
    let file = sandbox.path("pass").display().to_string();
    assert!(command(&[("PGPASSFILE", &file)]).stderr.contains("chmod 0600"));
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(sandbox.path("pass"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(command(&[("PGPASSFILE", &file)]).code, Some(0));
    for address in [address.replace("ann@", "ann:s3cret@"), format!("{address}&password=s3cret")] {
        for line in [
            "profile X",
            "check X --qi a",
            "anonymize X --qi a -k 2 -o out.csv",
            "anonymize job.toml -o X",
            "init X",
            "compare X --qi a",
        ] {
            let ran = sandbox.throng(&line.replace('X', &address));
            assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
            assert!(
                !ran.stderr.contains("s3cret") && !ran.stdout.contains("s3cret"),
                "{line}: {}",
                ran.stderr
            );
        }
    }
}

/// All scans of a run see the rows of its beginning, and a run that is stopped leaves nothing.
#[test]
fn others_write_meanwhile_and_runs_are_stopped() {
    let Some(server) = Server::shared() else { return };
    let database = server.database("meanwhile");
    let sandbox = Sandbox::empty();
    database.sql("CREATE TABLE t AS SELECT g % 50 AS a, g % 7 AS b, 'some text of a row' AS c FROM generate_series(1, 400000) g");
    let line = format!("anonymize {} --qi a --qi b --sensitive c -k 2 -o", database.table("t"));
    let start = |target: &str| {
        let args: Vec<&str> = line.split(' ').chain([target]).collect();
        let piped = std::process::Stdio::piped;
        sandbox.command(&args).stdout(piped()).stderr(piped()).spawn().unwrap()
    };
    let target = database.table("release");
    let run = start(&target);
    database.wait_for("COPY");
    database.sql("DELETE FROM t WHERE b < 3; INSERT INTO t SELECT 99, 99, 'new' FROM generate_series(1, 9)");
    let ran = Ran::from(run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(database.sql("SELECT count(*) FROM release WHERE a < 99"), "400000\n");

    let run = start(&database.table("stopped"));
    database.wait_for("COPY \"public\".\"stopped\" FROM");
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    let ran = Ran::from(run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    let started = Instant::now();
    while database.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'throng' AND datname = current_database()") != "0\n" {
        assert!(started.elapsed() < Duration::from_secs(60), "a connection is left");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(database.sql("SELECT count(*) FROM pg_class WHERE relname = 'stopped'"), "0\n");
}

/// Tuples that were counted in the server have no rows, so none is named.
#[test]
fn unknown_values_of_counted_tuples_have_no_row() {
    let Some((sandbox, database)) = people("unknown") else { return };
    let auto = |job: &str| {
        sandbox.read(job).replace("hierarchy = { mask = \"right\" }", "hierarchy = { auto = true }")
    };
    sandbox.write("auto.toml", auto("job.toml"));
    sandbox.throng("anonymize auto.toml --save r.json --node age=3,sex=1,zip=2 -q").done();
    database.sql("UPDATE people SET zip = '99999' WHERE zip = '22399'");
    let target = format!("apply r.json {} -o out.csv", database.table("people"));
    let said = sandbox.throng(&target).no_release();
    assert!(said.contains("it does not know some value of 'zip'"), "{said}");
    assert!(!said.contains("18446744073709551615"), "{said}");
    let json = sandbox.throng(&format!("{target} --json")).no_release();
    assert!(json.contains("\"row\": null"), "{json}");
}

/// Who might read the table before may read the one that took its place, and nobody else.
#[test]
fn a_replaced_table_keeps_its_privileges() {
    let Some((sandbox, database)) = people("privileges") else { return };
    let line = format!("anonymize pg.toml -q --replace -o {}", database.table("release"));
    sandbox.throng(&line).done();
    database.sql(
        "CREATE ROLE reader; CREATE ROLE \"odd \"\"one\"; CREATE ROLE other;
         GRANT SELECT ON release TO reader; GRANT UPDATE (age) ON release TO \"odd \"\"one\" WITH GRANT OPTION;
         GRANT SELECT ON release TO PUBLIC;
         ALTER DEFAULT PRIVILEGES GRANT DELETE ON TABLES TO other",
    );
    let privileges = || {
        database.sql(
            "SELECT coalesce(grantee::regrole::text, '-'), privilege_type, is_grantable FROM pg_class, aclexplode(relacl)
             WHERE oid = 'release'::regclass
             UNION ALL SELECT grantee::regrole::text, privilege_type || attname, is_grantable
             FROM pg_attribute, aclexplode(attacl) WHERE attrelid = 'release'::regclass ORDER BY 1, 2",
        )
    };
    let (before, oid) = (privileges(), database.sql("SELECT 'release'::regclass::oid"));
    sandbox.throng(&line).done();
    assert_ne!(database.sql("SELECT 'release'::regclass::oid"), oid);
    assert_eq!(privileges(), before);
    assert!(before.contains("reader|SELECT|f") && before.contains("UPDATEage|t"), "{before}");

    database.sql(
        "CREATE VIEW seen AS SELECT age FROM release; CREATE MATERIALIZED VIEW held AS SELECT * FROM seen",
    );
    let refused = sandbox.refused(&line);
    assert!(refused.contains("the table cannot be replaced: 'public.seen' depends on it"), "{refused}");
    database.sql("CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM release");
    let refused = sandbox.refused(&line);
    assert!(refused.contains("'public.kept'") && refused.contains("'public.seen'"), "{refused}");
    database.sql("DROP VIEW seen CASCADE; DROP MATERIALIZED VIEW kept");
    sandbox.throng(&line).done();
}
