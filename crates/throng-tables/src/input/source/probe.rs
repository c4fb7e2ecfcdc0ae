//! Looks into a file: its format, its dialect, and the names of its columns.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;

use super::fault::{NOT_UTF_8, read_failure};
use super::sample::TextSample;
use super::tail;
use super::{Source, TextStart, bad};
use crate::address::Address;
use crate::backend::{Look, Remote, objects};
use crate::error::{EngineError, Result};
use crate::format::csv::trim::trim_cell;
use crate::format::json_lines::is_number;
use crate::format::json_lines::line::JsonKind;
use crate::format::json_lines::line::{self as lines, BadLine, LineColumns};
use crate::format::xlsx::FoundSheet;
use crate::format::{Compression, Format};
use crate::format::{FileAt, parquet};
use crate::input::dialect::{
    Dialect, DialectOverrides, Header, Record, sniff_header, sniff_with, split, split_preamble,
};
use crate::input::encoding::{self, Decoding};
use crate::input::formulas::without_mark;
use crate::input::limits::{Limited, MOST_COLUMNS};
use crate::input::named::NamedFile;
use crate::input::pieces::KnownPieces;
use crate::input::totals::Totals;
use crate::output::sink::FileLayout;
use crate::tables::Tables;
use crate::wording::Message;

/// See [`Source::open`].
pub(super) fn open(path: &Path, overrides: &DialectOverrides, tables: &Tables) -> Result<Source> {
    match Address::from_path(path) {
        Address::Object(_) => open_object(path, &objects()?.look(path)?, overrides, tables),
        _ => open_here(path, overrides, tables),
    }
}

/// The same of an object that was looked at.
pub(super) fn open_object(
    path: &Path,
    look: &Look,
    overrides: &DialectOverrides,
    tables: &Tables,
) -> Result<Source> {
    if let Some(metadata) = &look.parquet {
        let source = parquet::open_seen(path, metadata, look.bytes)?;
        return Ok(Source { tables: tables.clone(), ..source });
    }
    objects()?.fetch(path, look, tables)?;
    open_here(path, overrides, tables)
}

fn open_here(path: &Path, overrides: &DialectOverrides, tables: &Tables) -> Result<Source> {
    let (at, mut file, file_bytes) = open_file(path, tables)?;
    let failed = |cause| read_failure(path, Compression::None, &cause);
    let start = read_up_to(&mut file, 8).map_err(failed)?;
    file.rewind().map_err(failed)?;
    let named = Format::from_name(path).map(|(format, _)| format);
    let format = Format::from_magic(&start).or(named);
    if overrides.sheet.is_some() && format != Some(Format::XLSX) {
        return Err(bad(
            path,
            ("this is not a workbook, so it has no sheets", "leave --sheet out (in a job: sheet in [xlsx])"),
        ));
    }
    let at = FileAt { path, file: &at, bytes: file_bytes, overrides, text: None };
    let source = match format {
        Some(format) if !format.is_text() => format.open(&at),
        _ => open_text(&at, file, Compression::from_magic(&start)),
    };
    Ok(Source { tables: tables.clone(), ..source? })
}

fn open_file(path: &Path, tables: &Tables) -> Result<(NamedFile, File, u64)> {
    let failed = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => EngineError::not_found(path, "there is no such file"),
        _ => read_failure(path, Compression::None, &cause),
    };
    let local = tables.local_path(path).map_err(failed)?.into_owned();
    let metadata = fs::metadata(&local).map_err(failed)?;
    if !metadata.is_file() {
        return Err(bad(path, "this is not a regular file, and the input must be read twice"));
    }
    if metadata.len() == 0 {
        return Err(bad(path, "the file is empty"));
    }
    let opened = File::open(&local).map_err(failed)?;
    Ok((NamedFile { name: path.to_owned(), local }, opened, metadata.len()))
}

/// A file whose columns have types.
///
/// # Errors
/// If two columns have the same name, or one has none.
pub(crate) fn typed(
    path: &Path,
    format: Format,
    schema: &SchemaRef,
    file_bytes: u64,
    rows: Option<u64>,
) -> Result<Source> {
    let columns: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    check_names(path, &columns, None)?;
    Ok(Source { file_bytes, expected_rows: rows, ..new(path, format, Arc::clone(schema)) })
}

/// A table of which nothing is known but its columns.
fn new(path: &Path, format: Format, schema: SchemaRef) -> Source {
    Source {
        tables: Tables::default(),
        path: path.to_owned(),
        format,
        compression: Compression::None,
        dialect: None,
        columns: schema.fields().iter().map(|field| field.name().clone()).collect(),
        names_are_guessed: false,
        header_in_doubt: false,
        preamble_bytes: 0,
        text_end: None,
        has_no_totals: false,
        has_mark: false,
        encoding: UTF_8,
        encoding_is_guessed: false,
        schema,
        file_bytes: 0,
        expected_rows: None,
        remote: None,
        memory: None,
        kinds: Arc::new([]),
        sheet: None,
        set: None,
        pieces: KnownPieces::default(),
        shared: None,
    }
}

fn open_text(at: &FileAt<'_>, file: File, compression: Compression) -> Result<Source> {
    let FileAt { path, overrides, .. } = *at;
    let failed = |cause: io::Error| read_failure(path, compression, &cause);
    let text = decompress(file, at.bytes, compression).map_err(failed)?;
    let said = overrides.encoding.as_deref().map(encoding::find).transpose()?;
    let TextSample { text: sample, bytes: sample_bytes, is_cut, encoding } =
        TextSample::read(text, path, said, overrides).map_err(failed)?;
    refuse_other_formats(path, &sample)?;
    let format = text_format(path, &sample);
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_json && format != Format::JSON_LINES {
        let problem = (
            "this is not a table of JSON lines, where every line is one object",
            "convert it, for example with jq -c '.[]' FILE.json > FILE.jsonl",
        );
        return Err(bad(path, problem));
    }
    let encoding_is_guessed = said.is_none() && encoding != UTF_8;
    let start =
        TextStart { sample: &sample, sample_bytes, is_cut, compression, encoding, encoding_is_guessed };
    format.open(&FileAt { text: Some(&start), ..*at })
}

/// What text is: what its name says, or what its start looks like.
pub(super) fn text_format(path: &Path, sample: &[u8]) -> Format {
    let named = Format::from_name(path).map(|(format, _)| format);
    let of_text = |format: &Format| format.is_text();
    match named {
        Some(format) => Some(format).filter(of_text),
        None => Format::all().find(|format| of_text(format) && format.resembles(sample)),
    }
    .unwrap_or(Format::CSV)
}

/// Looks into delimited text.
///
/// # Errors
/// If it has no dialect, or no names that can be used.
pub(crate) fn open_delimited(file: &FileAt<'_>, text: &TextStart<'_>) -> Result<Source> {
    let FileAt { path, bytes: file_bytes, overrides, .. } = *file;
    let &TextStart { sample, sample_bytes, is_cut, compression, encoding, encoding_is_guessed } = text;
    let dialect = sniff_with(sample, overrides)?;
    let rows = split_preamble(sample, overrides.skip).1;
    let preamble_bytes = sample.len() - rows.len();
    let records = split(rows, dialect.delimiter, dialect.quote);
    if records.is_empty() {
        let problem = match overrides.skip {
            Some(skip) if skip > 0 => "the file has no row below the skipped lines",
            _ => "the file is empty",
        };
        return Err(bad(path, problem));
    }
    if is_cut && records.len() == 1 {
        return Err(bad(path, "the first row, or the one after it, does not end within 64 MiB"));
    }
    let doubtful = overrides.header.is_none() && sniff_header(&records, overrides) == Header::Unknown;
    refuse_many(path, records[0].fields.len())?;
    let columns = name_columns(path, &records[0], dialect, doubtful)?;
    let rows = records.len() - usize::from(dialect.header);
    let expected = rows as f64 * file_bytes as f64 / sample_bytes as f64;
    let is_plain = compression == Compression::None && encoding == UTF_8;
    let text_end = match is_plain {
        true => {
            let text = file.file.open().and_then(|file| tail::read_end(file, preamble_bytes as u64));
            let text = text.map_err(|cause| read_failure(path, compression, &cause))?;
            tail::find_end(path, text, dialect, columns.len(), overrides.totals)?
        }
        false => None,
    };
    Ok(Source {
        compression,
        text_end,
        has_no_totals: overrides.totals == Some(Totals::Drop) && text_end.is_none(),
        has_mark: encoding == UTF_8 && sample.starts_with(b"\xef\xbb\xbf"),
        dialect: Some(dialect),
        names_are_guessed: dialect.header && overrides.header.is_none(),
        header_in_doubt: doubtful,
        preamble_bytes,
        encoding,
        encoding_is_guessed,
        file_bytes,
        expected_rows: (compression == Compression::None).then_some(expected as u64),
        ..new(path, Format::CSV, text_schema(&columns))
    })
}

/// Looks into JSON lines.
///
/// # Errors
/// If there is no dialect to be overridden, or the first line is no object.
pub(crate) fn open_lines(file: &FileAt<'_>, start: &TextStart<'_>) -> Result<Source> {
    let FileAt { path, bytes: file_bytes, overrides, .. } = *file;
    let &TextStart { sample, sample_bytes, compression, encoding, encoding_is_guessed, .. } = start;
    sniff_with(&[], overrides)?;
    let text = String::from_utf8_lossy(sample);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let LineColumns { names, kinds, rows } = LineColumns::find(text);
    if text.trim().is_empty() {
        return Err(bad(path, "the file is empty"));
    }
    if names.is_empty() {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let reason = lines::visit(first, |_, _| Ok(())).err().map(BadLine::message);
        let no_key = || "the first line has no key, so there are no columns".into();
        return Err(bad(path, reason.unwrap_or_else(no_key)).at_row(1));
    }
    check_names(path, &names, None)?;
    let expected = rows as f64 * file_bytes as f64 / sample_bytes as f64;
    Ok(Source {
        compression,
        encoding,
        encoding_is_guessed,
        file_bytes,
        expected_rows: (compression == Compression::None).then_some(expected as u64),
        kinds: kinds.into(),
        ..new(path, Format::JSON_LINES, text_schema(&names))
    })
}

/// The table of a workbook, which begins with these rows.
///
/// # Errors
/// If its columns have no names that can be used.
pub(crate) fn sheet(file: &FileAt<'_>, found: FoundSheet) -> Result<Source> {
    let FileAt { path, bytes, overrides, .. } = *file;
    let FoundSheet { records, place, expected_rows } = found;
    let header = sniff_header(&records, overrides);
    let doubtful = overrides.header.is_none() && header == Header::Unknown;
    let has_header = overrides.header.unwrap_or(header != Header::Data);
    let dialect = Dialect { header: has_header, ..FileLayout::PLAIN };
    let columns = name_columns(path, &records[0], dialect, doubtful)?;
    let rows = records.iter().skip(usize::from(has_header));
    let kinds =
        (0..columns.len()).map(|column| kind_of_cells(rows.clone().map(|row| &row.fields[column].bytes[..])));
    Ok(Source {
        names_are_guessed: has_header && overrides.header.is_none(),
        header_in_doubt: doubtful,
        file_bytes: bytes,
        expected_rows,
        kinds: kinds.collect(),
        sheet: Some(Arc::new(place.below(has_header))),
        ..new(path, Format::XLSX, text_schema(&columns))
    })
}

/// What cells of text are: numbers, `true` and `false`, or anything; nothing if all are empty.
fn kind_of_cells<'a>(cells: impl Iterator<Item = &'a [u8]>) -> Option<JsonKind> {
    let kind = |cell: &[u8]| match cell {
        b"true" | b"false" => JsonKind::Boolean,
        cell if std::str::from_utf8(cell).is_ok_and(is_number) => JsonKind::Number,
        _ => JsonKind::Text,
    };
    cells.filter(|cell| !cell.is_empty()).map(kind).map(Some).reduce(lines::unite).flatten()
}

/// JSON lines of these columns, of which nothing is known but that there are none.
pub(crate) fn lines_of(path: &Path, compression: Compression, names: &[String]) -> Source {
    Source {
        compression,
        expected_rows: Some(0),
        kinds: vec![None; names.len()].into(),
        ..new(path, Format::JSON_LINES, text_schema(names))
    }
}

/// See [`Source::of_remote`].
pub(super) fn of_remote(path: &Path, columns: Vec<String>, remote: Arc<dyn Remote>) -> Result<Source> {
    check_names(path, &columns, None)?;
    Ok(Source {
        file_bytes: remote.stored_bytes(),
        expected_rows: remote.expected_rows(),
        remote: Some(remote),
        ..new(path, Format::CSV, text_schema(&columns))
    })
}

/// The text of a source, from its first row on.
pub(crate) fn read_text(source: &Source) -> io::Result<Box<dyn Read + Send>> {
    let file = source.open_at(0)?;
    let text: Box<dyn Read + Send> = match source.text_end {
        Some(end) => Box::new(file.take(end)),
        None => decompress(file, source.file_bytes, source.compression)?,
    };
    let mut text = decode(text, source.encoding);
    io::copy(&mut (&mut text).take(source.preamble_bytes as u64), &mut io::sink())?;
    Ok(text)
}

fn decode(text: Box<dyn Read + Send>, encoding: &'static Encoding) -> Box<dyn Read + Send> {
    // Plain UTF-8 goes to the reader as it is, which looks at it anyway.
    if encoding == UTF_8 { text } else { Box::new(Decoding::new(text, encoding)) }
}

/// The text of a file.
fn decompress(
    file: impl Read + Send + 'static,
    bytes: u64,
    compression: Compression,
) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(Limited::new(MultiGzDecoder::new(file), bytes)),
        Compression::Zstd => Box::new(Limited::new(zstd::stream::read::Decoder::new(file)?, bytes)),
    })
}

fn read_up_to(reader: &mut impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    reader.take(bytes as u64).read_to_end(&mut read)?;
    Ok(read)
}

fn refuse_other_formats(path: &Path, sample: &[u8]) -> Result<()> {
    if let Some(format) = Format::from_magic(sample) {
        let problem = (format!("this is a compressed {} file", format.name()), "decompress it first");
        return Err(bad(path, problem));
    }
    if sample.contains(&0) {
        return Err(bad(path, format!("this is neither {}", Format::list("nor"))));
    }
    Ok(())
}

/// What to do about a first row that was taken for a header but may be data.
const DOUBT: &str = "the first row may be data: if it is, use --no-header (in a job: header = false in \
                     [csv]); if it names the columns, use --header";

/// The same of a row that is mostly empty, as a title above a table is.
const TITLE: &str = "the first row may be a title: if there are lines above the column names, skip them with --skip LINES \
                     (in a job: skip = LINES in [csv]); if it names the columns, use --header; if it is data, use \
                     --no-header";

/// The names of the columns: those in the first row, or made up where there are none. In a row that
/// is only taken for a header, a name that lacks is one doubt too many.
fn name_columns(path: &Path, first: &Record, dialect: Dialect, doubtful: bool) -> Result<Vec<String>> {
    if !dialect.header {
        return Ok((1..=first.fields.len()).map(made_up).collect());
    }
    let mut names = Vec::with_capacity(first.fields.len());
    for (at, field) in first.fields.iter().enumerate() {
        let name = std::str::from_utf8(&field.bytes).map_err(|_| header_not_utf8(path, at + 1))?;
        let name = match dialect.trim {
            true => trim_cell(name, char::from(dialect.quote)).into_owned(),
            false => name.to_owned(),
        };
        names.push(if dialect.marked { without_mark(&name).to_owned() } else { name });
    }
    if !doubtful {
        name_unnamed(&mut names);
    }
    let filled = names.iter().filter(|name| !name.trim().is_empty()).count();
    let doubt = if 2 * filled < names.len() { TITLE } else { DOUBT };
    check_names(path, &names, doubtful.then_some(doubt))?;
    Ok(names)
}

/// The name of a column without one, by its place from 1.
fn made_up(place: usize) -> String {
    format!("column_{place}")
}

/// Gives names to columns that have none, or nothing but spaces; none that is there already.
fn name_unnamed(names: &mut [String]) {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    for (place, name) in (1..).zip(names).filter(|(_, name)| name.trim().is_empty()) {
        let numbered = (2..).map(|number| format!("{}_{number}", made_up(place)));
        let mut free = std::iter::once(made_up(place)).chain(numbered);
        *name = free.find(|name| taken.insert(name.clone())).expect("there is always a further number");
    }
}

fn header_not_utf8(path: &Path, column: usize) -> EngineError {
    bad(path, (format!("the name of column {column} is not UTF-8 text"), NOT_UTF_8))
}

/// Refuses more columns than a table may have.
pub(super) fn refuse_many(path: &Path, columns: usize) -> Result<()> {
    match columns {
        0..=MOST_COLUMNS => Ok(()),
        _ => Err(bad(path, format!("there are more than {MOST_COLUMNS} columns, the most a table may have"))),
    }
}

fn check_names(path: &Path, names: &[String], hint: Option<&str>) -> Result<()> {
    if names.is_empty() {
        return Err(bad(path, "there are no columns"));
    }
    refuse_many(path, names.len())?;
    let refuse = |problem: String| bad(path, Message::new(problem, hint.map(str::to_owned)));
    let mut seen = HashMap::new();
    for (at, name) in (1..).zip(names) {
        if name.is_empty() {
            return Err(refuse(format!("column {at} has no name")));
        }
        // Numbers, not the name: what looks like a header may be a row of the data.
        if let Some(before) = seen.insert(name, at) {
            return Err(refuse(format!("columns {before} and {at} have the same name")));
        }
    }
    Ok(())
}

fn text_schema(columns: &[String]) -> SchemaRef {
    let fields = columns.iter().map(|name| Field::new(name, DataType::Utf8, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
