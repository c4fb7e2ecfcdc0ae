//! Hashes of classes over nodes, brought from one node to the next.
//!
//! A hash is the sum of a random number for each value of the class. So from one node to another only attributes whose
//! level differs count: what their values add and take away is a table, and a pass over the classes.

use super::fields::{Chunk, Field, mask};
use super::{Key, LevelCodes, Snapshot};
use crate::lattice::Node;

/// The codes of some classes, one chunk of fields after the other: short, and near each other.
pub(super) struct Columns {
    chunks: Vec<(Chunk, CodeColumn)>,
    /// Of each class, or as many as there is room for.
    pub(super) rows: Vec<u32>,
}

enum CodeColumn {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Columns {
    pub(super) fn new<K: Key>(snapshot: &Snapshot<K>) -> Columns {
        let column = |chunk: Chunk| {
            let code = |(key, _): &(K, u64)| (key.word(chunk.word) >> chunk.shift) & mask(chunk.bits);
            let codes = snapshot.classes.iter().map(code);
            let column = if chunk.bits <= u16::BITS {
                CodeColumn::Narrow(codes.map(|code| code as u16).collect())
            } else {
                CodeColumn::Wide(codes.map(|code| code as u32).collect())
            };
            (chunk, column)
        };
        let rows =
            snapshot.classes.iter().map(|&(_, rows)| u32::try_from(rows).unwrap_or(u32::MAX)).collect();
        Columns { chunks: snapshot.fields.chunks().into_iter().map(column).collect(), rows }
    }
}

/// The hash of each class of a snapshot over a node: the same for classes that are one there.
#[derive(Default)]
pub(super) struct Hashes {
    of: Vec<u32>,
    /// The node, and the number of the snapshot; none before the first.
    node: Option<(Node, u64)>,
    deltas: Vec<u32>,
}

impl Hashes {
    /// The hashes over a node, which is above that of the snapshot.
    pub(super) fn over<K: Key>(&mut self, node: &Node, codes: &LevelCodes, snapshot: &Snapshot<K>) -> &[u32] {
        let before = self.node.take().filter(|&(_, number)| number == snapshot.number).map(|(node, _)| node);
        if before.is_none() {
            self.of.clear();
            self.of.resize(snapshot.classes.len(), 0);
        }
        for (chunk, column) in &snapshot.columns().chunks {
            let fields = &snapshot.fields.all()[chunk.fields.clone()];
            let moves = |field: &Field| {
                before
                    .as_ref()
                    .is_none_or(|before| before.level(field.attribute) != node.level(field.attribute))
            };
            if !fields.iter().any(moves) {
                continue;
            }
            let changes = fields.iter().map(|field| LevelChange {
                field,
                from: snapshot.node.level(field.attribute),
                before: before.as_ref().map(|before| before.level(field.attribute)),
                after: node.level(field.attribute),
            });
            fill(&mut self.deltas, chunk, changes, codes);
            match column {
                CodeColumn::Narrow(column) => add(&mut self.of, column, &self.deltas),
                CodeColumn::Wide(column) => add(&mut self.of, column, &self.deltas),
            }
        }
        self.node = Some((node.clone(), snapshot.number));
        &self.of
    }
}

/// How the level of a field changes; `from` is that of its codes.
struct LevelChange<'a> {
    field: &'a Field,
    from: usize,
    before: Option<usize>,
    after: usize,
}

/// What each code of a chunk adds to a hash: field by field, each code repeats all combinations of the fields before.
fn fill<'a>(
    deltas: &mut Vec<u32>,
    chunk: &Chunk,
    changes: impl Iterator<Item = LevelChange<'a>>,
    codes: &LevelCodes,
) {
    deltas.clear();
    deltas.resize(1 << chunk.bits, 0);
    for LevelChange { field, from, before, after } in changes {
        let number = |code: u32| random(field.attribute, code);
        let new = codes.map(field.attribute, from, after);
        let old = before.map(|before| codes.map(field.attribute, from, before));
        let added = |code: usize| match old {
            _ if before == Some(after) => 0,
            Some(old) => number(new[code]).wrapping_sub(number(old[code])),
            None => number(new[code]),
        };
        let (base, rest) = deltas.split_at_mut(1 << (field.shift - chunk.shift));
        for (block, code) in rest.chunks_mut(base.len()).zip(1..new.len()) {
            let added = added(code);
            block.iter_mut().zip(&*base).for_each(|(delta, below)| *delta = below.wrapping_add(added));
        }
        let added = added(0);
        base.iter_mut().for_each(|delta| *delta = delta.wrapping_add(added));
    }
}

fn add<C: Copy + Into<u32>>(hashes: &mut [u32], column: &[C], deltas: &[u32]) {
    // As many as codes have bits for, so that a masked code needs no bounds check.
    let most = deltas.len() - 1;
    for (hash, &code) in hashes.iter_mut().zip(column) {
        *hash = hash.wrapping_add(deltas[code.into() as usize & most]);
    }
}

/// A number for a code of an attribute, like one drawn at random (the finaliser of SplitMix64).
fn random(attribute: usize, code: u32) -> u32 {
    let mut mixed =
        ((attribute as u64) << 32 | u64::from(code)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::super::tests::large_problem;
    use super::super::{Fields, classes_of_tuples};
    use super::*;

    /// By whatever way a node is reached, its hashes are the same, and the same for classes that are one.
    #[test]
    fn hashes_are_those_of_the_node() {
        let problem = large_problem();
        let codes = LevelCodes::new(&problem);
        let fields = Fields::of_table((0..2).map(|a| codes.values(a, 0).len()));
        let tuples = classes_of_tuples::<[u64; 1]>(&problem, &fields, |_, leaf| leaf, &|| Ok(())).unwrap();
        let snapshot = Snapshot::new(problem.lattice().raw(), fields, tuples, None);
        let mut by_way = Hashes::default();
        for levels in [[0, 0], [1, 0], [3, 1], [0, 1], [2, 2]] {
            let node = Node::new(levels.to_vec());
            let hashes = by_way.over(&node, &codes, &snapshot).to_vec();
            assert_eq!(hashes, Hashes::default().over(&node, &codes, &snapshot));
            let value = |a: usize, tuple: usize| {
                problem.attributes()[a].taxonomy.generalise(problem.table().column(a)[tuple], node.level(a))
            };
            let mut of_class = std::collections::BTreeMap::new();
            for (tuple, &hash) in hashes.iter().enumerate() {
                let class = [value(0, tuple), value(1, tuple)];
                assert_eq!(*of_class.entry(class).or_insert(hash), hash);
            }
            let different: std::collections::BTreeSet<u32> = of_class.values().copied().collect();
            assert!(different.len() * 100 > of_class.len() * 99, "{levels:?}");
        }
    }
}
