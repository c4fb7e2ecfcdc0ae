//! The words of a column's name.

/// The words of a column's name, in lower case: `birthDate`, `BIRTH-DATE` and `birth date` have
/// the same two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

/// Words of names whose numbers are codes.
const CODES: &str = "zip, zipcode, postal, postcode, plz, code, fips, icd, phone, telephone, ssn, cpt";

impl Words {
    /// The words of a name.
    pub(super) fn of(name: &str) -> Words {
        let mut words = vec![String::new()];
        let mut before = ' ';
        for c in name.chars() {
            let begins = c.is_uppercase() && before.is_lowercase() || c.is_numeric() != before.is_numeric();
            if begins || !c.is_alphanumeric() {
                words.push(String::new());
            }
            if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
                word.extend(c.to_lowercase());
            }
            before = c;
        }
        words.retain(|word| !word.is_empty());
        Words(words)
    }

    /// Whether the name has a phrase: its words in a row, or run together as one.
    pub(super) fn have(&self, phrase: &str) -> bool {
        let parts: Vec<&str> = phrase.split(' ').collect();
        let joined = parts.concat();
        self.0.contains(&joined) || self.0.windows(parts.len()).any(|words| words.iter().eq(parts.iter()))
    }

    /// The first phrase that the name has, of several with commas between them.
    pub(super) fn find(&self, phrases: &'static str) -> Option<&'static str> {
        phrases.split(", ").find(|phrase| self.have(phrase))
    }

    /// The first word that the name ends in, of several with commas between them.
    pub(super) fn end_in(&self, words: &'static str) -> Option<&'static str> {
        let last = self.0.last()?;
        words.split(", ").find(|word| last == word)
    }

    /// Like [`Words::end_in`], but digits may follow (`card_no2`), and a word for a number may be
    /// joined to what it numbers (`loannumber`).
    pub(super) fn end_in_number_of(&self, words: &'static str) -> Option<&'static str> {
        let digits = |word: &&String| word.chars().all(char::is_numeric);
        let last = self.0.iter().rev().find(|word| !digits(word))?;
        let joined = |word: &str| matches!(word, "number" | "nummer") && last.ends_with(word);
        words.split(", ").find(|word| last == word || joined(word))
    }

    /// Whether numbers below such a name are codes.
    pub(super) fn speak_of_codes(&self) -> bool {
        self.find(CODES).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        let words = |name: &str| Words::of(name).0;
        for name in ["birthDate", "BIRTH-DATE", "birth date", "birth_date", " Birth.Date "] {
            assert_eq!(words(name), ["birth", "date"], "{name}");
        }
        assert_eq!(words("address2"), ["address", "2"]);
        assert_eq!(words("patientID"), ["patient", "id"]);
        assert_eq!(words("Größe"), ["größe"]);
        assert!(words("").is_empty() && words("__").is_empty());
    }

    #[test]
    fn phrases_are_found_whole() {
        let zip = Words::of("home_zip_code");
        assert!(zip.have("zip code") && zip.have("zip") && !zip.have("ip") && !zip.have("code zip"));
        assert!(Words::of("zipcode").have("zip code"));
        assert_eq!(zip.find("name, zip"), Some("zip"));
        assert_eq!((zip.end_in("code"), zip.end_in("zip")), (Some("code"), None));
        let number = |name: &str| Words::of(name).end_in_number_of("no, number");
        assert_eq!(
            ["loan_no", "card no. 2", "LoanNumber"].map(number),
            [Some("no"), Some("no"), Some("number")]
        );
        assert_eq!(["loannumber2", "no_loan", "piano", "7"].map(number), [Some("number"), None, None, None]);
        assert!(zip.speak_of_codes() && !Words::of("age").speak_of_codes());
    }
}
