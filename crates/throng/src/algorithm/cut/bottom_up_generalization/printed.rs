//! The algorithm as printed: every move is weighed by the classes of the whole table before and after it.

use std::collections::BTreeMap;

use super::{Moves, Score, cuts, due};
use crate::algorithm::cut::worth::Worth;
use crate::algorithm::variant::Description;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// The distinct rows over a shield, with how many there are.
type ShieldRows = BTreeMap<Vec<ValueId>, u64>;

/// Generalises by the best move as long as a requirement is violated.
pub(super) fn search(problem: &Problem, description: Description, run: &mut Run<'_>) -> Result<(), Stop> {
    let worth = Worth::new(problem);
    let mut trees: Vec<Moves> =
        (0..problem.attributes().len()).map(|a| Moves::new(problem, &worth, a, true)).collect();
    let mut shields = shields(problem);
    for (a, number) in due(&trees) {
        shields.iter_mut().for_each(|shield| shield.generalise(&trees[a], a, number));
        trees[a].make(number);
    }
    run.expect(trees.iter().map(|tree| tree.moves.len() as u64).sum());
    while !run.probe_cuts(&[cuts(problem, &trees)])?[0].admissible {
        let Some((a, number)) = best(&trees, &shields, description, run)? else { return Ok(()) };
        shields.iter_mut().for_each(|shield| shield.generalise(&trees[a], a, number));
        trees[a].make(number);
        run.advance(1);
    }
    run.propose_cuts(cuts(problem, &trees));
    Ok(())
}

/// The move that loses least information for the anonymity that it gains; the first of several. None if there are
/// none over a shield.
fn best(
    trees: &[Moves],
    shields: &[Shield],
    description: Description,
    run: &Run<'_>,
) -> Result<Option<(usize, u32)>, Stop> {
    let mut best: Option<(Score, (usize, u32))> = None;
    for (a, tree) in trees.iter().enumerate() {
        run.go_on()?;
        let gains: Vec<Vec<u64>> =
            shields.iter().filter_map(|shield| shield.gains(tree, a, description)).collect();
        for (number, of) in tree.moves.iter().enumerate().filter(|(_, of)| !of.made && of.waiting == 0) {
            let rows: u64 = gains.iter().map(|gains| gains[number]).sum();
            let gained = rows as f64 / gains.len() as f64;
            let lost = if rows > 0 { of.worth / gained } else { of.worth };
            // What is gained decides nothing between moves of equal scores.
            let score = Score { gains_none: rows == 0, lost: lost as f32, gained: 0.0 };
            if !gains.is_empty() && best.is_none_or(|(least, _)| score.is_better_than(&least)) {
                best = Some((score, (a, number as u32)));
            }
        }
    }
    Ok(best.map(|(_, best)| best))
}

/// A requirement's shield.
struct Shield {
    attributes: Vec<usize>,
    classes: ShieldRows,
}

/// The shields of all requirements.
fn shields(problem: &Problem) -> Vec<Shield> {
    let (table, all): (_, Vec<usize>) = (problem.table(), (0..problem.attributes().len()).collect());
    let shield = |attributes: Vec<usize>| {
        let mut classes = ShieldRows::default();
        for tuple in (0..table.tuples()).filter(|&tuple| table.weights()[tuple] > 0) {
            let values = attributes.iter().map(|&a| table.column(a)[tuple]).collect();
            *classes.entry(values).or_default() += u64::from(table.weights()[tuple]);
        }
        Shield { attributes, classes }
    };
    problem.requirements.iter().map(|one| shield(one.shield().unwrap_or(&all).to_vec())).collect()
}

/// A class that a move makes of others.
#[derive(Clone, Copy)]
struct Union {
    rows: u64,
    /// Of its parts, the smallest.
    least: u64,
}

impl Shield {
    /// By move of an attribute, how much anonymity it gains; none if the shield does not have the attribute.
    fn gains(&self, tree: &Moves, a: usize, description: Description) -> Option<Vec<u64>> {
        let at = self.attributes.iter().position(|&of| of == a)?;
        let unions = self.unions(tree, at);
        Some(match description {
            Description::ArcaHewett => {
                let gain = |of: &Vec<Union>| of.iter().map(|union| union.rows - union.least).max();
                unions.iter().map(|of| gain(of).unwrap_or(0)).collect()
            }
            _ => least_gains(&unions),
        })
    }

    /// By move, the classes that it makes; then those that take part in none.
    fn unions(&self, tree: &Moves, at: usize) -> Vec<Vec<Union>> {
        let none = tree.moves.len();
        let mut unions: Vec<BTreeMap<Vec<ValueId>, Union>> = vec![BTreeMap::default(); none + 1];
        for (values, &rows) in &self.classes {
            let number = tree.of_child[values[at] as usize].map_or(none, |number| number as usize);
            let mut key = values.clone();
            key[at] = tree.moves.get(number).map_or(values[at], |of| of.value);
            let union = unions[number].entry(key).or_insert(Union { rows: 0, least: u64::MAX });
            union.rows += rows;
            union.least = union.least.min(rows);
        }
        unions.into_iter().map(|of_move| of_move.into_values().collect()).collect()
    }

    fn generalise(&mut self, tree: &Moves, a: usize, number: u32) {
        let Some(at) = self.attributes.iter().position(|&of| of == a) else { return };
        let mut classes = ShieldRows::default();
        for (mut values, rows) in std::mem::take(&mut self.classes) {
            if tree.of_child[values[at] as usize] == Some(number) {
                values[at] = tree.moves[number as usize].value;
            }
            *classes.entry(values).or_default() += rows;
        }
        self.classes = classes;
    }
}

/// A_G(VID) − A(VID): by how many rows the smallest class grows with each move.
fn least_gains(unions: &[Vec<Union>]) -> Vec<u64> {
    let least = |of: &Vec<Union>, rows: fn(&Union) -> u64| of.iter().map(rows).min().unwrap_or(u64::MAX);
    let parts: Vec<u64> = unions.iter().map(|of| least(of, |union| union.least)).collect();
    let before = parts.iter().copied().min().unwrap_or(0);
    let others = |number: usize| parts.iter().enumerate().filter(move |&(other, _)| other != number);
    let after = |number: usize| others(number).map(|(_, &rows)| rows).min().unwrap_or(u64::MAX);
    let all = unions.iter().enumerate();
    all.map(|(number, of)| after(number).min(least(of, |union| union.rows)) - before).collect()
}
