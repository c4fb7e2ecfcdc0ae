//! Why each column has its role: what the job's comments say.

use throng_engine::job::Job;
use throng_engine::profile::ColumnKind;

/// Why a column has its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The comment.
    pub text: String,
    /// Whether it is still the one that `throng init` suggested.
    pub is_suggestion: bool,
}

/// What `init` notes below its reason.
const NOTES: [&str; 3] = ["note: ", "values at each level: ", "released as it is"];

/// Names of kinds, with which `init` begins.
const KINDS: [ColumnKind; 12] = [
    ColumnKind::Empty,
    ColumnKind::Boolean,
    ColumnKind::Integer,
    ColumnKind::Decimal,
    ColumnKind::DecimalComma,
    ColumnKind::Time,
    ColumnKind::Characters,
    ColumnKind::Category,
    ColumnKind::Text,
    ColumnKind::Mixed,
    ColumnKind::Nested,
    ColumnKind::Binary,
];

impl Reason {
    /// The reason of a column; nothing if no comment gives one.
    pub(super) fn find(job: &Job, column: &str) -> Option<Reason> {
        let comment = job.comments.get(column)?;
        let is_note =
            |line: &&str| !(line.starts_with("  ") && NOTES.iter().any(|note| line.trim().starts_with(note)));
        let lines: Vec<&str> =
            comment.lines().filter(is_note).map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = lines.join(" ");
        let suggestion = suggestion(&text).map(str::to_owned);
        let is_suggestion = suggestion.is_some();
        Some(Reason { text: suggestion.unwrap_or(text), is_suggestion })
            .filter(|reason| !reason.text.is_empty())
    }
}

/// What follows the kind of a column, which `init` begins its comments with.
fn suggestion(text: &str) -> Option<&str> {
    let (kind, rest) = text.split_once(": ")?;
    let is_kind = KINDS.iter().any(|known| known.name() == kind) || kind.starts_with("date ");
    is_kind.then_some(rest)
}
