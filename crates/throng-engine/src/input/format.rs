//! Which format and compression a file has: by its name, and for input by its first bytes.

use std::path::Path;

/// How a table is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Delimited text, with any delimiter.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC: its file format, also called Feather; or its stream format, which is read but not written.
    Arrow,
    /// JSON lines: an object in each line.
    Lines,
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
const ARROW_EXTENSIONS: [&str; 4] = ["arrow", "feather", "ipc", "arrows"];
const LINES_EXTENSIONS: [&str; 2] = ["jsonl", "ndjson"];
/// What the file format of Arrow IPC begins and ends with.
pub(crate) const ARROW_MAGIC: &[u8] = b"ARROW1";
/// What messages of the stream format begin with.
const STREAM_MAGIC: &[u8] = &[0xff; 4];

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
        let format = Format::from_extension(inner)?;
        format.is_text().then_some((format, compression))
    }

    /// What the first bytes of a (decompressed) file say: Parquet and Arrow have magic numbers.
    pub fn from_magic(start: &[u8]) -> Option<Format> {
        if start.starts_with(b"PAR1") {
            Some(Format::Parquet)
        } else if start.starts_with(ARROW_MAGIC) || Format::is_stream(start) {
            Some(Format::Arrow)
        } else {
            None
        }
    }

    /// Whether the first bytes of a file are those of Arrow's stream format.
    pub(crate) fn is_stream(start: &[u8]) -> bool {
        start.starts_with(STREAM_MAGIC)
    }

    /// Whether it is text, which may be compressed as a whole and has an encoding.
    pub fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Lines)
    }

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "delimited text",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow IPC",
            Format::Lines => "JSON lines",
        }
    }

    fn from_extension(extension: &str) -> Option<Format> {
        if TEXT_EXTENSIONS.contains(&extension) {
            Some(Format::Csv)
        } else if PARQUET_EXTENSIONS.contains(&extension) {
            Some(Format::Parquet)
        } else if ARROW_EXTENSIONS.contains(&extension) {
            Some(Format::Arrow)
        } else if LINES_EXTENSIONS.contains(&extension) {
            Some(Format::Lines)
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
        assert_eq!(named("a.arrow"), Some((Format::Arrow, Compression::None)));
        assert_eq!(named("a.feather"), Some((Format::Arrow, Compression::None)));
        assert_eq!(named("a.jsonl"), Some((Format::Lines, Compression::None)));
        assert_eq!(named("a.ndjson.zst"), Some((Format::Lines, Compression::Zstd)));
    }

    #[test]
    fn names_that_say_nothing() {
        for name in ["a", "a.xlsx", "a.gz", "a.parquet.gz", "a.arrow.gz", "a.json", "csv", ""] {
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
        assert_eq!(Format::from_magic(b"ARROW1\0\0"), Some(Format::Arrow));
        assert_eq!(Format::from_magic(&[0xff, 0xff, 0xff, 0xff, 8]), Some(Format::Arrow));
    }
}
