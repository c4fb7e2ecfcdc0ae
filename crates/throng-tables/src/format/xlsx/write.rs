//! Record batches as a workbook with one sheet.
//!
//! Text is always text: nothing is a formula, a link or a date because it looks like one. A cell of a column of numbers is a
//! number if that shows the very digits of its text. The bytes depend on the table alone: there is no date, no author, no
//! list of texts that could hold more than the cells do.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format as CellFormat, Workbook, Worksheet, XlsxError};
use throng::wording::quoted;

use super::{MOST_CHARACTERS, MOST_COLUMNS, MOST_ROWS};
use crate::error::{EngineError, Result};
use crate::format::csv::write::unprintable;
use crate::format::json_lines::line::JsonKind;
use crate::format::{EncodedFile, Encoder, NewFile};
use crate::input::foreign::guard;
use crate::output::sink::staged;

/// What the sheet is called.
const SHEET: &str = "release";
/// Rows by which it is decided whether a column of text is one of numbers.
const LOOKED_AT: usize = 8192;
/// Digits that a number of Excel has.
const DIGITS: usize = 15;

/// A workbook that is being written.
pub(crate) struct WorkbookFile {
    file: File,
    target: PathBuf,
    workbook: Workbook,
    schema: SchemaRef,
    /// What each column is; of columns of text only known when the first rows were looked at.
    kinds: Vec<JsonKind>,
    are_known: bool,
    /// The first rows.
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
    /// Rows that were written.
    rows: u64,
    /// For each number of decimals the format that shows so many.
    formats: Vec<CellFormat>,
}

impl WorkbookFile {
    /// Starts a workbook.
    ///
    /// # Errors
    /// If a sheet cannot hold such columns, or the machine fails.
    pub(crate) fn start(new: NewFile<'_>) -> Result<WorkbookFile> {
        let NewFile { file, target, schema, kinds, .. } = new;
        refuse_columns(schema)?;
        let mut workbook = Workbook::new();
        let started = guard(|| start(&mut workbook, target, schema));
        started.unwrap_or_else(|| Err(full())).map_err(|error| failed(target, error))?;
        let kind = |(place, field): (usize, &DataType)| match kinds.get(place) {
            _ if field.is_numeric() => JsonKind::Number,
            _ if *field == DataType::Boolean => JsonKind::Boolean,
            Some(&kind) => kind,
            None => JsonKind::Text,
        };
        let decimals = |count: usize| {
            CellFormat::new().set_num_format(match count {
                0 => "General".to_owned(),
                _ => format!("0.{}", "0".repeat(count)),
            })
        };
        Ok(WorkbookFile {
            file,
            target: target.to_owned(),
            workbook,
            schema: schema.clone(),
            kinds: schema.fields().iter().map(|field| field.data_type()).enumerate().map(kind).collect(),
            are_known: false,
            waiting: Vec::new(),
            waiting_rows: 0,
            rows: 0,
            formats: (0..=DIGITS).map(decimals).collect(),
        })
    }

    /// Writes the rows that waited, when it is known what their columns are.
    fn write_waiting(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        if !self.are_known {
            self.are_known = true;
            self.look(&waiting)?;
        }
        waiting.iter().try_for_each(|batch| self.add(batch))
    }

    /// Finds the columns of text that are numbers: most of the first rows are, and none is a code such as `007`.
    fn look(&mut self, batches: &[RecordBatch]) -> Result<()> {
        for column in 0..self.kinds.len() {
            if self.kinds[column] != JsonKind::Text || !is_text(self.schema.field(column).data_type()) {
                continue;
            }
            let (mut numbers, mut words, mut left) = (0_usize, 0_usize, LOOKED_AT);
            let mut has_codes = false;
            for batch in batches {
                let rows = batch.num_rows().min(left);
                left -= rows;
                let before = self.rows;
                each_text(batch.column(column), rows, |_, text| match parse(text) {
                    Some(_) => numbers += 1,
                    None => {
                        has_codes |= text.bytes().all(|byte| byte.is_ascii_digit());
                        words += 1;
                    }
                })
                .map_err(|row| unprintable(self.schema.field(column).name(), before + row as u64))?;
            }
            if numbers > words && !has_codes {
                self.kinds[column] = JsonKind::Number;
            }
        }
        Ok(())
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.rows + batch.num_rows() as u64 >= u64::from(MOST_ROWS) {
            return Err(EngineError::bad((
                format!(
                    "the release has more than {} rows, the most that an Excel sheet holds below its header",
                    MOST_ROWS - 1
                ),
                "write .csv or .parquet",
            ))
            .in_file(&self.target));
        }
        // A sheet is written row by row, so the texts of all columns are needed at once.
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (field, cells) in self.schema.fields().iter().zip(batch.columns()) {
            let mut texts = Texts::default();
            let spelled = each_text(cells, cells.len(), |row, text| texts.push(row, text));
            spelled.map_err(|row| unprintable(field.name(), self.rows + row as u64))?;
            texts.end(cells.len());
            columns.push(texts);
        }
        self.refuse_long(&columns)?;
        let (first, rows) = (self.rows, batch.num_rows());
        let (kinds, formats) = (&self.kinds, &self.formats);
        let sheet = self.workbook.worksheet_from_index(0).map_err(|error| failed(&self.target, error))?;
        let written = guard(|| -> std::result::Result<(), XlsxError> {
            for row in 0..rows {
                write_row(sheet, 1 + (first + row as u64) as u32, row, &columns, kinds, formats)?;
            }
            Ok(())
        });
        self.rows += rows as u64;
        written.unwrap_or_else(|| Err(full())).map_err(|error| failed(&self.target, error))
    }

    fn refuse_long(&self, columns: &[Texts]) -> Result<()> {
        for (field, texts) in self.schema.fields().iter().zip(columns) {
            if let Some(row) = texts.find_long() {
                let problem = (
                    format!(
                        "the release has a cell of more than {MOST_CHARACTERS} characters, the most that \
                         Excel allows"
                    ),
                    "write .csv or .parquet, or leave the column out",
                );
                return Err(EngineError::bad(problem)
                    .in_file(&self.target)
                    .at_row(self.rows + row as u64 + 1)
                    .in_column(field.name()));
            }
        }
        Ok(())
    }
}

impl Encoder for WorkbookFile {
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        for batch in batches {
            self.waiting_rows += batch.num_rows();
            self.waiting.push(batch.clone());
            if self.are_known || self.waiting_rows >= LOOKED_AT {
                self.write_waiting()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<EncodedFile> {
        self.write_waiting()?;
        let mut file =
            BufWriter::new(self.file.try_clone().map_err(|cause| staged::failed(&self.target, cause))?);
        let workbook = &mut self.workbook;
        let saved = guard(|| workbook.save_to_writer(&mut file)).unwrap_or_else(|| Err(full()));
        saved.map_err(|error| failed(&self.target, error))?;
        file.flush().map_err(|cause| staged::failed(&self.target, cause))?;
        Ok(EncodedFile::default())
    }
}

fn refuse_columns(schema: &SchemaRef) -> Result<()> {
    if schema.fields().len() > MOST_COLUMNS as usize {
        let problem =
            format!("the release has more than {MOST_COLUMNS} columns, the most that an Excel sheet holds");
        return Err(EngineError::bad(problem));
    }
    if let Some(nested) = schema.fields().iter().find(|field| field.data_type().is_nested()) {
        let problem = (
            format!(
                "column {} holds lists or records, which a cell of a workbook cannot hold",
                quoted(nested.name())
            ),
            "write Parquet or Arrow instead",
        );
        return Err(EngineError::bad(problem).about_column(nested.name()));
    }
    let is_long = |name: &String| name.encode_utf16().count() > MOST_CHARACTERS;
    match schema.fields().iter().find(|field| is_long(field.name())) {
        None => Ok(()),
        Some(_) => Err(EngineError::bad("the name of a column is longer than Excel allows in a cell")),
    }
}

/// Begins the sheet with its header. What cells hold is kept in a file without a name beside the release, not in memory.
fn start(workbook: &mut Workbook, target: &Path, schema: &SchemaRef) -> std::result::Result<(), XlsxError> {
    // Excel shows no earlier date; that of the run would make each file another.
    let date = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_creation_datetime(&date));
    if let Some(folder) = target.parent().filter(|folder| folder.is_dir()) {
        workbook.set_tempdir(folder)?;
    }
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name(SHEET)?;
    for (column, field) in schema.fields().iter().enumerate() {
        sheet.write_string(0, column as u16, field.name())?;
    }
    Ok(())
}

/// Writes a row of a batch as a row of the sheet.
fn write_row(
    sheet: &mut Worksheet,
    at: u32,
    row: usize,
    columns: &[Texts],
    kinds: &[JsonKind],
    formats: &[CellFormat],
) -> std::result::Result<(), XlsxError> {
    let mut is_blank = true;
    for (column, (texts, kind)) in (0..).zip(columns.iter().zip(kinds)) {
        let Some(text) = texts.get(row) else { continue };
        is_blank = false;
        match (kind, parse(text)) {
            (JsonKind::Number, Some((number, 0))) => sheet.write_number(at, column, number)?,
            (JsonKind::Number, Some((number, decimals))) => {
                sheet.write_number_with_format(at, column, number, &formats[decimals])?
            }
            (JsonKind::Boolean, _) if matches!(text, "true" | "false") => {
                sheet.write_boolean(at, column, text == "true")?
            }
            _ => sheet.write_string(at, column, text)?,
        };
    }
    // So that the row is there.
    if is_blank {
        sheet.write_blank(at, 0, &formats[1])?;
    }
    Ok(())
}

/// The number that a text is, if Excel shows that very text for it; and the decimals that it is told to show, where they
/// end in zeros.
fn parse(text: &str) -> Option<(f64, usize)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = match digits.split_once('.') {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (digits, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || decimals.is_some_and(|decimals| !is_digits(decimals)) {
        return None;
    }
    let decimals = decimals.unwrap_or_default();
    let is_padded = whole.len() > 1 && whole.starts_with('0');
    if is_padded || whole.len() + decimals.len() > DIGITS {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    let is_tiny = number != 0.0 && number.abs() < 1e-4;
    if is_tiny || number == 0.0 && text.starts_with('-') {
        return None;
    }
    Some((number, if decimals.ends_with('0') { decimals.len() } else { 0 }))
}

/// The texts of some cells of a column, end to end.
#[derive(Default)]
struct Texts {
    text: String,
    /// For each row where its text ends; the same as before if it has none.
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, row: usize, text: &str) {
        self.end(row);
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// No row before this one that is not there yet has a text.
    fn end(&mut self, row: usize) {
        self.ends.resize(row, self.text.len());
    }

    fn get(&self, row: usize) -> Option<&str> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..self.ends[row]]).filter(|text| !text.is_empty())
    }

    /// A row whose text is too long for Excel.
    fn find_long(&self) -> Option<usize> {
        let is_long =
            |text: &str| text.len() > MOST_CHARACTERS && text.encode_utf16().count() > MOST_CHARACTERS;
        (0..self.ends.len()).find(|&row| self.get(row).is_some_and(is_long))
    }
}

/// Hands the text of each of the first rows that has one to `see`; the row of a cell that has no text is the error.
fn each_text(
    cells: &ArrayRef,
    rows: usize,
    mut see: impl FnMut(usize, &str),
) -> std::result::Result<(), usize> {
    let formatter = ArrayFormatter::try_new(cells.as_ref(), &FormatOptions::new()).map_err(|_| 0_usize)?;
    let is_float = cells.data_type().is_floating();
    let mut text = String::new();
    for row in (0..rows).filter(|&row| cells.is_valid(row)) {
        text.clear();
        formatter.value(row).write(&mut text).map_err(|_| row)?;
        // 1.0 of a column of such numbers is 1 for Excel.
        see(row, if is_float { text.strip_suffix(".0").unwrap_or(&text) } else { &text });
    }
    Ok(())
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The library stops where it cannot write to its file.
fn full() -> XlsxError {
    XlsxError::IoError(std::io::ErrorKind::StorageFull.into())
}

fn failed(target: &Path, error: XlsxError) -> EngineError {
    match error {
        XlsxError::IoError(cause) => staged::failed(target, cause),
        XlsxError::TempFileError(_, cause) => staged::failed(target, cause),
        // The wording of others may hold a cell.
        _ => EngineError::Data("the rows cannot be written as a workbook".into()),
    }
}
