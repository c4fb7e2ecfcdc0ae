//! A table in parts that several threads read; many files by the parts of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::RecordBatch;
use encoding_rs::UTF_8;

use super::Source;
use super::set::{FileSet, MemberColumns, place};
use crate::error::Result;
use crate::format::Compression;
use crate::format::csv::cut::PIECE_BYTES;

/// Some columns of a table, in parts.
pub trait PartStream: Send + Sync {
    /// The rows before each part. Of many files these are places: see [`Source::number`].
    fn starts(&self) -> Vec<u64>;

    /// The rows of a part.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    fn rows(&self, part: usize) -> Result<PartRows>;

    /// The same parts with other columns of the table `source`, which is not looked through again if that was done.
    ///
    /// # Errors
    /// If the file cannot be opened again.
    fn with_columns(&self, source: &Source, columns: &[usize], coded: &[usize]) -> Result<Parted> {
        source.parts(columns, coded)
    }

    /// Says how many rows a part had.
    fn note_rows(&self, _part: usize, _rows: u64) {}

    /// All parts were read: from now on it is known how many rows each file has.
    fn finish(&self) {}
}

/// Parts of a table, wherever it is from.
pub type Parted = Box<dyn PartStream>;

/// The rows of a part, in order. Nothing may be taken after an error.
pub type PartRows = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Many files, and the parts of each.
pub(super) struct FileParts {
    set: Arc<FileSet>,
    files: Vec<(Parted, MemberColumns)>,
    /// For each part its file, which part of that it is, and its rows, once it was read.
    parts: Vec<(usize, usize, AtomicU64)>,
}

impl Source {
    /// Whether several threads can read the table, each a part of it.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what it was when the source was opened.
    pub fn has_parts(&self) -> Result<bool> {
        match self.format {
            _ if self.remote().is_some() => Ok(false),
            _ if self.is_set() => Ok(true),
            format => format.has_parts(self),
        }
    }

    /// Whether records of a text file can be found from any place on.
    pub(crate) fn is_large_plain_text(&self) -> bool {
        self.dialect.is_some() && self.is_plain_text() && self.file_bytes >= 2 * PIECE_BYTES
    }

    pub(crate) fn is_plain_text(&self) -> bool {
        self.compression == Compression::None && self.encoding == UTF_8
    }

    /// The table in parts; text of the columns `coded` may come as places in lists of values. All of a text file is
    /// read for that, so this belongs on a thread that may wait.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what it was when the source was opened.
    pub fn parts(&self, columns: &[usize], coded: &[usize]) -> Result<Parted> {
        match &self.set {
            Some(set) => Ok(Box::new(FileParts::open(self, set, columns, coded)?)),
            None => self.format.parts(self, columns, coded),
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
}

impl PartStream for FileParts {
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

    fn with_columns(&self, source: &Source, columns: &[usize], coded: &[usize]) -> Result<Parted> {
        let mut files = Vec::with_capacity(self.files.len());
        for (member, (parted, _)) in self.set.members.iter().zip(&self.files) {
            let asked = member.ask(&source.schema, columns, coded);
            files.push((parted.with_columns(&member.source, &asked.columns, &asked.coded)?, asked));
        }
        let parts = self.parts.iter().map(|&(file, part, _)| (file, part, AtomicU64::new(0))).collect();
        Ok(Box::new(FileParts { set: Arc::clone(&self.set), files, parts }))
    }

    fn note_rows(&self, part: usize, rows: u64) {
        self.parts[part].2.store(rows, Ordering::Relaxed);
    }

    fn finish(&self) {
        for member in 0..self.files.len() {
            let of_member = self.parts.iter().filter(|(file, ..)| *file == member);
            self.set.note_rows(member, of_member.map(|(.., rows)| rows.load(Ordering::Relaxed)).sum());
        }
    }
}
