//! What a node is worth by each objective.
//!
//! As the paper evaluates nodes, the classes of the fewest rows are suppressed, all of one size at once, as long
//! as the limit allows: k is then the size of the smallest class that is left.

use super::Objective;
use crate::classes::{Eye, Seen, SeenClasses, reachable_size};
use crate::lattice::Node;
use crate::privacy::{Class, Whole, achieved, rounded};
use crate::problem::Problem;
use crate::tally::{ClassSizes, Tally};

pub(super) struct Quality {
    problem: Problem,
    objectives: Vec<Objective>,
    whole: Whole,
    /// By attribute and level, the rows of each value.
    cells: Vec<Vec<Vec<u64>>>,
}

impl Quality {
    pub(super) fn new(problem: &Problem, objectives: &[Objective]) -> Quality {
        let of_attribute = |a: usize| -> Vec<Vec<u64>> {
            let attribute = &problem.attributes()[a];
            let at_level = |level: usize| {
                let mut rows = vec![0; attribute.taxonomy.values().len()];
                for (leaf, &of_leaf) in attribute.leaf_rows().iter().enumerate() {
                    rows[attribute.taxonomy.generalise(leaf as u32, level) as usize] += of_leaf;
                }
                rows
            };
            (0..=attribute.taxonomy.height()).map(at_level).collect()
        };
        Quality {
            problem: problem.clone(),
            objectives: objectives.to_vec(),
            whole: Whole::of(problem.table()),
            cells: (0..problem.attributes().len()).map(of_attribute).collect(),
        }
    }

    /// The rows of the smallest class that stays.
    fn least_rows(&self, classes: &dyn SeenClasses) -> u64 {
        let sizes = (0..classes.count()).map(|class| classes.rows(class)).filter(|&rows| rows > 0);
        reachable_size(sizes, self.problem.max_suppressed_rows)
    }

    /// What measures need to know of a node whose classes of fewer rows are suppressed.
    fn tally(&self, node: &Node, classes: &dyn SeenClasses, least: u64) -> Tally {
        let mut cells: Vec<Vec<u64>> =
            self.cells.iter().enumerate().map(|(a, of)| of[node.level(a)].clone()).collect();
        let mut sizes = ClassSizes::default();
        let labels = self.needs_labels().then(|| self.problem.target_place()).flatten();
        for class in (0..classes.count()).filter(|&class| classes.rows(class) > 0) {
            let rows = classes.rows(class);
            if rows >= least {
                sizes.add(rows);
                if let Some(place) = labels {
                    classes.look_at(class, &mut |class| {
                        let most = class.values[place].iter().map(|(_, rows)| rows).max().unwrap_or(0);
                        sizes.add_off_label(rows - u64::from(most));
                    });
                }
                continue;
            }
            classes.each_value(class, &mut |a, value| {
                cells[a][value as usize] -= rows;
                cells[a][self.problem.attributes()[a].taxonomy.root() as usize] += rows;
            });
        }
        let rows = self.problem.table().rows();
        let made = vec![Vec::new(); cells.len()];
        Tally { rows, suppressed_rows: rows - sizes.rows, cells, made, sizes, level: Some(node.height()) }
    }

    fn needs_labels(&self) -> bool {
        self.objectives
            .iter()
            .any(|one| matches!(one, Objective::Loss(loss) if loss.needs() == crate::loss::Needs::Target))
    }

    /// The classes that stay, each handed to `visit`.
    fn each_kept(&self, classes: &dyn SeenClasses, least: u64, visit: &mut dyn FnMut(&Class<'_>)) {
        let kept = (0..classes.count()).filter(|&class| classes.rows(class) >= least.max(1));
        kept.for_each(|class| classes.look_at(class, visit));
    }

    fn value(&self, objective: &Objective, classes: &dyn SeenClasses, tally: &Tally, least: u64) -> f64 {
        match objective {
            Objective::K => least as f64,
            Objective::SpreadK => tally.sizes.squares as f64,
            Objective::L { column } => {
                let mut fewest = usize::MAX;
                self.each_kept(classes, least, &mut |class| {
                    fewest = fewest.min(class.values[*column].distinct());
                });
                fewest as f64
            }
            Objective::SpreadL { column } => {
                let mut sum = 0;
                self.each_kept(classes, least, &mut |class| {
                    let square = |(_, rows): (u32, u32)| u128::from(rows) * u128::from(rows);
                    sum += class.values[*column].iter().map(square).sum::<u128>();
                });
                sum as f64
            }
            // The order of a sum must not decide what dominates what.
            Objective::Loss(loss) => rounded(loss.of(&self.problem, tally)),
            Objective::Degree(model) => {
                let mut degrees = Vec::new();
                self.each_kept(classes, least, &mut |class| {
                    degrees.push((model.degree(class, &self.whole), class.rows));
                });
                rounded(achieved(&**model, degrees).unwrap_or(model.direction().safest()))
            }
        }
    }
}

impl Eye for Quality {
    fn see(&self, node: &Node, classes: &dyn SeenClasses) -> Seen {
        let least = self.least_rows(classes);
        let tally = self.tally(node, classes, least);
        let value = |objective: &Objective| self.value(objective, classes, &tally, least);
        Seen { values: self.objectives.iter().map(value).collect(), suppressed_rows: tally.suppressed_rows }
    }
}
