//! The lowest common ancestor of any two values.

use super::preorder::{Span, preorder};
use super::{Taxonomy, ValueId};

/// Largest table of common ancestors that is worth making: 4 Mi entries.
const MAX_TABLE: usize = 1 << 22;

/// The lowest common ancestors of a tree.
#[derive(Clone, Debug)]
pub(crate) enum Joins {
    /// Of every pair, by row.
    Table {
        /// Entries of a row.
        values: usize,
        /// The entries.
        of: Vec<ValueId>,
    },
    /// Each value's parent and span, to climb by where a table would be too large.
    Climb(Vec<(ValueId, Span)>),
}

impl Joins {
    /// The joins of a taxonomy's values.
    pub(crate) fn new(taxonomy: &Taxonomy) -> Joins {
        let parents: Vec<ValueId> = taxonomy.values().iter().map(|value| value.parent).collect();
        let values = parents.len();
        if values * values > MAX_TABLE {
            let spans = preorder(&parents);
            return Joins::Climb(parents.into_iter().zip(spans).collect());
        }
        Joins::Table { values, of: table(&parents) }
    }

    /// The lowest value that covers both.
    #[inline]
    pub(crate) fn join(&self, a: ValueId, b: ValueId) -> ValueId {
        match self {
            Joins::Table { values, of } => of[a as usize * values + b as usize],
            Joins::Climb(nodes) => climb(nodes, a, b),
        }
    }
}

/// The lowest common ancestors of all pairs, by row.
///
/// A parent has a greater number than its children, so a value covers none with a greater number
/// than its own, and has the same common ancestors with these as its parent has.
fn table(parents: &[ValueId]) -> Vec<ValueId> {
    let values = parents.len();
    let mut of = vec![0; values * values];
    for value in (0..values).rev() {
        let parent = parents[value] as usize;
        debug_assert!(parent >= value, "parents come after their children");
        of[value * values + value] = value as ValueId;
        of.copy_within(parent * values + value + 1..(parent + 1) * values, value * values + value + 1);
        for other in value + 1..values {
            of[other * values + value] = of[value * values + other];
        }
    }
    of
}

#[inline]
fn climb(nodes: &[(ValueId, Span)], mut a: ValueId, b: ValueId) -> ValueId {
    let place = nodes[b as usize].1.start;
    loop {
        let (parent, span) = nodes[a as usize];
        if span.contains(place) {
            return a;
        }
        a = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_climbing_agree_with_the_taxonomy() {
        let deep: Vec<Vec<String>> = (0..30)
            .map(|i| vec![i.to_string(), format!("a{}", i / 4), format!("b{}", i / 8), "*".into()])
            .collect();
        // Unbalanced, and without a value for all.
        let open = [["a", "ab", "abc"], ["b", "ab", "abc"], ["c", "c", "abc"], ["d", "d", "d"]];
        let open: Vec<Vec<String>> = open.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        for rows in [deep, open, vec![vec!["only".to_owned()]]] {
            let taxonomy = Taxonomy::from_rows(&rows).unwrap();
            let parents: Vec<ValueId> = taxonomy.values().iter().map(|value| value.parent).collect();
            let nodes: Vec<(ValueId, Span)> = parents.iter().copied().zip(preorder(&parents)).collect();
            let joins = Joins::new(&taxonomy);
            for a in 0..parents.len() as ValueId {
                for b in 0..parents.len() as ValueId {
                    let expected = taxonomy.lowest_common_ancestor(a, b);
                    assert_eq!(joins.join(a, b), expected);
                    assert_eq!(climb(&nodes, a, b), expected);
                }
            }
        }
    }
}
