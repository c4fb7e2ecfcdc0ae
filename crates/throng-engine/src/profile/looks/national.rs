//! Numbers of people and things that have check digits or a form of their own.

use super::{Check, Mark};

/// The marks of a value.
pub(super) fn marks(text: &str, mark: &mut impl FnMut(Mark)) {
    if is_social_security(text) {
        mark(Mark::Ssn);
    }
    let bare: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b' ' | b'-' | b'.' | b'/'))
        .map(|b| b.to_ascii_uppercase())
        .collect();
    if !bare.iter().all(u8::is_ascii_alphanumeric) || !bare.iter().any(u8::is_ascii_digit) {
        return;
    }
    let digits: Vec<u32> =
        bare.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u32::from(byte - b'0')).collect();
    if digits.len() == bare.len() {
        of_digits(&digits, mark);
    } else {
        of_letters(&bare, mark);
    }
}

fn of_digits(digits: &[u32], mark: &mut impl FnMut(Mark)) {
    let checks: [Check<[u32]>; 8] = [
        (Mark::Luhn, is_luhn),
        (Mark::SteuerId, is_steuer_id),
        (Mark::Pesel, is_pesel),
        (Mark::Cpf, is_cpf),
        (Mark::Bsn, is_bsn),
        (Mark::Nif, is_nif),
        (Mark::Nhs, is_nhs),
        (Mark::Nir, |digits| is_nir(digits, 0)),
    ];
    // One digit throughout passes most tests and is nobody's.
    if digits.iter().any(|digit| *digit != digits[0]) {
        checks.iter().filter(|(_, check)| check(digits)).for_each(|(found, _)| mark(*found));
    }
}

fn of_letters(bare: &[u8], mark: &mut impl FnMut(Mark)) {
    let checks: [Check<[u8]>; 6] = [
        (Mark::Kvnr, is_kvnr),
        (Mark::Rvnr, is_rvnr),
        (Mark::Dni, is_dni),
        (Mark::Fiscale, is_codice_fiscale),
        (Mark::Vin, is_vin),
        (Mark::Nir, is_corsican_nir),
    ];
    checks.iter().filter(|(_, check)| check(bare)).for_each(|(found, _)| mark(*found));
}

/// Whether text is spelled as a pattern: `9` is a digit, `A` a letter, anything else itself.
fn is_spelled(text: &[u8], pattern: &str) -> bool {
    text.len() == pattern.len()
        && text.iter().zip(pattern.bytes()).all(|(byte, as_in)| match as_in {
            b'9' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_alphabetic(),
            other => *byte == other,
        })
}

fn weighted(digits: &[u32], weights: impl IntoIterator<Item = u32>) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Cards, and devices (IMEI).
fn is_luhn(digits: &[u32]) -> bool {
    let double = |digit: u32| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let add = |(at, &digit): (usize, &u32)| if at % 2 == 1 { double(digit) } else { digit };
    (12..=19).contains(&digits.len()) && digits.iter().rev().enumerate().map(add).sum::<u32>() % 10 == 0
}

/// German tax numbers: ISO 7064 modulo 11 and 10, and one of the first ten digits occurs twice or thrice.
fn is_steuer_id(digits: &[u32]) -> bool {
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let times = |digit: u32| digits[..10].iter().filter(|other| **other == digit).count();
    let most = (0..10).map(times).max().unwrap_or(0);
    let product = digits[..10].iter().fold(10, |product, digit| {
        let sum = (digit + product) % 10;
        2 * if sum == 0 { 10 } else { sum } % 11
    });
    (2..=3).contains(&most) && (11 - product) % 10 == digits[10]
}

/// Polish numbers, which begin with a day of birth.
fn is_pesel(digits: &[u32]) -> bool {
    if digits.len() != 11 {
        return false;
    }
    let (month, day) = (10 * digits[2] + digits[3], 10 * digits[4] + digits[5]);
    let sum = weighted(&digits[..10], [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    (1..=12).contains(&(month % 20)) && (1..=31).contains(&day) && (10 - sum % 10) % 10 == digits[10]
}

/// Brazilian numbers, with two check digits.
fn is_cpf(digits: &[u32]) -> bool {
    let check = |count: usize| {
        let sum = weighted(&digits[..count], (2..=count as u32 + 1).rev());
        sum * 10 % 11 % 10
    };
    digits.len() == 11 && check(9) == digits[9] && check(10) == digits[10]
}

/// Dutch numbers.
fn is_bsn(digits: &[u32]) -> bool {
    digits.len() == 9 && {
        let sum = weighted(&digits[..8], (2..=9).rev());
        sum % 11 == digits[8] && sum > 0
    }
}

/// Portuguese numbers.
fn is_nif(digits: &[u32]) -> bool {
    digits.len() == 9 && digits[0] != 0 && digits[0] != 4 && {
        let rest = weighted(&digits[..8], (2..=9).rev()) % 11;
        digits[8] == if rest < 2 { 0 } else { 11 - rest }
    }
}

/// Numbers of the British health service.
fn is_nhs(digits: &[u32]) -> bool {
    digits.len() == 10 && (11 - weighted(&digits[..9], (2..=10).rev()) % 11) % 11 == digits[9]
}

/// French numbers, which begin with sex, year and month of birth and end with a key of two digits.
fn is_nir(digits: &[u32], less: u64) -> bool {
    if digits.len() != 15 || ![1, 2, 3, 4, 7, 8].contains(&digits[0]) {
        return false;
    }
    let number = digits[..13].iter().fold(0, |number: u64, digit| 10 * number + u64::from(*digit));
    let key = u64::from(10 * digits[13] + digits[14]);
    number > less && 97 - (number - less) % 97 == key
}

/// The same of people born on Corsica, whose department has a letter.
fn is_corsican_nir(bare: &[u8]) -> bool {
    let (is_south, is_north) = (is_spelled(bare, "999992A99999999"), is_spelled(bare, "999992B99999999"));
    if bare.get(6) == Some(&b'A') && is_south || bare.get(6) == Some(&b'B') && is_north {
        let digit = |byte: &u8| if byte.is_ascii_digit() { u32::from(byte - b'0') } else { 0 };
        let less = if bare[6] == b'A' { 1_000_000 } else { 2_000_000 };
        return is_nir(&bare.iter().map(digit).collect::<Vec<_>>(), less);
    }
    false
}

/// The digits of text in which a letter is two: A is 01.
fn letters_as_digits(bare: &[u8]) -> Vec<u32> {
    let digits = bare.iter().flat_map(|byte| match byte {
        b'0'..=b'9' => vec![u32::from(byte - b'0')],
        letter => vec![u32::from(letter - b'A' + 1) / 10, u32::from(letter - b'A' + 1) % 10],
    });
    digits.collect()
}

fn cross_sum(number: u32) -> u32 {
    number / 10 + number % 10
}

fn weighted_cross_sums(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| cross_sum(digit * weight)).sum()
}

/// Numbers of German health insurances.
fn is_kvnr(bare: &[u8]) -> bool {
    is_spelled(bare, "A999999999") && {
        let digits = letters_as_digits(bare);
        weighted_cross_sums(&digits[..10], &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 == digits[10]
    }
}

/// Numbers of the German pension insurance, which hold a day of birth and the first letter of a name.
fn is_rvnr(bare: &[u8]) -> bool {
    is_spelled(bare, "99999999A999") && {
        let digits = letters_as_digits(bare);
        weighted_cross_sums(&digits[..12], &[2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]) % 10 == digits[12]
    }
}

/// Spanish numbers of citizens and of foreigners, which begin with X, Y or Z.
fn is_dni(bare: &[u8]) -> bool {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let first = match bare.first() {
        Some(letter @ b'X'..=b'Z') => letter - b'X' + b'0',
        Some(digit) => *digit,
        None => return false,
    };
    let mut plain = bare.to_vec();
    plain[0] = first;
    is_spelled(&plain, "99999999A") && {
        let number = plain[..8].iter().fold(0_usize, |number, digit| 10 * number + usize::from(digit - b'0'));
        LETTERS[number % 23] == plain[8]
    }
}

/// Italian tax codes, by their form.
fn is_codice_fiscale(bare: &[u8]) -> bool {
    is_spelled(bare, "AAAAAA99A99A999A") && b"ABCDEHLMPRST".contains(&bare[8])
}

/// Vehicles, by their form: 17 letters and digits, without those that look alike, and a number at the end.
fn is_vin(bare: &[u8]) -> bool {
    bare.len() == 17
        && !bare.iter().any(|byte| b"IOQ".contains(byte))
        && bare[13..].iter().all(u8::is_ascii_digit)
        && bare[..3].iter().any(u8::is_ascii_alphabetic)
}

/// American numbers, by their form.
pub(super) fn is_social_security(text: &str) -> bool {
    let bytes = text.as_bytes();
    is_spelled(bytes, "999-99-9999")
        && bytes[0] != b'9'
        && !text.starts_with("000")
        && !text.starts_with("666")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, wanted: Mark) -> bool {
        let mut found = false;
        marks(text, &mut |mark| found |= mark == wanted);
        found
    }

    /// Examples that the bodies that give these numbers have published, and the same with one digit changed.
    #[test]
    fn check_digits_are_checked() {
        for (mark, right, wrong) in [
            (Mark::Luhn, "490154203237518", "490154203237519"),
            (Mark::Luhn, "4111 1111 1111 1111", "4111 1111 1111 1112"),
            (Mark::SteuerId, "86095742719", "86095742718"),
            (Mark::SteuerId, "65 929 970 489", "65 929 970 488"),
            (Mark::Kvnr, "A123456780", "A123456781"),
            (Mark::Rvnr, "15 070649 C 10 3", "15 070649 C 10 4"),
            (Mark::Dni, "12345678Z", "12345678A"),
            (Mark::Dni, "X1234567L", "X1234567M"),
            (Mark::Nir, "2 55 08 14 168 025 38", "2 55 08 14 168 025 39"),
            (Mark::Fiscale, "RSSMRA85T10A562S", "RSSMRA85F10A562S"),
            (Mark::Bsn, "111222333", "111222334"),
            (Mark::Pesel, "44051401359", "44051401358"),
            (Mark::Nif, "123456789", "123456780"),
            (Mark::Nhs, "943 476 5919", "943 476 5918"),
            (Mark::Cpf, "529.982.247-25", "529.982.247-26"),
            (Mark::Ssn, "123-45-6789", "923-45-6789"),
            (Mark::Vin, "1HGCM82633A004352", "1HGCM82633O004352"),
        ] {
            assert!(has(right, mark), "{right}");
            assert!(!has(wrong, mark), "{wrong}");
        }
    }
}
