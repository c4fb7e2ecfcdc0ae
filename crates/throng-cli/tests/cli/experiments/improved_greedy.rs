//! Losses, nodes and levels of the greedy searches, on Adult as the paper has it and on the second table.

use serde_json::Value;

use super::{Page, data, has_written};
use crate::sandbox::Sandbox;

/// Heads of the columns, and the contenders.
const CONTENDERS: [(&str, &str); 3] = [
    ("`datafly`", "datafly"),
    ("`improved-greedy`", "improved-greedy"),
    ("the same, section 4", "improved-greedy:variant=printed+reading=prose"),
];

/// Compares what the greedy searches find with a line of the tables of losses and of nodes.
fn compare(page: &Page, sandbox: &Sandbox, job: &str, table: &str, [suppression, title, k]: [&str; 3]) {
    let all = CONTENDERS.map(|(_, contender)| contender).join(",");
    let line = format!(
        "compare {job} --algorithms {all} --k {k} --suppression {suppression} --repeat 1 --format json"
    );
    let found: Value = serde_json::from_str(&sandbox.throng(&line).done()).expect("JSON");
    for ((column, contender), trial) in CONTENDERS.iter().zip(found["by_k"].as_array().expect("trials")) {
        assert_eq!(trial["contender"], *contender);
        let plain = |table: &str| page.cell(table, &[title, k], column).replace(',', "");
        let loss = trial["found"]["measures"]["iloss"].as_f64().expect("a loss");
        page.assert_tells(&plain(&format!("{table}-loss")), loss);
        let levels = trial["found"]["levels"].as_object().expect("levels").values();
        let level: u64 = levels.map(|level| level.as_u64().expect("a level")).sum();
        let nodes = trial["checked_nodes"].as_u64().expect("nodes");
        assert_eq!(plain(&format!("{table}-nodes")), format!("{nodes} ({level})"), "{job}, k = {k}");
    }
}

#[test]
fn the_page_tells_what_is_found_on_adult() {
    let sandbox = Sandbox::empty();
    if data().is_none() || !has_written(&sandbox, "improved-greedy/hierarchies.py") {
        return;
    }
    let page = Page::read("improved-greedy");
    for line in [["0", "none suppressed", "10"], ["1%", "1 %", "5"], ["1%", "1 %", "50"]] {
        compare(&page, &sandbox, "meaning/job.toml", "meaning", line);
    }
}

#[test]
fn the_page_tells_what_is_found_on_the_second_table() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --dataset donors --rows 96367 --dir donors").done();
    compare(&Page::read("improved-greedy"), &sandbox, "donors/donors.toml", "donors", ["1%", "1 %", "20"]);
}
