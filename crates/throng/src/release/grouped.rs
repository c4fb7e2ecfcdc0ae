//! Groups the parts of a release by what a reader sees of them: in partitions by hash, whose tables stay in the
//! caches, on all cores.
//!
//! This is how a release is judged and tallied; the search has another way of its own.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

use super::Release;
use crate::stop::{GoOn, Stop};

/// Parts whose keys are made at once.
const CHUNK: usize = 1 << 14;
/// Parts whose keys are in memory at once.
const ROUND: usize = 1 << 20;
/// Partitions of a table of more than one chunk: not by cores, so that the order of groups is the same on all machines.
const PARTITION_BITS: u32 = 6;

/// What is done with each part.
pub(crate) struct Pass<'a, V> {
    /// Whether it is a part of any group.
    pub(crate) wants: &'a (dyn Fn(usize) -> bool + Sync),
    /// Adds it to its group.
    pub(crate) add: &'a (dyn Fn(&mut V, usize) + Sync),
}

/// An attribute that parts are told apart by.
pub(crate) struct Field {
    attribute: usize,
    /// A number for each of its values.
    numbers: Vec<u32>,
    /// Bits that every number fits in.
    bits: u32,
}

impl Field {
    /// An attribute by a number for each of its values; values with the same one are seen as the same.
    pub(crate) fn new(attribute: usize, numbers: Vec<u32>) -> Field {
        let bits = u32::BITS - numbers.iter().max().unwrap_or(&0).leading_zeros();
        Field { attribute, numbers, bits }
    }
}

/// What is known of each group of parts that agree in all fields. Passes come one after the other, each with the parts
/// in order; the order of the groups depends on nothing but the release.
///
/// # Errors
/// If `go_on` stops it.
pub(crate) fn group<V: Default + Send>(
    release: &Release,
    fields: &[Field],
    passes: &[Pass<'_, V>],
    go_on: &GoOn<'_>,
) -> Result<Vec<V>, Stop> {
    match fields.iter().map(|field| field.bits).sum() {
        0..=64 => PartitionGroups::<u64, V>::collect(release, fields, passes, go_on),
        65..=128 => PartitionGroups::<u128, V>::collect(release, fields, passes, go_on),
        _ => PartitionGroups::<Vec<u32>, V>::collect(release, fields, passes, go_on),
    }
}

/// Numbers of some fields, one after the other.
trait Key: Clone + Default + Eq + Hash + Send + Sync {
    fn push(&mut self, number: u32, bits: u32);
}

impl Key for u64 {
    fn push(&mut self, number: u32, bits: u32) {
        *self = *self << bits | u64::from(number);
    }
}

impl Key for u128 {
    fn push(&mut self, number: u32, bits: u32) {
        *self = *self << bits | u128::from(number);
    }
}

impl Key for Vec<u32> {
    fn push(&mut self, number: u32, _: u32) {
        Vec::push(self, number);
    }
}

/// The groups of each partition.
struct PartitionGroups<K, V>(Vec<HashMap<K, V, FxBuildHasher>>);

/// Parts and their keys, by partition.
type ScatteredParts<K> = Vec<Vec<(K, u32)>>;

impl<K: Key, V: Default + Send> PartitionGroups<K, V> {
    fn collect(
        release: &Release,
        fields: &[Field],
        passes: &[Pass<'_, V>],
        go_on: &GoOn<'_>,
    ) -> Result<Vec<V>, Stop> {
        let bits = if release.parts() <= CHUNK { 0 } else { PARTITION_BITS };
        let mut groups: PartitionGroups<K, V> =
            PartitionGroups((0..1 << bits).map(|_| HashMap::default()).collect());
        for pass in passes {
            for start in (0..release.parts()).step_by(ROUND) {
                let end = release.parts().min(start + ROUND);
                let chunks = (start..end).into_par_iter().step_by(CHUNK).map(|start| {
                    go_on()?;
                    Ok(scatter(release, fields, start..end.min(start + CHUNK), pass, bits))
                });
                groups.add(&chunks.collect::<Result<Vec<_>, Stop>>()?, pass);
            }
        }
        go_on()?;
        Ok(groups.0.into_iter().flat_map(HashMap::into_values).collect())
    }

    fn add(&mut self, chunks: &[ScatteredParts<K>], pass: &Pass<'_, V>) {
        self.0.par_iter_mut().enumerate().for_each(|(partition, groups)| {
            for (key, part) in chunks.iter().flat_map(|chunk| &chunk[partition]) {
                match groups.get_mut(key) {
                    Some(group) => (pass.add)(group, *part as usize),
                    None => (pass.add)(groups.entry(key.clone()).or_default(), *part as usize),
                }
            }
        });
    }
}

fn scatter<K: Key, V>(
    release: &Release,
    fields: &[Field],
    parts: Range<usize>,
    pass: &Pass<'_, V>,
    partition_bits: u32,
) -> ScatteredParts<K> {
    let mut keys = vec![K::default(); parts.len()];
    for field in fields {
        let values = release.values_of(parts.clone(), field.attribute);
        for (key, &value) in keys.iter_mut().zip(values.iter()) {
            key.push(field.numbers[value as usize], field.bits);
        }
    }
    let mut scattered: ScatteredParts<K> = vec![Vec::new(); 1 << partition_bits];
    for (part, key) in parts.zip(keys).filter(|(part, _)| (pass.wants)(*part)) {
        scattered[partition(&key, partition_bits)].push((key, part as u32));
    }
    scattered
}

/// The partition of a key. Its hash does not tell it: that decides the place in the partition's own table.
fn partition(key: &impl Hash, bits: u32) -> usize {
    let hash = FxBuildHasher.hash_one(key);
    let mixed = (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed.checked_shr(u64::BITS - bits).unwrap_or(0) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::lattice::Node;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::problem::Problem;
    use crate::random::Random;
    use crate::recoding::Recoding;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    /// A release of so many attributes with 256 values each, of which none is generalised.
    fn release(attributes: usize, rows: usize) -> Release {
        let mut random = Random::new(attributes as u64);
        let mut row = |_| (0..attributes).map(|_| random.below(4) as u32 * 64).collect::<Vec<u32>>();
        let rows: Vec<Vec<u32>> = (0..rows).map(&mut row).collect();
        let values: Vec<[String; 2]> = (0..256).map(|value| [format!("{value:03}"), "*".into()]).collect();
        let taxonomy = Taxonomy::from_rows(&values).unwrap();
        let columns = (0..attributes).map(|a| (a.to_string(), taxonomy.clone(), 1.0)).collect();
        let k1 = Requirement::new(KAnonymity { k: 1 });
        let lm = loss::find("lm").unwrap();
        let problem = Problem::new(Table::from_rows(attributes, &rows), columns, k1, 0, lm).unwrap();
        Recoding::FullDomain(Node::new(vec![0; attributes])).apply(&problem)
    }

    /// Keys of one word, of two and of more, in one partition and in several, over all fields but the last.
    #[test]
    fn groups_are_those_of_a_naive_grouping() {
        for (attributes, rows) in [(3, 60), (9, CHUNK + 4_000), (13, 3 * CHUNK), (30, CHUNK + 1)] {
            let release = release(attributes, rows);
            let fields: Vec<Field> = (0..attributes - 1)
                .map(|attribute| Field::new(attribute, (0..257).map(|value| value / 65).collect()))
                .collect();
            let wants = |part: usize| !part.is_multiple_of(3);
            let add = |rows: &mut u64, part: usize| *rows += u64::from(release.rows(part));
            let again = |rows: &mut u64, _: usize| *rows += 1_000_000;
            let passes = [
                Pass { wants: &wants, add: &add },
                Pass { wants: &|part| part.is_multiple_of(2), add: &again },
            ];
            let mut found = group(&release, &fields, &passes, &|| Ok(())).unwrap();
            let mut expected: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for part in 0..release.parts() {
                let key: Vec<u32> = (0..attributes - 1).map(|a| release.value(part, a) / 65).collect();
                if !part.is_multiple_of(3) {
                    *expected.entry(key.clone()).or_default() += u64::from(release.rows(part));
                }
                if part.is_multiple_of(2) {
                    *expected.entry(key).or_default() += 1_000_000;
                }
            }
            let mut expected: Vec<u64> = expected.into_values().collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{attributes} attributes");
        }
    }
}
