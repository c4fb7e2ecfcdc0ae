//! A sample of a table's rows.

use throng::table::Table;

use crate::output::shuffle;

/// Which rows to compare on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How many rows; a table that has no more is taken whole.
    pub rows: u64,
    /// What the choice starts from.
    pub seed: u64,
}

impl Sample {
    /// The sample, every set of so many rows being as likely as any other.
    ///
    /// Rows are taken or not one after the other, each with the share that is still wanted of those
    /// that are left (selection sampling). They are in the order of the tuples, so the sample does
    /// not depend on the order of the file.
    pub(super) fn of(self, table: &Table) -> Table {
        let (mut wanted, mut left) = (self.rows.min(table.rows()), table.rows());
        let mut take = || {
            let draw = u128::from(shuffle::key(self.seed, left)) * u128::from(left);
            let taken = (draw >> 64) < u128::from(wanted);
            left -= 1;
            wanted -= u64::from(taken);
            u32::from(taken)
        };
        let weights: Vec<u32> = table.weights().iter().map(|&rows| (0..rows).map(|_| take()).sum()).collect();
        if let Some(population) = table.population() {
            // Who is not in the sample is still in the population.
            let columns = (0..table.attributes()).map(|a| table.column(a).to_vec()).collect();
            return Table::with_population(columns, weights, population.to_vec());
        }
        let sampled = |column: &[u32]| {
            let tuples = column.iter().zip(&weights).filter(|&(_, &rows)| rows > 0);
            tuples.map(|(&leaf, _)| leaf).collect()
        };
        let columns = (0..table.attributes()).map(|a| sampled(table.column(a))).collect();
        Table::new(columns, weights.iter().copied().filter(|&rows| rows > 0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::new(vec![(0..50).collect(), (50..100).collect()], (1..=50).collect())
    }

    #[test]
    fn a_sample_has_so_many_rows_of_the_table() {
        let whole = table();
        let sampled = Sample { rows: 300, seed: 4 }.of(&whole);
        assert_eq!(sampled.rows(), 300);
        for (tuple, &rows) in sampled.weights().iter().enumerate() {
            let leaf = sampled.column(0)[tuple];
            assert_eq!(sampled.column(1)[tuple], leaf + 50);
            assert!(rows <= whole.weights()[leaf as usize]);
        }
        assert_eq!(Sample { rows: 300, seed: 4 }.of(&whole), sampled);
        assert_ne!(Sample { rows: 300, seed: 5 }.of(&whole), sampled);
    }

    #[test]
    fn a_sample_of_more_rows_than_there_are_is_the_table() {
        for rows in [1275, 9999] {
            assert_eq!(Sample { rows, seed: 1 }.of(&table()), table());
        }
    }

    #[test]
    fn every_row_is_as_likely_as_any_other() {
        let mut taken = [0u32; 50];
        for seed in 0..400 {
            let sampled = Sample { rows: 255, seed }.of(&table());
            for (&leaf, &rows) in sampled.column(0).iter().zip(sampled.weights()) {
                taken[leaf as usize] += rows;
            }
        }
        for (leaf, rows) in taken.into_iter().enumerate() {
            let expected = 400.0 * 0.2 * (leaf + 1) as f64;
            assert!((f64::from(rows) - expected).abs() < 4.0 * expected.sqrt(), "{leaf}: {rows}");
        }
    }
}
