//! Servers that have to show who they are, and users who have to.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::server::Server;
use crate::sandbox::Sandbox;

/// A connection is encrypted where that is asked for, and the server known by its certificate where that is.
#[test]
fn servers_are_known_by_their_certificates() {
    let Some(server) = Server::encrypted() else { return };
    let database = server.database("encrypted");
    database.sql("CREATE TABLE t AS SELECT g % 2 AS a FROM generate_series(1, 9) g");
    let sandbox = Sandbox::empty();
    let address =
        |host: &str, more: &str| database.by_password("postgres", "t").replace("127.0.0.1", host) + more;
    let root = |name: &str| format!("&sslrootcert={}", server.certificate(name).display());
    let profile = |address: &str| {
        let mut command = sandbox.command(&["profile", address]);
        command.env("HOME", sandbox.dir()).env_remove("PGSSLROOTCERT");
        crate::sandbox::Ran::from(command.output().unwrap())
    };
    for more in ["", "&sslmode=require", &format!("&sslmode=verify-full{}", root("root.crt"))] {
        let ran = profile(&address("127.0.0.1", more));
        assert_eq!(ran.code, Some(0), "{more}: {}", ran.stderr);
    }
    assert_eq!(
        profile(&address("localhost", &format!("&sslmode=verify-full{}", root("root.crt")))).code,
        Some(0)
    );

    let refused = |more: &str, what: &str| {
        let ran = profile(&address("127.0.0.1", more));
        assert_eq!(ran.code, Some(2), "{more}: {}", ran.stdout);
        assert!(ran.stderr.contains(what), "{more}: {}", ran.stderr);
    };
    refused("&sslmode=disable", "refused the login");
    refused(
        &format!("&sslmode=verify-full{}", root("other.crt")),
        "is it really the server it claims to be?",
    );
    refused("&sslmode=verify-full", "there is no ~/.postgresql/root.crt");
    refused(
        &format!("&sslmode=verify-full{}", root("none.crt")),
        "it contains no readable certificates (PEM)",
    );
    // Known, but as another host.
    let elsewhere = profile(&address("127.0.0.2", &format!("&sslmode=verify-full{}", root("root.crt"))));
    assert_eq!(elsewhere.code, Some(2), "{}", elsewhere.stdout);
    assert!(elsewhere.stderr.contains("is it really the server it claims to be?"), "{}", elsewhere.stderr);
    assert_eq!(profile(&address("127.0.0.2", "&sslmode=require")).code, Some(0));
    let by_root = format!("&sslmode=verify-ca{}", root("root.crt"));
    assert_eq!(profile(&address("127.0.0.2", &by_root)).code, Some(0));
}

/// Whoever sits at a terminal is asked for a password, which the terminal does not show.
#[test]
fn passwords_are_asked_for_at_a_terminal() {
    let Some(server) = Server::shared() else { return };
    if Command::new("script").arg("--version").output().is_err() {
        let _ = std::io::stderr().write_all(b"skipped: no script, which has terminals\n");
        return;
    }
    let database = server.database("asked");
    database.sql("CREATE TABLE t AS SELECT g % 2 AS a FROM generate_series(1, 9) g; CREATE ROLE eve LOGIN PASSWORD 's3cret'; GRANT SELECT ON t TO eve");
    for (password, code, what) in
        [("s3cret", 0, "9 rows"), ("s3cret-wrong", 2, "refused the login of user 'eve'")]
    {
        let said = at_terminal(&database.by_password("eve", "t"), password);
        assert!(said.contains("Password for user eve at 127.0.0.1") && said.contains(what), "{said}");
        assert!(said.contains(&format!("ended with {code}")), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

/// What a terminal shows of a run in which a password is typed.
fn at_terminal(address: &str, password: &str) -> String {
    let sandbox = Sandbox::empty();
    let line = format!("{} profile '{address}'; echo ended with $?", env!("CARGO_BIN_EXE_throng"));
    let mut script = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(sandbox.dir())
        .env_remove("PGPASSWORD")
        .env_remove("PGPASSFILE")
        .env("HOME", sandbox.dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut keys, mut screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
    let mut shown = Vec::new();
    let mut byte = [0];
    while !shown.ends_with(b": ") && screen.read(&mut byte).unwrap() == 1 {
        shown.push(byte[0]);
    }
    // The question comes just before the terminal stops showing what is typed.
    std::thread::sleep(Duration::from_millis(300));
    keys.write_all(format!("{password}\n").as_bytes()).unwrap();
    screen.read_to_end(&mut shown).unwrap();
    script.wait().unwrap();
    String::from_utf8_lossy(&shown).into_owned()
}
