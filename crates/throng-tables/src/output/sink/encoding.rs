//! Text in another encoding than UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::{EngineError, Result};

/// What text of UTF-16 begins with, so that a reader knows it.
const MARK: char = '\u{feff}';

/// What a file begins with.
pub(crate) fn mark(encoding: &'static Encoding) -> Vec<u8> {
    let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
    if is_wide { wide(&MARK.to_string(), encoding) } else { Vec::new() }
}

/// Some rows of text, whole ones, which are UTF-8.
///
/// # Errors
/// If the encoding lacks a character.
pub(crate) fn encode(text: Vec<u8>, encoding: &'static Encoding) -> Result<Vec<u8>> {
    if encoding == UTF_8 {
        return Ok(text);
    }
    let text = std::str::from_utf8(&text).expect("what is written is text");
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return Ok(wide(text, encoding));
    }
    let (bytes, used, is_lacking) = encoding.encode(text);
    if is_lacking || used != encoding {
        return Err(EngineError::bad((
            format!("the release has characters that {} does not have", encoding.name()),
            "without output.encoding it is written as UTF-8",
        )));
    }
    Ok(bytes.into_owned())
}

fn wide(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    let bytes = |unit: u16| if encoding == UTF_16LE { unit.to_le_bytes() } else { unit.to_be_bytes() };
    text.encode_utf16().flat_map(bytes).collect()
}

#[cfg(test)]
mod tests {
    use encoding_rs::WINDOWS_1252;

    use super::*;

    #[test]
    fn text_is_encoded_or_refused() {
        let of = |text: &str, encoding| encode(text.as_bytes().to_vec(), encoding);
        assert_eq!(of("Zoë", WINDOWS_1252).unwrap(), b"Zo\xeb");
        assert_eq!(of("é", UTF_16BE).unwrap(), [0, 0xe9]);
        assert_eq!(of("é", UTF_8).unwrap(), "é".as_bytes());
        let error = of("Łódź", WINDOWS_1252).unwrap_err().to_string();
        assert!(error.contains("characters that windows-1252 lacks") && !error.contains("dź"), "{error}");
        assert_eq!((mark(UTF_16LE), mark(WINDOWS_1252)), (vec![0xff, 0xfe], vec![]));
    }
}
