//! Which generalised value a released cell is, given the original one.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use throng::taxonomy::{Closure, Leaves, Scheme, ValueId};

use crate::prepare::{EncodedColumn, Numbered};
use crate::wording::Message;

/// The released labels of one attribute that were looked up so far.
pub(super) struct LabelCovers<'a> {
    attribute: &'a EncodedColumn,
    has_hierarchy: bool,
    /// The value of a leaf and the code of a label.
    known: FxHashMap<(ValueId, u32), ValueId>,
    /// Ranges or sets that were released, and their ids, which follow those of the taxonomy.
    made: Vec<Leaves>,
    made_ids: FxHashMap<Leaves, ValueId>,
    /// Labels that show numbers of people, by their codes: the rows tell what each stands for.
    learned: FxHashMap<u32, Learned>,
}

/// What a label was found to stand for: its id, and the leaves of the rows that have it.
struct Learned {
    id: ValueId,
    leaves: BTreeSet<ValueId>,
}

impl<'a> LabelCovers<'a> {
    pub(super) fn new(attribute: &'a EncodedColumn, has_hierarchy: bool) -> LabelCovers<'a> {
        LabelCovers {
            attribute,
            has_hierarchy,
            known: FxHashMap::default(),
            made: Vec::new(),
            made_ids: FxHashMap::default(),
            learned: FxHashMap::default(),
        }
    }

    /// The ranges or sets that were released, in the order of their ids.
    pub(super) fn into_made(mut self) -> Vec<Leaves> {
        let first = self.attribute.taxonomy.values().len();
        // Each has a place of its own, whatever the order here.
        for Learned { id, leaves } in self.learned.into_values() {
            self.made[id as usize - first] = Leaves::Set(leaves.into_iter().collect());
        }
        self.made
    }

    pub(super) fn attribute(&self) -> &'a EncodedColumn {
        self.attribute
    }

    /// The value that covers the leaf and is shown as `label`, whose code is `code`.
    ///
    /// # Errors
    /// If there is none; the sentence says why, without the label.
    pub(super) fn find(&mut self, leaf: ValueId, code: u32, label: &str) -> Result<ValueId, Message> {
        if let Some(&value) = self.known.get(&(leaf, code)) {
            return Ok(value);
        }
        let attribute = self.attribute;
        if let Some(numbered) = attribute.numbered(label) {
            let value = self.learn(leaf, code, &numbered)?;
            self.known.insert((leaf, code), value);
            return Ok(value);
        }
        let value = match attribute.read(label, leaf) {
            Some(Closure::Value(value)) => value,
            Some(Closure::Made(leaves)) => self.number(leaves),
            None => return Err(self.explain(label)),
        };
        self.known.insert((leaf, code), value);
        Ok(value)
    }

    /// Notes that a label which shows numbers stands for a leaf, too.
    ///
    /// # Errors
    /// If these would be more leaves than it has numbers.
    fn learn(&mut self, leaf: ValueId, code: u32, numbered: &Numbered) -> Result<ValueId, Message> {
        let next = self.next_id();
        let learned = self.learned.entry(code).or_insert(Learned { id: next, leaves: BTreeSet::new() });
        if learned.id == next {
            // A set of its own even where another is the same: it may grow.
            self.made.push(Leaves::Set([leaf].into()));
        }
        learned.leaves.insert(leaf);
        let most = match numbered {
            Numbered::Value(_) => 1,
            Numbered::Set(numbers, others) => numbers.len() + others,
            Numbered::Group(..) => usize::MAX,
        };
        match learned.leaves.len() <= most {
            true => Ok(learned.id),
            false => Err((
                "the released number is shown for more values than it can stand for",
                "are the rows in the same order as in the original?",
            )
                .into()),
        }
    }

    fn next_id(&self) -> ValueId {
        (self.attribute.taxonomy.values().len() + self.made.len()) as ValueId
    }

    fn number(&mut self, leaves: Leaves) -> ValueId {
        let next = self.next_id();
        let id = *self.made_ids.entry(leaves.clone()).or_insert(next);
        if id == next {
            self.made.push(leaves);
        }
        id
    }

    fn explain(&self, label: &str) -> Message {
        if self.attribute.taxonomy.values().iter().any(|value| value.label == label) {
            (
                "the released value does not cover the original one",
                "are the rows in the same order as in the original?",
            )
                .into()
        } else if self.attribute.taxonomy.scheme() != Scheme::Tree {
            "the released value is not a range or set of the original's values that includes this one; are the rows in the same order as in the original?"
                .into()
        } else if self.has_hierarchy {
            (
                "the released value is not in the hierarchy, so it covers nothing",
                "is this the release's hierarchy?",
            )
                .into()
        } else {
            (
                "the released value is neither the original one nor '*', and the column has no hierarchy",
                "name that of the release (--qi COLUMN=HIERARCHY, or in a job file)",
            )
                .into()
        }
    }
}
