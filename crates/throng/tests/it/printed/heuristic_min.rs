//! Figure 2 of *Data privacy with heuristic anonymisation*.
//!
//! The text decides ties: the first table found. That a table is in W once, and that one generalisation moves the
//! values of all violating rows of an attribute, is how section 4.3 and figure 5 count.

use std::collections::BTreeSet;

use super::trees::{State, Tables, random_case};
use super::{Rows, rows, search};

/// T(n, m): violating rows, and rows; each a distinct tuple.
fn heuristics(tables: &Tables<'_>, state: &State) -> (usize, usize) {
    let all: Vec<usize> = tables.attributes().collect();
    let mut violating = BTreeSet::new();
    for (shield, k) in tables.requirements() {
        let rows = tables.violating(state, &shield, k);
        violating.extend(rows.into_iter().map(|row| tables.shown(state, row)));
    }
    (violating.len(), tables.classes(state, &all).len())
}

/// Lines 1 to 4 and 7 to 10: a table for each attribute of a shield in which violating rows can be generalised.
fn generalisations(tables: &Tables<'_>, state: &State) -> Vec<State> {
    let generalised = |a: usize| {
        let mut above = BTreeSet::new();
        for (shield, k) in tables.requirements().iter().filter(|(shield, _)| shield.contains(&a)) {
            let values =
                tables.violating(state, shield, *k).into_iter().map(|row| tables.shown(state, row)[a]);
            above.extend(values.filter_map(|value| tables.parent(a, value)));
        }
        let mut next = state.clone();
        above.iter().for_each(|value| tables.raise(&mut next, a, value));
        (!above.is_empty()).then_some(next)
    };
    tables.attributes().filter_map(generalised).collect()
}

/// What the procedure returns, and the tables that it generated, the first included.
fn anonymisation(tables: &Tables<'_>) -> (Option<Rows>, u64) {
    let mut all = vec![tables.at(|_| Some(0))];
    let mut open = vec![0];
    loop {
        let of = |at: usize| heuristics(tables, &all[at]);
        let most = (0..all.len()).map(of).filter(|(n, _)| *n == 0).map(|(_, m)| m).max();
        let selected =
            open.iter().copied().filter(|&at| of(at).0 > 0 && most.is_none_or(|most| of(at).1 > most));
        // Most rows, then fewest violating, then the first.
        let Some(selected) = selected.min_by_key(|&at| (usize::MAX - of(at).1, of(at).0, at)) else {
            let best = (0..all.len()).find(|&at| of(at).0 == 0 && Some(of(at).1) == most);
            return (best.map(|at| tables.release(&all[at])), all.len() as u64);
        };
        open.retain(|&at| at != selected);
        for next in generalisations(tables, &all[selected].clone()) {
            if !all.contains(&next) {
                open.push(all.len());
                all.push(next);
            }
        }
    }
}

#[test]
fn the_first_of_the_largest_tables_is_found_after_as_many_tables() {
    let (mut found, mut infeasible, mut tables) = (0, 0, 0);
    for seed in 0..300 {
        let case = random_case(seed);
        let (expected, generated) = anonymisation(&Tables { case: &case });
        let mut problem = case.problem("lm");
        let solution = search(&mut problem, "heuristic-min", &["variant=printed"]);
        assert_eq!(rows(&problem, &solution), expected, "case {seed}");
        assert_eq!(solution.checked_nodes, generated, "case {seed}");
        assert!(!solution.proven, "case {seed}: the moves do not lead to every cut");
        let improved = search(&mut problem, "heuristic-min", &[]);
        let release = |solution: &throng::solve::Solution| rows(&problem, solution);
        let distinct =
            |rows: Rows| rows.keys().map(|(_, shown)| shown.clone()).collect::<BTreeSet<_>>().len();
        assert!(release(&improved).map(distinct) >= expected.clone().map(distinct), "case {seed}");
        (found, infeasible) =
            (found + usize::from(expected.is_some()), infeasible + usize::from(expected.is_none()));
        tables += generated;
    }
    assert!(found > 150 && infeasible > 10 && tables > 800, "{found}, {infeasible}, {tables}");
}
