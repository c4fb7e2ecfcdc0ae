//! Missing cells, judged by the definitions: a class has what its least safe completion has, or, where it is compared
//! with the whole, the worse of what it has with missing as a value and without the rows that show none.

use throng::algorithm::Guarantee;
use throng::loss;
use throng::privacy::{
    AlphaK, BetaLikeness, Class, DeltaDisclosure, DistinctL, EntropyL, Ground, Monotonicity, PSensitive,
    PrivacyModel, RecursiveCL, TCloseness, Tree, Whole,
};
use throng::random::Random;
use throng::table::Histogram;

use crate::agreement::{assert_least, for_each_result};
use crate::case::Case;
use crate::definitions::{self as defined, Group};
use crate::evaluations::assert_all_nodes;
use crate::oracle::are_close;

/// The last is a missing cell.
const VALUES: [&str; 4] = ["a", "b", "c", ""];
const MISSING: usize = 3;

/// Not that of the codes; what is missing is last.
const ORDER: [u32; 4] = [2, 0, 1, 3];

const TREE: [[u32; 4]; 3] = [[0, 1, 2, 3], [0, 0, 1, 2], [0; 4]];

type Counts = [u32; 4];

fn values(counts: &Counts) -> Vec<&'static str> {
    VALUES.iter().zip(counts).flat_map(|(&value, &rows)| vec![value; rows as usize]).collect()
}

fn group(counts: &Counts) -> Group<&'static str> {
    Group::of_rows(&values(counts))
}

fn places(counts: &Counts) -> Group<usize> {
    let values = ORDER.iter().enumerate();
    let values = values.flat_map(|(place, &code)| vec![place; counts[code as usize] as usize]);
    Group::of_rows(&values.collect::<Vec<_>>())
}

fn tree() -> Vec<Vec<&'static str>> {
    vec![vec!["a", "ab", "*"], vec!["b", "ab", "*"], vec!["c", "c", "*"], vec!["", "", "*"]]
}

/// All classes that a class may be, once somebody fills in what is missing.
fn completions(class: &Counts) -> Vec<Counts> {
    let missing = class[MISSING];
    let mut all = Vec::new();
    for a in 0..=missing {
        for b in 0..=missing - a {
            all.push([class[0] + a, class[1] + b, class[2] + missing - a - b, 0]);
        }
    }
    all
}

fn shown(counts: &Counts) -> Counts {
    [counts[0], counts[1], counts[2], 0]
}

/// The degree of a class by the definitions.
type Defined = Box<dyn Fn(&Counts, &Counts) -> f64>;

/// Of the worst completion.
fn completed(less_is_safer: bool, degree: impl Fn(&Counts) -> f64 + 'static) -> Defined {
    let worse = if less_is_safer { f64::max } else { f64::min };
    Box::new(move |class, _| completions(class).iter().map(&degree).reduce(worse).expect("there is one"))
}

/// Of the worse reading.
fn read_twice(degree: impl Fn(&Counts, &Counts) -> f64 + 'static) -> Defined {
    Box::new(move |class, whole| {
        let with = degree(class, whole);
        let rest = shown(class);
        if rest.iter().sum::<u32>() == 0 { with } else { with.max(degree(&rest, &shown(whole))) }
    })
}

fn models() -> Vec<(Box<dyn PrivacyModel>, Defined)> {
    let column = 0;
    let close = |ground| Box::new(TCloseness { t: 0.2, ground, column });
    // A class that shows nothing has no value at all, not one.
    let distinct = || -> Defined { Box::new(|class, _| defined::distinct_l(&group(&shown(class))) as f64) };
    let value = Some((1, "b".to_owned()));
    vec![
        (Box::new(DistinctL { l: 2, column }), distinct()),
        (Box::new(PSensitive { p: 2, column }), distinct()),
        (Box::new(EntropyL { l: 1.8, column }), completed(false, |class| defined::entropy_l(&group(class)))),
        (
            Box::new(RecursiveCL { c: 2.0, l: 2, column }),
            completed(true, |class| defined::recursive_cl(&group(class), 2)),
        ),
        (
            Box::new(RecursiveCL { c: 4.0, l: 3, column }),
            completed(true, |class| defined::recursive_cl(&group(class), 3)),
        ),
        (
            Box::new(AlphaK { alpha: 0.5, value: None, column }),
            completed(true, |class| defined::alpha_k(&group(class), None)),
        ),
        (
            Box::new(AlphaK { alpha: 0.5, value, column }),
            completed(true, |class| defined::alpha_k(&group(class), Some("b"))),
        ),
        (
            close(Ground::Equal),
            read_twice(|class, whole| defined::t_closeness_equal(&group(class), &group(whole))),
        ),
        (
            close(Ground::Ordered(ORDER.to_vec())),
            read_twice(|class, whole| defined::t_closeness_ordered(&places(class), &places(whole))),
        ),
        (
            close(Ground::Hierarchical(Tree::new(&TREE.map(Vec::from)))),
            read_twice(|class, whole| {
                defined::t_closeness_hierarchical(&group(class), &group(whole), &tree())
            }),
        ),
        (
            Box::new(BetaLikeness { beta: 1.0, enhanced: false, column }),
            read_twice(|class, whole| defined::beta_likeness(&group(class), &group(whole))),
        ),
        (
            Box::new(BetaLikeness { beta: 1.0, enhanced: true, column }),
            read_twice(|class, whole| defined::enhanced_beta_likeness(&group(class), &group(whole))),
        ),
        (
            Box::new(DeltaDisclosure { delta: 1.0, column }),
            read_twice(|class, whole| defined::delta_disclosure(&group(class), &group(whole))),
        ),
    ]
}

fn plus(a: &Counts, b: &Counts) -> Counts {
    std::array::from_fn(|at| a[at] + b[at])
}

fn rows(counts: &Counts) -> u64 {
    counts.iter().map(|&rows| u64::from(rows)).sum()
}

fn whole(counts: &Counts) -> Whole {
    let values = counts.iter().map(|&rows| rows.into()).collect();
    Whole::new(rows(counts), vec![values], None).with_missing(vec![Some(MISSING as u32)])
}

fn degree(model: &dyn PrivacyModel, class: &Counts, whole: &Whole) -> f64 {
    model.degree(&Class { rows: rows(class), values: &[Histogram::Placed(class)], population: None }, whole)
}

/// Two classes that are not empty, and the rest of a table.
fn draw(random: &mut Random) -> [Counts; 3] {
    let mut counts = |most: usize| -> Counts { std::array::from_fn(|_| random.skewed_index(most) as u32) };
    let mut class = || std::iter::repeat_with(|| counts(5)).find(|class| rows(class) > 0).expect("endless");
    let (one, other) = (class(), class());
    [one, other, counts(9)]
}

#[test]
fn every_model_reads_missing_cells_as_documented() {
    let mut with_missing = 0;
    for seed in 0..400 {
        let [class, other, rest] = draw(&mut Random::new(seed));
        let all = plus(&plus(&class, &other), &rest);
        with_missing += usize::from(class[MISSING] > 0);
        for (model, defined) in models() {
            let (found, expected) = (degree(&*model, &class, &whole(&all)), defined(&class, &all));
            assert!(
                are_close(&[found], &[expected]),
                "{seed}: {model:?} of {class:?} in {all:?}: {found}, {expected}"
            );
        }
    }
    assert!(with_missing > 100, "{with_missing}");
}

/// What a model promises of unions it promises of classes with missing cells, too.
#[test]
fn unions_keep_their_promise() {
    let mut tried = vec![0; models().len()];
    for seed in 0..3000 {
        let [class, other, rest] = draw(&mut Random::new(seed));
        let union = plus(&class, &other);
        let whole = whole(&plus(&union, &rest));
        for (at, (model, _)) in models().into_iter().enumerate() {
            let holds = |class: &Counts| model.holds(degree(&*model, class, &whole));
            let promised = match model.monotonicity() {
                Monotonicity::Monotone => holds(&class) || holds(&other),
                Monotonicity::SafeUnions => holds(&class) && holds(&other),
                Monotonicity::None => false,
            };
            tried[at] += usize::from(promised && union[MISSING] > 0);
            assert!(!promised || holds(&union), "{seed}: {model:?}, {class:?}, {other:?}");
        }
    }
    assert!(tried.iter().all(|&times| times >= 5), "{tried:?}");
}

/// No model finds a class safer for a cell that is missing in the place of a value that the class has already.
#[test]
fn missing_makes_no_class_diverse() {
    for seed in 0..400 {
        let [mut class, other, rest] = draw(&mut Random::new(seed));
        class[MISSING] = 0;
        let Some(most) = (0..MISSING).max_by_key(|&at| class[at]).filter(|&at| class[at] > 1) else {
            continue;
        };
        let mut hidden = class;
        hidden[most] -= 1;
        hidden[MISSING] += 1;
        let whole = whole(&plus(&plus(&class, &other), &rest));
        for (model, _) in models().into_iter().filter(|(model, _)| !model.compares_with_whole()) {
            let (before, after) = (degree(&*model, &class, &whole), degree(&*model, &hidden, &whole));
            let safer = model.direction().is_worse(before, after);
            assert!(!safer, "{seed}: {model:?} of {class:?}: {before}, then {after}");
        }
    }
}

/// A bound of what must go is no more than what does.
#[test]
fn bounds_stay_below_what_must_go() {
    for seed in 0..150 {
        let [class, other, _] = draw(&mut Random::new(seed));
        let all = plus(&class, &other);
        for (model, defined) in models() {
            let seen = Class { rows: rows(&class), values: &[Histogram::Placed(&class)], population: None };
            let found = model.degree(&seen, &whole(&all));
            if model.holds(found) || model.monotonicity() == Monotonicity::Monotone {
                continue;
            }
            let least = model.least_left_out(&seen, found, &whole(&all), rows(&class));
            assert!(least <= rows(&class));
            for left in subsets(&class).iter().filter(|left| rows(left) > 0) {
                if rows(&class) - rows(left) < least {
                    let of = if model.compares_with_whole() { plus(left, &other) } else { all };
                    assert!(
                        !model.holds(defined(left, &of)),
                        "{seed}: {model:?}, {class:?}: {left:?} of {of:?}"
                    );
                }
            }
        }
    }
}

fn subsets(class: &Counts) -> Vec<Counts> {
    let mut all = vec![[0; 4]];
    for at in 0..4 {
        let with = |some: &Counts| -> Vec<Counts> {
            (0..=class[at])
                .map(|rows| {
                    let mut counts = *some;
                    counts[at] = rows;
                    counts
                })
                .collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

fn cases(number: u64) -> impl Iterator<Item = (u64, Case)> {
    (0..number).map(|seed| (seed, Case::random_asking(seed).with_missing(&mut Random::new(seed))))
}

/// Classes, wholes that shrink, bounds and the judge of releases all know which cells are missing.
#[test]
fn every_node_is_judged_as_by_the_oracle() {
    for (seed, case) in cases(150) {
        let measure = loss::measures()[seed as usize % loss::measures().len()];
        assert_all_nodes(&case, measure.name(), seed);
    }
}

#[test]
fn least_loss_is_the_optimum_with_missing_cells() {
    for_each_result(cases(60), Guarantee::LeastLoss, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
    });
}
