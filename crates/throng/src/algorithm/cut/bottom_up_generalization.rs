//! Bottom-up generalisation (BUG).
//!
//! **Citation.** K. Wang, P. S. Yu, S. Chakraborty, *Bottom-Up Generalization: A Data Mining Solution to Privacy
//! Protection*, ICDM 2004; as section 5.2 of *Data privacy with heuristic anonymisation* (Arca and Hewett, 2023)
//! describes it.
//!
//! **Idea.** Start with all values unchanged. As long as a requirement is violated, move all children of a
//! value up to it, everywhere in the table. Of all such moves, take the one that loses the least information
//! about the labels of the target for the anonymity that it gains.
//!
//! **Guarantee.** An admissible cut, if that of the top levels is one, for monotone models. No bound on the
//! loss. No value goes above the top level of its hierarchy.
//!
//! **Complexity.** A move visits the classes of the values that move, once for each attribute of a shield, so
//! all moves together visit each class at most as often as there are levels. If more than the sizes of
//! classes matters, whole cuts are checked as well, once the sizes allow it.
//!
//! **Deviations.** *Printed*, values move to the value next above them, one level at a time, over all shields until
//! no requirement is violated. With `follows = "original"` the anonymity gained is that of the smallest class of the
//! whole table, as in 2004; with `follows = "arca-hewett"` it is the reverse of what 2023 takes as lost by the step
//! back: the most rows that a new class is larger than its smallest part. Moves that gain nothing come last,
//! those that lose the least first. *Improved*, the anonymity gained over a shield is how many rows the class
//! of a row grows by, on average, as far as it is short of k; the smallest classes of the whole table are of
//! one row until nearly all moves are made. It is averaged over the violated requirements that have the
//! attribute; a model without a size is taken to want classes as large as possible. Of equal moves the one
//! that gains more is made, then the one to the first attribute and value. While there are more than 130,000
//! classes, gains are estimated from a sample of what moves would bring together. A value of which only one
//! child occurs, in the table or its population, is skipped: what is below it moves to the next value that
//! brings others together. If rows may be suppressed, the search ends as soon as those of refused classes are
//! few enough. Without a target, the cost by the objective takes the place of information, as in
//! `top-down-specialization`. Numbers without a hierarchy have `*` above them and nothing else.

mod crowding;
mod printed;

use crate::algorithm::cut::trees::AttributeTree;
use crate::algorithm::cut::worth::{Rows, Worth};
use crate::algorithm::variant::{Description, FOLLOWS, VARIANT};
use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::cut::Cut;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::{Closure, ValueId};
use crowding::Crowding;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "bottom-up-generalization",
    summary: "works up from the leaves: moves values to the parent that loses the fewest labels for the \
        anonymity gained",
    citation: "Wang, Yu and Chakraborty 2004",
    deviations: &[
        "Measures the anonymity gained by how many rows, on average, classes grow towards k; Wang, Yu and \
            Chakraborty compare the smallest classes of the whole table.",
        "Counts only the requirements that are violated.",
        "Skips values of which only one child occurs.",
    ],
    family: Family::Cut,
    serves: Serves::All,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, FOLLOWS],
    build: |settings| Box::new(BottomUpGeneralization { description: Description::from_settings(settings) }),
};

struct BottomUpGeneralization {
    description: Description,
}

impl Algorithm for BottomUpGeneralization {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        if self.description != Description::Improved {
            return printed::search(problem, self.description, run);
        }
        let mut search = Search::new(problem, run)?;
        for due in due(&search.trees) {
            search.generalise(due, run)?;
        }
        run.expect(search.trees.iter().map(|tree| tree.moves.len() as u64).sum());
        while !search.is_admissible(run)? {
            let Some(best) = search.best() else { return Ok(()) };
            search.generalise(best, run)?;
            run.advance(1);
        }
        run.propose_cuts(search.cuts());
        Ok(())
    }
}

/// A value that all below it can move to.
struct Move {
    value: ValueId,
    /// The values that move to it.
    children: Vec<ValueId>,
    /// Those of them to which others must move before.
    waiting: usize,
    /// What telling them apart is worth.
    worth: f64,
    made: bool,
}

/// The moves of an attribute.
struct Moves {
    moves: Vec<Move>,
    /// Those that are made in any case, as what they leave may not be released, in order.
    due: Vec<u32>,
    /// The values below which nothing may be released.
    lowest: Vec<ValueId>,
    /// By value, the move that it takes part in.
    of_child: Vec<Option<u32>>,
}

struct Search<'p> {
    problem: &'p Problem,
    trees: Vec<Moves>,
    /// By requirement.
    crowdings: Vec<Crowding>,
    /// Whether the sizes of classes decide what may be released.
    by_size: bool,
}

impl<'p> Search<'p> {
    fn new(problem: &'p Problem, run: &Run<'_>) -> Result<Search<'p>, Stop> {
        let worth = Worth::new(problem);
        let trees: Vec<Moves> =
            (0..problem.attributes().len()).map(|a| Moves::new(problem, &worth, a, false)).collect();
        let all: Vec<usize> = (0..problem.attributes().len()).collect();
        let mut crowdings = Vec::new();
        for one in &problem.requirements {
            let shield = one.shield().unwrap_or(&all).to_vec();
            let least = one.class_model().least_rows();
            crowdings.push(Crowding::new(problem, &trees, shield, least, &|| run.go_on())?);
        }
        let of_size = problem.requirements.iter().all(|one| one.class_model().least_rows().is_some());
        let of_rows = problem.table().persons().is_none() && problem.table().population().is_none();
        // Rows of one shield that are left out make classes of another smaller.
        let mut shields = problem.requirements.iter().map(|one| one.shield());
        let first = shields.next().expect("there is a requirement");
        let alone = problem.max_suppressed_rows == 0 || shields.all(|shield| shield == first);
        Ok(Search { problem, trees, crowdings, by_size: of_size && of_rows && alone })
    }

    /// Whether nothing is violated any more.
    fn is_admissible(&self, run: &mut Run<'_>) -> Result<bool, Stop> {
        run.go_on()?;
        let limit = self.problem.max_suppressed_rows;
        if self.crowdings.iter().any(|crowding| crowding.short_rows() > limit) {
            return Ok(false);
        }
        if self.by_size { Ok(true) } else { Ok(run.probe_cuts(&[self.cuts()])?[0].admissible) }
    }

    /// The attribute and number of the best move; none if all are made.
    fn best(&self) -> Option<(usize, u32)> {
        let mut best: Option<(Score, (usize, u32))> = None;
        for (a, tree) in self.trees.iter().enumerate() {
            for number in 0..tree.moves.len() as u32 {
                let Some(score) = self.score(a, number) else { continue };
                if best.is_none_or(|(least, _)| score.is_better_than(&least)) {
                    best = Some((score, (a, number)));
                }
            }
        }
        best.map(|(_, best)| best)
    }

    /// Information lost for anonymity gained, if the move can be made and is in a requirement that is violated.
    fn score(&self, a: usize, number: u32) -> Option<Score> {
        let of = &self.trees[a].moves[number as usize];
        if of.made || of.waiting > 0 {
            return None;
        }
        let violated = self.crowdings.iter().filter(|crowding| crowding.is_violated(self.by_size));
        let (mut gained, mut requirements) = (0.0, 0);
        for crowding in violated {
            if let Some(rows) = crowding.gain(a, number) {
                gained += rows;
                requirements += 1;
            }
        }
        if requirements == 0 {
            return None;
        }
        let gained = gained / f64::from(requirements);
        let lost = if gained > 0.0 { of.worth / gained } else { of.worth };
        Some(Score { gains_none: gained <= 0.0, lost: lost as f32, gained: gained as f32 })
    }

    fn generalise(&mut self, (a, number): (usize, u32), run: &Run<'_>) -> Result<(), Stop> {
        let tree = &mut self.trees[a];
        tree.make(number);
        for crowding in &mut self.crowdings {
            crowding.generalise(&self.trees, a, number, &|| run.go_on())?;
        }
        Ok(())
    }

    /// The cut so far.
    fn cuts(&self) -> Vec<Cut> {
        cuts(self.problem, &self.trees)
    }
}

/// The moves that are made in any case, by attribute and number.
fn due(trees: &[Moves]) -> Vec<(usize, u32)> {
    trees.iter().enumerate().flat_map(|(a, tree)| tree.due.iter().map(move |&number| (a, number))).collect()
}

/// The cut that moves have led to.
fn cuts(problem: &Problem, trees: &[Moves]) -> Vec<Cut> {
    let cut = |(tree, attribute): (&Moves, &crate::problem::Attribute)| {
        let taxonomy = &attribute.taxonomy;
        let mut is_made = vec![false; taxonomy.values().len()];
        tree.moves.iter().filter(|of| of.made).for_each(|of| is_made[of.value as usize] = true);
        tree.lowest.iter().for_each(|&value| is_made[value as usize] = true);
        let value = |leaf: ValueId| taxonomy.ancestors(leaf).filter(|&at| is_made[at as usize]).last();
        let values: Vec<ValueId> =
            (0..taxonomy.leaf_total() as ValueId).map(|leaf| value(leaf).unwrap_or(leaf)).collect();
        Cut::new(taxonomy, &values).expect("what is below a move has moved")
    };
    trees.iter().zip(problem.attributes()).map(cut).collect()
}

/// How good a move is; to seven digits, so that rounding does not decide between equals.
#[derive(Clone, Copy)]
struct Score {
    gains_none: bool,
    lost: f32,
    gained: f32,
}

impl Score {
    fn is_better_than(&self, other: &Score) -> bool {
        let order = self.gains_none.cmp(&other.gains_none).then(self.lost.total_cmp(&other.lost));
        order.then(other.gained.total_cmp(&self.gained)).is_lt()
    }
}

impl Moves {
    /// Takes note that a move is made.
    fn make(&mut self, number: u32) {
        let of = &mut self.moves[number as usize];
        of.made = true;
        let value = of.value;
        if let Some(next) = self.of_child[value as usize] {
            self.moves[next as usize].waiting -= 1;
        }
    }

    /// The moves to values that bring others together, or to all that occur above leaves.
    fn new(problem: &Problem, worth: &Worth<'_>, a: usize, to_all: bool) -> Moves {
        let attribute = &problem.attributes()[a];
        let tree = AttributeTree::new(problem, a);
        let is_one = |value: ValueId| {
            if to_all { tree.occupied(value).next().is_some() } else { tree.divides(value) }
        };
        let above = tree.nearest_above(is_one);
        let values = attribute.taxonomy.values().len() as ValueId;
        let mut number_of = vec![None; values as usize];
        let mut moves: Vec<Move> = Vec::new();
        for value in (0..values).filter(|&value| is_one(value) && tree.is_within(value)) {
            number_of[value as usize] = Some(moves.len() as u32);
            moves.push(Move { value, children: Vec::new(), waiting: 0, worth: 0.0, made: false });
        }
        let mut of_child = vec![None; values as usize];
        for value in 0..values {
            let is_leaf = (value as usize) < attribute.taxonomy.leaf_total();
            let takes_part =
                number_of[value as usize].is_some() || (is_leaf && attribute.leaf_rows()[value as usize] > 0);
            let Some(next) = above[value as usize].filter(|_| takes_part) else { continue };
            let next = number_of[next as usize].expect("rows are divided there");
            of_child[value as usize] = Some(next);
            moves[next as usize].waiting += usize::from(number_of[value as usize].is_some());
            moves[next as usize].children.push(value);
        }
        for of in &mut moves {
            let rows = |&value: &ValueId| worth.rows(problem, a, &Closure::Value(value), &tree.leaves(value));
            let parts: Vec<Rows> = of.children.iter().map(rows).collect();
            of.worth = worth.of_telling_apart(&rows(&of.value), &parts).unwrap_or(0.0);
        }
        let (lowest, taxonomy) = (tree.lowest(), &attribute.taxonomy);
        let is_due = |value: ValueId| taxonomy.ancestors(value).any(|at| lowest.binary_search(&at).is_ok());
        let mut due: Vec<u32> =
            (0..).zip(&moves).filter(|(_, of)| is_due(of.value)).map(|(at, _)| at).collect();
        due.sort_by_key(|&at| taxonomy.values()[moves[at as usize].value as usize].level);
        Moves { moves, due, lowest, of_child }
    }
}
