//! Where a place is: a path, a `file://` address, or one of a scheme that nobody here reads.

use std::path::{Path, PathBuf};

use throng::wording::quoted;

use crate::address::percent;
use crate::address::{Address, FILES, OBJECTS, POSTGRES, scheme_of};
use crate::error::{EngineError, Result};
use crate::wording::nearest;

/// The path that a `file://` address means; any other path, and the address of a table elsewhere, as it is.
///
/// # Errors
/// If the address is of another scheme, or of another machine.
pub fn local(path: &Path) -> Result<PathBuf> {
    let Address::Files(_) = Address::from_path(path) else { return Ok(path.to_owned()) };
    let Some(scheme) = scheme_of(path) else { return Ok(path.to_owned()) };
    if !scheme.eq_ignore_ascii_case(FILES) {
        return Err(unknown(scheme));
    }
    let rest = path.to_str().and_then(|text| text.split_once("://")).map_or("", |(_, rest)| rest);
    let (host, place) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if !matches!(host, "" | "localhost") || place.len() < 2 {
        return Err(EngineError::bad(
            "a file:// address names a file on this machine by its full path, as in file:///data/people.csv",
        ));
    }
    let decoded = percent::decode(place).ok_or_else(|| {
        EngineError::bad((
            "in a file:// address, % must be followed by two hexadecimal digits of UTF-8 text",
            "write % itself as %25",
        ))
    })?;
    Ok(PathBuf::from(decoded))
}

/// An address that nobody here can read. It may hold a password, so only its scheme is shown.
pub fn unknown(scheme: &str) -> EngineError {
    let near = nearest(scheme, [FILES, POSTGRES[0], POSTGRES[1], OBJECTS])
        .filter(|near| !near.eq_ignore_ascii_case(scheme));
    let guess = near.map(|near| format!(" (did you mean {near}://?)")).unwrap_or_default();
    EngineError::bad((
        format!("unknown scheme {}{guess}", quoted(format!("{scheme}://"))),
        "allowed are paths and file:// for files, directories and patterns, postgres:// or postgresql:// for database tables, and s3:// for objects in a store",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(text: &str) -> std::result::Result<PathBuf, String> {
        local(Path::new(text)).map_err(|error| error.to_string())
    }

    #[test]
    fn addresses_of_files_are_paths() {
        assert_eq!(of_text("a/b.csv"), Ok("a/b.csv".into()));
        assert_eq!(of_text("file:///data/a%20b.csv"), Ok("/data/a b.csv".into()));
        assert_eq!(of_text("FILE://localhost/data/*.csv"), Ok("/data/*.csv".into()));
        assert_eq!(of_text("postgres://h/d?table=t"), Ok("postgres://h/d?table=t".into()));
        for wrong in ["file://", "file:///", "file://host/a.csv"] {
            assert!(of_text(wrong).unwrap_err().contains("full path"), "{wrong}");
        }
        assert!(of_text("file:///a%2").unwrap_err().contains("%25"));
    }

    #[test]
    fn other_schemes_are_refused_without_what_they_hold() {
        let error = of_text("ftp://user:secret@host/x.csv").unwrap_err();
        assert!(
            error.contains("'ftp://'") && error.contains("file://") && !error.contains("secret"),
            "{error}"
        );
        assert!(of_text("fiel:///x.csv").unwrap_err().contains("did you mean file://?"));
        assert!(of_text("postgre://h/d").unwrap_err().contains("did you mean postgres://?"));
    }
}
