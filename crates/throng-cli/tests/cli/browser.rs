//! A real browser without any network, for the pages that we write.

use std::path::Path;
use std::process::Command;

/// What a browser made of a page.
pub(crate) struct Shown {
    /// The page after its scripts have run.
    pub(crate) dom: String,
    /// What the console says.
    pub(crate) errors: Vec<String>,
}

impl Shown {
    /// Loads a page; nothing where there is no browser and none is required.
    pub(crate) fn of(page: &Path) -> Option<Shown> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let found = names.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
        let Some(browser) = found else {
            assert!(
                std::env::var_os("THRONG_REQUIRE_BROWSER").is_none(),
                "no Chromium, which is required here"
            );
            let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no Chromium\n");
            return None;
        };
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
