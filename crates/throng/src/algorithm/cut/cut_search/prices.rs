//! What cuts cost without suppression: a sum over the rows of their values.

use crate::classes::ValueCosts;
use crate::cut::{Raised, Trees};
use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// What the rows of each value cost, where the objective is a sum over cells.
pub(super) struct Prices {
    /// By attribute and value; none where the objective is no sum.
    of: Option<Vec<Vec<i128>>>,
    /// The same, where a cell costs no more than a suppressed one.
    least: Vec<Vec<i128>>,
    /// Rows by attribute and value, in place of prices where there are none.
    rows: Vec<Vec<i128>>,
}

impl Prices {
    pub(super) fn new(problem: &Problem, trees: &Trees, of_values: Option<ValueCosts<'_>>) -> Prices {
        let rows: Vec<Vec<i128>> = (0..trees.attributes())
            .map(|a| {
                let attribute = &problem.attributes()[a];
                let mut rows: Vec<i128> = attribute.leaf_rows().iter().map(|&rows| rows.into()).collect();
                rows.resize(attribute.taxonomy.values().len(), 0);
                trees.add_up(a, &mut rows);
                rows
            })
            .collect();
        let priced = |capped: bool| -> Option<Vec<Vec<i128>>> {
            let ValueCosts { cells: of_cells, rows: of_rows, suppressed } = of_values?;
            let of = of_cells.iter().zip(of_rows).zip(suppressed).zip(&rows).map(
                |(((cells, of_rows), &most), rows)| {
                    let is_over = |value: usize| capped && cells[value] > most;
                    let price = |value: usize| match is_over(value) {
                        true => i128::from(most) * rows[value],
                        false => of_rows[value],
                    };
                    (0..cells.len()).map(price).collect()
                },
            );
            Some(of.collect())
        };
        Prices { of: priced(false), least: priced(true).unwrap_or_default(), rows }
    }

    /// Whether what cuts cost without suppression is a sum.
    pub(super) fn are_sums(&self) -> bool {
        self.of.is_some()
    }

    /// What a cut costs without suppression, if that is a sum.
    pub(super) fn sum(&self, trees: &Trees, cut: &Raised) -> Option<i128> {
        let of = self.of.as_ref()?;
        let attributes = of.iter().enumerate();
        Some(
            attributes
                .map(|(a, of)| trees.values(cut, a).map(|value| of[value as usize]).sum::<i128>())
                .sum(),
        )
    }

    /// What splitting a value saves, or how much it stands for where there are no prices.
    pub(super) fn saving(&self, trees: &Trees, attribute: usize, value: ValueId) -> i128 {
        let Some(of) = &self.of else { return self.rows[attribute][value as usize] };
        let of = &of[attribute];
        of[value as usize]
            - trees.children(attribute, value).iter().map(|&child| of[child as usize]).sum::<i128>()
    }

    /// A lower bound of what all cuts between two cost, whatever is suppressed; 0 if there is none.
    pub(super) fn bound(&self, trees: &Trees, low: &Raised, high: &Raised) -> i128 {
        let attributes = self.least.iter().enumerate();
        attributes.map(|(a, least)| trees.least_between(a, low, high, least)).sum()
    }
}
