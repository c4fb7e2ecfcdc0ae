//! A table that is a sample: classes are judged by how many of the population they could be of.

use throng::algorithm::Guarantee;
use throng::loss;

use crate::agreement::{assert_least, for_each_result};
use crate::case::{Ask, Case};
use crate::evaluations::assert_all_nodes;
use crate::models::Model;
use crate::random::Random;

/// A random case whose rows are a sample of up to three times as many, where some of the population are
/// as no row is. One of what is asked, or all, is about the population.
fn sampled(seed: u64) -> Case {
    let case = Case::random_asking(seed);
    let mut random = Random::new(seed);
    let mut everyone = case.rows.clone();
    for _ in 0..random.below(2 * case.rows.len() + 1) {
        let leaf = |lines: &Vec<Vec<String>>| lines[random.skewed_below(lines.len())][0].clone();
        everyone.push(case.hierarchies.iter().map(leaf).collect());
    }
    random.shuffle(&mut everyone);
    let mut asks = if random.once_in(3) { Vec::new() } else { case.asks.clone() };
    let at = random.below(asks.len() + 1);
    let shield = case.asks[0].shield.clone();
    asks.insert(at, Ask { shield, model: Model::Population(2 + random.below(6) as u64) });
    Case { population: Some(everyone), asks, ..case }
}

#[test]
fn every_node_is_what_the_oracle_says() {
    for seed in 0..120 {
        let measure = loss::measures()[seed as usize % loss::measures().len()];
        assert_all_nodes(&sampled(seed), measure.name(), seed);
    }
}

#[test]
fn least_loss_is_the_optimum() {
    let cases = (0..60).map(|seed| (seed, sampled(seed)));
    for_each_result(cases, Guarantee::LeastLoss, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
    });
}
