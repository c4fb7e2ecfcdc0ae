//! The third adversary of *k-Anonymization Revisited* (section IV-A), who also knows the private values of some people.
//!
//! The paper leaves her to a full version. She has all that the second has, and for some rows of the original the value
//! of one sensitive column; so she strikes out every pair of such a row and a released one that shows another value. What
//! remains of the consistency graph has its own maximum matchings, and their edges are her matches. To her the
//! column is a further attribute, in which a known value is consistent with itself and an unknown one with all. A released row
//! without a value may be anybody's.

use super::{Links, SeenValues, values_of_records};
use crate::consistency::{Crossed, Reading, Released};
use crate::table::Table;

/// What the third adversary knows of a sensitive column; equal numbers are equal values in both tables.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// For each original tuple, the value that she knows its rows to have; none if she does not know it.
    pub of_originals: Vec<Option<u32>>,
    /// For each released tuple, the value that its rows show; none where it is missing.
    pub shown: Vec<Option<u32>>,
}

impl Known {
    /// A number that is above all values.
    fn values(&self) -> u32 {
        let values = self.of_originals.iter().chain(&self.shown).flatten();
        values.max().map_or(0, |greatest| greatest + 1)
    }
}

/// Attacks as the third adversary would. What she links are the rows whose value she does not know: those that she
/// knows have no links.
///
/// # Panics
/// If the tables have not the attributes of the readings, or not the tuples of what is known.
pub fn attack_knowing(
    originals: &Table,
    mut readings: Vec<Reading>,
    released: &Released,
    known: &Known,
) -> Links {
    let values = known.values();
    let or_none =
        |column: &[Option<u32>]| -> Vec<u32> { column.iter().map(|value| value.unwrap_or(values)).collect() };
    let with = |mut columns: Vec<Vec<u32>>, column: &[Option<u32>]| {
        columns.push(or_none(column));
        columns
    };
    let quasi = (0..readings.len()).map(|a| originals.column(a).to_vec()).collect();
    let originals = Table::new(with(quasi, &known.of_originals), originals.weights().to_vec());
    let released = Released {
        columns: with(released.columns.clone(), &known.shown),
        weights: released.weights.clone(),
        sensitive: released.sensitive.clone(),
    };
    readings.push(Reading::of_known(values));
    let graph = Crossed::new(&originals, readings, &released);
    let seen: Vec<Vec<SeenValues>> =
        released.sensitive.iter().map(|values| values_of_records(&graph, values)).collect();
    let is_unknown = |tuple: usize| known.of_originals[tuple].is_none();
    Links::new(&graph, &seen, |tuple| graph.matches(tuple).filter(move |_| is_unknown(tuple)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::Taxonomy;

    /// People who look alike, by the values that are known of them, and as many released rows with these values.
    fn alike(of_originals: &[Option<u32>], shown: &[Option<u32>]) -> Links {
        let flat = Taxonomy::flat(&["x"]).unwrap();
        let read = Reading::new(&flat, ["x"].into_iter(), |_| None, |_| None).unwrap();
        let originals = Table::new(vec![vec![0; of_originals.len()]], vec![1; of_originals.len()]);
        let released = Released {
            columns: vec![vec![0; shown.len()]],
            weights: vec![1; shown.len()],
            sensitive: vec![shown.to_vec()],
        };
        let known = Known { of_originals: of_originals.to_vec(), shown: shown.to_vec() };
        attack_knowing(&originals, vec![read], &released, &known)
    }

    /// A class of k rows with k values: k − 1 known ones tell the last, fewer tell none.
    #[test]
    fn who_knows_all_but_one_knows_the_last() {
        let shown = [Some(0), Some(1), Some(2), Some(3)];
        let links = alike(&[Some(3), None, Some(0), Some(2)], &shown);
        assert_eq!((&links.rows, &links.certain_rows), (&vec![0, 1, 0, 0], &vec![1]));
        let links = alike(&[Some(3), None, Some(0), None], &shown);
        assert_eq!((&links.rows, &links.certain_rows), (&vec![0, 2, 0, 2], &vec![0]));
        let links = alike(&[None; 4], &shown);
        assert_eq!((&links.rows, &links.certain_rows), (&vec![4; 4], &vec![0]));
    }

    #[test]
    fn a_row_without_a_value_may_be_of_whoever_she_knows() {
        let links = alike(&[Some(7), None], &[Some(7), None]);
        assert_eq!((links.rows, links.certain_rows), (vec![0, 2], vec![1]));
        let links = alike(&[Some(5), None], &[Some(7), None]);
        assert_eq!((links.rows, links.certain_rows), (vec![0, 1], vec![1]));
    }

    #[test]
    fn who_knows_everybody_links_nobody_else() {
        let links = alike(&[Some(1), Some(0)], &[Some(0), Some(1)]);
        assert_eq!((&links.rows, links.fewest(), &links.certain_rows), (&vec![0, 0], 0, &vec![0]));
    }
}
