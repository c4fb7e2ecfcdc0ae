//! A cut through an attribute's tree: a value for each leaf that no level need give.
//!
//! A level is the special case in which all leaves are as high as each other. Counting, judging and
//! reporting do not care which of the two a recoding is made of.

mod trees;

pub(crate) use trees::{Raised, Trees};

use std::sync::Arc;

use thiserror::Error;

use crate::taxonomy::{Taxonomy, ValueId};

/// Values of a tree such that every leaf is below just one of them.
///
/// ```
/// use throng::{cut::Cut, taxonomy::Taxonomy};
///
/// let rows = [["Bonn", "Germany", "*"], ["Ulm", "Germany", "*"], ["Nice", "France", "*"]];
/// let place = Taxonomy::from_rows(&rows)?;
/// let germany = place.generalise(0, 1);
/// let nice = 2;
/// let cut = Cut::new(&place, &[germany, nice])?;
/// assert_eq!((0..3).map(|leaf| place.label(cut.value(leaf))).collect::<Vec<_>>(), ["Germany", "Germany", "Nice"]);
/// assert_eq!(cut.raise(&place, germany), Cut::at_level(&place, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cut {
    /// By leaf.
    values: Arc<[ValueId]>,
}

/// Why values are no cut.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CutError {
    /// A leaf below none of them.
    #[error("{leaves} values of the domain are not below any of the chosen ones")]
    Open {
        /// How many such leaves there are.
        leaves: usize,
    },
    /// A value below another.
    #[error("one of the chosen values is below another")]
    Nested,
}

impl Cut {
    /// The cut through some values.
    ///
    /// # Errors
    /// If a leaf is below none of them, or one of them below another.
    pub fn new(taxonomy: &Taxonomy, chosen: &[ValueId]) -> Result<Cut, CutError> {
        let mut is_chosen = vec![false; taxonomy.values().len()];
        chosen.iter().for_each(|&value| is_chosen[value as usize] = true);
        let of_leaf = |leaf: ValueId| {
            let mut above = taxonomy.ancestors(leaf).filter(|&value| is_chosen[value as usize]);
            (above.next(), above.next().is_some())
        };
        let found: Vec<(Option<ValueId>, bool)> =
            (0..taxonomy.leaf_total() as ValueId).map(of_leaf).collect();
        let open = found.iter().filter(|(value, _)| value.is_none()).count();
        if open > 0 {
            return Err(CutError::Open { leaves: open });
        }
        if found.iter().any(|&(_, nested)| nested) {
            return Err(CutError::Nested);
        }
        Ok(Cut { values: found.into_iter().filter_map(|(value, _)| value).collect() })
    }

    /// The cut at a level.
    pub fn at_level(taxonomy: &Taxonomy, level: usize) -> Cut {
        Cut { values: taxonomy.level_values(level).into() }
    }

    /// The value of a leaf.
    pub fn value(&self, leaf: ValueId) -> ValueId {
        self.values[leaf as usize]
    }

    /// The value of every leaf.
    pub fn leaf_values(&self) -> &[ValueId] {
        &self.values
    }

    /// The values of the cut, ascending.
    pub fn values(&self) -> Vec<ValueId> {
        let mut values = self.values.to_vec();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The cut in which a value has moved to its parent, and all that is below that parent with it.
    #[must_use]
    pub fn raise(&self, taxonomy: &Taxonomy, value: ValueId) -> Cut {
        let parent = taxonomy.values()[value as usize].parent;
        let of_leaf = |(leaf, &value): (usize, &ValueId)| {
            if taxonomy.covers(parent, leaf as ValueId) { parent } else { value }
        };
        Cut { values: self.values.iter().enumerate().map(of_leaf).collect() }
    }

    /// The highest level whose values are all at or below those of the cut.
    pub(crate) fn floor(&self, taxonomy: &Taxonomy) -> usize {
        let is_below = |level: usize| {
            let of_level = taxonomy.level_values(level);
            of_level.iter().zip(&*self.values).all(|(&low, &high)| taxonomy.covers(high, low))
        };
        (0..=taxonomy.height()).rev().find(|&level| is_below(level)).expect("leaves are below every cut")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four leaves, two of each pair under `a` and `b`; `*` above.
    fn pairs() -> Taxonomy {
        let rows = [["1", "a", "*"], ["2", "a", "*"], ["3", "b", "*"], ["4", "b", "*"]];
        Taxonomy::from_rows(&rows).unwrap()
    }

    #[test]
    fn a_cut_has_each_leaf_below_one_value() {
        let taxonomy = pairs();
        let [a, root] = [taxonomy.generalise(0, 1), taxonomy.root()];
        assert_eq!(Cut::new(&taxonomy, &[a]), Err(CutError::Open { leaves: 2 }));
        assert_eq!(Cut::new(&taxonomy, &[a, root]), Err(CutError::Nested));
        let cut = Cut::new(&taxonomy, &[a, 2, 3]).unwrap();
        assert_eq!((cut.leaf_values(), cut.values()), (&[a, a, 2, 3][..], vec![2, 3, a]));
        assert_eq!((cut.floor(&taxonomy), Cut::at_level(&taxonomy, 1).floor(&taxonomy)), (0, 1));
    }

    #[test]
    fn a_value_rises_with_all_below_its_parent() {
        let taxonomy = pairs();
        let leaves = Cut::at_level(&taxonomy, 0);
        let [a, root] = [taxonomy.generalise(0, 1), taxonomy.root()];
        let raised = leaves.raise(&taxonomy, 1);
        assert_eq!(raised.leaf_values(), [a, a, 2, 3]);
        assert_eq!(raised.raise(&taxonomy, a).leaf_values(), [root; 4]);
        assert_eq!(raised.raise(&taxonomy, 2), Cut::at_level(&taxonomy, 1));
    }
}
