//! Where the release goes, and what becomes of suppressed rows and of the order.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Job;
use crate::address::Address;
use crate::error::EngineError;
use crate::format::Format;
use crate::input::dialect::{Dialect, DialectOverrides};
use crate::input::source::Source;
use crate::wording::{Packed, choose, choose_name};
use throng_tables::output::sink::{FileLayout, PartsLayout, ROWS_PER_FILE};

/// The release: a path, or a table with a path and options. Of a job that is asked something else than a release, it says
/// no more than what that would be like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Where it is written; nowhere if none is.
    pub path: Option<Address>,
    /// What becomes of suppressed rows.
    pub suppressed: SuppressedRows,
    /// The order of the rows.
    pub order: RowOrder,
    /// The encoding of a text file, such as `windows-1252`; UTF-8 if none is named.
    pub encoding: Option<String>,
    /// The file that the recoding is saved in, for later deliveries of the table; none if it is not.
    pub recoding: Option<PathBuf>,
    /// Whether a table of a database, or a directory of parts, that is there already is replaced; a file that is an
    /// earlier release always is.
    pub replace: bool,
    /// Rows of each file of a directory of parts.
    pub rows_per_file: Option<u64>,
    /// The format of the files of a directory of parts, by what their names end in, such as `parquet` or `csv.gz`; that
    /// of the input if none is named.
    pub format: Option<String>,
}

/// What becomes of suppressed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum SuppressedRows {
    /// They are left out.
    #[default]
    Drop,
    /// They keep their place, with `*` in every quasi-identifier.
    Mask,
}

/// The order of the rows of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum RowOrder {
    /// That of the input.
    #[default]
    Keep,
    /// Random: `shuffle`, or `shuffle:SEED`.
    Shuffle {
        /// What the order is drawn from; the operating system's randomness if nothing is given. Anyone who
        /// knows the seed can undo the order.
        seed: Option<u64>,
    },
    /// By what they show: by the first released column, then by the second, and so on. It tells nothing about the input.
    Sort,
}

impl Output {
    /// A release at `path`, with the default options.
    pub fn new(path: impl Into<PathBuf>) -> Output {
        Output::at(Address::of_target(path))
    }

    /// A release in memory, or elsewhere, with the default options.
    pub fn at(path: impl Into<Address>) -> Output {
        Output { path: Some(path.into()), ..Output::default() }
    }

    /// Where it is written.
    ///
    /// # Errors
    /// If nobody said.
    pub fn path(&self) -> Result<&Address, EngineError> {
        self.path.as_ref().ok_or_else(lacking)
    }

    /// What it is called, if it has a name.
    pub fn name(&self) -> Option<String> {
        self.path.as_ref()?.file_name().map(|name| name.to_string_lossy().into_owned())
    }

    /// Whether the release is a directory of parts: its path ends in `/`, or parts are asked for and the name is not
    /// that of a file.
    pub fn is_directory(&self) -> bool {
        let Some(Address::Files(path)) = &self.path else { return false };
        let ends = |separator: char| path.to_str().is_some_and(|path| path.ends_with(separator));
        let asks = self.rows_per_file.is_some() || self.format.is_some();
        ends('/') || ends(MAIN_SEPARATOR) || asks && Format::from_name(path).is_none()
    }

    /// How its files are laid out, and its parts if it has some; `of_input` says what the names of files would end in if
    /// they were stored as the input is.
    ///
    /// # Errors
    /// If the format cannot be told, or is said of something that is no directory.
    pub fn layout(
        &self,
        dialect: &Dialect,
        of_input: impl FnOnce() -> String,
    ) -> Result<(FileLayout, Option<PartsLayout>), EngineError> {
        if let Some(Address::Memory(_)) = self.path
            && self.rows_per_file.is_none()
            && self.format.is_none()
        {
            return Ok((FileLayout::MEMORY, None));
        }
        let path = self.path()?;
        if !self.is_directory() {
            if self.rows_per_file.is_some() || self.format.is_some() {
                return Err(EngineError::bad((
                    "rows_per_file and format are for a directory of parts",
                    "end the output's name with / to write one",
                ))
                .about_file(path));
            }
            return Ok((FileLayout::of_target(path, dialect)?, None));
        }
        if self.rows_per_file == Some(0) {
            return Err(EngineError::bad(("rows_per_file is 0", "it must be at least 1")));
        }
        let extension = match &self.format {
            Some(format) => choose_name("format", format, &FORMATS).map_err(EngineError::bad)?.to_owned(),
            None => of_input(),
        };
        let layout = FileLayout::of_target(Path::new(&format!("part.{extension}")), dialect)?;
        let rows_per_file = self.rows_per_file.unwrap_or(ROWS_PER_FILE);
        Ok((layout, Some(PartsLayout { rows_per_file, extension, replace: self.replace })))
    }
}

impl Job {
    /// How the pipeline spells the release of an input.
    ///
    /// # Errors
    /// If the format of the release cannot be told.
    pub fn written_dialect(&self, input: &Source) -> Result<DialectOverrides, EngineError> {
        let (layout, _) = self.layout_of(input)?;
        Ok(layout.overrides(self.csv_of_release()))
    }

    /// How the release of an input is laid out, and its parts if it has some.
    ///
    /// # Errors
    /// If the format of the release cannot be told, or has no encoding.
    pub fn layout_of(&self, input: &Source) -> Result<(FileLayout, Option<PartsLayout>), EngineError> {
        let dialect = input.dialect().unwrap_or(FileLayout::PLAIN);
        let (layout, parts) = self.output.layout(&dialect, || input.extension())?;
        let layout = layout.with_encoding(self.output.encoding.as_deref())?;
        let layout = layout.with_formulas(self.csv.formulas.unwrap_or_default());
        Ok((layout.with_mark(input.has_mark()), parts))
    }
}

/// What to say where a release is asked for, and nobody said where to.
pub(super) fn lacking() -> EngineError {
    EngineError::bad(("the output is missing", "give it with -o FILE, or in a job file"))
}

/// What the names of parts may end in.
const FORMATS: [&str; 11] = [
    "parquet",
    "csv",
    "csv.gz",
    "csv.zst",
    "tsv",
    "tsv.gz",
    "tsv.zst",
    "arrow",
    "jsonl",
    "jsonl.gz",
    "jsonl.zst",
];

impl FromStr for SuppressedRows {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<SuppressedRows, EngineError> {
        let choices = [("drop", SuppressedRows::Drop), ("mask", SuppressedRows::Mask)];
        choose("treatment of suppressed rows", name, &choices).map_err(EngineError::bad)
    }
}

impl FromStr for RowOrder {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<RowOrder, EngineError> {
        if let Some(seed) = name.strip_prefix("shuffle:") {
            let seed = seed.parse().map_err(|_| {
                EngineError::bad(
                    "the seed of an order is a whole number from 0 to 18446744073709551615: shuffle:7",
                )
            })?;
            return Ok(RowOrder::Shuffle { seed: Some(seed) });
        }
        let choices = [
            ("keep", RowOrder::Keep),
            ("shuffle", RowOrder::Shuffle { seed: None }),
            ("sort", RowOrder::Sort),
        ];
        choose("order of rows", name, &choices).map_err(EngineError::bad)
    }
}

impl From<RowOrder> for String {
    fn from(order: RowOrder) -> String {
        match order {
            RowOrder::Keep => "keep".to_owned(),
            RowOrder::Shuffle { seed: None } => "shuffle".to_owned(),
            RowOrder::Shuffle { seed: Some(seed) } => format!("shuffle:{seed}"),
            RowOrder::Sort => "sort".to_owned(),
        }
    }
}

impl TryFrom<String> for SuppressedRows {
    type Error = Packed;

    fn try_from(name: String) -> std::result::Result<SuppressedRows, Packed> {
        Ok(name.parse()?)
    }
}

impl TryFrom<String> for RowOrder {
    type Error = Packed;

    fn try_from(name: String) -> std::result::Result<RowOrder, Packed> {
        Ok(name.parse()?)
    }
}

/// The long form of [`Output`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputTable<A, P> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<A>,
    #[serde(default)]
    suppressed: SuppressedRows,
    #[serde(default)]
    order: RowOrder,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recoding: Option<P>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    replace: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows_per_file: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
}

impl Serialize for Output {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(path) = self.path.as_ref().filter(|&path| *self == Output::at(path)) {
            return path.serialize(serializer);
        }
        OutputTable {
            path: self.path.as_ref(),
            suppressed: self.suppressed,
            order: self.order,
            encoding: self.encoding.clone(),
            recoding: self.recoding.as_deref(),
            replace: self.replace,
            rows_per_file: self.rows_per_file,
            format: self.format.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Output {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Output, D::Error> {
        deserializer.deserialize_any(PathOrTable)
    }
}

struct PathOrTable;

impl<'de> Visitor<'de> for PathOrTable {
    type Value = Output;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "a path in quotes or a table { path, suppressed, order, encoding, recoding, replace, rows_per_file, format }",
        )
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<Output, E> {
        Ok(Output::new(path))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Output, A::Error> {
        let table: OutputTable<PathBuf, PathBuf> = Deserialize::deserialize(MapAccessDeserializer::new(map))?;
        let OutputTable { path, suppressed, order, encoding, recoding, replace, rows_per_file, format } =
            table;
        let path = path.map(Address::of_target);
        Ok(Output { path, suppressed, order, encoding, recoding, replace, rows_per_file, format })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Doc {
        output: Output,
    }

    fn read(text: &str) -> Output {
        toml::from_str::<Doc>(text).unwrap().output
    }

    #[test]
    fn a_path_is_the_short_form_of_a_table() {
        assert_eq!(read("output = 'a.csv'"), Output::new("a.csv"));
        assert_eq!(read("output = { path = 'a.csv' }"), Output::new("a.csv"));
    }

    #[test]
    fn options_survive_a_round_trip() {
        let output = read("output = { path = 'a.csv', suppressed = 'mask', order = 'shuffle' }");
        assert_eq!(
            (output.suppressed, output.order),
            (SuppressedRows::Mask, RowOrder::Shuffle { seed: None })
        );
        let output = read("output = { path = 'a.csv', order = 'shuffle:7' }");
        assert_eq!(output.order, RowOrder::Shuffle { seed: Some(7) });
        assert_eq!(String::from(output.order), "shuffle:7");
        assert_eq!(read("output = { path = 'a.csv', order = 'sort' }").order, RowOrder::Sort);
        let nowhere = read("output = { order = 'sort' }");
        assert_eq!((&nowhere.path, nowhere.order), (&None, RowOrder::Sort));
        assert_eq!(read(&toml::to_string(&Doc { output: nowhere.clone() }).unwrap()), nowhere);
        assert_eq!(String::from(RowOrder::Sort), "sort");
        assert!("shuffle:x".parse::<RowOrder>().is_err());
        let text = toml::to_string(&Doc { output: output.clone() }).unwrap();
        assert_eq!(read(&text), output);
        let short = toml::to_string(&Doc { output: Output::new("a.csv") }).unwrap();
        assert_eq!(short, "output = \"a.csv\"\n");
    }

    #[test]
    fn a_name_with_a_slash_is_a_directory_of_parts() {
        let output = read("output = { path = 'out/', rows_per_file = 10, format = 'csv.gz' }");
        assert!(output.is_directory() && Output::new("out/").is_directory());
        let (layout, parts) = output.layout(&FileLayout::PLAIN, || unreachable!()).unwrap();
        assert_eq!(layout.format, Format::CSV);
        let parts = parts.unwrap();
        assert_eq!((parts.rows_per_file, parts.extension.as_str()), (10, "csv.gz"));
        assert_eq!(read(&toml::to_string(&Doc { output: output.clone() }).unwrap()), output);
        assert!(read("output = { path = 'out', rows_per_file = 10 }").is_directory());
        let complaint =
            |text: &str| read(text).layout(&FileLayout::PLAIN, || "csv".to_owned()).unwrap_err().to_string();
        assert!(
            complaint("output = { path = 'out.csv', rows_per_file = 10 }").contains("end the output's name")
        );
        assert!(complaint("output = { path = 'out/', rows_per_file = 0 }").contains("at least 1"));
        assert!(
            complaint("output = { path = 'out/', format = 'parqet' }").contains("did you mean 'parquet'")
        );
    }

    #[test]
    fn options_are_named_in_errors() {
        assert_eq!(
            "drap".parse::<SuppressedRows>().unwrap_err().to_string(),
            "unknown treatment of suppressed rows 'drap'; did you mean 'drop'? Allowed are: drop, mask"
        );
        assert_eq!(
            "random".parse::<RowOrder>().unwrap_err().to_string(),
            "unknown order of rows 'random'; allowed are: keep, shuffle, sort"
        );
    }
}
