//! `throng serve` with a database of its environment.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::server::Server;
use crate::sandbox::Sandbox;
use crate::serve::{Served, serve};

/// A visitor of a server, who has its cookie.
struct Visit {
    host: String,
    cookie: String,
}

impl Visit {
    fn start(served: &mut Served) -> Visit {
        let mut line = String::new();
        BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (host, token) = line.trim_end().trim_start_matches("http://").split_once("/?token=").unwrap();
        let visit = Visit { host: host.to_owned(), cookie: String::new() };
        let head = visit.ask("GET", &format!("/?token={token}"), "");
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        Visit { cookie: cookie.split(';').next().unwrap().to_owned(), ..visit }
    }

    /// An answer with its head.
    fn ask(&self, method: &str, path: &str, form: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let Visit { host, cookie } = self;
        let length = form.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nConnection: close\r\n\
             Content-Length: {length}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n{form}"
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends a form, and tells where its answer leads to.
    fn post(&self, path: &str, form: &str) -> String {
        let answer = self.ask("POST", path, form);
        let place = answer.lines().find_map(|line| line.strip_prefix("location: "));
        place.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// A page, when it no longer waits for something.
    fn wait(&self, path: &str) -> String {
        for _ in 0..600 {
            let page = self.ask("GET", path, "");
            if !page.contains("data-wait") && !page.contains("data-run") {
                return page;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{path} is not through");
    }
}

#[test]
fn tables_of_the_environments_database_are_used_and_no_others() {
    let Some(server) = Server::shared() else { return };
    let database = server.database("served");
    database.sql("CREATE TABLE people (name text, town text, age integer, illness text)");
    let mut text = "name,town,age,illness\n".to_owned();
    for row in 0..200 {
        writeln!(text, "name-{row},town-{},{},illness-{}", row % 4, 20 + row % 40, row % 3).unwrap();
    }
    database.load("people", &text);
    let sandbox = Sandbox::empty();
    sandbox.write("other.csv", "a,b\n1,2\n3,4\n");
    let (port, name) = database.port_and_name();
    let environment =
        [("PGHOST", "127.0.0.1"), ("PGPORT", &port), ("PGUSER", "postgres"), ("PGDATABASE", &name)];
    let mut served = serve(sandbox.dir(), &environment);
    let visit = Visit::start(&mut served);
    assert!(visit.ask("GET", "/", "").contains("A table of the database"));
    for name in ["people%26host%3Devil.example", "a.b.c", "..%2Fother.csv", ""] {
        assert!(
            visit.ask("POST", "/drafts", &format!("relation={name}")).starts_with("HTTP/1.1 404"),
            "{name}"
        );
    }
    let table = visit.post("/drafts", "relation=public.people");
    let page = visit.wait(&table);
    assert!(page.contains("<dd>200</dd>") && !page.contains("name-1"), "{page}");
    let draft = table.trim_end_matches("/table");
    let roles = "role-0=identifier&role-1=quasi&role-2=quasi&role-3=sensitive&person=none";
    visit.post(&format!("{draft}/columns"), roles);
    let run = visit.post(&format!("{draft}/safety"), "k=3&suppression=1&then=run");
    let page = visit.wait(&run);
    assert!(page.contains("Will you send this?"), "{page}");
    let release = visit.ask("GET", &format!("{run}/files/release"), "");
    assert!(release.contains("\r\n\r\ntown,age,illness\n") && !release.contains("name-"), "{release:.300}");
    // What is removed from the page stays in the database.
    visit.post("/tables/remove", &format!("draft={}", draft.trim_start_matches("/drafts/")));
    assert_eq!(database.sql("SELECT count(*) FROM people"), "200\n");
    drop(served);
    // Without such an environment there is no way to it, not even by a draft that was there before.
    let mut served = serve(sandbox.dir(), &[("PGHOST", ""), ("PGDATABASE", "")]);
    let visit = Visit::start(&mut served);
    assert!(!visit.ask("GET", "/", "").contains("A table of the database"));
    assert!(visit.ask("POST", "/drafts", "relation=people").starts_with("HTTP/1.1 404"));
}
