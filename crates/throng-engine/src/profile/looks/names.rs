//! Names of people: `Greta Koch`, `Koch, Greta`, `Dr. G. Koch`.

use super::Mark;
use super::given::{is_family_name, is_given_name};
use crate::profile::words::plain_word;

/// Words of a name, titles and particles aside, at most.
const MAX_WORDS: usize = 4;

const TITLES: [&str; 26] = [
    "dr", "prof", "mr", "mrs", "ms", "miss", "herr", "frau", "med", "dipl", "ing", "mag", "sr", "sra", "don",
    "dona", "sig", "sigra", "dott", "dra", "mme", "mlle", "dhr", "mevr", "rev", "sir",
];

const PARTICLES: [&str; 20] = [
    "von", "van", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "do", "la", "le", "ten",
    "ter", "zu", "af", "y", "e",
];

/// Words before a given name that make it that of a place.
const SAINTS: [&str; 10] =
    ["san", "santa", "santo", "sant", "sankt", "saint", "sainte", "st", "sao", "swiety"];

/// Whether a word makes a given name after it that of a place (`San Antonio`).
pub(super) fn is_saint(word: &str) -> bool {
    SAINTS.contains(&plain_word(word.trim_end_matches('.')).as_str())
}

/// What a word of a name is.
enum Word {
    Title,
    Particle,
    Initial,
    Given,
    Family,
    Unknown,
}

/// The marks of a value.
pub(super) fn marks(text: &str, mark: &mut impl FnMut(Mark)) {
    let is_letter = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '’' | '.' | ',');
    if !text.chars().all(is_letter) || text.matches(',').count() > 1 {
        return;
    }
    let Some(words) =
        text.split([' ', ',']).filter(|word| !word.is_empty()).map(read).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let count = |is: fn(&Word) -> bool| words.iter().filter(|word| is(word)).count();
    let titles = count(|word| matches!(word, Word::Title));
    let initials = count(|word| matches!(word, Word::Initial));
    let given = count(|word| matches!(word, Word::Given));
    let family = count(|word| matches!(word, Word::Family));
    let named = given + family + count(|word| matches!(word, Word::Unknown));
    match (named, named + initials) {
        (0, _) => {}
        (1, 1) if titles == 0 && given == 1 => mark(Mark::Given),
        (1, 1) if titles == 0 && family == 1 => mark(Mark::Family),
        (1, 1) if titles == 0 => {}
        (_, all) if all > MAX_WORDS => {}
        _ if text.split(' ').next().is_some_and(is_saint) => mark(Mark::NameForm),
        _ if titles > 0 || given > 0 || initials > 0 && family > 0 => mark(Mark::Named),
        _ => mark(Mark::NameForm),
    }
}

/// What a word may be in a name; nothing if no name has it.
fn read(word: &str) -> Option<Word> {
    let bare = word.trim_end_matches('.');
    let lower = bare.to_lowercase();
    if TITLES.contains(&lower.as_str()) {
        return Some(Word::Title);
    }
    if PARTICLES.contains(&lower.as_str()) {
        return Some(Word::Particle);
    }
    let mut letters = bare.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    let is_short = bare.chars().filter(|c| c.is_alphabetic()).count() == 1;
    // Small letters only where the whole name is known.
    match is_capital {
        true if is_short => Some(Word::Initial),
        true if bare.contains('.') => {
            bare.split('.').all(|part| part.chars().count() == 1).then_some(Word::Initial)
        }
        _ if bare.split('-').any(is_given_name) => Some(Word::Given),
        _ if bare.split('-').any(is_family_name) => Some(Word::Family),
        true => Some(Word::Unknown),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::look;
    use super::super::{ColumnLook, Mark};

    fn mark_of(text: &str) -> Option<Mark> {
        let mut found = None;
        super::marks(text, &mut |mark| found = Some(mark));
        found
    }

    #[test]
    fn names_are_spelled_in_many_ways() {
        for name in [
            "Greta Koch",
            "Koch, Greta",
            "Dr. Wyzgol",
            "KOCH GRETA",
            "Prof. Dr. med. X. Ottenlips",
            "greta koch",
        ] {
            assert_eq!(mark_of(name), Some(Mark::Named), "{name}");
        }
        assert_eq!(mark_of("Anna-Lena von der Heide"), Some(Mark::Named));
        assert_eq!(mark_of("New York"), Some(Mark::NameForm));
        assert_eq!([mark_of("San Antonio"), mark_of("St. Louis")], [Some(Mark::NameForm); 2]);
        assert_eq!((mark_of("Greta"), mark_of("Kowalski")), (Some(Mark::Given), Some(Mark::Family)));
        for other in ["flu", "Room 7", "a, b, c", "blue green", "One Two Three Four Five", "Berlin"] {
            assert_eq!(mark_of(other), None, "{other}");
        }
    }

    #[test]
    fn columns_of_names() {
        assert_eq!(
            look(&["Koch, Greta", "Wyzgol, Ignaz", "Ottenlips, Xaver"]),
            Some(ColumnLook::PersonalName)
        );
        assert_eq!(look(&["Dr. Anna Müller", "Dr. Xaver Ottenlips"]), Some(ColumnLook::PersonalName));
        assert_eq!(look(&["Greta", "Jan", "Maria", "Ann", "Rosa", "Xyloph"]), Some(ColumnLook::PersonalName));
        assert_eq!(look(&["Koch", "Baker", "nurse"]), None, "trades are names, too");
    }
}
