//! Every measure of a release equals its definition.

use throng::lattice::Node;
use throng::loss;
use throng::recoding::Recoding;

use crate::agreement::assert_same_release;
use crate::case::Case;
use crate::oracle::{Oracle, is_close};

const CASES: u64 = 150;

/// Compares every measure of every node, admissible or not.
#[test]
fn every_measure_is_as_defined_at_every_node() {
    // Other cases than those of the agreement test.
    let suppressed: usize = (0..CASES).map(|seed| compare_nodes(seed, &Case::random(1_000_000 + seed))).sum();
    assert!(suppressed > 1_000, "{suppressed}");
}

/// What is required over some columns changes no definition.
#[test]
fn every_measure_is_as_defined_whatever_is_required() {
    let case = |seed| Case::random_asking(2_000_000 + seed);
    let suppressed: usize = (0..CASES).map(|seed| compare_nodes(seed, &case(seed))).sum();
    assert!(suppressed > 500, "{suppressed}");
}

/// By every mean over columns, and whatever suppressed cells count.
#[test]
fn every_measure_is_as_defined_by_every_mean_and_preference() {
    let case = |seed| Case::random(3_000_000 + seed).aggregated(seed);
    let suppressed: usize = (0..CASES).map(|seed| compare_nodes(seed, &case(seed))).sum();
    assert!(suppressed > 1_000, "{suppressed}");
}

/// The number of nodes that suppress some rows, but not all.
fn compare_nodes(seed: u64, case: &Case) -> usize {
    let oracle = Oracle::new(case);
    let problem = case.problem_with_target("lm");
    let mut suppressed = 0;
    for node in oracle.nodes() {
        let released = oracle.recode(&node);
        let recoding = Recoding::FullDomain(Node::new(node.iter().map(|&level| level as u16).collect()));
        let release = recoding.apply(&problem);
        assert_same_release(&oracle, &release, &released);
        let tally = release.tally();
        for measure in loss::measures() {
            let (value, expected) =
                (measure.measure(&problem, &tally), oracle.measure(measure.name(), &released));
            let context = format!("case {seed}, {node:?}, {}", measure.name());
            assert!(is_close(value, expected), "{context}: {value} instead of {expected}");
            assert!(measure.name() != "aecs" || value >= 1.0, "{context}: {value}");
        }
        suppressed += usize::from(!released.suppressed.is_empty() && !released.classes.is_empty());
    }
    suppressed
}
