//! How messages show names.

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
