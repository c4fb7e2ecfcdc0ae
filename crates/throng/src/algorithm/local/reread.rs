//! The classes of a finished recoding, for steps that begin where an algorithm ended.

use super::pieces::{Piece, unite};
use crate::recoding::Local;
use crate::table::Table;

/// The rows of tuples that a reader cannot tell apart, of those that are not suppressed. The order is that
/// of the first of each class in the table.
pub(in crate::algorithm) fn classes(table: &Table, local: &Local) -> Vec<Vec<Piece>> {
    let piece = |part: usize| match local.parts() {
        Some(parts) => Piece { tuple: parts.tuples()[part], rows: parts.rows()[part] },
        None => Piece { tuple: part as u32, rows: table.weights()[part] },
    };
    let count = local.parts().map_or(table.tuples(), |parts| parts.rows().len());
    let is_released = |&part: &usize| local.parts().is_none_or(|parts| !parts.suppressed()[part]);
    let values = |part: usize| (0..table.attributes()).map(move |a| local.column(a)[part]);
    let mut order: Vec<usize> = (0..count).filter(is_released).collect();
    order.sort_by(|&a, &b| values(a).cmp(values(b)));
    let mut classes: Vec<&[usize]> = order.chunk_by(|&a, &b| values(a).eq(values(b))).collect();
    classes.sort_unstable_by_key(|class| class[0]);
    let pieces = |class: &[usize]| {
        let mut pieces: Vec<Piece> = class.iter().map(|&part| piece(part)).collect();
        unite(&mut pieces);
        pieces
    };
    classes.into_iter().map(pieces).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recoding::Parts;

    #[test]
    fn what_looks_alike_is_one_class() {
        let table = Table::new(vec![vec![0, 1, 2]], vec![5, 1, 2]);
        let whole = Local::new(vec![vec![3, 2, 3]]);
        let piece = |tuple, rows| Piece { tuple, rows };
        assert_eq!(classes(&table, &whole), [vec![piece(0, 5), piece(2, 2)], vec![piece(1, 1)]]);
        let mut parts = Parts::default();
        [(0, 1, false), (0, 3, false), (0, 1, false), (1, 1, true), (2, 2, false)]
            .into_iter()
            .for_each(|(tuple, rows, suppressed)| parts.push(tuple, rows, suppressed));
        let divided = Local::new(vec![vec![3, 0, 0, 2, 3]]).in_parts(parts);
        assert_eq!(classes(&table, &divided), [vec![piece(0, 1), piece(2, 2)], vec![piece(0, 4)]]);
    }
}
