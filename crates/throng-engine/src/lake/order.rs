//! What a node is told to write, and what it says of it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{ArrayRef, AsArray, RecordBatch, UInt32Array, UInt64Array};
use arrow::datatypes::{UInt32Type, UInt64Type};
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use serde::{Deserialize, Serialize};

use crate::error::{EngineError, Result};
use crate::input::dialect::Dialect;
use crate::mapping::Mapping;
use crate::output::recode::Lexicon;
use crate::output::sink::FileLayout;

/// How released parts are to be written, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The folder of the parts, which all nodes see under this name.
    pub(crate) folder: PathBuf,
    /// The folder of what they are made by, which is not released.
    pub(crate) desk: PathBuf,
    /// Whether the table is text.
    pub(crate) is_text: bool,
    /// What names of parts end in, such as `.csv.gz`.
    pub(crate) extension: String,
    /// Delimiter and quote of text, and whether it has a header.
    pub(crate) delimiter: u8,
    pub(crate) quote: u8,
    pub(crate) header: bool,
    /// The encoding of text.
    pub(crate) encoding: Option<String>,
    /// Rows of a file at most.
    pub(crate) rows_per_file: u64,
    /// What decides which rows of a tuple are in which of its parts.
    pub(crate) seed: u64,
}

/// What a node wrote of one part of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenPart {
    /// Which part.
    pub(crate) part: u32,
    /// The names of its files, in the order of the rows.
    pub(crate) files: Vec<String>,
    /// Rows that were read, and those that were left out or masked.
    pub(crate) read_rows: u64,
    pub(crate) suppressed_rows: u64,
    pub(crate) written_rows: u64,
    /// Whether a cell has a line break.
    pub(crate) newlines: bool,
}

/// The mapping that a node used last: its parts come one after the other.
static LAST: Mutex<Option<(PathBuf, Arc<Lexicon>)>> = Mutex::new(None);

impl Order {
    /// How files are laid out.
    pub(crate) fn layout(&self) -> Result<FileLayout> {
        let (delimiter, quote, header) = (self.delimiter, self.quote, self.header);
        let dialect = Dialect { delimiter, quote, header, trim: false };
        let name = format!("part{}", self.extension);
        FileLayout::of_target(Path::new(&name), &dialect)?.with_encoding(self.encoding.as_deref())
    }

    fn mapping_file(&self) -> PathBuf {
        self.desk.join("mapping")
    }

    fn counts_file(&self) -> PathBuf {
        self.desk.join("counts")
    }

    /// Puts a mapping where nodes find it.
    pub(crate) fn put_mapping(&self, mapping: &Mapping) -> Result<()> {
        let path = self.mapping_file();
        let failed = |cause| EngineError::Io { path: path.clone(), action: "cannot write", cause };
        let mut file = BufWriter::new(File::create(&path).map_err(failed)?);
        mapping.store(&mut file).map_err(|error| EngineError::Data(error.to_string().into()))?;
        file.flush().map_err(failed)
    }

    /// The mapping, read once for all parts that a node writes.
    pub(crate) fn lexicon(&self) -> Result<Arc<Lexicon>> {
        let path = self.mapping_file();
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, lexicon)) = &*last
            && *of == path
        {
            return Ok(Arc::clone(lexicon));
        }
        // Nobody needs two at a time.
        *last = None;
        let action = "cannot read what the release is made by, which all nodes must see under the same name";
        let failed = |cause| EngineError::Io { path: path.clone(), action, cause };
        let file = BufReader::new(File::open(&path).map_err(failed)?);
        let mapping = Mapping::restore(file).map_err(|error| EngineError::Data(error.to_string().into()))?;
        let lexicon = Arc::new(Lexicon::new(mapping));
        *last = Some((path, Arc::clone(&lexicon)));
        Ok(lexicon)
    }

    /// Forgets the mapping that was used here.
    pub(crate) fn forget_mapping() {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Puts down how many rows of each divided tuple each part has.
    pub(crate) fn put_counts(&self, counts: &Counts) -> Result<()> {
        let written = (|| {
            let codes =
                counts.codes.iter().map(|codes| Arc::new(UInt32Array::from(codes.clone())) as ArrayRef);
            let parts: ArrayRef = Arc::new(UInt32Array::from(counts.parts.clone()));
            let rows: ArrayRef = Arc::new(UInt64Array::from(counts.rows.clone()));
            let named = codes.chain([parts, rows]).enumerate().map(|(at, list)| (at.to_string(), list));
            let batch = RecordBatch::try_from_iter(named)?;
            let mut file = FileWriter::try_new(File::create(self.counts_file())?, &batch.schema())?;
            file.write(&batch)?;
            file.finish()
        })();
        written.map_err(|error: arrow::error::ArrowError| EngineError::Data(error.to_string().into()))
    }

    /// The rows of divided tuples that parts before `part` have, if any tuple is divided.
    pub(crate) fn counts_before(&self, part: u32) -> Result<Counts> {
        let read = (|| {
            let mut found = Counts::default();
            for batch in FileReader::try_new(File::open(self.counts_file())?, None)? {
                let batch = batch?;
                let (codes, rest) = batch.columns().split_at(batch.num_columns() - 2);
                let (parts, rows) =
                    (rest[0].as_primitive::<UInt32Type>(), rest[1].as_primitive::<UInt64Type>());
                found.codes.resize(codes.len(), Vec::new());
                for at in (0..batch.num_rows()).filter(|&at| parts.value(at) < part) {
                    found.codes.iter_mut().zip(codes).for_each(|(list, codes)| {
                        list.push(codes.as_primitive::<UInt32Type>().value(at));
                    });
                    found.parts.push(parts.value(at));
                    found.rows.push(rows.value(at));
                }
            }
            Ok(found)
        })();
        read.map_err(|error: arrow::error::ArrowError| EngineError::Data(error.to_string().into()))
    }
}

/// Rows of tuples in parts of the table: lists of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// For each column the codes of the tuples.
    pub(crate) codes: Vec<Vec<u32>>,
    pub(crate) parts: Vec<u32>,
    pub(crate) rows: Vec<u64>,
}

impl Counts {
    /// The codes of each tuple, and its rows.
    pub(crate) fn tuples(&self) -> impl Iterator<Item = (Vec<u32>, u64)> {
        let codes = |at: usize| self.codes.iter().map(|codes| codes[at]).collect();
        self.rows.iter().enumerate().map(move |(at, &rows)| (codes(at), rows))
    }
}
