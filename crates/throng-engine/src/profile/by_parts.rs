//! Looks at a table as nodes take them: at a part of it each, or one at the table.

use arrow::array::RecordBatch;
use arrow::datatypes::{FieldRef, Schema};
use serde::Serialize;

use super::kept::{Mentions, look_at_kept};
use super::repeats::{IdentifierCounts, determine};
use crate::encode::Observer;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::nodes::{PartLook, PartLooks, TableLook};
use crate::progress::Quiet;

/// Takes looks at the rows of a part of a table.
pub struct PartObserver {
    looks: Vec<RunningLook>,
}

/// A look, and the places of its columns among those that are read.
struct RunningLook {
    counts: PartCounts,
    observer: Observer,
    places: Vec<usize>,
}

enum PartCounts {
    Identifiers(IdentifierCounts),
    Mentions(Mentions),
}

impl PartObserver {
    /// The columns that are read for some looks, each once.
    pub fn columns(looks: &PartLooks) -> Vec<usize> {
        let mut columns: Vec<usize> = looks.iter().flat_map(|(_, columns)| columns).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Starts with a part of which [`columns`](Self::columns) are read; `read` has their types.
    pub fn start(looks: &PartLooks, read: &Schema) -> PartObserver {
        let all = PartObserver::columns(looks);
        let start = |(look, columns): &(PartLook, Vec<usize>)| {
            let places: Vec<usize> = columns.iter().filter_map(|at| all.binary_search(at).ok()).collect();
            let fields: Vec<FieldRef> = places.iter().map(|&at| read.fields()[at].clone()).collect();
            let counts = match look {
                PartLook::Identifiers => PartCounts::Identifiers(IdentifierCounts::of_part(columns)),
                PartLook::Mentions => PartCounts::Mentions(Mentions::of_part(fields, columns)),
            };
            let observer = match &counts {
                PartCounts::Identifiers(counts) => counts.observer(),
                PartCounts::Mentions(counts) => counts.observer(),
            };
            RunningLook { counts, observer, places }
        };
        PartObserver { looks: looks.iter().map(start).collect() }
    }

    /// Looks at the next rows.
    pub fn add(&mut self, rows: &RecordBatch) {
        for RunningLook { observer, places, .. } in &mut self.looks {
            let cells: Vec<_> = places.iter().map(|&at| rows.column(at).clone()).collect();
            observer.add(&cells);
        }
    }

    /// What was found, in numbers.
    pub fn tell(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        for look in &self.looks {
            match &look.counts {
                PartCounts::Identifiers(counts) => counts.tell(&mut numbers),
                PartCounts::Mentions(counts) => counts.tell(&mut numbers),
            }
        }
        numbers
    }
}

/// Takes a look at a table, and tells what was found as JSON.
///
/// # Errors
/// If it cannot be read.
pub async fn look_at_table(look: &TableLook, source: &Source) -> Result<String> {
    match look {
        TableLook::Kept { kept, ordered } => tell(&look_at_kept(source, kept, ordered, &Quiet).await?),
        TableLook::Determining { candidates, others } => {
            tell(&determine(source, candidates, others, &Quiet).await?)
        }
    }
}

fn tell(found: &impl Serialize) -> Result<String> {
    serde_json::to_string(found).map_err(|_| EngineError::Data("what was found cannot be told".into()))
}
