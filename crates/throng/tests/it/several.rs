//! Every algorithm keeps its promise where several things are asked, of sensitive values and over shields.

use throng::algorithm::Guarantee;
use throng::loss;
use throng::privacy::Monotonicity;
use throng::random::Random;

use crate::agreement::{
    Truth, assert_greedy, assert_least, assert_printed, assert_same_by_threads, for_each_result,
};
use crate::case::{Ask, Case};
use crate::evaluations::assert_all_nodes;
use crate::models::Model;

const CASES: u64 = 400;

/// Cases of which a mean is asked.
const MEANS: u64 = 80;

fn cases() -> impl Iterator<Item = (u64, Case)> {
    (0..CASES).map(|seed| (seed, Case::random_asking(seed)))
}

#[test]
fn least_loss_is_the_optimum_of_every_measure() {
    for_each_result(cases(), Guarantee::LeastLoss, |truth, measure, solution, found, context, entry| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
        // A local search comes back to nodes that it has seen.
        if entry.name != "box-search" {
            assert!(u128::from(solution.checked_nodes) <= solution.lattice_nodes, "{context}: checked twice");
        }
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

/// Where more than a k is asked for, the paper goes by the k alone.
#[test]
fn improved_greedy_as_printed_goes_by_the_k_alone() {
    let [_, variants] = assert_printed(cases());
    assert!(variants > 0, "the variants never differ");
}

#[test]
fn results_do_not_depend_on_threads_or_chance() {
    assert_same_by_threads(cases());
}

/// Cases in which a mean is asked for beside others, of a single shield or of several, and some but not all
/// rows may be suppressed.
fn cases_of_a_mean(number: u64) -> impl Iterator<Item = (u64, Case)> {
    let case = |seed: u64| {
        let mut case = Case::random_asking(seed);
        let random = &mut Random::new(seed);
        let risk = random.pick(&[0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
        case.asks[0].model = match random.index(3) {
            0 => Model::PopulationUniqueness { share: risk / 3.1, fraction: random.pick(&[0.1, 0.5, 0.9]) },
            _ => Model::Risk { risk, journalist: false, mean: true },
        };
        if random.once_in(2) {
            case.asks.iter_mut().for_each(|ask| ask.shield = None);
        }
        case.max_suppressed_rows = random.index(case.rows.len()) as u64;
        (seed, case)
    };
    (0..number).map(case)
}

#[test]
fn the_worst_classes_for_a_mean_are_those_of_the_oracle() {
    for (seed, case) in cases_of_a_mean(MEANS) {
        let measure = loss::measures()[seed as usize % loss::measures().len()];
        assert_all_nodes(&case, measure.name(), seed);
    }
}

#[test]
fn least_loss_is_the_optimum_where_a_mean_is_asked_for() {
    let cases = cases_of_a_mean(MEANS);
    for_each_result(cases, Guarantee::LeastLoss, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
    });
}

/// A case of which these are asked, with a sensitive value for each row.
fn asked(case: Case, values: &str, asks: &[(Option<&[usize]>, Model)]) -> Case {
    let sensitive = values.split_whitespace().map(|value| vec![value.to_owned()]).collect();
    let ask = |&(shield, model): &(Option<&[usize]>, Model)| Ask { shield: shield.map(Into::into), model };
    Case { sensitive, asks: asks.iter().map(ask).collect(), ..case }
}

/// All optimal searches find a node.
fn assert_found(case: Case, node: &[usize], suppressed: usize) {
    assert!(!case.holds_upwards());
    for_each_result([(0, case)].into_iter(), Guarantee::LeastLoss, |_, _, _, found, context, _| {
        let found = found.unwrap_or_else(|| panic!("{context}: nothing found"));
        assert_eq!((found.node.as_deref(), found.suppressed.len()), (Some(node), suppressed), "{context}");
    });
}

/// Of `g` more than half have a, so it is refused, and the others by themselves have a mean of 1/2. One level
/// below all but one row of `g` hold, and lower the mean of all to 4/14.
#[test]
fn what_a_finer_node_keeps_may_lower_its_mean() {
    let rows = "g1, g1, g1, g1, g1, g1, g1, g1, g2, s1, s1, s2, s2, s3, s3";
    let case = Case::new(&["g1 g *, g2 g *, s1 s1 *, s2 s2 *, s3 s3 *"], rows, 1, 3);
    let share = Model::AlphaK { alpha: 0.5, value: None, column: 0 };
    let mean = Model::Risk { risk: 0.3, journalist: false, mean: true };
    let case = asked(case, "a b a b a b a b a a b a b a b", &[(None, share), (None, mean)]);
    assert_found(case, &[0], 1);
}

/// Over the first column single rows go for the mean: of a1, a2 and a3 the first two, which are b1, as six
/// others are. Where a1 and a2 are one, a3 goes, and with it the others of b2, which are too few.
#[test]
fn what_goes_for_a_mean_depends_on_what_is_merged() {
    let big = "a4 b1, a4 b1, a4 b1, a4 b1, a4 b1, a4 b1, a4 b2, a4 b2";
    let rows = format!("a1 b1, a2 b1, a3 b2, {big}");
    let case = Case::new(&["a1 x, a2 x, a3 a3, a4 a4", "b1, b2"], &rows, 1, 2);
    let mean = Model::Risk { risk: 0.25, journalist: false, mean: true };
    let asks = [(Some(&[0][..]), mean), (Some(&[1][..]), Model::KAnonymity(3))];
    let values = vec!["v"; case.rows.len()].join(" ");
    assert_found(asked(case, &values, &asks), &[0, 0], 2);
}

/// Where models are monotone, no node reaches a better degree than the top.
#[test]
fn the_top_reaches_the_best_degree_of_monotone_models() {
    let mut compared = 0;
    for (seed, case) in cases() {
        let truth = Truth::find(&case);
        let top = truth.oracle.reach(&case.heights());
        for node in truth.oracle.nodes() {
            for (at, (reach, ask)) in truth.oracle.reach(&node).into_iter().zip(&case.asks).enumerate() {
                // A mean is that of other rows.
                if ask.model.monotonicity() == Monotonicity::Monotone && !ask.model.is_mean() {
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
        let truth = Truth::find(&case);
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
