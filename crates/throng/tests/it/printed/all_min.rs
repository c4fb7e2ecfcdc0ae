//! AllMin, as section 5.1.2 of *Data privacy with heuristic anonymisation* goes through it.
//!
//! The least Gen of the nodes that satisfy the requirements, and all of that Gen: no ties.

use std::collections::BTreeSet;

use throng::recoding::Recoding;

use super::search;
use super::trees::{Tables, random_case};

/// All nodes of a sum of levels.
fn level(heights: &[usize], generalisations: usize) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = heights.split_first() else {
        return if generalisations == 0 { vec![Vec::new()] } else { Vec::new() };
    };
    let with = |own: usize| {
        level(rest, generalisations - own).into_iter().map(move |node| [&[own][..], &node].concat())
    };
    (0..=first.min(generalisations)).flat_map(with).collect()
}

/// The minimal generalisations, found by bisection; of two levels in the middle the upper.
fn all_min(tables: &Tables<'_>) -> BTreeSet<Vec<usize>> {
    let heights = tables.case.heights();
    let satisfying = |generalisations: usize| -> BTreeSet<Vec<usize>> {
        let nodes = level(&heights, generalisations).into_iter();
        nodes.filter(|node| tables.satisfies(&tables.at(|a| Some(node[a])))).collect()
    };
    let (mut low, mut high): (usize, usize) = (0, heights.iter().sum());
    if !satisfying(0).is_empty() {
        return satisfying(0);
    }
    while high > low + 1 {
        let middle = low + (high - low).div_ceil(2);
        if satisfying(middle).is_empty() { low = middle } else { high = middle }
    }
    satisfying(high)
}

#[test]
fn all_nodes_of_the_least_level_are_found() {
    let mut several = 0;
    for seed in 0..400 {
        let case = random_case(seed);
        let expected = all_min(&Tables { case: &case });
        let solution = search(&mut case.problem("lm"), "all-min", &[]);
        let node = |recoding: &Recoding| match recoding {
            Recoding::FullDomain(node) => {
                node.levels().iter().map(|&level| usize::from(level)).collect::<Vec<_>>()
            }
            other => panic!("case {seed}: {other:?}"),
        };
        let found: BTreeSet<Vec<usize>> = solution.kept.iter().map(|(recoding, _)| node(recoding)).collect();
        assert_eq!(found, expected, "case {seed}");
        several += usize::from(found.len() > 1);
    }
    assert!(several > 2, "{several}");
}
