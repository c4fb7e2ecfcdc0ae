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
    let mut suppressed = 0;
    for seed in 0..CASES {
        // Other cases than those of the agreement test.
        let case = Case::random(1_000_000 + seed);
        let oracle = Oracle::new(&case);
        let problem = case.problem_with_target("lm");
        for node in oracle.nodes() {
            let released = oracle.recode(&node);
            let recoding = Recoding::FullDomain(Node::new(node.iter().map(|&level| level as u16).collect()));
            let release = recoding.apply(&problem);
            assert_same_release(&oracle, &release, &released);
            let tally = release.tally();
            for measure in loss::measures() {
                let (value, expected) =
                    (measure.of(&problem, &tally), oracle.measure(measure.name(), &released));
                let context = format!("case {seed}, {node:?}, {}", measure.name());
                assert!(is_close(value, expected), "{context}: {value} instead of {expected}");
            }
            suppressed += usize::from(!released.suppressed.is_empty() && !released.classes.is_empty());
        }
    }
    assert!(suppressed > 1_000, "{suppressed}");
}
