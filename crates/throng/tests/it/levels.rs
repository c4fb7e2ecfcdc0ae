//! Columns that may not be released at all of their levels, against an oracle that looks at no other nodes.

use throng::algorithm::{Family, Guarantee, registry};
use throng::loss;
use throng::problem::{Problem, ProblemError};
use throng::random::Random;
use throng::recoding::Recoding;
use throng::release::Release;
use throng::requirement::Requirement;
use throng::run::Unobserved;
use throng::solve::{Outcome, levels_to_blame, solve};
use throng::verify::{Verdict, verify};

use crate::agreement::{assert_least, assert_same_by_threads, for_each_result};
use crate::case::Case;

fn limited(seed: u64) -> Case {
    let random = &mut Random::new(seed ^ 0x1e7e1);
    Case::random(seed).with_limits(random)
}

#[test]
fn the_optimum_within_the_levels_is_found_and_proven() {
    let cases = || (0..60).map(|seed| (seed, limited(seed)));
    for_each_result(cases(), Guarantee::LeastLoss, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
    });
    for_each_result(cases(), Guarantee::LeastHeight, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.of_least_height(), context);
    });
    for_each_result(cases(), Guarantee::Admissible, |truth, _, _, found, context, _| {
        let node = found.and_then(|released| released.node);
        assert!(node.is_none_or(|node| truth.oracle.nodes().contains(&node)), "{context}");
    });
}

#[test]
fn the_optimum_within_the_levels_is_found_where_several_things_are_asked() {
    let cases = (0..60).map(|seed| {
        let random = &mut Random::new(seed);
        (seed, Case::random_asking(seed).with_limits(random))
    });
    for_each_result(cases, Guarantee::LeastLoss, |truth, measure, _, found, context, _| {
        assert_least(truth, measure, found.as_ref(), &truth.admissible, context);
    });
}

#[test]
fn results_within_levels_do_not_depend_on_threads() {
    assert_same_by_threads((0..40).map(|seed| (seed, limited(seed))));
}

/// Whether each cell that is released is a value of a level from the lowest to the highest, or between such.
fn assert_within(case: &Case, release: &Release, context: &str) {
    let problem = release.problem();
    for part in (0..release.parts()).filter(|&part| !release.is_suppressed(part)) {
        for (a, &(lowest, highest)) in case.levels().iter().enumerate() {
            let taxonomy = &problem.attributes()[a].taxonomy;
            let value = release.value(part, a);
            let leaf = problem.table().column(a)[release.tuple(part)];
            let covers = |high, low| taxonomy.covers(high, low);
            assert!(covers(value, taxonomy.generalise(leaf, lowest)), "{context}: below {lowest} of {a}");
            // A value that an unbalanced hierarchy repeats stands at several levels.
            // Where the highest level is that of the hierarchy, nothing limits a column: `*` may be above it.
            let tops = taxonomy.level_values(highest);
            let is_open = highest == taxonomy.height();
            assert!(
                is_open || tops.iter().any(|&top| covers(top, value)),
                "{context}: above {highest} of {a}"
            );
        }
    }
}

#[test]
fn local_and_cut_searches_stay_within_the_levels() {
    let mut found = [0; 2];
    for seed in 0..120 {
        let case = limited(seed);
        let mut problem = case.problem("lm");
        for entry in registry().iter().filter(|entry| entry.family != Family::FullDomain) {
            if entry.name == "min-gen" && problem.table().rows() > 8 {
                continue;
            }
            let notion = *entry.notions.last().expect("a notion");
            problem.requirements = Requirement::crowd(notion, case.k()).into();
            let context = format!("case {seed}, {}", entry.name);
            let Outcome::Found(recoding) = solve(&problem, entry, None, &Unobserved).outcome else {
                continue;
            };
            let release = recoding.apply(&problem);
            assert!(matches!(verify(&release), Verdict::Safe(_)), "{context}");
            assert_within(&case, &release, &context);
            found[usize::from(matches!(recoding, Recoding::Local(_)))] += 1;
        }
    }
    assert!(found.iter().all(|&times| times > 50), "{found:?}");
}

/// A cut is never worse than the best node within the same levels.
#[test]
fn the_best_cut_within_the_levels_is_no_worse_than_the_best_node() {
    let of = |name: &str, problem: &Problem| {
        let entry = throng::algorithm::find(name).expect("registered");
        let solution = solve(problem, entry, None, &Unobserved);
        assert!(solution.outcome.recoding().is_none() || solution.optimal, "{name}");
        solution.kept.first().and_then(|(_, evaluation)| evaluation.cost())
    };
    let mut better = 0;
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let problem = Case::random_of(random, 2, 25).with_limits(random).problem("lm");
        let (cut, node) = (of("cut-search", &problem), of("exhaustive", &problem));
        assert!(node.is_none_or(|node| cut.is_some_and(|cut| cut <= node)), "case {seed}: {cut:?}, {node:?}");
        better += usize::from(cut < node);
    }
    assert!(better > 0);
}

#[test]
fn levels_that_do_not_exist_are_refused() {
    let problem = || Case::new(&["a x *,b x *"], "a,a,b", 2, 0).problem("lm");
    assert_eq!(
        problem().within_levels(&[(3, None)]).err(),
        Some(ProblemError::NoSuchLevel { column: "column 0".into(), level: 3, height: 2 })
    );
    let none = problem().within_levels(&[(2, Some(1))]).expect_err("refused");
    assert_eq!(
        none.to_string(),
        "column 'column 0': min_level 2 is above max_level 1; no level satisfies both"
    );
    assert_eq!(problem().within_levels(&[(1, Some(1))]).expect("levels").lattice().size(), 1);
}

#[test]
fn levels_that_no_release_can_satisfy_are_named() {
    let place = "a x *,b x *,c y *,d y *";
    let blamed = |rows: &str, limits: &[(usize, Option<usize>)]| {
        let problem = Case::new(&[place, place], rows, 2, 0).problem("lm").within_levels(limits);
        let problem = problem.expect("levels");
        let flash = throng::algorithm::find("flash").expect("registered");
        let is_found = solve(&problem, flash, None, &Unobserved).outcome.recoding().is_some();
        (is_found, levels_to_blame(&problem))
    };
    // Both x and y have a row only, in the first column.
    assert_eq!(blamed("a a,c a", &[(0, Some(1)), (0, Some(1))]), (false, vec![0]));
    assert_eq!(blamed("a a,c a", &[(0, None), (0, Some(1))]), (true, vec![]));
    assert_eq!(blamed("a a,c c", &[(0, Some(1)), (0, Some(1))]), (false, vec![0, 1]));
    // One row is no crowd of two at any level.
    assert_eq!(blamed("a a", &[(0, Some(1)), (0, None)]), (false, vec![]));
}

/// Twice the weight is twice the loss of a column, and its share of the mean: an age that matters three times as much
/// as a sex loses less.
#[test]
fn weights_decide_which_column_loses() {
    let ages = "1 1-2 *,2 1-2 *,3 3-4 *,4 3-4 *";
    let mut case = Case::new(&[ages, ages], "1 1,1 2,2 1,2 2,3 3,3 4,4 3,4 4", 2, 0);
    let levels = |case: &Case| {
        let entry = throng::algorithm::find("flash").expect("registered");
        let problem = case.problem("lm");
        match solve(&problem, entry, None, &Unobserved).outcome {
            Outcome::Found(Recoding::FullDomain(node)) => {
                let tally = Recoding::FullDomain(node.clone()).apply(&problem).tally();
                (node.levels().to_vec(), loss::find("lm").expect("registered").measure(&problem, &tally))
            }
            other => panic!("{other:?}"),
        }
    };
    case.weights = vec![3.0, 1.0];
    // A third of the domain in the column of a quarter of the weight.
    assert_eq!(levels(&case), (vec![0, 1], 1.0 / 3.0 / 4.0));
    case.weights = vec![1.0, 3.0];
    assert_eq!(levels(&case), (vec![1, 0], 1.0 / 3.0 / 4.0));
}
