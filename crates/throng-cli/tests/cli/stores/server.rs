//! A store of the tests' own: moto, a server of Python that speaks the protocol of S3.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::sandbox::{Ran, Sandbox};

/// How long the server may take to come up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Who asks, as the server believes without looking at the signature.
const OWNER: &str =
    "AWS4-HMAC-SHA256 Credential=tester/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";
/// What nobody may find in a message.
const SECRET: &str = "very-secret-key";

/// A server with one bucket, `clinic`; dropping it ends it.
pub(super) struct Store {
    process: Child,
    port: u16,
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A Python that has moto; nothing where there is none and none is required.
fn python() -> Option<String> {
    let python = std::env::var("THRONG_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_it = Command::new(&python).args(["-c", "import moto.server, flask"]).output();
    if has_it.is_ok_and(|ran| ran.status.success()) {
        return Some(python);
    }
    assert!(std::env::var_os("THRONG_REQUIRE_S3").is_none(), "no moto, which is required here");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no moto\n");
    None
}

impl Store {
    /// A server that answers everybody.
    pub(super) fn start() -> Option<Store> {
        let store = Store::start_with(&[])?;
        store.put("", b"");
        Some(store)
    }

    /// A server that knows nobody.
    pub(super) fn start_closed() -> Option<Store> {
        Store::start_with(&[("INITIAL_NO_AUTH_ACTION_COUNT", "0")])
    }

    fn start_with(environment: &[(&str, &str)]) -> Option<Store> {
        let python = python()?;
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let program = "import sys; from moto.server import main; main(sys.argv[1:])";
        let process = Command::new(python)
            .args(["-c", program, "-H", "127.0.0.1", "-p", &port.to_string()])
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python runs");
        let store = Store { process, port };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < PATIENCE, "waited in vain for the store");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(store)
    }

    /// What tells where the store is and who asks.
    pub(super) fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("AWS_ACCESS_KEY_ID", "tester".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
        ]
    }

    /// Puts an object into the bucket; the bucket itself if the key is empty.
    pub(super) fn put(&self, key: &str, bytes: &[u8]) {
        let (head, _) = self.ask("PUT", key, bytes);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }

    /// The object of a key.
    pub(super) fn get(&self, key: &str) -> Vec<u8> {
        let (head, body) = self.ask("GET", key, b"");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        body
    }

    /// All keys of the bucket, in order.
    pub(super) fn keys(&self) -> Vec<String> {
        let list = String::from_utf8(self.get("?list-type=2")).unwrap();
        let keys = list.split("<Key>").skip(1);
        keys.map(|rest| rest.split("</Key>").next().unwrap().to_owned()).collect()
    }

    fn ask(&self, method: &str, key: &str, body: &[u8]) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let place = if key.is_empty() || key.starts_with('?') { key.to_owned() } else { format!("/{key}") };
        let head = format!(
            "{method} /clinic{place} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nAuthorization: {OWNER}\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end + 4..].to_vec())
    }

    /// Runs a command line that may ask the store. Nothing of it shows who asks, and nothing that was fetched is left.
    pub(super) fn throng(&self, sandbox: &Sandbox, line: &str) -> Ran {
        let fetched = tempfile::tempdir().unwrap();
        let args: Vec<&str> = line.split_whitespace().collect();
        let mut command = sandbox.command(&args);
        let ran = command.envs(self.environment()).env("TMPDIR", fetched.path()).output();
        let ran = Ran::from(ran.expect("the binary runs"));
        let left: Vec<_> = std::fs::read_dir(fetched.path()).unwrap().collect();
        assert!(left.is_empty(), "{line} left {left:?}");
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(SECRET) && !text.contains("tester"), "{line}: {text}");
        }
        ran
    }
}
