//! The values of columns with their rows, which pages about detail show again and again: counted once for each table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use throng_engine::encode::{encode, rows_by_code};
use throng_engine::error::Result;
use throng_engine::input::source::Source;
use throng_engine::job::Job;
use throng_engine::progress::Quiet;

/// Drafts whose counts are held.
const MOST_DRAFTS: usize = 4;

/// The values of a column, sorted by their text, and the rows that have each.
#[derive(Debug)]
pub(crate) struct CountedColumn {
    pub(crate) values: Vec<String>,
    pub(crate) rows: Vec<u64>,
}

/// The counts of a table as it was read.
#[derive(Debug, Default)]
struct CountedTable {
    /// The size of the file, when it was changed, and how it was read.
    state: (u64, Option<SystemTime>, String),
    columns: BTreeMap<String, Arc<CountedColumn>>,
}

/// The counts of the tables that were looked at last.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<Vec<(PathBuf, CountedTable)>>);

impl Counts {
    /// The counts of these columns, in their order; those that are not known yet are counted in one scan. Columns that the
    /// table does not have are left out.
    pub(crate) async fn columns(
        &self,
        draft: &Path,
        job: &Job,
        names: &[String],
    ) -> Result<Vec<(String, Arc<CountedColumn>)>> {
        let state = state(job);
        let known = |found: &BTreeMap<String, Arc<CountedColumn>>| {
            names.iter().filter_map(|name| Some((name.clone(), Arc::clone(found.get(name)?)))).collect()
        };
        let mut columns = self.held(draft, &state);
        if names.iter().all(|name| columns.contains_key(name)) {
            return Ok(known(&columns));
        }
        let source = Source::open(&job.input, &job.csv)?;
        let place = |name: &String| source.columns().iter().position(|column| column == name);
        let missing = names.iter().filter(|name| !columns.contains_key(*name));
        let missing: Vec<(&String, usize)> = missing.filter_map(|name| Some((name, place(name)?))).collect();
        let places: Vec<usize> = missing.iter().map(|(_, place)| *place).collect();
        let encoded = encode(&source, &places, &Quiet).await?;
        for (at, (name, _)) in missing.into_iter().enumerate() {
            let values: Vec<String> = encoded.dictionaries[at].values().map(str::to_owned).collect();
            let rows = rows_by_code(values.len(), &encoded.columns[at], &encoded.weights);
            columns.insert(name.clone(), Arc::new(CountedColumn { values, rows }));
        }
        let found = known(&columns);
        self.hold(draft, CountedTable { state, columns });
        Ok(found)
    }

    fn held(
        &self,
        draft: &Path,
        state: &(u64, Option<SystemTime>, String),
    ) -> BTreeMap<String, Arc<CountedColumn>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held.iter().find(|(place, table)| place == draft && table.state == *state);
        found.map(|(_, table)| table.columns.clone()).unwrap_or_default()
    }

    fn hold(&self, draft: &Path, table: CountedTable) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(place, _)| place != draft);
        if held.len() == MOST_DRAFTS {
            held.remove(0);
        }
        held.push((draft.to_owned(), table));
    }
}

/// What is different where a table may have become another one; a table of a database always may.
fn state(job: &Job) -> (u64, Option<SystemTime>, String) {
    let data = std::fs::metadata(&*job.input).ok();
    let changed = data.as_ref().and_then(|data| data.modified().ok()).or_else(|| Some(SystemTime::now()));
    (data.map_or(0, |data| data.len()), changed, format!("{:?}", job.csv))
}
