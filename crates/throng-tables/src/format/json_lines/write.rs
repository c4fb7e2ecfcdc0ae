//! Record batches as JSON lines.
//!
//! How a cell is written depends on its column and its text alone, so that values which were counted as one are
//! written as one.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Schema};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use encoding_rs::Encoding;
use rayon::prelude::*;
use throng::wording::quoted;

use crate::error::{EngineError, Result};
use crate::format::csv::write::{cut, unprintable};
use crate::format::json_lines::line::JsonKind;
use crate::format::{EncodedFile, Encoder, NewFile};
use crate::output::in_order;
use crate::output::sink::encoding::{encode, mark};
use crate::output::sink::output::TextOutput;

/// A file of JSON lines.
pub(crate) struct LinesFile {
    encoder: LinesEncoder,
    output: TextOutput,
}

impl LinesFile {
    /// Starts a file.
    ///
    /// # Errors
    /// If JSON lines cannot hold such columns, or the machine fails.
    pub(crate) fn start(new: NewFile<'_>) -> Result<LinesFile> {
        let encoder = LinesEncoder::new(new.schema, new.kinds)?;
        let start = mark(new.layout.encoding);
        Ok(LinesFile { encoder, output: TextOutput::start(new, &start)? })
    }
}

impl Encoder for LinesFile {
    fn write(&mut self, batches: &[RecordBatch]) -> Result<()> {
        let pieces = self.encoder.encode(batches, self.output.encoding())?;
        self.output.write(&pieces)
    }

    fn finish(self: Box<Self>) -> Result<EncodedFile> {
        self.output.finish()?;
        Ok(EncodedFile::default())
    }
}

/// Encodes the batches of one table, in order.
struct LinesEncoder {
    /// What stands before the cell of each column: `{"age":` or `,"sex":`.
    keys: Vec<Vec<u8>>,
    names: Vec<String>,
    kinds: Vec<JsonKind>,
    rows: u64,
}

impl LinesEncoder {
    /// An encoder of tables with the given columns; `kinds` says what columns of text were in JSON.
    pub(crate) fn new(schema: &Schema, kinds: &[JsonKind]) -> Result<LinesEncoder> {
        if let Some(nested) = schema.fields().iter().find(|field| field.data_type().is_nested()) {
            let problem = (
                format!(
                    "column {} holds lists or records of a typed file, which are not written as JSON",
                    quoted(nested.name())
                ),
                "write Parquet or Arrow instead",
            );
            return Err(EngineError::bad(problem).about_column(nested.name()));
        }
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let key = |(place, name): (usize, &String)| {
            let mut key = vec![if place == 0 { b'{' } else { b',' }];
            push_text(&mut key, name);
            key.push(b':');
            key
        };
        let kind = |(place, field): (usize, &DataType)| match kinds.get(place) {
            Some(&kind) if is_text(field) => kind,
            _ => kind_of(field),
        };
        Ok(LinesEncoder {
            keys: names.iter().enumerate().map(key).collect(),
            kinds: schema.fields().iter().map(|field| field.data_type()).enumerate().map(kind).collect(),
            names,
            rows: 0,
        })
    }

    /// The rows of `batches` in an encoding, in pieces that follow each other.
    pub(crate) fn encode(
        &mut self,
        batches: &[RecordBatch],
        encoding: &'static Encoding,
    ) -> Result<Vec<Vec<u8>>> {
        let mut parts = Vec::new();
        for batch in batches {
            parts.extend(cut(batch, self.rows));
            self.rows += batch.num_rows() as u64;
        }
        let piece = |(rows, before): (RecordBatch, u64)| encode(self.encode_piece(&rows, before)?, encoding);
        in_order(parts.into_par_iter().map(piece))
    }

    fn encode_piece(&self, batch: &RecordBatch, before: u64) -> Result<Vec<u8>> {
        let cells = batch.columns().iter().zip(&self.kinds).map(|(cells, &kind)| spell_all(cells, kind));
        let mut columns: Vec<JsonCells> = Vec::with_capacity(batch.num_columns());
        for (place, cells) in cells.enumerate() {
            columns.push(cells.map_err(|row| unprintable(&self.names[place], before + row as u64))?);
        }
        let mut piece = Vec::new();
        for row in 0..batch.num_rows() {
            for (key, column) in self.keys.iter().zip(&columns) {
                piece.extend_from_slice(key);
                piece.extend_from_slice(column.get(row));
            }
            piece.extend_from_slice(if columns.is_empty() { b"{}\n" } else { b"}\n" });
        }
        Ok(piece)
    }
}

/// The cells of a column as JSON, end to end.
#[derive(Default)]
struct JsonCells {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// For each row its place, where several have one.
    places: Option<Vec<usize>>,
}

impl JsonCells {
    fn get(&self, row: usize) -> &[u8] {
        let at = self.places.as_ref().map_or(row, |places| places[row]);
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }

    fn push(&mut self, cell: Option<&str>, kind: JsonKind) {
        match cell {
            None => self.bytes.extend_from_slice(b"null"),
            Some(text) if is_bare(text, kind) => self.bytes.extend_from_slice(text.as_bytes()),
            Some(text) => push_text(&mut self.bytes, text),
        }
        self.ends.push(self.bytes.len());
    }
}

/// All cells of a column; the row of one that has no text, if there is one.
fn spell_all(cells: &ArrayRef, kind: JsonKind) -> std::result::Result<JsonCells, usize> {
    if let Some(listed) = cells.as_any_dictionary_opt() {
        let mut spelled = spell_all(listed.values(), kind)?;
        let missing = spelled.ends.len();
        spelled.push(None, kind);
        let of = |(row, place): (usize, usize)| if listed.keys().is_valid(row) { place } else { missing };
        let places = match missing {
            0 => vec![missing; cells.len()],
            _ => listed.normalized_keys().into_iter().enumerate().map(of).collect(),
        };
        return Ok(JsonCells { places: Some(places), ..spelled });
    }
    let mut spelled = JsonCells::default();
    match cells.data_type() {
        DataType::Utf8 => cells.as_string::<i32>().iter().for_each(|cell| spelled.push(cell, kind)),
        DataType::LargeUtf8 => cells.as_string::<i64>().iter().for_each(|cell| spelled.push(cell, kind)),
        DataType::Utf8View => cells.as_string_view().iter().for_each(|cell| spelled.push(cell, kind)),
        _ => {
            let formatter =
                ArrayFormatter::try_new(cells.as_ref(), &FormatOptions::new()).map_err(|_| 0_usize)?;
            let mut text = String::new();
            for row in 0..cells.len() {
                text.clear();
                formatter.value(row).write(&mut text).map_err(|_| row)?;
                spelled.push(cells.is_valid(row).then_some(text.as_str()), kind);
            }
        }
    }
    Ok(spelled)
}

/// Whether a cell is written as it is, without quotes.
fn is_bare(text: &str, kind: JsonKind) -> bool {
    match kind {
        JsonKind::Text => false,
        JsonKind::Boolean => matches!(text, "true" | "false"),
        JsonKind::Number => is_number(text),
        // It was read as JSON; what is none was made by us, as a label.
        JsonKind::Nested => {
            serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok() && !text.contains('\n')
        }
    }
}

/// Whether a text is a number of JSON: `-0.5e3`, but not `007`, `.5` or `NaN`.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |text: &str| -> usize { text.bytes().take_while(u8::is_ascii_digit).count() };
    let rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.starts_with('0') {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        None => rest.is_empty(),
    }
}

pub(crate) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

/// What the values of a typed column are.
fn kind_of(kind: &DataType) -> JsonKind {
    match kind {
        DataType::Boolean => JsonKind::Boolean,
        DataType::Dictionary(_, value) => kind_of(value),
        kind if kind.is_numeric() => JsonKind::Number,
        _ => JsonKind::Text,
    }
}

/// A text in quotes.
fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(b'"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        bytes.extend_from_slice(&text.as_bytes()[written..at]);
        written = at + 1;
        match byte {
            b'"' | b'\\' => bytes.extend([b'\\', byte]),
            b'\n' => bytes.extend(b"\\n"),
            b'\r' => bytes.extend(b"\\r"),
            b'\t' => bytes.extend(b"\\t"),
            other => bytes.extend(format!("\\u{other:04x}").bytes()),
        }
    }
    bytes.extend_from_slice(&text.as_bytes()[written..]);
    bytes.push(b'"');
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array, StringArray};
    use arrow::datatypes::UInt32Type;

    use super::*;

    fn lines(columns: Vec<(&str, ArrayRef)>, kinds: &[JsonKind]) -> String {
        let columns = columns.into_iter().map(|(name, cells)| (name, cells, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let mut encoder = LinesEncoder::new(&batch.schema(), kinds).unwrap();
        String::from_utf8(encoder.encode(&[batch], encoding_rs::UTF_8).unwrap().concat()).unwrap()
    }

    #[test]
    fn cells_have_the_types_of_their_columns() {
        let text = |cells: Vec<Option<&str>>| -> ArrayRef { Arc::new(StringArray::from(cells)) };
        let labels: DictionaryArray<UInt32Type> = vec![Some("20-29"), None].into_iter().collect();
        let found = lines(
            vec![
                ("n", text(vec![Some("1.50"), Some("007")])),
                ("t", text(vec![Some("1.50"), None])),
                ("b", text(vec![Some("true"), Some("maybe")])),
                ("j", text(vec![Some("[1, {\"a\": 2}]"), Some("*")])),
                ("age", Arc::new(labels)),
            ],
            &[JsonKind::Number, JsonKind::Text, JsonKind::Boolean, JsonKind::Nested, JsonKind::Text],
        );
        assert_eq!(
            found,
            "{\"n\":1.50,\"t\":\"1.50\",\"b\":true,\"j\":[1, {\"a\": 2}],\"age\":\"20-29\"}\n\
             {\"n\":\"007\",\"t\":null,\"b\":\"maybe\",\"j\":\"*\",\"age\":null}\n"
        );
    }

    #[test]
    fn typed_columns_and_awkward_text() {
        let found = lines(
            vec![
                ("i\"", Arc::new(Int64Array::from(vec![Some(-3), None]))),
                ("f", Arc::new(Float64Array::from(vec![0.5, f64::NAN]))),
                ("b", Arc::new(BooleanArray::from(vec![true, false]))),
                ("d", Arc::new(Date32Array::from(vec![0, 1]))),
                ("t", Arc::new(StringArray::from(vec!["a\n\"\\\u{1}é", ""]))),
            ],
            &[],
        );
        let mut rows = found.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let first = rows.next().unwrap();
        assert_eq!((&first["i\""], &first["f"], &first["b"]), (&(-3).into(), &0.5.into(), &true.into()));
        assert_eq!((first["d"].as_str(), first["t"].as_str()), (Some("1970-01-01"), Some("a\n\"\\\u{1}é")));
        let second = rows.next().unwrap();
        assert!(second["i\""].is_null() && second["f"] == "NaN" && second["t"] == "");
    }

    #[test]
    fn numbers_are_those_of_json() {
        for text in ["0", "-0", "12", "1.50", "-0.5e3", "1E+9", "1e-07"] {
            assert!(is_number(text) && serde_json::from_str::<f64>(text).is_ok(), "{text}");
        }
        for text in ["", "-", "007", "1.", ".5", "+1", "1e", "NaN", "inf", "1,5", " 1", "1e+"] {
            assert!(
                !is_number(text) && serde_json::from_str::<f64>(text.trim_start_matches(' ')).is_err()
                    || text == " 1",
                "{text}"
            );
        }
    }
}
