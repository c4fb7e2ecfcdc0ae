//! Distances between categories by the similarity of their frequencies.

use super::centre::Values;

/// The counts of an attribute's values in the rows of a contingency table that a centre looks
/// at, and the distances that follow.
pub(super) struct Distances {
    cardinality: usize,
    counts: Vec<u64>,
    /// Values that have been counted.
    counted: Vec<u32>,
    /// Distances of counted values.
    of: Vec<f64>,
    /// The distance of all others.
    elsewhere: f64,
    /// Counts of the centre's values.
    inside: Vec<u64>,
    /// Unlike counted values, [`ELSEWHERE`] for all others.
    unlike: Vec<(u64, u32)>,
}

/// The values that have not been counted.
const ELSEWHERE: u32 = u32::MAX;

impl Distances {
    /// Of an attribute with codes below `values`.
    pub(super) fn new(values: usize, cardinality: usize) -> Distances {
        Distances {
            cardinality,
            counts: vec![0; values],
            counted: Vec::new(),
            of: vec![0.0; values],
            elsewhere: 0.0,
            inside: Vec::new(),
            unlike: Vec::new(),
        }
    }

    /// Forgets all counts.
    pub(super) fn clear(&mut self) {
        self.counted.drain(..).for_each(|value| self.counts[value as usize] = 0);
    }

    /// Counts rows of a value.
    pub(super) fn count(&mut self, value: u32, rows: u32) {
        if rows > 0 {
            if self.counts[value as usize] == 0 {
                self.counted.push(value);
            }
            self.counts[value as usize] += u64::from(rows);
        }
    }

    /// The distance of a value from the centre.
    pub(super) fn distance(&self, value: u32) -> f64 {
        if self.counts[value as usize] > 0 { self.of[value as usize] } else { self.elsewhere }
    }

    /// Defines the distances from the values of a centre, all of which have been counted.
    ///
    /// `occurring` is how many values are left in the table, `least` the least distance of the
    /// attributes before. Gives the least distance of this one, or `least` if it has none.
    pub(super) fn define(&mut self, centre: &Values, occurring: usize, least: f64) -> f64 {
        if self.cardinality <= 2 {
            self.counted.iter().for_each(|&v| self.of[v as usize] = f64::from(u8::from(!centre.has(v))));
            self.elsewhere = 1.0;
            return least;
        }
        self.rank(centre, occurring);
        let mut distance = least;
        for alike in self.unlike.chunk_by(|a, b| a.0 == b.0) {
            distance /= (self.cardinality - 1) as f64;
            for &(_, value) in alike {
                match value {
                    ELSEWHERE => self.elsewhere = distance,
                    value => self.of[value as usize] = distance,
                }
            }
        }
        distance
    }

    /// Sorts the values outside of the centre by how unlike they are, most first.
    ///
    /// Shares of the same rows differ as their counts do.
    fn rank(&mut self, centre: &Values, occurring: usize) {
        self.inside.clear();
        self.inside.extend(centre.list().iter().map(|&value| self.counts[value as usize]));
        self.inside.sort_unstable();
        centre.list().iter().for_each(|&value| self.of[value as usize] = 0.0);
        let outside = self.counted.iter().filter(|&&value| !centre.has(value));
        self.unlike.clear();
        for &value in outside {
            self.unlike.push((difference(&self.inside, self.counts[value as usize]), value));
        }
        if occurring > self.counted.len() {
            self.unlike.push((self.inside[0], ELSEWHERE));
        }
        self.unlike.sort_unstable_by(|a, b| b.cmp(a));
    }
}

/// How far a count is from the nearest of others, which are sorted.
fn difference(others: &[u64], count: u64) -> u64 {
    let above = others.partition_point(|&other| other < count);
    let near = &others[above.saturating_sub(1)..others.len().min(above + 1)];
    near.iter().map(|&other| other.abs_diff(count)).min().expect("a centre has values")
}
