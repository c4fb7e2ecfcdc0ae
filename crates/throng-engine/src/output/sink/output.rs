//! Bytes on their way to a file, compressed or not.

use std::fs::File;
use std::io::{self, Write};

use super::gzip::Gzip;
use crate::input::format::Compression;

/// A file that compresses what is written to it.
pub(super) enum Output {
    Plain(File),
    Gzip(Gzip),
    Zstd(zstd::Encoder<'static, File>),
}

impl Output {
    /// Starts to write to `file`.
    pub(super) fn new(file: File, compression: Compression) -> io::Result<Output> {
        Ok(match compression {
            Compression::None => Output::Plain(file),
            Compression::Gzip => Output::Gzip(Gzip::new(file)?),
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Output::Zstd(encoder)
            }
        })
    }

    /// Writes what the compression still holds back.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Output::Plain(mut file) => file.flush(),
            Output::Gzip(encoder) => encoder.finish(),
            Output::Zstd(encoder) => encoder.finish().map(drop),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Plain(file) => file.write(bytes),
            Output::Gzip(encoder) => encoder.write(bytes),
            Output::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(file) => file.flush(),
            Output::Gzip(encoder) => encoder.flush(),
            Output::Zstd(encoder) => encoder.flush(),
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
            let output = Output::new(full, compression);
            let written =
                output.and_then(|mut output| output.write_all(b"a,b\n").and_then(|()| output.finish()));
            let error = written.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{compression:?}");
        }
    }
}
