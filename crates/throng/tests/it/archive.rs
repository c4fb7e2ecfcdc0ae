//! What searches keep: the best, or all that no other dominates, whatever the order of offers.

use std::cmp::Ordering;

use proptest::prelude::*;

use throng::algorithm;
use throng::keep::{Archive, ArchiveObjective, Best, Keep, Kept};
use throng::loss;
use throng::problem::Problem;
use throng::recoding::Recoding;
use throng::run::{Run, Unobserved};
use throng::solve::{Outcome, solve_keeping};

use crate::case::Case;
use crate::evaluations::node_of;
use crate::oracle::Oracle;
use throng::random::Random;

/// All nodes with what they are worth, by the counter; the oracle agrees by another test.
fn offers(oracle: &Oracle<'_>, problem: &Problem) -> Vec<Kept> {
    let mut run = Run::new(problem, None, &Unobserved);
    let nodes: Vec<_> = oracle.nodes().iter().map(|levels| node_of(levels)).collect();
    let evaluations = run.check_all(&nodes).expect("nothing stops this run");
    nodes.into_iter().map(Recoding::FullDomain).zip(evaluations).collect()
}

/// What is compared, for as many things as are asked.
fn all_objectives(case: &Case) -> Vec<Vec<ArchiveObjective>> {
    let mut all = vec![
        vec![ArchiveObjective::Degree(0), ArchiveObjective::Loss],
        vec![ArchiveObjective::SuppressedRows, ArchiveObjective::Loss],
        vec![ArchiveObjective::Loss],
        vec![ArchiveObjective::SuppressedRows],
    ];
    if case.asks.len() > 1 {
        all.push(vec![ArchiveObjective::Degree(0), ArchiveObjective::Degree(1), ArchiveObjective::Loss]);
        all.push(vec![ArchiveObjective::Loss, ArchiveObjective::SuppressedRows, ArchiveObjective::Degree(1)]);
    }
    all
}

/// How two candidates compare in each objective; less is better.
fn compare(case: &Case, objectives: &[ArchiveObjective], a: &Kept, b: &Kept) -> Vec<Ordering> {
    let [a, b] = [&a.1, &b.1];
    let compare = |objective: &ArchiveObjective| match *objective {
        ArchiveObjective::Loss => a.cost().cmp(&b.cost()),
        ArchiveObjective::SuppressedRows => a.suppressed_rows.cmp(&b.suppressed_rows),
        ArchiveObjective::Degree(at) => {
            let less = case.asks[at].model.less_is_safer();
            let order = a.degrees[at].partial_cmp(&b.degrees[at]).expect("degrees are numbers");
            if less { order } else { order.reverse() }
        }
    };
    objectives.iter().map(compare).collect()
}

/// Whether a candidate is as good as another in all objectives and better in one.
fn dominates(case: &Case, objectives: &[ArchiveObjective], a: &Kept, b: &Kept) -> bool {
    let orders = compare(case, objectives, a, b);
    orders.iter().all(|order| order.is_le()) && orders.iter().any(|order| order.is_lt())
}

/// The candidates that may be released and no other dominates; the lowest, then first node of several
/// that are alike; the best in the first objective first, then in the second, and so on.
fn front(case: &Case, objectives: &[ArchiveObjective], offers: &[Kept]) -> Vec<Kept> {
    let rank = |kept: &Kept| match &kept.0 {
        Recoding::FullDomain(node) => (node.height(), node.levels().to_vec()),
        other => panic!("{other:?}"),
    };
    let mut offers: Vec<&Kept> = offers.iter().filter(|kept| kept.1.admissible).collect();
    offers.sort_by_key(|kept| rank(kept));
    let mut front: Vec<Kept> = Vec::new();
    for &kept in &offers {
        let dominated = offers.iter().any(|other| dominates(case, objectives, other, kept));
        let is_equal =
            |other: &Kept| compare(case, objectives, other, kept).iter().all(|order| order.is_eq());
        if !dominated && !front.iter().any(is_equal) {
            front.push(kept.clone());
        }
    }
    let first_difference = |a: &Kept, b: &Kept| {
        compare(case, objectives, a, b).into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    front.sort_by(first_difference);
    front
}

#[test]
fn exhaustive_search_finds_the_front() {
    let mut members = 0;
    for seed in 0..200 {
        let mut case = Case::random_asking(seed);
        // The more may be released, the more are compared.
        if seed % 2 == 0 {
            case.max_suppressed_rows = case.rows.len() as u64;
        }
        let oracle = Oracle::new(&case);
        let problem = case.problem(loss::measures()[seed as usize % loss::measures().len()].name());
        let offers = offers(&oracle, &problem);
        for objectives in all_objectives(&case) {
            let context = format!("case {seed}, {objectives:?}");
            let expected = front(&case, &objectives, &offers);
            let archive = Box::new(Archive::new(&problem, &objectives));
            let exhaustive = algorithm::find("exhaustive").expect("registered");
            let solution = solve_keeping(&problem, exhaustive, None, &Unobserved, archive);
            assert_eq!(solution.kept, expected, "{context}");
            match solution.outcome {
                Outcome::Found(first) => assert_eq!(first, expected[0].0, "{context}"),
                outcome => assert!(expected.is_empty(), "{context}: {outcome:?}"),
            }
            members += usize::from(expected.len() > 2);
        }
    }
    assert!(members > 30, "{members} fronts of more than two");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever the order: no member dominates another, every candidate is dominated by or as good as a
    /// member, and the members and their order are those of the definition.
    #[test]
    fn the_order_of_offers_decides_nothing(seed in 0u64..100_000, order in any::<u64>()) {
        let case = Case::random_asking(seed);
        let oracle = Oracle::new(&case);
        let problem = case.problem("lm");
        let mut offers = offers(&oracle, &problem);
        Random::new(order).shuffle(&mut offers);
        for objectives in all_objectives(&case) {
            let mut archive = Archive::new(&problem, &objectives);
            offers.iter().for_each(|(recoding, evaluation)| archive.offer(recoding, evaluation));
            let kept = archive.kept();
            for member in kept {
                prop_assert!(!kept.iter().any(|other| dominates(&case, &objectives, other, member)));
            }
            for offer in offers.iter().filter(|offer| offer.1.admissible) {
                let covers = |member: &Kept| {
                    compare(&case, &objectives, member, offer).iter().all(|order| order.is_le())
                };
                prop_assert!(kept.iter().any(covers));
            }
            prop_assert_eq!(kept, front(&case, &objectives, &offers));
        }
        let mut best = Best::new();
        offers.iter().for_each(|(recoding, evaluation)| best.offer(recoding, evaluation));
        prop_assert_eq!(best.kept(), front(&case, &[ArchiveObjective::Loss], &offers));
    }
}
