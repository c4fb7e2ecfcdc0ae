//! Which format and compression a file has: by its name, and for input by its first bytes.

use std::path::Path;

/// How a table is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Delimited text, with any delimiter.
    Csv,
    /// Apache Parquet.
    Parquet,
}

/// How the bytes of a text file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (`.gz`).
    Gzip,
    /// Zstandard (`.zst`).
    Zstd,
}

const TEXT_EXTENSIONS: [&str; 4] = ["csv", "tsv", "txt", "data"];
const PARQUET_EXTENSIONS: [&str; 2] = ["parquet", "pq"];

impl Format {
    /// What a file's name says, in any case of letters; nothing for names that say nothing.
    pub fn from_name(path: &Path) -> Option<(Format, Compression)> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let (stem, last) = name.rsplit_once('.')?;
        let compression = match last {
            "gz" => Compression::Gzip,
            "zst" => Compression::Zstd,
            _ => return Format::from_extension(last).map(|format| (format, Compression::None)),
        };
        let (_, inner) = stem.rsplit_once('.')?;
        // Parquet compresses its own pages; a compressed Parquet file cannot be read by ranges.
        TEXT_EXTENSIONS.contains(&inner).then_some((Format::Csv, compression))
    }

    /// What the first bytes of a (decompressed) file say: Parquet has a magic number.
    pub fn from_magic(start: &[u8]) -> Option<Format> {
        start.starts_with(b"PAR1").then_some(Format::Parquet)
    }

    fn from_extension(extension: &str) -> Option<Format> {
        if TEXT_EXTENSIONS.contains(&extension) {
            Some(Format::Csv)
        } else if PARQUET_EXTENSIONS.contains(&extension) {
            Some(Format::Parquet)
        } else {
            None
        }
    }
}

impl Compression {
    /// What the first bytes of a file say.
    pub fn from_magic(start: &[u8]) -> Compression {
        if start.starts_with(&[0x1f, 0x8b]) {
            Compression::Gzip
        } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Compression::Zstd
        } else {
            Compression::None
        }
    }

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "no compression",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Option<(Format, Compression)> {
        Format::from_name(Path::new(name))
    }

    #[test]
    fn names_decide_format_and_compression() {
        assert_eq!(named("a.csv"), Some((Format::Csv, Compression::None)));
        assert_eq!(named("dir.x/A.TSV"), Some((Format::Csv, Compression::None)));
        assert_eq!(named("adult.data"), Some((Format::Csv, Compression::None)));
        assert_eq!(named("a.b.txt.gz"), Some((Format::Csv, Compression::Gzip)));
        assert_eq!(named("a.csv.zst"), Some((Format::Csv, Compression::Zstd)));
        assert_eq!(named("a.parquet"), Some((Format::Parquet, Compression::None)));
        assert_eq!(named("a.pq"), Some((Format::Parquet, Compression::None)));
    }

    #[test]
    fn names_that_say_nothing() {
        for name in ["a", "a.xlsx", "a.gz", "a.parquet.gz", "csv", ""] {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn magic_numbers() {
        assert_eq!(Compression::from_magic(&[0x1f, 0x8b, 8]), Compression::Gzip);
        assert_eq!(Compression::from_magic(&[0x28, 0xb5, 0x2f, 0xfd]), Compression::Zstd);
        assert_eq!(Compression::from_magic(b"\x1f"), Compression::None);
        assert_eq!(Format::from_magic(b"PAR1...."), Some(Format::Parquet));
        assert_eq!(Format::from_magic(b"PAR"), None);
    }
}
