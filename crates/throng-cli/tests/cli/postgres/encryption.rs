//! Encryption and certificates: whatever psql does with a server, throng does, or is more careful.

use std::path::Path;
use std::process::Command;

use super::queries::asking;
use super::server::{Database, Server};
use crate::sandbox::{Ran, Sandbox};

const BOTH: &str = "host all all 127.0.0.0/8 trust\n";
const ENCRYPTED: &str = "hostssl all all 127.0.0.0/8 trust\n";
const PLAIN: &str = "hostnossl all all 127.0.0.0/8 trust\n";
const MODES: [&str; 7] = ["", "disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/// How a server is asked for: at which host, in which mode, with which files.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    host: &'a str,
    mode: &'a str,
    root: Option<&'a Path>,
    revoked: Option<&'a Path>,
}

impl Asked<'_> {
    /// Whether psql connects, and then whether it is encrypted.
    fn by_psql(self, database: &Database) -> Option<bool> {
        let mut psql = Command::new(database.psql().get_program());
        // Without a file, rather none than the one of whoever runs the tests.
        let none = Path::new("/nowhere/root.crt");
        let file = |file: Option<&Path>| file.unwrap_or(none).display().to_string();
        let (port, name) = database.port_and_name();
        let mut place = format!(
            "host={} port={port} dbname={name} user=postgres sslrootcert={} sslcrl={}",
            self.host,
            file(self.root),
            file(self.revoked)
        );
        if !self.mode.is_empty() {
            place += &format!(" sslmode={}", self.mode);
        }
        let encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        let ran = without_variables(&mut psql).args(["-XAtw", "-c", encrypted, &place]).output().unwrap();
        ran.status.success().then(|| ran.stdout.starts_with(b"t"))
    }

    /// The same of throng.
    fn by_throng(self, database: &Database, sandbox: &Sandbox) -> (Option<bool>, String) {
        let query =
            "SELECT ssl::int AS ssl FROM pg_stat_ssl, generate_series(1, 2) WHERE pid = pg_backend_pid()";
        let by_socket = asking(database, query);
        let (_, parameters) = by_socket.split_once('?').unwrap();
        let (port, name) = database.port_and_name();
        let mut address = format!("postgres://postgres@{}:{port}/{name}?{parameters}", self.host);
        for (parameter, value) in [
            ("sslmode", Some(self.mode.to_owned()).filter(|mode| !mode.is_empty())),
            ("sslrootcert", self.root.map(|file| file.display().to_string())),
            ("sslcrl", self.revoked.map(|file| file.display().to_string())),
        ] {
            address += &value.map(|value| format!("&{parameter}={value}")).unwrap_or_default();
        }
        let ran = run(sandbox, &["anonymize", &address, "--qi", "ssl", "-k", "2", "-o", "out.csv"], &[]);
        assert!(matches!(ran.code, Some(0 | 2)), "{self:?}: {}", ran.stderr);
        let connected = (ran.code == Some(0)).then(|| sandbox.read("out.csv").contains('1'));
        let _ = std::fs::remove_file(sandbox.path("out.csv"));
        (connected, ran.stderr)
    }
}

/// Nothing of the environment of whoever runs the tests.
fn without_variables(command: &mut Command) -> &mut Command {
    let ours =
        std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("PG"));
    ours.fold(command, |command, name| command.env_remove(name))
}

/// Runs throng at home in the sandbox, with these variables of libpq.
fn run(sandbox: &Sandbox, args: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(args);
    without_variables(&mut command).env("HOME", sandbox.dir()).envs(variables.iter().copied());
    Ran::from(command.output().unwrap())
}

/// The table of (server, mode, certificates): connected or not, and encrypted or not.
#[test]
fn connections_are_those_of_psql() {
    let Some(server) = Server::encrypted() else { return };
    let database = server.database("beside_psql");
    let sandbox = Sandbox::empty();
    let file = |name: &str| server.certificate(name);
    let (right, wrong) = (file("root.crt"), file("other.crt"));
    for (is_on, rules) in [(false, BOTH), (true, BOTH), (true, ENCRYPTED), (true, PLAIN)] {
        server.configure(is_on, rules, "server");
        let mut connected = 0;
        for mode in MODES {
            for (host, root) in [
                ("127.0.0.1", None),
                ("localhost", Some(&right)),
                ("127.0.0.2", Some(&right)),
                ("localhost", Some(&wrong)),
            ] {
                let asked = Asked { host, mode, root: root.map(|root| root.as_path()), revoked: None };
                let (by_throng, said) = asked.by_throng(&database, &sandbox);
                assert_eq!(by_throng, asked.by_psql(&database), "{is_on} {rules} {asked:?}: {said}");
                connected += usize::from(by_throng.is_some());
            }
        }
        assert!((1..28).contains(&connected), "{is_on} {rules}: {connected}");
    }
}

/// Certificates as people make them: with names, with a common name alone, signed by themselves, revoked.
#[test]
fn certificates_of_all_forms_are_known_as_by_psql() {
    let Some(server) = Server::encrypted() else { return };
    let database = server.database("forms");
    let sandbox = Sandbox::empty();
    let file = |name: &str| server.certificate(name);
    for (certificate, root, connected) in [
        ("common", "root", 3),
        ("own", "own", 3),
        ("own", "root", 0),
        // Known is who signed, not who was signed.
        ("server", "server", 0),
        ("old", "root", 0),
    ] {
        server.configure(true, ENCRYPTED, certificate);
        let root = file(&format!("{root}.crt"));
        let connections = [
            ("localhost", "require"),
            ("localhost", "verify-ca"),
            ("localhost", "verify-full"),
            ("127.0.0.1", "verify-full"),
        ]
        .map(|(host, mode)| {
            let asked = Asked { host, mode, root: Some(&root), revoked: None };
            let (by_throng, said) = asked.by_throng(&database, &sandbox);
            assert_eq!(by_throng, asked.by_psql(&database), "{certificate} {asked:?}: {said}");
            by_throng
        });
        assert_eq!(connections.iter().flatten().count(), connected, "{certificate}: {connections:?}");
    }
    // Made without extensions, which is version 1: encrypted, but known by psql alone.
    server.configure(true, ENCRYPTED, "first");
    let root = file("root.crt");
    for (mode, root, connects) in
        [("", None, true), ("require", None, true), ("verify-full", Some(root.as_path()), false)]
    {
        let asked = Asked { host: "localhost", mode, root, revoked: None };
        let (by_throng, said) = asked.by_throng(&database, &sandbox);
        assert_eq!((by_throng, asked.by_psql(&database)), (connects.then_some(true), Some(true)), "{said}");
    }
    server.configure(true, ENCRYPTED, "server");
    for (list, connects) in [("none.crl", true), ("revoked.crl", false)] {
        let list = file(list);
        let asked = Asked { host: "localhost", mode: "verify-ca", root: Some(&root), revoked: Some(&list) };
        let (by_throng, said) = asked.by_throng(&database, &sandbox);
        assert_eq!(by_throng, connects.then_some(true), "{said}");
        assert_eq!(by_throng, asked.by_psql(&database), "{said}");
    }
}

/// What libpq reads from the environment and from its directory.
#[test]
fn variables_and_usual_files_are_obeyed() {
    let Some(server) = Server::encrypted() else { return };
    let database = server.database("variables");
    database.sql("CREATE TABLE t AS SELECT g % 2 AS a FROM generate_series(1, 9) g");
    let sandbox = Sandbox::empty();
    server.configure(true, BOTH, "server");
    let (port, name) = database.port_and_name();
    let place = [("PGHOST", "127.0.0.1"), ("PGPORT", &port), ("PGUSER", "postgres"), ("PGDATABASE", &name)];
    let profile = |more: &[(&str, &str)]| {
        run(
            &sandbox,
            &["profile", "postgres://?table=t"],
            &place.iter().chain(more).copied().collect::<Vec<_>>(),
        )
    };
    profile(&[]).done();
    let refused = |more: &[(&str, &str)], what: &str| {
        let ran = profile(more);
        assert_eq!(ran.code, Some(2), "{more:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(what), "{more:?}: {}", ran.stderr);
    };
    let (right, wrong) = (server.certificate("root.crt"), server.certificate("other.crt"));
    let (right, wrong) = (right.to_str().unwrap(), wrong.to_str().unwrap());
    let unknown = "is it really the server it claims to be?";
    for mode in ["verify-ca", "verify-full"] {
        refused(&[("PGSSLMODE", mode)], "there is no ~/.postgresql/root.crt");
        refused(&[("PGSSLMODE", mode), ("PGSSLROOTCERT", wrong)], unknown);
        profile(&[("PGSSLMODE", mode), ("PGSSLROOTCERT", right)]).done();
    }
    refused(&[("PGSSLMODE", "require"), ("PGSSLROOTCERT", wrong)], unknown);
    refused(&[("PGSSLMODE", "verify")], "verify-ca");
    refused(&[("PGSSLROOTCERT", "system")], unknown);
    refused(&[("PGSSLROOTCERT", "system"), ("PGSSLMODE", "require")], "sslmode=verify-full");
    // libpq would take anybody then.
    refused(
        &[("PGSSLMODE", "require"), ("PGSSLROOTCERT", "/nowhere/root.crt")],
        "it contains no readable certificates (PEM)",
    );
    for (name, value) in [
        ("PGSERVICE", "x"),
        ("PGHOSTADDR", "127.0.0.1"),
        ("PGREQUIREAUTH", "none"),
        ("PGGSSENCMODE", "require"),
    ] {
        refused(&[(name, value)], &format!("{name} is set, but throng does not support it"));
    }
    std::fs::create_dir(sandbox.path(".postgresql")).unwrap();
    std::fs::copy(wrong, sandbox.path(".postgresql/root.crt")).unwrap();
    refused(&[("PGSSLMODE", "require")], unknown);
    std::fs::copy(right, sandbox.path(".postgresql/root.crt")).unwrap();
    profile(&[("PGSSLMODE", "verify-full")]).done();
}

/// What is sent to another machine in plain text is said; a number that is no loopback stands for one here.
#[test]
fn plain_text_to_another_host_is_said() {
    let Some(server) = Server::encrypted() else { return };
    let database = server.database("plain");
    database.sql("CREATE TABLE t AS SELECT g % 2 AS a FROM generate_series(1, 9) g");
    let sandbox = Sandbox::empty();
    let warning = "warning: the connection to 0.0.0.0:";
    for (is_on, host, mode, warns) in [
        (true, "0.0.0.0", "disable", true),
        (true, "0.0.0.0", "allow", true),
        (true, "0.0.0.0", "prefer", false),
        (true, "0.0.0.0", "require", false),
        (true, "127.0.0.1", "disable", false),
        (true, "localhost", "disable", false),
        (false, "0.0.0.0", "prefer", true),
    ] {
        server.configure(is_on, BOTH, "server");
        let address = database.by_password("postgres", "t").replace("127.0.0.1", host) + "&sslmode=" + mode;
        let ran = run(&sandbox, &["profile", &address, "--log", "run.log"], &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches(warning).count(), usize::from(warns), "{host} {mode}: {}", ran.stderr);
        assert_eq!(sandbox.read("run.log").contains("is not encrypted"), warns, "{host} {mode}");
        std::fs::remove_file(sandbox.path("run.log")).unwrap();
    }
}
