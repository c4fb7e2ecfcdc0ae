//! Patterns of paths and keys.

use std::path::Path;

use glob::MatchOptions;

/// How patterns match: `*` within a name, and no name that is hidden.
pub(crate) const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// Whether a path has characters that make it a pattern.
pub fn is_pattern(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.contains(['*', '?', '[']))
}
