//! A table that is a sample: classes are judged by how many of the population they could be of.

use throng::algorithm::Guarantee;
use throng::loss;
use throng::recoding::{Local, Parts, Recoding};
use throng::table::Table;
use throng::verify::{Verdict, verify};

use crate::agreement::{assert_least, for_each_result};
use crate::case::{Ask, Case};
use crate::evaluations::assert_all_nodes;
use crate::models::Model;
use throng::random::Random;

/// A random case whose rows are a sample of up to three times as many, where some of the population are
/// as no row is. One of what is asked, or all, is about the population.
fn sampled(seed: u64) -> Case {
    let case = Case::random_asking(seed);
    let mut random = Random::new(seed);
    let mut everyone = case.rows.clone();
    for _ in 0..random.index(2 * case.rows.len() + 1) {
        let leaf = |lines: &Vec<Vec<String>>| lines[random.skewed_index(lines.len())][0].clone();
        everyone.push(case.hierarchies.iter().map(leaf).collect());
    }
    random.shuffle(&mut everyone);
    let mut asks = if random.once_in(3) { Vec::new() } else { case.asks.clone() };
    let at = random.index(asks.len() + 1);
    let shield = case.asks[0].shield.clone();
    let few = 2 + random.index(6) as u64;
    let model = match random.index(8) {
        0 => Model::Population(few),
        1 => Model::KMap(few),
        2 | 3 => Model::DeltaPresence { min: 0.0, max: random.pick(&[0.4, 0.5, 0.75]) },
        4 => Model::DeltaPresence { min: random.pick(&[0.1, 0.25, 0.5]), max: random.pick(&[0.75, 1.0]) },
        5 => Model::Risk { risk: 1.0 / few as f64, journalist: true, mean: false },
        _ => Model::Risk { risk: random.pick(&[0.1, 0.2, 0.3, 0.5]), journalist: true, mean: true },
    };
    asks.insert(at, Ask { shield, model });
    let case = Case { population: Some(everyone), asks, ..case };
    if random.once_in(4) { case.with_persons(&mut random) } else { case }
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

/// A tuple that is released in two ways is in two classes, and all of the population that have it could
/// be in either; nobody could be in a class that no part of his tuple is in.
#[test]
fn the_population_of_a_divided_tuple_is_in_the_classes_of_its_parts() {
    let case = Case::new(&["1 a *, 2 a *, 3 b *"], "1, 1, 1, 2, 3", 1, 0).asking(Model::Population(4));
    let table = Table::with_population(vec![vec![0, 1, 2]], vec![3, 1, 1], vec![3, 40, 500]);
    let mut problem = case.problem_over(table, "lm");
    let taxonomy = problem.attributes()[0].taxonomy.clone();
    let [a, b] = [taxonomy.generalise(0, 1), taxonomy.generalise(2, 1)];
    // Leaf 1 in three parts, two of which look alike.
    let mut parts = Parts::default();
    [(0, 1), (0, 1), (0, 1), (1, 1), (2, 1)].iter().for_each(|&(tuple, rows)| parts.push(tuple, rows, false));
    let recoding = Recoding::Local(Local::new(vec![vec![0, a, a, a, b]]).in_parts(parts));
    let release = recoding.apply(&problem);
    assert_eq!(release.evaluate(&release.tally()).degrees, [3.0]);
    assert!(matches!(verify(&release), Verdict::Unsafe(reason) if reason.ends_with("the worst has 3")));
    problem.requirements = Model::Population(3).requirement(&case).into();
    assert!(
        matches!(verify(&recoding.apply(&problem)), Verdict::Safe(achieved) if achieved.degrees == [3.0])
    );
}
