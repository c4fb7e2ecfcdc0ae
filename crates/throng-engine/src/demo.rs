//! Synthetic tables to try things on: any number of rows, not the data of real people.
//!
//! Row i of a dataset depends on the seed and on i alone, so a longer table starts with the rows of
//! a shorter one. A new dataset is one file that implements [`Dataset`], and one line in
//! [`datasets`].

mod art;
mod census;
mod donors;
mod files;
mod hospital;
mod weighted;

use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use rayon::prelude::*;

use crate::error::{EngineError, Result};
use crate::progress::{Progress, Quiet, refuse_cancelled};
use crate::wording::unknown;
use throng_tables::output::sink::{FileLayout, Sink};

pub use art::Art;
pub use census::Census;
pub use donors::Donors;
pub use files::{DemoFiles, write_demo, write_demo_files};
pub use hospital::Hospital;

/// Rows made at once by one thread.
const CHUNK: u64 = 1 << 15;

/// Where tables come from, and what a job does with them.
pub trait Dataset: Debug + Sync {
    /// The name in flags, and that of its files.
    fn name(&self) -> &'static str;

    /// What its rows are, for people: "synthetic hospital admissions".
    fn rows_are(&self) -> &'static str;

    /// The columns.
    fn schema(&self) -> SchemaRef;

    /// Some rows of the table of a seed; each depends on the seed and its number alone.
    fn draw(&self, seed: u64, rows: Range<u64>) -> RecordBatch;

    /// The columns with a file of generalised values, `hierarchies/COLUMN.csv`, and its text.
    fn hierarchies(&self) -> Vec<(&'static str, String)>;

    /// What these files are, for people.
    fn hierarchies_are(&self) -> &'static str;

    /// The job but for its input and output: `[columns]`, `[privacy]` with k = 5, and `[search]`.
    fn job(&self) -> String;

    /// What somebody may try who has seen the release.
    fn next_steps(&self) -> &'static [NextStep];

    /// The same with so many columns, if their number can be chosen and it has as many.
    fn with_columns(&self, _columns: usize) -> Option<&'static dyn Dataset> {
        None
    }

    /// The most columns that can be chosen, if their number can.
    fn max_columns(&self) -> Option<usize> {
        None
    }
}

/// A question, and the commands that answer it.
#[derive(Clone, Copy, Debug)]
pub struct NextStep {
    /// The question, for people.
    pub question: &'static str,
    /// Commands without the program's name. A word that starts with `@` is a file of the demo;
    /// `.table` at its end is the extension of the table.
    pub commands: &'static [&'static str],
}

/// Every dataset; the first is the usual one.
pub fn datasets() -> &'static [&'static dyn Dataset] {
    &[&Hospital, &Art, &Donors, &Census::USUAL]
}

/// The dataset of a name.
///
/// # Errors
/// If there is none; the message suggests the nearest name.
pub fn find_dataset(name: &str) -> Result<&'static dyn Dataset> {
    let names = || datasets().iter().map(|dataset| dataset.name());
    datasets()
        .iter()
        .copied()
        .find(|dataset| dataset.name() == name)
        .ok_or_else(|| EngineError::bad(unknown("dataset", name, &names().collect::<Vec<_>>())))
}

/// A table of a dataset.
#[derive(Clone, Copy, Debug)]
pub struct Demo {
    /// Where its rows come from.
    pub dataset: &'static dyn Dataset,
    /// Which rows are drawn; the same seed gives the same table, byte for byte.
    pub seed: u64,
    /// How many there are.
    pub rows: u64,
}

impl Demo {
    /// The rows from `start` on, at most `len` of them; fewer at the end of the table.
    pub fn batch(&self, start: u64, len: u64) -> RecordBatch {
        let end = start.saturating_add(len).min(self.rows);
        self.dataset.draw(self.seed, start.min(end)..end)
    }

    /// Writes the table to `path`, as CSV or Parquet by its extension, in bounded memory.
    pub fn write(&self, path: &Path) -> Result<()> {
        self.write_watched(path, &Quiet)
    }

    /// As [`write`](Self::write), for a caller who wants to know how far it is, or to stop it.
    pub fn write_watched(&self, path: &Path, progress: &dyn Progress) -> Result<()> {
        let mut sink = Sink::create(path, self.dataset.schema(), &FileLayout::PLAIN)?;
        let wave = CHUNK * rayon::current_num_threads() as u64;
        for start in (0..self.rows).step_by(wave as usize) {
            refuse_cancelled(progress)?;
            let chunks: Vec<u64> = (start..self.rows.min(start + wave)).step_by(CHUNK as usize).collect();
            let batches: Vec<RecordBatch> =
                chunks.into_par_iter().map(|chunk| self.batch(chunk, CHUNK)).collect();
            for batch in &batches {
                sink.write(batch)?;
            }
            progress.rows_written(self.rows.min(start + wave));
        }
        sink.finish()?.publish()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use arrow::compute::concat_batches;

    use super::*;

    fn demos(rows: u64) -> impl Iterator<Item = Demo> {
        datasets().iter().map(move |&dataset| Demo { dataset, seed: 1, rows })
    }

    #[test]
    fn chunks_make_up_the_whole() {
        for demo in demos(1_000) {
            let whole = demo.batch(0, 1_000);
            assert_eq!(whole.num_rows(), 1_000);
            let parts: Vec<RecordBatch> =
                (0..1_000).step_by(300).map(|start| demo.batch(start, 300)).collect();
            assert_eq!(parts[3].num_rows(), 100);
            assert_eq!(concat_batches(&demo.dataset.schema(), &parts).unwrap(), whole);
            assert_eq!(demo.batch(1_000, 10).num_rows(), 0);
            assert_eq!(demo.batch(2_000, 10).num_rows(), 0);
        }
    }

    #[test]
    fn a_longer_table_starts_with_the_shorter() {
        for (longer, shorter) in demos(5_000).zip(demos(1_000)) {
            assert_eq!(longer.batch(0, 1_000), shorter.batch(0, 1_000));
        }
    }

    #[test]
    fn the_seed_decides_the_bytes() {
        let dir = tempfile::tempdir().unwrap();
        for demo in demos(CHUNK + 9) {
            let bytes = |name: &str, seed: u64| {
                let path = dir.path().join(name);
                Demo { seed, ..demo }.write(&path).unwrap();
                fs::read(path).unwrap()
            };
            let first = bytes("a.csv", 1);
            assert_eq!(first, bytes("b.csv", 1));
            assert_ne!(first, bytes("c.csv", 2));
            assert_eq!(first.iter().filter(|&&byte| byte == b'\n').count() as u64, 1 + CHUNK + 9);
            let parquet = bytes("a.parquet", 1);
            assert_eq!(parquet, bytes("b.parquet", 1));
        }
    }

    #[test]
    fn tables_never_change_for_a_seed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("golden.csv");
        let text = |dataset: &'static dyn Dataset| {
            Demo { dataset, seed: 1, rows: 2 }.write(&path).unwrap();
            fs::read_to_string(&path).unwrap()
        };
        assert_eq!(
            text(&Hospital),
            "name,birth_date,sex,zip,nationality,occupation,admission_date,diagnosis,length_of_stay\n\
             Frieda Q. Wolf,1956-06-08,female,34325,German,retired,2022-05-30,J20 bronchitis,3\n\
             Max Y. Brandt,2004-11-11,male,22301,German,apprentice,2022-08-19,S06 concussion,1\n"
        );
        assert_eq!(text(&Art), "A1,A2,A3,A4,A5,A6\na1,a3,a1,a3,a7,a3\na1,a1,a3,a15,a6,a3\n");
    }

    #[test]
    fn names_are_found_and_the_nearest_suggested() {
        assert!(datasets().iter().all(|d| find_dataset(d.name()).unwrap().name() == d.name()));
        assert_eq!(
            find_dataset("atr").unwrap_err().to_string(),
            "unknown dataset 'atr'; did you mean 'art'? Allowed are: hospital, art, donors, census"
        );
        assert_eq!(
            find_dataset("everyone").unwrap_err().to_string(),
            "unknown dataset 'everyone'; allowed are: hospital, art, donors, census"
        );
    }
}
