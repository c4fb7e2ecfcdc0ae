//! Clients that mean no good: each is refused, nothing is written, and the next request is answered.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use throng_engine::memory::ByteSize;

use crate::client::{Served, read, serve};

/// What every attack must leave: a server that answers, and nothing on the disk.
fn is_unharmed(served: &Served) {
    assert_eq!(served.kept(), Vec::<String>::new());
    let page = served.enter().get("/");
    assert_eq!(page.status, 200);
}

fn served() -> Served {
    serve(|_| {})
}

#[test]
fn other_hosts_are_refused() {
    let served = served();
    let (address, visit) = (served.address, served.enter());
    let port = address.port();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        &format!("127.0.0.1.evil.example:{port}"),
    ] {
        let asked = format!(
            "GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nConnection: close\r\n\r\n",
            visit.cookie
        );
        assert_eq!(served.raw(asked.as_bytes()).unwrap().status, 421, "{host}");
    }
    for heads in ["", &format!("Host: {address}\r\nHost: evil.example\r\n")] {
        let asked = format!("GET / HTTP/1.1\r\n{heads}Cookie: {}\r\nConnection: close\r\n\r\n", visit.cookie);
        assert!(matches!(served.raw(asked.as_bytes()).unwrap().status, 400 | 421), "{heads}");
    }
    let absolute =
        format!("GET http://evil.example/ HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    assert_eq!(served.raw(absolute.as_bytes()).unwrap().status, 421);
    is_unharmed(&served);
}

#[test]
fn other_origins_are_refused() {
    let served = served();
    std::fs::write(served.folder.join("people.csv"), "age\n1\n2\n").unwrap();
    let (address, visit) = (served.address, served.enter());
    let post = |origin: &str| {
        let asked = format!(
            "POST /drafts HTTP/1.1\r\nHost: {address}\r\n{origin}Cookie: {}\r\nConnection: close\r\nContent-Length: 16\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\ntable=people.csv",
            visit.cookie
        );
        served.raw(asked.as_bytes()).unwrap().status
    };
    for origin in
        ["", "Origin: null\r\n", "Origin: http://evil.example\r\n", &format!("Origin: https://{address}\r\n")]
    {
        assert_eq!(post(origin), 403, "{origin}");
    }
    is_unharmed(&served);
}

#[test]
fn nobody_comes_in_without_the_token() {
    let served = served();
    let ask = |path: &str, cookie: &str| {
        let asked = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
            served.address
        );
        served.raw(asked.as_bytes()).unwrap()
    };
    let name = format!("throng-{}", served.address.port());
    let token = served.token.clone();
    let wrong = format!("{}0", &token[..token.len() - 1]);
    let all = [
        ("/".to_owned(), String::new()),
        (format!("/?token={wrong}"), String::new()),
        (format!("/runs/0123456789abcdef/?token={token}"), String::new()),
        ("/".to_owned(), format!("{name}={token}")),
        ("/".to_owned(), format!("{name}=")),
        ("/".to_owned(), "other=1".to_owned()),
    ];
    for (path, cookie) in &all {
        let answer = ask(path, cookie);
        let is_wrong_by_chance = wrong == token && path.contains(&wrong);
        assert!(answer.status == 401 || is_wrong_by_chance, "{path} {cookie}: {answer:?}");
        assert!(!answer.body.contains(&token));
    }
    is_unharmed(&served);
}

#[test]
fn the_answers_say_what_browsers_may_do() {
    let served = served();
    let page = served.enter().get("/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(page.header(name), Some(value));
    }
    assert!(
        !page.body.contains(" style=") && !page.body.contains("<script>") && !page.body.contains(" onclick")
    );
    let answer = served.raw(
        format!(
            "GET /?token={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            served.token, served.address
        )
        .as_bytes(),
    );
    let cookie = answer.unwrap().header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let served = served();
    let visit = served.enter();
    for name in ["../secret.csv", "/etc/passwd", "..%2fsecret.csv", ".throng/runs", "a\0.csv", "", "no.csv"] {
        assert_eq!(visit.post("/drafts", &[("table", name)]).status, 404, "{name}");
    }
    for path in [
        "/assets/..%2f..%2fCargo.toml",
        "/assets/../session.rs",
        "/runs/..%2f..%2f..%2fsecret.csv/files/release",
        "/runs/../../secret.csv",
        "/drafts/%2e%2e/table",
        "/runs/0123456789abcdef/files/..%2f..%2fx",
    ] {
        let answer = visit.get(path);
        assert!(answer.status >= 400, "{path}: {answer:?}");
        assert!(!answer.body.contains("hidden-cell"));
    }
    is_unharmed(&served);
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder() {
    let served = served();
    std::os::unix::fs::symlink("../secret.csv", served.folder.join("link.csv")).unwrap();
    std::os::unix::fs::symlink("..", served.folder.join("up")).unwrap();
    let visit = served.enter();
    assert!(!visit.get("/").body.contains("link.csv"));
    for name in ["link.csv", "up/secret.csv"] {
        assert_eq!(visit.post("/drafts", &[("table", name)]).status, 404, "{name}");
    }
    is_unharmed(&served);
}

#[test]
fn jobs_read_nothing_outside_of_the_folder() {
    let served = served();
    std::fs::write(served.folder.join("people.csv"), "age\n1\n2\n").unwrap();
    let visit = served.enter();
    let job = |input: &str, hierarchy: &str| {
        format!(
            "input = '{input}'\noutput = 'r.csv'\n[privacy]\nk = 2\n[columns]\nage = {{ role = 'quasi'{hierarchy} }}\n"
        )
    };
    for text in [
        job("../secret.csv", ""),
        job("/etc/passwd", ""),
        job("postgres://localhost/x?table=y", ""),
        job("people.csv", ", hierarchy = '../secret.csv'"),
        job("people.csv", ", hierarchy = '/etc/passwd'"),
        "not a job".to_owned(),
    ] {
        let answer = visit.send("/jobs", "job", "job.toml", text.as_bytes());
        assert!(matches!(answer.status, 404 | 422), "{text}: {answer:?}");
        assert!(!answer.body.contains("hidden-cell"));
    }
    is_unharmed(&served);
}

#[test]
fn ten_gigabytes_are_refused_before_they_come() {
    let served = served();
    let visit = served.enter();
    let asked = format!(
        "POST /tables HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\nConnection: close\r\nContent-Length: 10737418240\r\n\
         Content-Type: multipart/form-data; boundary=edge\r\n\r\n--edge\r\nContent-Disposition: form-data; name=\"table\"; \
         filename=\"a.csv\"\r\n\r\nage\n",
        served.address, visit.cookie
    );
    let answer = served.raw(asked.as_bytes()).unwrap();
    assert_eq!(answer.status, 422);
    assert!(answer.body.contains("larger than 4.0 GB"), "{}", answer.body);
    is_unharmed(&served);
}

#[test]
fn a_table_that_grows_too_large_is_gone() {
    let served = serve(|options| options.budget.upload = ByteSize(1 << 16));
    let visit = served.enter();
    let answer = visit.send("/tables", "table", "a.csv", "age\n".repeat(17_000).as_bytes());
    assert_eq!(answer.status, 422);
    is_unharmed(&served);
}

/// What announces no length is counted as it comes, and is hung up on.
#[test]
fn a_table_without_an_end_is_gone() {
    let served = serve(|options| options.budget.upload = ByteSize(1 << 20));
    let visit = served.enter();
    let mut stream = TcpStream::connect(served.address).unwrap();
    let head = format!(
        "POST /tables HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\nConnection: close\r\n\
         Transfer-Encoding: chunked\r\nContent-Type: multipart/form-data; boundary=edge\r\n\r\n",
        served.address, visit.cookie
    );
    stream.write_all(head.as_bytes()).unwrap();
    let start = "--edge\r\nContent-Disposition: form-data; name=\"table\"; filename=\"a.csv\"\r\n\r\nage\n";
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    stream.write_all(chunk(start).as_bytes()).unwrap();
    let lines = chunk(&"12345678\n".repeat(8000));
    // A hundred times the limit, unless the server hangs up.
    let sent = (0..1500).take_while(|_| stream.write_all(lines.as_bytes()).is_ok()).count();
    assert!(sent < 1500, "all of it was taken");
    is_unharmed(&served);
}

#[test]
fn forms_that_are_too_large_are_refused() {
    let served = served();
    let visit = served.enter();
    let asked = format!(
        "POST /drafts HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\nConnection: close\r\nContent-Length: 600006\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\ntable={2}",
        served.address,
        visit.cookie,
        "x".repeat(600_000)
    );
    // It may be hung up on before it has read why.
    assert!(served.raw(asked.as_bytes()).is_none_or(|answer| answer.status == 413));
    let job = "# a comment\n".repeat(100_000);
    let answer = visit.send("/jobs", "job", "job.toml", job.as_bytes());
    assert!(answer.status == 422 && answer.body.contains("1 MiB"), "{answer:?}");
    is_unharmed(&served);
}

#[test]
fn labels_that_look_like_a_script_stay_text() {
    let served = served();
    let rows: String = (0..40).map(|row| format!("n{row},{},<i>{}</i>\n", 20 + row, row % 3)).collect();
    std::fs::write(served.folder.join("people.csv"), format!("name,age,illness\n{rows}")).unwrap();
    let visit = served.enter();
    let label = "<script>alert(1)</script>";
    let job = format!(
        "input = 'people.csv'\noutput = 'r.csv'\n[columns]\nname = {{ role = 'identifier' }}\nillness = {{ role = 'other' }}\n\
         [columns.age]\nrole = 'quasi'\nhierarchy = {{ groups = [{{ '{label}' = {:?} }}] }}\n[privacy]\nk = 20\n\
         [release]\nrecipient = \"{label}\"\n",
        (20..60).map(|age| age.to_string()).collect::<Vec<_>>()
    );
    let opened = visit.send("/jobs", "job", "j.toml", job.as_bytes());
    assert_eq!(opened.status, 303, "{opened:?}");
    let place = opened.header("location").unwrap().to_owned();
    visit.post("/originals", &[("show", "yes")]);
    visit.wait(&place, |page| !page.body.contains("data-wait"));
    let draft = place.trim_end_matches("/table");
    let started = visit.post(&format!("{draft}/run"), &[]);
    let run = started.header("location").unwrap().to_owned();
    let result = visit.wait(&run, |page| !page.body.contains("data-run"));
    assert!(result.body.contains("Will you send this?"), "{}", result.body);
    let report = visit.get(&format!("{run}/files/report"));
    let pages =
        [visit.get(&format!("{draft}/detail")), visit.get(&format!("{draft}/safety")), result, report];
    for page in &pages {
        assert!(!page.body.contains("<script>alert") && !page.body.contains("<i>1</i>"), "{}", page.body);
    }
    assert!(
        pages[0].body.contains("&lt;script&gt;alert(1)") && pages[2].body.contains("&lt;script&gt;alert(1)")
    );
}

#[test]
fn forms_that_are_none_are_refused() {
    let served = served();
    let visit = served.enter();
    let part = "Content-Disposition: form-data; name=\"table\"; filename=\"a.csv\"\r\n\r\n";
    let bodies = [
        String::new(),
        "--edge".to_owned(),
        format!("--edge\r\n{part}age\n1"),
        format!("--other\r\n{part}age\n1\r\n--other--\r\n"),
        format!("--edge\r\n{part}\r\n--edge\r\n{part}\r\n--edge--\r\n"),
        "--edge\r\nContent-Disposition: form-data; name=\"else\"\r\n\r\nx\r\n--edge--\r\n".to_owned(),
        "--edge\r\nContent-Disposition: form-data; name=\"table\"; filename=\"passwd\"\r\n\r\nx\r\n--edge--\r\n".to_owned(),
        "--edge\r\nContent-Disposition: form-data; name=\"table\"; filename=\"../../.bashrc\"\r\n\r\nx\r\n--edge--\r\n".to_owned(),
        format!("--edge\r\nX: {}\r\n{part}age\r\n--edge--\r\n", "x".repeat(1_000_000)),
        "\0\u{ff}".repeat(1000),
    ];
    for body in &bodies {
        let answer = visit.send_form("/tables", body.as_bytes());
        assert!((400..500).contains(&answer.status), "{body:.80}: {answer:?}");
        assert!(
            served.kept().iter().all(|file| !file.contains("/tables/")),
            "{body:.80}: {:?}",
            served.kept()
        );
    }
    is_unharmed(&served);
}

#[test]
fn floods_of_headers_are_refused() {
    let served = served();
    let many: String = (0..1000).map(|at| format!("X-{at}: x\r\n")).collect();
    let long = format!("X: {}\r\n", "x".repeat(1 << 20));
    for heads in [many, long] {
        let asked = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{heads}\r\n", served.address);
        let answer = served.raw(asked.as_bytes());
        assert!(answer.is_none_or(|answer| answer.status == 431 || answer.status == 400));
    }
    for bytes in [&b"\0\0\0\0\r\n\r\n"[..], b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"] {
        assert!(served.raw(bytes).is_none_or(|answer| answer.status >= 400));
    }
    is_unharmed(&served);
}

#[test]
fn who_is_slow_holds_up_nobody() {
    let served = served();
    let visit = served.enter();
    let head = format!(
        "POST /tables HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\nConnection: close\r\nContent-Length: 1000\r\n\
         Content-Type: multipart/form-data; boundary=edge\r\n\r\n--edge\r\n",
        served.address, visit.cookie
    );
    let mut slow: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(served.address).unwrap()).collect();
    for (at, stream) in slow.iter_mut().enumerate() {
        let text = if at % 2 == 0 { "GET / HT" } else { &head };
        stream.write_all(text.as_bytes()).unwrap();
    }
    assert_eq!(visit.get("/").status, 200);
    // All of them are hung up on, in the end.
    for stream in &mut slow {
        stream.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
        assert!(read(stream).is_none_or(|answer| answer.status >= 400));
    }
    is_unharmed(&served);
}

#[test]
fn what_looks_like_a_script_stays_text() {
    let served = served();
    let visit = served.enter();
    let script = "<script>alert(1)</script>";
    let table = format!(
        "{script},\"a\"\"><img src=x onerror=alert(1)>\",age\n{script},x,1\n{script},y,2\n{script},z,3\nq,w,4\n"
    );
    let sent = visit.send("/tables", "table", "<img src=x onerror=alert(1)>.csv", table.as_bytes());
    assert_eq!(sent.status, 303, "{sent:?}");
    let place = sent.header("location").unwrap().to_owned();
    visit.post("/originals", &[("show", "yes")]);
    let page = visit.wait(&place, |page| !page.body.contains("data-wait"));
    let draft = place.trim_end_matches("/table");
    let pages =
        [page, visit.get(&format!("{draft}/columns")), visit.get(&format!("{draft}/detail")), visit.get("/")];
    for page in &pages {
        assert!(!page.body.contains("<script>alert") && !page.body.contains("<img"), "{}", page.body);
    }
    assert!(pages[0].body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    let job = format!(
        "input = 'x.csv'\noutput = 'r.csv'\n[privacy]\nk = 2\n[columns]\n\"{script}\" = {{ role = 'none' }}\n"
    );
    let answer = visit.send("/jobs", "job", "j.toml", job.as_bytes());
    assert!(answer.status >= 400 && !answer.body.contains("<script>alert"));
}
