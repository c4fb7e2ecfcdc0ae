//! What each value of a column occurs together with.

/// For each value of a column, how its rows are distributed over the values of other columns.
///
/// The values of each other column are in a few bins; the distribution over the bins of a column
/// is the value's *profile* there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoOccurrence {
    values: usize,
    /// For each other column, its bins and the rows of each (value, bin).
    columns: Vec<(usize, Vec<u64>)>,
}

impl CoOccurrence {
    /// Nothing yet, for a column of so many values.
    pub fn new(values: usize) -> CoOccurrence {
        CoOccurrence { values, columns: Vec::new() }
    }

    /// Adds another column: `pairs` are (value, bin, rows), in any order, with bins below `bins`.
    ///
    /// # Panics
    /// If a value or a bin is out of range.
    pub fn add_column(&mut self, bins: usize, pairs: impl Iterator<Item = (usize, usize, u64)>) {
        let mut counts = vec![0; self.values * bins];
        for (value, bin, rows) in pairs {
            assert!(bin < bins, "a bin of the column");
            counts[value * bins + bin] += rows;
        }
        self.columns.push((bins, counts));
    }

    /// Number of values.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// The profiles of groups of values, as points whose distance says how different they are:
    /// the square roots of the shares (Hellinger), of all columns one after the other.
    ///
    /// The profile of a rare group is drawn towards that of the whole table, as a few rows say
    /// little about it: `PRIOR_ROWS` rows of the whole are added to each.
    pub(super) fn points(&self, group_of: impl Fn(usize) -> Option<usize>, groups: usize) -> Vec<Vec<f64>> {
        let mut points = vec![Vec::new(); groups];
        for (bins, counts) in &self.columns {
            let mut sums = vec![0.0; groups * bins];
            for value in 0..self.values {
                let Some(group) = group_of(value) else { continue };
                let into = &mut sums[group * bins..(group + 1) * bins];
                into.iter_mut().zip(&counts[value * bins..]).for_each(|(sum, &rows)| *sum += rows as f64);
            }
            let whole = prior(&sums, *bins);
            for (point, sums) in points.iter_mut().zip(sums.chunks(*bins)) {
                let rows: f64 = sums.iter().sum::<f64>() + PRIOR_ROWS;
                point.extend(sums.iter().zip(&whole).map(|(sum, prior)| ((sum + prior) / rows).sqrt()));
            }
        }
        points
    }
}

const PRIOR_ROWS: f64 = 10.0;

/// The distribution of all rows over the bins, as `PRIOR_ROWS` rows.
fn prior(sums: &[f64], bins: usize) -> Vec<f64> {
    let mut whole = vec![0.0; bins];
    for of_group in sums.chunks(bins) {
        whole.iter_mut().zip(of_group).for_each(|(sum, rows)| *sum += rows);
    }
    let total: f64 = whole.iter().sum::<f64>().max(1.0);
    whole.iter().map(|sum| sum * PRIOR_ROWS / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
    }

    #[test]
    fn alike_values_are_near() {
        let mut pairs = CoOccurrence::new(3);
        let counts = [(0, 0, 90), (0, 1, 10), (1, 0, 180), (1, 1, 20), (2, 0, 10), (2, 1, 90)];
        pairs.add_column(2, counts.into_iter());
        let points = pairs.points(Some, 3);
        assert!(distance(&points[0], &points[1]) < 0.01);
        assert!(distance(&points[0], &points[2]) > 0.5);
    }

    #[test]
    fn rare_values_say_little() {
        let mut pairs = CoOccurrence::new(3);
        pairs.add_column(2, [(0, 0, 1000), (1, 1, 1), (2, 1, 1000)].into_iter());
        let points = pairs.points(Some, 3);
        assert!(distance(&points[0], &points[1]) < distance(&points[0], &points[2]) / 2.0);
    }

    #[test]
    fn groups_are_pooled() {
        let mut pairs = CoOccurrence::new(3);
        pairs.add_column(2, [(0, 0, 5), (1, 1, 5), (2, 0, 5), (2, 1, 5)].into_iter());
        let points = pairs.points(|value| Some(usize::from(value == 2)), 2);
        assert!(distance(&points[0], &points[1]) < 1e-12);
        assert_eq!(pairs.points(|value| (value == 0).then_some(0), 1).len(), 1);
    }
}
