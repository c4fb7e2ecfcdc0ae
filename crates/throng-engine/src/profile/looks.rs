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

use serde::{Deserialize, Serialize};

pub(super) use inside::{Mention, mention};

/// Values that are looked at; more would say the same.
pub(super) const MAX_VALUES: u32 = 1 << 16;

/// What values look like that point to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnLook {
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

impl ColumnLook {
    /// Whether it is where somebody is rather than who.
    pub fn is_place(self) -> bool {
        self == ColumnLook::Coordinates
    }

    /// Whether two people hardly ever have the same.
    pub(super) fn is_of_one(self) -> bool {
        matches!(
            self,
            ColumnLook::Email
                | ColumnLook::NationalNumber
                | ColumnLook::CardNumber
                | ColumnLook::Iban
                | ColumnLook::Uuid
        )
    }

    /// What several are, in words.
    pub fn plural(self) -> &'static str {
        match self {
            ColumnLook::Email => "e-mail addresses",
            ColumnLook::IpAddress => "network addresses (IP)",
            ColumnLook::MacAddress => "device addresses (MAC)",
            ColumnLook::Url => "links",
            ColumnLook::Uuid => "random identifiers (UUID)",
            ColumnLook::Phone => "phone numbers",
            ColumnLook::Iban => "bank accounts (IBAN)",
            ColumnLook::NationalNumber => "national identification numbers",
            ColumnLook::CardNumber => "card or device numbers, with a check digit",
            ColumnLook::VehicleNumber => "vehicle numbers (VIN)",
            ColumnLook::Coordinates => "coordinates",
            ColumnLook::PersonalName => "names of people",
        }
    }
}

impl fmt::Display for ColumnLook {
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
struct LookRule {
    mark: Mark,
    look: ColumnLook,
    /// Least share of the values, in per cent.
    percent: u32,
    /// Values that must be there.
    least: u32,
}

const fn rule(mark: Mark, look: ColumnLook, percent: u32, least: u32) -> LookRule {
    LookRule { mark, look, percent, least }
}

/// In this order: what has a form of its own comes first.
const RULES: [LookRule; 23] = [
    rule(Mark::Email, ColumnLook::Email, 20, 1),
    rule(Mark::Url, ColumnLook::Url, 20, 1),
    rule(Mark::Uuid, ColumnLook::Uuid, 20, 1),
    rule(Mark::Iban, ColumnLook::Iban, 20, 1),
    rule(Mark::Mac, ColumnLook::MacAddress, 50, 1),
    rule(Mark::Ip, ColumnLook::IpAddress, 50, 2),
    rule(Mark::Fiscale, ColumnLook::NationalNumber, 50, 1),
    rule(Mark::Ssn, ColumnLook::NationalNumber, 80, 3),
    rule(Mark::Kvnr, ColumnLook::NationalNumber, 90, 4),
    rule(Mark::Dni, ColumnLook::NationalNumber, 90, 3),
    rule(Mark::Rvnr, ColumnLook::NationalNumber, 90, 3),
    rule(Mark::Nir, ColumnLook::NationalNumber, 90, 3),
    rule(Mark::SteuerId, ColumnLook::NationalNumber, 90, 8),
    rule(Mark::Pesel, ColumnLook::NationalNumber, 90, 8),
    rule(Mark::Cpf, ColumnLook::NationalNumber, 90, 4),
    rule(Mark::Bsn, ColumnLook::NationalNumber, 90, 10),
    rule(Mark::Nif, ColumnLook::NationalNumber, 90, 10),
    rule(Mark::Nhs, ColumnLook::NationalNumber, 90, 10),
    rule(Mark::Luhn, ColumnLook::CardNumber, 90, 10),
    rule(Mark::Vin, ColumnLook::VehicleNumber, 90, 3),
    rule(Mark::Phone, ColumnLook::Phone, 80, 5),
    rule(Mark::Coordinates, ColumnLook::Coordinates, 80, 3),
    rule(Mark::Given, ColumnLook::PersonalName, 50, 5),
];

/// The marks of a value, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ValueMarks(pub(super) u32);

impl ValueMarks {
    fn in_value(value: &[u8]) -> ValueMarks {
        let mut marks = 0;
        let mut mark = |mark: Mark| marks |= 1 << mark as u32;
        let Ok(text) = std::str::from_utf8(value) else { return ValueMarks::default() };
        let text = text.trim();
        // Nothing of what is looked for is shorter or longer.
        if !(2..=2_000).contains(&text.len()) {
            return ValueMarks::default();
        }
        contact::marks(text, &mut mark);
        if text.len() <= 64 {
            national::marks(text, &mut mark);
            names::marks(text, &mut mark);
        }
        ValueMarks(marks)
    }
}

/// The marks of a column's distinct values.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    counts: [u32; MARKS],
    values: u32,
    /// The marks of each value in the order of sight, if somebody wants them.
    listed: Option<Vec<ValueMarks>>,
}

impl Looks {
    /// Looks at a value; values that come again should not be shown again.
    pub(super) fn add(&mut self, value: &[u8]) {
        if self.values < MAX_VALUES {
            self.count_in(ValueMarks::in_value(value));
        }
    }

    fn count_in(&mut self, marks: ValueMarks) {
        self.values += 1;
        let mut left = marks.0 & ((1 << MARKS) - 1);
        while left != 0 {
            self.counts[left.trailing_zeros() as usize] += 1;
            left &= left - 1;
        }
        self.listed.iter_mut().for_each(|listed| listed.push(marks));
    }

    /// Those of values of which the marks are known.
    pub(super) fn of_marks(marks: impl Iterator<Item = ValueMarks>) -> Looks {
        let mut looks = Looks::default();
        marks.take(MAX_VALUES as usize).for_each(|marks| looks.count_in(marks));
        looks
    }

    /// Lists the marks of each value from now on.
    pub(super) fn list(&mut self) {
        self.listed = Some(Vec::new());
    }

    /// The marks of each value in the order of sight, as far as they were listed.
    pub(super) fn listed(&self) -> &[ValueMarks] {
        self.listed.as_deref().unwrap_or_default()
    }

    fn count(&self, mark: Mark) -> u32 {
        self.counts[mark as usize]
    }

    /// What the column looks like.
    pub(super) fn decide(&self) -> Option<ColumnLook> {
        let holds = |rule: &&LookRule| {
            let count = u64::from(self.count(rule.mark));
            count >= u64::from(rule.least) && 100 * count >= u64::from(rule.percent) * u64::from(self.values)
        };
        let known = RULES.iter().find(holds).map(|rule| rule.look);
        known.or_else(|| self.are_names().then_some(ColumnLook::PersonalName))
    }

    /// Whether most values are whole names of people.
    pub(super) fn has_whole_names(&self) -> bool {
        let whole = self.count(Mark::Named) + self.count(Mark::NameForm);
        self.decide() == Some(ColumnLook::PersonalName) && 2 * whole >= self.values
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

    pub(super) fn look(values: &[&str]) -> Option<ColumnLook> {
        let mut looks = Looks::default();
        values.iter().for_each(|value| looks.add(value.as_bytes()));
        looks.decide()
    }

    #[test]
    fn one_of_a_few_addresses_is_enough() {
        assert_eq!(look(&["ann@example.org", "none", "unknown"]), Some(ColumnLook::Email));
        assert_eq!(look(&["see https://example.org/ann", "-"]), Some(ColumnLook::Url));
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
