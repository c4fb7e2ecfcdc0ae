//! How far the released cells of a column are generalised.

use std::collections::BTreeMap;

use throng::taxonomy::{Closure, Leaves};

use super::labels::QuasiLabels;

/// Ranges and sets that stand for no more of the values count as one step.
const ONE_STEP: f64 = 0.1;
/// Longer labels are no good examples.
const EXAMPLE: usize = 22;

/// The shares of a column's released cells; all add up to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// As they were.
    pub exact: f64,
    /// One step coarser.
    pub near: f64,
    /// Coarser still.
    pub far: f64,
    /// Of which nothing is left.
    pub hidden: f64,
    /// How many steps the hierarchy has.
    pub height: usize,
    /// The same by what cells show, what is finest first.
    pub shows: Vec<(Shows, f64)>,
}

/// What a cell shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shows {
    /// The original value.
    Value,
    /// A number in the place of the value.
    Number,
    /// A level of the hierarchy; a label of it that most rows have, if it is short.
    Level(usize, Option<String>),
    /// A range; one that most rows have.
    Range(Option<String>),
    /// A set; one that most rows have.
    Set(Option<String>),
    /// Nothing: `*`, or the top of the hierarchy.
    Nothing,
}

impl Cells {
    /// Of a column that is released as it was.
    pub(super) fn exact() -> Cells {
        Cells { exact: 1.0, shows: vec![(Shows::Value, 1.0)], ..Cells::default() }
    }

    /// Of a quasi-identifier.
    pub(super) fn of_labels(labels: &QuasiLabels<'_>) -> Cells {
        let taxonomy = &labels.attribute.taxonomy;
        let released = labels.rows.iter().sum::<u64>().max(1) as f64;
        let mut cells = Cells { height: taxonomy.height(), ..Cells::default() };
        // For each of what is shown: its rows, and the label of most rows.
        let mut shown: BTreeMap<Shows, (u64, u64, String)> = BTreeMap::new();
        for (label, meaning) in labels.meanings.iter().enumerate() {
            let (rows, leaves) = (labels.rows[label], labels.leaf_count(label));
            let share = rows as f64 / released;
            let is_small = leaves as f64 <= ONE_STEP * taxonomy.leaf_total() as f64;
            let (shows, part) = match meaning {
                _ if leaves == 1 && labels.are_guessed[label] => (Shows::Number, &mut cells.exact),
                _ if leaves == 1 => (Shows::Value, &mut cells.exact),
                _ if labels.is_top(label) => (Shows::Nothing, &mut cells.hidden),
                Closure::Value(value) => match taxonomy.values()[*value as usize].level {
                    level @ 0..=1 => (Shows::Level(level, None), &mut cells.near),
                    level => (Shows::Level(level, None), &mut cells.far),
                },
                Closure::Made(Leaves::Range { .. }) if is_small => (Shows::Range(None), &mut cells.near),
                Closure::Made(Leaves::Range { .. }) => (Shows::Range(None), &mut cells.far),
                Closure::Made(Leaves::Set(_)) if is_small => (Shows::Set(None), &mut cells.near),
                Closure::Made(Leaves::Set(_)) => (Shows::Set(None), &mut cells.far),
            };
            *part += share;
            let (all, most, example) = shown.entry(shows).or_default();
            *all += rows;
            if rows > *most {
                (*most, *example) = (rows, labels.texts[label].to_owned());
            }
        }
        let with_example = |(shows, (rows, _, example)): (Shows, (u64, u64, String))| {
            let example = Some(example).filter(|example| example.chars().count() <= EXAMPLE);
            let shows = match shows {
                Shows::Level(level, _) => Shows::Level(level, example),
                Shows::Range(_) => Shows::Range(example),
                Shows::Set(_) => Shows::Set(example),
                other => other,
            };
            (shows, rows as f64 / released)
        };
        cells.shows = shown.into_iter().map(with_example).filter(|(_, share)| *share > 0.0).collect();
        cells
    }
}
