//! How many rows of a class must go at least for the rest to hold: no smaller number is enough, by the
//! definitions and over all that could be left.

use throng::privacy::{AlphaK, Class, EntropyL, Ground, PrivacyModel, RecursiveCL, TCloseness, Tree, Whole};
use throng::random::Random;
use throng::table::Histogram;

use crate::definitions::{self as defined, Group};

const CASES: u64 = 150;

const VALUES: [&str; 4] = ["a", "b", "c", "d"];

/// a and b are nearer to each other, and so are c and d.
const TREE: [[u32; 4]; 3] = [[0, 1, 2, 3], [0, 0, 1, 1], [0; 4]];

/// Not the order of the codes.
const ORDER: [u32; 4] = [2, 0, 3, 1];

type Counts = [u32; 4];

/// Whether a class holds, given the whole.
type Holds = Box<dyn Fn(&Counts, &Counts) -> bool>;

fn group(counts: &Counts) -> Group<&'static str> {
    let values = VALUES.iter().zip(counts).flat_map(|(&value, &rows)| vec![value; rows as usize]);
    Group::of_rows(&values.collect::<Vec<_>>())
}

/// By the place of each value in the order.
fn places(counts: &Counts) -> Group<usize> {
    let values = ORDER.iter().enumerate();
    let values = values.flat_map(|(place, &code)| vec![place; counts[code as usize] as usize]);
    Group::of_rows(&values.collect::<Vec<_>>())
}

fn tree() -> Vec<Vec<&'static str>> {
    vec![vec!["a", "ab", "*"], vec!["b", "ab", "*"], vec!["c", "cd", "*"], vec!["d", "cd", "*"]]
}

/// Every model that says how many rows must go, and its condition.
fn models(random: &mut Random) -> Vec<(Box<dyn PrivacyModel>, Holds)> {
    let column = 0;
    let l = random.pick(&[1.5, 2.0, 2.5, 3.0]);
    let (c, of) = (random.pick(&[0.5, 1.0, 1.5, 2.0, 3.0]), 2 + random.index(3));
    let alpha = random.pick(&[0.25, 0.3, 0.4, 0.5, 0.6, 0.75]);
    let t = random.pick(&[0.0, 0.05, 0.1, 0.2, 0.3]);
    let close = |ground| Box::new(TCloseness { t, ground, column });
    vec![
        (
            Box::new(EntropyL { l, column }),
            Box::new(move |class, _| defined::entropy_l(&group(class)) >= l - 5e-10),
        ),
        (
            Box::new(RecursiveCL { c, l: of, column }),
            Box::new(move |class, _| defined::recursive_cl_holds(&group(class), c, of)),
        ),
        (
            Box::new(AlphaK { alpha, value: None, column }),
            Box::new(move |class, _| defined::alpha_k(&group(class), None) <= alpha),
        ),
        (
            Box::new(AlphaK { alpha, value: Some((1, "b".into())), column }),
            Box::new(move |class, _| defined::alpha_k(&group(class), Some("b")) <= alpha),
        ),
        (
            close(Ground::Equal),
            Box::new(move |class, whole| defined::t_closeness_equal(&group(class), &group(whole)) <= t),
        ),
        (
            close(Ground::Ordered(ORDER.to_vec())),
            Box::new(move |class, whole| defined::t_closeness_ordered(&places(class), &places(whole)) <= t),
        ),
        (
            close(Ground::Hierarchical(Tree::new(&TREE.map(Vec::from)))),
            Box::new(move |class, whole| {
                defined::t_closeness_hierarchical(&group(class), &group(whole), &tree()) <= t
            }),
        ),
    ]
}

fn sum(counts: &Counts) -> u64 {
    counts.iter().map(|&rows| u64::from(rows)).sum()
}

fn plus(a: &Counts, b: &Counts) -> Counts {
    std::array::from_fn(|at| a[at] + b[at])
}

/// All that can be left when at most so many rows go.
fn left_of(counts: &Counts, most: u64) -> Vec<Counts> {
    let mut all = vec![[0; 4]];
    for at in 0..4 {
        let with = |some: &Counts| -> Vec<Counts> {
            let set = |rows| {
                let mut counts = *some;
                counts[at] = rows;
                counts
            };
            (0..=counts[at]).map(set).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all.retain(|left| sum(counts) - sum(left) <= most);
    all
}

/// Asserts that nothing holds that misses fewer rows of the class. If the whole counts, so many of its rows
/// may go.
fn assert_not_enough(
    class: &Counts,
    others: &Counts,
    least: u64,
    left_out: Option<u64>,
    holds: &Holds,
    context: &str,
) {
    let most = left_out.unwrap_or(u64::MAX).min(least - 1);
    for left in left_of(class, most).iter().filter(|left| sum(left) > 0) {
        let gone = sum(class) - sum(left);
        for rest in left_of(others, left_out.map_or(0, |most| most - gone)) {
            let whole = plus(left, &rest);
            assert!(!holds(left, &whole), "{context}: {left:?} of {whole:?} hold, not {least}");
        }
    }
}

#[test]
fn no_fewer_rows_are_enough() {
    let [mut refused, mut several] = [[0; 7]; 2];
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let mut counts =
            |most: usize| -> Counts { std::array::from_fn(|_| random.skewed_index(most) as u32) };
        let (class, others) = (counts(7), counts(random_most(seed)));
        if sum(&class) == 0 {
            continue;
        }
        let all = plus(&class, &others);
        let whole = Whole::new(sum(&all), vec![all.iter().map(|&rows| rows.into()).collect()], None);
        let left_out = random.index(4) as u64;
        for (at, (model, holds)) in models(random).into_iter().enumerate() {
            let values = [Histogram::Placed(&class)];
            let seen = Class { rows: sum(&class), values: &values, population: None };
            let degree = model.degree(&seen, &whole);
            assert_eq!(
                model.holds(degree),
                holds(&class, &all),
                "case {seed}, {model:?}, {class:?}, {all:?}"
            );
            if model.holds(degree) {
                continue;
            }
            let least = model.least_left_out(&seen, degree, &whole, left_out);
            assert!(least <= sum(&class), "case {seed}, {model:?}, {class:?}: {least}");
            refused[at] += 1;
            several[at] += usize::from(least > 1);
            if least > 0 {
                let context =
                    format!("case {seed}, {model:?}, {class:?} of {all:?}, {left_out} of the whole");
                let left_out = model.compares_with_whole().then_some(left_out);
                assert_not_enough(&class, &others, least, left_out, &holds, &context);
            }
        }
    }
    assert!(refused.iter().all(|&times| times >= 30), "{refused:?}");
    // A value that is named gives no more than one row.
    let named = 3;
    assert!((0..7).filter(|&at| at != named).all(|at| several[at] >= 5), "{several:?}");
}

/// Some wholes are hardly more than the class.
fn random_most(seed: u64) -> usize {
    [2, 4, 12, 30][seed as usize % 4]
}
