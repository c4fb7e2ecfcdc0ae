//! `throng serve`: what the program says, and the whole way in a real browser.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::sandbox::Sandbox;

const PROGRAM: &str = env!("CARGO_BIN_EXE_throng");

/// A server that ends with its test.
pub(crate) struct Served(pub(crate) Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn serve(folder: &Path, environment: &[(&str, &str)]) -> Served {
    let mut command = Command::new(PROGRAM);
    command.args(["serve", "."]).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(environment.iter().copied());
    Served(command.spawn().unwrap())
}

#[test]
fn the_address_stands_on_a_line_of_standard_output() {
    let sandbox = Sandbox::empty();
    let mut served = serve(sandbox.dir(), &[]);
    let mut line = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (address, token) = line.trim_end().split_once("/?token=").unwrap_or_else(|| panic!("{line}"));
    assert!(address.starts_with("http://127.0.0.1:"), "{line}");
    assert!(token.len() >= 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    served.0.kill().unwrap();
    let mut said = String::new();
    served.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("press Ctrl-C to stop") && !said.contains(token), "{said}");
}

#[test]
fn others_are_let_in_only_with_a_certificate_and_a_password() {
    let sandbox = Sandbox::empty();
    for (flags, lacks) in [
        ("serve . --listen 0.0.0.0:0", "a certificate"),
        ("serve . --listen 0.0.0.0:0 --tls-cert none.pem --tls-key none.pem", "a password"),
        ("serve no-such-folder", "no-such-folder"),
    ] {
        let ran = Command::new(PROGRAM)
            .args(flags.split(' '))
            .current_dir(sandbox.dir())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{flags}: {said}");
        assert!(said.contains(lacks), "{flags}: {said}");
    }
}

/// Where Playwright and axe-core are; nothing where they are not and are not required.
fn modules() -> Option<PathBuf> {
    let place = std::env::var_os("THRONG_NODE_MODULES").map(PathBuf::from);
    let place =
        place.filter(|place| place.join("playwright-core").is_dir() && place.join("axe-core").is_dir());
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|ran| ran.status.success());
    if place.is_none() || !has_node {
        assert!(
            std::env::var_os("THRONG_REQUIRE_BROWSER").is_none(),
            "no Node or no Playwright, which are required here"
        );
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: no Node or no Playwright (THRONG_NODE_MODULES)\n",
        );
        return None;
    }
    place
}

/// Chromium; nothing where there is none and none is required.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.exists());
    let is_required = std::env::var_os("THRONG_REQUIRE_BROWSER").is_some();
    assert!(found.is_some() || !is_required, "no Chromium, which is required here");
    found
}

/// Runs a script in the browser, with these arguments behind the usual ones, until it says that it passed.
fn browse(script: &str, arguments: &[&Path], environment: &[(&str, &str)]) {
    let (Some(modules), Some(browser)) = (modules(), chromium()) else { return };
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../throng-web/browser").join(script);
    let mut node = Command::new("node");
    node.arg(place).arg(PROGRAM).arg(browser).arg(modules).args(arguments);
    let ran = node.envs(environment.iter().copied()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.contains(": passed"), "{out}\n{err}");
}

#[test]
fn the_whole_way_works_in_a_browser() {
    browse("journey.mjs", &[], &[]);
}

#[test]
fn ten_runs_are_started_at_once_in_a_browser() {
    browse("many.mjs", &[], &[]);
}

/// A workbook whose second sheet has people.
fn workbook(path: &Path) {
    let mut book = rust_xlsxwriter::Workbook::new();
    let notes = book.add_worksheet().set_name("Notes").unwrap();
    notes.write_row(0, 0, ["a note", "of somebody"]).unwrap();
    let people = book.add_worksheet().set_name("People").unwrap();
    people.write_row(0, 0, ["name", "town", "age", "illness"]).unwrap();
    for row in 0..120 {
        let words = [format!("name-{row}"), format!("town-{}", row % 4)];
        people.write_row(row + 1, 0, words).unwrap();
        people.write(row + 1, 2, 20 + row % 40).unwrap();
        people.write(row + 1, 3, format!("illness-{}", row % 3)).unwrap();
    }
    book.save(path).unwrap();
}

/// The database is left out where no server can be started.
#[test]
fn sheets_databases_and_faults_of_files_are_met_in_a_browser() {
    let sandbox = Sandbox::empty();
    let book = sandbox.dir().join("people.xlsx");
    workbook(&book);
    #[cfg(all(unix, feature = "postgres"))]
    if let Some(server) = crate::postgres::server::Server::shared() {
        let database = server.database("browsed");
        database.sql("CREATE TABLE people (name text, town text, age integer, illness text)");
        database.sql(
            "INSERT INTO people SELECT 'name-' || n, 'town-' || n % 4, 20 + n % 40, 'illness-' || n % 3
             FROM generate_series(0, 199) n",
        );
        let (port, name) = database.port_and_name();
        let environment =
            [("PGHOST", "127.0.0.1"), ("PGPORT", &port), ("PGUSER", "postgres"), ("PGDATABASE", &name)];
        return browse("tables.mjs", &[&book, Path::new("public.people")], &environment);
    }
    browse("tables.mjs", &[&book], &[]);
}
