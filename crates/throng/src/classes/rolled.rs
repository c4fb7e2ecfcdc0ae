//! Rolls classes up and groups those that become one.

use rayon::prelude::*;

use super::Key;
use super::fields::Fields;
use super::grouping::{Count, DenseCounts, Grouping};
use super::partitions::{Partitions, Scattered};
use super::roll_up::RollUp;
use crate::stop::{GoOn, Stop};

/// Classes that are grouped at a time; a larger source is grouped on all cores.
pub(super) const PIECE: usize = 1 << 17;

/// Bytes of classes that are put in the order of their partitions before these take them: as much room is
/// needed beside the groups. What comes out does not depend on it.
const WAVE_BYTES: usize = 128 << 20;

/// Rolls classes up and groups them, a large number on all cores: in pieces of a fixed size, whatever
/// the number of cores, whose groups go to partitions in order.
pub(super) fn group_all<K: Key>(
    roll_up: &RollUp,
    fields: &Fields,
    classes: &[(K, u64)],
    go_on: &GoOn<'_>,
) -> Result<Vec<(K, u64)>, Stop> {
    if classes.len() <= 2 * PIECE {
        return Ok(group(roll_up, fields, classes));
    }
    // Grouping a piece by itself is of use only if many of its classes become one.
    let first = &classes[..PIECE];
    let shrinks = group(roll_up, fields, first).len() * 4 <= first.len() * 3;
    let mut partitions = Partitions::new();
    for wave in classes.chunks(wave::<K>(roll_up.words)) {
        let scatter = |piece| {
            go_on()?;
            let groups = if shrinks { group(roll_up, fields, piece) } else { roll(roll_up, piece) };
            Ok(Scattered::new(groups, false))
        };
        let pieces: Vec<Scattered<K>> = wave.par_chunks(PIECE).map(scatter).collect::<Result<_, Stop>>()?;
        partitions.add(&pieces, go_on)?;
    }
    go_on()?;
    Ok(partitions.finish())
}

/// Groups in the same way, and says which group each class went to.
pub(super) fn group_members<K: Key>(
    roll_up: &RollUp,
    classes: &[(K, u64)],
    go_on: &GoOn<'_>,
) -> Result<Members<K>, Stop> {
    if classes.len() <= 2 * PIECE {
        return Ok(group_piece(roll_up, classes));
    }
    let mut partitions = Partitions::new();
    // Within the partition of each class, and which that is.
    let mut group_of = Vec::with_capacity(classes.len());
    let mut partition_of: Vec<u8> = Vec::with_capacity(classes.len());
    for wave in classes.chunks(wave::<K>(roll_up.words)) {
        let scatter = |piece| {
            go_on()?;
            Ok(Scattered::new(roll(roll_up, piece), true))
        };
        let pieces: Vec<Scattered<K>> = wave.par_chunks(PIECE).map(scatter).collect::<Result<_, Stop>>()?;
        let members = partitions.add_members(&pieces, go_on)?;
        let found: Vec<Vec<(u32, u8)>> =
            pieces.par_iter().enumerate().map(|(at, piece)| members_of(piece, &members, at)).collect();
        group_of.extend(found.iter().flatten().map(|&(group, _)| group));
        partition_of.extend(found.iter().flatten().map(|&(_, partition)| partition));
    }
    go_on()?;
    let starts = partitions.starts();
    let numbered = group_of.par_iter_mut().zip(&partition_of);
    numbered.for_each(|(group, &partition)| *group += starts[usize::from(partition)]);
    Ok((partitions.finish(), group_of))
}

/// For each key of a piece, in the order that they came in, its group within its partition, and the partition.
fn members_of<K: Key>(piece: &Scattered<K>, members: &[Vec<Vec<u32>>], at: usize) -> Vec<(u32, u8)> {
    let by_place: Vec<(u32, u8)> = members
        .iter()
        .zip(0..=u8::MAX)
        .flat_map(|(of, p)| of[at].iter().map(move |&group| (group, p)))
        .collect();
    piece.places.iter().map(|&place| by_place[place as usize]).collect()
}

/// Rolls classes up, each by itself.
fn roll<K: Key>(roll_up: &RollUp, classes: &[(K, u64)]) -> Vec<(K, u64)> {
    let mut rolled = Vec::with_capacity(classes.len());
    roll_up.for_each(classes, |key, rows| rolled.push((key.clone(), rows)));
    rolled
}

/// Groups, and the group that each class went to.
pub(super) type Members<K> = (Vec<(K, u64)>, Vec<u32>);

fn group_piece<K: Key>(roll_up: &RollUp, classes: &[(K, u64)]) -> Members<K> {
    let mut grouping = Grouping::new(classes.len());
    let mut group_of = Vec::with_capacity(classes.len());
    roll_up.for_each(classes, |key, rows| group_of.push(grouping.add(key, rows)));
    (grouping.finish(), group_of)
}

/// Rolls classes up and groups them.
pub(super) fn group<K: Key>(roll_up: &RollUp, fields: &Fields, classes: &[(K, u64)]) -> Vec<(K, u64)> {
    match fields.bits_by_place(classes.len()) {
        Some(bits) => match roll_up.rows_are_few {
            true => count_by_place::<K, u32>(roll_up, bits, classes),
            false => count_by_place::<K, u64>(roll_up, bits, classes),
        },
        None => {
            let mut grouping = Grouping::new(classes.len());
            roll_up.for_each(classes, |key, rows| _ = grouping.add(key, rows));
            grouping.finish()
        }
    }
}

fn count_by_place<K: Key, C: Count>(roll_up: &RollUp, bits: u32, classes: &[(K, u64)]) -> Vec<(K, u64)> {
    let mut counts = DenseCounts::<C>::new(bits);
    roll_up.for_each(classes, |key, rows| counts.add(key, rows));
    counts.finish()
}

/// Classes of a wave: whole pieces.
fn wave<K: Key>(words: usize) -> usize {
    (WAVE_BYTES / K::class_bytes(words)).next_multiple_of(PIECE)
}
