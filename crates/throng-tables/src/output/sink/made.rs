//! Text files that we make, and how each is told from files of others: only what says itself that it is ours is
//! replaced.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde_json::Value;
use throng::taxonomy::parse;

use super::staged::failed;
use crate::error::{EngineError, Result};

/// The largest file that is looked at; ours are far smaller.
const MOST_BYTES: u64 = 256 << 20;

/// What a text file of ours is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// A recoding, for later deliveries.
    Recoding,
    /// A front.
    Frontier,
    /// What a run did, as text or as JSON.
    Summary,
    /// A page: a report, or a front to choose from.
    Page,
    /// A plot.
    Plot,
    /// A comparison, as text, CSV or JSON.
    Comparison,
    /// A release in SQL.
    Sql,
    /// A hierarchy.
    Hierarchy,
    /// A job.
    Job,
    /// A page of the manual.
    Manual,
}

impl Made {
    /// Every kind.
    pub const ALL: [Made; 10] = [
        Made::Recoding,
        Made::Frontier,
        Made::Summary,
        Made::Page,
        Made::Plot,
        Made::Comparison,
        Made::Sql,
        Made::Hierarchy,
        Made::Job,
        Made::Manual,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Made::Recoding => "recoding",
            Made::Frontier => "frontier",
            Made::Summary => "summary",
            Made::Page => "page",
            Made::Plot => "plot",
            Made::Comparison => "comparison",
            Made::Sql => "SQL",
            Made::Hierarchy => "hierarchy",
            Made::Job => "job",
            Made::Manual => "manual page",
        }
    }

    /// Whether a text says that it is one.
    pub fn is_said_by(self, text: &str) -> bool {
        let mut lines = text.lines();
        let mut first = || lines.next().unwrap_or_default();
        match self {
            Made::Recoding => json(text).is_some_and(|json| json["format"] == "throng-recoding"),
            Made::Frontier => has_keys(text, &["method", "lattice_nodes", "fingerprint", "front"]),
            Made::Summary => {
                let head = [first(), first()];
                let is_text =
                    head[0].starts_with("Released: ") && head[1].trim_start().starts_with("made by ");
                is_text || head[0] == NO_RELEASE || has_keys(text, &["provenance", "requirement", "outcome"])
            }
            Made::Page => text.starts_with("<!DOCTYPE html>") && text.contains(PAGE_MARK),
            Made::Plot => text.starts_with("<svg ") && text.contains(PLOT_MARK),
            Made::Comparison => {
                let head = first();
                head.contains(" distinct tuples, at most ")
                    || head.starts_with("sweep,minimised,contender,")
                    || has_keys(text, &["distinct_tuples", "by_k", "by_quasi_count"])
            }
            Made::Sql => first().starts_with("-- A release by throng "),
            Made::Hierarchy => is_hierarchy(text),
            Made::Job => JOB_MARKS.iter().any(|mark| text.starts_with(mark)),
            Made::Manual => text.contains(".TH throng"),
        }
    }
}

/// The first line of a summary where nothing was released.
pub const NO_RELEASE: &str = "No release: nothing was written";
/// By what pages are known.
pub const PAGE_MARK: &str = r#"<meta name="generator" content="throng">"#;
/// By what plots are known.
pub const PLOT_MARK: &str = "<metadata>Drawn by throng</metadata>";
/// How jobs start that we write.
const JOB_MARKS: [&str; 2] = ["# A job for throng", "# The demo of throng:"];

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_object)
}

fn has_keys(text: &str, keys: &[&str]) -> bool {
    json(text).is_some_and(|json| keys.iter().all(|key| json.get(key).is_some()))
}

/// Hierarchies have a value and what it becomes in each line, `*` at last.
fn is_hierarchy(text: &str) -> bool {
    text.trim_end().ends_with(";*") && parse(text).is_ok()
}

/// Refuses to replace a file that does not say itself that it is such a one of ours. One without anything in it may
/// be replaced by whatever.
///
/// # Errors
/// If it is another file, or cannot be read.
pub(super) fn refuse_other(target: &Path, made: Made) -> Result<()> {
    let mut bytes = Vec::new();
    let read = File::open(target).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    match read {
        // A name that cannot be is left to who writes.
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::InvalidFilename) => {
            return Ok(());
        }
        Err(cause) => return Err(failed(target, cause)),
        Ok(_) => {}
    }
    if bytes.is_empty() || std::str::from_utf8(&bytes).is_ok_and(|text| made.is_said_by(text)) {
        return Ok(());
    }
    let problem = (
        format!(
            "cannot write: nothing in the existing file shows that it is a {} made by throng, so it is not replaced",
            made.name()
        ),
        "name another file, or remove this one yourself",
    );
    Err(EngineError::bad(problem).in_file(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_say_of_nothing_that_it_is_ours() {
        let others = [
            "alias ls='ls -l'\nexport PATH=$PATH:~/bin\n",
            "{}",
            "[1]",
            r#"{"format": "other"}"#,
            "<!DOCTYPE html>\n<html><title>Mine</title></html>\n",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n",
            "a;b\n1;2\n",
            "name,age\nann,31\n",
            "SELECT 1;\n",
            "input = 'a.csv'\n",
            ".TH ls 1\n",
        ];
        for made in Made::ALL {
            for text in others {
                assert!(!made.is_said_by(text), "{made:?}: {text}");
            }
        }
    }

    #[test]
    fn a_file_is_replaced_by_what_it_says() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        refuse_other(&file, Made::Recoding).unwrap();
        for ours in ["", r#"{"format": "throng-recoding", "version": 1}"#] {
            std::fs::write(&file, ours).unwrap();
            refuse_other(&file, Made::Recoding).unwrap();
        }
        for other in [&b"alias"[..], &[0xff, 0xfe]] {
            std::fs::write(&file, other).unwrap();
            let error = refuse_other(&file, Made::Recoding).unwrap_err();
            assert!(matches!(error, EngineError::BadInput(_)), "{error}");
            assert!(error.to_string().contains("recoding of throng"), "{error}");
        }
    }
}
