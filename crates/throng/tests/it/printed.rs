//! The printed variants, release by release, against programs that were written from the papers' text alone.
//!
//! They go over rows of text, know nothing of tuples with weights, and count everything anew at every step. Where the
//! text decides between equals, so do they; where it does not, they take what the algorithm's file says, which each
//! of them names.
//!
//! * [`trees`]: hierarchies as lines of text
//! * [`heuristic_min`], [`for_classes`] (top-down specialisation and bottom-up generalisation), [`all_min`]: *Data
//!   privacy with heuristic anonymisation*, and the papers of 2004 and 2005 that it compares with
//! * [`crowds`]: *k-Anonymization Revisited*
//! * [`open`]: tables of numbers, categories and trees; [`mondrian`], [`spatial_distance`]

mod all_min;
mod crowds;
mod for_classes;
mod heuristic_min;
mod mondrian;
mod open;
mod spatial_distance;
mod trees;

use std::collections::BTreeMap;

use throng::algorithm::{self, Settings};
use throng::problem::Problem;
use throng::run::Unobserved;
use throng::solve::{Solution, solve};

/// Rows, what is released for each, and how many there are of both.
type Rows = BTreeMap<(Vec<String>, Vec<String>), u64>;

/// What an algorithm finds with settings, `name=value` each.
fn search(problem: &mut Problem, name: &str, settings: &[&str]) -> Solution {
    problem.settings = settings.iter().fold(Settings::default(), |told, text| {
        let (name, value) = text.split_once('=').expect("a setting");
        told.with(name, value).expect("a known setting")
    });
    solve(problem, algorithm::find(name).expect("registered"), None, &Unobserved)
}

/// The rows of a solution; none if nothing may be released.
fn rows(problem: &Problem, solution: &Solution) -> Option<Rows> {
    let release = solution.outcome.recoding()?.apply(problem);
    let attributes = problem.attributes();
    let mut rows = Rows::new();
    for part in 0..release.parts() {
        let original = |a: usize| attributes[a].taxonomy.label(release.leaf(part, a)).to_owned();
        let released = |a: usize| release.label(a, release.value(part, a)).to_owned();
        let all = 0..attributes.len();
        let row = (all.clone().map(original).collect(), all.map(released).collect());
        *rows.entry(row).or_default() += u64::from(release.rows(part));
    }
    Some(rows)
}

/// The same of rows that were worked out by hand.
fn count(pairs: impl Iterator<Item = (Vec<String>, Vec<String>)>) -> Rows {
    let mut rows = Rows::new();
    pairs.for_each(|pair| *rows.entry(pair).or_default() += 1);
    rows
}
