//! The last step where rows may be suppressed: those are left out without which the release loses less.
//!
//! A row that is left out costs as much as `*` in every column, so it must pay for itself: what is left of
//! its class has a smaller closure. Two ways are tried, and the better is taken. In the classes that the
//! search ended with, rows leave as long as what stays may be released. Or the rows that their classes
//! would gladly be rid of leave first, whether these can spare them or not, and the search begins anew
//! without them.
//!
//! **Guarantee.** Never more loss than before, and no more rows than the limit allows.
//!
//! **Complexity.** Another search; beside it, a look at each class, and another whenever a row leaves it.

mod relief;

use super::admissible::Admissibility;
use super::closure::Closures;
use super::finish::is_admissible;
use super::pieces::{Piece, closure, recode_without, unite};
use super::reread::classes;
use crate::algorithm::local::{CLASSES, closures};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::stop::GoOn;
use relief::{LEAST_GAIN, Relief};

/// Classes, and what is in none.
struct Selection {
    classes: Vec<Vec<Piece>>,
    left_out: Vec<Piece>,
}

/// Lets rows leave what a search proposed, if a crowd is counted by classes. `search` is the way in which
/// that was found.
pub(crate) fn leave_out(
    problem: &Problem,
    search: impl Fn(&Problem, &mut Run<'_>) -> Result<(), Stop>,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    if problem.max_suppressed_rows == 0 || problem.requirements.notion() != Notion::K {
        return Ok(());
    }
    let Some(found) = run.proposed().map(|local| classes(problem.table(), local, &|| run.go_on())) else {
        return Ok(());
    };
    let found = found?;
    let step =
        LeavingOut { problem, closures: &closures(problem), admissibility: &Admissibility::new(problem) };
    let found = Selection { classes: found, left_out: Vec::new() };
    let loss = step.cost(&found, &|| run.go_on())?;
    let spared = step.spare(found.classes.clone(), Vec::new(), &|| run.go_on())?;
    let least = step.propose_below(&spared, loss, run)?;
    let outliers = step.outliers(found, loss, &|| run.go_on())?;
    if !outliers.is_empty() {
        let rest = step.search_without(&outliers, search, run)?;
        let again = step.spare(rest, outliers, &|| run.go_on())?;
        step.propose_below(&again, least, run)?;
    }
    Ok(())
}

struct LeavingOut<'p> {
    problem: &'p Problem,
    closures: &'p Closures,
    admissibility: &'p Admissibility,
}

impl LeavingOut<'_> {
    /// The rows leave whose classes may be released without them, beside others that left before.
    fn spare(
        &self,
        classes: Vec<Vec<Piece>>,
        mut left_out: Vec<Piece>,
        go_on: &GoOn<'_>,
    ) -> Result<Selection, Stop> {
        let before: u64 = left_out.iter().map(|piece| u64::from(piece.rows)).sum();
        let limit = self.problem.max_suppressed_rows - before;
        let (classes, leaving) = Relief::spare(self, classes).leave(limit, go_on)?;
        left_out.extend(leaving);
        unite(&mut left_out);
        Ok(Selection { classes, left_out })
    }

    /// The rows that their classes would be rid of, whether they may be released without them or not.
    fn outliers(&self, found: Selection, loss: f64, go_on: &GoOn<'_>) -> Result<Vec<Piece>, Stop> {
        let relief = Relief::at_any_rate(self, found.classes, loss);
        let (_, mut outliers) = relief.leave(self.problem.max_suppressed_rows, go_on)?;
        unite(&mut outliers);
        Ok(outliers)
    }

    /// The classes that a search finds for all other rows; none if it finds no release.
    fn search_without(
        &self,
        gone: &[Piece],
        search: impl Fn(&Problem, &mut Run<'_>) -> Result<(), Stop>,
        run: &Run<'_>,
    ) -> Result<Vec<Vec<Piece>>, Stop> {
        let mut rows = self.problem.table().weights().to_vec();
        gone.iter().for_each(|piece| rows[piece.tuple as usize] -= piece.rows);
        let kept: Vec<(u32, u32)> = (0..).zip(rows).filter(|&(_, rows)| rows > 0).collect();
        if kept.is_empty() {
            return Ok(Vec::new());
        }
        let rest = self.problem.divisible().rows(&kept);
        let mut run = run.on(&rest, 0);
        search(&rest, &mut run)?;
        let Some(found) = run.proposed().map(|local| classes(rest.table(), local, &|| run.go_on())) else {
            return Ok(Vec::new());
        };
        let in_table = |of: Piece| Piece { tuple: kept[of.tuple as usize].0, ..of };
        Ok(found?.into_iter().map(|class| class.into_iter().map(in_table).collect()).collect())
    }

    /// Proposes a selection that is complete, loses less than so much and may be released; what the
    /// proposal loses then.
    fn propose_below(&self, selection: &Selection, least: f64, run: &mut Run<'_>) -> Result<f64, Stop> {
        let cost = self.cost(selection, &|| run.go_on())?;
        let rows: u64 = selection.classes.iter().chain([&selection.left_out]).map(|class| rows(class)).sum();
        if selection.left_out.is_empty() || rows < self.problem.table().rows() || cost > least - LEAST_GAIN {
            return Ok(least);
        }
        let Selection { classes, left_out } = selection;
        let local = recode_without(self.problem, classes, left_out, &|| run.unless_cancelled())?;
        let is_certain = self.admissibility.holds_for_unions() && !self.admissibility.compares_with_whole();
        if !is_certain && !is_admissible(self.problem, &local) {
            return Ok(least);
        }
        run.propose(local);
        Ok(cost)
    }

    /// What all rows lose.
    fn cost(&self, selection: &Selection, go_on: &GoOn<'_>) -> Result<f64, Stop> {
        let mut cost = 0.0;
        for classes in selection.classes.chunks(CLASSES) {
            go_on()?;
            classes.iter().for_each(|class| cost += rows(class) as f64 * self.closure_cost(class));
        }
        Ok(cost + rows(&selection.left_out) as f64 * self.cost_of_leaving())
    }

    fn closure_cost(&self, class: &[Piece]) -> f64 {
        self.closures.cost(&closure(self.problem.table(), self.closures, class))
    }

    fn cost_of_leaving(&self) -> f64 {
        cost_of_leaving(self.problem, self.closures)
    }
}

/// What a row costs that is left out.
pub(super) fn cost_of_leaving(problem: &Problem, closures: &Closures) -> f64 {
    let roots = problem.attributes().iter().map(|attribute| attribute.taxonomy.root());
    roots.enumerate().map(|(a, root)| closures.cell_cost(a, root)).sum()
}

fn rows(class: &[Piece]) -> u64 {
    class.iter().map(|piece| u64::from(piece.rows)).sum()
}
