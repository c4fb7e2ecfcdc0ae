//! Which spellings are one sensitive value.
//!
//! People type the same diagnosis in several ways. A class of `HIV`, `hiv` and `HIV ` tells what its rows have, so these
//! are one value: white space around a text and how much of it is between words do not count, nor do upper and lower
//! case, nor how Unicode composes a letter, nor characters that nobody sees. What is empty then is missing, and so are the
//! codes that programs write for a value that is not there: a class of `HIV` and `NA` tells what its rows have, too.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// What programs write in the place of a value that is missing, folded. Words that may be an answer, such as `none`, are not
/// among them.
const MISSING: [&str; 6] = ["?", "NA", "N/A", "#N/A", "NAN", "NULL"];

/// The text by which a sensitive value is compared; equal for all spellings of it, and empty if it is missing.
pub fn folded(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_folded) {
        return Cow::Borrowed(unless_missing(text));
    }
    let seen: String = text.chars().filter(|&c| !is_unseen(c)).collect();
    let words = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_ascii() {
        return Cow::Owned(unless_missing(&words.to_ascii_uppercase()).to_owned());
    }
    // Lower case first: a capital sharp s has no upper case, its small letter has one, SS.
    let cased = words.nfd().collect::<String>().to_lowercase().to_uppercase();
    Cow::Owned(cased.nfc().collect())
}

fn unless_missing(folded: &str) -> &str {
    if MISSING.contains(&folded) { "" } else { folded }
}

/// Whether nobody sees a character: soft hyphens, spaces without a width, joiners, marks of direction and of byte order.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Whether a byte is one of a text that is folded already, if all are: no space, no letter but capitals.
fn is_folded(byte: u8) -> bool {
    byte.is_ascii_graphic() && !byte.is_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value_are_the_same() {
        let groups: [&[&str]; 7] = [
            &["HIV", "hiv", "HIV ", " Hiv", "\u{a0}hiv\t", "H\u{200b}IV", "\u{feff}hiv", "HI\u{ad}V"],
            &["heart failure", "Heart  Failure", "HEART\nFAILURE"],
            &["Übelkeit", "U\u{308}belkeit", "übelkeit", "ÜBELKEIT"],
            &["Straße", "STRASSE", "STRAẞE", "strasse"],
            &["ΟΔΟΣ", "οδος", "οδοσ"],
            &["", " ", "\u{2003}", "\u{200b}", "?", "NaN", "nan", " null ", "n/a", "#N/A", "NA"],
            &["\u{212a}", "k", "K"],
        ];
        for (at, group) in groups.iter().enumerate() {
            for text in *group {
                assert_eq!(folded(text), folded(group[0]), "{text:?}");
                assert_eq!(folded(&folded(text)), folded(text), "{text:?}");
                let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
                others.for_each(|(_, other)| assert_ne!(folded(text), folded(other[0]), "{text:?}"));
            }
        }
    }

    #[test]
    fn what_differs_in_more_than_spelling_stays_apart() {
        for (a, b) in [
            ("HIV-1", "HIV-2"),
            ("a b", "ab"),
            ("1.0", "1"),
            ("é", "e"),
            ("-1", "1"),
            ("", "none"),
            ("", "-"),
        ] {
            assert_ne!(folded(a), folded(b));
        }
        assert!(matches!(folded("F32.1"), Cow::Borrowed("F32.1")), "nothing to do");
    }
}
