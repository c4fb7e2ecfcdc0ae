//! A table in which several rows are of one person: persons are counted, whatever is asked.

use throng::algorithm::Guarantee;
use throng::loss;
use throng::random::Random;

use crate::agreement::{assert_greedy, assert_least, assert_same_by_threads, for_each_result};
use crate::case::Case;
use crate::evaluations::assert_all_nodes;

/// A random case whose rows are of persons.
fn personal(seed: u64) -> Case {
    Case::random_asking(seed).with_persons(&mut Random::new(seed))
}

fn cases(number: u64) -> impl Iterator<Item = (u64, Case)> {
    (0..number).map(|seed| (seed, personal(seed)))
}

#[test]
fn every_node_is_what_the_oracle_says() {
    for (seed, case) in cases(200) {
        let measure = loss::measures()[seed as usize % loss::measures().len()];
        assert_all_nodes(&case, measure.name(), seed);
    }
}

#[test]
fn least_loss_is_the_optimum() {
    for_each_result(cases(100), Guarantee::LeastLoss, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
    });
}

#[test]
fn least_height_is_the_least_loss_within_the_least_height() {
    for_each_result(cases(60), Guarantee::LeastHeight, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.of_least_height(), context);
    });
}

#[test]
fn greedy_algorithms_do_what_the_paper_says() {
    for_each_result(cases(60), Guarantee::Admissible, |truth, _, solution, found, context, entry| {
        assert_greedy(truth, solution, found, context, entry);
    });
}

#[test]
fn results_do_not_depend_on_threads_or_chance() {
    assert_same_by_threads(cases(60));
}
