//! Tuples sorted by their codes, and the tree of their common beginnings.

use std::ops::Range;

use crate::run::{Run, Stop};

/// Places that are counted between two questions whether to go on.
const ASK: u32 = 1 << 16;

/// A tree with a level for each column, below a root; the nodes of a level are in the order of
/// their codes from the root on, so that all that is below a node lies side by side.
///
/// Each node has a count, which tuples that leave are taken from.
pub(super) struct CodeTree {
    levels: Vec<CodeLevel>,
    /// Places in the order of their codes.
    places: Vec<u32>,
    /// Of each place, its node in the lowest level.
    leaves: Vec<u32>,
}

/// The nodes of a level.
#[derive(Default)]
struct CodeLevel {
    codes: Vec<u32>,
    counts: Vec<u32>,
    parents: Vec<u32>,
    /// Where the children of each begin in the next level, or among the places; then the end.
    starts: Vec<u32>,
}

impl CodeTree {
    /// The tree of columns, each with a code for every place; a place counts `count(place)`.
    pub(super) fn new(
        columns: &[&[u32]],
        len: usize,
        count: impl Fn(u32) -> u32,
        run: &Run<'_>,
    ) -> Result<CodeTree, Stop> {
        let mut places: Vec<u32> = (0..len as u32).collect();
        // By the last column first: a sort for each, between which the search may stop.
        for column in columns.iter().rev() {
            places = sort_by_code(&places, column, run)?;
        }
        let root =
            CodeLevel { codes: vec![0], counts: vec![0], parents: vec![0], starts: vec![0, len as u32] };
        let mut tree = CodeTree { levels: vec![root], places, leaves: vec![0; len] };
        for column in columns {
            tree.grow(column, run)?;
        }
        let lowest = tree.levels.len() - 1;
        for node in 0..tree.levels[lowest].codes.len() {
            if node.is_multiple_of(ASK as usize) {
                run.go_on()?;
            }
            tree.range(lowest, node).for_each(|at| tree.leaves[tree.places[at] as usize] = node as u32);
        }
        for place in 0..len as u32 {
            if place.is_multiple_of(ASK) {
                run.go_on()?;
            }
            tree.change(place, |counted| counted + count(place));
        }
        Ok(tree)
    }

    /// Adds a level below the lowest, whose children are still the places.
    fn grow(&mut self, column: &[u32], run: &Run<'_>) -> Result<(), Stop> {
        let above = self.levels.last_mut().expect("the root");
        let mut level = CodeLevel::default();
        for node in 0..above.codes.len() {
            if node.is_multiple_of(ASK as usize) {
                run.go_on()?;
            }
            let places = above.starts[node] as usize..above.starts[node + 1] as usize;
            above.starts[node] = level.codes.len() as u32;
            let mut start = places.start;
            for same in self.places[places].chunk_by(|&a, &b| column[a as usize] == column[b as usize]) {
                level.codes.push(column[same[0] as usize]);
                level.parents.push(node as u32);
                level.starts.push(start as u32);
                start += same.len();
            }
        }
        above.starts[above.codes.len()] = level.codes.len() as u32;
        level.starts.push(self.places.len() as u32);
        level.counts = vec![0; level.codes.len()];
        self.levels.push(level);
        Ok(())
    }

    /// Takes what a place counts from all nodes above it.
    pub(super) fn remove(&mut self, place: u32, count: u32) {
        self.change(place, |counted| counted - count);
    }

    fn change(&mut self, place: u32, change: impl Fn(u32) -> u32) {
        let mut node = self.leaves[place as usize];
        for level in self.levels.iter_mut().rev() {
            level.counts[node as usize] = change(level.counts[node as usize]);
            node = level.parents[node as usize];
        }
    }

    /// The children of a node: nodes of the next level, or places.
    pub(super) fn range(&self, level: usize, node: usize) -> Range<usize> {
        self.below(level, node..node + 1)
    }

    /// The children of neighbouring nodes.
    pub(super) fn below(&self, level: usize, nodes: Range<usize>) -> Range<usize> {
        let starts = &self.levels[level].starts;
        starts[nodes.start] as usize..starts[nodes.end] as usize
    }

    /// The codes of a level's nodes.
    pub(super) fn codes(&self, level: usize) -> &[u32] {
        &self.levels[level].codes
    }

    /// The counts of a level's nodes.
    pub(super) fn counts(&self, level: usize) -> &[u32] {
        &self.levels[level].counts
    }

    /// Number of levels below the root.
    pub(super) fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// The places of a range, in the order of the codes, then of the places.
    pub(super) fn places(&self, range: Range<usize>) -> &[u32] {
        &self.places[range]
    }
}

/// Places in the order of their codes, those of equal codes as they were: a counting sort.
fn sort_by_code(places: &[u32], column: &[u32], run: &Run<'_>) -> Result<Vec<u32>, Stop> {
    let codes = column.iter().max().map_or(0, |&most| most as usize + 1);
    let mut next = vec![0u32; codes + 1];
    for &code in column {
        next[code as usize + 1] += 1;
    }
    run.go_on()?;
    (0..codes).for_each(|code| next[code + 1] += next[code]);
    let mut sorted = vec![0; places.len()];
    for some in places.chunks(ASK as usize) {
        run.go_on()?;
        for &place in some {
            let at = &mut next[column[place as usize] as usize];
            sorted[*at as usize] = place;
            *at += 1;
        }
    }
    Ok(sorted)
}
