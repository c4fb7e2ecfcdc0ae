//! Where a large text file was cut into pieces, kept for further scans: all of the file is read to find out.

use std::fs;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::named::NamedFile;
use super::source::Piece;

/// The pieces of a file, once it was cut; copies share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownPieces(Arc<Mutex<Option<(Stamp, Pieces)>>>);

/// The pieces; none if the file has to be read from its start.
type Pieces = Option<Arc<[Piece]>>;

/// By what a file is known not to have changed: its size, and when it was written.
type Stamp = (u64, Option<SystemTime>);

impl KnownPieces {
    /// The pieces, cut anew if the file is not what it was.
    pub(crate) fn or_cut(
        &self,
        file: &NamedFile,
        cut: impl FnOnce() -> io::Result<Option<Vec<Piece>>>,
    ) -> io::Result<Pieces> {
        let found = fs::metadata(&file.local)?;
        let stamp = (found.len(), found.modified().ok());
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((of, pieces)) = known
            && of == stamp
        {
            return Ok(pieces);
        }
        let pieces: Pieces = cut()?.map(Arc::from);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((stamp, pieces.clone()));
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_cut_again_only_if_it_changed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t");
        fs::write(&path, "a\n1\n").unwrap();
        let (known, file) = (KnownPieces::default(), NamedFile::here(&path));
        let piece = |rows_before| Piece { start: 0, end: 4, rows_before };
        let first = known.or_cut(&file, || Ok(Some(vec![piece(7)]))).unwrap();
        assert_eq!(known.clone().or_cut(&file, || panic!("it did not change")).unwrap(), first);
        fs::write(&path, "a\n1\n2\n").unwrap();
        assert!(known.or_cut(&file, || Ok(None)).unwrap().is_none());
    }
}
