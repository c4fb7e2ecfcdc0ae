//! Trees from above: what is below each value, and whether anybody has it.

use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// The tree of an attribute.
pub(super) struct AttributeTree {
    /// By value, ascending.
    children: Vec<Vec<ValueId>>,
    /// By value, whether it may not be divided, as what is below it may not be released; none if all leaves may be.
    is_lowest: Vec<bool>,
    /// By value, whether a tuple has it, also one that only the population has.
    occurs: Vec<bool>,
    /// The values of the top level, ascending.
    top: Vec<ValueId>,
    /// By value, whether it is at the top level or below.
    within: Vec<bool>,
}

impl AttributeTree {
    /// The tree of an attribute, by its place.
    pub(super) fn new(problem: &Problem, attribute: usize) -> AttributeTree {
        let taxonomy = &problem.attributes()[attribute].taxonomy;
        let values = taxonomy.values();
        let (mut children, mut occurs) = (vec![Vec::new(); values.len()], vec![false; values.len()]);
        for (value, parent) in values.iter().map(|value| value.parent).enumerate() {
            if parent as usize != value {
                children[parent as usize].push(value as ValueId);
            }
        }
        problem.table().column(attribute).iter().for_each(|&leaf| occurs[leaf as usize] = true);
        for leaf in
            (0..taxonomy.leaf_total() as ValueId).filter(|&leaf| occurs[leaf as usize]).collect::<Vec<_>>()
        {
            taxonomy.ancestors(leaf).for_each(|value| occurs[value as usize] = true);
        }
        let mut top = taxonomy.level_values(problem.lattice().heights()[attribute].into()).to_vec();
        top.sort_unstable();
        top.dedup();
        // A value that an unbalanced hierarchy repeats may be below another of the level.
        let all = top.clone();
        top.retain(|&value| {
            !taxonomy.ancestors(value).skip(1).any(|above| all.binary_search(&above).is_ok())
        });
        let mut within = vec![true; values.len()];
        let above = top.iter().flat_map(|&value| taxonomy.ancestors(value).skip(1));
        above.for_each(|above| within[above as usize] = false);
        let mut is_lowest = vec![false; values.len()];
        let floor = problem.lattice().floors()[attribute];
        // A leaf that an unbalanced hierarchy repeats above other leaves may be divided, if nothing is said.
        if floor > 0 {
            let lowest = taxonomy.level_values(floor.into());
            lowest.iter().for_each(|&value| is_lowest[value as usize] = true);
        }
        AttributeTree { children, is_lowest, occurs, top, within }
    }

    pub(super) fn top(&self) -> Vec<ValueId> {
        self.top.clone()
    }

    /// The children of a value, ascending; none if they may not be released.
    pub(super) fn children(&self, value: ValueId) -> &[ValueId] {
        if self.is_lowest[value as usize] { &[] } else { &self.children[value as usize] }
    }

    /// The values that may not be divided, ascending.
    pub(super) fn lowest(&self) -> Vec<ValueId> {
        (0..self.is_lowest.len() as ValueId).filter(|&value| self.is_lowest[value as usize]).collect()
    }

    /// The children of a value that somebody has.
    pub(super) fn occupied(&self, value: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        self.children[value as usize].iter().copied().filter(|&child| self.occurs[child as usize])
    }

    /// The leaves below a value, ascending.
    pub(super) fn leaves(&self, value: ValueId) -> Vec<ValueId> {
        let mut leaves = Vec::new();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match &self.children[value as usize][..] {
                [] => leaves.push(value),
                children => open.extend(children),
            }
        }
        leaves.sort_unstable();
        leaves
    }

    /// For each value the nearest above it, up to the top, of some.
    pub(super) fn nearest_above(&self, is_one: impl Fn(ValueId) -> bool) -> Vec<Option<ValueId>> {
        let mut above = vec![None; self.children.len()];
        let mut open: Vec<(ValueId, Option<ValueId>)> = self.top.iter().map(|&value| (value, None)).collect();
        while let Some((value, nearest)) = open.pop() {
            above[value as usize] = nearest;
            let next = if is_one(value) { Some(value) } else { nearest };
            open.extend(self.children[value as usize].iter().map(|&child| (child, next)));
        }
        above
    }

    /// Whether a value is at the top level or below it.
    pub(super) fn is_within(&self, value: ValueId) -> bool {
        self.within[value as usize]
    }

    /// Whether rows are divided between the children of a value.
    pub(super) fn divides(&self, value: ValueId) -> bool {
        self.occupied(value).nth(1).is_some()
    }

    /// The first values below one between which its rows are divided, ascending, together with those on the
    /// way that have no rows; none if all its rows have one leaf.
    pub(super) fn divide(&self, mut value: ValueId) -> Vec<ValueId> {
        let mut parts = Vec::new();
        loop {
            let children = self.children(value);
            let mut occupied = children.iter().copied().filter(|&child| self.occurs[child as usize]);
            let (Some(only), more) = (occupied.next(), occupied.next()) else { return Vec::new() };
            if more.is_some() {
                parts.extend(children);
                parts.sort_unstable();
                return parts;
            }
            parts.extend(children.iter().filter(|&&child| child != only));
            value = only;
        }
    }
}
