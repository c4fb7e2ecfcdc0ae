//! Steps of the way, which several tests take.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::client::{Answer, Served, Visit};

/// Cells that can be told from all other text.
pub(crate) fn people(rows: u32) -> String {
    let mut text = "name,town,age,illness\n".to_owned();
    for row in 0..rows {
        writeln!(text, "name-{row},town-{},{},illness-{}", row % 4, 20 + row % 40, row % 3).unwrap();
    }
    text
}

pub(crate) fn place(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{answer:?}");
    answer.header("location").unwrap().to_owned()
}

pub(crate) fn is_looked_at(page: &Answer) -> bool {
    !page.body.contains("data-wait")
}

/// Begins a draft of a table in the folder, and waits until it is looked at.
pub(crate) fn begin(visit: &Visit<'_>, table: &str) -> String {
    let place = place(&visit.post("/drafts", &[("table", table)]));
    visit.wait(&place, is_looked_at);
    place.trim_end_matches("/table").to_owned()
}

/// Makes a release, and waits until it is over.
pub(crate) fn run(visit: &Visit<'_>, draft: &str) -> (String, Answer) {
    let run = place(&visit.post(&format!("{draft}/run"), &[]));
    let page = visit.wait(&run, |page| !page.body.contains("data-run"));
    (run, page)
}

pub(crate) fn folder_of(served: &Served, run: &str) -> PathBuf {
    served.folder.join(".throng").join(run.trim_start_matches('/'))
}

/// Roles of the people's columns.
pub(crate) const ROLES: [(&str, &str); 5] = [
    ("role-0", "identifier"),
    ("role-1", "quasi"),
    ("role-2", "quasi"),
    ("role-3", "sensitive"),
    ("person", "none"),
];

/// Says what must hold, makes a release, and waits until it is over.
pub(crate) fn ask(visit: &Visit<'_>, draft: &str, answers: &[(&str, &str)]) -> (String, Answer) {
    let all = [answers, &[("then", "run")]].concat();
    let started = place(&visit.post(&format!("{draft}/safety"), &all));
    let page = visit.wait(&started, |page| !page.body.contains("data-run"));
    (started, page)
}
