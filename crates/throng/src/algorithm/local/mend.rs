//! The last step for models that merging can break: classes that may not be released are merged with
//! others until all may.
//!
//! A class that fails joins the neighbour that mends it at the least loss; if none does so at once, the
//! one whose joining loses least, and the search goes on with their union. It ends at the latest with one
//! class of all rows. If that fails, too, there is no release by these classes.
//!
//! Classes of equal closures are one class to a reader. Where unions of ripe classes are ripe, that
//! changes nothing; for models that do not promise it, such classes are merged first.
//!
//! **Complexity.** A look at every class for each that fails or is merged: few, after an algorithm that
//! forms ripe classes.

use super::admissible::{Admissibility, Contents};
use super::closure::Closures;
use super::index::OrderedCost;
use super::pieces::{Piece, closure};
use crate::problem::Problem;
use crate::run::Stop;
use crate::stop::GoOn;
use crate::table::Table;
use crate::taxonomy::ValueId;

/// Classes that are all ripe, from some that may not be; none if no class of all rows is. Those that are
/// ripe already stay as they are, and in their order, unless one that fails joins them. `go_on` may stop
/// it.
pub(in crate::algorithm) fn mend(
    problem: &Problem,
    closures: &Closures,
    admissibility: &Admissibility,
    classes: Vec<Vec<Piece>>,
    go_on: &GoOn<'_>,
) -> Result<Option<Vec<Vec<Piece>>>, Stop> {
    let ripe = |class: &Vec<Piece>| admissibility.is_ripe(&contents(problem.table(), admissibility, class));
    if admissibility.holds_for_unions() && classes.iter().all(ripe) {
        return Ok(Some(classes));
    }
    let of = |pieces| Broken::new(problem.table(), closures, admissibility, pieces);
    let mut mending = Mending { closures, admissibility, classes: classes.into_iter().map(of).collect() };
    if !admissibility.holds_for_unions() {
        mending.merge_equals(go_on)?;
    }
    while let Some(failing) = mending.classes.iter().position(|class| !class.is_ripe) {
        go_on()?;
        let Some(neighbour) = mending.neighbour(failing) else { return Ok(None) };
        mending.merge(failing, neighbour);
        if !admissibility.holds_for_unions() {
            mending.merge_equals(go_on)?;
        }
    }
    Ok(Some(mending.classes.into_iter().map(|class| class.pieces).collect()))
}

/// What a class holds.
fn contents(table: &Table, admissibility: &Admissibility, pieces: &[Piece]) -> Contents {
    let mut contents = Contents::default();
    pieces.iter().for_each(|piece| contents.add(&admissibility.contents(table, piece.tuple, piece.rows)));
    contents
}

/// A class that may fail.
struct Broken {
    pieces: Vec<Piece>,
    closure: Vec<ValueId>,
    contents: Contents,
    is_ripe: bool,
}

impl Broken {
    fn new(table: &Table, closures: &Closures, admissibility: &Admissibility, pieces: Vec<Piece>) -> Broken {
        let closure = closure(table, closures, &pieces);
        let contents = contents(table, admissibility, &pieces);
        let is_ripe = admissibility.is_ripe(&contents);
        Broken { pieces, closure, contents, is_ripe }
    }
}

struct Mending<'p> {
    closures: &'p Closures,
    admissibility: &'p Admissibility,
    classes: Vec<Broken>,
}

impl Mending<'_> {
    /// The class that one that fails should join: of those that mend it, if there are any, the one that
    /// loses least; the first of several. None if there is no other class.
    fn neighbour(&self, failing: usize) -> Option<usize> {
        let others = (0..self.classes.len()).filter(|&other| other != failing);
        let key = |other: usize| {
            let mut union = self.classes[failing].contents.clone();
            union.add(&self.classes[other].contents);
            (!self.admissibility.is_ripe(&union), OrderedCost(self.growth(failing, other)))
        };
        others.map(|other| (key(other), other)).min().map(|(_, other)| other)
    }

    /// What merging two classes loses.
    fn growth(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.classes[a], &self.classes[b]);
        let union = self.closures.join_cost(&a.closure, &b.closure);
        let of = |class: &Broken| class.contents.rows as f64 * (union - self.closures.cost(&class.closure));
        of(a) + of(b)
    }

    /// Merges two classes into the first of the two places.
    fn merge(&mut self, a: usize, b: usize) {
        let gone = self.classes.remove(a.max(b));
        let kept = &mut self.classes[a.min(b)];
        kept.pieces.extend(gone.pieces);
        self.closures.extend(&mut kept.closure, &gone.closure);
        kept.contents.add(&gone.contents);
        kept.is_ripe = self.admissibility.is_ripe(&kept.contents);
    }

    /// Merges classes that a reader cannot tell apart.
    fn merge_equals(&mut self, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by(|&a, &b| self.classes[a].closure.cmp(&self.classes[b].closure));
        let same = |&a: &usize, &b: &usize| self.classes[a].closure == self.classes[b].closure;
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for equal in order.chunk_by(same) {
            pairs.extend(equal[1..].iter().map(|&other| (other, equal[0])));
        }
        // From behind, so that places stay what they are.
        pairs.sort_unstable();
        for &(other, first) in pairs.iter().rev() {
            go_on()?;
            self.merge(other, first);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::local::admissible::LargestShare;
    use crate::algorithm::local::closures;
    use crate::algorithm::local::pieces::whole;
    use crate::loss;
    use crate::requirement::Requirement;
    use crate::table::Carried;
    use crate::taxonomy::Taxonomy;

    /// Six leaves under two, a row each, and the illness of each.
    fn mended(codes: [u32; 6], classes: &[Vec<u32>], most: f64) -> Option<Vec<Vec<u32>>> {
        let tree: Vec<[String; 3]> =
            (0..6).map(|leaf| [leaf.to_string(), format!("t{}", leaf / 3), "*".into()]).collect();
        let illness = Carried::from_codes("illness", &codes.map(|code| vec![code]));
        let table = Table::new(vec![(0..6).collect()], vec![1; 6]).with_carried(vec![illness]);
        let attributes = vec![("x".into(), Taxonomy::from_rows(&tree).unwrap(), 1.0)];
        let asked = Requirement::new(LargestShare { most, column: 0 });
        let problem = Problem::new(table, attributes, asked, 0, loss::find("lm").unwrap()).unwrap();
        let (closures, admissibility) = (closures(&problem), Admissibility::new(&problem));
        let classes = whole(problem.table(), classes);
        let found = mend(&problem, &closures, &admissibility, classes, &|| Ok(())).unwrap()?;
        Some(found.iter().map(|class| class.iter().map(|piece| piece.tuple).collect()).collect())
    }

    #[test]
    fn a_class_joins_the_neighbour_that_mends_it_at_the_least_loss() {
        // With 1 and 2, which are nearer, two of three would have the same illness.
        let classes = [vec![0], vec![1, 2], vec![3, 4, 5]];
        assert_eq!(mended([0, 0, 1, 1, 2, 3], &classes, 0.5).unwrap(), [vec![0, 3, 4, 5], vec![1, 2]]);
        assert_eq!(mended([0, 0, 1, 2, 3, 4], &classes, 0.7).unwrap(), [vec![0, 1, 2], vec![3, 4, 5]]);
    }

    #[test]
    fn all_classes_are_mended_or_none() {
        let each: Vec<Vec<u32>> = (0..6).map(|tuple| vec![tuple]).collect();
        assert_eq!(mended([0, 0, 0, 0, 1, 2], &each, 0.7).unwrap().concat().len(), 6);
        assert_eq!(mended([0, 0, 0, 0, 1, 2], &each, 0.6), None);
    }
}
