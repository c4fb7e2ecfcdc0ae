//! The classes of a finished recoding, for steps that begin where an algorithm ended.

use rustc_hash::FxHashMap;

use super::pieces::{Piece, unite};
use crate::recoding::Local;
use crate::run::Stop;
use crate::stop::GoOn;
use crate::table::Table;
use crate::taxonomy::ValueId;

/// Parts that are looked at between two questions whether to go on.
const PARTS: usize = 1 << 16;

/// The rows of tuples that a reader cannot tell apart, of those that are not suppressed. The order is that
/// of the first of each class in the table.
pub(in crate::algorithm) fn classes(
    table: &Table,
    local: &Local,
    go_on: &GoOn<'_>,
) -> Result<Vec<Vec<Piece>>, Stop> {
    let piece = |part: usize| match local.parts() {
        Some(parts) => Piece { tuple: parts.tuples()[part], rows: parts.rows()[part] },
        None => Piece { tuple: part as u32, rows: table.weights()[part] },
    };
    let count = local.parts().map_or(table.tuples(), |parts| parts.rows().len());
    let is_released = |&part: &usize| local.parts().is_none_or(|parts| !parts.suppressed()[part]);
    let mut numbers: FxHashMap<Vec<ValueId>, usize> = FxHashMap::default();
    let mut classes: Vec<Vec<Piece>> = Vec::new();
    for part in (0..count).filter(is_released) {
        if part % PARTS == 0 {
            go_on()?;
        }
        let values = (0..table.attributes()).map(|a| local.column(a)[part]).collect();
        let number = *numbers.entry(values).or_insert(classes.len());
        if number == classes.len() {
            classes.push(Vec::new());
        }
        classes[number].push(piece(part));
    }
    classes.iter_mut().for_each(unite);
    Ok(classes)
}

/// The rows of tuples that are suppressed.
pub(in crate::algorithm) fn left_out(local: &Local) -> Vec<Piece> {
    let Some(parts) = local.parts() else { return Vec::new() };
    let all = parts.suppressed().iter().zip(parts.tuples().iter().zip(parts.rows()));
    all.filter(|&(&suppressed, _)| suppressed).map(|(_, (&tuple, &rows))| Piece { tuple, rows }).collect()
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
        assert_eq!(
            classes(&table, &whole, &|| Ok(())).unwrap(),
            [vec![piece(0, 5), piece(2, 2)], vec![piece(1, 1)]]
        );
        let mut parts = Parts::default();
        [(0, 1, false), (0, 3, false), (0, 1, false), (1, 1, true), (2, 2, false)]
            .into_iter()
            .for_each(|(tuple, rows, suppressed)| parts.push(tuple, rows, suppressed));
        let divided = Local::new(vec![vec![3, 0, 0, 2, 3]]).in_parts(parts);
        assert_eq!(
            classes(&table, &divided, &|| Ok(())).unwrap(),
            [vec![piece(0, 1), piece(2, 2)], vec![piece(0, 4)]]
        );
    }
}
