//! What a node is worth by each objective.
//!
//! As the paper evaluates nodes, the classes of the fewest rows are suppressed, all of one size at once, as long
//! as the limit allows: k is then the size of the smallest class that is left.

use super::sums::{CellSums, ColumnSums};
use super::{Objective, classes};
use crate::classes::{ClassVisitor, NodeClasses, NodeView};
use crate::lattice::Node;
use crate::loss::{Kind, Loss, Needs};
use crate::privacy::{Class, Whole, rounded};
use crate::problem::Problem;
use crate::tally::Tally;

pub(super) struct Quality {
    problem: Problem,
    whole: Whole,
    objectives: Vec<Evaluated>,
    /// Whether an objective is a function of the sizes of classes, or of the labels in them.
    looks_at: LooksAt,
}

struct LooksAt {
    sizes: bool,
    labels: bool,
}

/// An objective, prepared for many nodes.
enum Evaluated {
    /// A sum over cells.
    Sum(CellSums),
    Other(Objective),
}

/// A node whose classes of fewer than the least rows are suppressed.
struct SuppressedNode<'c> {
    classes: &'c dyn NodeClasses,
    least: u64,
    tally: Tally,
}

impl Quality {
    pub(super) fn new(problem: &Problem, objectives: &[Objective]) -> Quality {
        let of_sizes = |loss: &dyn Loss| matches!(loss.kind(), Kind::Sizes(_));
        let sizes = |one: &Objective| match one {
            Objective::SpreadK => true,
            Objective::Loss(loss) => of_sizes(*loss),
            _ => false,
        };
        let labels = |one: &Objective| matches!(one, Objective::Loss(loss) if loss.needs() == Needs::Target);
        let prepare = |one: &Objective| match one {
            Objective::Loss(loss) => match loss.kind() {
                Kind::Cells(cells) => Evaluated::Sum(CellSums::new(problem, *loss, cells)),
                _ => Evaluated::Other(one.clone()),
            },
            other => Evaluated::Other(other.clone()),
        };
        Quality {
            problem: problem.clone(),
            whole: Whole::from_table(problem.table()),
            objectives: objectives.iter().map(prepare).collect(),
            looks_at: LooksAt { sizes: objectives.iter().any(sizes), labels: objectives.iter().any(labels) },
        }
    }

    /// What measures of classes need to know of a node.
    fn tally(&self, node: &Node, classes: &dyn NodeClasses, least: u64, suppressed_rows: u64) -> Tally {
        let mut sizes = Default::default();
        if self.looks_at.sizes {
            sizes = classes.sizes(least);
        }
        if let Some(place) = self.problem.target_place().filter(|_| self.looks_at.labels) {
            classes.each_kept(least, &mut |class| {
                let most = class.values[place].iter().map(|(_, rows)| rows).max().unwrap_or(0);
                sizes.add_off_label(class.rows - u64::from(most));
            });
        }
        let rows = self.problem.table().rows();
        Tally { rows, suppressed_rows, sizes, level: Some(node.height()), ..Tally::default() }
    }

    fn value(&self, objective: &Objective, at: &SuppressedNode<'_>) -> f64 {
        let each_kept = |visit: &mut dyn FnMut(&Class<'_>)| at.classes.each_kept(at.least, visit);
        match objective {
            Objective::K => at.least as f64,
            Objective::SpreadK => at.tally.sizes.squares as f64,
            Objective::L { column } => classes::fewest_values(*column, &self.whole, &each_kept),
            Objective::SpreadL { column } => classes::spread_of_values(*column, &self.whole, &each_kept),
            Objective::Loss(loss) => rounded(loss.measure(&self.problem, &at.tally)),
            Objective::Degree(model) => {
                let (table, suppressed) = (self.problem.table(), at.tally.suppressed_rows);
                classes::degree(&**model, table, &self.whole, suppressed, &each_kept)
            }
        }
    }
}

impl ClassVisitor for Quality {
    fn see(&self, node: &Node, classes: &dyn NodeClasses) -> NodeView {
        let least = classes.least_rows(self.problem.max_suppressed_rows);
        let sum = |one: &Evaluated| match one {
            Evaluated::Sum(sums) => Some(sums.of_node(node)),
            Evaluated::Other(_) => None,
        };
        let mut sums: Vec<Option<ColumnSums>> = self.objectives.iter().map(sum).collect();
        let mut suppressed_rows = 0;
        classes.each_smaller(least, &mut |rows, values| {
            suppressed_rows += rows;
            for (sum, one) in sums.iter_mut().zip(&self.objectives) {
                if let (Evaluated::Sum(sums), Some(sum)) = (one, sum) {
                    sums.add(sum, rows, values);
                }
            }
        });
        let tally = self.tally(node, classes, least, suppressed_rows);
        let at = SuppressedNode { classes, least, tally };
        let value = |(one, sum): (&Evaluated, &Option<ColumnSums>)| match (one, sum) {
            // Rounding in the last place must not decide what dominates what.
            (Evaluated::Sum(sums), Some(sum)) => rounded(sums.report(&self.problem, sum)),
            (Evaluated::Other(objective), _) => self.value(objective, &at),
            (Evaluated::Sum(_), None) => unreachable!("made for every sum"),
        };
        let values = self.objectives.iter().zip(&sums).map(value).collect();
        NodeView { values, least_rows: least, suppressed_rows }
    }
}
