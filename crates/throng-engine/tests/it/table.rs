//! Tables as text, read by code that the engine does not share.

use std::fs::File;
use std::path::Path;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::concat_batches;
use arrow::util::display::array_value_to_string;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads comma-separated text under a header.
    pub(crate) fn parse(text: &str) -> Table {
        let mut records = vec![vec![String::new()]];
        let (mut quoted, mut chars) = (false, text.chars().peekable());
        while let Some(c) = chars.next() {
            let record = records.last_mut().unwrap();
            match c {
                '"' if quoted && chars.next_if_eq(&'"').is_some() => record.last_mut().unwrap().push('"'),
                '"' => quoted = !quoted,
                ',' if !quoted => record.push(String::new()),
                '\n' if !quoted => records.push(vec![String::new()]),
                _ => record.last_mut().unwrap().push(c),
            }
        }
        assert_eq!(records.pop().unwrap(), [""], "the text ends with a line break");
        let columns = records.remove(0);
        assert!(records.iter().all(|record| record.len() == columns.len()));
        Table { columns, rows: records }
    }

    /// The cells of a batch as text; nulls are empty.
    pub(crate) fn from_batch(batch: &RecordBatch) -> Table {
        let columns = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        let cell = |array: &ArrayRef, row| array_value_to_string(array, row).unwrap();
        let rows =
            (0..batch.num_rows()).map(|row| batch.columns().iter().map(|array| cell(array, row)).collect());
        Table { columns, rows: rows.collect() }
    }

    pub(crate) fn column(&self, name: &str) -> Vec<&str> {
        let position = self.columns.iter().position(|column| column == name).unwrap();
        self.rows.iter().map(|row| row[position].as_str()).collect()
    }

    /// The rows in the order of their text.
    pub(crate) fn sorted(mut self) -> Table {
        self.rows.sort();
        self
    }
}

/// The only batch of a Parquet file.
pub(crate) fn read_parquet(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = reader.schema().clone();
    let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

pub(crate) fn write_parquet(path: &Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}
