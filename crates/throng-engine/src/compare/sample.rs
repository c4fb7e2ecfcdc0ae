//! A sample of a table's rows.

use throng::random::mix;
use throng::table::{Carried, Table};

/// Which rows to compare on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSample {
    /// How many rows; a table that has no more is taken whole.
    pub rows: u64,
    /// What the choice starts from.
    pub seed: u64,
}

impl RowSample {
    /// The sample, every set of so many rows being as likely as any other.
    ///
    /// Rows are taken or not one after the other, each with the share that is still wanted of those
    /// that are left (selection sampling). They are in the order of the tuples, so the sample does
    /// not depend on the order of the file. Of a carried column, as many rows of a tuple are drawn as were
    /// taken of it; which values of several columns went together in a row a table does not know.
    pub(super) fn take_from(self, table: &Table) -> Table {
        let mut draw = Draw { seed: self.seed, wanted: self.rows.min(table.rows()), left: table.rows() };
        let weights: Vec<u32> = table.weights().iter().map(|&rows| draw.take(rows)).collect();
        let carried = table.carried().iter().zip(1..).map(|(column, number)| {
            self.draw_values(column, key(self.seed, u64::MAX - number), &weights, table.weights())
        });
        let carried: Vec<Carried> = carried.collect();
        if let Some(population) = table.population() {
            // Who is not in the sample is still in the population.
            let columns = (0..table.attributes()).map(|a| table.column(a).to_vec()).collect();
            return Table::with_population(columns, weights, population.to_vec()).with_carried(carried);
        }
        let taken: Vec<u32> =
            (0..weights.len() as u32).filter(|&tuple| weights[tuple as usize] > 0).collect();
        let column = |a| taken.iter().map(|&tuple| table.column(a)[tuple as usize]).collect();
        let columns = (0..table.attributes()).map(column).collect();
        let spread: Vec<Option<u32>> = taken.iter().map(|&tuple| Some(tuple)).collect();
        let carried = carried.iter().map(|column| column.spread(&spread)).collect();
        Table::new(columns, weights.into_iter().filter(|&rows| rows > 0).collect()).with_carried(carried)
    }

    /// So many rows of each tuple, by their values.
    fn draw_values(self, column: &Carried, seed: u64, taken: &[u32], weights: &[u32]) -> Carried {
        let tuples = (0..taken.len()).map(|tuple| {
            let (wanted, left) = (u64::from(taken[tuple]), u64::from(weights[tuple]));
            let mut draw = Draw { seed: key(seed, tuple as u64), wanted, left };
            let drawn = column.histogram(tuple).iter().map(move |(code, rows)| (code, draw.take(rows)));
            drawn.filter(|&(_, rows)| rows > 0)
        });
        Carried::adding_up(column.name(), column.codes(), tuples)
    }
}

/// Rows that are taken or not, one after the other.
struct Draw {
    seed: u64,
    /// How many are still to be taken.
    wanted: u64,
    /// How many are still to come.
    left: u64,
}

impl Draw {
    /// How many of the next rows are taken.
    fn take(&mut self, rows: u32) -> u32 {
        (0..rows).map(|_| self.take_one()).sum()
    }

    fn take_one(&mut self) -> u32 {
        let draw = u128::from(key(self.seed, self.left)) * u128::from(self.left);
        let taken = (draw >> 64) < u128::from(self.wanted);
        self.left -= 1;
        self.wanted -= u64::from(taken);
        u32::from(taken)
    }
}

/// A well-mixed number for each of those that a seed numbers.
fn key(seed: u64, number: u64) -> u64 {
    mix(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number.wrapping_add(1).wrapping_mul(0xD134_2543_DE82_EF95))
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
        let sampled = RowSample { rows: 300, seed: 4 }.take_from(&whole);
        assert_eq!(sampled.rows(), 300);
        for (tuple, &rows) in sampled.weights().iter().enumerate() {
            let leaf = sampled.column(0)[tuple];
            assert_eq!(sampled.column(1)[tuple], leaf + 50);
            assert!(rows <= whole.weights()[leaf as usize]);
        }
        assert_eq!(RowSample { rows: 300, seed: 4 }.take_from(&whole), sampled);
        assert_ne!(RowSample { rows: 300, seed: 5 }.take_from(&whole), sampled);
    }

    #[test]
    fn values_are_drawn_with_their_rows() {
        let values = |tuple: u32| (0..=tuple).map(|row| row % 7).collect::<Vec<u32>>();
        let values: Vec<Vec<u32>> = (0..50).map(values).collect();
        let carried = |name| Carried::from_codes(name, &values);
        let whole = table().with_carried(vec![carried("a"), carried("b")]);
        let sampled = RowSample { rows: 300, seed: 4 }.take_from(&whole);
        assert_eq!(sampled.weights(), RowSample { rows: 300, seed: 4 }.take_from(&table()).weights());
        for (tuple, &rows) in sampled.weights().iter().enumerate() {
            let of_whole = sampled.column(0)[tuple] as usize;
            for column in 0..2 {
                let (taken, all) = (&sampled.carried()[column], &whole.carried()[column]);
                assert_eq!(taken.histogram(tuple).rows(), u64::from(rows));
                assert!(
                    taken
                        .histogram(tuple)
                        .iter()
                        .all(|(code, rows)| rows <= all.histogram(of_whole).count(code))
                );
            }
        }
        assert_ne!(
            sampled.carried()[0].histogram(40).iter().collect::<Vec<_>>(),
            sampled.carried()[1].histogram(40).iter().collect::<Vec<_>>()
        );
        assert_eq!(RowSample { rows: 1275, seed: 4 }.take_from(&whole), whole);
    }

    #[test]
    fn a_sample_of_more_rows_than_there_are_is_the_table() {
        for rows in [1275, 9999] {
            assert_eq!(RowSample { rows, seed: 1 }.take_from(&table()), table());
        }
    }

    #[test]
    fn every_row_is_as_likely_as_any_other() {
        let mut taken = [0u32; 50];
        for seed in 0..400 {
            let sampled = RowSample { rows: 255, seed }.take_from(&table());
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
