//! The degrees of every registered model: against the definitions on random classes, and against numbers that
//! are worked by hand in `docs/models.md`.

use throng::privacy::{
    AlphaK, BetaLikeness, DeltaDisclosure, DeltaPresence, Direction, EntropyL, Ground, ParameterValue,
    PrivacyModel, RecursiveCL, Risk, SensitiveColumn, TCloseness, Whole, achieved, degree_of, find, registry,
};
use throng::random::Random;
use throng::recoding::Recoding;
use throng::verify::{Verdict, verify};

use crate::case::{Case, Domain};
use crate::definitions::{self as defined, Group};
use crate::evaluations::node_of;
use crate::models::Model;
use crate::oracle::are_close;

const DIAGNOSES: [&str; 4] = ["flu", "asthma", "gastritis", "ulcer"];

/// How many rows have each diagnosis.
type Counts = [u32; 4];

fn column() -> SensitiveColumn {
    SensitiveColumn {
        place: 0,
        texts: DIAGNOSES.map(str::to_owned).to_vec(),
        exact: false,
        order: Some(vec![0, 1, 2, 3]),
        tree: Some(vec![vec![0, 1, 2, 3], vec![0, 0, 1, 1], vec![0; 4]]),
    }
}

/// A registered model with some of its parameters.
fn model(name: &str, given: &[(&str, ParameterValue)]) -> Box<dyn PrivacyModel> {
    let entry = find(name).expect("registered");
    let column = column();
    entry.model(given, entry.takes_column.then_some(&column)).expect("well given")
}

fn rows(counts: &Counts) -> u64 {
    counts.iter().map(|&rows| u64::from(rows)).sum()
}

fn whole(counts: &Counts, population: u64) -> Whole {
    let values = counts.iter().map(|&rows| rows.into()).collect();
    Whole::new(rows(counts), vec![values], Some(population))
}

fn degree(model: &dyn PrivacyModel, class: &Counts, population: u64, whole: &Whole) -> f64 {
    let listed: Vec<(u32, u32)> = (0..4).zip(*class).filter(|&(_, rows)| rows > 0).collect();
    degree_of(model, rows(class), &listed, Some(population), whole)
}

/// Every model with all that changes its degree; what is asked for is of no account here.
fn every_model() -> Vec<(&'static str, Vec<(&'static str, ParameterValue)>)> {
    let number = |name, number: f64| (name, ParameterValue::from(number));
    let text = |name, text: &str| (name, ParameterValue::from(text));
    let people = || text("population", "people.csv");
    vec![
        ("k", vec![number("k", 2.0)]),
        ("distinct-l", vec![number("l", 2.0)]),
        ("p-sensitive", vec![number("p", 2.0)]),
        ("entropy-l", vec![number("l", 2.0)]),
        ("recursive-cl", vec![number("c", 2.0), number("l", 2.0)]),
        ("recursive-cl", vec![number("c", 2.0), number("l", 3.0)]),
        ("alpha-k", vec![number("alpha", 0.5)]),
        ("alpha-k", vec![number("alpha", 0.5), text("value", "flu")]),
        ("t-closeness", vec![number("t", 0.2)]),
        ("t-closeness", vec![number("t", 0.2), text("distance", "equal")]),
        ("t-closeness", vec![number("t", 0.2), text("distance", "ordered")]),
        ("t-closeness", vec![number("t", 0.2), text("distance", "hierarchical")]),
        ("beta-likeness", vec![number("beta", 1.0)]),
        ("beta-likeness", vec![number("beta", 1.0), ("enhanced", true.into())]),
        ("delta-disclosure", vec![number("delta", 1.0)]),
        ("k-map", vec![number("k", 2.0), people()]),
        ("delta-presence", vec![number("min", 0.0), number("max", 0.5), people()]),
        ("delta-presence", vec![number("min", 0.2), number("max", 0.5), people()]),
        ("max-risk", vec![number("risk", 0.2)]),
        ("max-risk", vec![number("risk", 0.2), text("attacker", "journalist"), people()]),
        ("average-risk", vec![number("risk", 0.2)]),
        ("average-risk", vec![number("risk", 0.2), text("attacker", "journalist"), people()]),
        ("estimated-k-map", vec![number("k", 2.0), number("fraction", 0.25)]),
        ("estimated-k-map", vec![number("k", 2.0), number("fraction", 0.25), number("significance", 0.2)]),
        ("population-uniqueness", vec![number("share", 0.2), number("fraction", 0.25)]),
    ]
}

#[test]
fn every_registered_model_is_here() {
    let here = every_model();
    for entry in registry() {
        assert!(here.iter().any(|(name, _)| *name == entry.name), "{}", entry.name);
    }
}

/// What is not a number is no success: no model lets it pass, whatever is asked for, and no number that is asked for
/// may be none itself.
#[test]
fn what_is_not_a_number_never_holds() {
    for (name, given) in every_model() {
        let model = model(name, &given);
        assert!(!model.holds(f64::NAN), "{name}");
        let worst = achieved(&*model, [(1.0, 3), (f64::NAN, 2), (1.0, 1)]).expect("there are classes");
        assert!(worst.is_nan() && !model.holds(worst), "{name}: {worst}");
        assert!(throng::privacy::violations(&*model, &[(f64::NAN, 2)]) == 1, "{name}");
        for direction in [Direction::MoreIsSafer, Direction::LessIsSafer] {
            assert!(
                direction.is_worse(f64::NAN, direction.safest()) && direction.worse(f64::NAN, 1.0).is_nan()
            );
            assert!(direction.worse(1.0, f64::NAN).is_nan() && !direction.is_worse(f64::NAN, f64::NAN));
        }
        let entry = find(name).expect("registered");
        let column = column();
        for at in 0..given.len() {
            let mut bad = given.clone();
            if matches!(bad[at].1, ParameterValue::Number(_)) {
                bad[at].1 = f64::NAN.into();
                let refused = entry.model(&bad, entry.takes_column.then_some(&column));
                assert!(refused.is_err(), "{name}: {} is not a number", bad[at].0);
            }
        }
    }
    // Models that are made without the registry.
    let class = [1, 2, 0, 1];
    let all = whole(&[2, 2, 2, 2], 9);
    let asking: Vec<Box<dyn PrivacyModel>> = vec![
        Box::new(EntropyL { l: f64::NAN, column: 0 }),
        Box::new(RecursiveCL { c: f64::NAN, l: 2, column: 0 }),
        Box::new(AlphaK { alpha: f64::NAN, value: None, column: 0 }),
        Box::new(TCloseness { t: f64::NAN, ground: Ground::Equal, column: 0 }),
        Box::new(BetaLikeness { beta: f64::NAN, enhanced: false, column: 0 }),
        Box::new(DeltaDisclosure { delta: f64::NAN, column: 0 }),
        Box::new(DeltaPresence { min: f64::NAN, max: 1.0 }),
        Box::new(DeltaPresence { min: 0.0, max: f64::NAN }),
        Box::new(Risk { risk: f64::NAN, journalist: false, mean: false }),
    ];
    for model in asking {
        assert!(!model.holds(degree(&*model, &class, 6, &all)), "{model:?}");
    }
}

/// The same from the definitions.
fn defined(name: &str, given: &[(&str, ParameterValue)], class: &Counts, people: u64, all: &Counts) -> f64 {
    let values = |counts: &Counts| -> Vec<usize> {
        (0..4).zip(counts).flat_map(|(value, &rows)| vec![value; rows as usize]).collect()
    };
    let of = |counts: &Counts| Group::of_rows(&values(counts));
    let named = |counts: &Counts| {
        Group::of_rows(&values(counts).into_iter().map(|value| DIAGNOSES[value]).collect::<Vec<_>>())
    };
    let parameter = |name: &str| given.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let number = |name: &str| match parameter(name) {
        Some(ParameterValue::Number(number)) => *number,
        other => panic!("{name} is {other:?}"),
    };
    let is = |name: &str, text: &str| parameter(name) == Some(&ParameterValue::from(text));
    let (class_rows, everyone) = (vec![(); rows(class) as usize], vec![(); people as usize]);
    match name {
        "k" => defined::k(&of(class)) as f64,
        "distinct-l" | "p-sensitive" => defined::distinct_l(&of(class)) as f64,
        "entropy-l" => defined::entropy_l(&of(class)),
        "recursive-cl" => defined::recursive_cl(&of(class), number("l") as usize),
        "alpha-k" => defined::alpha_k(&named(class), parameter("value").map(|_| "flu")),
        "t-closeness" if is("distance", "ordered") => defined::t_closeness_ordered(&of(class), &of(all)),
        "t-closeness" if is("distance", "hierarchical") => {
            let organ = ["airways", "airways", "stomach", "stomach"];
            let tree: Vec<Vec<&str>> =
                DIAGNOSES.iter().zip(organ).map(|(&leaf, organ)| vec![leaf, organ, "*"]).collect();
            defined::t_closeness_hierarchical(&named(class), &named(all), &tree)
        }
        "t-closeness" => defined::t_closeness_equal(&of(class), &of(all)),
        "beta-likeness" if parameter("enhanced").is_some() => {
            defined::enhanced_beta_likeness(&of(class), &of(all))
        }
        "beta-likeness" => defined::beta_likeness(&of(class), &of(all)),
        "delta-disclosure" => defined::delta_disclosure(&of(class), &of(all)),
        "k-map" => defined::k_map(&(), &everyone) as f64,
        "delta-presence" => defined::delta_presence(&(), &class_rows, &everyone, number("min")),
        "max-risk" | "average-risk" => {
            defined::risk(&(), if is("attacker", "journalist") { &everyone } else { &class_rows })
        }
        "estimated-k-map" => {
            let significance = parameter("significance").map_or(0.05, |_| number("significance"));
            defined::estimated_k_map(class_rows.len(), number("fraction"), significance) as f64
        }
        "population-uniqueness" => f64::from(class_rows.len() == 1),
        _ => panic!("{name} is not transcribed"),
    }
}

#[test]
fn degrees_of_random_classes_are_those_of_the_definitions() {
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let most = random.pick(&[2, 5, 20, 300]);
        let mut counts = || -> Counts { std::array::from_fn(|_| random.skewed_index(most) as u32) };
        let (class, others) = (counts(), counts());
        if rows(&class) == 0 {
            continue;
        }
        let all: Counts = std::array::from_fn(|at| class[at] + others[at]);
        let people = rows(&class) + random.index(50) as u64;
        for (name, given) in every_model() {
            let found = degree(&*model(name, &given), &class, people, &whole(&all, people + 10));
            let expected = defined(name, &given, &class, people, &all);
            let context = format!("case {seed}, {name} {given:?}, {class:?} of {all:?}");
            assert!(are_close(&[found], &[expected]), "{context}: {found} instead of {expected}");
        }
    }
}

const INFINITE: f64 = f64::INFINITY;

/// A, B, C, and B and C as one, of `docs/models.md`: rows by diagnosis, and people.
const CLASSES: [(Counts, u64); 4] =
    [([3, 1, 1, 0], 20), ([1, 1, 1, 1], 8), ([0, 0, 1, 2], 30), ([1, 1, 2, 3], 38)];

#[test]
fn degrees_of_the_example_are_those_worked_by_hand() {
    let entropies = [
        (5.0_f64 / 3.0).powf(0.6) * 5.0_f64.powf(0.4),
        4.0,
        3.0_f64.cbrt() * 1.5_f64.powf(2.0 / 3.0),
        7.0_f64.powf(2.0 / 7.0) * 3.5_f64.powf(2.0 / 7.0) * (7.0_f64 / 3.0).powf(3.0 / 7.0),
    ];
    let risks = [[0.2, 0.25, 1.0 / 3.0, 1.0 / 7.0], [0.05, 0.125, 1.0 / 30.0, 1.0 / 38.0]];
    let expected = [
        [5.0, 4.0, 3.0, 7.0],
        [3.0, 4.0, 2.0, 4.0],
        [3.0, 4.0, 2.0, 4.0],
        entropies,
        [1.5, 1.0 / 3.0, 2.0, 0.75],
        [3.0, 0.5, INFINITE, 1.5],
        [0.6, 0.25, 2.0 / 3.0, 3.0 / 7.0],
        [0.6, 0.25, 0.0, 1.0 / 7.0],
        [0.3, 1.0 / 12.0, 0.5, 18.0 / 84.0],
        [0.3, 1.0 / 12.0, 0.5, 18.0 / 84.0],
        [49.0 / 180.0, 1.0 / 36.0, 15.0 / 36.0, 49.0 / 252.0],
        [0.3, 1.0 / 24.0, 0.5, 18.0 / 84.0],
        [0.8, 0.5, 5.0 / 3.0, 5.0 / 7.0],
        [0.8, 0.5, INFINITE, 5.0 / 7.0],
        [INFINITE, 1.5_f64.ln(), INFINITE, (7.0_f64 / 3.0).ln()],
        [20.0, 8.0, 30.0, 38.0],
        [0.25, 0.5, 0.1, 7.0 / 38.0],
        [0.25, 0.5, INFINITE, INFINITE],
        risks[0],
        risks[1],
        risks[0],
        risks[1],
        [10.0, 7.0, 4.0, 15.0],
        [13.0, 10.0, 7.0, 20.0],
        [0.0; 4],
    ];
    let models = every_model();
    assert_eq!(models.len(), expected.len());
    for ((name, given), expected) in models.into_iter().zip(expected) {
        let model = model(name, &given);
        let found = CLASSES.map(|(class, people)| degree(&*model, &class, people, &whole(&[4, 2, 3, 3], 65)));
        assert!(are_close(&found, &expected), "{name} {given:?}: {found:?} instead of {expected:?}");
    }
}

/// Where all rows are judged together: 3 classes of 12 rows, and (5/20 + 4/8 + 3/30) / 12.
#[test]
fn means_of_the_example_are_those_worked_by_hand() {
    let means: Vec<f64> = every_model()
        .into_iter()
        .filter(|(name, _)| *name == "average-risk")
        .map(|(name, given)| {
            let model = model(name, &given);
            let of = |(class, people): &(Counts, u64)| {
                (degree(&*model, class, *people, &whole(&[4, 2, 3, 3], 65)), rows(class))
            };
            achieved(&*model, CLASSES[..3].iter().map(of)).expect("classes")
        })
        .collect();
    assert!(are_close(&means, &[0.25, 0.85 / 12.0]), "{means:?}");
}

/// What holds at the boundary: at least, at most, and what is published as less than.
#[test]
fn degrees_that_are_just_as_asked() {
    for (name, given) in every_model() {
        let model = model(name, &given);
        let strict = ["recursive-cl", "delta-disclosure"].contains(&name);
        assert_eq!(model.holds(model.asked()), !strict, "{name}");
    }
}

/// The twelve rows with their persons: p1 has three rows of A, p9 two of C.
fn personal() -> Case {
    let table = "A p1 flu, A p1 flu, A p2 flu, A p1 asthma, A p3 gastritis, B p4 flu, B p5 asthma, \
                 B p6 gastritis, B p7 ulcer, C p8 gastritis, C p9 ulcer, C p9 ulcer";
    let rows: Vec<Vec<&str>> = table.split(", ").map(|row| row.split_whitespace().collect()).collect();
    let classes: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let person = |row: &Vec<&str>| row[1][1..].parse().expect("a number");
    let tree = "flu airways *,asthma airways *,gastritis stomach *,ulcer stomach *";
    let lines = |line: &str| line.split(' ').map(str::to_owned).collect();
    Case {
        sensitive: rows.iter().map(|row| vec![row[2].to_owned()]).collect(),
        persons: Some(rows.iter().map(person).collect()),
        domains: vec![Domain {
            order: DIAGNOSES.map(str::to_owned).to_vec(),
            tree: tree.split(',').map(lines).collect(),
        }],
        ..Case::new(&["A, B, C"], &classes.join(","), 1, 0)
    }
}

#[test]
fn degrees_of_persons_are_those_worked_by_hand() {
    let column = 0;
    let risk = |mean| Model::Risk { risk: 1.0, journalist: false, mean };
    for (model, expected) in [
        (Model::KAnonymity(1), 2.0),
        (Model::DistinctL { l: 1, column }, 2.0),
        (Model::PSensitive { p: 1, column }, 2.0),
        (Model::EntropyL { l: 1.0, column }, 2.0),
        (Model::RecursiveCL { c: 9.0, l: 2, column }, 1.0),
        (Model::AlphaK { alpha: 1.0, value: None, column }, 2.0 / 3.0),
        (Model::AlphaK { alpha: 1.0, value: Some(3), column }, 0.5),
        // Of nine persons 3, 2, 3 and 2 have each. C: an ulcer and a gastritis, each by half instead of a third
        // and two ninths.
        (Model::BetaLikeness { beta: 9.0, enhanced: false, column }, 1.25),
        (risk(false), 0.5),
        (risk(true), 1.0 / 3.0),
    ] {
        let case = personal().asking(model);
        let release = Recoding::FullDomain(node_of(&[0])).apply(&case.problem("lm"));
        let Verdict::Safe(found) = verify(&release) else { panic!("{model:?}: {:?}", verify(&release)) };
        assert_eq!(found.k, 2);
        assert!(are_close(&found.degrees, &[expected]), "{model:?}: {:?}, not {expected}", found.degrees);
    }
}
