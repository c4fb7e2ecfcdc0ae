//! The whole trade-off at once: the generalisations that no other is better than in everything.
//!
//! **Citation.** R. Dewri, I. Ray, I. Ray, D. Whitley, *On the Identification of Property Based Generalizations
//! in Microdata Anonymization*, DBSec 2010.
//!
//! A node of the lattice is worth a vector of [objectives](Objective): what it achieves of privacy, in the worst
//! class or summed over all rows, and what it loses. Nodes that no other dominates are the *front*: the minimal
//! property based generalisations. [`exact`] looks at every node; [`pbg_ea`] is the paper's evolutionary search
//! for lattices that are too large for that, and [`front_walk`] a search of our own. With a
//! [discretisation vector](Boxes) only one node of each box stays. A [`Reference`] says how much of a front was found;
//! [`PropertyVector`]s compare two releases record by record.

mod boxes;
mod classes;
mod evolution;
mod objective;
mod property;
mod quality;
mod reference;
mod released;
mod sums;
mod walk;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use boxes::{Boxes, dominates};
pub use evolution::{Evolution, pbg_ea};
pub use objective::Objective;
pub use property::{Property, PropertyVector};
pub use reference::Reference;
pub use released::{of_release, release_of_point};
pub use walk::{Walk, front_walk};

use crate::classes::{ClassVisitor, NodeView};
use crate::lattice::Node;
use crate::problem::Problem;
use crate::run::{Observer, Run, Stop};
use quality::Quality;

/// A node and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The levels.
    pub node: Node,
    /// By objective, as it is reported.
    pub values: Vec<f64>,
    /// Rows of the smallest class that stays: the largest k that is reached within the suppression limit.
    pub k: u64,
    /// Rows that are suppressed.
    pub suppressed_rows: u64,
}

impl Point {
    fn new(node: Node, seen: NodeView) -> Point {
        Point { node, values: seen.values, k: seen.least_rows, suppressed_rows: seen.suppressed_rows }
    }
}

/// The points that no other dominates.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// The points, the first objective's best first; of equal ones the next objective decides.
    pub points: Vec<Point>,
    /// Nodes that were looked at, each once.
    pub evaluated_nodes: u64,
    /// Why the search ended before it was through, if it did.
    pub stopped: Option<Stop>,
}

/// The front of all nodes of a problem's lattice; the problem's own requirements should hold for every class.
///
/// ```
/// # use throng::{loss, privacy::KAnonymity, problem::Problem, requirement::Requirement};
/// # use throng::{run::Unobserved, table::Table, taxonomy::Taxonomy};
/// use throng::frontier::{Boxes, Objective, exact};
///
/// # let age = Taxonomy::from_rows(&[["31", "30s", "*"], ["35", "30s", "*"], ["47", "40s", "*"]])?;
/// # let table = Table::from_rows(1, &[[0], [0], [1], [2], [2]]);
/// # let k = Requirement::new(KAnonymity { k: 1 });
/// # let problem = Problem::new(table, vec![("age".into(), age, 1.0)], k, 0, loss::find("lm").unwrap())?;
/// let objectives = [Objective::K, Objective::Loss(loss::find("glm").unwrap())];
/// let front = exact(&problem, &objectives, Boxes::fine(2), None, &Unobserved);
/// let values: Vec<&[f64]> = front.points.iter().map(|point| &point.values[..]).collect();
/// assert_eq!(values, [[5.0, 5.0], [2.0, 1.5], [1.0, 0.0]]); // ages as `*`, in decades, and as they are
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn exact(
    problem: &Problem,
    objectives: &[Objective],
    boxes: Boxes,
    time_limit: Option<Duration>,
    observer: &dyn Observer,
) -> Front {
    let mut search = Search::new(problem, objectives, boxes, time_limit, observer);
    let stopped = search.look_at_all().err();
    search.finish(stopped)
}

/// A search for a front: looks at nodes, and keeps those that no other dominates.
struct Search<'p> {
    run: Run<'p>,
    visitor: Arc<dyn ClassVisitor>,
    archive: boxes::BoxArchive,
    evaluated_nodes: u64,
}

impl<'p> Search<'p> {
    fn new(
        problem: &'p Problem,
        objectives: &[Objective],
        boxes: Boxes,
        time_limit: Option<Duration>,
        observer: &'p dyn Observer,
    ) -> Search<'p> {
        assert_eq!(boxes.objectives(), objectives.len(), "a side of the boxes for each objective");
        // A limit beyond what the clock can count is none.
        let deadline = time_limit.and_then(|limit| Instant::now().checked_add(limit));
        Search {
            run: Run::new(problem, deadline, observer),
            visitor: Arc::new(Quality::new(problem, objectives)),
            archive: boxes::BoxArchive::new(objectives, boxes),
            evaluated_nodes: 0,
        }
    }

    /// Looks at nodes, and offers each to the archive, in their order.
    fn look(&mut self, nodes: &[Node]) -> Result<Vec<Point>, Stop> {
        let seen = self.run.look(nodes, &self.visitor)?;
        self.evaluated_nodes += nodes.len() as u64;
        let point = |(node, seen): (&Node, NodeView)| Point::new(node.clone(), seen);
        let points: Vec<Point> = nodes.iter().zip(seen).map(point).collect();
        points.iter().for_each(|point| self.archive.update(point));
        Ok(points)
    }

    /// Looks at all nodes of the lattice.
    fn look_at_all(&mut self) -> Result<(), Stop> {
        let Search { run, visitor, archive, evaluated_nodes } = self;
        run.sweep(&**visitor, &mut |seen| {
            *evaluated_nodes += seen.len() as u64;
            let mut points: Vec<Point> =
                seen.into_iter().map(|(node, seen)| Point::new(node, seen)).collect();
            // Of nodes that are worth the same the first one stays: the finest.
            points.sort_by_cached_key(|point| (point.node.height(), point.node.clone()));
            points.iter().for_each(|point| archive.update(point));
        })
    }

    fn finish(self, stopped: Option<Stop>) -> Front {
        Front { points: self.archive.into_sorted(), evaluated_nodes: self.evaluated_nodes, stopped }
    }
}

#[cfg(test)]
mod tests;
