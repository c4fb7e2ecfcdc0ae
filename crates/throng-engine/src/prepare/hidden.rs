//! Columns of people: no release shows what their values are. Each value has a number there.
//!
//! Hierarchies that are built from the data are built over these numbers, so that no search, writer or report can
//! show a value. Numbers are drawn anew by every run, and nobody keeps them: who reads a release finds out by
//! [`Numbered`] what its labels say, and by the release itself what they may stand for.

use throng::taxonomy::ANY;
use throng::wording::quoted;

use crate::dictionary::Dictionary;
use crate::error::EngineError;
use crate::job::HierarchySpec;

/// What stands before the number of a value.
const WORD: &str = "value ";

/// What the values of a column are shown as in their place.
#[derive(Debug)]
pub(crate) struct HiddenValues {
    /// The label of each code of the dictionary.
    labels: Vec<String>,
    /// The code of each number, from 1; nothing where the numbers are not those of the release that is read.
    codes: Vec<u32>,
}

/// What a label shows in the place of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numbered {
    /// `value 17`
    Value(u32),
    /// `{value 3, value 17}`: the numbers, and how many other members there are.
    Set(Vec<u32>, usize),
    /// `group 3 of 12`: the number, and of how many.
    Group(u32, u32),
}

impl Numbered {
    /// Reads a label.
    pub fn read(label: &str) -> Option<Numbered> {
        if let Some(number) = number_after(WORD, label) {
            return Some(Numbered::Value(number));
        }
        if let Some((group, groups)) = label.split_once(" of ") {
            return Some(Numbered::Group(number_after("group ", group)?, number_after("", groups)?));
        }
        let members: Vec<&str> = label.strip_prefix('{')?.strip_suffix('}')?.split(", ").collect();
        let numbers: Vec<u32> = members.iter().filter_map(|member| number_after(WORD, member)).collect();
        let others = members.len() - numbers.len();
        (!numbers.is_empty()).then_some(Numbered::Set(numbers, others))
    }
}

/// A number as it is written here, behind a word.
fn number_after(word: &str, text: &str) -> Option<u32> {
    let digits = text.strip_prefix(word)?;
    let number: u32 = digits.parse().ok().filter(|&number| number > 0)?;
    (number.to_string() == digits).then_some(number)
}

impl HiddenValues {
    /// Numbers for values of which each is that of so many rows. What is missing, or `*`, stays as it is.
    ///
    /// Nobody must find out which number is whose, whatever is known of the column. So their order is drawn from the
    /// operating system's randomness. Values of no row, which only a population has, come after the others: no number
    /// tells that somebody is not in the table.
    ///
    /// # Errors
    /// If the operating system has no randomness.
    pub(super) fn new(dictionary: &Dictionary, rows: &[u64]) -> Result<HiddenValues, EngineError> {
        let tells = |&code: &u32| !matches!(dictionary.value(code), "" | ANY);
        let all = (0..dictionary.len() as u32).filter(tells);
        let (mut codes, mut others): (Vec<u32>, Vec<u32>) = all.partition(|&code| rows[code as usize] > 0);
        shuffle(&mut codes)?;
        shuffle(&mut others)?;
        codes.extend(others);
        let mut labels: Vec<String> = dictionary.values().map(str::to_owned).collect();
        for (number, &code) in (1..).zip(&codes) {
            labels[code as usize] = format!("{WORD}{number}");
        }
        Ok(HiddenValues { labels, codes })
    }

    /// Forgets which number is whose: they are not those of the release that is to be read.
    pub(super) fn forget(&mut self) {
        self.codes.clear();
    }

    /// Whether the numbers are not those of a release.
    pub(super) fn is_forgotten(&self) -> bool {
        self.codes.is_empty()
    }

    /// The label of each code of the dictionary.
    pub(crate) fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The code of the value that is shown so.
    pub(super) fn code(&self, label: &str) -> Option<u32> {
        let number = number_after(WORD, label)? as usize;
        self.codes.get(number - 1).copied()
    }
}

/// Draws an order that nobody can guess.
fn shuffle(codes: &mut [u32]) -> Result<(), EngineError> {
    let mut bytes = vec![0; codes.len() * size_of::<u64>()];
    getrandom::fill(&mut bytes)
        .map_err(|_| EngineError::Data("the system provides no random numbers".into()))?;
    let draws =
        bytes.chunks_exact(size_of::<u64>()).map(|draw| u64::from_le_bytes(draw.try_into().expect("eight")));
    let mut drawn: Vec<(u64, u32)> = draws.zip(codes.iter().copied()).collect();
    drawn.sort_unstable();
    codes.iter_mut().zip(drawn).for_each(|(code, (_, of_draw))| *code = of_draw);
    Ok(())
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
    Err(EngineError::bad((
        format!("its values look as if they name people, and {shown} would show them"),
        "leave it out (role = \"identifier\"), hide its values (generalise = \"set\" or hierarchy = { auto = true }), or decide yourself what is shown, with a hierarchy file, a mask or intervals",
    ))
    .in_column(name))
}

/// What the reader of a report should know of a column of people.
pub(super) fn note(name: &str, is_hidden: bool) -> String {
    let name = quoted(name);
    if is_hidden {
        return format!(
            "column {name} seems to name people: its values are released as numbers (value 1, value 2, …), which losses count as exact"
        );
    }
    format!(
        "column {name} seems to name people, and the hierarchy is your own: whatever it does not generalise \
            is released exactly; role = \"identifier\" leaves it out"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::of_values as dictionary;

    const NAMES: [&str; 6] = ["", "*", "Costa", "Koch", "Nowak", "Weber"];

    #[test]
    fn every_value_has_a_number_of_its_own() {
        let mut hidden = HiddenValues::new(&dictionary(&NAMES), &[1, 1, 2, 3, 4, 5]).unwrap();
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
        hidden.forget();
        assert!(hidden.is_forgotten() && hidden.code("value 1").is_none());
    }

    /// The same table gives other numbers each time, and none of them is in the order of the values.
    #[test]
    fn numbers_follow_from_nothing() {
        let names: Vec<String> = (0..40).map(|number| format!("name {number:02}")).collect();
        let all = dictionary(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let drawn: Vec<Vec<String>> =
            (0..3).map(|_| HiddenValues::new(&all, &[5; 40]).unwrap().labels().to_vec()).collect();
        let in_order: Vec<String> = (1..=40).map(|number| format!("value {number}")).collect();
        assert!(drawn[0] != drawn[1] && drawn[1] != drawn[2] && !drawn.contains(&in_order));
    }

    #[test]
    fn values_of_the_population_alone_have_the_last_numbers() {
        let hidden = HiddenValues::new(&dictionary(&NAMES), &[0, 0, 2, 0, 4, 5]).unwrap();
        assert_eq!(hidden.labels()[3], "value 4");
    }

    #[test]
    fn labels_say_what_they_show() {
        use Numbered::{Group, Set, Value};
        for (label, said) in [
            ("value 17", Some(Value(17))),
            ("{value 3, value 17}", Some(Set(vec![3, 17], 0))),
            ("{value 3, \"\"}", Some(Set(vec![3], 1))),
            ("group 3 of 12", Some(Group(3, 12))),
            ("value 017", None),
            ("value", None),
            ("{Costa, Koch}", None),
            ("group x of 12", None),
            ("a lot of 12", None),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(Numbered::read(label), said, "{label}");
        }
    }
}
