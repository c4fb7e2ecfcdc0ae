//! Which generalised value a released cell is, given the original one.

use rustc_hash::FxHashMap;

use throng::taxonomy::{Closure, Leaves, Scheme, ValueId};

use crate::prepare::EncodedColumn;

/// The released labels of one attribute that were looked up so far.
pub(super) struct Covers<'a> {
    attribute: &'a EncodedColumn,
    has_hierarchy: bool,
    /// The value of a leaf and the code of a label.
    known: FxHashMap<(ValueId, u32), ValueId>,
    /// Ranges or sets that were released, and their ids, which follow those of the taxonomy.
    made: Vec<Leaves>,
    made_ids: FxHashMap<Leaves, ValueId>,
}

impl<'a> Covers<'a> {
    pub(super) fn new(attribute: &'a EncodedColumn, has_hierarchy: bool) -> Covers<'a> {
        Covers {
            attribute,
            has_hierarchy,
            known: FxHashMap::default(),
            made: Vec::new(),
            made_ids: FxHashMap::default(),
        }
    }

    /// The ranges or sets that were released, in the order of their ids.
    pub(super) fn into_made(self) -> Vec<Leaves> {
        self.made
    }

    pub(super) fn attribute(&self) -> &'a EncodedColumn {
        self.attribute
    }

    /// The value that covers the leaf and is shown as `label`, whose code is `code`.
    ///
    /// # Errors
    /// If there is none; the sentence says why, without the label.
    pub(super) fn find(&mut self, leaf: ValueId, code: u32, label: &str) -> Result<ValueId, &'static str> {
        if let Some(&value) = self.known.get(&(leaf, code)) {
            return Ok(value);
        }
        let attribute = self.attribute;
        let value = match attribute.read(label, leaf) {
            Some(Closure::Value(value)) => value,
            Some(Closure::Made(leaves)) => self.number(leaves),
            None => return Err(self.explain(label)),
        };
        self.known.insert((leaf, code), value);
        Ok(value)
    }

    fn number(&mut self, leaves: Leaves) -> ValueId {
        let next = (self.attribute.taxonomy.values().len() + self.made.len()) as ValueId;
        let id = *self.made_ids.entry(leaves.clone()).or_insert(next);
        if id == next {
            self.made.push(leaves);
        }
        id
    }

    fn explain(&self, label: &str) -> &'static str {
        if self.attribute.taxonomy.values().iter().any(|value| value.label == label) {
            "the released value does not cover the original one; are the rows in the order of the original?"
        } else if self.attribute.taxonomy.scheme() != Scheme::Tree {
            "the released value is no range or set of the original's values with the original one in it; are \
             the rows in the order of the original?"
        } else if self.has_hierarchy {
            "the released value is not in the hierarchy, so it covers nothing; is the hierarchy that of the \
             release?"
        } else {
            "the released value is neither the original one nor '*', and the column has no hierarchy; name \
             that of the release (--qi COLUMN=HIERARCHY, or in a job file)"
        }
    }
}
