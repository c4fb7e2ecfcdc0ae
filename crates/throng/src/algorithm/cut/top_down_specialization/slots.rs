//! The values of the cut so far, and what each would be divided into.

use crate::algorithm::cut::trees::AttributeTree;
use crate::algorithm::cut::worth::{Rows, Worth};
use crate::algorithm::variant::Description;
use crate::problem::Problem;
use crate::taxonomy::{Closure, Scheme, ValueId};

/// A value and the leaves that it stands for.
type Part = (Closure, Vec<ValueId>);

/// A value of the cut, or one that was.
pub(super) struct Slot {
    pub(super) attribute: usize,
    pub(super) value: Closure,
    /// What it would be divided into; nothing if that is of no use.
    pub(super) children: Vec<Part>,
    /// What dividing it is worth.
    pub(super) worth: f64,
    /// Whether it is a value of the cut that may still be divided.
    pub(super) open: bool,
}

/// All values that ever were in the cut, by number.
pub(super) struct CutValues<'p> {
    pub(super) problem: &'p Problem,
    pub(super) description: Description,
    worth: Worth<'p>,
    trees: Vec<AttributeTree>,
    pub(super) all: Vec<Slot>,
    /// By attribute and leaf, the slot of the leaf and the child of it that the leaf would go to.
    of_leaf: Vec<Vec<(u32, u32)>>,
    /// Whether numbers without a hierarchy may become ranges.
    ranges: bool,
}

impl<'p> CutValues<'p> {
    /// The values of the top levels. The original masks what is in a shield, and leaves all else as it is.
    pub(super) fn top(problem: &'p Problem, description: Description) -> CutValues<'p> {
        let attributes = problem.attributes();
        let mut slots = CutValues {
            problem,
            description,
            worth: Worth::new(problem),
            trees: (0..attributes.len()).map(|a| AttributeTree::new(problem, a)).collect(),
            all: Vec::new(),
            of_leaf: attributes.iter().map(|of| vec![(0, 0); of.taxonomy.leaf_total()]).collect(),
            // Members of a population that are not in the table have no place in a local recoding.
            ranges: problem.table().population().is_none(),
        };
        for (a, attribute) in attributes.iter().enumerate() {
            let keeps = description == Description::Original && !is_shielded(problem, a);
            let lowest = |attribute: &crate::problem::Attribute| {
                let level = problem.lattice().floors()[a].into();
                let mut values = attribute.taxonomy.level_values(level).to_vec();
                values.sort_unstable();
                values.dedup();
                values
            };
            for value in if keeps { lowest(attribute) } else { slots.trees[a].top() } {
                let leaves = slots.trees[a].leaves(value);
                slots.push(a, Closure::Value(value), leaves);
            }
        }
        slots
    }

    fn push(&mut self, attribute: usize, value: Closure, leaves: Vec<ValueId>) {
        let number = self.all.len() as u32;
        let children = self.divide(attribute, &value, &leaves);
        let whole = self.worth.rows(self.problem, attribute, &value, &leaves);
        let rows = |(value, leaves): &Part| self.worth.rows(self.problem, attribute, value, leaves);
        let parts: Vec<Rows> = children.iter().map(rows).filter(|part| part.all > 0).collect();
        let worth = match self.description {
            Description::Improved if parts.len() < 2 => None,
            _ if parts.is_empty() => None,
            Description::Original => self.worth.of_step(&whole, &parts),
            _ => self.worth.of_telling_apart(&whole, &parts),
        };
        let children = if worth.is_some() { children } else { Vec::new() };
        leaves.iter().for_each(|&leaf| self.of_leaf[attribute][leaf as usize] = (number, 0));
        for (child, (_, leaves)) in (0..).zip(&children) {
            leaves.iter().for_each(|&leaf| self.of_leaf[attribute][leaf as usize] = (number, child));
        }
        let open = worth.is_some();
        self.all.push(Slot { attribute, value, children, worth: worth.unwrap_or(0.0), open });
    }

    /// The slot of a leaf and the child of it that the leaf would go to.
    #[inline]
    pub(super) fn range(&self, attribute: usize, leaf: ValueId) -> (u32, u32) {
        self.of_leaf[attribute][leaf as usize]
    }

    /// Puts the children of a slot in its place.
    pub(super) fn specialise(&mut self, slot: u32) {
        let slot = &mut self.all[slot as usize];
        slot.open = false;
        let (attribute, children) = (slot.attribute, std::mem::take(&mut slot.children));
        children.into_iter().for_each(|(value, leaves)| self.push(attribute, value, leaves));
    }

    /// What a value is divided into: its children; improved, the first values below it between which its rows are
    /// divided, together with those on the way that have no rows, and none if all its rows have one leaf.
    fn divide(&self, a: usize, value: &Closure, leaves: &[ValueId]) -> Vec<Part> {
        if self.ranges && self.problem.attributes()[a].taxonomy.scheme() == Scheme::Ranges {
            return self.divide_range(a, value, leaves);
        }
        let Closure::Value(value) = value else { unreachable!("only ranges are made") };
        let tree = &self.trees[a];
        let part = |value: ValueId| (Closure::Value(value), tree.leaves(value));
        match self.description {
            Description::Improved => tree.divide(*value).into_iter().map(part).collect(),
            _ => tree.children(*value).iter().copied().map(part).collect(),
        }
    }

    /// Two ranges, cut where that is worth most, at the first of several such places. What is missing is on
    /// no line, and parts with the rest first.
    fn divide_range(&self, a: usize, value: &Closure, leaves: &[ValueId]) -> Vec<Part> {
        let attribute = &self.problem.attributes()[a];
        let taxonomy = &attribute.taxonomy;
        let part = |leaves: &[ValueId]| (taxonomy.close(leaves.iter().copied()), leaves.to_vec());
        let missing = taxonomy.missing();
        let (absent, numbers): (Vec<ValueId>, Vec<ValueId>) =
            leaves.iter().partition(|&&leaf| Some(leaf) == missing);
        let rows = |leaves: &[ValueId]| -> u64 {
            leaves.iter().map(|&leaf| attribute.leaf_rows()[leaf as usize]).sum()
        };
        if rows(&absent) > 0 && rows(&numbers) > 0 {
            return vec![part(&numbers), part(&absent)];
        }
        let Some(at) = self.best_split(a, value, &numbers) else { return Vec::new() };
        let (low, high) = numbers.split_at(at);
        [low, high, &absent].into_iter().filter(|leaves| !leaves.is_empty()).map(part).collect()
    }

    /// How many of the numbers are below the best cut.
    fn best_split(&self, a: usize, value: &Closure, numbers: &[ValueId]) -> Option<usize> {
        let taxonomy = &self.problem.attributes()[a].taxonomy;
        let whole = self.worth.rows(self.problem, a, value, numbers);
        let mut below = self.worth.none();
        let mut best: Option<(f64, usize)> = None;
        let mut at = 0;
        // Equal numbers that are spelled differently stay together.
        for equal in numbers.chunk_by(|&a, &b| taxonomy.place(a) == taxonomy.place(b)) {
            at += equal.len();
            self.worth.add(self.problem, a, equal, &mut below);
            let (low, high) = numbers.split_at(at);
            if below.all == 0 || below.all == whole.all || equal.iter().all(|&leaf| self.is_empty(a, leaf)) {
                continue;
            }
            let close = |of: &[ValueId]| taxonomy.close([of[0], of[of.len() - 1]].into_iter());
            let parts = self.worth.halves(a, &whole, &below, [&close(low), &close(high)]);
            let worth = self.worth.of_telling_apart(&whole, &parts);
            let better = worth.filter(|&worth| best.is_none_or(|(most, _)| worth > most));
            best = better.map(|worth| (worth, at)).or(best);
        }
        best.map(|(_, at)| at)
    }

    fn is_empty(&self, a: usize, leaf: ValueId) -> bool {
        self.problem.attributes()[a].leaf_rows()[leaf as usize] == 0
    }

    /// The value of each leaf of an attribute.
    pub(super) fn leaf_values(&self, a: usize, instead: Option<u32>) -> Vec<Closure> {
        let value = |&(slot, child): &(u32, u32)| {
            let of = &self.all[slot as usize];
            if instead == Some(slot) { of.children[child as usize].0.clone() } else { of.value.clone() }
        };
        self.of_leaf[a].iter().map(value).collect()
    }
}

/// Whether a requirement is over an attribute.
fn is_shielded(problem: &Problem, attribute: usize) -> bool {
    problem.requirements.iter().any(|one| one.shield().is_none_or(|shield| shield.contains(&attribute)))
}
