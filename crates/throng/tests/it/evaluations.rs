//! What a search notes of a node, and what is noted of its release, is what the oracle finds.

use throng::evaluation::Evaluation;
use throng::lattice::Node;
use throng::loss;
use throng::recoding::Recoding;
use throng::run::{Run, Unobserved};
use throng::verify::{Verdict, verify};

use crate::agreement::assert_same_release;
use crate::case::Case;
use crate::oracle::{Oracle, Released, are_close, is_close};
use throng::random::Random;

/// Compares an evaluation with what the oracle makes of the same recoding.
pub(crate) fn assert_evaluated<'c>(
    oracle: &Oracle<'c>,
    evaluation: &Evaluation,
    released: &Released<'c>,
    context: &str,
) {
    assert_eq!(evaluation.admissible, oracle.is_admissible(released), "{context}");
    assert_eq!(evaluation.cost().is_some(), evaluation.admissible, "{context}");
    let suppressed = released.suppressed.len() as u64;
    if !evaluation.admissible {
        // A search need not know more than that.
        assert!(evaluation.suppressed_rows <= suppressed, "{context}");
        return;
    }
    assert_eq!(evaluation.suppressed_rows, suppressed, "{context}");
    assert_degrees(&evaluation.degrees, &oracle.noted_degrees(released), context);
}

pub(crate) fn assert_degrees(found: &[f64], expected: &[f64], context: &str) {
    assert!(are_close(found, expected), "{context}: {found:?} instead of {expected:?}");
}

/// Asserts that a lower cost is a lower loss, and the same cost the same but for rounding.
pub(crate) fn assert_ordered(mut costs: Vec<(i128, f64)>, context: &str) {
    costs.sort_by_key(|&(cost, _)| cost);
    for pair in costs.windows(2) {
        let [(low, loss), (high, next)] = [pair[0], pair[1]];
        let ordered = loss < next || is_close(loss, next);
        assert!(ordered, "{context}: {low} is a loss of {loss}, {high} one of {next}");
        assert!(low < high || is_close(loss, next), "{context}: {low} is {loss} and {next}");
    }
}

/// Compares the verdict on a release that suppresses what the oracle does.
pub(crate) fn assert_verified<'c>(
    oracle: &Oracle<'c>,
    verdict: Verdict,
    released: &Released<'c>,
    context: &str,
) {
    let Verdict::Safe(achieved) = verdict else {
        assert!(!oracle.is_safe(released), "{context}: {verdict:?}");
        return;
    };
    assert!(oracle.is_safe(released), "{context}: it is not safe");
    let degrees: Vec<f64> = oracle.degrees(released).into_iter().map(Option::unwrap_or_default).collect();
    assert_degrees(&achieved.degrees, &degrees, context);
    let k = oracle.smallest_crowd(released);
    assert_eq!((achieved.k, achieved.suppressed_rows), (k, released.suppressed.len() as u64), "{context}");
}

pub(crate) fn node_of(levels: &[usize]) -> Node {
    Node::new(levels.iter().map(|&level| level as u16).collect())
}

/// Goes through all nodes in a random order, by one counter, so that they are rolled up in many ways.
pub(crate) fn assert_all_nodes(case: &Case, measure: &str, seed: u64) {
    let (oracle, problem) = (Oracle::new(case), case.problem(measure));
    let mut run = Run::new(&problem, None, &Unobserved);
    let mut nodes = oracle.nodes();
    Random::new(seed).shuffle(&mut nodes);
    let mut costs = Vec::new();
    for levels in nodes {
        let context = format!("case {seed}, {measure}, {levels:?}");
        let (node, released) = (node_of(&levels), oracle.recode(&levels));
        let evaluation = run.check(&node).expect("nothing stops this run");
        assert_evaluated(&oracle, &evaluation, &released, &context);
        costs.extend(evaluation.cost().map(|cost| (cost, oracle.loss(measure, &released))));
        let release = Recoding::FullDomain(node).apply(&problem);
        assert_same_release(&oracle, &release, &released);
        assert_verified(&oracle, verify(&release), &released, &context);
        let again = release.evaluate(&release.tally());
        assert_evaluated(&oracle, &again, &released, &format!("{context}, from the release"));
        assert_eq!(again.cost(), evaluation.cost(), "{context}");
    }
    assert_ordered(costs, &format!("case {seed}, {measure}"));
}

#[test]
fn every_node_is_what_the_oracle_says() {
    for seed in 0..200 {
        let measure = loss::measures()[seed as usize % loss::measures().len()];
        assert_all_nodes(&Case::random_asking(seed), measure.name(), seed);
    }
}
