//! The text of a new job, for somebody who has never seen one.
//!
//! Comments hold names of columns, kinds, counts and reasons, never a value of the data.

use std::path::Path;

use throng::wording::count_nodes;

use super::paths::Paths;
use super::{Decision, Initial, SUPPRESSION};
use crate::error::{EngineError, Result};
use crate::format::Format;
use crate::input::dialect::DialectOverrides;
use crate::job::Role;
use crate::profile::{PersonColumn, numbers_households};

const ROLES: &str = "\
# What becomes of each column:
#   identifier  names a person: left out
#   quasi       others may know it, and several of these together may single out one person: generalised
#   sensitive   nobody should learn it about a person: kept, because it is what research needs
#   target      a class label to predict: kept
#   other       harmless: kept
# The comment above each column says why this role was suggested.
#
# A quasi-identifier is generalised by its hierarchy. The files below hold one line per value of the
# column, 'value;level 1;level 2;…;*'. Edit them as you like: rename groups, move values between them (in
# all their columns), but keep every value, and keep each level a coarsening of the one before.
# Other ways to write it:
#   hierarchy = { auto = true, levels = 3 }            # rebuilt in each run
#   hierarchy = { intervals = [5, 10, 20] }            # numbers
#   hierarchy = { dates = [\"month\", \"year\"] }          # dates
#   hierarchy = { mask = \"right\" }                     # 12345, 1234*, 123**, …
# or without a hierarchy, for local algorithms such as mondrian:
#   generalise = \"range\"                               # exactly from the lowest to the highest value of a class
#   generalise = \"set\"                                 # exactly the values of a class
";

/// Who answers for the release.
const RELEASE: &str = "\
# Who gets the release, what for, and who decided about the columns? The report (--report) shows it on its
# first page, above the line to sign.
# [release]
# recipient  = \"Institute of Public Health, under contract 26/114\"
# purpose    = \"a study of readmissions, until the end of 2028\"
# decided_by = \"the data office\"
# date       = 2026-11-18

";

/// Columns that are named as the most costly.
pub const MOST_COSTLY: usize = 5;

const CLASSES: &str =
    "# Every row of the release shares the values of all its quasi-identifiers with at least k - 1 others.\n";

/// The job as TOML with comments.
pub(super) fn job(initial: &Initial, paths: &Paths, csv: &DialectOverrides) -> Result<String> {
    let job = initial.job.file_name().unwrap_or_default().to_string_lossy().replace(char::is_control, "?");
    let mut text = format!(
        "# A job for throng, written by 'throng init'. Read it before you run it: roles are suggestions\n\
         # from names and counts, and only you know what others may know about the people in the table.\n\
         #\n\
         #   throng anonymize {job}    makes the release and verifies it\n\
         #   throng check {job}        says who is at risk in the release (in the table: --input)\n\
         #\n\
         # Paths are relative to this file.\n\n\
         input  = {}\n\n\
         # The rows of the release are shuffled, because the order of the table may reveal which row is whose.\n\
         # \"keep\" keeps that order.\n\
         output = {{ path = {}, order = \"shuffle\" }}\n\n{RELEASE}",
        basic_string(&paths.input),
        basic_string(&paths.in_job(&paths.output)?),
    );
    if *csv != DialectOverrides::default() {
        let said = toml::to_string(csv)
            .map_err(|error| EngineError::bad(format!("the dialect cannot be written: {error}")))?;
        let is_workbook =
            Format::from_name(Path::new(&paths.input)).is_some_and(|(format, _)| format == Format::XLSX);
        text.push_str(&format!("[{}]\n{said}\n", if is_workbook { "xlsx" } else { "csv" }));
    }
    text.push_str(&format!("{ROLES}{}[columns]\n", crowded(initial)));
    for run in initial.columns.chunk_by(|one, next| one.is_answer() && next.is_answer()) {
        match run {
            [column] => text.push_str(&describe(column, paths)?),
            answers => text.push_str(&describe_answers(answers)),
        }
    }
    text.push_str(&privacy(initial));
    text.push_str(&search(initial));
    Ok(text)
}

/// A column with its comment.
fn describe(column: &Decision, paths: &Paths) -> Result<String> {
    let mut text = format!("\n# {}: {}\n", column.kind, comment(&column.reason));
    for note in &column.notes {
        text.push_str(&format!("#   note: {}\n", comment(note)));
    }
    let hierarchy = match &column.hierarchy {
        Some(hierarchy) => {
            let sizes: Vec<String> = hierarchy.sizes.iter().map(usize::to_string).collect();
            text.push_str(&format!("#   values at each level: {}\n", sizes.join(", ")));
            format!(", hierarchy = {}", basic_string(&paths.in_job(&hierarchy.path)?))
        }
        None => String::new(),
    };
    if column.is_kept() {
        text.push_str(&format!("#   {}\n", exposed(column)));
    }
    text.push_str(&format!("{} = {{ role = \"{}\"{hierarchy} }}\n", key(&column.name), column.role));
    Ok(text)
}

/// Many answers with a line each, below what is to be said of all.
fn describe_answers(columns: &[Decision]) -> String {
    let mut text = format!(
        "\n# {} columns of survey answers, decided as one. They are released unchanged. Together they may be\n\
         # unique, so leave out those that your readers do not need.\n",
        columns.len()
    );
    for (note, names) in notes_together(columns) {
        text.push_str(&format!("#   {}: {}\n", comment(&names), comment(note)));
    }
    text.push('\n');
    for column in columns {
        let (kind, reason) = (column.kind, comment(&column.reason));
        text.push_str(&format!(
            "{} = {{ role = \"{}\" }}   # {kind}: {reason}\n",
            key(&column.name),
            column.role
        ));
    }
    text
}

/// The notes of some columns, each once with the names of the columns that it is about.
pub fn notes_together(columns: &[Decision]) -> Vec<(&str, String)> {
    const NAMED: usize = 5;
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for (column, note) in
        columns.iter().flat_map(|column| column.notes.iter().map(move |note| (column, note)))
    {
        match notes.iter_mut().find(|(known, _)| *known == note.as_str()) {
            Some((_, names)) => names.push(&column.name),
            None => notes.push((note, vec![&column.name])),
        }
    }
    let list = |names: Vec<&str>| match names.len().checked_sub(NAMED + 1) {
        None => names.join(", "),
        Some(more) => format!("{} and {} more", names[..NAMED].join(", "), more + 1),
    };
    notes.into_iter().map(|(note, names)| (note, list(names))).collect()
}

/// What many quasi-identifiers cost, and what to do about it.
fn crowded(initial: &Initial) -> String {
    let Some(found) = &initial.crowded else { return String::new() };
    let costs: Vec<&str> = found.costs.iter().take(MOST_COSTLY).map(|cost| cost.column.as_str()).collect();
    format!(
        "#\n\
         # With {} quasi-identifiers, little will be left of each: {} of {} rows are unique in them. These make most\n\
         # rows unique: {}. Keep the role quasi only where others may really know a value.\n",
        found.costs.len(),
        found.unique_rows,
        initial.rows,
        comment(&costs.join(", "))
    )
}

/// How far a column that is released as it is tells rows apart.
fn exposed(column: &Decision) -> String {
    let percent = 100.0 * column.unique_share;
    let share = match percent {
        0.0 => return "released as it is; no row has a value of its own".to_owned(),
        _ if percent < 0.1 => "less than 0.1".to_owned(),
        _ if percent > 99.9 && percent < 100.0 => "over 99.9".to_owned(),
        _ => format!("{percent:.1}"),
    };
    format!("released as it is; {share} % of the rows have a value that no other row has")
}

fn privacy(initial: &Initial) -> String {
    let (mut about, mut suppression) = (CLASSES.to_owned(), SUPPRESSION);
    if initial.columns.iter().any(|column| column.hidden) {
        suppression = 0.0;
        about.push_str(
            "# Every column should be left out, so k is the number of rows, no row is left out, and only * is\n\
             # released until you decide otherwise about a column.\n",
        );
    } else {
        about.push_str(
            "# Up to this share of the rows may be left out, so that the others need less generalisation.\n",
        );
    }
    let person = initial.person.as_ref().map_or_else(String::new, persons);
    format!("\n{about}[privacy]\nk           = {}\nsuppression = {suppression}\n{person}\n", initial.k)
}

/// Whose rows are whose, with the reason.
fn persons(person: &PersonColumn) -> String {
    let constant = match person.constant_columns.as_slice() {
        [] => String::new(),
        names => format!("; the same in all rows of each: {}", comment(&names.join(", "))),
    };
    let (count, column) = (person.persons.value, basic_string(&person.column));
    if numbers_households(&person.column) {
        return format!(
            "# Some households have several rows, and anyone who knows one member often knows the others, so k counts\n\
             # households: there are {count}{constant}.\n\
             # To count rows instead, use \"none\".\n\
             person      = {column}\n"
        );
    }
    format!(
        "# Some people have several rows, and k rows of one person are not a crowd, so k counts persons: there are\n\
         # {count}{constant}.\n\
         # If every row belongs to a different person, use \"none\": then k counts rows.\n\
         person      = {column}\n"
    )
}

fn search(initial: &Initial) -> String {
    let quasi = initial.columns.iter().filter(|column| column.role == Role::Quasi).count();
    let about = match initial.algorithm.as_str() {
        "auto" => {
            "finds the release that loses the least among all that show each column at one level".to_owned()
        }
        other => format!(
            "with {quasi} quasi-identifiers and {} rows there are {} ways to show each column at one\n\
             # level, and even the best of them loses a lot; {other} recodes each class of rows separately",
            initial.rows,
            count_nodes(initial.lattice_nodes)
        ),
    };
    format!(
        "# The search: {about}.\n\
         # 'throng algorithms' lists the others, and 'throng compare' tries several.\n\
         [search]\nalgorithm = \"{}\"\nmeasure   = \"lm\"\nseed      = 1\n",
        initial.algorithm
    )
}

/// Text that stays on the line of its comment.
fn comment(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

/// A key of TOML: bare where it can be.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { basic_string(name) }
}

/// A basic string of TOML.
fn basic_string(text: &str) -> String {
    let mut string = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => string.extend(['\\', c]),
            c if c.is_control() => string.push_str(&format!("\\u{:04X}", c as u32)),
            c => string.push(c),
        }
    }
    string.push('"');
    string
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_a_key() {
        for name in
            ["age", "a b", "a.b", "\"q\"", "it's", "back\\slash", "Größe 🎂", "tab\t\u{7f}\n", "#", "1"]
        {
            let table: toml::Table = toml::from_str(&format!("{} = 1", key(name))).unwrap();
            assert_eq!(table.keys().collect::<Vec<_>>(), [name]);
        }
        assert_eq!((key("age"), key("a b")), ("age".to_owned(), "\"a b\"".to_owned()));
    }

    #[test]
    fn comments_stay_comments() {
        assert_eq!(comment("a\nb = 1"), "a b = 1");
    }
}
