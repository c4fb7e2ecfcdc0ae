//! Sentences for what is wrong with a job.

use crate::error::nearest;

/// A name between quotes, with control characters spelled out.
pub(crate) fn quoted(name: &str) -> String {
    let mut text = String::from("'");
    for c in name.chars() {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text.push('\'');
    text
}

/// Names between quotes, separated by commas.
pub(crate) fn quoted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(quoted).collect();
    names.join(", ")
}

/// `a`, `a and b`, or `a, b and c`, with another word for `and`.
pub fn enumerate(names: &[&str], and: &str) -> String {
    match names {
        [] => "none".to_owned(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} {and} {last}", names.join(", ")),
    }
}

/// The sentence for a name that is not among those allowed; `what` says what it should name.
pub(super) fn unknown(what: &str, name: &str, allowed: &[&str]) -> String {
    unknown_in(what, name, "", allowed)
}

/// As [`unknown`], with a `place` such as " in [search]".
fn unknown_in(what: &str, name: &str, place: &str, allowed: &[&str]) -> String {
    let list = allowed.join(", ");
    let name_shown = quoted(name);
    match nearest(name, allowed.iter().copied()) {
        Some(guess) => {
            format!("unknown {what} {name_shown}{place}; did you mean '{guess}'? Allowed are: {list}")
        }
        None => format!("unknown {what} {name_shown}{place}; allowed are: {list}"),
    }
}

/// The name among those allowed that is `name`.
pub(crate) fn choose_name(what: &str, name: &str, allowed: &[&'static str]) -> Result<&'static str, String> {
    let found = allowed.iter().copied().find(|of| *of == name);
    found.ok_or_else(|| unknown(what, name, allowed))
}

/// The item that `name` stands for in a list of choices.
pub(crate) fn choose<T: Copy>(what: &str, name: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(allowed, _)| *allowed == name);
    found.map(|&(_, item)| item).ok_or_else(|| {
        let allowed: Vec<&str> = choices.iter().map(|&(allowed, _)| allowed).collect();
        unknown(what, name, &allowed)
    })
}

/// Says where in `text` a TOML error stands and what is wrong, in our words.
///
/// The text itself is never shown: the members of groups are values of the data.
pub(super) fn explain(error: &toml::de::Error, text: &str) -> String {
    let path = key_path(error);
    let sentence = reword(error.message(), path.as_deref());
    match error.span() {
        Some(span) => {
            let (line, column) = line_column(text, span.start);
            format!("line {line}, column {column}: {sentence}")
        }
        None => sentence,
    }
}

/// Line and column (in characters) of a byte, both from 1.
fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    (line, column)
}

/// The dotted path of the key at fault, which `toml` shows only when it cannot show the text.
fn key_path(error: &toml::de::Error) -> Option<String> {
    let mut bare = error.clone();
    bare.set_input(None);
    let shown = bare.to_string();
    let (_, path) = shown.trim_end().rsplit_once("\nin `")?;
    path.strip_suffix('`').map(str::to_owned)
}

fn reword(message: &str, path: Option<&str>) -> String {
    let place = match path {
        Some(path) if path.contains('.') => format!(" in {path}"),
        Some(path) => format!(" in [{path}]"),
        None => String::new(),
    };
    if let Some((name, allowed)) = split_unknown_field(message) {
        return unknown_in("key", name, &place, &allowed);
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|m| m.strip_suffix('`')) {
        return format!("the key '{name}' is missing{place}");
    }
    let at = path.map(|path| format!("{path}: ")).unwrap_or_default();
    match split_invalid(message) {
        Some((found, expected)) => {
            format!("{at}expected {}, found {}", plain_expected(expected), plain_found(found))
        }
        None => message.trim_end().replace('\n', "; "),
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
    fn names_are_shown_without_control_characters() {
        assert_eq!(quoted("a\u{1b}[31mb"), "'a\\u{1b}[31mb'");
        assert_eq!(quoted_list(["é", "b"]), "'é', 'b'");
    }

    #[test]
    fn unknown_names_get_a_suggestion_only_when_one_is_near() {
        assert_eq!(
            unknown("role", "Quasy", &["quasi", "other"]),
            "unknown role 'Quasy'; did you mean 'quasi'? Allowed are: quasi, other"
        );
        assert_eq!(
            unknown("role", "completely", &["quasi", "other"]),
            "unknown role 'completely'; allowed are: quasi, other"
        );
    }

    #[test]
    fn positions_count_characters() {
        assert_eq!(line_column("ab", 0), (1, 1));
        assert_eq!(line_column("é\nüb", 5), (2, 2));
        assert_eq!(line_column("a\n", 2), (2, 1));
        // Inside a character and past the end: the end of the text.
        assert_eq!(line_column("é", 1), (1, 2));
        assert_eq!(line_column("a", 9), (1, 2));
    }

    #[test]
    fn serde_sentences_are_reworded() {
        assert_eq!(
            reword("unknown field `see`, expected `seed` or `k`", Some("search")),
            "unknown key 'see' in [search]; did you mean 'seed'? Allowed are: seed, k"
        );
        assert_eq!(
            reword("missing field `role`", Some("columns.age")),
            "the key 'role' is missing in columns.age"
        );
        assert_eq!(
            reword("invalid value: integer `-1`, expected u64", Some("search.seed")),
            "search.seed: expected a whole number of at least 0, found -1"
        );
    }

    #[test]
    fn found_text_is_not_shown() {
        assert_eq!(
            reword("invalid type: string \"Smith, expected x\", expected a boolean", None),
            "expected true or false, found other text"
        );
    }
}
