//! What is optimal, and which of several optima is taken, does not hang on rounding.

use std::cmp::Ordering;

use throng::algorithm::{Entry, Guarantee};
use throng::run::Unobserved;
use throng::solve::solve;

use crate::agreement::{Truth, levels};
use crate::case::Case;
use crate::oracle::Released;

fn optimal() -> impl Iterator<Item = &'static Entry> {
    crate::full_domain().filter(|entry| entry.guarantee == Guarantee::LeastLoss)
}

/// The least costly node; of several the lowest, then the first. And how many there are.
fn best<'r, 'c>(
    admissible: &'r [Released<'c>],
    compare: impl Fn(&Released<'c>, &Released<'c>) -> Ordering,
) -> Option<(&'r Released<'c>, usize)> {
    let node = |released: &Released<'_>| released.node.clone().expect("a node");
    let height = |released: &Released<'_>| node(released).iter().sum::<usize>();
    let order = |a: &&Released<'c>, b: &&Released<'c>| {
        compare(a, b).then(height(a).cmp(&height(b))).then(node(a).cmp(&node(b)))
    };
    let least = admissible.iter().min_by(order)?;
    Some((least, admissible.iter().filter(|other| compare(other, least).is_eq()).count()))
}

fn assert_found(case: &Case, measure: &str, expected: &Released<'_>, seed: u64) {
    let problem = case.problem(measure);
    for entry in optimal() {
        let solution = solve(&problem, entry, None, &Unobserved);
        let recoding = solution.outcome.recoding().expect("something is admissible");
        let found = levels(&recoding.apply(&problem));
        assert_eq!(Some(&found), expected.node.as_ref(), "{}, {measure}, seed {seed}", entry.name);
    }
}

#[test]
fn the_lowest_of_all_exact_optima_is_found() {
    let mut ties = [0; 4];
    for seed in 0..300 {
        let case = Case::random(seed);
        let truth = Truth::find(&case);
        for (measure, ties) in ["lm", "iloss", "md", "prec"].into_iter().zip(&mut ties) {
            let exact = |released: &Released<'_>| truth.oracle.exact(measure, released);
            let best = best(&truth.admissible, |a, b| exact(a).cmp(&exact(b)));
            if let Some((expected, optima)) = best {
                *ties += usize::from(optima > 1);
                assert_found(&case, measure, expected, seed);
            }
        }
    }
    assert!(ties.iter().all(|&ties| ties > 5), "{ties:?}");
}

#[test]
fn the_lowest_of_all_exact_optima_by_entropy_is_found() {
    let mut ties = 0;
    for seed in 0..400 {
        let case = Case { max_suppressed_rows: 0, ..Case::random(seed) };
        let truth = Truth::find(&case);
        let exact = |released: &Released<'_>| truth.oracle.exact_entropy(released);
        let compare = |a: &Released<'_>, b: &Released<'_>| match exact(a) == exact(b) {
            true => Ordering::Equal,
            false => truth.oracle.loss("entropy", a).total_cmp(&truth.oracle.loss("entropy", b)),
        };
        if let Some((expected, optima)) = best(&truth.admissible, compare) {
            ties += usize::from(optima > 1);
            assert_found(&case, "entropy", expected, seed);
        }
    }
    assert!(ties > 5, "{ties}");
}

/// 2/3 of one column, or 1/3 of one and 2/6 of another: the same loss, at different heights.
#[test]
fn two_thirds_lose_as_much_as_they_do_in_two_steps() {
    let high = "1 a a *, 2 a a *, 3 b a *, 4 c b *";
    let flat = "1 *, 2 *";
    let case = Case::new(&[high, flat], "1 1, 2 1, 3 1, 4 1, 4 2, 4 2", 2, 0);
    let truth = Truth::find(&case);
    let exact = |released: &Released<'_>| truth.oracle.exact("lm", released);
    let (expected, _) = best(&truth.admissible, |a, b| exact(a).cmp(&exact(b))).expect("the top at least");
    assert_found(&case, "lm", expected, 0);
}

#[test]
fn a_number_and_a_missing_cell_as_one_lose_something() {
    let flat = throng::taxonomy::Taxonomy::flat(&["7", ""]).unwrap();
    let table = throng::table::Table::from_rows(1, &[[0], [1]]);
    let k = throng::requirement::Requirement::new(throng::privacy::KAnonymity { k: 2 });
    let ncp = throng::loss::find("ncp").unwrap();
    let problem = throng::problem::Problem::new(table, vec![("x".into(), flat, 1.0)], k, 0, ncp).unwrap();
    for entry in throng::algorithm::registry() {
        let solution = solve(&problem, entry, None, &Unobserved);
        let release = solution.outcome.recoding().expect("the top").apply(&problem);
        assert_eq!(ncp.measure(&problem, &release.tally()), 1.0, "{}", entry.name);
    }
}

#[test]
fn a_suppressed_cell_of_a_column_with_one_value_is_distorted() {
    let case = Case::new(&["a *", "1 *, 2 *"], "a 1, a 1, a 2", 2, 1);
    let md = throng::loss::find("md").unwrap();
    let problem = case.problem("md");
    let node = throng::recoding::Recoding::FullDomain(throng::lattice::Node::new(vec![0, 0]));
    assert_eq!(md.measure(&problem, &node.apply(&problem).tally()), 2.0);
}
