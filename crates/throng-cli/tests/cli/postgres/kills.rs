//! Runs into a table that are killed (-9) while they write, at random moments: the table is the one from before or the new one, whole, and
//! nothing is left in the database or beside it.
//!
//! `THRONG_KILLS=200` kills each so often; a few times if it is not set.

use std::collections::BTreeMap;
use std::env;
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use throng::random::Random;

use super::server::{Database, Server};
use crate::sandbox::Sandbox;

const ROWS: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(60);

fn number_of_kills() -> usize {
    env::var("THRONG_KILLS").ok().map_or(8, |number| number.parse().expect("THRONG_KILLS is a number"))
}

/// A database with a table of rows that are released as they are if a crowd of two is asked for, and as `*` if all are.
struct Place {
    database: Database,
    sandbox: Sandbox,
}

impl Place {
    fn new(name: &str) -> Option<Place> {
        let database = Server::shared()?.database(name);
        database.sql(&format!(
            "CREATE TABLE people AS SELECT 31 + g % 2 AS age, 'a kind of illness with a long name' AS illness
             FROM generate_series(1, {ROWS}) g"
        ));
        let sandbox = Sandbox::empty();
        std::fs::create_dir(sandbox.path("temporary")).unwrap();
        Some(Place { database, sandbox })
    }

    fn command(&self, k: usize, replace: bool) -> std::process::Command {
        let (source, target, k) =
            (self.database.table("people"), self.database.table("release"), k.to_string());
        let mut args = vec!["anonymize", &source, "--qi", "age", "--sensitive", "illness", "-k", &k, "-q"];
        args.extend(["--log", "run.log", "-o", &target]);
        args.extend(replace.then_some("--replace"));
        let mut command = self.sandbox.command(&args);
        command.env("TMPDIR", self.sandbox.path("temporary")).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The table under its name, all of it: what it is, its rows and what it says of itself. Nothing if there is none.
    fn release(&self) -> String {
        if self.database.sql("SELECT count(*) FROM pg_class WHERE relname = 'release'") == "0\n" {
            return String::new();
        }
        self.database.sql(
            "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM release r;
             SELECT substring(obj_description('release'::regclass) FROM 'k = \\d+')",
        )
    }

    /// Waits until the server has noticed that nobody is there any more.
    fn wait_until_alone(&self) {
        let sessions = "SELECT count(*) FROM pg_stat_activity
                        WHERE application_name = 'throng' AND datname = current_database()";
        let started = Instant::now();
        while self.database.sql(sessions) != "0\n" {
            assert!(started.elapsed() < PATIENCE, "a connection is left");
            sleep(Duration::from_millis(5));
        }
    }

    /// Other tables in the database, and files in the temporary directory.
    fn others(&self) -> (String, usize) {
        let tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname <> 'release'
                      AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
                      ORDER BY 1";
        (self.database.sql(tables), std::fs::read_dir(self.sandbox.path("temporary")).unwrap().count())
    }

    fn clear(&self) {
        self.database.sql("DROP TABLE IF EXISTS release");
    }

    /// Starts a run, and waits until it writes.
    fn start_writing(&self, k: usize, replace: bool) -> Child {
        let _ = std::fs::remove_file(self.sandbox.path("run.log"));
        let mut run = self.command(k, replace).spawn().unwrap();
        let started = Instant::now();
        while self.phase() != "write" && run.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < PATIENCE, "it never wrote");
            sleep(Duration::from_millis(1));
        }
        run
    }

    /// Kills a run a moment after it began to write, and looks at what is there.
    fn kill_once(&self, k: usize, replace: bool, moment: Duration, whole: &[String], tally: &mut Tally) {
        let before = self.release();
        let mut run = self.start_writing(k, replace);
        sleep(moment);
        run.kill().unwrap();
        let is_killed = run.wait().unwrap().code().is_none();
        self.wait_until_alone();
        let after = self.release();
        assert!(
            after == before || whole.contains(&after),
            "a part of a release is under its name: {after:?}"
        );
        assert_eq!(self.others(), ("people\n".to_owned(), 0), "something is left");
        if is_killed {
            *tally.killed.entry(self.phase()).or_default() += 1;
            tally.published += usize::from(after != before);
        }
    }

    /// The last phase that the log of the last run names.
    fn phase(&self) -> String {
        let log = std::fs::read_to_string(self.sandbox.path("run.log")).unwrap_or_default();
        let named = log.lines().rev().find_map(|line| line.strip_suffix(" begins")?.rsplit(' ').next());
        named.unwrap_or("start").to_owned()
    }
}

/// What became of the runs that were killed.
#[derive(Debug, Default)]
struct Tally {
    /// In which phase.
    killed: BTreeMap<String, usize>,
    /// Runs after which the new table was there.
    published: usize,
}

impl Tally {
    fn kills(&self) -> usize {
        self.killed.values().sum()
    }
}

/// Kills runs until it was done often enough, each at another moment.
fn kill_often(name: &str, replace: bool) {
    let Some(place) = Place::new(name) else { return };
    let whole = [2, ROWS].map(|k| {
        place.clear();
        assert!(place.command(k, replace).status().unwrap().success());
        place.release()
    });
    assert!(whole[0] != whole[1] && whole.iter().all(|all| all.starts_with(&ROWS.to_string())), "{whole:?}");
    place.clear();
    let mut run = place.start_writing(2, replace);
    let started = Instant::now();
    assert!(run.wait().unwrap().success());
    let took = started.elapsed();
    let (wanted, mut random, mut tally) = (number_of_kills(), Random::new(26), Tally::default());
    for round in 0..wanted * 10 {
        if tally.kills() == wanted {
            break;
        }
        if !replace {
            place.clear();
        }
        let moment = took.mul_f64(random.below(1_200) as f64 / 1_000.0);
        place.kill_once([2, ROWS][round % 2], replace, moment, &whole, &mut tally);
    }
    assert_eq!(tally.kills(), wanted, "{tally:?}");
    let _ = std::io::stderr().write_all(format!("{name}: {tally:?}\n").as_bytes());
    place.clear();
    assert!(place.command(2, replace).status().unwrap().success());
    assert_eq!(place.release(), whole[0]);
}

#[test]
fn a_new_table_is_whole_or_not_there_whenever_its_run_is_killed() {
    kill_often("killed_new", false);
}

#[test]
fn a_replaced_table_is_whole_whenever_its_run_is_killed() {
    kill_often("killed_old", true);
}
