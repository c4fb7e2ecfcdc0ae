//! Columns by their names: where they are, and what is said of those that are not there.

use throng::wording::{quoted, quoted_list};

use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::wording::guess;

/// What the columns of a release are called: as its header says; without one, as those that its job releases, if they
/// are as many.
pub fn names_of_release(release: &Source, released: &[String]) -> Option<Vec<String>> {
    match release.dialect() {
        Some(dialect) if !dialect.header => {
            (released.len() == release.columns().len()).then(|| released.to_vec())
        }
        _ => Some(release.columns().to_vec()),
    }
}

/// A name without the number at its end: what `q1` to `q98` have in common.
///
/// ```
/// use throng_engine::columns::stem;
///
/// assert_eq!((stem("q98"), stem("age")), ("q", "age"));
/// ```
pub fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// A column that is named twice where once is allowed.
pub(crate) fn given_twice(column: &str) -> EngineError {
    EngineError::bad(format!("column {} is given twice", quoted(column))).about_column(column)
}

/// The position of a name among those of the columns of a file.
pub(crate) fn find_column(source: &Source, columns: &[String], name: &str) -> Result<usize> {
    columns.iter().position(|column| column == name).ok_or_else(|| {
        let problem = (
            format!("there is no column {}{}", quoted(name), guess(name, columns.iter().map(String::as_str))),
            format!("its columns are {}", quoted_list(columns)),
        );
        source.bad(problem).about_column(name)
    })
}
