//! A cluster of the tests' own: real processes on the loopback interface.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a node may take to come up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A scheduler and its executors; dropping it ends them.
pub(crate) struct Cluster {
    dir: TempDir,
    port: u16,
    secure: bool,
    /// What nodes find in their environment beside ours.
    environment: Environment,
    scheduler: Node,
    executors: Vec<Node>,
}

/// Names and values of variables.
pub(crate) type Environment = Vec<(&'static str, String)>;

/// A process that ends with what holds it.
struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Cluster {
    /// A scheduler with so many executors of one core each.
    pub(crate) fn start(executors: usize) -> Cluster {
        Cluster::start_as(executors, false, Vec::new())
    }

    /// The same with certificates, without which nobody is answered.
    pub(crate) fn secure(executors: usize) -> Cluster {
        Cluster::start_as(executors, true, Vec::new())
    }

    /// The same in an environment.
    #[cfg(feature = "s3")]
    pub(crate) fn start_in(environment: Environment, executors: usize) -> Cluster {
        Cluster::start_as(executors, false, environment)
    }

    fn start_as(executors: usize, secure: bool, environment: Environment) -> Cluster {
        let dir = tempfile::tempdir().unwrap();
        if secure {
            make_certificates(&dir);
        }
        let port = free_port();
        let bind = format!("127.0.0.1:{port}");
        let scheduler = start(&dir, secure, &environment, &["scheduler", "--bind", &bind]);
        let mut cluster = Cluster { dir, port, secure, environment, scheduler, executors: Vec::new() };
        wait_until("the scheduler listens", || TcpStream::connect(("127.0.0.1", cluster.port)).is_ok());
        for _ in 0..executors {
            cluster.add_executor(1);
        }
        cluster
    }

    /// Starts one more executor, which works on so many parts at a time, and waits for it.
    pub(crate) fn add_executor(&mut self, cores: usize) {
        let work = self.work_dir(self.executors.len());
        fs::create_dir(&work).unwrap();
        let started = self.start_executor(work, cores);
        self.executors.push(started);
    }

    /// Starts an executor of one core in the place of one that was killed, with the same directory.
    pub(crate) fn restart_executor(&mut self, executor: usize) {
        self.executors[executor] = self.start_executor(self.work_dir(executor), 1);
    }

    fn start_executor(&self, work: PathBuf, cores: usize) -> Node {
        let port = free_port();
        let (scheduler, bind) = (format!("localhost:{}", self.port), format!("127.0.0.1:{port}"));
        let (work, cores) = (work.display().to_string(), cores.to_string());
        let args = [
            "executor",
            "--scheduler",
            &scheduler,
            "--bind",
            &bind,
            "--cores",
            &cores,
            "--work-dir",
            &work,
            "--external-host",
            "localhost",
        ];
        let started = start(&self.dir, self.secure, &self.environment, &args);
        wait_until("the executor listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        // It listens a little before the scheduler knows it.
        std::thread::sleep(Duration::from_millis(500));
        started
    }

    /// The address of the scheduler.
    pub(crate) fn address(&self) -> String {
        format!("df://localhost:{}", self.port)
    }

    /// Where an executor puts what it counted.
    pub(crate) fn work_dir(&self, executor: usize) -> PathBuf {
        self.dir.path().join(format!("work-{executor}"))
    }

    /// The files by which a client is known: of the authority, of the client, and its key.
    pub(crate) fn certificates(&self) -> String {
        ["ca.crt", "node.crt", "node.key"]
            .map(|name| self.dir.path().join(name).display().to_string())
            .join(",")
    }

    /// Those of an authority that the nodes do not know.
    pub(crate) fn other_certificates(&self) -> String {
        ["ca.crt", "other.crt", "other.key"]
            .map(|name| self.dir.path().join(name).display().to_string())
            .join(",")
    }

    /// Ends an executor as a failing machine does.
    pub(crate) fn kill_executor(&mut self, executor: usize) {
        self.executors[executor].0.kill().unwrap();
        self.executors[executor].0.wait().unwrap();
    }

    /// Ends the scheduler as a failing machine does.
    pub(crate) fn kill_scheduler(&mut self) {
        self.scheduler.0.kill().unwrap();
        self.scheduler.0.wait().unwrap();
    }
}

fn start(dir: &TempDir, secure: bool, environment: &Environment, args: &[&str]) -> Node {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.arg("cluster").args(args).current_dir(dir.path()).stdin(Stdio::null());
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    if secure {
        command.args(["--tls-ca", "ca.crt", "--tls-cert", "node.crt", "--tls-key", "node.key"]);
    }
    Node(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs"))
}

/// A port that nobody has now.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits for something to happen.
pub(crate) fn wait_until(what: &str, happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// An authority and a certificate of it for this machine, and another authority with one of its own.
fn make_certificates(dir: &TempDir) {
    let openssl = |line: &str| {
        let ran = Command::new("openssl").args(line.split(' ')).current_dir(dir.path()).output();
        let ran = ran.expect("openssl runs");
        assert!(ran.status.success(), "openssl {line}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    let names = "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n";
    fs::write(dir.path().join("names"), names).unwrap();
    for (authority, node) in [("ca", "node"), ("stranger", "other")] {
        openssl(&format!(
            "req -x509 -newkey rsa:2048 -nodes -keyout {authority}.key -out {authority}.crt -days 2 -subj /CN={authority}"
        ));
        openssl(&format!(
            "req -newkey rsa:2048 -nodes -keyout {node}.key -out {node}.csr -subj /CN=localhost"
        ));
        openssl(&format!(
            "x509 -req -in {node}.csr -CA {authority}.crt -CAkey {authority}.key -CAcreateserial -out {node}.crt -days 2 -extfile names"
        ));
    }
}
