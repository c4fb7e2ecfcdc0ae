//! The words of a column's name.

/// The words of a column's name, in lower case and without accents: `birthDate`, `BIRTH-DATE` and `birth date` have
/// the same two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

/// Words of names whose numbers are codes.
const CODES: &str =
    "zip*, postal*, postcode*, plz, code, codice, codigo, kod, fips, icd*, *phone, telefon*, ssn, cpt, cap";

impl Words {
    /// The words of a name.
    pub(super) fn in_name(name: &str) -> Words {
        let mut words = vec![String::new()];
        let letters: Vec<char> = name.chars().collect();
        let mut before = ' ';
        for (at, &c) in letters.iter().enumerate() {
            // `patientID` has two words, and so has `IPAddress`.
            let ends_capitals =
                before.is_uppercase() && letters.get(at + 1).is_some_and(|c| c.is_lowercase());
            let begins = c.is_uppercase() && (before.is_lowercase() || ends_capitals)
                || c.is_numeric() != before.is_numeric();
            if begins || !c.is_alphanumeric() {
                words.push(String::new());
            }
            if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
                c.to_lowercase().for_each(|c| plain(c, word));
            }
            before = c;
        }
        words.retain(|word| !word.is_empty());
        Words(words)
    }

    /// Whether the name has a phrase: its words in a row, or run together as one.
    ///
    /// A star stands for any letters (`*name` is in `Kundenname`); a phrase after `=` is the whole name.
    pub(super) fn have(&self, phrase: &str) -> bool {
        let (whole, phrase) = phrase.strip_prefix('=').map_or((false, phrase), |phrase| (true, phrase));
        let parts: Vec<&str> = phrase.split(' ').collect();
        let fits = |words: &[String]| words.iter().zip(&parts).all(|(word, part)| matches(word, part));
        let in_a_row = || self.0.windows(parts.len()).any(fits);
        let joined = || parts.len() > 1 && self.0.iter().any(|word| matches(word, &parts.concat()));
        match whole {
            true => self.0.len() == parts.len() && fits(&self.0),
            false => in_a_row() || joined(),
        }
    }

    /// The first phrase that the name has, of several with commas between them; without its stars.
    pub(super) fn find(&self, phrases: &'static str) -> Option<&'static str> {
        let phrase = phrases.split(", ").find(|phrase| self.have(phrase))?;
        Some(phrase.trim_matches(['*', '=']))
    }

    /// The name without its numbers, if it has any.
    pub(super) fn without_number(&self) -> Option<String> {
        let is_number = |word: &&String| word.chars().all(char::is_numeric);
        let words: Vec<&str> = self.0.iter().filter(|word| !is_number(word)).map(String::as_str).collect();
        (words.len() < self.0.len()).then(|| words.join(" "))
    }

    /// The first word of a name that has more.
    pub(super) fn first_of_several(&self) -> Option<&str> {
        self.0.first().filter(|_| !self.is_one()).map(String::as_str)
    }

    /// Whether the name is one word.
    pub(super) fn is_one(&self) -> bool {
        self.0.len() == 1
    }

    /// The name without its first word.
    pub(super) fn after_first(&self) -> Words {
        Words(self.0.iter().skip(1).cloned().collect())
    }

    /// The name with the ending of its last word that is one of these words split from it (`subjid`), if it has one
    /// and digits aside; what is before it comes alone.
    pub(super) fn before_ending(&self, endings: &'static str) -> Option<Words> {
        let last = self.0.iter().rposition(|word| !word.chars().all(char::is_numeric))?;
        let rest = |ending: &str| self.0[last].strip_suffix(ending).filter(|rest| !rest.is_empty());
        let rest = endings.split(", ").find_map(rest)?;
        Some(Words(self.0[..last].iter().cloned().chain([rest.to_owned()]).collect()))
    }

    /// The first word that the name ends in, of several with commas between them.
    pub(super) fn end_in(&self, words: &'static str) -> Option<&'static str> {
        let last = self.0.last()?;
        words.split(", ").find(|word| matches(last, word)).map(|word| word.trim_matches('*'))
    }

    /// The first word that the name begins with, of several with commas between them.
    pub(super) fn begin_with(&self, words: &'static str) -> Option<&'static str> {
        let first = self.0.first()?;
        words.split(", ").find(|word| matches(first, word)).map(|word| word.trim_matches('*'))
    }

    /// Like [`Words::end_in`], but digits may follow (`card_no2`).
    pub(super) fn end_in_number_of(&self, words: &'static str) -> Option<&'static str> {
        let digits = |word: &&String| word.chars().all(char::is_numeric);
        let last = self.0.iter().rev().find(|word| !digits(word))?;
        words.split(", ").find(|word| matches(last, word)).map(|word| word.trim_matches('*'))
    }

    /// Whether numbers below such a name are codes.
    pub(super) fn speak_of_codes(&self) -> bool {
        self.find(CODES).is_some()
    }
}

/// Whether a word fits a pattern, in which a star at an end stands for any letters.
fn matches(word: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (None, None) => word == pattern,
        (Some(end), None) => word.ends_with(end),
        (None, Some(start)) => word.starts_with(start),
        (Some(_), Some(_)) => word.contains(pattern.trim_matches('*')),
    }
}

/// A word in small letters, without accents.
pub(super) fn plain_word(word: &str) -> String {
    let mut plain_word = String::with_capacity(word.len());
    word.chars().flat_map(char::to_lowercase).for_each(|c| plain(c, &mut plain_word));
    plain_word
}

/// A letter without its accent.
fn plain(c: char, word: &mut String) {
    let letter = match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' | 'ă' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è' | 'é' | 'ê' | 'ë' | 'ę' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ś' | 'š' => 's',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ź' | 'ż' | 'ž' => 'z',
        'ß' => return word.push_str("ss"),
        // Combining accents, as some files have them.
        '\u{300}'..='\u{36f}' => return,
        other => other,
    };
    word.push(letter);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        let words = |name: &str| Words::in_name(name).0;
        for name in ["birthDate", "BIRTH-DATE", "birth date", "birth_date", " Birth.Date "] {
            assert_eq!(words(name), ["birth", "date"], "{name}");
        }
        assert_eq!(words("address2"), ["address", "2"]);
        assert_eq!(words("patientID"), ["patient", "id"]);
        assert_eq!(words("Größe"), ["grosse"]);
        assert_eq!(words("IPAddress"), ["ip", "address"]);
        assert_eq!(words("prénom"), words("PRENOM"));
        assert_eq!(words("płeć"), ["plec"]);
        assert!(words("").is_empty() && words("__").is_empty());
    }

    #[test]
    fn phrases_are_found_whole() {
        let zip = Words::in_name("home_zip_code");
        assert!(zip.have("zip code") && zip.have("zip") && !zip.have("ip") && !zip.have("code zip"));
        assert!(Words::in_name("zipcode").have("zip code"));
        assert_eq!(zip.find("name, zip"), Some("zip"));
        assert_eq!((zip.end_in("code"), zip.end_in("zip")), (Some("code"), None));
        let number = |name: &str| Words::in_name(name).end_in_number_of("no, *number");
        assert_eq!(
            ["loan_no", "card no. 2", "LoanNumber"].map(number),
            [Some("no"), Some("no"), Some("number")]
        );
        assert_eq!(["loannumber2", "no_loan", "piano", "7"].map(number), [Some("number"), None, None, None]);
        let has = |name: &str, phrase: &str| Words::in_name(name).have(phrase);
        assert!(has("Kundenname", "*name") && has("name", "*name") && !has("named", "*name"));
        assert!(has("Strassenname", "strasse*") && has("via", "=via") && !has("sent via", "=via"));
        assert!(has("date_de_naissance", "date de naiss*") && has("lieuNaissance", "lieu naiss*"));
        assert_eq!(Words::in_name("usubjid2").before_ending("no, id").unwrap().0, ["usubj"]);
        assert!(zip.speak_of_codes() && !Words::in_name("age").speak_of_codes());
    }
}
