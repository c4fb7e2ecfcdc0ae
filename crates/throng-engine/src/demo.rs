//! A synthetic hospital table to try things on: any number of rows, nobody's data.
//!
//! The table is skewed and correlated like real ones: few places are crowded, pensioners are old,
//! nationalities gather in regions, and nobody gives birth at eighty. Row i depends on the seed and
//! on i alone, so a longer table starts with the rows of a shorter one.

mod calendar;
mod files;
mod illness;
mod origins;
mod people;
mod places;
mod random;
mod work;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Date32Builder, Int32Builder, StringBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use rayon::prelude::*;

use crate::error::{EngineError, Result};
use crate::progress::{Progress, Quiet};
use crate::sink::{Layout, Sink};

pub use files::write_demo;
use people::{Patient, Population};

/// The population does not depend on the seed: only who is drawn from it does.
static POPULATION: LazyLock<Population> = LazyLock::new(Population::new);

/// Rows made at once by one thread.
const CHUNK: u64 = 1 << 15;

/// A synthetic hospital table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hospital {
    /// Which patients come; the same seed gives the same table, byte for byte.
    pub seed: u64,
    /// How many admissions there are.
    pub rows: u64,
}

impl Hospital {
    /// The columns: dates as days, the length of stay as a number, the rest as text.
    pub fn schema() -> SchemaRef {
        let text = |name| Field::new(name, DataType::Utf8, false);
        Arc::new(Schema::new(vec![
            text("name"),
            Field::new("birth_date", DataType::Date32, false),
            text("sex"),
            text("zip"),
            text("nationality"),
            text("occupation"),
            Field::new("admission_date", DataType::Date32, false),
            text("diagnosis"),
            Field::new("length_of_stay", DataType::Int32, false),
        ]))
    }

    /// The rows from `start` on, at most `len` of them; fewer at the end of the table.
    pub fn batch(&self, start: u64, len: u64) -> RecordBatch {
        let end = start.saturating_add(len).min(self.rows);
        let mut columns = Columns::default();
        for row in start..end {
            columns.push(&POPULATION.draw(self.seed, row));
        }
        columns.finish()
    }

    /// Writes the table to `path`, as CSV or Parquet by its extension, in bounded memory.
    pub fn write(&self, path: &Path) -> Result<()> {
        self.write_watched(path, &Quiet)
    }

    /// As [`write`](Self::write), for a caller who wants to know how far it is, or to stop it.
    pub fn write_watched(&self, path: &Path, progress: &dyn Progress) -> Result<()> {
        let mut sink = Sink::create(path, Hospital::schema(), &Layout::PLAIN)?;
        let wave = CHUNK * rayon::current_num_threads() as u64;
        for start in (0..self.rows).step_by(wave as usize) {
            if progress.cancelled() {
                return Err(EngineError::Interrupted);
            }
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

/// The columns of a batch as they grow, in the order of the schema.
#[derive(Default)]
struct Columns {
    name: StringBuilder,
    birth_date: Date32Builder,
    sex: StringBuilder,
    zip: StringBuilder,
    nationality: StringBuilder,
    occupation: StringBuilder,
    admission_date: Date32Builder,
    diagnosis: StringBuilder,
    length_of_stay: Int32Builder,
}

impl Columns {
    fn push(&mut self, patient: &Patient<'_>) {
        self.name.append_value(&patient.name);
        self.birth_date.append_value(patient.birth_date);
        self.sex.append_value(patient.sex);
        self.zip.append_value(patient.zip);
        self.nationality.append_value(patient.nationality);
        self.occupation.append_value(patient.occupation);
        self.admission_date.append_value(patient.admission_date);
        self.diagnosis.append_value(patient.diagnosis);
        self.length_of_stay.append_value(patient.length_of_stay);
    }

    fn finish(mut self) -> RecordBatch {
        RecordBatch::try_new(
            Hospital::schema(),
            vec![
                Arc::new(self.name.finish()),
                Arc::new(self.birth_date.finish()),
                Arc::new(self.sex.finish()),
                Arc::new(self.zip.finish()),
                Arc::new(self.nationality.finish()),
                Arc::new(self.occupation.finish()),
                Arc::new(self.admission_date.finish()),
                Arc::new(self.diagnosis.finish()),
                Arc::new(self.length_of_stay.finish()),
            ],
        )
        .expect("the columns are those of the schema and of one length")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use datafusion::arrow::compute::concat_batches;

    use super::*;

    const HOSPITAL: Hospital = Hospital { seed: 1, rows: 1_000 };

    #[test]
    fn chunks_make_up_the_whole() {
        let whole = HOSPITAL.batch(0, 1_000);
        let parts: Vec<RecordBatch> =
            (0..1_000).step_by(300).map(|start| HOSPITAL.batch(start, 300)).collect();
        assert_eq!(parts[3].num_rows(), 100);
        assert_eq!(concat_batches(&Hospital::schema(), &parts).unwrap(), whole);
        assert_eq!(HOSPITAL.batch(1_000, 10).num_rows(), 0);
    }

    #[test]
    fn a_longer_table_starts_with_the_shorter() {
        let longer = Hospital { seed: 1, rows: 5_000 };
        assert_eq!(longer.batch(0, 1_000), HOSPITAL.batch(0, 1_000));
    }

    #[test]
    fn the_seed_decides_the_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = |name: &str, seed: u64| {
            let path = dir.path().join(name);
            Hospital { seed, rows: CHUNK + 9 }.write(&path).unwrap();
            fs::read(path).unwrap()
        };
        let first = bytes("a.csv", 1);
        assert_eq!(first, bytes("b.csv", 1));
        assert_ne!(first, bytes("c.csv", 2));
        assert_eq!(first.iter().filter(|&&byte| byte == b'\n').count() as u64, 1 + CHUNK + 9);
        let parquet = bytes("a.parquet", 1);
        assert_eq!(parquet, bytes("b.parquet", 1));
    }

    #[test]
    fn the_table_never_changes_for_a_seed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("golden.csv");
        Hospital { seed: 1, rows: 2 }.write(&path).unwrap();
        assert_eq!(
            fs::read_to_string(path).unwrap(),
            "name,birth_date,sex,zip,nationality,occupation,admission_date,diagnosis,length_of_stay\n\
             Frieda Q. Wolf,1956-06-08,female,34325,German,retired,2022-05-30,J20 bronchitis,3\n\
             Max Y. Brandt,2004-11-11,male,22301,German,apprentice,2022-08-19,S06 concussion,1\n"
        );
    }
}
