//! Tuples that are not released as a whole.

use crate::table::Table;

/// Tuples in parts: each has some of the tuple's rows, which are released alike or not at all.
///
/// Parts of a tuple are neighbours, tuples are in the order of the table, and their rows add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    tuples: Vec<u32>,
    rows: Vec<u32>,
    suppressed: Vec<bool>,
}

impl Parts {
    /// Adds a part: so many rows of a tuple, which are released or suppressed.
    ///
    /// # Panics
    /// If it has no rows, or the tuple comes before the last one.
    pub fn push(&mut self, tuple: u32, rows: u32, suppressed: bool) {
        assert!(rows > 0, "a part has rows");
        assert!(self.tuples.last().is_none_or(|&last| last <= tuple), "parts are in the order of the tuples");
        self.tuples.push(tuple);
        self.rows.push(rows);
        self.suppressed.push(suppressed);
    }

    /// The tuple that each is a part of.
    pub fn tuples(&self) -> &[u32] {
        &self.tuples
    }

    /// Rows of each.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Whether each is left out.
    pub fn suppressed(&self) -> &[bool] {
        &self.suppressed
    }

    /// Whether they are all of a table's rows.
    pub(super) fn fit(&self, table: &Table) -> bool {
        let mut rows = vec![0u64; table.tuples()];
        let within = self.tuples.iter().all(|&tuple| (tuple as usize) < rows.len());
        if within {
            let parts = self.tuples.iter().zip(&self.rows);
            parts.for_each(|(&tuple, &of_part)| rows[tuple as usize] += u64::from(of_part));
        }
        within && rows.iter().zip(table.weights()).all(|(&rows, &weight)| rows == u64::from(weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_a_table_whose_rows_they_add_up_to() {
        let table = Table::new(vec![vec![0, 1]], vec![3, 1]);
        let of = |parts: &[(u32, u32)]| {
            let mut all = Parts::default();
            parts.iter().for_each(|&(tuple, rows)| all.push(tuple, rows, false));
            all.fit(&table)
        };
        assert!(of(&[(0, 2), (0, 1), (1, 1)]));
        assert!(!of(&[(0, 2), (1, 1)]) && !of(&[(0, 3)]) && !of(&[(0, 3), (1, 1), (2, 1)]));
    }
}
