//! What any release is worth by the objectives of a front: local recodings stand beside nodes.

use super::{Objective, Point, classes};
use crate::privacy::{Class, KAnonymity, Whole, rounded};
use crate::problem::Problem;
use crate::recoding::Recoding;
use crate::release::Release;
use crate::requirement::Requirement;
use crate::table::Histogram;
use crate::tally::Tally;

/// What a release is worth, by objective; not a number where an objective is not defined for it.
///
/// # Panics
/// If an objective looks at a column of which it is not known which values the parts of a divided tuple have: the
/// requirements of the problem must look at it, too.
pub fn of_release(release: &Release, tally: &Tally, objectives: &[Objective]) -> Vec<f64> {
    let problem = release.problem();
    let mut columns: Vec<usize> = objectives.iter().filter_map(classes::column).collect();
    columns.sort_unstable();
    columns.dedup();
    let of_classes = ReleasedClasses::from_release(release, &columns);
    let each = |visit: &mut dyn FnMut(&Class<'_>)| of_classes.each(visit);
    let whole = Whole::from_table(problem.table());
    let value = |objective: &Objective| match objective {
        Objective::K => tally.sizes.smallest as f64,
        Objective::SpreadK => tally.sizes.squares as f64,
        Objective::L { column } => classes::fewest_values(*column, &whole, &each),
        Objective::SpreadL { column } => classes::spread_of_values(*column, &whole, &each),
        Objective::Loss(loss) => rounded(loss.measure(problem, tally)),
        Objective::Degree(model) => {
            classes::degree(&**model, problem.table(), &whole, tally.suppressed_rows, &each)
        }
    };
    objectives.iter().map(value).collect()
}

/// The release of a point of a problem's front: its node, at the k that it reaches.
pub fn release_of_point(problem: &Problem, point: &Point) -> Release {
    let mut at_k = problem.clone();
    // What else the problem asks holds for every class, and says which columns are looked at.
    let k = Requirement::new(KAnonymity { k: point.k });
    at_k.requirements =
        std::iter::once(k).chain(problem.requirements.iter().cloned()).collect::<Vec<_>>().into();
    Recoding::FullDomain(point.node.clone()).apply(&at_k)
}

/// The classes of a release, with the values of some carried columns.
struct ReleasedClasses {
    rows: Vec<u64>,
    /// By class and carried column, codes ascending; nothing where nobody looks.
    values: Vec<Vec<Vec<(u32, u32)>>>,
}

impl ReleasedClasses {
    fn from_release(release: &Release, columns: &[usize]) -> ReleasedClasses {
        let problem = release.problem();
        let (class_of, count) = release.group(&(0..problem.attributes().len()).collect::<Vec<_>>());
        let carried = problem.table().carried();
        let mut classes =
            ReleasedClasses { rows: vec![0; count], values: vec![vec![Vec::new(); carried.len()]; count] };
        for part in (0..release.parts()).filter(|&part| !release.is_suppressed(part)) {
            let class = class_of[part] as usize;
            classes.rows[class] += u64::from(release.rows(part));
            for &column in columns {
                let values = &mut classes.values[class][column];
                release.for_each_value(part, &carried[column], |code, rows| {
                    match values.binary_search_by_key(&code, |&(code, _)| code) {
                        Ok(at) => values[at].1 += rows,
                        Err(at) => values.insert(at, (code, rows)),
                    }
                });
            }
        }
        classes
    }

    fn each(&self, visit: &mut dyn FnMut(&Class<'_>)) {
        for (&rows, values) in self.rows.iter().zip(&self.values).filter(|(rows, _)| **rows > 0) {
            let values: Vec<Histogram<'_>> = values.iter().map(|counts| Histogram::Listed(counts)).collect();
            visit(&Class { rows, values: &values, population: None });
        }
    }
}
