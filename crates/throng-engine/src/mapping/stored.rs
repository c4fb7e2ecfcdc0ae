//! A mapping in a file, for those who apply it elsewhere: a line that describes it, and its lists as streams of Arrow.

use std::io::{BufRead, Read, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, RecordBatch, StringArray, UInt32Array};
use arrow::datatypes::UInt32Type;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use serde::{Deserialize, Serialize};

use super::lists::{beside, codes, numbers};
use super::{MappedColumn, Mapping, Original, RowRule, TupleParts};

/// What is no list.
#[derive(Serialize, Deserialize)]
struct Head {
    columns: Vec<ColumnHead>,
    masks: bool,
    suppressed_rows: u64,
    /// Whether tuples have labels of their own, and whether some have several parts.
    tuples: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct ColumnHead {
    name: String,
    column: usize,
    is_untouched: bool,
}

impl Mapping {
    /// Writes it.
    ///
    /// # Errors
    /// If that fails.
    pub fn store(&self, mut file: impl Write) -> Result<(), ArrowError> {
        let column = |column: &MappedColumn| ColumnHead {
            name: column.name.clone(),
            column: column.column,
            is_untouched: column.is_untouched,
        };
        let head = Head {
            columns: self.columns.iter().map(column).collect(),
            masks: self.masks,
            suppressed_rows: self.suppressed_rows,
            tuples: match &self.way {
                RowRule::Values { .. } => None,
                RowRule::Tuples(parts) => Some(parts.is_divided),
            },
        };
        serde_json::to_writer(&mut file, &head).map_err(|error| ArrowError::IpcError(error.to_string()))?;
        file.write_all(b"\n")?;
        for column in &self.columns {
            let texts: StringArray = column.originals.iter().map(|one| Some(one.text.as_str())).collect();
            let codes: UInt32Array = column.originals.iter().map(|one| one.code).collect();
            put(&mut file, vec![Arc::new(texts), Arc::new(codes)])?;
            put(&mut file, vec![Arc::new(StringArray::from_iter(column.labels.iter()))])?;
        }
        let lists = match &self.way {
            RowRule::Values { suppressed } => (0..self.columns.len())
                .map(|a| numbers(suppressed.iter().map(|class| class[a]).collect()))
                .collect(),
            RowRule::Tuples(parts) => {
                let lists = parts.codes.iter().chain(&parts.labels).chain([&parts.first_rows, &parts.rows]);
                let suppressed: ArrayRef = Arc::new(BooleanArray::from(parts.suppressed.clone()));
                lists.map(|list| numbers(list.clone())).chain([suppressed]).collect()
            }
        };
        put(&mut file, lists)
    }

    /// Reads what [`store`](Self::store) wrote.
    ///
    /// # Errors
    /// If it cannot be read, or is no mapping.
    pub fn restore(mut file: impl BufRead) -> Result<Mapping, ArrowError> {
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line)?;
        let head: Head = serde_json::from_slice(&line).map_err(|_| ArrowError::IpcError(NONE.to_owned()))?;
        let mut columns = Vec::with_capacity(head.columns.len());
        for ColumnHead { name, column, is_untouched } in head.columns {
            let (texts, labels) = (take(&mut file)?, take(&mut file)?);
            let codes = texts.column(1).as_primitive::<UInt32Type>();
            let originals = texts.column(0).as_string::<i32>().iter().zip(codes.values());
            let original =
                |(text, &code): (Option<&str>, &u32)| Original { text: text.unwrap_or("").to_owned(), code };
            columns.push(MappedColumn {
                name,
                column,
                is_untouched,
                originals: originals.map(original).collect(),
                labels: labels
                    .column(0)
                    .as_string::<i32>()
                    .iter()
                    .map(|one| one.map(str::to_owned))
                    .collect(),
            });
        }
        let lists = take(&mut file)?;
        let way = match head.tuples {
            None => RowRule::Values { suppressed: classes(&lists) },
            Some(is_divided) => RowRule::Tuples(parts(&lists, columns.len(), is_divided)),
        };
        Ok(Mapping { columns, way, masks: head.masks, suppressed_rows: head.suppressed_rows })
    }
}

const NONE: &str = "this is not a mapping";

fn classes(lists: &RecordBatch) -> Vec<Vec<u32>> {
    let lists: Vec<Vec<u32>> = lists.columns().iter().map(codes).collect();
    (0..lists.first().map_or(0, Vec::len))
        .map(|class| lists.iter().map(|list| list[class]).collect())
        .collect()
}

fn parts(lists: &RecordBatch, columns: usize, is_divided: bool) -> TupleParts {
    let all = lists.columns();
    let suppressed = all[2 * columns + 2].as_boolean();
    TupleParts {
        codes: all[..columns].iter().map(codes).collect(),
        labels: all[columns..2 * columns].iter().map(codes).collect(),
        first_rows: codes(&all[2 * columns]),
        rows: codes(&all[2 * columns + 1]),
        suppressed: (0..suppressed.len()).map(|part| suppressed.value(part)).collect(),
        is_divided,
    }
}

fn put(file: &mut impl Write, lists: Vec<ArrayRef>) -> Result<(), ArrowError> {
    let batch = beside(lists)?;
    let mut stream = StreamWriter::try_new(file, &batch.schema())?;
    stream.write(&batch)?;
    stream.finish()
}

/// The next lists, and nothing that follows them.
fn take(file: &mut impl Read) -> Result<RecordBatch, ArrowError> {
    let mut stream = StreamReader::try_new(file, None)?;
    let batch = stream.next().ok_or_else(|| ArrowError::IpcError(NONE.to_owned()))??;
    match stream.next() {
        None => Ok(batch),
        Some(_) => Err(ArrowError::IpcError(NONE.to_owned())),
    }
}
