//! What messages are, and how they show names.

mod message;

pub use message::Message;

/// A name between quotes, with control characters, which a header may hold, spelled out.
///
/// ```
/// assert_eq!(throng::wording::quoted("a\u{1b}[31mb"), r"'a\u{1b}[31mb'");
/// ```
pub fn quoted(name: impl AsRef<str>) -> String {
    let mut text = String::from("'");
    for c in name.as_ref().chars() {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text.push('\'');
    text
}

/// Names between quotes, separated by commas.
///
/// ```
/// assert_eq!(throng::wording::quoted_list(["é", "b"]), "'é', 'b'");
/// ```
pub fn quoted_list(names: impl IntoIterator<Item: AsRef<str>>) -> String {
    let names: Vec<String> = names.into_iter().map(quoted).collect();
    names.join(", ")
}

/// A number with a comma before every three digits.
///
/// ```
/// assert_eq!(throng::wording::grouped(1_234_567_u64), "1,234,567");
/// ```
pub fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// How many nodes there are, with commas between thousands; beyond what can be counted, that there are more.
///
/// ```
/// use throng::wording::count_nodes;
///
/// assert_eq!(count_nodes(17_920), "17,920");
/// assert_eq!(count_nodes(160_000_000_000_000), "1.6·10^14");
/// assert_eq!(count_nodes(u128::MAX), "more than 10^38");
/// ```
pub fn count_nodes(nodes: u128) -> String {
    match nodes {
        u128::MAX => "more than 10^38".to_owned(),
        many if many >= 1_000_000_000_000 => {
            let text = format!("{:.1e}", many as f64);
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{mantissa}·10^{exponent}")
        }
        few => grouped(few),
    }
}
