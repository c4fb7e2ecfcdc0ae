//! Every algorithm keeps its promise where several things are asked, of sensitive values and over shields.

use throng::algorithm::Guarantee;
use throng::privacy::Monotonicity;

use crate::agreement::{Truth, assert_greedy, assert_least, assert_same_by_threads, for_each_result};
use crate::case::Case;

const CASES: u64 = 300;

fn cases() -> impl Iterator<Item = (u64, Case)> {
    (0..CASES).map(|seed| (seed, Case::random_asking(seed)))
}

#[test]
fn least_loss_is_the_optimum_of_every_measure() {
    for_each_result(cases(), Guarantee::LeastLoss, |truth, measure, solution, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
        assert!(u128::from(solution.checked_nodes) <= solution.lattice_nodes, "{context}: checked twice");
    });
}

#[test]
fn least_height_is_the_least_loss_within_the_least_height() {
    for_each_result(cases(), Guarantee::LeastHeight, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.of_least_height(), context);
    });
}

#[test]
fn greedy_algorithms_do_what_the_paper_says() {
    for_each_result(cases(), Guarantee::Admissible, |truth, _, solution, found, context, entry| {
        assert_greedy(truth, solution, found, context, entry);
    });
}

#[test]
fn results_do_not_depend_on_threads_or_chance() {
    assert_same_by_threads(cases());
}

/// Where models are monotone, no node reaches a better degree than the top.
#[test]
fn the_top_reaches_the_best_degree_of_monotone_models() {
    let mut compared = 0;
    for (seed, case) in cases() {
        let truth = Truth::of(&case);
        let top = truth.oracle.reach(&case.heights());
        for node in truth.oracle.nodes() {
            for (at, (reach, ask)) in truth.oracle.reach(&node).into_iter().zip(&case.asks).enumerate() {
                if ask.model.monotonicity() == Monotonicity::Monotone {
                    assert!(!ask.model.is_worse(top[at], reach), "case {seed}, {node:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

/// The cases are worth something only if rows are suppressed in rounds, models are of all kinds, and
/// some that could be released are above some that could not and the other way round.
#[test]
fn the_cases_are_hard() {
    let [mut infeasible, mut rounds, mut not_upwards, mut fallen, mut partly] = [0; 5];
    for (_, case) in cases() {
        let truth = Truth::of(&case);
        infeasible += usize::from(truth.admissible.is_empty());
        not_upwards += usize::from(!case.holds_upwards());
        let nodes = truth.oracle.nodes();
        let releases: Vec<_> = nodes.iter().map(|node| truth.oracle.recode(node)).collect();
        rounds += usize::from(releases.iter().any(|released| released.rounds > 1));
        let some = |count: &usize| *count > 0 && *count < case.rows.len();
        partly += usize::from(releases.iter().any(|released| some(&released.suppressed.len())));
        let top = releases.last().expect("a node");
        let falls = !truth.admissible.is_empty() && !truth.oracle.is_admissible(top);
        assert!(!falls || !case.holds_upwards());
        fallen += usize::from(falls);
    }
    assert!(infeasible >= 20, "{infeasible}");
    assert!(rounds >= 25, "{rounds}");
    assert!(not_upwards >= 60, "{not_upwards}");
    assert!(fallen >= 3, "{fallen}");
    assert!(partly >= 100, "{partly}");
}
