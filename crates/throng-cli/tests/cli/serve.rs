//! `throng serve`: what the program says, and the whole way in a real browser.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::sandbox::Sandbox;

const PROGRAM: &str = env!("CARGO_BIN_EXE_throng");

/// A server that ends with its test.
pub(crate) struct Served(pub(crate) Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn serve(folder: &Path, environment: &[(&str, &str)]) -> Served {
    let mut command = Command::new(PROGRAM);
    command.args(["serve", "."]).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(environment.iter().copied());
    Served(command.spawn().unwrap())
}

#[test]
fn the_address_stands_on_a_line_of_standard_output() {
    let sandbox = Sandbox::empty();
    let mut served = serve(sandbox.dir(), &[]);
    let mut line = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (address, token) = line.trim_end().split_once("/?token=").unwrap_or_else(|| panic!("{line}"));
    assert!(address.starts_with("http://127.0.0.1:"), "{line}");
    assert!(token.len() >= 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    served.0.kill().unwrap();
    let mut said = String::new();
    served.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("press Ctrl-C to stop") && !said.contains(token), "{said}");
}

#[test]
fn others_are_let_in_only_with_a_certificate_and_a_password() {
    let sandbox = Sandbox::empty();
    for (flags, lacks) in [
        ("serve . --listen 0.0.0.0:0", "a certificate"),
        ("serve . --listen 0.0.0.0:0 --tls-cert none.pem --tls-key none.pem", "a password"),
        ("serve no-such-folder", "no-such-folder"),
    ] {
        let ran = Command::new(PROGRAM)
            .args(flags.split(' '))
            .current_dir(sandbox.dir())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{flags}: {said}");
        assert!(said.contains(lacks), "{flags}: {said}");
    }
}

/// Where Playwright and axe-core are; nothing where they are not and are not required.
fn modules() -> Option<PathBuf> {
    let place = std::env::var_os("THRONG_NODE_MODULES").map(PathBuf::from);
    let place =
        place.filter(|place| place.join("playwright-core").is_dir() && place.join("axe-core").is_dir());
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|ran| ran.status.success());
    if place.is_none() || !has_node {
        assert!(
            std::env::var_os("THRONG_REQUIRE_BROWSER").is_none(),
            "no Node or no Playwright, which are required here"
        );
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: no Node or no Playwright (THRONG_NODE_MODULES)\n",
        );
        return None;
    }
    place
}

#[test]
fn the_whole_way_works_in_a_browser() {
    let Some(modules) = modules() else { return };
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.exists());
    let Some(browser) = found else {
        assert!(std::env::var_os("THRONG_REQUIRE_BROWSER").is_none(), "no Chromium, which is required here");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../throng-web/browser/journey.mjs");
    let ran = Command::new("node").arg(script).arg(PROGRAM).arg(browser).arg(modules).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.contains("journey: passed"), "{out}\n{err}");
}
