//! Delimited text in pieces of whole records, which threads read by themselves.

use std::sync::Arc;

use super::cut::{Cutter, PIECE_BYTES, Piece};
use super::read::TextRows;
use crate::error::Result;
use crate::input::dialect::Dialect;
use crate::input::source::fault::read_failure;
use crate::input::source::{BATCH_ROWS, PartRows, PartStream, Parted, Source};

/// Files with a larger piece are read from their start.
const LARGEST_PIECE: u64 = 16 * PIECE_BYTES;

/// Pieces of a text file.
pub(crate) struct TextPieces {
    source: Source,
    dialect: Dialect,
    columns: Vec<usize>,
    /// None if the file is one part, which is watched for a quote that is never closed.
    pieces: Option<Arc<[Piece]>>,
}

impl TextPieces {
    pub(crate) fn cut(source: &Source, dialect: Dialect, columns: &[usize]) -> Result<TextPieces> {
        let cut = || {
            let file = source.file()?;
            source.pieces.or_cut(&file, || {
                let pieces = Cutter::new(&file.local, dialect, source.preamble_bytes as u64).cut()?;
                let pieces = pieces.map(|pieces| cut_off(pieces, source.text_end));
                // Batches of a piece may be held together, and a file without line breaks would be one.
                let is_small = |piece: &Piece| piece.end - piece.start <= LARGEST_PIECE;
                Ok(pieces.filter(|pieces| pieces.len() > 1 && pieces.iter().all(is_small)))
            })
        };
        let pieces = if source.is_large_plain_text() { cut() } else { Ok(None) };
        let pieces = pieces.map_err(|cause| read_failure(&source.path, source.compression, &cause))?;
        Ok(TextPieces { source: source.clone(), dialect, columns: columns.to_vec(), pieces })
    }

    /// Whether there are several.
    pub(crate) fn is_cut(&self) -> bool {
        self.pieces.is_some()
    }
}

/// The pieces, or what of them is before the end.
pub(super) fn cut_off(mut pieces: Vec<Piece>, end: Option<u64>) -> Vec<Piece> {
    let Some(end) = end else { return pieces };
    pieces.retain(|piece| piece.start < end);
    if let Some(last) = pieces.last_mut() {
        last.end = last.end.min(end);
    }
    pieces
}

impl PartStream for TextPieces {
    fn starts(&self) -> Vec<u64> {
        match &self.pieces {
            Some(pieces) => pieces.iter().map(|piece| piece.rows_before).collect(),
            None => vec![0],
        }
    }

    fn rows(&self, part: usize) -> Result<PartRows> {
        let TextPieces { source, dialect, columns, pieces } = self;
        let rows = match pieces {
            Some(pieces) => TextRows::open_piece(source, *dialect, columns, pieces[part], BATCH_ROWS),
            None => TextRows::open(source, *dialect, columns, BATCH_ROWS),
        };
        Ok(Box::new(rows?))
    }

    fn with_columns(&self, source: &Source, columns: &[usize], _: &[usize]) -> Result<Parted> {
        let (dialect, pieces) = (self.dialect, self.pieces.clone());
        Ok(Box::new(TextPieces { source: source.clone(), dialect, columns: columns.to_vec(), pieces }))
    }
}
