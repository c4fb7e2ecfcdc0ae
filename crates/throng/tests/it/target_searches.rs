//! Every algorithm that searches among cuts keeps its promise on random tables, with and without a target.

use throng::algorithm::{self, Entry, Family};
use throng::cut;
use throng::problem::Problem;
use throng::random::Random;
use throng::recoding::Recoding;
use throng::run::Unobserved;
use throng::solve::{Outcome, solve};
use throng::taxonomy::Taxonomy;
use throng::verify::verify;

use crate::agreement::assert_same_release;
use crate::case::Case;
use crate::evaluations::{assert_degrees, assert_verified};
use crate::oracle::{Cut, Oracle};

const CASES: u64 = 250;

/// The algorithms that search among cuts.
fn of_cuts() -> impl Iterator<Item = &'static Entry> {
    algorithm::registry().iter().filter(|entry| entry.family == Family::Cut)
}

/// A small case in which values that are not the same do not look alike, of which k is asked or several
/// things are; some of persons.
fn small(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    let (attributes, rows) = (1 + random.index(3), 1 + random.index(30));
    let case = match seed % 3 {
        0 => Case::random_of(random, attributes, rows),
        _ => Case::random_asking_of(random, attributes, rows),
    };
    let case = if seed % 7 == 5 { case.with_persons(random) } else { case };
    case.with_names()
}

/// The problems of a case: without a target, and with one.
fn problems(case: &Case) -> [(bool, Problem); 2] {
    [(false, case.problem("lm")), (true, case.problem_with_target("lm"))]
}

/// The oracle's cut for one of the crate's.
fn decode(taxonomy: &Taxonomy, cut: &cut::Cut) -> Cut {
    let level = |&value: &u32| taxonomy.values()[value as usize].level;
    Cut { levels: cut.leaf_values().iter().map(level).collect() }
}

/// The cuts of an outcome; none if nothing may be released.
fn cuts_of(problem: &Problem, outcome: &Outcome, context: &str) -> Option<Vec<Cut>> {
    let cuts = match outcome {
        Outcome::Found(Recoding::Cut(cuts)) => cuts,
        Outcome::Infeasible { .. } => return None,
        other => panic!("{context}: {other:?}"),
    };
    let attributes = problem.attributes().iter().zip(cuts);
    Some(attributes.map(|(attribute, cut)| decode(&attribute.taxonomy, cut)).collect())
}

#[test]
fn releases_are_those_of_the_oracle_and_may_be_released() {
    let (mut found, mut infeasible) = (0, 0);
    for seed in 0..CASES {
        let case = small(seed);
        let oracle = Oracle::new(&case);
        let tops: Vec<Cut> = case.heights().iter().enumerate().map(|(a, &h)| oracle.cut_at(a, h)).collect();
        let top = oracle.recode_cuts(&tops.iter().collect::<Vec<_>>());
        for ((labelled, problem), entry) in
            problems(&case).iter().flat_map(|of| of_cuts().map(move |entry| (of, entry)))
        {
            let context = format!("case {seed}, {}, target: {labelled}", entry.name);
            let solution = solve(problem, entry, None, &Unobserved);
            let Some(cuts) = cuts_of(problem, &solution.outcome, &context) else {
                assert!(
                    !oracle.is_admissible(&top) || !case.holds_upwards(),
                    "{context}: the top may be released"
                );
                infeasible += 1;
                continue;
            };
            let released = oracle.recode_cuts(&cuts.iter().collect::<Vec<_>>());
            assert!(oracle.is_admissible(&released), "{context}");
            let release = solution.outcome.recoding().expect("found").apply(problem);
            assert_same_release(&oracle, &release, &released);
            assert_verified(&oracle, verify(&release), &released, &context);
            assert_degrees(&solution.kept[0].1.degrees, &oracle.noted_degrees(&released), &context);
            found += 1;
        }
    }
    assert!(found > 500 && infeasible > 50, "{found}, {infeasible}");
}

/// Top-down specialisation and bottom-up generalisation take the steps that they take over rows of text.
#[test]
fn steps_are_those_of_the_papers() {
    let mut below_top = 0;
    for seed in 0..CASES {
        let case = small(seed);
        let oracle = Oracle::new(&case);
        for (labelled, problem) in problems(&case) {
            let expected = [
                ("top-down-specialization", oracle.top_down(labelled)),
                ("bottom-up-generalization", oracle.bottom_up(labelled)),
            ];
            for (name, expected) in expected {
                let context = format!("case {seed}, {name}, target: {labelled}");
                let entry = algorithm::find(name).expect("registered");
                let outcome = solve(&problem, entry, None, &Unobserved).outcome;
                let tops = (0..case.heights().len()).map(|a| oracle.cut_at(a, case.heights()[a]));
                below_top +=
                    usize::from(expected.as_ref().is_some_and(|cuts| !cuts.iter().cloned().eq(tops)));
                assert_eq!(cuts_of(&problem, &outcome, &context), expected, "{context}");
            }
        }
    }
    assert!(below_top > 100, "{below_top}");
}

#[test]
fn results_do_not_depend_on_threads_or_chance() {
    let pools = [1, 2, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool"));
    for seed in 0..CASES / 3 {
        for ((_, problem), entry) in
            problems(&small(seed)).iter().flat_map(|of| of_cuts().map(move |entry| (of, entry)))
        {
            let once = || solve(problem, entry, None, &Unobserved);
            let first = once();
            assert_eq!(first, once(), "case {seed}, {}: again", entry.name);
            let others = pools.iter().map(|pool| pool.install(once));
            assert!(others.into_iter().all(|other| other == first), "case {seed}, {}", entry.name);
        }
    }
}
