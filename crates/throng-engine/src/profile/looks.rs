//! What values look like, whatever their column is called: names of people, e-mail addresses, national numbers.
//!
//! Each distinct value is looked at on its own, and a few *marks* are counted; no value is kept. A column looks like
//! something if enough of its values do. Numbers are many, and one in ten or eleven passes a test of check digits by
//! chance, so nearly all of several must; what has a form that nothing else has, such as an e-mail address, may be
//! rarer.

mod contact;
mod given;
mod inside;
mod names;
mod national;

use std::fmt;

pub(super) use inside::{Mention, mention};

/// Values that are looked at; more would say the same.
const MAX_VALUES: u32 = 1 << 16;

/// What values look like that point to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// `ann@example.org`.
    Email,
    /// An internet address of a machine, of version 4 or 6.
    IpAddress,
    /// The address of a network card.
    MacAddress,
    /// `https://…`.
    Url,
    /// 128 bits in hexadecimal digits.
    Uuid,
    /// A telephone number.
    Phone,
    /// A bank account.
    Iban,
    /// A number of a person that a state or an insurance gives.
    NationalNumber,
    /// A number with the check digit of cards and devices.
    CardNumber,
    /// A vehicle's number.
    VehicleNumber,
    /// A point on the earth.
    Coordinates,
    /// A name of a person, whole or in part.
    PersonalName,
}

impl Look {
    /// Whether it is where somebody is rather than who.
    pub fn is_place(self) -> bool {
        self == Look::Coordinates
    }

    /// Whether two people hardly ever have the same.
    pub(super) fn is_of_one(self) -> bool {
        matches!(self, Look::Email | Look::NationalNumber | Look::CardNumber | Look::Iban | Look::Uuid)
    }

    /// What several are, in words.
    pub fn plural(self) -> &'static str {
        match self {
            Look::Email => "e-mail addresses",
            Look::IpAddress => "addresses of machines (IP)",
            Look::MacAddress => "addresses of devices (MAC)",
            Look::Url => "links",
            Look::Uuid => "random identifiers (UUID)",
            Look::Phone => "phone numbers",
            Look::Iban => "bank accounts (IBAN)",
            Look::NationalNumber => "national numbers of people",
            Look::CardNumber => "numbers of cards or devices, with a check digit",
            Look::VehicleNumber => "numbers of vehicles (VIN)",
            Look::Coordinates => "coordinates",
            Look::PersonalName => "names of people",
        }
    }
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())
    }
}

/// What a value may be; one may be several things at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Mark {
    Email,
    Ip,
    Mac,
    Url,
    Uuid,
    Phone,
    Iban,
    Luhn,
    SteuerId,
    Kvnr,
    Rvnr,
    Dni,
    Nir,
    Fiscale,
    Bsn,
    Pesel,
    Nif,
    Ssn,
    Nhs,
    Cpf,
    Vin,
    Coordinates,
    /// Two to four words as a name has them, with and without one that is known to be a person's.
    NameForm,
    Named,
    /// One word: a given name, a family name.
    Given,
    Family,
}

const MARKS: usize = Mark::Family as usize + 1;

/// A mark, and what has it.
type Check<T> = (Mark, fn(&T) -> bool);

/// When so many values of a mark make the look of a column.
struct Rule {
    mark: Mark,
    look: Look,
    /// Least share of the values, in per cent.
    percent: u32,
    /// Values that must be there.
    least: u32,
}

const fn rule(mark: Mark, look: Look, percent: u32, least: u32) -> Rule {
    Rule { mark, look, percent, least }
}

/// In this order: what has a form of its own comes first.
const RULES: [Rule; 23] = [
    rule(Mark::Email, Look::Email, 20, 1),
    rule(Mark::Url, Look::Url, 20, 1),
    rule(Mark::Uuid, Look::Uuid, 20, 1),
    rule(Mark::Iban, Look::Iban, 20, 1),
    rule(Mark::Mac, Look::MacAddress, 50, 1),
    rule(Mark::Ip, Look::IpAddress, 50, 2),
    rule(Mark::Fiscale, Look::NationalNumber, 50, 1),
    rule(Mark::Ssn, Look::NationalNumber, 80, 3),
    rule(Mark::Kvnr, Look::NationalNumber, 90, 4),
    rule(Mark::Dni, Look::NationalNumber, 90, 3),
    rule(Mark::Rvnr, Look::NationalNumber, 90, 3),
    rule(Mark::Nir, Look::NationalNumber, 90, 3),
    rule(Mark::SteuerId, Look::NationalNumber, 90, 8),
    rule(Mark::Pesel, Look::NationalNumber, 90, 8),
    rule(Mark::Cpf, Look::NationalNumber, 90, 4),
    rule(Mark::Bsn, Look::NationalNumber, 90, 10),
    rule(Mark::Nif, Look::NationalNumber, 90, 10),
    rule(Mark::Nhs, Look::NationalNumber, 90, 10),
    rule(Mark::Luhn, Look::CardNumber, 90, 10),
    rule(Mark::Vin, Look::VehicleNumber, 90, 3),
    rule(Mark::Phone, Look::Phone, 80, 5),
    rule(Mark::Coordinates, Look::Coordinates, 80, 3),
    rule(Mark::Given, Look::PersonalName, 50, 5),
];

/// The marks of a column's distinct values.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    counts: [u32; MARKS],
    values: u32,
}

impl Looks {
    /// Looks at a value; values that come again should not be shown again.
    pub(super) fn add(&mut self, value: &[u8]) {
        if self.values >= MAX_VALUES {
            return;
        }
        self.values += 1;
        let counts = &mut self.counts;
        let mut mark = |mark: Mark| counts[mark as usize] += 1;
        let Ok(text) = std::str::from_utf8(value) else { return };
        let text = text.trim();
        // Nothing of what is looked for is shorter or longer.
        if !(2..=2_000).contains(&text.len()) {
            return;
        }
        contact::marks(text, &mut mark);
        if text.len() <= 64 {
            national::marks(text, &mut mark);
            names::marks(text, &mut mark);
        }
    }

    fn count(&self, mark: Mark) -> u32 {
        self.counts[mark as usize]
    }

    /// What the column looks like.
    pub(super) fn decide(&self) -> Option<Look> {
        let holds = |rule: &&Rule| {
            let count = u64::from(self.count(rule.mark));
            count >= u64::from(rule.least) && 100 * count >= u64::from(rule.percent) * u64::from(self.values)
        };
        let known = RULES.iter().find(holds).map(|rule| rule.look);
        known.or_else(|| self.are_names().then_some(Look::PersonalName))
    }

    /// Whether most values are whole names of people.
    pub(super) fn has_whole_names(&self) -> bool {
        let whole = self.count(Mark::Named) + self.count(Mark::NameForm);
        self.decide() == Some(Look::PersonalName) && 2 * whole >= self.values
    }

    /// Names have the form of one, and a good part of them has a word that is known to be one: `New York` has the
    /// form, too.
    fn are_names(&self) -> bool {
        let (named, form) = (self.count(Mark::Named), self.count(Mark::Named) + self.count(Mark::NameForm));
        let (family, values) = (self.count(Mark::Family), self.values);
        let alone = self.count(Mark::Given) + family;
        let whole = named >= 1 && 4 * named >= values && 5 * (form + alone) >= 4 * values;
        whole || family >= 10 && 5 * alone >= 2 * values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn look(values: &[&str]) -> Option<Look> {
        let mut looks = Looks::default();
        values.iter().for_each(|value| looks.add(value.as_bytes()));
        looks.decide()
    }

    #[test]
    fn one_of_a_few_addresses_is_enough() {
        assert_eq!(look(&["ann@example.org", "none", "unknown"]), Some(Look::Email));
        assert_eq!(look(&["see https://example.org/ann", "-"]), Some(Look::Url));
        assert_eq!(look(&["@", "a@b", "@example.org", "ann at example"]), None);
    }

    #[test]
    fn ordinary_columns_look_like_nobody() {
        let numbers: Vec<String> = (0..500).map(|n| (123_456_789 + n * 7_919_u64).to_string()).collect();
        let amounts: Vec<String> = (0..500).map(|n| format!("{}.{:02}", n * 37 % 900, n % 100)).collect();
        for values in [numbers, amounts] {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            assert_eq!(look(&values), None);
        }
        for values in [
            &["New York", "Los Angeles", "San Jose", "Santa Fe", "Baton Rouge"][..],
            &["Software Engineer", "Data Scientist", "Head Nurse", "Truck Driver"],
            &["male", "female"],
            &["Blue Cross", "Red Cross", "Green Shield"],
            &["January", "February", "March", "April", "May", "June", "July"],
            &["1.2.3", "1.2.4", "2.0.0"],
            &["2024-03-17", "17.03.2024"],
            &["Berlin", "Paris", "Madrid", "Victoria", "Roma", "Lodz", "Kiel"],
            &["J20.1", "E11.9", "I10.0"],
        ] {
            assert_eq!(look(values), None, "{values:?}");
        }
    }
}
