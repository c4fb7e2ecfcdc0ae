//! A real browser without any network, for the pages that we write.

use std::path::Path;
use std::process::Command;

/// The browser's command; nothing where there is none and none is required.
fn find() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        assert!(std::env::var_os("THRONG_REQUIRE_BROWSER").is_none(), "no Chromium, which is required here");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no Chromium\n");
    }
    found
}

/// On how many sheets of paper a page is printed.
pub(crate) fn sheets(page: &Path) -> Option<usize> {
    let browser = find()?;
    let folder = tempfile::tempdir().unwrap();
    let pdf = folder.path().join("page.pdf");
    let ran = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"])
        .arg(format!("--user-data-dir={}", folder.path().display()))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let pdf = std::fs::read(pdf).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&ran.stderr)));
    let pdf = String::from_utf8_lossy(&pdf);
    Some(pdf.matches("/Type /Page").count() - pdf.matches("/Type /Pages").count())
}

/// What a browser made of a page.
pub(crate) struct Shown {
    /// The page after its scripts have run.
    pub(crate) dom: String,
    /// What the console says.
    pub(crate) errors: Vec<String>,
}

impl Shown {
    /// Loads a page; nothing where there is no browser and none is required.
    pub(crate) fn read(page: &Path) -> Option<Shown> {
        let browser = find()?;
        let profile = tempfile::tempdir().unwrap();
        let ran = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
            .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"])
            .arg("--virtual-time-budget=3000")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("file://{}", page.display()))
            .output()
            .unwrap();
        let (dom, log) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(dom.contains("</html>"), "the browser shows nothing: {log}");
        let errors = log.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
        Some(Shown { dom: dom.into_owned(), errors })
    }
}
