//! The bytes of a Parquet file, for its reader.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::{Arc, OnceLock};

use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{FooterTail, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};

use super::thrift::walk_through;
use crate::error::{EngineError, Result};
use crate::format::Compression;
use crate::input::foreign::guard;
use crate::input::named::NamedFile;
use crate::input::source::fault::{damaged_parquet, read_failure};

/// Bytes at the end of a file: the length of what is before them, and the mark.
const TRAILER_BYTES: u64 = 8;

/// A file that remembers why it could not be read: of that the decoder passes on only words.
pub(crate) struct Pages {
    file: File,
    failure: Failure,
}

impl Pages {
    /// Opens a file, and what will be known of it if it cannot be read.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn open(file: &NamedFile) -> Result<(Pages, Failure)> {
        let failure = Failure::default();
        let opened = file.open().map_err(|cause| read_failure(&file.name, Compression::None, &cause))?;
        Ok((Pages { file: opened, failure: failure.clone() }, failure))
    }

    /// Looks at what is claimed at the end of the file.
    ///
    /// # Errors
    /// If it cannot be read, or cannot be what it says.
    pub(crate) fn check_footer(&self) -> ParquetResult<()> {
        let end = self.len().checked_sub(TRAILER_BYTES).ok_or_else(broken)?;
        let trailer = self.get_bytes(end, TRAILER_BYTES as usize)?;
        let tail = FooterTail::try_from(&trailer[..])?;
        let length = tail.metadata_length();
        let footer = self.get_bytes(end.checked_sub(length as u64).ok_or_else(broken)?, length)?;
        walk_through(&footer).ok_or_else(broken)
    }
}

/// Looks at how many rows a file says that it has: no less than none, and as many in each column.
///
/// # Errors
/// If that cannot be.
pub(crate) fn check_rows(file: &ParquetMetaData) -> ParquetResult<()> {
    let mut rows: i64 = 0;
    for group in file.row_groups() {
        if group.num_rows() < 0 {
            return Err(broken());
        }
        rows = rows.checked_add(group.num_rows()).ok_or_else(broken)?;
        let is_flat = |leaf: &usize| group.column(*leaf).column_descr().max_rep_level() == 0;
        let mut flat = (0..group.num_columns()).filter(is_flat);
        if flat.any(|leaf| group.column(leaf).num_values() != group.num_rows()) {
            return Err(broken());
        }
    }
    if rows == file.file_metadata().num_rows() { Ok(()) } else { Err(broken()) }
}

fn broken() -> ParquetError {
    ParquetError::General("the file is damaged".to_owned())
}

/// What the system said about a failed read, if one failed.
#[derive(Clone, Default)]
pub(crate) struct Failure(Arc<OnceLock<i32>>);

impl Failure {
    fn note(&self, error: &io::Error) {
        if let Some(code) = error.raw_os_error() {
            self.0.get_or_init(|| code);
        }
    }

    /// Why the file could not be decoded.
    fn explain(&self, file: &NamedFile) -> EngineError {
        match self.0.get() {
            Some(&code) => read_failure(&file.name, Compression::None, &io::Error::from_raw_os_error(code)),
            None => damaged_parquet(file),
        }
    }

    /// What Parquet's reader gives.
    ///
    /// # Errors
    /// If it fails, or panics.
    pub(crate) fn guard<T, E>(
        &self,
        file: &NamedFile,
        read: impl FnOnce() -> std::result::Result<T, E>,
    ) -> Result<T> {
        guard(read).and_then(std::result::Result::ok).ok_or_else(|| self.explain(file))
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Pages {
    type T = FileBytes;

    fn get_read(&self, start: u64) -> ParquetResult<FileBytes> {
        Ok(FileBytes { reader: self.file.get_read(start)?, failure: self.failure.clone() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let short = || ParquetError::EOF("the file ends within a page".to_owned());
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(short());
        }
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(short());
        }
        Ok(bytes.into())
    }
}

/// Bytes of the file, from some place on.
pub(crate) struct FileBytes {
    reader: BufReader<File>,
    failure: Failure,
}

/// No page ends where the file does, because the footer follows. A header that claims more is an error here: Parquet's
/// reader skips a list of any claimed length in it without noticing that no bytes are left.
impl Read for FileBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.reader.read(buffer).inspect_err(|error| self.failure.note(error))?;
        if bytes == 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_end_of_the_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.parquet");
        std::fs::write(&path, "PAR1").unwrap();
        let failure = Failure::default();
        let pages = Pages { file: File::open(&path).unwrap(), failure: failure.clone() };
        assert_eq!(pages.get_bytes(0, 4).unwrap(), "PAR1");
        pages.get_bytes(0, 5).unwrap_err();
        let mut rest = pages.get_read(4).unwrap();
        assert_eq!(rest.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(
            matches!(failure.explain(&NamedFile::here(&path)), EngineError::BadInput(_)),
            "that is damage"
        );
    }

    #[test]
    fn a_failed_read_is_no_damage() {
        let dir = tempfile::tempdir().unwrap();
        let failure = Failure::default();
        assert!(matches!(
            failure.explain(&NamedFile::here(Path::new("t.parquet"))),
            EngineError::BadInput(_)
        ));
        // A directory can be opened, but not read.
        let pages = Pages { file: File::open(dir.path()).unwrap(), failure: failure.clone() };
        pages.get_bytes(0, 4).unwrap_err();
        assert!(matches!(failure.explain(&NamedFile::here(Path::new("t.parquet"))), EngineError::Io { .. }));
    }
}
