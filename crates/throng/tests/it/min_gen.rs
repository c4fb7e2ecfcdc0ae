//! The fewest generalisations of cells, against all generalisations of all cells of tiny tables.

use std::collections::{BTreeMap, BTreeSet};

use throng::algorithm::{self, Settings};
use throng::loss;
use throng::problem::Problem;
use throng::random::Random;
use throng::release::Release;
use throng::run::{Stop, Unobserved};
use throng::solve::{Outcome, Solution, solve};
use throng::verify::{Verdict, verify};

use crate::case::Case;
use crate::oracle::{Oracle, Value, is_close};

/// Sweeney's, which looks at Prec alone.
fn search_by_prec(problem: &Problem) -> Solution {
    let mut problem = problem.clone();
    problem.settings = Settings::default().with("variant", "printed").expect("a known setting");
    search(&problem)
}

fn search(problem: &Problem) -> Solution {
    solve(problem, algorithm::find("min-gen").expect("registered"), None, &Unobserved)
}

/// A case of few distinct rows, some of which are there several times.
fn tiny(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    let (attributes, distinct) = (1 + random.index(2), 1 + random.index(4));
    let case = Case::random_of(random, attributes, distinct).with_names();
    let more = (0..random.index(6)).map(|_| case.rows[random.index(distinct)].clone());
    let rows: Vec<Vec<String>> = case.rows.iter().cloned().chain(more).collect();
    Case::from_rows(case.hierarchies, rows, 2 + random.index(3) as u64, 0)
}

/// The level of a value as a step counts it, and the height that it is a share of.
fn level(case: &Case, a: usize, value: &Value) -> (f64, f64) {
    let height = case.heights()[a].max(1);
    let root = Oracle::new(case)
        .values(a)
        .iter()
        .filter(|of| of.leaves.len() == case.hierarchies[a].len())
        .map(|of| of.level)
        .max();
    let height = root.expect("a root").clamp(1, height);
    (value.level.min(height) as f64, height as f64)
}

/// The fewest steps and the least distortion with these, or the least distortion and the steps of one that has it,
/// over all ways to generalise the cells of each distinct row such that as many rows as asked for look alike.
fn fewest(case: &Case, prec_alone: bool) -> Option<(f64, f64)> {
    let oracle = Oracle::new(case);
    let distinct: Vec<&Vec<String>> = BTreeSet::from_iter(&case.rows).into_iter().collect();
    let times: Vec<usize> =
        distinct.iter().map(|row| case.rows.iter().filter(|other| other == row).count()).collect();
    let options = |row: &Vec<String>| -> Vec<(Vec<Value>, f64, f64)> {
        let mut all = vec![(Vec::new(), 0.0, 0.0)];
        for (a, cell) in row.iter().enumerate() {
            let leaf = case.hierarchies[a].iter().position(|line| line[0] == *cell).expect("a leaf");
            let values: Vec<Value> =
                oracle.values(a).into_iter().filter(|of| of.leaves.contains(&leaf)).collect();
            let extend = |(some, steps, share): &(Vec<Value>, f64, f64)| -> Vec<(Vec<Value>, f64, f64)> {
                let with = |value: &Value| {
                    let (level, height) = level(case, a, value);
                    ([&some[..], std::slice::from_ref(value)].concat(), steps + level, share + level / height)
                };
                values.iter().map(with).collect()
            };
            all = all.iter().flat_map(extend).collect();
        }
        all
    };
    let options: Vec<_> = distinct.iter().map(|row| options(row)).collect();
    let mut best: Option<(f64, f64)> = None;
    let mut choice = vec![0; options.len()];
    loop {
        let chosen: Vec<_> = choice.iter().zip(&options).map(|(&at, of)| &of[at]).collect();
        let mut classes: BTreeMap<&Vec<Value>, usize> = BTreeMap::new();
        chosen.iter().zip(&times).for_each(|(of, rows)| *classes.entry(&of.0).or_default() += rows);
        if classes.values().all(|&rows| rows as u64 >= case.k()) {
            let sum = |part: fn(&(Vec<Value>, f64, f64)) -> f64| {
                chosen.iter().zip(&times).map(|(of, &rows)| part(of) * rows as f64).sum::<f64>()
            };
            let (steps, share) = (sum(|of| of.1), sum(|of| of.2));
            let is_better = |&(least, less): &(f64, f64)| match prec_alone {
                true => share < less - 1e-9,
                false => steps < least || (steps == least && share < less),
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((steps, share));
            }
        }
        let Some(at) = (0..choice.len()).find(|&at| choice[at] + 1 < options[at].len()) else { return best };
        choice[at] += 1;
        choice[..at].fill(0);
    }
}

/// Levels that the cells of a release have been raised by, up to the height.
fn steps(case: &Case, release: &Release) -> f64 {
    let problem = release.problem();
    let cell = |part: usize, a: usize| {
        let value = &problem.attributes()[a].taxonomy.values()[release.value(part, a) as usize];
        let value = Value { leaves: BTreeSet::new(), level: value.level };
        level(case, a, &value).0 * f64::from(release.rows(part))
    };
    let attributes = 0..problem.attributes().len();
    (0..release.parts())
        .flat_map(|part| attributes.clone().map(move |a| (part, a)))
        .map(|(part, a)| cell(part, a))
        .sum()
}

#[test]
fn no_generalisation_of_cells_takes_fewer_steps() {
    let (mut found, mut infeasible, mut raised) = (0, 0, 0);
    for seed in 0..250 {
        let case = tiny(seed);
        let (problem, expected) = (case.problem("lm"), fewest(&case, false));
        match (search(&problem).outcome, expected) {
            (Outcome::Found(recoding), Some((fewest, share))) => {
                let release = recoding.apply(&problem);
                assert!(matches!(verify(&release), Verdict::Safe(_)), "case {seed}");
                let cells = (case.rows.len() * case.hierarchies.len()) as f64;
                let prec = loss::find("prec").expect("registered").measure(&problem, &release.tally());
                assert_eq!(steps(&case, &release), fewest, "case {seed}");
                assert!(is_close(prec, 1.0 - share / cells), "case {seed}: {prec}");
                found += 1;
                raised += usize::from(fewest > 0.0);
            }
            (Outcome::Infeasible { .. }, None) => infeasible += 1,
            other => panic!("case {seed}: {other:?}"),
        }
    }
    assert!(found > 100 && infeasible > 10 && raised > 80, "{found}, {infeasible}, {raised}");
}

/// Sweeney's: the same without a look at the steps.
#[test]
fn no_generalisation_of_cells_has_a_better_prec() {
    let mut takes_more_steps = 0;
    for seed in 0..250 {
        let case = tiny(seed);
        let Some((_, share)) = fewest(&case, true) else { continue };
        let problem = case.problem("lm");
        let solution = search_by_prec(&problem);
        let release = solution.outcome.recoding().expect("feasible").apply(&problem);
        let prec = loss::find("prec").expect("registered").measure(&problem, &release.tally());
        let cells = (case.rows.len() * case.hierarchies.len()) as f64;
        assert!(is_close(prec, 1.0 - share / cells), "case {seed}: {prec}");
        assert!(solution.proven && !solution.optimal);
        takes_more_steps +=
            usize::from(fewest(&case, false).is_some_and(|(least, _)| steps(&case, &release) > least));
    }
    assert!(takes_more_steps > 0);
}

/// With every model, and rows that may be left out: what is released verifies, and does not depend on threads.
#[test]
fn releases_satisfy_every_model() {
    let pools = [1, 4].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool"));
    let mut found = 0;
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (attributes, rows) = (1 + random.index(3), 1 + random.index(9));
        let problem = Case::random_asking_of(random, attributes, rows).with_names().problem("lm");
        let solution = search(&problem);
        assert!(pools.iter().all(|pool| pool.install(|| search(&problem)) == solution), "case {seed}");
        match solution.outcome {
            Outcome::Found(recoding) => {
                assert!(matches!(verify(&recoding.apply(&problem)), Verdict::Safe(_)), "case {seed}");
                found += 1;
            }
            other => assert!(matches!(other, Outcome::Infeasible { .. }), "case {seed}: {other:?}"),
        }
    }
    assert!(found > 50, "{found}");
}

#[test]
fn a_table_of_many_tuples_is_refused() {
    let leaves: Vec<String> = (0..17).map(|leaf| format!("{leaf} *")).collect();
    let rows = |most: usize| (0..most).map(|row| row.to_string()).collect::<Vec<_>>().join(",");
    let of = |most: usize| {
        search(&Case::new(&[leaves.join(",").as_str()], &rows(most), 2, 0).problem("lm")).outcome
    };
    assert_eq!(of(17), Outcome::Stopped { reason: Stop::TableTooLarge, best: None });
    assert!(matches!(of(12), Outcome::Found(_)));
}
