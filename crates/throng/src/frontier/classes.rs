//! Objectives that are functions of what classes hold.

use super::Objective;
use crate::privacy::{Class, PrivacyModel, ShownBySensitive, Whole, achieved, rounded};
use crate::table::Table;

/// Hands each class that is released to a visitor.
pub(super) type EachClass<'a> = &'a dyn Fn(&mut dyn FnMut(&Class<'_>));

/// Distinct values of a column in the class that has fewest; missing cells are none.
pub(super) fn fewest_values(column: usize, all: &Whole, each: EachClass<'_>) -> f64 {
    let mut fewest = usize::MAX;
    each(&mut |class| fewest = fewest.min(ShownBySensitive::new(class, column, all).distinct()));
    fewest as f64
}

/// Sum over rows of how many of their class have the same value of a column; what is missing is taken to be of the
/// most frequent one.
pub(super) fn spread_of_values(column: usize, all: &Whole, each: EachClass<'_>) -> f64 {
    let mut sum = 0;
    each(&mut |class| {
        let shown = ShownBySensitive::new(class, column, all);
        let square = |rows: u64| u128::from(rows) * u128::from(rows);
        let most = u64::from(shown.most());
        sum += shown.counts().map(|rows| square(rows.into())).sum::<u128>();
        sum += square(most + u64::from(shown.missing)) - square(most);
    });
    sum as f64
}

/// What the classes achieve of a model; `all` is the table, of which so many rows are suppressed.
pub(super) fn degree(
    model: &dyn PrivacyModel,
    table: &Table,
    all: &Whole,
    suppressed_rows: u64,
    each: EachClass<'_>,
) -> f64 {
    // Classes are compared with what is released, as by a reader.
    let compares = model.compares_with_whole() && suppressed_rows > 0;
    let left = compares.then(|| released(model, table, all, suppressed_rows, each));
    let whole = left.as_ref().unwrap_or(all);
    let mut degrees = Vec::new();
    each(&mut |class| degrees.push((model.degree(class, whole), class.rows)));
    rounded(achieved(model, degrees).unwrap_or(model.direction().safest()))
}

/// What is released of the model's column.
fn released(
    model: &dyn PrivacyModel,
    table: &Table,
    all: &Whole,
    suppressed_rows: u64,
    each: EachClass<'_>,
) -> Whole {
    let mut values: Vec<Vec<u64>> = vec![Vec::new(); table.carried().len()];
    if let Some(column) = model.column() {
        values[column] = vec![0; all.values[column].len()];
        each(&mut |class| {
            let counts = class.values[column].iter();
            counts.for_each(|(code, rows)| values[column][code as usize] += u64::from(rows));
        });
    }
    Whole::new(all.rows - suppressed_rows, values, all.population).with_missing(all.missing().to_vec())
}

/// The carried column that an objective looks at.
pub(super) fn column(objective: &Objective) -> Option<usize> {
    match objective {
        Objective::L { column } | Objective::SpreadL { column } => Some(*column),
        Objective::Degree(model) => model.column(),
        Objective::K | Objective::SpreadK | Objective::Loss(_) => None,
    }
}
