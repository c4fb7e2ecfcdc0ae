//! Addresses of people and of their machines.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Check, Mark};

/// The marks of a value.
pub(super) fn marks(text: &str, mark: &mut impl FnMut(Mark)) {
    let checks: [Check<str>; 8] = [
        (Mark::Email, is_email),
        (Mark::Url, is_url),
        (Mark::Ip, is_ip),
        (Mark::Mac, is_mac),
        (Mark::Uuid, is_uuid),
        (Mark::Phone, is_phone),
        (Mark::Iban, is_iban),
        (Mark::Coordinates, is_point),
    ];
    checks.iter().filter(|(_, check)| check(text)).for_each(|(found, _)| mark(*found));
}

pub(super) fn is_email(text: &str) -> bool {
    let is_between = |c: char| c.is_whitespace() || "<>()[]{}\"';:,|".contains(c);
    let mut words = text.split(is_between).map(|word| word.trim_end_matches(['.', '!', '?']));
    text.contains('@')
        && words.any(|word| {
            word.split_once('@').is_some_and(|(user, host)| {
                let is_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
                let end = host.rsplit_once('.').is_some_and(|(name, end)| !name.is_empty() && end.len() >= 2);
                !user.is_empty() && end && host.chars().all(is_host)
            })
        })
}

pub(super) fn is_url(text: &str) -> bool {
    ["http://", "https://", "www.", "ftp://"].iter().any(|start| text.contains(start))
}

fn is_ip(text: &str) -> bool {
    let dots = text.bytes().filter(|&byte| byte == b'.').count();
    dots == 3 && text.parse::<Ipv4Addr>().is_ok() || text.contains(':') && text.parse::<Ipv6Addr>().is_ok()
}

fn is_mac(text: &str) -> bool {
    let pairs = |between: char| {
        let parts = text.split(between);
        text.len() == 17 && parts.filter(|part| part.len() == 2 && is_hex(part)).count() == 6
    };
    pairs(':') || pairs('-')
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let bare = text.trim_matches(['{', '}']);
    bare.len() == 36 && bare.split('-').map(str::len).eq(lengths) && bare.split('-').all(is_hex)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A number with the sign of a country, a leading zero or groups as a telephone's; not a date or a decimal.
pub(super) fn is_phone(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '/' | '(' | ')' | '.' | '+');
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if !text.chars().all(is_part) || !(7..=15).contains(&digits) {
        return false;
    }
    let groups: Vec<usize> =
        text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|&len| len > 0).collect();
    let plus = text.starts_with('+') || text.starts_with("00") && digits >= 11;
    let with_area = text.starts_with(['0', '(']) && !text.contains('.') && (9..=13).contains(&digits);
    plus && !text[1..].contains('+') || with_area || groups == [3, 3, 4]
}

/// The numbers of a country's accounts, with spaces or without: the rest by 97 is 1.
fn is_iban(text: &str) -> bool {
    let bare: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let is_framed = |bare: &[u8]| {
        bare[..2].iter().all(u8::is_ascii_alphabetic) && bare[2..4].iter().all(u8::is_ascii_digit)
    };
    if !(15..=34).contains(&bare.len()) || !bare.iter().all(u8::is_ascii_alphanumeric) || !is_framed(&bare) {
        return false;
    }
    let turned = bare[4..].iter().chain(&bare[..4]);
    let rest = turned.fold(0_u64, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u64::from(byte - b'0')) % 97,
        letter => (rest * 100 + u64::from(letter.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    rest == 1
}

/// Two decimals, of which the first is a latitude and the second a longitude.
fn is_point(text: &str) -> bool {
    let bare = text.trim_matches(['(', ')', '[', ']']);
    let Some((north, east)) = bare.split_once([',', ';', ' ']) else { return false };
    let read = |part: &str, most: f64| {
        let part = part.trim();
        let places = part.split_once('.').map_or(0, |(_, places)| places.len());
        places >= 3 && part.parse::<f64>().is_ok_and(|number| number.abs() <= most)
    };
    read(north, 90.0) && read(east, 180.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_recognised() {
        let all = |check: fn(&str) -> bool, yes: &[&str], no: &[&str]| {
            yes.iter().for_each(|text| assert!(check(text), "{text}"));
            no.iter().for_each(|text| assert!(!check(text), "{text}"));
        };
        all(is_email, &["a.b@mail.example.org", "Ann <ann@example.org>"], &["a@b", "@x.org", "a b"]);
        all(is_ip, &["192.168.0.1", "2001:db8::1"], &["1.2.3", "300.1.1.1", "12:30"]);
        all(is_mac, &["00:1a:2B:3c:4d:5e", "00-1a-2B-3c-4d-5e"], &["00:1a:2b:3c:4d", "2024-03-17T10:20"]);
        all(is_uuid, &["123e4567-e89b-12d3-a456-426614174000"], &["123e4567e89b12d3a456426614174000"]);
        all(
            is_phone,
            &["+49 30 1234567", "030/1234567", "(555) 123-4567", "555-123-4567", "01711234567"],
            &["1234567", "12345678901", "3.1415926", "2024-03-17", "01067", "123-45-6789", "0.123456789"],
        );
        all(
            is_iban,
            &["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
            &["DE88370400440532013000", "DE89"],
        );
        all(is_point, &["52.5200, 13.4050", "(52.520;13.405)"], &["52.52", "95.123, 13.405", "1,234"]);
    }
}
