//! People that a longer text speaks of: a telephone number after a diagnosis, a relative's name in a note.
//!
//! What is looked for has a form that ordinary categories lack, because a column is judged by few of its cells.

use std::borrow::Cow;

use super::contact::{is_email, is_phone, is_url};
use super::given::{is_family_name, is_given_name};
use super::names::is_saint;
use super::national::is_social_security;
use crate::profile::dates;
use crate::profile::words::plain_word;

/// What of a person a text holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::profile) enum Mention {
    /// Where somebody is reached or lives, a date of birth, a number of a person: hardly anything else looks so.
    Contact,
    /// A name, which a place or a firm may have, too.
    Name,
}

/// Bytes of a text that are looked at.
const MAX_BYTES: usize = 4_000;

/// Words before the name of somebody; what is as often something else (`Sr`, `Don`) is not among them.
const TITLES: [&str; 16] = [
    "herr", "herrn", "frau", "mr", "mrs", "ms", "dr", "prof", "mme", "mlle", "sra", "sig", "dhr", "mevr",
    "pani", "dott",
];

/// Words before a telephone number.
const PHONES: [&str; 12] = [
    "tel",
    "telefon",
    "telephone",
    "telefono",
    "telefone",
    "telefoon",
    "phone",
    "mobil",
    "mobile",
    "handy",
    "cell",
    "fax",
];

/// Words before a date of birth.
const BORN: [&str; 14] = [
    "geb",
    "geboren",
    "geburtsdatum",
    "born",
    "dob",
    "birth",
    "ne",
    "nee",
    "nacido",
    "nacida",
    "nato",
    "nata",
    "nascido",
    "ur",
];

/// What names of streets end in where the number follows.
const STREETS: [&str; 7] = ["str", "strasse", "weg", "allee", "gasse", "straat", "laan"];
/// The same of a street whose number comes first.
const ROADS: [&str; 6] = ["street", "road", "avenue", "lane", "boulevard", "drive"];
/// What names of streets begin with.
const RUES: [&str; 5] = ["rue", "calle", "avenida", "rua", "ulica"];

/// What a text holds of a person; contacts go before names.
pub(in crate::profile) fn mention(text: &str) -> Option<Mention> {
    let text = &*without_brackets(truncated(text.trim()));
    if !text.bytes().any(|byte| matches!(byte, b' ' | b'@' | b',' | b'\n' | b'\t')) {
        return None;
    }
    let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let is_contact = is_email(text)
        || is_url(text)
        || has_digits && (has_phone(text, &tokens) || has_address(&tokens) || has_birth(&tokens));
    match is_contact {
        true => Some(Mention::Contact),
        false => has_name(&tokens).then_some(Mention::Name),
    }
}

/// What stands in an object or a list of JSON, without its marks.
fn without_brackets(text: &str) -> Cow<'_, str> {
    match text.starts_with(['{', '[']) {
        true => Cow::Owned(text.replace(['{', '}', '[', ']', '"', ':'], " ")),
        false => Cow::Borrowed(text),
    }
}

/// The beginning of a text that is too long.
fn truncated(text: &str) -> &str {
    let end = (0..=MAX_BYTES.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// A word without the marks around it.
fn bare(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_one_of(token: &str, words: &[&str]) -> bool {
    words.contains(&plain_word(bare(token)).as_str())
}

/// Whether a word begins with a capital letter and goes on in small ones, as names do.
fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase)
        && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
}

/// Runs of digits and what stands between those of a telephone, or any number after a word for one.
fn has_phone(text: &str, tokens: &[&str]) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '/' | '(' | ')' | '+');
    let mut runs = text.split(|c: char| !is_part(c)).map(str::trim);
    let is_dated = |run: &str| {
        run.split(' ').any(|part| dates::read(part.trim_matches(['-', '/', '(', ')']).as_bytes()).is_some())
    };
    runs.any(|run| is_phone(run.trim_end_matches(['-', '/', '(', ' '])) && !is_dated(run))
        || tokens.iter().any(|token| is_social_security(bare(token)))
        || follows(tokens, &PHONES, 5)
}

/// Whether a number of so many digits comes right after one of some words.
fn follows(tokens: &[&str], words: &[&str], digits: usize) -> bool {
    (0..tokens.len()).any(|at| {
        let rest = tokens[at + 1..].iter().take(4);
        let count: usize = rest
            .take_while(|token| !token.chars().any(char::is_alphabetic))
            .map(|token| token.bytes().filter(u8::is_ascii_digit).count())
            .sum();
        count >= digits && is_one_of(tokens[at], words)
    })
}

fn has_address(tokens: &[&str]) -> bool {
    (0..tokens.len()).any(|at| {
        let word = plain_word(bare(tokens[at]));
        let before = at.checked_sub(1).map(|before| tokens[before]);
        let is_street = || {
            let is_end = |end: &str| word.len() > end.len() + 2 && word.ends_with(end);
            STREETS.iter().any(|end| is_end(end)) || is_one_of(tokens[at], &["str", "strasse"])
        };
        let is_road = || {
            let numbered = tokens[at.saturating_sub(4)..at].iter().any(|token| is_house_number(token));
            ROADS.contains(&word.as_str())
                && numbered
                && before.is_some_and(|name| is_capitalised(bare(name)))
        };
        let is_rue = || {
            let numbered = tokens[at + 1..].iter().take(6).any(|token| is_house_number(token));
            RUES.contains(&word.as_str()) && (numbered || before.is_some_and(is_house_number))
        };
        tokens.get(at + 1).is_some_and(|next| is_house_number(next)) && is_street() || is_road() || is_rue()
    })
}

/// One to four digits, perhaps with a letter.
fn is_house_number(token: &str) -> bool {
    let token = bare(token);
    let digits = token.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && token.len() - digits <= 1
}

/// A date after a word or a star for a birth.
fn has_birth(tokens: &[&str]) -> bool {
    (0..tokens.len()).any(|at| {
        let date =
            |token: &str| dates::read(token.trim_end_matches(['.', ',', ';', ')']).as_bytes()).is_some();
        let is_born = || at > 0 && tokens[at.saturating_sub(2)..at].iter().any(|word| is_one_of(word, &BORN));
        match tokens[at].trim_start_matches('(').strip_prefix('*') {
            Some("") => tokens.get(at + 1).is_some_and(|next| date(next)),
            Some(day) => date(day),
            None => date(tokens[at]) && is_born(),
        }
    })
}

/// A title and a name, or a given name beside another name.
fn has_name(tokens: &[&str]) -> bool {
    tokens.windows(2).enumerate().any(|(at, pair)| {
        let [first, second] = [bare(pair[0]), bare(pair[1])];
        if !is_capitalised(second) || !is_capitalised(first) {
            return false;
        }
        // `Müller, Anna` is a name; `Anna, Krankenhaus` are two things.
        let goes_on = !pair[0].ends_with([';', ':', '!', '?', '/', ')']);
        let is_title = || is_one_of(first, &TITLES) && second.chars().count() > 2;
        let is_place = || at > 0 && is_saint(tokens[at - 1]) || is_saint(first);
        let given_first = || is_given(first) && !pair[0].ends_with([',', '.']);
        let family_first = || is_given(second) && is_family(first);
        goes_on && (is_title() || !is_place() && (given_first() || family_first()))
    })
}

fn is_given(word: &str) -> bool {
    word.split('-').any(is_given_name)
}

fn is_family(word: &str) -> bool {
    word.split('-').any(is_family_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_in_a_text() {
        for text in [
            "Pneumonie, Tochter Anna Wyzgol 0171 2345678",
            "call 555-123-4567 after five",
            "Rückruf Tel. 23456",
            "mail to ann@example.org",
            "mail to ann@example.org.",
            "her address (ann@example.org)",
            "see mailto:ann@example.org",
            r#"{"ward":3,"mail":"ann@example.org"}"#,
            r#"["ann@example.org"]"#,
            "wohnt Lindenweg 5",
            "Hauptstr. 12a, 2. Stock",
            "lives at 12 Old Mill Road",
            "12 rue de la Paix",
            "geb. 12.03.1956",
            "Sohn (*04.11.1980)",
            "SSN 123-45-6789",
        ] {
            assert_eq!(mention(text), Some(Mention::Contact), "{text}");
        }
        for text in [
            "flu; wife Greta Ottenlips knows",
            "Herr Wyzgol kommt",
            "Koch, Anna",
            "spoke to Mrs. Ottenlips",
            r#"{"who":"Koch, Anna"}"#,
        ] {
            assert_eq!(mention(text), Some(Mention::Name), "{text}");
        }
    }

    #[test]
    fn ordinary_values_speak_of_nobody() {
        for text in [
            "Type 2 diabetes mellitus without complications",
            "Chronic obstructive pulmonary disease, unspecified",
            "Morbus Bechterew",
            "Non-Hodgkin lymphoma",
            "Guillain-Barré syndrome",
            "MS Schub",
            "St. Louis Encephalitis",
            "Paracetamol 500 mg 1-0-1",
            "01/02/2020 12:30",
            "from 01.02.2020 to 03.04.2020",
            "San Antonio Heights",
            "Santa Ana Pueblo",
            "Software Engineer",
            "Strongly agree",
            "United-States",
            "Station 3",
            "Zimmer 12, Bett 3",
            "7 120 350",
            "town of 4711",
            "{\"a\": 1, \"b\": [0]}",
            "Married-civ-spouse",
            "",
            "x",
        ] {
            assert_eq!(mention(text), None, "{text}");
        }
    }
}
