//! What comments of a job file say about columns: why a role was chosen is often written there, and nowhere else.

use std::collections::BTreeMap;

/// The comments of columns by name: the lines right above a column, then what follows it on its own line.
///
/// The text is TOML that was read already. A comment belongs to a column of `[columns]` or to `[columns.NAME]`.
pub(super) fn of_columns(text: &str) -> BTreeMap<String, String> {
    let mut reader = Reader::default();
    text.lines().for_each(|line| reader.take(line));
    reader.found
}

#[derive(Default)]
struct Reader {
    found: BTreeMap<String, String>,
    /// Comments since the last line that was none.
    above: Vec<String>,
    /// Whether the lines are those of `[columns]`.
    in_columns: bool,
    /// Brackets that are open: what is within them is part of a value.
    depth: i32,
}

impl Reader {
    fn take(&mut self, line: &str) {
        let (code, comment) = split_comment(line);
        if code.is_empty() {
            match comment {
                Some(comment) if self.depth == 0 => self.above.push(comment.to_owned()),
                _ => self.above.clear(),
            }
            return;
        }
        let starts = self.depth == 0;
        self.depth += open_brackets(code);
        if starts && code.starts_with('[') {
            let name = header(code);
            self.in_columns = name.as_deref() == Some(&["columns".to_owned()]);
            if let Some([first, column]) = name.as_deref()
                && first == "columns"
            {
                self.note(column.clone(), comment);
            }
        } else if starts
            && self.in_columns
            && let Some(column) = key(code)
        {
            self.note(column, comment);
        }
        self.above.clear();
    }

    fn note(&mut self, column: String, beside: Option<&str>) {
        let lines: Vec<&str> = self.above.iter().map(String::as_str).chain(beside).collect();
        if !lines.is_empty() {
            self.found.insert(column, lines.join("\n"));
        }
    }
}

/// What a line says, and its comment without the sign and a space.
fn split_comment(line: &str) -> (&str, Option<&str>) {
    let at = outside_quotes(line).find(|&(_, c)| c == '#').map(|(at, _)| at);
    let (code, comment) = at.map_or((line, None), |at| (&line[..at], Some(&line[at + 1..])));
    (code.trim(), comment.map(|comment| comment.strip_prefix(' ').unwrap_or(comment).trim_end()))
}

fn open_brackets(code: &str) -> i32 {
    let change = |(_, c): (usize, char)| match c {
        '{' | '[' => 1,
        '}' | ']' => -1,
        _ => 0,
    };
    outside_quotes(code).map(change).sum()
}

/// The characters of a line that are in no string.
fn outside_quotes(line: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut is_escaped = false;
    line.char_indices().filter(move |&(_, c)| {
        let was = quote;
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some('"'), '\\') => is_escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        was.is_none() && quote.is_none()
    })
}

/// The name of a table by its header: `[columns."a b"]`.
fn header(code: &str) -> Option<Vec<String>> {
    let inner = code.strip_prefix('[')?.strip_suffix(']')?;
    let table: toml::Table = toml::from_str(&format!("{inner} = 1")).ok()?;
    let (first, mut rest) = table.into_iter().next()?;
    let mut parts = vec![first];
    while let toml::Value::Table(table) = rest {
        let (next, below) = table.into_iter().next()?;
        parts.push(next);
        rest = below;
    }
    Some(parts)
}

/// The key of a line `key = value`.
fn key(code: &str) -> Option<String> {
    let at = outside_quotes(code).find(|&(_, c)| c == '=').map(|(at, _)| at)?;
    let table: toml::Table = toml::from_str(&format!("{} = 1", &code[..at])).ok()?;
    table.into_iter().next().map(|(key, _)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_the_column_below_or_beside_them() {
        let found = of_columns(
            r##"
# about the file
input = "a#b.csv"
# about all columns
[columns]
# the ward asked for it
# twice
age = { role = "quasi" }   # and again
# nobody's

"a # b" = { role = "other", hierarchy = { groups = [
    # within a value
    { x = ["y"] } ] } }
'c' = { role = "other" } # quoted
# of a table
[columns.d]
role = "sensitive"
# not a column
[privacy]
k = 5 # nor this
"##,
        );
        let expected =
            [("age", "the ward asked for it\ntwice\nand again"), ("c", "quoted"), ("d", "of a table")];
        assert_eq!(found, expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    }
}
