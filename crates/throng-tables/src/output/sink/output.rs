//! Bytes on their way to a file, compressed or not.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use encoding_rs::Encoding;

use super::gzip::Gzip;
use super::staged;
use crate::error::Result;
use crate::format::Compression;
use crate::format::NewFile;

/// A text file that is being written.
pub(crate) struct TextOutput {
    output: CompressedFile,
    encoding: &'static Encoding,
    target: PathBuf,
}

impl TextOutput {
    /// Starts a file that begins with these bytes.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn start(new: NewFile<'_>, start: &[u8]) -> Result<TextOutput> {
        let output = CompressedFile::new(new.file, new.layout.compression);
        let output = output.and_then(|mut output| output.write_all(start).map(|()| output));
        let output = output.map_err(|cause| staged::failed(new.target, cause))?;
        Ok(TextOutput { output, encoding: new.layout.encoding, target: new.target.to_owned() })
    }

    /// The encoding of its text.
    pub(crate) fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Appends text in that encoding.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn write(&mut self, pieces: &[Vec<u8>]) -> Result<()> {
        let mut written = pieces.iter().map(|piece| self.output.write_all(piece));
        written.try_for_each(|done| done).map_err(|cause| staged::failed(&self.target, cause))
    }

    /// Writes what the compression still holds back.
    ///
    /// # Errors
    /// If the machine fails.
    pub(crate) fn finish(self) -> Result<()> {
        self.output.finish().map_err(|cause| staged::failed(&self.target, cause))
    }
}

/// A file that compresses what is written to it.
pub(super) enum CompressedFile {
    Plain(File),
    Gzip(Gzip),
    Zstd(zstd::Encoder<'static, File>),
}

impl CompressedFile {
    /// Starts to write to `file`.
    pub(super) fn new(file: File, compression: Compression) -> io::Result<CompressedFile> {
        Ok(match compression {
            Compression::None => CompressedFile::Plain(file),
            Compression::Gzip => CompressedFile::Gzip(Gzip::new(file)?),
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                CompressedFile::Zstd(encoder)
            }
        })
    }

    /// Writes what the compression still holds back.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            CompressedFile::Plain(mut file) => file.flush(),
            CompressedFile::Gzip(encoder) => encoder.finish(),
            CompressedFile::Zstd(encoder) => encoder.finish().map(drop),
        }
    }
}

impl Write for CompressedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            CompressedFile::Plain(file) => file.write(bytes),
            CompressedFile::Gzip(encoder) => encoder.write(bytes),
            CompressedFile::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            CompressedFile::Plain(file) => file.flush(),
            CompressedFile::Gzip(encoder) => encoder.flush(),
            CompressedFile::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_never_passes_for_success() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let output = CompressedFile::new(full, compression);
            let written =
                output.and_then(|mut output| output.write_all(b"a,b\n").and_then(|()| output.finish()));
            let error = written.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{compression:?}");
        }
    }
}
