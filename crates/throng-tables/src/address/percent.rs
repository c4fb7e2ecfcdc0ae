//! Text in which `%2F` stands for `/`.

/// The text that is meant; nothing if two hexadecimal digits do not follow a `%`, or it is no UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push((16 * high + low) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_follow() {
        assert_eq!(decode("a%2Fb%20%C3%A9").as_deref(), Some("a/b é"));
        assert_eq!(decode("100%25").as_deref(), Some("100%"));
        for wrong in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
