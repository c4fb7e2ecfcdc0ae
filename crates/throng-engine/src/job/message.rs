//! Sentences for what is wrong with a job.

use throng::wording::Message;

use crate::error::EngineError;
use crate::wording::{unknown_in, unpack};

/// Says where in `text` a TOML error stands and what is wrong, in our words.
///
/// The text itself is never shown: the members of groups are values of the data.
pub(super) fn explain(error: &toml::de::Error, text: &str) -> EngineError {
    let path = key_path(error);
    let bad = EngineError::bad(reword(error.message(), path.as_deref()));
    match error.span() {
        Some(span) => {
            let (line, character) = line_character(text, span.start);
            bad.at_character(line, character)
        }
        None => bad,
    }
}

/// The line of a byte and its character there, both from 1.
fn line_character(text: &str, offset: usize) -> (u64, u64) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let character = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    (line as u64, character as u64)
}

/// The dotted path of the key at fault, which `toml` shows only when it cannot show the text.
fn key_path(error: &toml::de::Error) -> Option<String> {
    let mut bare = error.clone();
    bare.set_input(None);
    let shown = bare.to_string();
    let (_, path) = shown.trim_end().rsplit_once("\nin `")?;
    path.strip_suffix('`').map(str::to_owned)
}

fn reword(message: &str, path: Option<&str>) -> Message {
    let place = match path {
        Some(path) if path.contains('.') => format!(" in {path}"),
        Some(path) => format!(" in [{path}]"),
        None => String::new(),
    };
    if let Some((name, allowed)) = split_unknown_field(message) {
        return unknown_in("key", name, &place, &allowed);
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|m| m.strip_suffix('`')) {
        return format!("the key '{name}' is missing{place}").into();
    }
    let at = path.map(|path| format!("{path}: ")).unwrap_or_default();
    match split_invalid(message) {
        Some((found, expected)) => {
            format!("{at}expected {}, found {}", plain_expected(expected), plain_found(found)).into()
        }
        None => match message.trim_end().split_once('\n') {
            // What `toml` says in more than one line: what is wrong, and what it expects.
            Some((what, rest)) => (what, rest.replace('\n', "; ")).into(),
            None => unpack(message.trim_end()),
        },
    }
}

/// The name and the allowed names of serde's "unknown field `a`, expected one of `b`, `c`".
pub(super) fn split_unknown_field(message: &str) -> Option<(&str, Vec<&str>)> {
    let (name, rest) = message.strip_prefix("unknown field `")?.rsplit_once("`, expected ")?;
    Some((name, rest.split('`').skip(1).step_by(2).collect()))
}

/// What serde found and what it expected.
fn split_invalid(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    rest.rsplit_once(", expected ")
}

fn plain_expected(expected: &str) -> &str {
    match expected {
        "u64" | "usize" => "a whole number of at least 0",
        "i64" => "a whole number",
        "f64" => "a number",
        "a string" | "path string" => "text in quotes",
        "a boolean" => "true or false",
        "a character" => "one character in quotes",
        "a map" => "a table",
        other if other.starts_with("struct ") => "a table",
        other => other,
    }
}

/// The kind of what was found; only numbers are shown.
fn plain_found(found: &str) -> &str {
    let kind = found.split(['`', '"']).next().unwrap_or_default().trim();
    match kind {
        "integer" | "floating point" => found.split('`').nth(1).unwrap_or("a number"),
        "string" | "character" => "other text",
        "boolean" => "true or false",
        "sequence" => "an array",
        "map" => "a table",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        assert_eq!(line_character("ab", 0), (1, 1));
        assert_eq!(line_character("é\nüb", 5), (2, 2));
        assert_eq!(line_character("a\n", 2), (2, 1));
        // Inside a character and past the end: the end of the text.
        assert_eq!(line_character("é", 1), (1, 2));
        assert_eq!(line_character("a", 9), (1, 2));
    }

    #[test]
    fn serde_sentences_are_reworded() {
        assert_eq!(
            reword("unknown field `see`, expected `seed` or `k`", Some("search")).to_string(),
            "unknown key 'see' in [search]; did you mean 'seed'? Allowed are: seed, k"
        );
        assert_eq!(
            reword("missing field `role`", Some("columns.age")).to_string(),
            "the key 'role' is missing in columns.age"
        );
        assert_eq!(
            reword("invalid value: integer `-1`, expected u64", Some("search.seed")).to_string(),
            "search.seed: expected a whole number of at least 0, found -1"
        );
    }

    #[test]
    fn found_text_is_not_shown() {
        assert_eq!(
            reword("invalid type: string \"Smith, expected x\", expected a boolean", None).to_string(),
            "expected true or false, found other text"
        );
    }
}
