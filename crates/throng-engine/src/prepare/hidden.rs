//! Columns of people: no release shows what their values are. Each value has a number there.
//!
//! Hierarchies that are built from the data are built over these numbers, so that no search, writer or report can
//! show a value.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use throng::random::Random;
use throng::taxonomy::ANY;
use throng::wording::quoted;

use crate::error::EngineError;
use crate::job::HierarchySpec;
use crate::prepare::dictionary::Dictionary;

/// What stands before the number of a value.
const WORD: &str = "value ";

/// What the values of a column are shown as in their place.
#[derive(Debug)]
pub(crate) struct Hidden {
    /// The label of each code of the dictionary.
    labels: Vec<String>,
    /// The code of each number, from 1.
    codes: Vec<u32>,
}

impl Hidden {
    /// Numbers for values of which each is that of so many rows. What is missing, or `*`, stays as it is.
    ///
    /// Who has a list of the values must not find out by its order which number is whose. So the order is drawn
    /// from a seed that only those know who have the column itself. Values of no row, which only a population
    /// has, come after the others: they change no number.
    pub(super) fn new(dictionary: &Dictionary, rows: &[u64]) -> Hidden {
        let mut seed = FxHasher::default();
        let of_rows = || dictionary.values().zip(rows).filter(|(_, rows)| **rows > 0);
        of_rows().for_each(|value| value.hash(&mut seed));
        let mut random = Random::new(seed.finish());
        let tells = |&code: &u32| !matches!(dictionary.value(code), "" | ANY);
        let all = (0..dictionary.len() as u32).filter(tells);
        let (mut codes, mut others): (Vec<u32>, Vec<u32>) = all.partition(|&code| rows[code as usize] > 0);
        random.shuffle(&mut codes);
        random.shuffle(&mut others);
        codes.extend(others);
        let mut labels: Vec<String> = dictionary.values().map(str::to_owned).collect();
        for (number, &code) in (1..).zip(&codes) {
            labels[code as usize] = format!("{WORD}{number}");
        }
        Hidden { labels, codes }
    }

    /// The label of each code of the dictionary.
    pub(crate) fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The code of the value that is shown so.
    pub(super) fn code(&self, label: &str) -> Option<u32> {
        let number: usize = label.strip_prefix(WORD)?.parse().ok()?;
        let code = *self.codes.get(number.checked_sub(1)?)?;
        (self.labels[code as usize] == label).then_some(code)
    }
}

/// Whether the values of a column of people are hidden if they generalise so: where nobody wrote a hierarchy for them.
pub(super) fn hides(hierarchy: Option<&HierarchySpec>) -> bool {
    matches!(hierarchy, None | Some(HierarchySpec::Auto { .. } | HierarchySpec::Set { .. }))
}

/// Refuses what would show values of a column of people, though nobody wrote a rule for them.
///
/// # Errors
/// Ranges, beginnings and means, which are made of the values.
pub(super) fn refuse_shown(name: &str, hierarchy: Option<&HierarchySpec>) -> Result<(), EngineError> {
    use HierarchySpec::{Numbers, Prefix, Range};
    let shown = match hierarchy {
        Some(Range { .. } | Numbers(_)) => "the numbers of a class",
        Some(Prefix) => "what those of a class begin with",
        _ => return Ok(()),
    };
    Err(EngineError::bad(format!(
        "its values look like people, and {shown} would show them; leave it out (role = \"identifier\"), hide its \
         values (generalise = \"set\" or hierarchy = {{ auto = true }}), or say yourself what is shown, by a hierarchy file, \
         a mask or intervals"
    ))
    .in_column(name))
}

/// What the reader of a report should know of a column of people.
pub(super) fn note(name: &str, is_hidden: bool) -> String {
    let name = quoted(name);
    if is_hidden {
        return format!(
            "column {name} looks like people: its values are released as numbers (value 1, value 2, …), which \
             losses count as exact"
        );
    }
    format!(
        "column {name} looks like people, and its hierarchy is your own: what it does not generalise is released \
         exactly; role = \"identifier\" leaves it out"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::dictionary::of_values as dictionary;

    const NAMES: [&str; 6] = ["", "*", "Costa", "Koch", "Nowak", "Weber"];

    #[test]
    fn every_value_has_a_number_of_its_own() {
        let hidden = Hidden::new(&dictionary(&NAMES), &[1, 1, 2, 3, 4, 5]);
        assert_eq!(hidden.labels()[..2], ["", "*"]);
        let mut labels = hidden.labels()[2..].to_vec();
        (0..)
            .zip(hidden.labels())
            .skip(2)
            .for_each(|(code, label)| assert_eq!(hidden.code(label), Some(code)));
        labels.sort();
        assert_eq!(labels, ["value 1", "value 2", "value 3", "value 4"]);
        for label in ["value 0", "value 5", "value 01", "value +1", "value", "Koch", "", "*"] {
            assert_eq!(hidden.code(label), None, "{label}");
        }
    }

    #[test]
    fn numbers_follow_from_the_column_but_not_from_the_order_of_its_values() {
        let names: Vec<String> = (0..40).map(|number| format!("name {number:02}")).collect();
        let all = dictionary(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let of = |rows: &[u64]| Hidden::new(&all, rows).labels().to_vec();
        let in_order: Vec<String> = (1..=40).map(|number| format!("value {number}")).collect();
        let (one, other) = (of(&[5; 40]), of(&[6; 40]));
        assert_eq!(one, of(&[5; 40]));
        assert!(one != in_order && other != in_order && one != other);
    }

    #[test]
    fn values_of_the_population_alone_change_no_number() {
        let with = Hidden::new(&dictionary(&NAMES), &[0, 0, 2, 0, 4, 5]);
        let without = Hidden::new(&dictionary(&["Costa", "Nowak", "Weber"]), &[2, 4, 5]);
        let of_rows = [2, 4, 5].map(|code| with.labels()[code].as_str());
        assert_eq!(of_rows[..], without.labels()[..]);
        assert_eq!(with.labels()[3], "value 4");
    }
}
