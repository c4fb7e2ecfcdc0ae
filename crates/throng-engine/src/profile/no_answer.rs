//! Codes that questionnaires have in place of an answer: `DK`, `refused`, 99, -9.
//!
//! A number is such a code only in a column of few values, where it lies far above or below all answers.

use super::words::plain_word;

/// Values of a question at most.
pub(super) const MAX_ANSWERS: u64 = 12;
/// Answers that are numbers are at most this.
const LARGEST_ANSWER: i64 = 11;
/// Numbers that stand for no answer.
const NUMBERS: [i64; 25] = [
    66, 77, 88, 96, 97, 98, 99, 666, 777, 888, 997, 998, 999, 7777, 8888, 9998, 9999, -1, -2, -3, -7, -8, -9,
    -98, -99,
];
/// Words that do, without accents.
const WORDS: [&str; 51] = [
    "dk",
    "rf",
    "ref",
    "nr",
    "ka",
    "ns",
    "nc",
    "nsp",
    "d/k",
    "dk/na",
    "dkna",
    "dont know",
    "don't know",
    "do not know",
    "refused",
    "refusal",
    "n.a.",
    "no answer",
    "no response",
    "not applicable",
    "unknown",
    "k.a.",
    "keine angabe",
    "weiss nicht",
    "ne sait pas",
    "sans reponse",
    "refus",
    "ns/nc",
    "no sabe",
    "no contesta",
    "non so",
    "non risponde",
    "weet niet",
    "geen antwoord",
    "nao sabe",
    "nao responde",
    "nie wiem",
    "trudno powiedziec",
    "odmowa",
    "unbekannt",
    "nicht bekannt",
    "inconnu",
    "desconocido",
    "sconosciuto",
    "onbekend",
    "desconhecido",
    "nieznany",
    "missing",
    "not known",
    "not stated",
    "not available",
];
/// The first of these are also names of countries, states and the like: they are codes only beside a scale.
const SHORT: usize = 8;
/// Characters of the longest, with room for spelling.
const LONGEST: usize = 20;
/// Values of a column, beyond which no number is looked at: it is no question.
const MOST_SEEN: u32 = 64;

/// Which of the codes some cells are, and the range of the other numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct NoAnswer {
    numbers: u32,
    words: u64,
    seen: u32,
    least: Option<i64>,
    greatest: Option<i64>,
}

impl NoAnswer {
    /// Looks at a cell.
    pub(super) fn see(&mut self, cell: &[u8]) {
        let bare = cell.trim_ascii();
        self.seen = self.seen.saturating_add(1);
        // Words may stand among any number of measurements.
        let is_word = bare.first().is_some_and(u8::is_ascii_alphabetic);
        if self.seen > MOST_SEEN && !is_word || bare.len() > LONGEST {
            return;
        }
        let Ok(text) = std::str::from_utf8(bare) else { return };
        match text.parse::<i64>() {
            Ok(number) => self.note_number(number),
            Err(_) => {
                let word = plain_word(text);
                let at = WORDS.iter().position(|known| **known == *word);
                self.words |= at.map_or(0, |at| 1 << at);
            }
        }
    }

    /// Looks at a number.
    pub(super) fn see_number(&mut self, number: i64) {
        self.seen = self.seen.saturating_add(1);
        if self.seen <= MOST_SEEN {
            self.note_number(number);
        }
    }

    fn note_number(&mut self, number: i64) {
        match NUMBERS.iter().position(|&known| known == number) {
            Some(at) => self.numbers |= 1 << at,
            None => {
                self.least = Some(self.least.map_or(number, |least| least.min(number)));
                self.greatest = Some(self.greatest.map_or(number, |greatest| greatest.max(number)));
            }
        }
    }

    /// The words that stand for no answer where all else is numbers.
    pub(super) fn words_among_numbers(&self) -> Vec<String> {
        (0..WORDS.len()).filter(|at| self.words >> at & 1 == 1).map(spelled).collect()
    }

    /// The codes, if the answers of a column with so many values leave no doubt that they are; `is_question` if yes and no
    /// are among them.
    pub(super) fn codes(&self, distinct: u64, is_question: bool) -> Vec<String> {
        if distinct > MAX_ANSWERS {
            return Vec::new();
        }
        let is_scale = self.least.is_some_and(|least| least >= 0)
            && self.greatest.is_some_and(|greatest| greatest <= LARGEST_ANSWER);
        let numbers = (0..NUMBERS.len()).filter(|&at| is_scale && self.numbers >> at & 1 == 1);
        let is_known = |&at: &usize| self.words >> at & 1 == 1 && (is_scale || is_question || at >= SHORT);
        let words = (0..WORDS.len()).filter(is_known);
        let mut codes: Vec<String> = numbers.map(|at| NUMBERS[at].to_string()).collect();
        codes.extend(words.map(spelled));
        codes
    }
}

/// A word as it is usually written.
fn spelled(at: usize) -> String {
    if at < SHORT { WORDS[at].to_uppercase() } else { WORDS[at].to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(cells: &[&str]) -> Vec<String> {
        let mut seen = NoAnswer::default();
        cells.iter().for_each(|cell| seen.see(cell.as_bytes()));
        seen.codes(cells.len() as u64, cells.contains(&"yes"))
    }

    #[test]
    fn codes_beside_a_scale_are_found() {
        assert_eq!(codes(&["1", "2", "3", "4", "5", "99", "DK"]), ["99", "DK"]);
        assert_eq!(codes(&["0", "10", "-9", "-1"]), ["-1", "-9"]);
        assert_eq!(codes(&["yes", "no", "DK"]), ["DK"]);
        assert_eq!(codes(&["ja", "nein", "weiß nicht"]), ["weiss nicht"]);
    }

    #[test]
    fn words_among_many_numbers_are_found() {
        let mut seen = NoAnswer::default();
        (0..500).for_each(|at| seen.see(format!("{},{}", at, at % 7).as_bytes()));
        seen.see(b"Unbekannt");
        assert_eq!(seen.words_among_numbers(), ["unbekannt"]);
    }

    #[test]
    fn numbers_among_others_like_them_are_answers() {
        assert_eq!(codes(&["66", "77", "88", "90"]), <[&str; 0]>::default());
        assert_eq!(codes(&["DE", "DK", "NC"]), <[&str; 0]>::default(), "countries and states");
        assert_eq!(codes(&["-5", "-1", "3"]), <[&str; 0]>::default());
        let many: Vec<String> = (0..20).map(|at| at.to_string()).chain(["99".to_owned()]).collect();
        assert_eq!(codes(&many.iter().map(String::as_str).collect::<Vec<_>>()), <[&str; 0]>::default());
    }
}
