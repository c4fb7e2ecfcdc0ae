//! What models make of missing cells.
//!
//! A missing cell is a row of its class, but no value: nobody may take it for one that makes the class diverse.
//!
//! * A model that asks for *diversity* looks at a class as if its missing cells were filled in the worst way
//!   ([`ShownBySensitive`]). Every way to fill in a union fills in its parts, so whatever holds of unions of classes without
//!   missing cells holds of those with them.
//! * A model that *compares with the whole* takes the worse of two readings ([`worse_reading`]): that missing is a
//!   value like any other, and that there are no rows but those that show a value. Each has the unions of the
//!   model, and so has the worse of both.

use super::{Class, Direction, PrivacyModel, Whole, with_column};
use crate::table::Histogram;

/// The values of a column that the rows of a class show, and how many cells are missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownBySensitive<'c> {
    values: Histogram<'c>,
    code: Option<u32>,
    /// Rows without a value.
    pub(crate) missing: u32,
}

impl<'c> ShownBySensitive<'c> {
    pub(crate) fn new(class: &Class<'c>, column: usize, whole: &Whole) -> ShownBySensitive<'c> {
        let values = class.values[column];
        let code = whole.missing.get(column).copied().flatten();
        ShownBySensitive { values, code, missing: code.map_or(0, |code| values.count(code)) }
    }

    /// How many different values there are.
    pub(crate) fn distinct(self) -> usize {
        self.values.distinct() - usize::from(self.missing > 0)
    }

    /// The codes of the values, ascending, and the rows of each.
    fn iter(self) -> impl Iterator<Item = (u32, u32)> + 'c {
        self.values.iter().filter(move |(code, _)| Some(*code) != self.code)
    }

    /// The rows of each value.
    pub(crate) fn counts(self) -> impl Iterator<Item = u32> + 'c {
        self.iter().map(|(_, rows)| rows)
    }

    /// Rows of a value.
    pub(crate) fn of_value(self, code: u32) -> u32 {
        if Some(code) == self.code { 0 } else { self.values.count(code) }
    }

    /// Rows of the most frequent value; 0 if none is shown.
    pub(crate) fn most(self) -> u32 {
        self.counts().max().unwrap_or(0)
    }
}

/// The whole of the rows that show a value in a column; none if all do.
pub(super) fn whole_of_shown(whole: &Whole, column: usize, code: u32) -> Option<Box<Whole>> {
    let mut values = vec![Vec::new(); whole.values.len()];
    values[column].clone_from(&whole.values[column]);
    let missing = std::mem::take(values[column].get_mut(code as usize)?);
    let most = values[column].iter().copied().max().unwrap_or(0);
    let rows = rows_that_show(whole.rows, missing, most);
    (missing > 0).then(|| Box::new(Whole::new(rows, values, whole.population)))
}

/// Of persons who have a missing cell some have a value, too; as many as have one are left at least.
fn rows_that_show(rows: u64, missing: u64, most: u64) -> u64 {
    rows.saturating_sub(missing).max(most)
}

/// The worse of what a class has where missing is a value like any other, and where rows that show no value are left
/// out of it and of the whole. `degree` is less where a class is safer.
pub(super) fn worse_reading(
    model: &dyn PrivacyModel,
    class: &Class<'_>,
    whole: &Whole,
    degree: impl Fn(&Class<'_>, &Whole) -> f64,
) -> f64 {
    let column = model.column().unwrap_or(0);
    let as_value = degree(class, whole);
    let Some(Some(all)) = whole.shown.get(column) else { return as_value };
    let shown = ShownBySensitive::new(class, column, whole);
    if shown.distinct() == 0 {
        return as_value;
    }
    let counts: Vec<(u32, u32)> = shown.iter().collect();
    let rows = rows_that_show(class.rows, shown.missing.into(), shown.most().into());
    let among_shown = with_column(model, Histogram::Listed(&counts), |values| {
        degree(&Class { rows, values, population: class.population }, all)
    });
    Direction::LessIsSafer.worse(as_value, among_shown)
}
