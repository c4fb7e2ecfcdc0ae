//! A server of a test's own, and a client that sends whatever it likes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use throng_web::{RunBudget, ServeOptions, WebServer};

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder that is served.
pub(crate) struct Served {
    _dir: tempfile::TempDir,
    pub(crate) folder: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Starts a server for a folder with `served/`, and with `secret.csv` beside that.
pub(crate) fn serve(change: impl FnOnce(&mut ServeOptions)) -> Served {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("served");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(dir.path().join("secret.csv"), "secret\nhidden-cell\n").unwrap();
    let folder = folder.canonicalize().unwrap();
    let mut options = ServeOptions::new(&folder);
    options.budget = RunBudget { threads: Some(2), ..RunBudget::default() };
    change(&mut options);
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let server = WebServer::bind(options).await.unwrap();
            send.send((server.address(), server.url())).unwrap();
            server.run().await
        })
    });
    let (address, url): (SocketAddr, String) = receive.recv().unwrap();
    let token = url.split_once("token=").unwrap().1.to_owned();
    Served { _dir: dir, folder, address, token }
}

impl Served {
    /// Sends bytes, and reads what comes back until the server has no more to say.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // The server may hang up before all was sent.
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    fn ask(&self, method: &str, path: &str, head: &str, body: &[u8]) -> Answer {
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{head}\r\n",
            self.address,
            body.len()
        );
        self.raw(&[text.as_bytes(), body].concat()).expect("there is an answer")
    }

    /// The cookie of a new session.
    pub(crate) fn enter(&self) -> Visit<'_> {
        let answer = self.ask("GET", &format!("/?token={}", self.token), "", b"");
        assert_eq!(answer.status, 303, "{answer:?}");
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        Visit { served: self, cookie }
    }

    /// The files below `.throng`, by name.
    pub(crate) fn kept(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.folder.join(".throng"), &mut found);
        found.sort();
        found
    }
}

fn walk(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => walk(&path, found),
            path => found.push(path.display().to_string()),
        }
    }
}

/// A client with a session.
pub(crate) struct Visit<'s> {
    served: &'s Served,
    pub(crate) cookie: String,
}

impl Visit<'_> {
    fn own(&self) -> String {
        format!("Cookie: {}\r\nOrigin: http://{}\r\n", self.cookie, self.served.address)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.served.ask("GET", path, &self.own(), b"")
    }

    /// Sends a form.
    pub(crate) fn post(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        let pairs: Vec<String> =
            form.iter().map(|(name, value)| format!("{}={}", plain(name), plain(value))).collect();
        let head = format!("{}Content-Type: application/x-www-form-urlencoded\r\n", self.own());
        self.served.ask("POST", path, &head, pairs.join("&").as_bytes())
    }

    /// Sends a file.
    pub(crate) fn send(&self, path: &str, field: &str, file: &str, text: &[u8]) -> Answer {
        let body = [
            format!(
                "--edge\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{file}\"\r\n\r\n"
            )
            .as_bytes(),
            text,
            b"\r\n--edge--\r\n",
        ]
        .concat();
        self.send_form(path, &body)
    }

    /// Sends a body that says it is a form.
    pub(crate) fn send_form(&self, path: &str, body: &[u8]) -> Answer {
        let head = format!("{}Content-Type: multipart/form-data; boundary=edge\r\n", self.own());
        self.served.ask("POST", path, &head, body)
    }

    /// Asks until it is no longer busy, and follows to where the answer is.
    pub(crate) fn wait(&self, path: &str, is_done: impl Fn(&Answer) -> bool) -> Answer {
        for _ in 0..600 {
            let answer = self.get(path);
            if is_done(&answer) {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{path} is not through");
    }
}

/// Percent-encodes all but letters and digits.
fn plain(text: &str) -> String {
    let encode = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// Reads an answer; nothing if there is none.
pub(crate) fn read(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    // A connection that was reset may have said all that it had to say.
    let _ = stream.read_to_end(&mut bytes);
    answer_of(&bytes)
}

/// The answer that these bytes are.
pub(crate) fn answer_of(bytes: &[u8]) -> Option<Answer> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, head: head.to_owned(), body: body.to_owned() })
}
