//! A PostgreSQL server of the tests' own, in a temporary directory.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The server, as long as a test needs it.
static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());

pub(crate) struct Server {
    dir: TempDir,
    port: u16,
    programs: PathBuf,
    as_root: bool,
}

/// A database of one test.
pub(crate) struct Database {
    server: Arc<Server>,
    name: String,
}

impl Server {
    /// The server that other tests use, too; nothing where there is no PostgreSQL and none is required.
    pub(crate) fn shared() -> Option<Arc<Server>> {
        let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(Server::start(find_required_programs()?, false));
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    /// A server that is reached by encrypted connections alone; its [`certificate`](Server::certificate) is known by
    /// `root.crt`. Nothing where there is no PostgreSQL.
    pub(crate) fn encrypted() -> Option<Arc<Server>> {
        Some(Arc::new(Server::start(find_required_programs()?, true)))
    }

    /// A file of its certificates, and of those who signed them.
    pub(crate) fn certificate(&self, name: &str) -> PathBuf {
        self.dir.path().join("certificates").join(name)
    }

    /// Says anew whether an encrypted server offers encryption, who may come how, and which certificate it shows.
    pub(crate) fn configure(self: &Arc<Server>, is_on: bool, rules: &str, certificate: &str) {
        let hosts = format!("local all all trust\n{rules}");
        fs::write(self.dir.path().join("data/pg_hba.conf"), hosts).unwrap();
        let all = Database { server: Arc::clone(self), name: "postgres".to_owned() };
        let before: u64 = all
            .sql("SELECT setting FROM pg_settings WHERE name = 'deadlock_timeout'")
            .trim()
            .parse()
            .unwrap();
        let (file, key) = (self.certificate(&format!("{certificate}.crt")), self.key_of(certificate));
        for setting in [
            format!("ssl = {}", if is_on { "on" } else { "off" }),
            format!("ssl_cert_file = '{}'", file.display()),
            format!("ssl_key_file = '{}'", key.display()),
            format!("deadlock_timeout = {}", before + 1),
        ] {
            all.sql(&format!("ALTER SYSTEM SET {setting}"));
        }
        all.sql("SELECT pg_reload_conf()");
        // The last setting tells that the others are read.
        let started = Instant::now();
        while all.sql("SELECT setting FROM pg_settings WHERE name = 'deadlock_timeout'").trim()
            == before.to_string()
        {
            assert!(started.elapsed() < Duration::from_secs(60), "the server does not read its settings");
        }
    }

    fn key_of(&self, certificate: &str) -> PathBuf {
        self.certificate(if certificate == "own" { "own.key" } else { "server.key" })
    }

    fn start(programs: PathBuf, encrypted: bool) -> Server {
        let dir = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
        let as_root =
            fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        if as_root {
            // A server does not run as root.
            assert!(Command::new("chown").arg("postgres").arg(dir.path()).status().unwrap().success());
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Server { dir, port, programs, as_root };
        let data = server.dir.path().join("data").display().to_string();
        server.program("initdb", &["-D", &data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"]);
        let rules = match encrypted {
            true => "local all all trust\nhostssl all all 127.0.0.0/8 trust\n",
            false => {
                "local all ann,eve scram-sha-256\nhost all ann,eve 127.0.0.1/32 scram-sha-256\nlocal all all trust\nhost all all 127.0.0.1/32 trust\n"
            }
        };
        fs::write(server.dir.path().join("data/pg_hba.conf"), rules).unwrap();
        let mut options = format!(
            "-k {} -p {port} -c fsync=off -c listen_addresses=127.0.0.1",
            server.dir.path().display()
        );
        if encrypted {
            let made = server.make_certificates();
            let settings = format!(
                "ssl = on\nssl_cert_file = '{made}/server.crt'\nssl_key_file = '{made}/server.key'\n"
            );
            let mut file = fs::File::options()
                .append(true)
                .open(server.dir.path().join("data/postgresql.conf"))
                .unwrap();
            file.write_all(settings.as_bytes()).unwrap();
            options = format!("{options},127.0.0.2");
        }
        let log = server.dir.path().join("log").display().to_string();
        server.program("pg_ctl", &["-D", &data, "-o", &options, "-l", &log, "-w", "start"]);
        server
    }

    /// Makes a certificate for this machine, and the one that it is signed by; says where they are.
    fn make_certificates(&self) -> String {
        let made = self.dir.path().join("certificates");
        fs::create_dir(&made).unwrap();
        let openssl = |line: &str| {
            let ran = Command::new("openssl").args(line.split(' ')).current_dir(&made).output();
            let ran = ran.expect("openssl runs");
            assert!(ran.status.success(), "openssl {line}: {}", String::from_utf8_lossy(&ran.stderr));
        };
        fs::write(
            made.join("names"),
            "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n",
        )
        .unwrap();
        for root in ["root", "other"] {
            openssl(&format!(
                "req -x509 -newkey rsa:2048 -nodes -keyout {root}.key -out {root}.crt -days 2 -subj /CN={root}"
            ));
        }
        openssl("req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost");
        fs::write(made.join("nameless"), "basicConstraints=CA:FALSE\n").unwrap();
        let sign = "x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial";
        openssl(&format!("{sign} -out server.crt -days 2 -extfile names"));
        // With a common name alone, without extensions (version 1), no longer valid, and signed by itself.
        openssl(&format!("{sign} -out common.crt -days 2 -extfile nameless"));
        openssl(&format!("{sign} -out first.crt -days 2"));
        openssl(&format!("{sign} -out old.crt -days 0 -extfile names"));
        openssl("req -x509 -newkey rsa:2048 -nodes -keyout own.key -out own.crt -days 2 -subj /CN=localhost");
        fs::write(
            made.join("lists"),
            "[ca]\ndefault_ca=own\n[own]\ndatabase=index\ncrlnumber=number\ndefault_md=sha256\ndefault_crl_days=2\n\
             crl_extensions=more\n[more]\nauthorityKeyIdentifier=keyid\n",
        )
        .unwrap();
        fs::write(made.join("index"), "").unwrap();
        fs::write(made.join("number"), "01\n").unwrap();
        let list = "ca -config lists -cert root.crt -keyfile root.key";
        openssl(&format!("{list} -gencrl -out none.crl"));
        openssl(&format!("{list} -revoke server.crt"));
        openssl(&format!("{list} -gencrl -out revoked.crl"));
        for key in ["server.key", "own.key"] {
            fs::set_permissions(made.join(key), fs::Permissions::from_mode(0o600)).unwrap();
        }
        if self.as_root {
            assert!(Command::new("chown").arg("-R").arg("postgres").arg(&made).status().unwrap().success());
        }
        made.display().to_string()
    }

    fn program(&self, name: &str, args: &[&str]) {
        let program = self.programs.join(name);
        let mut command = match self.as_root {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        // The server inherits what it writes to.
        let status = command.args(args).current_dir("/").stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.unwrap().success(), "{name} {args:?}");
    }

    /// A new database.
    pub(crate) fn database(self: &Arc<Server>, name: &str) -> Database {
        let all = Database { server: Arc::clone(self), name: "postgres".to_owned() };
        all.sql(&format!("CREATE DATABASE {name}"));
        Database { server: Arc::clone(self), name: name.to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.dir.path().join("data").display().to_string();
        self.program("pg_ctl", &["-D", &data, "-m", "immediate", "stop"]);
    }
}

impl Database {
    /// The address of the database, by its socket, without a table.
    pub(crate) fn address(&self) -> String {
        let host = self.server.dir.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{host}:{}/{}", self.server.port, self.name)
    }

    /// The address of a table.
    pub(crate) fn table(&self, name: &str) -> String {
        format!("{}?table={name}", self.address())
    }

    /// The address of a table in another database of the server.
    pub(crate) fn elsewhere(&self, database: &str, table: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}?table={table}", self.server.port)
    }

    /// The address of a table for somebody who needs a password.
    pub(crate) fn by_password(&self, user: &str, table: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{}?table={table}", self.server.port, self.name)
    }

    /// What a statement prints, one row in a line.
    pub(crate) fn sql(&self, statement: &str) -> String {
        let ran = self.psql().args(["-c", statement]).output().expect("psql runs");
        assert!(ran.status.success(), "{statement}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    }

    /// What the statements of a file print.
    pub(crate) fn run(&self, file: &std::path::Path) -> String {
        let ran = self.psql().arg("-f").arg(file).output().expect("psql runs");
        assert!(ran.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    }

    /// Loads comma-separated text under a header.
    pub(crate) fn load(&self, table: &str, text: &str) {
        let copy = format!("COPY {table} FROM STDIN (FORMAT csv, HEADER)");
        let mut psql = self.psql().args(["-c", &copy]).stdin(Stdio::piped()).spawn().unwrap();
        psql.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(psql.wait().unwrap().success());
    }

    /// Waits until somebody runs such a statement.
    pub(crate) fn wait_for(&self, statement: &str) {
        let started = Instant::now();
        let count = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'throng' AND datname = current_database()
             AND starts_with(query, '{statement}')"
        );
        while self.sql(&count) == "0\n" {
            assert!(started.elapsed() < Duration::from_secs(60), "nobody ran {statement}");
        }
    }

    /// Where it listens, and the name of the database.
    pub(crate) fn port_and_name(&self) -> (String, String) {
        (self.server.port.to_string(), self.name.clone())
    }

    /// psql in this database.
    pub(crate) fn psql(&self) -> Command {
        let mut psql = Command::new(self.server.programs.join("psql"));
        let port = self.server.port.to_string();
        psql.arg("-h")
            .arg(self.server.dir.path())
            .args(["-p", &port, "-U", "postgres", "-d", &self.name, "-XqAt"]);
        psql.args(["-v", "ON_ERROR_STOP=1"]);
        psql
    }
}

/// The programs; nothing where there are none and none are required.
fn find_required_programs() -> Option<PathBuf> {
    let programs = find_programs();
    if programs.is_none() {
        let required = std::env::var_os("THRONG_REQUIRE_POSTGRES").is_some();
        assert!(!required, "no PostgreSQL, which is required here");
        let _ = std::io::stderr().write_all(b"skipped: no PostgreSQL\n");
    }
    programs
}

/// Where initdb and its like are: the newest version of Debian's packages, or on the path.
fn find_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    found.sort();
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    found.into_iter().rev().chain(on_path.unwrap_or_default()).find(|bin| bin.join("initdb").is_file())
}
