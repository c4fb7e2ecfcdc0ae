//! The pages of experiments tell what the code does: a few cheap cells of each are made again.

mod heuristic_min;
mod improved_greedy;
mod k_anonymization_revisited;
mod pbg_ea;
mod spatial_distance;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A page of `docs/experiments`.
pub(crate) struct Page {
    name: &'static str,
    text: String,
}

/// The folder of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of real data, if it is at hand.
pub(crate) fn data() -> Option<PathBuf> {
    let data = repository().join("../shared/data");
    if !data.exists() {
        let _ = std::io::stderr().write_all(b"skipped: no ../shared/data\n");
    }
    data.exists().then_some(data)
}

/// Whether a script beside a page could write into the sandbox what it is for: there may be no Python.
pub(crate) fn has_written(sandbox: &Sandbox, script: &str) -> bool {
    has_run(script, &[sandbox.dir()])
}

/// The same of a script that is told the paths it needs.
pub(crate) fn has_run(script: &str, paths: &[&Path]) -> bool {
    let python = std::env::var("THRONG_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = repository().join("docs/experiments").join(script);
    let Ok(ran) = Command::new(python).arg("-B").arg(script).args(paths).output() else {
        let _ = std::io::stderr().write_all(b"skipped: no Python\n");
        return false;
    };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    true
}

impl Page {
    pub(crate) fn read(name: &'static str) -> Page {
        let path = repository().join(format!("docs/experiments/{name}.md"));
        Page { name, text: fs::read_to_string(path).expect("a page") }
    }

    /// A cell of the table that stands between `<!-- TABLE -->` and `<!-- end -->`, by the first cells of its line and the
    /// head of its column.
    pub(crate) fn cell(&self, table: &str, line: &[&str], column: &str) -> &str {
        let at = format!("{}, {table}: {line:?}, {column}", self.name);
        let (_, after) = self.text.split_once(&format!("<!-- {table} -->")).expect(&at);
        let (table, _) = after.split_once("<!-- end -->").expect(&at);
        let mut rows = table.lines().filter(|row| row.starts_with('|')).map(cells);
        let place = rows.next().expect(&at).iter().position(|head| *head == column).expect(&at);
        rows.find(|cells| cells.starts_with(line)).expect(&at)[place]
    }

    /// Compares the first number of a cell with what was found now, to the digits that the page has.
    pub(crate) fn assert_tells(&self, cell: &str, found: f64) {
        let number = cell.split_whitespace().next().unwrap_or_default();
        let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
        let shown = format!("{found:.digits$}");
        assert_eq!(number, shown, "docs/experiments/{}.md is older than the code", self.name);
    }
}

fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// A measure of what `throng compare` finds with the one contender and k that it is told.
pub(crate) fn measured(sandbox: &Sandbox, compare: &str, measure: &str) -> f64 {
    let done = sandbox.throng(&format!("compare {compare} --repeat 1 --format json")).done();
    let found: Value = serde_json::from_str(&done).expect("JSON");
    let loss = &found["by_k"][0]["found"]["measures"][measure];
    loss.as_f64().unwrap_or_else(|| panic!("{compare}: {found}"))
}

#[test]
fn cells_are_found_and_compared_to_their_digits() {
    let text = "<!-- one -->\n|  |  | 5 | 10 |\n| --- | --- | ---: | ---: |\n| ART | `x` | 0.53 (0.5, +6 %) | 7 |\n<!-- end -->";
    let page = Page { name: "made-up", text: text.to_owned() };
    assert_eq!(page.cell("one", &["ART", "`x`"], "10"), "7");
    page.assert_tells(page.cell("one", &["ART"], "5"), 0.5349);
    page.assert_tells("7", 6.6);
    assert!(std::panic::catch_unwind(|| page.assert_tells("0.53 (0.5, +6 %)", 0.5351)).is_err());
}
