//! Counts what measures need to know of a release.

use rayon::prelude::*;

use super::Release;
use super::grouped::{Field, Pass, group};
use crate::lattice::Node;
use crate::stop::{GoOn, Stop};
use crate::table::{Carried, Histogram, add_up};
use crate::tally::{ClassSizes, Tally};

/// Parts that are counted between two questions whether to go on.
const PARTS: usize = 1 << 16;

/// A class on its way into a tally.
#[derive(Default)]
struct TalliedClass {
    rows: u64,
    /// Rows of each value of the target, as they came.
    labels: Vec<(u32, u32)>,
}

impl Release {
    /// Counts for every measure. Classes are grouped anew, not taken from the search.
    pub fn tally(&self) -> Tally {
        self.tally_asking(&|| Ok(())).expect("nothing stops this")
    }

    /// The same, unless `go_on` stops it.
    pub(crate) fn tally_asking(&self, go_on: &GoOn<'_>) -> Result<Tally, Stop> {
        let attributes = self.problem.attributes();
        let cells = (0..attributes.len()).into_par_iter().map(|a| self.count_cells(a, go_on));
        let cells: Vec<Vec<u64>> = cells.collect::<Result<_, Stop>>()?;
        let target = self.problem.target().filter(|target| self.has_values_of(target));
        let classes = self.count_classes(target, go_on)?;
        let off_label = target.map(|target| {
            let most = |labels| target.most_frequent(Histogram::Listed(&add_up(labels)));
            classes.iter().map(|class| class.rows - most(class.labels.clone())).sum()
        });
        let sizes: ClassSizes = classes.iter().map(|class| class.rows).collect();
        Ok(Tally {
            rows: self.problem.table().rows(),
            suppressed_rows: self.suppressed_rows(),
            cells,
            made: (0..attributes.len()).map(|a| self.made(a).to_vec()).collect(),
            sizes: ClassSizes { off_label, ..sizes },
            level: self.node().map(Node::height),
        })
    }

    /// Rows of each value of an attribute; suppressed ones are the root.
    fn count_cells(&self, attribute: usize, go_on: &GoOn<'_>) -> Result<Vec<u64>, Stop> {
        let root = self.problem.attributes()[attribute].taxonomy.root();
        let mut cells = vec![0; self.values(attribute).count()];
        for start in (0..self.parts()).step_by(PARTS) {
            go_on()?;
            let parts = start..self.parts().min(start + PARTS);
            for (part, &value) in parts.clone().zip(self.values_of(parts, attribute).iter()) {
                let value = if self.suppressed[part] { root } else { value };
                cells[value as usize] += u64::from(self.rows(part));
            }
        }
        Ok(cells)
    }

    /// The released classes, with the labels of a target.
    fn count_classes(&self, target: Option<&Carried>, go_on: &GoOn<'_>) -> Result<Vec<TalliedClass>, Stop> {
        let numbers = |attribute| (0..self.values(attribute).count() as u32).collect();
        let fields =
            (0..self.problem.attributes().len()).map(|attribute| Field::new(attribute, numbers(attribute)));
        let is_released = |part: usize| !self.suppressed[part];
        let add = |class: &mut TalliedClass, part: usize| {
            class.rows += u64::from(self.rows(part));
            if let Some(target) = target {
                self.for_each_value(part, target, |code, rows| class.labels.push((code, rows)));
            }
        };
        let pass = Pass { wants: &is_released, add: &add };
        group(self, &fields.collect::<Vec<_>>(), &[pass], go_on)
    }
}
