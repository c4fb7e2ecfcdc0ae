//! Numbers, as people read them.

pub(crate) fn count(number: u64) -> String {
    throng::wording::grouped(number)
}

pub(crate) fn many(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        share if share > 0.0 && share < 1.0 => "less than 1 %".to_owned(),
        share if share > 99.0 && share < 100.0 => "more than 99 %".to_owned(),
        share => format!("{share:.0} %"),
    }
}

pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    match UNITS.iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", bytes as f64 / *size as f64),
        None => format!("{bytes} bytes"),
    }
}

/// `a, b and c`.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.0, 0.001, 0.5, 0.999, 1.0].map(percent),
            ["0 %", "less than 1 %", "50 %", "more than 99 %", "100 %"]
        );
        assert_eq!([5, 2048, 4 << 30].map(bytes), ["5 bytes", "2.0 KB", "4.0 GB"]);
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
