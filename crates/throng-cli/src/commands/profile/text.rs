//! A profile for people.

use indicatif::HumanCount;

use throng_engine::input::source::Source;
use throng_engine::job::Role;
use throng_engine::profile::{
    ColumnProfile, CombinationProfile, Estimate, MAX_COMBINED, PersonColumn, Profile, numbers_households,
};

use crate::aligned::align;
use crate::commands::check::percent;
use crate::report::section;

const ESTIMATES: &str = "≈ marks estimates from a sample of the distinct values, not of the rows; --json \
    gives the margin of error for each.";

/// The profile as text, without a line break at its end. If the columns were combined `by_suggestion`,
/// it says which were not.
pub(super) fn text(source: &Source, found: &Profile, shown: usize, by_suggestion: bool) -> String {
    let mut sections = vec![
        format!(
            "{}: {}, {}{}",
            source.path().display(),
            rows(found.rows),
            columns_of(found.columns.len()),
            match source.file_count() {
                1 => String::new(),
                files => format!(", {files} files"),
            }
        ),
        section("Columns", &columns(&found.columns)),
    ];
    let notes = notes(&found.columns);
    if !notes.is_empty() {
        sections.push(section("Notes", &notes));
    }
    let people = persons(&found.persons);
    if !people.is_empty() {
        sections.push(section(several_rows(&found.persons), &people));
    }
    let sets = combinations(found, shown);
    if !sets.is_empty() {
        sections.push(section("Rows that are unique in a combination of columns", &sets));
    }
    let left = left_apart(found);
    if by_suggestion && !left.is_empty() {
        sections.push(left);
    }
    if found.has_estimates() {
        sections.push(ESTIMATES.to_owned());
    }
    sections.join("\n\n")
}

fn rows(count: u64) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{} rows", HumanCount(count)) }
}

fn columns_of(count: usize) -> String {
    if count == 1 { "1 column".to_owned() } else { format!("{} columns", HumanCount(count as u64)) }
}

fn columns(columns: &[ColumnProfile]) -> String {
    let mut lines =
        vec![["column", "type", "distinct", "missing", "unique", "role", "why"].map(str::to_owned)];
    lines.extend(columns.iter().map(|column| {
        [
            printable(&column.name),
            column.kind.to_string(),
            number(column.distinct),
            percent(column.missing_share),
            share(column.unique_rows, column.unique_share),
            column.suggestion.role.to_string(),
            column.suggestion.reason.clone(),
        ]
    }));
    for numbers in 2..=4 {
        end_together(&mut lines, numbers);
    }
    align(&lines)
}

fn notes(columns: &[ColumnProfile]) -> String {
    let notes = columns.iter().flat_map(|column| {
        column.notes.iter().enumerate().map(|(at, note)| {
            let name = if at == 0 { printable(&column.name) } else { String::new() };
            [name, note.clone()]
        })
    });
    align(&notes.collect::<Vec<_>>())
}

/// The title of those who have several rows.
fn several_rows(columns: &[PersonColumn]) -> &'static str {
    match columns.iter().all(|one| numbers_households(&one.column)) {
        true => "Households with several rows",
        false => "People with several rows",
    }
}

/// Columns that number people, and what the rows of one have in common.
fn persons(columns: &[PersonColumn]) -> String {
    let row = |person: &PersonColumn| {
        let names: Vec<String> = person.constant_columns.iter().map(|name| printable(name)).collect();
        let same = match names.as_slice() {
            [] => "by its name".to_owned(),
            names => format!("{} the same in all rows of each", names.join(", ")),
        };
        let who = if numbers_households(&person.column) { "households" } else { "people" };
        [printable(&person.column), format!("{} {who}", number(person.persons)), same]
    };
    let mut text = align(&columns.iter().map(row).collect::<Vec<_>>());
    if let Some(first) = columns.first() {
        let name = printable(&first.column);
        let (one, many) = match numbers_households(&first.column) {
            true => ("household", "households"),
            false => ("person", "people"),
        };
        text.push_str(&format!(
            "  k rows of one {one} are not a crowd: count {many} with person = \"{name}\" in a job, or --person {name}\n"
        ));
    }
    text
}

/// So many pairs and triples, and all columns together.
fn combinations(found: &Profile, shown: usize) -> String {
    let mut lines = vec![["unique", "classes", "columns"].map(str::to_owned)];
    let of_size = |size: usize| found.combinations.iter().filter(move |set| set.columns.len() == size);
    let all = found.combined.len();
    let several = [2, 3].into_iter().flat_map(|size| of_size(size).take(shown));
    lines.extend(several.chain(of_size(all).filter(|_| all > 3)).map(combination));
    if lines.len() == 1 {
        return String::new();
    }
    end_together(&mut lines, 0);
    end_together(&mut lines, 1);
    align(&lines)
}

/// The likely quasi-identifiers that were too many to be combined.
fn left_apart(found: &Profile) -> String {
    let left = found
        .columns
        .iter()
        .filter(|column| column.suggestion.role == Role::Quasi && !found.combined.contains(&column.name));
    let names: Vec<String> = left.map(|column| printable(&column.name)).collect();
    if found.combined.len() < 2 || names.is_empty() {
        return String::new();
    }
    format!(
        "Not combined: {}; --max-columns allows more, up to {MAX_COMBINED}, and --combine chooses them.",
        names.join(", ")
    )
}

fn combination(set: &CombinationProfile) -> [String; 3] {
    let names: Vec<String> = set.columns.iter().map(|name| printable(name)).collect();
    [share(set.unique_rows, set.unique_share), number(set.classes), names.join(", ")]
}

fn number(count: Estimate) -> String {
    let sign = if count.estimated { "≈" } else { "" };
    format!("{sign}{}", HumanCount(count.value))
}

fn share(count: Estimate, share: f64) -> String {
    let percent = percent(share);
    if count.estimated { format!("≈{}", percent.trim_start_matches(['<', '>'])) } else { percent }
}

/// Makes the cells of a column of numbers end below each other.
fn end_together<const N: usize>(lines: &mut [[String; N]], column: usize) {
    let width = lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    for line in lines {
        line[column] = format!("{:>width$}", line[column]);
    }
}

/// A name without control characters, which a header may hold.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_marked() {
        let count = Estimate { value: 1_234, estimated: true, margin: 5 };
        assert_eq!((number(count), share(count, 0.5)), ("≈1,234".to_owned(), "≈50.0 %".to_owned()));
        assert_eq!((number(Estimate::exact(7)), share(count, 1e-9)), ("7".to_owned(), "≈0.01 %".to_owned()));
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2J"), "a\u{fffd}[2J");
    }

    #[test]
    fn numbers_end_together() {
        let mut lines = [["7", "x"], ["1,234", "y"]].map(|line| line.map(str::to_owned));
        end_together(&mut lines, 0);
        assert_eq!(lines[0][0], "    7");
    }
}
