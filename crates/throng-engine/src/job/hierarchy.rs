//! How the values of a column are generalised.

mod file;
mod generalise;
mod syntax;

use std::path::{Path, PathBuf};

use throng::taxonomy::{
    self, Ambiguous, Coding, DateUnit, Group, MaskSide, Notation, Taxonomy, TaxonomyError,
};
use throng::wording::quoted;

use crate::auto::Nature;
use crate::error::EngineError;
use crate::input::{encoding, whole};
use crate::wording::Message;
pub use file::HierarchyFile;
pub(super) use generalise::GeneraliseKey;
pub(super) use syntax::choose_separator;

/// A hierarchy file, or a builder and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum HierarchySpec {
    /// A file with one line per value: `leaf;level1;…;top`.
    File(HierarchyFile),
    /// One character more is masked per level.
    Mask(MaskSide),
    /// Number ranges, one width per level.
    Intervals {
        /// Width of the ranges of each level.
        widths: Vec<f64>,
        /// A number at which ranges start.
        origin: f64,
        /// Whether ranges are spelled `5 to 9`, which no spreadsheet takes for a date.
        in_words: bool,
    },
    /// Calendar units, one per level.
    Dates {
        /// Unit of each level.
        units: Vec<DateUnit>,
        /// How the dates are spelled; ISO 8601 when not given.
        format: Option<String>,
    },
    /// Named groups of values, one list of groups per level.
    Groups(Vec<Vec<Group>>),
    /// Built from the data: ranges, calendar units, beginnings of codes, or groups of categories.
    Auto {
        /// Most levels between the values and `*`.
        levels: usize,
    },
    /// No hierarchy: numbers or dates become the range that their class spans.
    Range {
        /// How dates are spelled; numbers, or ISO 8601 dates, when not given.
        format: Option<String>,
    },
    /// No hierarchy: values become the set of their class's values.
    Set {
        /// Most members of a set; more become `*`.
        most: u32,
    },
    /// Codes become what all of their class begin with.
    Prefix,
    /// No hierarchy: numbers become what their class shows of them.
    Numbers(Numbers),
}

/// How numbers without a hierarchy are released.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Numbers {
    /// What a class shows.
    pub shown: Shown,
    /// Numbers up to this one are one value.
    pub bottom: Option<f64>,
    /// Numbers from this one on are one value.
    pub top: Option<f64>,
}

/// What a class shows of its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// The least and the greatest.
    #[default]
    Range,
    /// Their mean.
    Mean,
    /// The one in the middle, or the mean of the two that are.
    Median,
}

impl Shown {
    /// The name in jobs and flags.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Range => "range",
            Shown::Mean => "mean",
            Shown::Median => "median",
        }
    }
}

impl Numbers {
    /// The bounds, if they are in their order.
    pub(crate) fn coding(&self) -> Option<Coding> {
        Coding::new(self.bottom, self.top)
    }
}

/// Labels with two meanings that are named one by one.
const MOST_SHARED: usize = 3;

/// Why a hierarchy cannot be built.
#[derive(Debug)]
pub enum BuildError {
    /// A value of the column does not fit the builder; the caller knows its row.
    Unfit {
        /// Position (from 0) in the list of values.
        index: usize,
        /// What the builder needs, e.g. "a number".
        expected: Message,
    },
    /// The file or the parameters are at fault.
    Bad(EngineError),
}

impl HierarchySpec {
    /// Reads the hierarchy of `column`, or builds it from the column's distinct values.
    ///
    /// Whether a file has all the values is not checked. [`HierarchySpec::Auto`] is built as if all
    /// values were equally frequent; a run, which has counted them, builds it better.
    pub fn build<S: AsRef<str>>(&self, column: &str, values: &[S]) -> Result<Taxonomy, BuildError> {
        self.build_in(column, values, None)
    }

    /// As [`build`](Self::build), of numbers in a notation; without one, the values tell.
    pub fn build_in<S: AsRef<str>>(
        &self,
        column: &str,
        values: &[S],
        said: Option<Notation>,
    ) -> Result<Taxonomy, BuildError> {
        let notation = self.find_notation(column, values, said)?;
        let built = match self {
            HierarchySpec::File(path) => {
                let taxonomy = read_file(path, column).map_err(BuildError::Bad)?;
                return Ok(taxonomy.with_notation(notation));
            }
            HierarchySpec::Mask(side) => taxonomy::mask(values, *side),
            HierarchySpec::Intervals { widths, origin, in_words: false } => {
                taxonomy::intervals_in(values, widths, *origin, notation)
            }
            HierarchySpec::Intervals { widths, origin, in_words: true } => {
                taxonomy::intervals_in_words(values, widths, *origin, notation)
            }
            HierarchySpec::Dates { units, format } => taxonomy::dates(values, units, format.as_deref()),
            HierarchySpec::Groups(levels) => taxonomy::groups(values, levels),
            HierarchySpec::Range { format } => taxonomy::ranges_in(values, format.as_deref(), notation),
            HierarchySpec::Set { most } => taxonomy::sets(values, *most),
            HierarchySpec::Prefix => taxonomy::prefixes(values),
            HierarchySpec::Numbers(numbers) => {
                taxonomy::coded_ranges(values, &numbers.coding().unwrap_or_default().with_notation(notation))
            }
            HierarchySpec::Auto { levels } => {
                let rows = vec![1; values.len()];
                Nature::infer(column, values, &rows, Some(notation)).auto(&rows, *levels).build(values)
            }
        };
        built.map_err(|error| self.advise(BuildError::new(error, column)))
    }

    /// What can be done about a word among numbers or dates.
    fn advise(&self, error: BuildError) -> BuildError {
        match (error, self) {
            (
                BuildError::Unfit { index, expected },
                HierarchySpec::Intervals { .. } | HierarchySpec::Dates { .. },
            ) => {
                let remedy = "if it stands for a missing value, add unknown = \"top\" beside the column's role (--unknown COLUMN=top), which releases it as *, and any other value that does not fit";
                BuildError::Unfit { index, expected: expected.and_hint(remedy) }
            }
            (error, _) => error,
        }
    }

    /// As [`build_in`](Self::build_in), where an unfit value is the first of all that are, by its row.
    pub fn build_by_rows<S: AsRef<str>, R: Ord>(
        &self,
        column: &str,
        values: &[S],
        said: Option<Notation>,
        row: impl Fn(usize) -> R,
    ) -> Result<Taxonomy, BuildError> {
        self.build_in(column, values, said).map_err(|error| {
            if !matches!(error, BuildError::Unfit { .. }) {
                return error;
            }
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by_key(|&index| row(index));
            let in_order: Vec<&str> = order.iter().map(|&index| values[index].as_ref()).collect();
            match self.build_in(column, &in_order, said) {
                Err(BuildError::Unfit { index, expected }) => {
                    BuildError::Unfit { index: order[index], expected }
                }
                _ => error,
            }
        })
    }

    /// How the numbers among the values are spelled, where that matters.
    fn find_notation<S: AsRef<str>>(
        &self,
        column: &str,
        values: &[S],
        said: Option<Notation>,
    ) -> Result<Notation, BuildError> {
        use HierarchySpec::{Auto, File};
        if let Some(said) = said {
            return Ok(said);
        }
        if !self.reads_numbers() {
            return Ok(Notation::Plain);
        }
        let found = match self {
            // These read all values as numbers, or say of which they cannot: that is the word, not the number.
            Auto { .. } | File(_) => Notation::infer(values),
            _ => Notation::among(values),
        };
        match (found, self) {
            (Ok(found), _) => Ok(found),
            (Err(Ambiguous), Auto { .. } | File(_)) => Ok(Notation::default()),
            (Err(Ambiguous), _) => {
                let problem = (
                    "a number such as 1,234 could be over a thousand or just over one, and no value shows which",
                    "give decimal = \".\" or decimal = \",\" (on the command line --decimal)",
                );
                Err(BuildError::Bad(EngineError::bad(problem).in_column(column)))
            }
        }
    }

    /// Whether it matters how numbers are spelled.
    pub(crate) fn reads_numbers(&self) -> bool {
        use HierarchySpec::{Auto, File, Intervals, Numbers, Range};
        matches!(self, Auto { .. } | File(_) | Intervals { .. } | Range { format: None } | Numbers(_))
    }

    /// What the reader of a release should know of a hierarchy file, which was read before, by its lines.
    pub fn warnings(&self, read: &Taxonomy) -> Result<Vec<String>, EngineError> {
        let HierarchySpec::File(path @ HierarchyFile { in_memory: None, .. }) = self else {
            return Ok(Vec::new());
        };
        // Lines are only in the file.
        let text = read_text(path, "")?;
        let named = |error: TaxonomyError| EngineError::from(error).in_file(&path.path);
        let repeated = taxonomy::repeated_lines(&text, path.separator).map_err(named)?;
        let mut warnings: Vec<String> = repeated_note(path, &repeated).into_iter().collect();
        if read.shared_labels().is_empty() {
            return Ok(warnings);
        }
        let (taxonomy, lines) = (
            taxonomy::parse_separated(&text, path.separator).map_err(named)?,
            taxonomy::lines(&text, path.separator).map_err(named)?,
        );
        let shared = taxonomy.shared_labels();
        let place = |value: u32| {
            let level = taxonomy.values()[value as usize].level;
            format!("level {level} (line {})", lines[taxonomy.first_leaf(value) as usize])
        };
        let of = |&(earlier, later): &(u32, u32)| {
            let (path, later, earlier) = (path.display(), place(later), place(earlier));
            format!("{path}: the label of {later} also stands for other values at {earlier}")
        };
        warnings.extend(shared.iter().take(MOST_SHARED).map(of));
        if shared.len() > MOST_SHARED {
            warnings.push(format!("{}: {} more such labels", path.display(), shared.len() - MOST_SHARED));
        }
        Ok(warnings)
    }

    /// Whether its levels are made from the data at hand, not from a file or a rule.
    pub(super) fn is_from_data(&self) -> bool {
        use HierarchySpec::{Auto, Numbers, Prefix, Range, Set};
        matches!(self, Auto { .. } | Range { .. } | Set { .. } | Prefix | Numbers(_))
    }

    /// How numbers are released, if they have no hierarchy and are more than ranges.
    pub(crate) fn numbers(&self) -> Option<&Numbers> {
        match self {
            HierarchySpec::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// Makes the path of a hierarchy file relative to `base` instead of to itself.
    pub(super) fn rebase(&mut self, base: &Path) {
        if let HierarchySpec::File(file) = self
            && file.in_memory.is_none()
        {
            file.path = base.join(&file.path);
        }
    }
}

impl BuildError {
    /// Tells a value that does not fit from a fault of the hierarchy of `column`.
    pub(super) fn new(error: TaxonomyError, column: &str) -> BuildError {
        match error {
            TaxonomyError::Unfit { index, expected } => BuildError::Unfit { index, expected },
            other => BuildError::Bad(EngineError::from(other).in_column(column)),
        }
    }

    /// The error of a column, given the row of a value.
    pub fn at_row(self, column: &str, row: impl FnOnce(usize) -> u64) -> EngineError {
        match self {
            BuildError::Unfit { index, expected } => {
                EngineError::bad(expected.after("the value is not ")).at_row(row(index)).in_column(column)
            }
            BuildError::Bad(error) => error,
        }
    }

    /// The same in a file, which may depend on the value.
    pub fn in_file(self, column: &str, place: impl FnOnce(usize) -> (PathBuf, u64)) -> EngineError {
        match self {
            BuildError::Unfit { index, .. } => {
                let (file, row) = place(index);
                self.at_row(column, |_| row).in_file(file)
            }
            BuildError::Bad(error) => error,
        }
    }
}

/// Where nobody knows the rows.
impl From<BuildError> for EngineError {
    fn from(error: BuildError) -> EngineError {
        match error {
            BuildError::Unfit { expected, .. } => EngineError::bad(expected.after("a value is not ")),
            BuildError::Bad(error) => error,
        }
    }
}

/// What to know of lines that are there twice.
fn repeated_note(path: &HierarchyFile, repeated: &[(usize, usize)]) -> Option<String> {
    let &(line, earlier) = repeated.first()?;
    let more = match repeated.len() - 1 {
        0 => String::new(),
        1 => "; one more line repeats one".to_owned(),
        more => format!("; {more} more lines repeat one"),
    };
    Some(format!("{}: line {line} is the same as line {earlier}, and counts once{more}", path.display()))
}

fn read_file(path: &HierarchyFile, column: &str) -> Result<Taxonomy, EngineError> {
    if let Some(table) = &path.in_memory {
        return path.read_rows(table);
    }
    let text = read_text(path, column)?;
    taxonomy::parse_separated(&text, path.separator)
        .map_err(|error| EngineError::from(error).in_file(&path.path))
}

fn read_text(path: &Path, column: &str) -> Result<String, EngineError> {
    let named = ("no such file", format!("it is named as the hierarchy of column {}", quoted(column)));
    let bytes = whole::read(path, whole::MOST_MADE, "cannot read the hierarchy", named);
    let bytes = bytes.map_err(|error| match error {
        EngineError::NotFound(_) => error.about_column(column),
        _ => error,
    })?;
    encoding::decode(&bytes, encoding::detect(&bytes)).ok_or_else(|| {
        let before = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let line = bytes[..before].iter().filter(|&&byte| byte == b'\n').count() + 1;
        EngineError::bad("the hierarchy is not UTF-8 text").at_line(line as u64).in_file(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(result: Result<Taxonomy, BuildError>) -> String {
        match result {
            Err(BuildError::Bad(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    fn build(spec: &HierarchySpec) -> Result<Taxonomy, BuildError> {
        spec.build("age", &["1", "12", "23"])
    }

    fn file(bytes: &[u8]) -> (tempfile::TempDir, HierarchySpec, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("age.csv");
        std::fs::write(&path, bytes).unwrap();
        let name = path.display().to_string();
        (dir, HierarchySpec::File(path.into()), name)
    }

    #[test]
    fn files_are_read() {
        let (_dir, spec, _) = file(b"1;low;*\n12;low;*\n23;high;*\n");
        let taxonomy = build(&spec).unwrap();
        assert_eq!((taxonomy.height(), taxonomy.leaf_total()), (2, 3));
    }

    #[test]
    fn files_of_other_encodings_are_read() {
        let (_dir, spec, _) = file(b"K\xf6ln;Land;*\nUlm;Land;*\n");
        assert_eq!(build(&spec).unwrap().label(0), "Köln");
    }

    #[test]
    fn bad_files_are_named_with_the_line() {
        let (_dir, spec, name) = file(b"1;low\n12;low;x\n");
        let message = bad(build(&spec));
        assert!(message.starts_with(&format!("{name}: line 2: ")), "{message}");
        let (_dir, spec, name) = file(b"1;low\n\xff;low\n");
        assert_eq!(bad(build(&spec)), format!("{name}: line 2: the hierarchy is not UTF-8 text"));
        let gone = HierarchySpec::File("no/such.csv".into());
        assert_eq!(
            bad(build(&gone)),
            "no/such.csv: no such file; it is named as the hierarchy of column 'age'"
        );
    }

    #[test]
    fn a_folder_is_no_hierarchy() {
        let dir = tempfile::tempdir().unwrap();
        let message = bad(build(&HierarchySpec::File(dir.path().to_owned().into())));
        assert!(message.ends_with("cannot read the hierarchy: this is not a regular file"), "{message}");
    }

    #[test]
    fn builders_get_the_values() {
        let intervals = HierarchySpec::Intervals { widths: vec![10.0, 20.0], origin: 0.0, in_words: false };
        let taxonomy = build(&intervals).unwrap();
        assert_eq!(taxonomy.leaf_total(), 3);
        assert_eq!(taxonomy.level_size(1), 3);
        assert_eq!(taxonomy.level_size(2), 2);
        let mask = HierarchySpec::Mask(MaskSide::Right);
        let taxonomy = mask.build("zip", &["112", "113", "213"]).unwrap();
        assert_eq!([taxonomy.level_size(1), taxonomy.level_size(2)], [2, 2]);
        let group = |label: &str, values: &[&str]| Group {
            label: label.to_owned(),
            values: values.iter().map(|value| value.to_string()).collect(),
        };
        let groups = HierarchySpec::Groups(vec![vec![group("low", &["1", "12"]), group("high", &["23"])]]);
        assert_eq!(build(&groups).unwrap().level_size(1), 2);
        let dates = HierarchySpec::Dates { units: vec![DateUnit::Year], format: None };
        let taxonomy = dates.build("born", &["1980-01-02", "1980-05-06"]).unwrap();
        assert_eq!(taxonomy.level_size(1), 1);
    }

    #[test]
    fn any_values_have_an_automatic_hierarchy() {
        let auto = HierarchySpec::Auto { levels: 2 };
        let ages = auto.build("age", &["1", "12", "23", "34", "45", "56", "67", ""]).unwrap();
        assert_eq!((ages.height(), ages.leaf_total(), ages.label(ages.root())), (3, 8, "*"));
        let words = auto.build("age", &["1", "twelve", "23", ""]).unwrap();
        assert_eq!((words.leaf_total(), words.missing().is_some()), (4, true));
    }

    #[test]
    fn automatic_groups_of_people_have_numbers() {
        let auto = HierarchySpec::Auto { levels: 2 };
        let names =
            ["Koch, Greta", "Nowak, Jan", "Rossi, Maria", "Weber, Anna", "Dupont, Paul", "Costa, Ana"];
        let built = auto.build("Patientenname", &names).unwrap();
        let groups = &built.values()[built.leaf_total()..];
        assert!(groups.len() > 1, "there are groups");
        assert!(
            groups.iter().all(|value| value.label == "*" || value.label.starts_with("group ")),
            "{groups:?}"
        );
    }

    #[test]
    fn values_that_do_not_fit_are_passed_up_by_position() {
        let intervals = HierarchySpec::Intervals { widths: vec![10.0], origin: 0.0, in_words: false };
        let result = intervals.build("age", &["1", "secret"]);
        assert!(matches!(result, Err(BuildError::Unfit { index: 1, .. })), "{result:?}");
    }

    #[test]
    fn bad_parameters_name_the_column() {
        let intervals = HierarchySpec::Intervals { widths: vec![20.0, 10.0], origin: 0.0, in_words: false };
        let message = bad(build(&intervals));
        assert!(message.starts_with("column 'age': "), "{message}");
    }
}
