//! The nearest tuples of a tuple, by the cost of the closure of both.
//!
//! Tuples are grouped into a tree: each group is divided by the attribute whose crossing costs
//! most, into the values below the group's closure. A tuple that a group's closure does not cover
//! in some attribute has there the same common ancestor with every tuple of the group, so that the
//! group bounds the distance from below, and most groups are never opened. Ranges are divided into
//! shorter ones, sets into their members; the bound is the least range or set that reaches the group.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::algorithm::local::closure::Closures;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::{Taxonomy, ValueId};

/// Largest group that is not divided.
const SMALL: usize = 8;

/// Tuples searched between two looks at the clock.
const BATCH: usize = 256;

/// Most pairs of a leaf and a value that are worth a table.
const MAX_PAIRS: usize = 1 << 18;

/// Groups that are still to be opened: the bits of a lower bound, the smallest tuple, the group.
type Open = BinaryHeap<Reverse<(u64, u32, u32)>>;

/// An index of a table's tuples.
pub(crate) struct Neighbours<'p> {
    problem: &'p Problem,
    closures: &'p Closures,
    /// By attribute; the same for all parts of a problem.
    pairs: Arc<Vec<Pairs>>,
    /// Tuples in the order of the groups, and their records in the same order, one after the other.
    order: Vec<u32>,
    records: Vec<ValueId>,
    groups: Vec<Group>,
    /// The closure of each group, one after the other.
    covers: Vec<ValueId>,
}

/// A range of the order; groups that divide it are next to each other.
struct Group {
    start: usize,
    end: usize,
    children: std::ops::Range<usize>,
    /// Its smallest tuple, which ties are broken by.
    least: u32,
}

impl<'p> Neighbours<'p> {
    /// Groups the tuples of a problem.
    pub(crate) fn new(problem: &'p Problem, closures: &'p Closures) -> Neighbours<'p> {
        let order = (0..problem.table().tuples() as u32).collect();
        let (records, groups, covers) = (Vec::new(), Vec::new(), Vec::new());
        let pairs = |a: usize| Pairs::new(problem, closures, a);
        let pairs = problem.derived(|| (0..closures.attributes()).map(pairs).collect());
        let mut index = Neighbours { problem, closures, pairs, order, records, groups, covers };
        index.push_group(0, index.order.len());
        let mut next = 0;
        while next < index.groups.len() {
            index.divide(next);
            next += 1;
        }
        index.records = index.order.iter().flat_map(|&tuple| index.record(tuple)).collect();
        index
    }

    fn record(&self, tuple: u32) -> impl Iterator<Item = ValueId> + use<'p> {
        let table = self.problem.table();
        (0..table.attributes()).map(move |a| table.column(a)[tuple as usize])
    }

    fn push_group(&mut self, start: usize, end: usize) {
        let mut cover: Vec<ValueId> = self.record(self.order[start]).collect();
        for a in 0..cover.len() {
            let column = self.problem.table().column(a);
            let leaves = self.order[start + 1..end].iter().map(|&tuple| column[tuple as usize]);
            cover[a] = leaves.fold(cover[a], |cover, leaf| self.closures.join(a, cover, leaf));
        }
        self.covers.extend(cover);
        let least = *self.order[start..end].iter().min().expect("no group is empty");
        self.groups.push(Group { start, end, children: 0..0, least });
    }

    fn cover(&self, group: usize) -> &[ValueId] {
        let width = self.closures.attributes();
        &self.covers[group * width..][..width]
    }

    fn divide(&mut self, group: usize) {
        let (start, end) = (self.groups[group].start, self.groups[group].end);
        if end - start <= SMALL {
            return;
        }
        let Some((attribute, cover)) = self.widest(group) else { return };
        let taxonomy = &self.problem.attributes()[attribute].taxonomy;
        let column = self.problem.table().column(attribute);
        let part = |tuple: &u32| {
            let leaf = column[*tuple as usize];
            let open = self.closures.open(attribute);
            open.map_or_else(|| child_towards(taxonomy, cover, leaf), |open| open.branch(cover, leaf))
        };
        self.order[start..end].sort_unstable_by_key(|tuple| (part(tuple), *tuple));
        let parts = self.order[start..end].chunk_by(|a, b| part(a) == part(b));
        let sizes: Vec<usize> = parts.map(<[u32]>::len).collect();
        let first = self.groups.len();
        let mut at = start;
        for size in sizes {
            self.push_group(at, at + size);
            at += size;
        }
        self.groups[group].children = first..self.groups.len();
    }

    /// The attribute of a group that costs most to cross, and its value in the group's closure;
    /// none if the tuples are the same, which a table may repeat.
    fn widest(&self, group: usize) -> Option<(usize, ValueId)> {
        let cover = self.cover(group);
        let first = self.record(self.order[self.groups[group].start]);
        let wide = cover.iter().zip(first).enumerate().filter(|(_, (value, leaf))| *value != leaf);
        let costs = wide.map(|(a, (&value, _))| (self.closures.crossing(a, value), a, value));
        let widest = costs.reduce(|best, next| if next.0 > best.0 { next } else { best });
        widest.map(|(_, a, value)| (a, value))
    }

    /// For every tuple, the shortest list of its nearest others, nearest first, that stand for as
    /// many rows as it wants; of equal distances the smaller index first.
    ///
    /// Each search looks at about `effort` tuples at most, those of the nearest groups first; if
    /// that does not suffice, the list holds the nearest of them.
    pub(crate) fn lists(
        &self,
        want: impl Fn(usize) -> u64 + Sync,
        effort: usize,
        run: &Run<'_>,
    ) -> Result<Vec<Box<[u32]>>, Stop> {
        let mut lists = vec![Box::default(); self.order.len()];
        let mut visited = 0;
        // Neighbours in the order have much of the search in common.
        for batch in self.order.chunks(BATCH) {
            run.go_on()?;
            let found: Vec<Box<[u32]>> = (visited..visited + batch.len())
                .into_par_iter()
                .map_init(Open::new, |open, at| self.search(at, want(self.order[at] as usize), effort, open))
                .collect();
            batch.iter().zip(found).for_each(|(&tuple, list)| lists[tuple as usize] = list);
            visited += batch.len();
        }
        Ok(lists)
    }

    fn search(&self, at: usize, want: u64, mut effort: usize, open: &mut Open) -> Box<[u32]> {
        let weights = self.problem.table().weights();
        let mut nearest = Nearest { weights, want, rows: 0, found: Vec::new() };
        if want == 0 {
            return Box::default();
        }
        let probe = self.probe(at);
        open.clear();
        open.push(Reverse((0, 0, 0)));
        while let Some(Reverse((bound, least, group))) = open.pop() {
            if effort == 0 || (f64::from_bits(bound), least) > nearest.limit() {
                break;
            }
            let group = &self.groups[group as usize];
            for child in group.children.clone() {
                let least = self.groups[child].least;
                if let Some(bound) = probe.bound(self.cover(child), nearest.limit().0) {
                    // Costs are not negative, so that their bits have their order.
                    open.push(Reverse((bound.to_bits(), least, child as u32)));
                }
            }
            if group.children.is_empty() {
                effort = effort.saturating_sub(group.end - group.start);
                for other in (group.start..group.end).filter(|&other| other != at) {
                    if let Some(distance) = probe.distance(self.record_at(other), nearest.limit().0) {
                        nearest.offer(distance, self.order[other]);
                    }
                }
            }
        }
        nearest.found.into_iter().map(|(_, tuple)| tuple).collect()
    }

    fn record_at(&self, at: usize) -> &[ValueId] {
        let width = self.closures.attributes();
        &self.records[at * width..][..width]
    }

    fn probe(&self, at: usize) -> Probe<'_> {
        let attributes =
            self.pairs.iter().zip(self.record_at(at)).map(|(pairs, &leaf)| pairs.of(leaf)).collect();
        Probe { closures: self.closures, attributes }
    }
}

/// What the closures of a leaf with other values cost.
struct Pairs {
    values: usize,
    /// By leaf and value; empty where that would be too large.
    costs: Vec<f64>,
    /// The same, but 0 where the value covers the leaf.
    floors: Vec<f64>,
}

impl Pairs {
    fn new(problem: &Problem, closures: &Closures, attribute: usize) -> Pairs {
        let taxonomy = &problem.attributes()[attribute].taxonomy;
        let (leaves, values) = (taxonomy.leaf_total(), taxonomy.values().len());
        let mut pairs = Pairs { values, costs: Vec::new(), floors: Vec::new() };
        if leaves * values <= MAX_PAIRS && closures.open(attribute).is_none() {
            let all = (0..leaves as ValueId).flat_map(|a| (0..values as ValueId).map(move |b| (a, b)));
            let both = all.map(|(leaf, value)| pair(closures, attribute, leaf, value));
            (pairs.costs, pairs.floors) = both.unzip();
        }
        pairs
    }

    /// A leaf and its rows of the tables, if there are tables.
    fn of(&self, leaf: ValueId) -> (ValueId, &[f64], &[f64]) {
        let row = leaf as usize * self.values..(leaf as usize + 1) * self.values;
        let costs = self.costs.get(row.clone()).unwrap_or_default();
        (leaf, costs, self.floors.get(row).unwrap_or_default())
    }
}

/// The cost of the closure of a leaf and a value, and of that with any value below.
#[inline]
fn pair(closures: &Closures, attribute: usize, leaf: ValueId, value: ValueId) -> (f64, f64) {
    if let Some(open) = closures.open(attribute) {
        return (open.pair_cost(leaf, value), open.floor(leaf, value));
    }
    let join = closures.join(attribute, leaf, value);
    let cost = closures.cell_cost(attribute, join);
    (cost, if join == value { 0.0 } else { cost })
}

/// A tuple from which distances are asked.
struct Probe<'n> {
    closures: &'n Closures,
    /// Its leaf in each attribute and the rows of that leaf, if they are tabled.
    attributes: Vec<(ValueId, &'n [f64], &'n [f64])>,
}

impl Probe<'_> {
    /// The cost of the closure with another record, unless it is above the limit.
    #[inline]
    fn distance(&self, record: &[ValueId], limit: f64) -> Option<f64> {
        let mut sum = 0.0;
        for (attribute, (&(leaf, costs, _), &value)) in self.attributes.iter().zip(record).enumerate() {
            let tabled = costs.get(value as usize).copied();
            sum += tabled.unwrap_or_else(|| pair(self.closures, attribute, leaf, value).0);
            if sum > limit {
                return None;
            }
        }
        Some(sum)
    }

    /// A lower bound of the distance to every tuple below a closure, unless it is above the limit.
    /// It adds in the same order as the distance, so that rounding cannot put it above.
    #[inline]
    fn bound(&self, cover: &[ValueId], limit: f64) -> Option<f64> {
        let mut sum = 0.0;
        for (attribute, (&(leaf, _, floors), &value)) in self.attributes.iter().zip(cover).enumerate() {
            let tabled = floors.get(value as usize).copied();
            sum += tabled.unwrap_or_else(|| pair(self.closures, attribute, leaf, value).1);
            if sum > limit {
                return None;
            }
        }
        Some(sum)
    }
}

/// The value just below `cover` on the way to a leaf.
fn child_towards(taxonomy: &Taxonomy, cover: ValueId, leaf: ValueId) -> ValueId {
    let parent = |value: ValueId| taxonomy.values()[value as usize].parent;
    let mut at = leaf;
    while parent(at) != cover {
        at = parent(at);
    }
    at
}

/// The nearest so far: the shortest sorted list that has enough rows.
struct Nearest<'p> {
    weights: &'p [u32],
    want: u64,
    rows: u64,
    found: Vec<(f64, u32)>,
}

impl Nearest<'_> {
    /// What a tuple must be below to get onto the list.
    fn limit(&self) -> (f64, u32) {
        let full = self.rows >= self.want;
        self.found.last().filter(|_| full).copied().unwrap_or((f64::INFINITY, u32::MAX))
    }

    fn offer(&mut self, distance: f64, tuple: u32) {
        if (distance, tuple) > self.limit() {
            return;
        }
        let at = self.found.partition_point(|&other| other < (distance, tuple));
        self.found.insert(at, (distance, tuple));
        self.rows += u64::from(self.weights[tuple as usize]);
        while let Some(&(_, last)) = self.found.last() {
            let without = self.rows - u64::from(self.weights[last as usize]);
            if without < self.want {
                break;
            }
            self.found.pop();
            self.rows = without;
        }
    }
}
