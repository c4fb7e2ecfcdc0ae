//! What a node is told to write, and what it says of it.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::counts::{self, TupleRows, rows_before};
use throng_engine::mapping::Mapping;
use throng_engine::output::recode::MappingIndex;
use throng_tables::error::{EngineError, Result};
use throng_tables::input::dialect::Dialect;
use throng_tables::input::formulas::Formulas;
use throng_tables::output::sink::FileLayout;
use throng_tables::output::sink::private::create_private;

/// How released parts are to be written, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WriteOrder {
    /// The folder of the parts, which all nodes see under this name.
    pub(crate) folder: PathBuf,
    /// The folder of what they are made by, which is not released.
    pub(crate) shared: PathBuf,
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
    /// What is done about cells of text that a spreadsheet would run.
    pub(crate) formulas: Formulas,
    /// Rows of a file at most.
    pub(crate) rows_per_file: u64,
    /// The permissions of files that are whole.
    pub(crate) mode: u32,
    /// What decides which rows of a tuple are in which of its parts.
    pub(crate) seed: u64,
    /// What was read of the mapping here.
    #[serde(skip)]
    pub(crate) last: LastMapping,
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
    /// Cells of each column that a spreadsheet would run.
    pub(crate) formulas: Vec<u64>,
}

/// The mapping that was used last, and its file: a node writes the parts of one release after the other.
#[derive(Clone, Default)]
pub(crate) struct LastMapping(Arc<Mutex<Option<MappingOfFile>>>);

type MappingOfFile = (PathBuf, Arc<MappingIndex>);

/// It says nothing of what is to be written.
impl PartialEq for LastMapping {
    fn eq(&self, _: &LastMapping) -> bool {
        true
    }
}

impl Eq for LastMapping {}

impl fmt::Debug for LastMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LastMapping").finish_non_exhaustive()
    }
}

impl WriteOrder {
    /// How files are laid out.
    pub(crate) fn layout(&self) -> Result<FileLayout> {
        let (delimiter, quote, header) = (self.delimiter, self.quote, self.header);
        let dialect = Dialect { delimiter, quote, header, trim: false, marked: false };
        let name = format!("part{}", self.extension);
        let layout = FileLayout::of_target(Path::new(&name), &dialect)?;
        Ok(layout.with_encoding(self.encoding.as_deref())?.with_formulas(self.formulas))
    }

    fn mapping_file(&self) -> PathBuf {
        self.shared.join("mapping")
    }

    fn counts_file(&self) -> PathBuf {
        self.shared.join("counts")
    }

    /// Puts a mapping where nodes find it.
    pub(crate) fn put_mapping(&self, mapping: &Mapping) -> Result<()> {
        let path = self.mapping_file();
        let failed = |cause| EngineError::Io { path: path.clone(), action: "cannot write", cause };
        let mut file = BufWriter::new(create_private(&path).map_err(failed)?);
        mapping.store(&mut file).map_err(|error| EngineError::Data(error.to_string().into()))?;
        file.flush().map_err(failed)
    }

    /// The mapping, read once for all parts that a node writes.
    pub(crate) fn index(&self) -> Result<Arc<MappingIndex>> {
        let path = self.mapping_file();
        let mut last = self.last.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, index)) = &*last
            && *of == path
        {
            return Ok(Arc::clone(index));
        }
        // Nobody needs two at a time.
        *last = None;
        let action = "cannot read the recoding of the release, which all nodes must see under the same name";
        let failed = |cause| EngineError::Io { path: path.clone(), action, cause };
        let file = BufReader::new(File::open(&path).map_err(failed)?);
        let mapping = Mapping::restore(file).map_err(|error| EngineError::Data(error.to_string().into()))?;
        let index = Arc::new(MappingIndex::new(mapping));
        *last = Some((path, Arc::clone(&index)));
        Ok(index)
    }

    /// Puts down how many rows of each divided tuple each part has before it.
    pub(super) fn put_counts(&self, counted: Vec<TupleRows>, tuples: &[Box<[u32]>]) -> Result<()> {
        let written = counts::put(&self.counts_file(), &rows_before(counted, tuples.len()), tuples);
        written.map_err(|error| EngineError::Data(error.to_string().into()))
    }

    /// The rows of divided tuples that come before those of a part.
    pub(super) fn counts_before(&self, part: u32) -> Result<Vec<(Vec<u32>, u64)>> {
        let read = counts::of_part(&self.counts_file(), part);
        read.map_err(|error| EngineError::Data(error.to_string().into()))
    }
}
