//! Looks into a file: its format, its dialect, and the names of its columns.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use encoding_rs::{Encoding, UTF_8};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};

use super::fault::{NOT_UTF_8, damaged_parquet, read_failure};
use super::trim::trim_cell;
use super::{Source, bad, ipc};
use crate::error::{EngineError, Result};
use crate::input::dialect::{
    Dialect, DialectOverrides, Header, Record, sniff_header, sniff_with, split, split_sep_line,
};
use crate::input::encoding::{self, Decoding};
use crate::input::format::{Compression, Format};
use crate::input::lines::{self, BadLine, LineColumns};
#[cfg(feature = "postgres")]
use crate::input::remote::Remote;
use crate::input::standard;
use crate::store;

/// How much of a text file is looked at.
const SAMPLE_BYTES: usize = 256 << 10;

/// See [`Source::open`].
pub(super) fn open(path: &Path, overrides: &DialectOverrides) -> Result<Source> {
    match store::is_address(path) {
        true => open_object(path, &store::look(path)?, overrides),
        false => open_here(path, overrides),
    }
}

/// The same of an object that was looked at.
pub(super) fn open_object(path: &Path, look: &store::Look, overrides: &DialectOverrides) -> Result<Source> {
    if let Some(metadata) = look.parquet() {
        return parquet_table(path, metadata, look.bytes());
    }
    store::fetch(path, look)?;
    open_here(path, overrides)
}

fn open_here(path: &Path, overrides: &DialectOverrides) -> Result<Source> {
    let (mut file, file_bytes) = open_file(path)?;
    let failed = |cause| read_failure(path, Compression::None, &cause);
    let start = read_up_to(&mut file, 8).map_err(failed)?;
    file.rewind().map_err(failed)?;
    let named = Format::from_name(path).map(|(format, _)| format);
    match Format::from_magic(&start).or(named) {
        Some(Format::Parquet) => open_parquet(path, &file, file_bytes),
        Some(Format::Arrow) => open_arrow(path, file_bytes),
        _ => open_text(path, file, file_bytes, Compression::from_magic(&start), overrides),
    }
}

fn open_file(path: &Path) -> Result<(File, u64)> {
    let failed = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => EngineError::not_found(path, "there is no such file"),
        _ => read_failure(path, Compression::None, &cause),
    };
    let place = standard::place(path).map_err(failed)?;
    let metadata = fs::metadata(&place).map_err(failed)?;
    if !metadata.is_file() {
        return Err(bad(path, "this is not a regular file; input is read twice"));
    }
    if metadata.len() == 0 {
        return Err(bad(path, "the file is empty"));
    }
    Ok((File::open(&place).map_err(failed)?, metadata.len()))
}

fn open_parquet(path: &Path, file: &File, file_bytes: u64) -> Result<Source> {
    let metadata =
        ArrowReaderMetadata::load(file, ArrowReaderOptions::new()).map_err(|_| damaged_parquet(path))?;
    parquet_table(path, &metadata, file_bytes)
}

fn parquet_table(path: &Path, metadata: &ArrowReaderMetadata, file_bytes: u64) -> Result<Source> {
    let columns: Vec<String> = metadata.schema().fields().iter().map(|field| field.name().clone()).collect();
    check_names(path, &columns, "")?;
    let rows = u64::try_from(metadata.metadata().file_metadata().num_rows()).ok();
    Ok(typed(path, Format::Parquet, metadata.schema(), file_bytes, rows))
}

fn open_arrow(path: &Path, file_bytes: u64) -> Result<Source> {
    let (schema, rows) = ipc::look(path)?;
    let columns: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    check_names(path, &columns, "")?;
    Ok(typed(path, Format::Arrow, &schema, file_bytes, rows.map(|rows| rows.iter().sum())))
}

/// A file whose columns have types.
fn typed(path: &Path, format: Format, schema: &SchemaRef, file_bytes: u64, rows: Option<u64>) -> Source {
    Source {
        path: path.to_owned(),
        format,
        compression: Compression::None,
        dialect: None,
        columns: schema.fields().iter().map(|field| field.name().clone()).collect(),
        names_are_guessed: false,
        header_in_doubt: false,
        preamble_bytes: 0,
        encoding: UTF_8,
        encoding_is_guessed: false,
        schema: Arc::clone(schema),
        file_bytes,
        expected_rows: rows,
        remote: None,
        kinds: Arc::new([]),
        set: None,
    }
}

fn open_text(
    path: &Path,
    file: File,
    file_bytes: u64,
    compression: Compression,
    overrides: &DialectOverrides,
) -> Result<Source> {
    let failed = |cause: io::Error| read_failure(path, compression, &cause);
    let mut text = decompress(file, compression).map_err(failed)?;
    let mut sample = read_up_to(&mut text, SAMPLE_BYTES).map_err(failed)?;
    let (cut, sample_bytes) = (sample.len() == SAMPLE_BYTES, sample.len());
    let said = overrides.encoding.as_deref().map(encoding::find).transpose()?;
    let encoding = said.unwrap_or_else(|| encoding::detect(&sample));
    if encoding != UTF_8 {
        sample = encoding::decode_start(&sample, encoding);
    }
    refuse_other_formats(path, &sample)?;
    if cut {
        drop_cut_line(&mut sample);
    }
    if is_lines(path, &sample) {
        sniff_with(&[], overrides)?;
        let file = Spelled { compression, encoding, is_guessed: said.is_none() && encoding != UTF_8 };
        return open_lines(path, &sample, sample_bytes, file_bytes, file);
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        let problem = "this is no table of JSON lines, in which every line is one object; convert it, as by \
                       jq -c '.[]' FILE.json > FILE.jsonl";
        return Err(bad(path, problem));
    }
    let dialect = sniff_with(&sample, overrides)?;
    let rows = split_sep_line(&sample).1;
    let preamble_bytes = sample.len() - rows.len();
    let records = split(rows, dialect.delimiter, dialect.quote);
    if records.is_empty() {
        return Err(bad(path, "the file is empty"));
    }
    if cut && records.len() == 1 {
        return Err(bad(path, "the first row does not end within 256 KiB"));
    }
    let doubtful = overrides.header.is_none() && sniff_header(&records) == Header::Unknown;
    let columns = name_columns(path, &records[0], dialect, doubtful)?;
    let rows = records.len() - usize::from(dialect.header);
    let expected = rows as f64 * file_bytes as f64 / sample_bytes as f64;
    Ok(Source {
        path: path.to_owned(),
        format: Format::Csv,
        compression,
        dialect: Some(dialect),
        schema: text_schema(&columns),
        columns: columns.into(),
        names_are_guessed: dialect.header && overrides.header.is_none(),
        header_in_doubt: doubtful,
        preamble_bytes,
        encoding,
        encoding_is_guessed: said.is_none() && encoding != UTF_8,
        file_bytes,
        expected_rows: (compression == Compression::None).then_some(expected as u64),
        remote: None,
        kinds: Arc::new([]),
        set: None,
    })
}

/// Whether text is JSON lines: its name says so, or says nothing and the first line is an object.
fn is_lines(path: &Path, sample: &[u8]) -> bool {
    if let Some((format, _)) = Format::from_name(path) {
        return format == Format::Lines;
    }
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let line = sample.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let text = line.and_then(|line| std::str::from_utf8(line).ok());
    text.is_some_and(|line| line.trim_start().starts_with('{') && lines::visit(line, |_, _| Ok(())).is_ok())
}

/// How text is stored.
struct Spelled {
    compression: Compression,
    encoding: &'static Encoding,
    is_guessed: bool,
}

fn open_lines(
    path: &Path,
    sample: &[u8],
    sample_bytes: usize,
    file_bytes: u64,
    file: Spelled,
) -> Result<Source> {
    let text = String::from_utf8_lossy(sample);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let LineColumns { names, kinds, rows } = LineColumns::find(text);
    if text.trim().is_empty() {
        return Err(bad(path, "the file is empty"));
    }
    if names.is_empty() {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let reason = lines::visit(first, |_, _| Ok(())).err().map(BadLine::reason);
        return Err(
            bad(path, reason.unwrap_or("the first line has no key, so there are no columns")).at_row(1)
        );
    }
    check_names(path, &names, "")?;
    let expected = rows as f64 * file_bytes as f64 / sample_bytes as f64;
    Ok(Source {
        path: path.to_owned(),
        format: Format::Lines,
        compression: file.compression,
        dialect: None,
        schema: text_schema(&names),
        columns: names.into(),
        names_are_guessed: false,
        header_in_doubt: false,
        preamble_bytes: 0,
        encoding: file.encoding,
        encoding_is_guessed: file.is_guessed,
        file_bytes,
        expected_rows: (file.compression == Compression::None).then_some(expected as u64),
        remote: None,
        kinds: kinds.into(),
        set: None,
    })
}

/// See [`Source::of_remote`].
#[cfg(feature = "postgres")]
pub(super) fn of_remote(path: &Path, columns: Vec<String>, remote: Arc<dyn Remote>) -> Result<Source> {
    check_names(path, &columns, "")?;
    Ok(Source {
        path: path.to_owned(),
        format: Format::Csv,
        compression: Compression::None,
        dialect: None,
        schema: text_schema(&columns),
        columns: columns.into(),
        names_are_guessed: false,
        header_in_doubt: false,
        preamble_bytes: 0,
        encoding: UTF_8,
        encoding_is_guessed: false,
        file_bytes: remote.stored_bytes(),
        expected_rows: remote.expected_rows(),
        remote: Some(remote),
        kinds: Arc::new([]),
        set: None,
    })
}

/// The text of a source, from its first row on.
pub(super) fn read_text(source: &Source) -> io::Result<Box<dyn Read + Send>> {
    let text = decompress(standard::open(&source.path)?, source.compression)?;
    let mut text = decode(text, source.encoding);
    io::copy(&mut (&mut text).take(source.preamble_bytes as u64), &mut io::sink())?;
    Ok(text)
}

fn decode(text: Box<dyn Read + Send>, encoding: &'static Encoding) -> Box<dyn Read + Send> {
    // Plain UTF-8 goes to the reader as it is, which looks at it anyway.
    if encoding == UTF_8 { text } else { Box::new(Decoding::new(text, encoding)) }
}

/// The text of a file.
fn decompress(file: File, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(file)?),
    })
}

fn read_up_to(reader: &mut impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    reader.take(bytes as u64).read_to_end(&mut read)?;
    Ok(read)
}

fn refuse_other_formats(path: &Path, sample: &[u8]) -> Result<()> {
    if Format::from_magic(sample) == Some(Format::Parquet) {
        return Err(bad(path, "this is a compressed Parquet file; decompress it first"));
    }
    if Format::from_magic(sample) == Some(Format::Arrow) {
        return Err(bad(path, "this is a compressed Arrow IPC file; decompress it first"));
    }
    if sample.contains(&0) {
        return Err(bad(path, "this is neither delimited text, JSON lines, Parquet nor Arrow IPC"));
    }
    Ok(())
}

/// A line cut by the sample's end would look like a row with fewer fields.
fn drop_cut_line(sample: &mut Vec<u8>) {
    if let Some(end) = sample.iter().rposition(|&byte| byte == b'\n') {
        sample.truncate(end + 1);
    }
}

/// What to do about a first row that was taken for a header but may be data.
const DOUBT: &str = "; the first row may be data: if it is, say --no-header (in a job: header = false in \
                     [csv]); if it names the columns, say --header";

/// The names of the columns: those in the first row, or made up where there are none. In a row that
/// is only taken for a header, a name that lacks is one doubt too many.
fn name_columns(path: &Path, first: &Record, dialect: Dialect, doubtful: bool) -> Result<Vec<String>> {
    if !dialect.header {
        return Ok((1..=first.fields.len()).map(made_up).collect());
    }
    let mut names = Vec::with_capacity(first.fields.len());
    for (at, field) in first.fields.iter().enumerate() {
        let name = std::str::from_utf8(&field.bytes).map_err(|_| header_not_utf8(path, at + 1))?;
        names.push(match dialect.trim {
            true => trim_cell(name, char::from(dialect.quote)).into_owned(),
            false => name.to_owned(),
        });
    }
    if !doubtful {
        name_unnamed(&mut names);
    }
    check_names(path, &names, if doubtful { DOUBT } else { "" })?;
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
    bad(path, format!("the name of column {column} is not UTF-8 text; {NOT_UTF_8}"))
}

fn check_names(path: &Path, names: &[String], hint: &str) -> Result<()> {
    let mut seen = HashMap::new();
    for (at, name) in (1..).zip(names) {
        if name.is_empty() {
            return Err(bad(path, format!("column {at} has no name{hint}")));
        }
        // Numbers, not the name: what looks like a header may be a row of the data.
        if let Some(before) = seen.insert(name, at) {
            let problem = format!("columns {before} and {at} have the same name{hint}");
            return Err(bad(path, problem));
        }
    }
    Ok(())
}

fn text_schema(columns: &[String]) -> SchemaRef {
    let fields = columns.iter().map(|name| Field::new(name, DataType::Utf8, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
