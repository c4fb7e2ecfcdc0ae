//! How a written table is laid out.

use std::path::Path;

use encoding_rs::{Encoding, UTF_8};

use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::format::{Compression, Format};
use crate::input::dialect::{Dialect, DialectOverrides};
use crate::input::encoding;
use crate::input::formulas::Formulas;

/// Format, compression and dialect of a file: all that is needed to write or to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLayout {
    /// How the table is stored.
    pub format: Format,
    /// How its text is compressed; nothing for Parquet, which compresses its own pages.
    pub compression: Compression,
    /// How its text is delimited; of no meaning for Parquet.
    pub dialect: Dialect,
    /// The encoding of its text; of no meaning for Parquet.
    pub encoding: &'static Encoding,
    /// What is done about cells of delimited text that a spreadsheet would run.
    pub formulas: Formulas,
    /// Whether delimited text of UTF-8 begins with a byte order mark, by which Excel knows it.
    pub has_mark: bool,
}

impl FileLayout {
    /// Comma-separated text under a header.
    pub const PLAIN: Dialect =
        Dialect { delimiter: b',', quote: b'"', header: true, trim: false, marked: false };

    /// Batches in memory.
    pub const MEMORY: FileLayout = FileLayout {
        format: Format::MEMORY,
        compression: Compression::None,
        dialect: FileLayout::PLAIN,
        encoding: UTF_8,
        formulas: Formulas::Keep,
        has_mark: false,
    };

    /// The layout that a file's name asks for, with the dialect of the input.
    ///
    /// A `.tsv` is separated by tabs whatever the input was.
    pub fn of_target(target: &Path, dialect: &Dialect) -> Result<FileLayout> {
        // What is read back of a table of a database is plain text.
        if let Address::Postgres(_) = Address::from_path(target) {
            let (format, compression) = (Format::CSV, Compression::None);
            let (dialect, formulas) = (FileLayout::PLAIN, Formulas::Keep);
            return Ok(FileLayout {
                format,
                compression,
                dialect,
                encoding: UTF_8,
                formulas,
                has_mark: false,
            });
        }
        let bare = target == Path::new("-");
        let named = if bare { Some((Format::CSV, Compression::None)) } else { Format::from_name(target) };
        let Some((format, compression)) = named else {
            let ends = Format::endings();
            let problem = (
                "cannot tell the format from the name",
                format!("it must end in {ends}, or in / for a directory of parts"),
            );
            return Err(EngineError::bad(problem).in_file(target));
        };
        // Marks are of a release that was read, not of one that is written.
        let mut dialect = Dialect { marked: false, ..*dialect };
        if is_tabbed(target) {
            dialect.delimiter = b'\t';
        }
        Ok(FileLayout {
            format,
            compression,
            dialect,
            encoding: UTF_8,
            formulas: Formulas::Keep,
            has_mark: false,
        })
    }

    /// How a reader spells what was written so; the rest is as `others` says.
    pub fn overrides(&self, others: DialectOverrides) -> DialectOverrides {
        DialectOverrides {
            delimiter: Some(char::from(self.dialect.delimiter)),
            quote: Some(char::from(self.dialect.quote)),
            header: Some(self.dialect.header),
            trim: Some(false),
            marked: self.formulas == Formulas::Quote,
            ..others
        }
    }

    /// The same with something done about formulas, if it is delimited text.
    #[must_use]
    pub fn with_formulas(self, formulas: Formulas) -> FileLayout {
        let is_delimited = self.format == Format::CSV;
        FileLayout { formulas: if is_delimited { formulas } else { Formulas::Keep }, ..self }
    }

    /// The same with the byte order mark that the input had, if it is delimited text.
    #[must_use]
    pub fn with_mark(self, has_mark: bool) -> FileLayout {
        FileLayout { has_mark: has_mark && self.format == Format::CSV, ..self }
    }

    /// The same in another encoding, if one is named.
    ///
    /// # Errors
    /// If there is no such encoding, or the file is no text.
    pub fn with_encoding(self, name: Option<&str>) -> Result<FileLayout> {
        let Some(name) = name else { return Ok(self) };
        if !self.format.is_text() {
            let name = self.format.name();
            let article = if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
            let problem = (format!("{article} {name} file has no encoding"), "encodings are for text files");
            return Err(EngineError::bad(problem));
        }
        Ok(FileLayout { encoding: encoding::find(name)?, ..self })
    }
}

/// Whether a name says that tabs are between the cells.
pub fn is_tabbed(target: &Path) -> bool {
    let name = target.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".tsv", ".tsv.gz", ".tsv.zst"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides() {
        let of = |name: &str| FileLayout::of_target(Path::new(name), &FileLayout::PLAIN);
        let layout = of("out.tsv.gz").unwrap();
        assert_eq!((layout.format, layout.compression), (Format::CSV, Compression::Gzip));
        assert_eq!(layout.dialect.delimiter, b'\t');
        assert_eq!(of("out.csv").unwrap().dialect, FileLayout::PLAIN);
        assert_eq!(of("out.parquet").unwrap().format, Format::PARQUET);
        assert!(of("out.xls").unwrap_err().to_string().contains(".parquet"));
    }
}
