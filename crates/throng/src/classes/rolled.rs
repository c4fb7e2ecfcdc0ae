//! Rolls classes up and groups those that become one.

use rayon::prelude::*;

use super::Key;
use super::fields::Fields;
use super::grouping::{DenseCounts, Grouping};
use super::roll_up::RollUp;
use crate::recoding::GoOn;
use crate::run::Stop;

/// Classes that are grouped at a time; a larger source is grouped on all cores.
pub(super) const PIECE: usize = 1 << 17;

/// Pieces for each thread that are grouped before they are merged: more would only take room.
const PIECES_A_THREAD: usize = 4;

/// Rolls classes up and groups them, a large number on all cores: in pieces of a fixed size, whatever
/// the number of cores, merged in order; some at a time, so that they never hold all classes twice.
pub(super) fn group_all<const W: usize>(
    roll_up: &RollUp,
    fields: &Fields,
    classes: &[(Key<W>, u32)],
    go_on: &GoOn<'_>,
) -> Result<Vec<(Key<W>, u32)>, Stop> {
    if classes.len() <= 2 * PIECE {
        return Ok(group(roll_up, fields, classes));
    }
    let mut merged = Grouping::new(PIECE);
    for pieces in classes.chunks(at_a_time()) {
        let group = |piece| {
            go_on()?;
            Ok(group(roll_up, fields, piece))
        };
        let pieces: Vec<Vec<(Key<W>, u32)>> =
            pieces.par_chunks(PIECE).map(group).collect::<Result<_, Stop>>()?;
        for piece in &pieces {
            go_on()?;
            piece.iter().for_each(|&(key, rows)| _ = merged.add(key, rows));
        }
    }
    Ok(merged.finish())
}

/// Groups in the same way, and says which group each class went to.
pub(super) fn group_members<const W: usize>(
    roll_up: &RollUp,
    classes: &[(Key<W>, u32)],
    go_on: &GoOn<'_>,
) -> Result<Members<W>, Stop> {
    if classes.len() <= 2 * PIECE {
        return Ok(group_piece(roll_up, classes));
    }
    let mut merged = Grouping::new(PIECE);
    let mut group_of = Vec::with_capacity(classes.len());
    for pieces in classes.chunks(at_a_time()) {
        let group = |piece| {
            go_on()?;
            Ok(group_piece(roll_up, piece))
        };
        let pieces: Vec<Members<W>> = pieces.par_chunks(PIECE).map(group).collect::<Result<_, Stop>>()?;
        for (groups, of_piece) in pieces {
            go_on()?;
            let merged: Vec<u32> = groups.into_iter().map(|(key, rows)| merged.add(key, rows)).collect();
            group_of.extend(of_piece.into_iter().map(|group| merged[group as usize]));
        }
    }
    Ok((merged.finish(), group_of))
}

/// Groups, and the group that each class went to.
pub(super) type Members<const W: usize> = (Vec<(Key<W>, u32)>, Vec<u32>);

fn group_piece<const W: usize>(roll_up: &RollUp, classes: &[(Key<W>, u32)]) -> Members<W> {
    let mut grouping = Grouping::new(classes.len());
    let mut group_of = Vec::with_capacity(classes.len());
    roll_up.for_each(classes, |key, rows| group_of.push(grouping.add(key, rows)));
    (grouping.finish(), group_of)
}

/// Rolls classes up and groups them.
pub(super) fn group<const W: usize>(
    roll_up: &RollUp,
    fields: &Fields,
    classes: &[(Key<W>, u32)],
) -> Vec<(Key<W>, u32)> {
    match fields.bits_of_one_word() {
        // Few keys can occur: count them by their place.
        Some(bits) if classes.len() >> bits.saturating_sub(1) > 0 => {
            let mut counts = DenseCounts::new(bits);
            roll_up.for_each(classes, |key, rows| counts.add(key, rows));
            counts.finish()
        }
        _ => {
            let mut grouping = Grouping::new(classes.len());
            roll_up.for_each(classes, |key, rows| _ = grouping.add(key, rows));
            grouping.finish()
        }
    }
}

/// Classes whose pieces are grouped before they are merged. What comes out does not depend on it.
fn at_a_time() -> usize {
    PIECES_A_THREAD * rayon::current_num_threads() * PIECE
}
