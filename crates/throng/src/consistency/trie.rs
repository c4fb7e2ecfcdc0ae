//! An index of generalised records: a trie in which a record is found by walking up from leaves.

use std::ops::Range;

use super::labels::Standing;

/// Distinct records of labels, one level per attribute.
///
/// Nodes of a level are numbered in the lexicographic order of the records, so those below a node
/// are a range, and the nodes of the last level are the records themselves.
pub(super) struct Trie {
    levels: Vec<TrieLevel>,
}

#[derive(Default)]
struct TrieLevel {
    /// The label of each node; ascending below one parent.
    labels: Vec<u32>,
    /// The first child of each node in the next level, and where those of the last node end.
    first_child: Vec<u32>,
}

impl Trie {
    /// A trie of records that come sorted and without repetition.
    pub(super) fn new<'a>(attributes: usize, records: impl Iterator<Item = &'a [u32]>) -> Trie {
        let mut levels: Vec<TrieLevel> = (0..attributes).map(|_| TrieLevel::default()).collect();
        let mut last: Option<&[u32]> = None;
        for record in records {
            let shared = last.map_or(0, |last| shared_prefix(last, record));
            debug_assert!(last.is_none_or(|last| last < record), "sorted and distinct");
            for depth in shared..attributes {
                let children = levels.get(depth + 1).map_or(0, |next| next.labels.len() as u32);
                levels[depth].labels.push(record[depth]);
                levels[depth].first_child.push(children);
            }
            last = Some(record);
        }
        for depth in 0..attributes {
            let children = levels.get(depth + 1).map_or(0, |next| next.labels.len() as u32);
            levels[depth].first_child.push(children);
        }
        Trie { levels }
    }

    /// Adds to `found` the children of a node whose label may stand for a leaf.
    fn descend(&self, depth: usize, children: Range<usize>, leaf: Standing<'_>, found: &mut Vec<u32>) {
        let (first, labels) = (children.start, &self.levels[depth].labels[children]);
        let path = match leaf {
            Standing::Listed(path) => path,
            Standing::Tested(of, leaf) => {
                let places = (0..labels.len()).filter(|&place| of.stands_for(labels[place], leaf));
                return found.extend(places.map(|place| (first + place) as u32));
            }
        };
        if labels.len() > MANY * path.len() {
            let places = path.iter().filter_map(|label| labels.binary_search(label).ok());
            found.extend(places.map(|place| (first + place) as u32));
            return;
        }
        let mut path = path.iter().peekable();
        for (place, label) in labels.iter().enumerate() {
            while path.next_if(|at| *at < label).is_some() {}
            match path.peek() {
                None => return,
                Some(&at) if at == label => found.push((first + place) as u32),
                Some(_) => {}
            }
        }
    }
}

/// So many children for each label of a path are searched for it; fewer are all looked at.
const MANY: usize = 4;

/// Length of the longest common prefix.
pub(super) fn shared_prefix(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The records that are consistent with one tuple after the other.
///
/// Tuples that come sorted share the work for their common attributes.
pub(super) struct Walk<'t> {
    trie: &'t Trie,
    /// For each number of attributes, the nodes that are consistent with so many of the last tuple.
    nodes: Vec<Vec<u32>>,
}

impl<'t> Walk<'t> {
    pub(super) fn new(trie: &'t Trie) -> Walk<'t> {
        Walk { trie, nodes: vec![Vec::new(); trie.levels.len()] }
    }

    /// The records that are consistent with a tuple, ascending. Its first `shared` attributes are
    /// those of the tuple before; `leaf` gives the labels that stand for its leaf at a depth.
    pub(super) fn next<'l>(&mut self, shared: usize, leaf: impl Fn(usize) -> Standing<'l>) -> &[u32] {
        for depth in shared..self.nodes.len() {
            let (above, rest) = self.nodes.split_at_mut(depth);
            let found = &mut rest[0];
            found.clear();
            let Some(above) = above.last() else {
                let roots = 0..self.trie.levels[0].labels.len();
                self.trie.descend(0, roots, leaf(0), found);
                continue;
            };
            let first_child = &self.trie.levels[depth - 1].first_child;
            for &node in above {
                let children = first_child[node as usize] as usize..first_child[node as usize + 1] as usize;
                self.trie.descend(depth, children, leaf(depth), found);
            }
        }
        self.nodes.last().expect("at least one attribute")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_finds_the_records_on_the_paths() {
        let records: Vec<[u32; 2]> =
            (0..4).flat_map(|a| (0..30).filter(move |b| (a + b) % 3 > 0).map(move |b| [a, b])).collect();
        let trie = Trie::new(2, records.iter().map(|record| record.as_slice()));
        let mut walk = Walk::new(&trie);
        let mut last: Option<[usize; 2]> = None;
        let paths = |at: usize| [vec![at as u32], vec![0, at as u32 + 1], vec![40]][at % 3].clone();
        for tuple in (0..4).flat_map(|a| (0..31).map(move |b| [a, b])) {
            let shared = usize::from(last.is_some_and(|last| last[0] == tuple[0]));
            let path = tuple.map(paths);
            let expected: Vec<u32> = (0..records.len() as u32)
                .filter(|&r| records[r as usize].iter().zip(&path).all(|(label, path)| path.contains(label)))
                .collect();
            assert_eq!(walk.next(shared, |depth| Standing::Listed(&path[depth])), expected, "{tuple:?}");
            last = Some(tuple);
        }
    }
}
