//! What must go from a table, column by column: by the name of a column, by what its values look like, and by the values.

use serde::{Deserialize, Serialize};

use crate::policy::values::{ColumnValues, ValueRule};
use crate::profile::ColumnLook;

/// A kind of identifiers that must go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    /// Where the rule says so: `(A)`.
    pub rule: String,
    /// What must go.
    pub what: String,
    /// Words of names of columns that have it.
    #[serde(default)]
    pub words: Vec<String>,
    /// What values of it look like.
    #[serde(default)]
    pub looks: Vec<String>,
    /// What else values say. Where that decides, a name only says which columns to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<ValueRule>,
}

/// Something in a table that must go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The column; none for the name of the file.
    pub column: Option<String>,
    /// Where the rule says so.
    pub rule: String,
    /// What must go.
    pub what: String,
    /// Why the column has it; no value of the table is in it.
    pub why: String,
    /// Rows with such a value.
    pub rows: u64,
}

/// The findings about one column.
pub(crate) fn find(removals: &[Removal], name: &str, column: &ColumnValues) -> Vec<Finding> {
    let known = column.known_rows();
    if known == 0 {
        // Nothing is left of it.
        return Vec::new();
    }
    let finding = |removal: &Removal, why: &str, rows: u64| Finding {
        column: Some(name.to_owned()),
        rule: removal.rule.clone(),
        what: removal.what.clone(),
        why: why.to_owned(),
        rows,
    };
    let mut found: Vec<Finding> = Vec::new();
    for removal in removals {
        let named = removal.words.iter().any(|word| has_words(name, word));
        let looks = column.look().is_some_and(|look| removal.looks.iter().any(|known| known == kebab(look)));
        let by_value = removal.check.and_then(|rule| rule.find(column, named));
        if let Some((rows, why)) = by_value {
            found.push(finding(removal, why, rows));
        } else if looks {
            found.push(finding(removal, "its values suggest so", known));
        } else if named && removal.check.is_none_or(|rule| !rule.decides()) {
            found.push(finding(removal, "its name says so", known));
        }
    }
    // What has a rule of its own is no other number.
    if found.len() > 1 {
        found.retain(|one| one.rule != "(R)");
    }
    found
}

/// Whether a name has a word, or words, of its own: `home_zip`, `zipCode` and `ZIP`, but not `unzipped`.
pub(super) fn has_words(name: &str, words: &str) -> bool {
    let (mut spaced, mut before) = (String::from(" "), ' ');
    for character in name.chars() {
        if before.is_lowercase() && character.is_uppercase() {
            spaced.push(' ');
        }
        let is_part = character.is_alphanumeric();
        if is_part {
            spaced.extend(character.to_lowercase());
        } else if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        before = character;
    }
    spaced.push(' ');
    spaced.contains(&format!(" {words} "))
}

fn kebab(look: ColumnLook) -> &'static str {
    match look {
        ColumnLook::Email => "email",
        ColumnLook::IpAddress => "ip-address",
        ColumnLook::MacAddress => "mac-address",
        ColumnLook::Url => "url",
        ColumnLook::Uuid => "uuid",
        ColumnLook::Phone => "phone",
        ColumnLook::Iban => "iban",
        ColumnLook::NationalNumber => "national-number",
        ColumnLook::CardNumber => "card-number",
        ColumnLook::VehicleNumber => "vehicle-number",
        ColumnLook::Coordinates => "coordinates",
        ColumnLook::PersonalName => "personal-name",
    }
}

/// What the name of a file says of somebody: a date, a long number, or an e-mail address.
pub(crate) fn of_file_name(removals: &[Removal], file: &str) -> Vec<Finding> {
    if removals.is_empty() {
        return Vec::new();
    }
    let finding = |rule: &str, what: &str, why: &str| Finding {
        column: None,
        rule: rule.to_owned(),
        what: what.to_owned(),
        why: why.to_owned(),
        rows: 0,
    };
    let runs = || file.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let is_year = |digits: &str| digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
    let runs_of: Vec<&str> = runs().collect();
    let parts = |run: &[&str]| {
        run.iter().filter(|part| part.len() <= 2).count() == 2 && run.iter().any(|part| is_year(part))
    };
    let mut found = Vec::new();
    if runs_of.windows(3).any(parts) {
        found.push(finding("(C)", "dates, except for the year", "the name of the file has a date"));
    }
    if runs_of.iter().any(|digits| digits.len() >= 6) {
        found.push(finding(
            "(R)",
            "any other number, mark or code of one person",
            "the name of the file has a long number, which may be a date or somebody's number",
        ));
    }
    if file.contains('@') {
        found.push(finding("(F)", "e-mail addresses", "the name of the file has an @"));
    }
    found
}
