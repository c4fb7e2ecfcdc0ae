//! A taxonomy while it grows upwards, level by level.

use rustc_hash::FxHashMap;

use super::{ANY, Places, Scheme, Taxonomy, TaxonomyError, Value, ValueId, line};

/// The levels so far; obeys the invariants of [`Taxonomy`], except that there is no root yet.
pub(super) struct TreeBuilder {
    values: Vec<Value>,
    levels: Vec<Vec<ValueId>>,
}

impl TreeBuilder {
    /// Level 0; the labels are distinct, and there is at least one.
    pub(super) fn leaves<'a>(labels: impl Iterator<Item = &'a str>) -> TreeBuilder {
        let leaf = |(id, label): (usize, &str)| Value {
            label: label.to_owned(),
            leaf_count: 1,
            parent: id as ValueId,
            level: 0,
            extent: None,
        };
        let values: Vec<Value> = labels.enumerate().map(leaf).collect();
        let levels = vec![(0..values.len() as ValueId).collect()];
        TreeBuilder { values, levels }
    }

    /// Adds the next coarser level; `labels` has one entry per leaf.
    pub(super) fn push_level<'a>(
        &mut self,
        labels: impl Iterator<Item = &'a str>,
    ) -> Result<(), TaxonomyError> {
        let level = self.levels.len();
        let labels: Vec<&str> = labels.collect();
        let mut id_of: FxHashMap<&str, ValueId> = FxHashMap::default();
        for (label, children) in gather(&labels, &self.levels[level - 1], level)? {
            id_of.insert(label, self.adopt(label, &children, level));
        }
        self.levels.push(labels.iter().map(|label| id_of[label]).collect());
        Ok(())
    }

    /// Puts one value above its children.
    fn adopt(&mut self, label: &str, children: &[ValueId], level: usize) -> ValueId {
        // A value that is repeated with the same leaves is the same value, one level higher.
        if let [only] = *children
            && self.values[only as usize].label == label
        {
            return only;
        }
        let id = self.values.len() as ValueId;
        let mut leaf_count = 0;
        for &child in children {
            let child = &mut self.values[child as usize];
            child.parent = id;
            leaf_count += child.leaf_count;
        }
        self.values.push(Value { label: label.to_owned(), leaf_count, parent: id, level, extent: None });
        id
    }

    /// Adds the level where one value covers everything.
    pub(super) fn push_top(&mut self) {
        let any = vec![ANY; self.levels[0].len()];
        self.push_level(any.into_iter()).expect("a single value splits nothing");
    }

    /// The value of each leaf at the highest level so far.
    pub(super) fn top(&self) -> &[ValueId] {
        self.levels.last().expect("level 0 exists")
    }

    /// The taxonomy of these levels, with a root above them if the last is not a single value.
    ///
    /// Leaves that look like numbers or dates have extents, unless values above them are masks: then
    /// they are codes.
    pub(super) fn finish(mut self) -> Taxonomy {
        let mut top = self.top().to_vec();
        top.sort_unstable();
        top.dedup();
        let root = match top[..] {
            [only] => only,
            // Not a level of the lattice: only suppression reaches it.
            _ => self.adopt(ANY, &top, self.levels.len()),
        };
        let missing =
            self.levels[0].iter().copied().find(|&leaf| self.values[leaf as usize].label.is_empty());
        let (leaves, above) = self.values.split_at(self.levels[0].len());
        let positions = match above.iter().any(|value| is_mask(&value.label)) {
            true => vec![None; leaves.len()],
            false => line::find(leaves.iter().map(|leaf| leaf.label.as_str())),
        };
        let TreeBuilder { values, levels } = self;
        Taxonomy { values, levels, root, missing, scheme: Scheme::Tree, places: Places::default() }
            .with_positions(&positions)
    }
}

/// Whether a label shows some characters and a star for the others: `123**`.
pub(super) fn is_mask(label: &str) -> bool {
    label.trim_matches('*') != label && !label.bytes().all(|byte| byte == b'*')
}

/// The values of the level below that each label of a level stands for, in order of appearance.
fn gather<'a>(
    labels: &[&'a str],
    below: &[ValueId],
    level: usize,
) -> Result<Vec<(&'a str, Vec<ValueId>)>, TaxonomyError> {
    // The label that each value of the level below goes to, and the row that said so.
    let mut goes_to: FxHashMap<ValueId, (&str, usize)> = FxHashMap::default();
    let mut place_of: FxHashMap<&str, usize> = FxHashMap::default();
    let mut gathered: Vec<(&str, Vec<ValueId>)> = Vec::new();
    for (leaf, (&label, &from)) in labels.iter().zip(below).enumerate() {
        let row = leaf + 1;
        let (said, earlier) = *goes_to.entry(from).or_insert((label, row));
        if said != label {
            return Err(TaxonomyError::NotCoarser { row, earlier, level });
        }
        if earlier == row {
            let place = *place_of.entry(label).or_insert(gathered.len());
            if place == gathered.len() {
                gathered.push((label, Vec::new()));
            }
            gathered[place].1.push(from);
        }
    }
    Ok(gathered)
}
