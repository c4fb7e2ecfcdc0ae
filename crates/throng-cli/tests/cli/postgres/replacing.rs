//! What `--replace` may take the place of, and what the new table has of the old one.

use super::people;
use super::queries::asking;
use super::server::{Database, Server};
use crate::sandbox::{Ran, Sandbox};

/// Rows of all tables, by which it is seen whether anything is gone.
fn state(database: &Database) -> String {
    database.sql(
        "SELECT c.relname, c.oid, c.relkind, (SELECT count(*) FROM pg_inherits WHERE inhrelid = c.oid OR inhparent = c.oid)
         FROM pg_class c WHERE relnamespace = 'public'::regnamespace ORDER BY 1;
         SELECT * FROM people ORDER BY 1; SELECT count(*) FROM pg_policy; SELECT count(*) FROM pg_trigger",
    )
}

/// What stands in a tree of tables, is no table, or is needed by something is left as it is.
#[test]
fn only_tables_that_stand_alone_are_replaced() {
    let Some((sandbox, database)) = people("standing") else { return };
    database.sql(
        "CREATE TABLE part (age int, sex text) PARTITION BY RANGE (age);
         CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (40);
         CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (40) TO (99);
         INSERT INTO part SELECT age, sex FROM people;
         CREATE TABLE base (age int); CREATE TABLE child (sex text) INHERITS (base); CREATE TABLE odd_parent (age int);
         CREATE TABLE \"odd \"\"child\" () INHERITS (odd_parent);
         CREATE VIEW looked AS SELECT age FROM people; CREATE MATERIALIZED VIEW held AS SELECT age FROM people;
         CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
         CREATE FOREIGN TABLE far (age int) SERVER files OPTIONS (filename '/dev/null');
         CREATE SEQUENCE counted;
         CREATE TABLE keyed (age int PRIMARY KEY); CREATE TABLE keying (age int REFERENCES keyed);
         CREATE TABLE rowed (age int); CREATE TABLE has_rows (r rowed[]);
         CREATE TABLE called (age int);
         CREATE FUNCTION calls() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM called; END;
         CREATE TABLE self (age int PRIMARY KEY, other int REFERENCES self)",
    );
    let before = state(&database);
    for (target, why) in [
        (
            "part",
            "it is a partitioned table; 'public.part_1', 'public.part_2' inherit from it or belong to it",
        ),
        ("part_1", "it is a partition or a child of 'public.part'"),
        ("base", "'public.child' inherits from it or belongs to it"),
        ("child", "it is a partition or a child of 'public.base'"),
        ("odd_parent", "'public.odd \"child' inherits"),
        ("looked", "it is a view"),
        ("held", "it is a materialised view"),
        ("far", "it is a foreign table"),
        ("counted", "it is a sequence"),
        ("keyed", "'public.keying' depends on it"),
        ("rowed", "'public.has_rows' depends on it"),
        ("called", "'function calls()' depends on it"),
    ] {
        for job in ["job.toml", "pg.toml"] {
            let refused =
                sandbox.refused(&format!("anonymize {job} --replace -o {}", database.table(target)));
            assert!(refused.contains(&format!("the table cannot be replaced: {why}")), "{target}: {refused}");
            assert_eq!(state(&database), before, "{target}");
        }
    }
    let refused = sandbox.refused(&format!("anonymize job.toml --replace -o {}", database.table("pg_class")));
    assert!(refused.contains("the database has no schema 'pg_catalog'"), "{refused}");
    // A key to itself goes with the table.
    sandbox.throng(&format!("anonymize job.toml -q --replace -o {}", database.table("self"))).done();
}

/// The source stays, whichever of its parts, parents or names the target is.
#[test]
fn what_is_read_is_never_replaced() {
    let Some((sandbox, database)) = people("sources") else { return };
    database.sql(
        "CREATE TABLE part (LIKE people) PARTITION BY RANGE (age);
         CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (40);
         CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (40) TO (99);
         INSERT INTO part SELECT * FROM people;
         CREATE TABLE base (LIKE people); CREATE TABLE child () INHERITS (base); INSERT INTO child SELECT * FROM people;
         CREATE VIEW looked AS SELECT * FROM people; CREATE TABLE alone AS SELECT age, sex FROM people;
         CREATE FUNCTION hidden() RETURNS TABLE (age int, sex text) LANGUAGE plpgsql
         AS $$ BEGIN RETURN QUERY EXECUTE 'TABLE alone'; END $$",
    );
    let rows = || {
        database.sql(
            "SELECT count(*) FROM people; SELECT count(*) FROM part; SELECT count(*) FROM base;
             SELECT count(*), 'alone'::regclass::oid FROM alone;
             SELECT 'people'::regclass::oid, 'part_1'::regclass::oid, 'child'::regclass::oid",
        )
    };
    let before = rows();
    let query = |query: &str| asking(&database, query);
    for (source, target, why) in [
        (database.table("people"), "people", "input and output are the same"),
        (database.table("public.people"), "people", "this is the table that is read"),
        (database.table("part"), "part_1", "a partition or a child of 'public.part'"),
        (database.table("part_1"), "part", "this is a partitioned table"),
        (database.table("public.part"), "part", "this is the table that is read"),
        (database.table("base"), "child", "a partition or a child of 'public.base'"),
        (database.table("child"), "base", "'public.child' inherits from it"),
        (database.table("looked"), "people", "this is the table that is read"),
        (query("SELECT * FROM looked"), "people", "this is the table that is read"),
        (query("SELECT * FROM part WHERE age < 40"), "part_1", "a partition or a child"),
        (
            query("SELECT 31 AS age, 'x' AS sex WHERE EXISTS (TABLE people)"),
            "people",
            "this is the table that is read",
        ),
        (query("SELECT * FROM hidden()"), "alone", "this is the table that is read"),
    ] {
        let why = why.replace("this is a", "it is a");
        let refused = sandbox.refused(&format!(
            "anonymize {source} --qi age --qi sex --rest identifier -k 2 --suppression 100% --replace -o {}",
            database.table(target)
        ));
        assert!(refused.contains(&why), "{source} to {target}: {refused}");
        assert_eq!(rows(), before, "{source} to {target}");
    }
}

/// What protects rows or acts on them is not lost by the way.
#[test]
fn what_a_table_would_lose_keeps_it_from_being_replaced() {
    let Some((sandbox, database)) = people("losing") else { return };
    let line = format!("anonymize pg.toml -q --replace -o {}", database.table("release"));
    sandbox.throng(&line).done();
    database.sql("CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'");
    for (make, undo, why) in [
        (
            "ALTER TABLE release ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE release DISABLE ROW LEVEL SECURITY",
            "it has row-level security, which a new table would not have",
        ),
        (
            "ALTER TABLE release FORCE ROW LEVEL SECURITY",
            "ALTER TABLE release NO FORCE ROW LEVEL SECURITY",
            "it has row-level security",
        ),
        (
            "CREATE POLICY p ON release USING (age <> '*')",
            "DROP POLICY p ON release",
            "it has row-level security",
        ),
        (
            "CREATE TRIGGER \"on it\" AFTER INSERT ON release FOR EACH ROW EXECUTE FUNCTION act()",
            "DROP TRIGGER \"on it\" ON release",
            "it has triggers: 'on it'",
        ),
        (
            "CREATE RULE r AS ON DELETE TO release DO INSTEAD NOTHING",
            "DROP RULE r ON release",
            "it has rules: 'r'",
        ),
        ("CREATE PUBLICATION news FOR TABLE release", "DROP PUBLICATION news", "it is published by 'news'"),
        (
            "CREATE EXTENSION IF NOT EXISTS citext; ALTER EXTENSION citext ADD TABLE release",
            "ALTER EXTENSION citext DROP TABLE release",
            "it belongs to the extension 'citext'",
        ),
    ] {
        database.sql(make);
        let before = database.sql("SELECT 'release'::regclass::oid");
        let refused = sandbox.refused(&line);
        assert!(refused.contains(&format!("the table cannot be replaced: {why}")), "{make}: {refused}");
        assert_eq!(database.sql("SELECT 'release'::regclass::oid"), before, "{make}");
        database.sql(undo);
        sandbox.throng(&line).done();
    }
}

/// The new table has the old one's schema, owner and comments on columns; what is only the table's own is gone.
#[test]
fn the_new_table_belongs_to_the_owner_of_the_old_one() {
    let Some((sandbox, database)) = people("owning") else { return };
    database.sql(
        "CREATE ROLE owning_team; CREATE ROLE owning_ann LOGIN IN ROLE owning_team; CREATE ROLE owning_bob LOGIN;
         CREATE SCHEMA owning_ann AUTHORIZATION owning_ann; GRANT ALL ON SCHEMA public TO owning_team, owning_bob;
         ALTER DEFAULT PRIVILEGES FOR ROLE owning_ann GRANT SELECT ON TABLES TO owning_bob;
         ALTER DEFAULT PRIVILEGES FOR ROLE owning_ann GRANT SELECT ON TABLES TO owning_team;
         CREATE TABLE public.release (age text, note text); ALTER TABLE release OWNER TO owning_team;
         GRANT INSERT ON release TO owning_ann; CREATE INDEX ON release (age);
         COMMENT ON COLUMN release.age IS 'it''s years \\ of life'; COMMENT ON COLUMN release.note IS 'gone'",
    );
    let as_user = |user: &str| database.table("release").replace("postgres@", &format!("{user}@"));
    let refused = sandbox.refused(&format!("anonymize job.toml --replace -o {}", as_user("owning_bob")));
    assert!(
        refused.contains("its owner is 'owning_team', for whom this user may not create tables"),
        "{refused}"
    );
    // The first schema of this user is another one than that of the table.
    sandbox.throng(&format!("anonymize job.toml -q --replace -o {}", as_user("owning_ann"))).done();
    let found = database.sql(
        "SELECT oid::regclass, relowner::regrole, relacl, col_description(oid, 1), relhasindex FROM pg_class
         WHERE relname = 'release'",
    );
    assert_eq!(
        found,
        "release|owning_team|{owning_team=arwdDxt/owning_team,owning_ann=a/owning_team}|it's years \\ of life|f\n"
    );
    assert_eq!(database.sql("SELECT count(*) FROM release"), "8\n");
}

/// Whatever becomes of the old table while the release is made, is seen before it goes.
#[test]
fn a_table_that_changes_meanwhile_is_looked_at_again() {
    let Some(server) = Server::shared() else { return };
    let database = server.database("changing");
    let sandbox = Sandbox::empty();
    database.sql(
        "CREATE TABLE t AS SELECT g % 50 AS a, 'some text of a row' AS c FROM generate_series(1, 400000) g;
         CREATE TABLE parent (a int, c text) PARTITION BY RANGE (a)",
    );
    for (change, why) in [
        ("ALTER TABLE release ENABLE ROW LEVEL SECURITY", "it has row-level security"),
        (
            "ALTER TABLE parent ATTACH PARTITION release FOR VALUES FROM (0) TO (9)",
            "a child of 'public.parent'",
        ),
        (
            "ALTER TABLE release RENAME TO before; CREATE TABLE release (a int)",
            "another table has taken the place",
        ),
    ] {
        database.sql("DROP TABLE IF EXISTS release; CREATE TABLE release (a int, c text)");
        let target = database.table("release");
        let source = database.table("t");
        let line =
            ["anonymize", &source, "--qi", "a", "--sensitive", "c", "-k", "2", "--replace", "-o", &target];
        let piped = std::process::Stdio::piped;
        let run = sandbox.command(&line).stdout(piped()).stderr(piped()).spawn().unwrap();
        database.wait_for("COPY \"public\".\"throng_");
        database.sql(change);
        let before = database.sql("SELECT 'release'::regclass::oid");
        let ran = Ran::from(run.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(2), "{change}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(why), "{change}: {}", ran.stderr);
        assert_eq!(database.sql("SELECT 'release'::regclass::oid"), before, "{change}");
        assert_eq!(
            database.sql("SELECT count(*) FROM pg_class WHERE relname ~ '^throng_'"),
            "0\n",
            "{change}"
        );
    }
}
