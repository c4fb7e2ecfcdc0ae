//! Text as values in the binary format of COPY.

use bytes::BufMut;

use super::types::TypeUse;

/// Days from 1970 to 2000, where PostgreSQL begins to count.
pub(super) const EPOCH_DAYS: i64 = 10_957;
const DAY_MICROS: i64 = 86_400_000_000;

/// Appends a value with its length before it; fails if the text is none of its kind.
pub(super) fn put(kind: TypeUse, text: &str, out: &mut Vec<u8>) -> Option<()> {
    let start = out.len();
    out.put_i32(0);
    match kind {
        TypeUse::Text | TypeUse::Other | TypeUse::Textless => out.put_slice(text.as_bytes()),
        TypeUse::Bool => out.put_u8(match text {
            "t" | "true" => 1,
            "f" | "false" => 0,
            _ => return None,
        }),
        TypeUse::Int2 => out.put_i16(text.parse().ok()?),
        TypeUse::Int4 => out.put_i32(text.parse().ok()?),
        TypeUse::Int8 => out.put_i64(text.parse().ok()?),
        TypeUse::Float4 => out.put_f32(text.parse().ok()?),
        TypeUse::Float8 => out.put_f64(text.parse().ok()?),
        TypeUse::Numeric => put_numeric(text, out)?,
        TypeUse::Date => out.put_i32(match text {
            "infinity" => i32::MAX,
            "-infinity" => i32::MIN,
            _ => i32::try_from(days(text)?).ok()?,
        }),
        TypeUse::Timestamp | TypeUse::TimestampTz => out.put_i64(match text {
            "infinity" => i64::MAX,
            "-infinity" => i64::MIN,
            _ => micros(text, kind == TypeUse::TimestampTz)?,
        }),
        TypeUse::Uuid => put_uuid(text, out)?,
    }
    let length = i32::try_from(out.len() - start - 4).ok()?;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    Some(())
}

/// Digits to the base 10,000, how many of them stand before the point, the sign, and decimal digits after the point.
fn put_numeric(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let special = match text {
        "NaN" => Some(0xC000),
        "Infinity" => Some(0xD000),
        "-Infinity" => Some(0xF000),
        _ => None,
    };
    if let Some(sign) = special {
        [0, 0, sign, 0].into_iter().for_each(|part| out.put_u16(part));
        return Some(());
    }
    let (sign, number) = text.strip_prefix('-').map_or((0, text), |number| (0x4000, number));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || !whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let padded = format!(
        "{}{whole}{part}{}",
        "0".repeat(whole.len().wrapping_neg() % 4),
        "0".repeat(part.len().wrapping_neg() % 4)
    );
    let digits: Vec<u16> = padded
        .as_bytes()
        .chunks(4)
        .map(|four| four.iter().fold(0, |d, b| 10 * d + u16::from(b - b'0')))
        .collect();
    let leading = digits.iter().take_while(|&&digit| digit == 0).count();
    let trailing = digits.iter().rev().take_while(|&&digit| digit == 0).count();
    let shown = if leading == digits.len() { &[][..] } else { &digits[leading..digits.len() - trailing] };
    let weight = whole.len().div_ceil(4) as i32 - 1 - leading as i32;
    out.put_u16(u16::try_from(shown.len()).ok()?);
    out.put_i16(if shown.is_empty() { 0 } else { i16::try_from(weight).ok()? });
    out.put_u16(if shown.is_empty() { 0 } else { sign });
    out.put_u16(u16::try_from(part.len()).ok()?);
    shown.iter().for_each(|&digit| out.put_u16(digit));
    Some(())
}

/// `2024-02-29`, also `0044-03-15 BC`: days since 2000.
fn days(text: &str) -> Option<i64> {
    let (text, before) = text.strip_suffix(" BC").map_or((text, false), |text| (text, true));
    let mut parts = text.split('-');
    let mut next = || parts.next()?.parse::<i64>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) || year < 1 {
        return None;
    }
    let year = if before { 1 - year } else { year };
    // Years that begin in March, so that a leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468 - EPOCH_DAYS)
}

/// Whether the text of a day is a year of four digits, a month and a day: the years 1 to 9999.
pub(super) fn is_plain_date(days: i32) -> bool {
    (-730_119..=2_921_939).contains(&days)
}

/// What [`days`] reads: the text of a day, counted from 2000.
pub(super) fn date_text(days: i32) -> String {
    match days {
        i32::MAX => return "infinity".to_owned(),
        i32::MIN => return "-infinity".to_owned(),
        _ => {}
    }
    // Years that begin in March, in eras of 400.
    let since = i64::from(days) + EPOCH_DAYS + 719_468;
    let (era, of_era) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + i64::from(month <= 2);
    match year {
        1.. => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{:04}-{month:02}-{day:02} BC", 1 - year),
    }
}

/// `2024-02-29 23:59:59.5`, with a zone `2024-02-29 23:59:59.5+00`: microseconds since 2000.
fn micros(text: &str, zoned: bool) -> Option<i64> {
    let (text, before) = text.strip_suffix(" BC").map_or((text, ""), |text| (text, " BC"));
    let (date, time) = text.split_once([' ', 'T'])?;
    let time = if zoned { time.strip_suffix("+00").or_else(|| time.strip_suffix('Z'))? } else { time };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = clock.split(':');
    let mut next = || parts.next()?.parse::<i64>().ok();
    let seconds = next()? * 3600 + next()? * 60 + next()?;
    if parts.next().is_some() || fraction.len() > 6 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: i64 = format!("{fraction:0<6}").parse().ok()?;
    Some(days(&format!("{date}{before}"))? * DAY_MICROS + seconds * 1_000_000 + fraction)
}

fn put_uuid(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let digits: Vec<u8> =
        text.chars().filter(|&c| c != '-').map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    if digits.len() != 32 {
        return None;
    }
    digits.chunks(2).for_each(|pair| out.put_u8(16 * pair[0] + pair[1]));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: TypeUse, text: &str) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        put(kind, text, &mut out)?;
        assert_eq!(i32::from_be_bytes(out[..4].try_into().unwrap()) as usize, out.len() - 4);
        Some(out.split_off(4))
    }

    #[test]
    fn moments() {
        assert_eq!(days("2000-01-01"), Some(0));
        assert_eq!(days("1970-01-01"), Some(-EPOCH_DAYS));
        assert_eq!(days("2024-02-29"), Some(8825));
        assert_eq!(days("0001-01-01").zip(days("0001-12-31 BC")).map(|(a, b)| a - b), Some(1));
        assert_eq!(micros("2000-01-02 00:00:01.5", false), Some(DAY_MICROS + 1_500_000));
        assert_eq!(micros("1999-12-31 23:59:59+00", true), Some(-1_000_000));
        assert_eq!(micros("1999-12-31 23:59:59+01", true), None);
    }

    #[test]
    fn days_and_their_texts() {
        for day in (-2_000_000..4_000_000).step_by(997).chain([0, 8825, -730_119, -730_120, 2_921_939]) {
            let text = date_text(day);
            assert_eq!(super::days(&text), Some(day.into()), "{text}");
            assert_eq!(is_plain_date(day), text.len() == 10, "{text}");
        }
        assert_eq!(date_text(2_921_940), "10000-01-01");
        assert_eq!(date_text(-730_120), "0001-12-31 BC");
    }

    #[test]
    fn numbers_to_the_base_of_ten_thousand() {
        let parts = |text: &str| -> Vec<i16> {
            value(TypeUse::Numeric, text)
                .unwrap()
                .chunks(2)
                .map(|b| i16::from_be_bytes([b[0], b[1]]))
                .collect()
        };
        assert_eq!(parts("12345.678"), [3, 1, 0, 3, 1, 2345, 6780]);
        assert_eq!(parts("-0.00010"), [1, -1, 0x4000, 5, 1]);
        assert_eq!(parts("0.00"), [0, 0, 0, 2]);
        assert_eq!(parts("10000"), [1, 1, 0, 0, 1]);
        assert_eq!(value(TypeUse::Numeric, "1e5"), None);
    }

    #[test]
    fn what_is_no_value_is_none() {
        for (kind, text) in
            [(TypeUse::Int2, "70000"), (TypeUse::Bool, "yes"), (TypeUse::Uuid, "12"), (TypeUse::Date, "x")]
        {
            assert_eq!(value(kind, text), None, "{text}");
        }
        assert_eq!(value(TypeUse::Bool, "t"), Some(vec![1]));
        assert_eq!(value(TypeUse::Text, ""), Some(vec![]));
    }
}
