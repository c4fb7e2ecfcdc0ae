//! Text that people typed, told by its cells: it may hold anything, and what it holds of people is nobody's category.
//!
//! A column of text is free text if one of these holds:
//!
//! 1. Some of its cells mention people ([`Mention`]): at least two values, and one cell in a thousand, with a contact;
//!    or at least five, and one cell in a hundred, with a contact or a name. A value that very many rows share is the
//!    name of a school or a ward, not what somebody typed, so such values do not count.
//! 2. At least twenty of its values occur once, in a tenth of its cells, and most values are of four words or more. Of
//!    what is known by its name to be a category (`diagnosis`, `occupation`) half of the cells must be so: there are
//!    many rare illnesses.
//! 3. Its name says so (`notes`, `Bemerkung`), and a few of its values occur once or mention somebody.

use serde::{Deserialize, Serialize};

use super::kind::ColumnKind;
use super::looks::{Mention, mention};
use super::role::{Facts, SHARED_ROWS, is_category_by_name, is_text_by_name};

/// Texts that are looked at; more would say the same.
const MAX_VALUES: u64 = 1 << 16;

/// Words of a value that is more than the name of something.
const MANY_WORDS: usize = 4;

/// Values that occur once before a column is judged by them, and where its name speaks of text.
const MIN_UNIQUE: u64 = 20;
const MIN_UNIQUE_NAMED: u64 = 5;

/// What is known of the texts of a column, each of which was looked at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextFacts {
    /// Texts that were looked at.
    pub values: u64,
    /// Of these, those of four words or more.
    pub wordy_values: u64,
    /// Those that hold a telephone number, an address or the like.
    pub contact_values: u64,
    /// Those that hold a name and nothing of that kind.
    pub name_values: u64,
    /// Rows whose cells hold either.
    pub mention_rows: u64,
}

/// Why a column is free text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FreeText {
    /// Some of its cells mention people.
    Mentions,
    /// Many of its values occur once.
    Unique,
}

impl FreeText {
    /// What speaks for it.
    pub fn evidence(self) -> &'static str {
        match self {
            FreeText::Mentions => "some of its cells mention people",
            FreeText::Unique => "many of its values occur once",
        }
    }

    /// Why it is left out, in words.
    pub fn reason(self) -> &'static str {
        match self {
            FreeText::Mentions => "free text: some of its cells mention people",
            FreeText::Unique => "free text may hold names or anything else",
        }
    }
}

impl TextFacts {
    /// Looks at a text, and says whether it mentions somebody.
    pub(super) fn see(&mut self, cell: &[u8]) -> bool {
        if self.values >= MAX_VALUES {
            return false;
        }
        self.values += 1;
        let Ok(text) = std::str::from_utf8(cell) else { return false };
        self.wordy_values += u64::from(text.split_whitespace().count() >= MANY_WORDS);
        let found = mention(text);
        match found {
            Some(Mention::Contact) => self.contact_values += 1,
            Some(Mention::Name) => self.name_values += 1,
            None => {}
        }
        found.is_some()
    }

    fn mention_values(&self) -> u64 {
        self.contact_values + self.name_values
    }

    /// Cells of a thousand that mention somebody, of so many; of very many values, as many as of these.
    fn mentions_per_mille(&self, known: u64) -> u64 {
        let by_values = 1_000 * self.mention_values() / self.values.max(1);
        let by_rows = 1_000 * self.mention_rows / known.max(1);
        if self.values >= MAX_VALUES { by_values.max(by_rows) } else { by_rows }
    }

    /// Whether so many rows share each value that mentions somebody that nobody typed it.
    fn are_shared(&self) -> bool {
        self.mention_rows / self.mention_values().max(1) >= SHARED_ROWS
    }
}

/// Whether a column is text that people typed.
pub(crate) fn find_free_text(facts: &Facts<'_>) -> Option<FreeText> {
    if !matches!(facts.kind, ColumnKind::Category | ColumnKind::Text | ColumnKind::Mixed) {
        return None;
    }
    if mentions_people(facts) {
        return Some(FreeText::Mentions);
    }
    is_typed(facts).then_some(FreeText::Unique)
}

fn mentions_people(facts: &Facts<'_>) -> bool {
    let text = &facts.text;
    let share = text.mentions_per_mille(facts.known());
    let is_named = is_text_by_name(facts.name) && (text.contact_values > 0 || text.name_values > 1);
    let are_many =
        text.contact_values >= 2 && share >= 1 || text.mention_values() >= 5 && share >= 10 || is_named;
    are_many && !text.are_shared()
}

fn is_typed(facts: &Facts<'_>) -> bool {
    let (unique, known) = (facts.unique_rows, facts.known());
    if is_text_by_name(facts.name) {
        return unique >= MIN_UNIQUE_NAMED && 50 * unique >= known;
    }
    let is_wordy = 2 * facts.text.wordy_values > facts.text.values;
    let share = if is_category_by_name(facts.name) { 2 } else { 10 };
    is_wordy && unique >= MIN_UNIQUE && share * unique >= known
}

/// Whether a cell mentions somebody.
pub fn mentions_somebody(cell: &str) -> bool {
    mention(cell).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::kind::Spellings;

    /// What a column of these cells is.
    fn free_text(name: &str, cells: impl Iterator<Item = String>) -> Option<FreeText> {
        let mut counts = std::collections::BTreeMap::<String, u64>::new();
        cells.for_each(|cell| *counts.entry(cell).or_default() += 1);
        let mut spellings = Spellings::default();
        counts.iter().for_each(|(cell, rows)| spellings.add(cell, *rows));
        let (distinct, unique) = (counts.len() as u64, counts.values().filter(|rows| **rows == 1).count());
        let kind = spellings.infer(name, distinct).kind;
        find_free_text(&spellings.facts(name, kind, distinct, unique as u64))
    }

    const ILLS: [&str; 4] = ["Pneumonie", "Herzinsuffizienz", "Fraktur des Femur", "Asthma bronchiale"];

    #[test]
    fn a_few_cells_that_mention_people_are_enough() {
        let typed = |share: usize| {
            move |at: usize| match at % share {
                0 => format!("{}, Tochter Anna Koch 0171 {:07}", ILLS[at % 4], 1_000_000 + at * 7_919),
                _ => ILLS[at % 4].to_owned(),
            }
        };
        for share in [4, 100, 900] {
            let found = free_text("Diagnosetext", (0..3_000).map(typed(share)));
            assert_eq!(found, Some(FreeText::Mentions), "one in {share}");
        }
        assert_eq!(free_text("Diagnosetext", (0..3_000).map(|at| ILLS[at % 4].to_owned())), None);
        let named = |at: usize| {
            format!("{}{}", ILLS[at % 4], if at.is_multiple_of(50) { NAMED[at / 50 % 6] } else { "" })
        };
        assert_eq!(free_text("x", (0..3_000).map(named)), Some(FreeText::Mentions));
    }

    const NAMED: [&str; 6] = [
        ", Frau Ottenlips weiß",
        ", Sohn Jan Wyzgol",
        ", fragt Herrn Abendroth",
        ", Tochter Anna Brzezicki",
        ", Maria Rossi",
        ", Dr. Dupont",
    ];

    #[test]
    fn what_many_share_is_no_persons() {
        let school = |at: usize| ["Anne Frank School", "Maria Ward Gymnasium"][at % 2].to_owned();
        assert_eq!(free_text("school", (0..400).map(school)), None);
        let schools = |at: usize| format!("{} School", NAMED[at % 6].trim_start_matches(", "));
        assert_eq!(free_text("school", (0..400).map(schools)), None, "66 rows each");
    }

    #[test]
    fn values_that_occur_once_are_typed_if_they_are_more_than_names() {
        let note = |at: usize| match at % 7 {
            0 => format!("came late because of the weather {at}"),
            _ => ["none", "ok", "see file"][at % 3].to_owned(),
        };
        assert_eq!(free_text("x", (0..3_000).map(note)), Some(FreeText::Unique));
        let drug = |at: usize| if at.is_multiple_of(7) { format!("Drug{at}azol") } else { "ASS".to_owned() };
        assert_eq!(free_text("x", (0..3_000).map(drug)), None, "one word each");
        let ill = |at: usize| match at % 7 {
            0 => format!("Other specified disorder of kind {at}"),
            _ => ILLS[at % 4].to_owned(),
        };
        assert_eq!(free_text("diagnosis", (0..3_000).map(ill)), None, "rare illnesses");
    }

    #[test]
    fn names_of_columns_speak_of_text() {
        let short = |at: usize| if at.is_multiple_of(30) { format!("see {at}") } else { "none".to_owned() };
        for name in ["Bemerkung", "comments", "Freitext", "observaciones", "uwagi", "opmerking", "remarques"]
        {
            assert_eq!(free_text(name, (0..300).map(short)), Some(FreeText::Unique), "{name}");
        }
        assert_eq!(free_text("grade", (0..300).map(short)), None);
        let answers = |at: usize| ["good", "bad", "neither"][at % 3].to_owned();
        assert_eq!(free_text("comment", (0..300).map(answers)), None, "a few answers");
        assert_eq!(free_text("Note", (0..300).map(|at| (at % 6).to_string())), None, "a grade");
    }
}
