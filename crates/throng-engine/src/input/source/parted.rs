//! A table in parts that several threads read: Parquet by row groups, Arrow by its batches, text by pieces of whole
//! records, many files by the parts of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::RecordBatch;
use encoding_rs::UTF_8;

use super::cut::{Cutter, PIECE_BYTES, Piece};
use super::fault::read_failure;
use super::ipc::IpcFile;
use super::lines::LinePieces;
use super::set::{Asked, FileSet, place};
use super::text::TextRows;
use super::{BATCH_ROWS, PagedFile, Source};
use crate::error::Result;
use crate::input::dialect::Dialect;
use crate::input::format::{Compression, Format};

/// Files with a larger piece are read from their start.
const LARGEST_PIECE: u64 = 16 * PIECE_BYTES;

/// A file and some of its columns, in parts.
pub(crate) enum Parted {
    Groups(PagedFile),
    Batches(IpcFile),
    Pieces(TextPieces),
    Lines(LinePieces),
    Files(FileParts),
}

/// Many files, and the parts of each.
pub(crate) struct FileParts {
    set: Arc<FileSet>,
    files: Vec<(Parted, Asked)>,
    /// For each part its file, which part of that it is, and its rows, once it was read.
    parts: Vec<(usize, usize, AtomicU64)>,
}

/// Pieces of a text file.
pub(crate) struct TextPieces {
    source: Source,
    dialect: Dialect,
    columns: Vec<usize>,
    /// None if the file is one part, which is watched for a quote that is never closed.
    pieces: Option<Vec<Piece>>,
}

/// The rows of a part, in order. Nothing may be taken after an error.
pub(crate) type PartRows = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

impl Source {
    /// Whether several threads can read the table, each a part of it.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what it was when the source was opened.
    pub(crate) fn has_parts(&self) -> Result<bool> {
        match self.format {
            _ if self.remote().is_some() => Ok(false),
            _ if self.is_set() => Ok(true),
            Format::Csv => Ok(self.is_large_plain_text()),
            Format::Lines => Ok(self.is_plain_text() && self.file_bytes >= 2 * PIECE_BYTES),
            Format::Arrow => Ok(IpcFile::open(self, &[])?.starts().len() > 1),
            Format::Parquet => Ok(PagedFile::open(self, &[], &[])?.group_starts().len() > 1),
        }
    }

    /// Whether records of a text file can be found from any place on.
    pub(super) fn is_large_plain_text(&self) -> bool {
        self.dialect.is_some() && self.is_plain_text() && self.file_bytes >= 2 * PIECE_BYTES
    }

    fn is_plain_text(&self) -> bool {
        self.compression == Compression::None && self.encoding == UTF_8
    }

    /// The table in parts; text of the columns `coded` may come as places in lists of values. All of a text file is
    /// read for that, so this belongs on a thread that may wait.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what it was when the source was opened.
    pub(crate) fn parts(&self, columns: &[usize], coded: &[usize]) -> Result<Parted> {
        if let Some(set) = &self.set {
            return FileParts::open(self, set, columns, coded).map(Parted::Files);
        }
        match self.dialect {
            Some(dialect) => TextPieces::cut(self, dialect, columns).map(Parted::Pieces),
            None if self.format == Format::Lines => LinePieces::cut(self, columns).map(Parted::Lines),
            None if self.format == Format::Arrow => IpcFile::open(self, columns).map(Parted::Batches),
            None => PagedFile::open(self, columns, coded).map(Parted::Groups),
        }
    }
}

impl Parted {
    /// The rows before each part. Of many files these are places: see [`Source::number`].
    pub(crate) fn starts(&self) -> Vec<u64> {
        match self {
            Parted::Groups(file) => file.group_starts(),
            Parted::Batches(file) => file.starts(),
            Parted::Lines(lines) => lines.starts(),
            Parted::Pieces(text) => match &text.pieces {
                Some(pieces) => pieces.iter().map(|piece| piece.rows_before).collect(),
                None => vec![0],
            },
            Parted::Files(files) => files.starts(),
        }
    }

    /// The rows of a part.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(crate) fn rows(&self, part: usize) -> Result<PartRows> {
        match self {
            Parted::Groups(file) => Ok(Box::new(file.rows(Some(part))?)),
            Parted::Batches(file) => Ok(Box::new(file.rows(Some(part))?)),
            Parted::Lines(lines) => Ok(Box::new(lines.rows(part)?)),
            Parted::Pieces(text) => Ok(Box::new(text.rows(part)?)),
            Parted::Files(files) => files.rows(part),
        }
    }

    /// Says how many rows a part had.
    pub(crate) fn note_rows(&self, part: usize, rows: u64) {
        if let Parted::Files(files) = self {
            files.parts[part].2.store(rows, Ordering::Relaxed);
        }
    }

    /// All parts were read: from now on it is known how many rows each file has.
    pub(crate) fn finish(&self) {
        let Parted::Files(files) = self else { return };
        for member in 0..files.files.len() {
            let of_member = files.parts.iter().filter(|(file, ..)| *file == member);
            files.set.note_rows(member, of_member.map(|(.., rows)| rows.load(Ordering::Relaxed)).sum());
        }
    }
}

impl FileParts {
    /// Opens all files of a table.
    ///
    /// # Errors
    /// If one cannot be read, or is not what it was.
    pub(super) fn open(
        table: &Source,
        set: &Arc<FileSet>,
        columns: &[usize],
        coded: &[usize],
    ) -> Result<FileParts> {
        let mut files = Vec::with_capacity(set.members.len());
        let mut parts = Vec::new();
        for (file, member) in set.members.iter().enumerate() {
            let asked = member.ask(&table.schema, columns, coded);
            let parted = member.source.parts(&asked.columns, &asked.coded)?;
            let count = parted.starts().len();
            parts.extend((0..count).map(|part| (file, part, AtomicU64::new(0))));
            files.push((parted, asked));
        }
        Ok(FileParts { set: Arc::clone(set), files, parts })
    }

    /// The file of each part.
    pub(super) fn members(&self) -> Vec<usize> {
        self.parts.iter().map(|(file, ..)| *file).collect()
    }

    fn starts(&self) -> Vec<u64> {
        let of_files = self.files.iter().enumerate();
        of_files
            .flat_map(|(at, (file, _))| file.starts().into_iter().map(move |rows| place(at, rows)))
            .collect()
    }

    fn rows(&self, part: usize) -> Result<PartRows> {
        let (file, part, _) = &self.parts[part];
        let (parted, asked) = &self.files[*file];
        Ok(asked.clone().arrange_all(parted.rows(*part)?))
    }
}

impl TextPieces {
    pub(super) fn cut(source: &Source, dialect: Dialect, columns: &[usize]) -> Result<TextPieces> {
        let cutter = Cutter::new(&source.path, dialect, source.preamble_bytes as u64);
        let pieces = if source.is_large_plain_text() { cutter.cut() } else { Ok(None) };
        let pieces = pieces.map_err(|cause| read_failure(&source.path, source.compression, &cause))?;
        // Batches of a piece may be held together, and a file without line breaks would be one.
        let is_small = |piece: &Piece| piece.end - piece.start <= LARGEST_PIECE;
        let pieces = pieces.filter(|pieces| pieces.len() > 1 && pieces.iter().all(is_small));
        Ok(TextPieces { source: source.clone(), dialect, columns: columns.to_vec(), pieces })
    }

    /// Whether there are several.
    pub(super) fn is_cut(&self) -> bool {
        self.pieces.is_some()
    }

    pub(super) fn rows(&self, part: usize) -> Result<TextRows> {
        let TextPieces { source, dialect, columns, pieces } = self;
        match pieces {
            Some(pieces) => TextRows::open_piece(source, *dialect, columns, pieces[part], BATCH_ROWS),
            None => TextRows::open(source, *dialect, columns, BATCH_ROWS),
        }
    }
}
