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
use crate::profile::PersonColumn;

const ROLES: &str = "\
# What each column is to the release:
#   identifier  names a person: left out
#   quasi       others may know it, and several of these together may point to one person: generalised
#   sensitive   nobody may learn it about a person: kept, as it is what research needs
#   target      a class label to predict: kept
#   other       says nothing about a person: kept
# The comment above each column says why its role was suggested.
#
# A quasi-identifier is generalised by its hierarchy. The files below hold one line per value of the
# column, 'value;level 1;level 2;…;*'. Edit them freely: rename groups, move values between them (in
# all their columns), but keep every value, and keep each level a coarsening of the one before.
# Other ways to say it:
#   hierarchy = { auto = true, levels = 3 }            # built anew in each run
#   hierarchy = { intervals = [5, 10, 20] }            # numbers
#   hierarchy = { dates = [\"month\", \"year\"] }          # dates
#   hierarchy = { mask = \"right\" }                     # 12345, 1234*, 123**, …
# or, for local algorithms such as mondrian, without a hierarchy:
#   generalise = \"range\"                               # exactly from the least to the largest of a class
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
         # Rows of the release come in an order drawn at random: that of the table may say whose a row is.\n\
         # \"keep\" keeps it.\n\
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
    text.push_str(&format!("{ROLES}[columns]\n"));
    for column in &initial.columns {
        text.push_str(&describe(column, paths)?);
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
            "# Here k is the number of rows, and none is left out: every column should be left out, so nothing\n\
             # but * is released until you decide otherwise about some column.\n",
        );
    } else {
        about.push_str(
            "# Up to this share of the rows may be left out where that saves the others from being generalised.\n",
        );
    }
    let person = initial.person.as_ref().map_or_else(String::new, persons);
    format!("\n{about}[privacy]\nk           = {}\nsuppression = {suppression}\n{person}\n", initial.k)
}

/// Whose rows are whose, with the reason.
fn persons(person: &PersonColumn) -> String {
    let constant = match person.constant_columns.as_slice() {
        [] => String::new(),
        names => format!("; the same in all rows of one: {}", comment(&names.join(", "))),
    };
    format!(
        "# Some people have several rows, and k rows of one person are no crowd, so persons are counted: {} of\n\
         # them{constant}.\n\
         # If every row is of somebody else, say \"none\": rows are counted then.\n\
         person      = {}\n",
        person.persons.value,
        basic_string(&person.column)
    )
}

fn search(initial: &Initial) -> String {
    let quasi = initial.columns.iter().filter(|column| column.role == Role::Quasi).count();
    let about = match initial.algorithm.as_str() {
        "auto" => "finds the release of least loss among all that take each column to one level".to_owned(),
        other => format!(
            "with {quasi} quasi-identifiers and {} rows there are {} ways to take each column to one\n\
             # level, and even the best of them loses much; {other} recodes each class of rows by itself",
            initial.rows,
            count_nodes(initial.lattice_nodes)
        ),
    };
    format!(
        "# The search: {about}.\n\
         # 'throng algorithms' lists the others, 'throng compare' tries several.\n\
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
