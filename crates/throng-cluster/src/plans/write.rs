//! Writes what the release makes of each part of a table, where the part is.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type, UInt64Type};
use datafusion::common::{DataFusionError, Result};
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::StreamExt;

use super::fault::as_fault;
use super::files::take_number;
use super::order::{WriteOrder, WrittenPart};
use super::place::PartAddress;
use throng_engine::mapping::RowRule;
use throng_engine::output::recode::{MappingIndex, Origin, Recoded, RecodedRows, Recoder};
use throng_tables::error::{self, EngineError};
use throng_tables::output::metadata::carry;
use throng_tables::output::sink::{FileCutter, FileLayout, Sink, add};

pub(super) fn written_schema() -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::UInt64, false);
    Arc::new(Schema::new(vec![
        Field::new("part", DataType::UInt32, false),
        Field::new("files", DataType::Utf8, false),
        number("read_rows"),
        number("suppressed_rows"),
        number("written_rows"),
        Field::new("newlines", DataType::Boolean, false),
        Field::new("formulas", DataType::Utf8, false),
    ]))
}

/// Recodes and writes a part. Its files have their names only once they are whole, and whoever writes the part again
/// writes the same bytes.
pub(super) async fn write(
    mut input: SendableRecordBatchStream,
    place: &PartAddress,
    order: &WriteOrder,
) -> Result<WrittenPart> {
    let numbered = input.schema();
    let (columns, metadata) = (numbered.fields().len() - 1, numbered.metadata().clone());
    let schema = Schema::new_with_metadata(numbered.fields()[..columns].to_vec(), metadata);
    let index = order.index().map_err(as_fault)?;
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut part = None;
    let mut open: Option<(Recoder<'_>, PartFiles<'_>)> = None;
    while let Some(batch) = input.next().await {
        let mut batch = batch.map_err(|error| place.unreadable(&error))?;
        take_number(&mut batch, &mut part)?;
        let Some(part) = part else { continue };
        let (recoder, files) = match &mut open {
            Some(open) => open,
            None => open.insert(start(order, (place, part), &index, &schema, &names).map_err(as_fault)?),
        };
        let read = batch.num_rows() as u64;
        let recoded = recoder.recode(&[batch], files.written.read_rows);
        files.written.read_rows += read;
        for Recoded { batch, suppressed_rows } in recoded.map_err(|error| place.fault(error))? {
            files.written.suppressed_rows += suppressed_rows;
            files.write(&batch).map_err(as_fault)?;
        }
    }
    match open {
        Some((_, files)) => files.finish().map_err(as_fault),
        None => Ok(WrittenPart::default()),
    }
}

/// What recodes and what writes a part.
fn start<'o>(
    order: &'o WriteOrder,
    (place, part): (&'o PartAddress, u32),
    index: &'o MappingIndex,
    schema: &Schema,
    names: &'o [String],
) -> error::Result<(Recoder<'o>, PartFiles<'o>)> {
    let layout = order.layout()?;
    let rows = if place.is_first { RecodedRows::OfFile } else { RecodedRows::Within };
    let origin = Origin { path: &place.file, columns: names, is_text: order.is_text, rows };
    let mut recoder = Recoder::of_mapping(index, origin, schema, layout.format, order.seed);
    if matches!(&index.mapping().way, RowRule::Tuples(parts) if parts.is_divided) {
        let before = order.counts_before(part)?;
        recoder.skip(before.iter().map(|(codes, rows)| (codes.as_slice(), *rows)));
    }
    let released = Arc::new(carry(&recoder.schema(), schema));
    Ok((recoder, PartFiles::new(order, part, layout, released)))
}

/// The files of a part.
struct PartFiles<'o> {
    order: &'o WriteOrder,
    layout: FileLayout,
    schema: SchemaRef,
    cutter: FileCutter,
    sink: Option<Sink>,
    written: WrittenPart,
}

impl<'o> PartFiles<'o> {
    fn new(order: &'o WriteOrder, part: u32, layout: FileLayout, schema: SchemaRef) -> PartFiles<'o> {
        PartFiles {
            order,
            layout,
            schema,
            cutter: FileCutter::new(order.rows_per_file),
            sink: None,
            written: WrittenPart { part, ..WrittenPart::default() },
        }
    }

    /// Appends rows, to as many files as they need.
    fn write(&mut self, batch: &RecordBatch) -> error::Result<()> {
        for (rows, is_full) in self.cutter.cut(batch) {
            let sink = match &mut self.sink {
                Some(sink) => sink,
                None => {
                    let file = self.order.folder.join(self.name(self.written.files.len()));
                    let sink = Sink::create_as(&file, Arc::clone(&self.schema), self.layout)?;
                    self.sink.insert(sink.with_mode(self.order.mode))
                }
            };
            sink.write(&rows)?;
            if is_full {
                self.end_file()?;
            }
        }
        self.written.written_rows += batch.num_rows() as u64;
        Ok(())
    }

    /// Names in the order of the rows.
    fn name(&self, number: usize) -> String {
        written_name(self.written.part, number, &self.order.extension)
    }

    fn end_file(&mut self) -> error::Result<()> {
        let Some(sink) = self.sink.take() else { return Ok(()) };
        let complete = sink.finish()?;
        self.written.newlines |= complete.has_newlines();
        add(&mut self.written.formulas, complete.formulas());
        complete.publish()?;
        let name = self.name(self.written.files.len());
        self.written.files.push(name);
        Ok(())
    }

    fn finish(mut self) -> error::Result<WrittenPart> {
        self.end_file()?;
        Ok(self.written)
    }
}

/// What the files of a part are called, in the order of the rows; `extension` has its dot.
fn written_name(part: u32, number: usize, extension: &str) -> String {
    format!("written-{part:08}-{number:08}{extension}")
}

impl WrittenPart {
    /// Refuses names of files that nobody was told to use, and parts that were said twice: nodes say what is published,
    /// and what they say must not reach beyond the folder that they were given.
    ///
    /// # Errors
    /// If there are others than those of the order.
    pub(crate) fn refuse_other_names(parts: &[WrittenPart], extension: &str) -> error::Result<()> {
        let is_named = |part: &WrittenPart| {
            let names = (0..part.files.len()).map(|number| written_name(part.part, number, extension));
            names.eq(part.files.iter().cloned())
        };
        let written: Vec<u32> =
            parts.iter().filter(|part| !part.files.is_empty()).map(|part| part.part).collect();
        if parts.iter().all(is_named) && written.windows(2).all(|pair| pair[0] < pair[1]) {
            return Ok(());
        }
        Err(EngineError::Data(
            "a node of the cluster reports files that it was not told to write; nothing was released".into(),
        ))
    }

    pub(super) fn to_batch(&self) -> Result<RecordBatch> {
        let number = |number: u64| -> ArrayRef { Arc::new(UInt64Array::from(vec![number])) };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from(vec![self.part])),
            Arc::new(StringArray::from(vec![self.files.join("\n")])),
            number(self.read_rows),
            number(self.suppressed_rows),
            number(self.written_rows),
            Arc::new(BooleanArray::from(vec![self.newlines])),
            Arc::new(StringArray::from(vec![
                self.formulas.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
            ])),
        ];
        RecordBatch::try_new(written_schema(), columns).map_err(DataFusionError::from)
    }

    /// What nodes said of the parts that they wrote.
    pub(crate) fn of_batch(batch: &RecordBatch) -> Vec<WrittenPart> {
        let number = |column: usize, row: usize| batch.column(column).as_primitive::<UInt64Type>().value(row);
        let part = |row: usize| WrittenPart {
            part: batch.column(0).as_primitive::<UInt32Type>().value(row),
            files: batch.column(1).as_string::<i32>().value(row).lines().map(str::to_owned).collect(),
            read_rows: number(2, row),
            suppressed_rows: number(3, row),
            written_rows: number(4, row),
            newlines: batch.column(5).as_boolean().value(row),
            formulas: numbers(batch.column(6).as_string::<i32>().value(row)),
        };
        (0..batch.num_rows()).map(part).collect()
    }
}

/// Numbers with spaces between them; what is none is passed over.
fn numbers(text: &str) -> Vec<u64> {
    text.split(' ').filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(part: u32, files: &[&str]) -> WrittenPart {
        let files = files.iter().map(|&file| file.to_owned()).collect();
        WrittenPart { part, files, ..WrittenPart::default() }
    }

    #[test]
    fn nodes_name_no_files_but_their_own() {
        let is_refused = |parts: &[WrittenPart]| WrittenPart::refuse_other_names(parts, ".csv").is_err();
        let (first, second) = ("written-00000000-00000000.csv", "written-00000000-00000001.csv");
        assert!(!is_refused(&[]));
        // Parts without rows have no files, and all of them have no number.
        assert!(!is_refused(&[part(0, &[]), part(0, &[first, second]), part(7, &[])]));
        for names in [
            &["../../.bashrc"][..],
            &["/home/me/table.csv"],
            &["../files/written-00000000-00000000.csv"],
            &["written-00000000-00000000.csv/../../mapping"],
            &["written-00000001-00000000.csv"],
            &["written-00000000-00000000.parquet"],
            &["Written-00000000-00000000.csv"],
            &["written-0-0.csv"],
            &[second],
            &[second, first],
            &[first, first],
            &[""],
        ] {
            assert!(is_refused(&[part(0, names)]), "{names:?}");
        }
        assert!(is_refused(&[part(0, &[first]), part(0, &[first])]));
    }
}
