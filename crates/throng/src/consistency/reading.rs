//! What the labels of any table stand for, as a reader with the hierarchy of the column would find out.

use rustc_hash::FxHashMap;

use super::labels::LeafLabels;
use crate::taxonomy::{ANY, Leaves, Taxonomy, ValueId};

/// What the labels of one column stand for; they are known by their numbers.
pub struct Reading {
    pub(super) labels: LeafLabels,
}

impl Reading {
    /// Reads labels, which are numbered in their order: `*`, values of the taxonomy, ranges and sets of its
    /// leaves as its scheme spells them, and what `foreign` knows of others. `leaf_with` finds a leaf by its
    /// text.
    ///
    /// # Errors
    /// The number of the first label that stands for nothing.
    pub fn new<'l>(
        taxonomy: &Taxonomy,
        labels: impl Iterator<Item = &'l str>,
        leaf_with: impl Fn(&str) -> Option<ValueId>,
        foreign: impl Fn(&str) -> Option<Leaves>,
    ) -> Result<Reading, usize> {
        let known: FxHashMap<&str, ()> =
            taxonomy.values().iter().map(|value| (value.label.as_str(), ())).collect();
        let (mut numbers, mut made) = (FxHashMap::default(), Vec::new());
        for (number, label) in labels.enumerate() {
            let leaves = taxonomy.read_made(label, &leaf_with).filter(|_| label != ANY);
            let in_tree = label == ANY || known.contains_key(label);
            let leaves = leaves.or_else(|| if in_tree { None } else { foreign(label) });
            if leaves.is_none() && !in_tree {
                return Err(number);
            }
            numbers.insert(label, number as u32);
            made.push(leaves.into_iter().collect());
        }
        let any = numbers.get(ANY).copied();
        let of_value = |value: ValueId| numbers.get(taxonomy.label(value)).copied();
        Ok(Reading { labels: LeafLabels::read(taxonomy, of_value, any, made) })
    }

    /// Reads a sensitive column as a further attribute, for an adversary who knows its value of some people. It has so
    /// many values, by number. The next number stands for a value that she does not know in the original, and for a
    /// missing one in the release: either is consistent with all.
    pub(crate) fn of_known(values: u32) -> Reading {
        Reading { labels: LeafLabels::of_known(values) }
    }
}
