//! Cells of Table I of *k-Anonymization Revisited*, as printed and as improved.

use std::fs;

use super::{Page, data, has_run, measured, repository};
use crate::sandbox::Sandbox;

const CONTENDERS: [&str; 5] = [
    "forest:variant=printed",
    "forest",
    "agglomerative:distance=4+shrink",
    "expansion:notion=kk+variant=printed",
    "expansion:notion=global-1k",
];

fn compare(page: &Page, sandbox: &Sandbox, job: &str, title: &str, measure: &str, contenders: &[&str]) {
    for contender in contenders {
        let compare = format!("{job} --algorithms {contender} --measures {measure} --k 5 --suppression 0");
        let cell = page.cell(&format!("{title} {measure}"), &[&format!("`{contender}`")], "5");
        page.assert_tells(cell, measured(sandbox, &compare, measure));
    }
}

#[test]
fn the_page_tells_what_is_found_on_art() {
    let page = Page::read("k-anonymization-revisited");
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --dataset art --rows 5000 --seed 1 --dir .").done();
    compare(&page, &sandbox, "art.toml", "ART", "entropy", &CONTENDERS);
    compare(&page, &sandbox, "art.toml", "ART", "lm", &CONTENDERS[3..]);
}

#[test]
fn the_page_tells_what_is_found_on_cmc() {
    if data().is_none() {
        return;
    }
    let page = Page::read("k-anonymization-revisited");
    let job = repository().join("docs/experiments/k-anonymization-revisited/cmc.toml");
    let job = job.to_str().expect("Unicode");
    compare(&page, &Sandbox::empty(), job, "CMC", "lm", &CONTENDERS);
}

/// The job of the page lies beside it, and reads a table that its script makes.
#[test]
fn the_page_tells_what_is_found_on_adult() {
    let sandbox = Sandbox::empty();
    let Some(data) = data() else { return };
    let (raw, made) = (data.join("adult-raw/adult.data"), sandbox.dir().join("adult.csv"));
    if !has_run("k-anonymization-revisited/adult.py", &[&raw, &made]) {
        return;
    }
    let job = fs::read_to_string(repository().join("docs/experiments/k-anonymization-revisited/adult.toml"));
    let job = job.expect("a job").replace("../../../target/k-anonymization-revisited/", "");
    let job = job.replace("../../../../shared/data", data.to_str().expect("Unicode"));
    sandbox.write("adult.toml", job.replace("../../../target/", ""));
    let page = Page::read("k-anonymization-revisited");
    let sample = "adult.toml --rows 5000 --seed 1";
    compare(&page, &sandbox, sample, "ADT", "entropy", &CONTENDERS[2..4]);
    compare(&page, &sandbox, sample, "ADT", "lm", &CONTENDERS[..1]);
}
