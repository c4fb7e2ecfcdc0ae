//! What became of each column.

use serde_json::Value;

use throng_engine::columns::stem;
use throng_engine::job::{Column, Job};
use throng_engine::summary::{Fate, Summary};

use crate::aligned::align;

/// A line for each column that the job names, and one for the rest.
pub(super) fn table(job: &Job, summary: &Summary) -> String {
    let named = job.columns.named().map(|(name, column)| (name.to_owned(), column));
    let rest = job.columns.rest().map(|column| ("all others".to_owned(), column));
    let rows: Vec<[String; 3]> = named
        .chain(rest)
        .map(|(name, column)| {
            let fate = fate(&name, column, summary).text();
            [name, column.role.to_string(), fate]
        })
        .collect();
    align(&rows.chunk_by(is_same).flat_map(shown).collect::<Vec<_>>())
}

/// Columns of one stem that are the same to the release; so many share a line.
const MANY_ALIKE: usize = 5;

fn is_same(one: &[String; 3], next: &[String; 3]) -> bool {
    one[1..] == next[1..] && stem(&one[0]) != one[0] && stem(&one[0]) == stem(&next[0])
}

fn shown(alike: &[[String; 3]]) -> Vec<[String; 3]> {
    match alike {
        [first, .., last] if alike.len() >= MANY_ALIKE => {
            let names = format!("{} … {}", first[0], last[0]);
            vec![[names, first[1].clone(), format!("{} columns: {}", alike.len(), first[2])]]
        }
        few => few.to_vec(),
    }
}

fn fate<'c>(name: &str, column: &'c Column, summary: &'c Summary) -> Fate<'c> {
    let level = summary.levels.as_ref().and_then(|levels| number(levels.get(name)));
    let cut = summary.cuts.as_ref().and_then(|cuts| cuts.get(name)).and_then(Value::as_array);
    Fate {
        column,
        level: level.zip(number(summary.heights.get(name))),
        is_emptied: summary.fully_generalised.iter().any(|other| other == name),
        cut_values: cut.map(Vec::len),
        cells: summary.columns.iter().find(|one| one.name == name).and_then(|one| one.cells.as_ref()),
    }
}

fn number(value: Option<&Value>) -> Option<usize> {
    value.and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}
