//! A file in parts that several threads read: Parquet by row groups, text by pieces of whole records.

use arrow::array::RecordBatch;
use encoding_rs::UTF_8;

use super::cut::{Cutter, PIECE_BYTES, Piece};
use super::fault::read_failure;
use super::text::TextRows;
use super::{BATCH_ROWS, PagedFile, Source};
use crate::error::Result;
use crate::input::dialect::Dialect;
use crate::input::format::Compression;

/// Files with a larger piece are read from their start.
const LARGEST_PIECE: u64 = 16 * PIECE_BYTES;

/// A file and some of its columns, in parts.
pub(crate) enum Parted {
    Groups(PagedFile),
    Pieces(TextPieces),
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
    /// Whether several threads can read the file, each a part of it.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what it was when the source was opened.
    pub(crate) fn has_parts(&self) -> Result<bool> {
        match self.dialect {
            _ if self.remote().is_some() => Ok(false),
            Some(_) => Ok(self.is_large_plain_text()),
            None => Ok(PagedFile::open(self, &[], &[])?.group_starts().len() > 1),
        }
    }

    /// Whether records of a text file can be found from any place on.
    pub(super) fn is_large_plain_text(&self) -> bool {
        let is_plain = self.compression == Compression::None && self.encoding == UTF_8;
        self.dialect.is_some() && is_plain && self.file_bytes >= 2 * PIECE_BYTES
    }

    /// The file in parts; text of the columns `coded` may come as places in lists of values. All of a text file is
    /// read for that, so this belongs on a thread that may wait.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what it was when the source was opened.
    pub(crate) fn parts(&self, columns: &[usize], coded: &[usize]) -> Result<Parted> {
        match self.dialect {
            Some(dialect) => TextPieces::cut(self, dialect, columns).map(Parted::Pieces),
            None => PagedFile::open(self, columns, coded).map(Parted::Groups),
        }
    }
}

impl Parted {
    /// The rows before each part.
    pub(crate) fn starts(&self) -> Vec<u64> {
        match self {
            Parted::Groups(file) => file.group_starts(),
            Parted::Pieces(text) => match &text.pieces {
                Some(pieces) => pieces.iter().map(|piece| piece.rows_before).collect(),
                None => vec![0],
            },
        }
    }

    /// The rows of a part.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    pub(crate) fn rows(&self, part: usize) -> Result<PartRows> {
        match self {
            Parted::Groups(file) => Ok(Box::new(file.rows(Some(part))?)),
            Parted::Pieces(text) => Ok(Box::new(text.rows(part)?)),
        }
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

    pub(super) fn len(&self) -> usize {
        self.pieces.as_ref().map_or(1, Vec::len)
    }

    pub(super) fn rows(&self, part: usize) -> Result<TextRows> {
        let TextPieces { source, dialect, columns, pieces } = self;
        match pieces {
            Some(pieces) => TextRows::open_piece(source, *dialect, columns, pieces[part], BATCH_ROWS),
            None => TextRows::open(source, *dialect, columns, BATCH_ROWS),
        }
    }
}
