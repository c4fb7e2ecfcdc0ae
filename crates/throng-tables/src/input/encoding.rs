//! The encoding of text: recognised where that is safe, and decoded while it is read.
//!
//! Text is UTF-8 unless something speaks against it. A byte order mark tells UTF-16, and so do zero
//! bytes at every second place. Text that is not UTF-8 is taken for Windows-1252 (of which Latin-1 is a
//! part) only if it has not one character of several bytes of UTF-8, and nothing but letters and signs
//! that Western European text has. All else is said by the user, or refused.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::{EngineError, Result};

/// Bytes that are decoded at once.
const BUFFER_BYTES: usize = 64 << 10;

/// Signs of Windows-1252 that text has: €, quotes, dashes, ellipsis, no-break space, ¡ § ª « ° º » ¿ and
/// the currency signs; letters are from 0xC0 on.
const SIGNS: &[u8] = b"\x80\x82\x84\x85\x8a\x8c\x8e\x91\x92\x93\x94\x96\x97\x9a\x9c\x9e\x9f\xa0\xa1\xa3\xa7\xaa\xab\xad\xb0\xb4\xb7\xba\xbb\xbf";

/// The encoding with a name such as `latin1` or `windows-1250`.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Encoding> {
    Encoding::for_label(name.as_bytes()).ok_or_else(|| {
        EngineError::bad((
            "unknown encoding",
            "use one that web browsers know, such as utf-8, windows-1252, latin1, iso-8859-2, utf-16le and utf-16be",
        ))
    })
}

/// The encoding of text that starts with `sample`; UTF-8 if nothing tells another.
pub fn detect(sample: &[u8]) -> &'static Encoding {
    if let Some((marked, _)) = Encoding::for_bom(sample) {
        return marked;
    }
    if let Some(wide) = detect_wide(sample) {
        return wide;
    }
    if is_western(sample) { WINDOWS_1252 } else { UTF_8 }
}

/// UTF-16 without a mark: ASCII characters have a zero byte, all on the same side.
fn detect_wide(sample: &[u8]) -> Option<&'static Encoding> {
    let zeros = |first: usize| sample.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let pairs = sample.len() / 2;
    match (even, odd) {
        (0, odd) if pairs > 1 && 2 * odd > pairs => Some(UTF_16LE),
        (even, 0) if pairs > 1 && 2 * even > pairs => Some(UTF_16BE),
        _ => None,
    }
}

fn is_western(sample: &[u8]) -> bool {
    let text = |byte: u8| SIGNS.contains(&byte) || (byte >= 0xc0 && !matches!(byte, 0xd7 | 0xf7 | 0xff));
    let high = sample.iter().filter(|byte| !byte.is_ascii());
    let utf_8 = sample.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    // A character that the end of the sample cuts is no sign of anything.
    let cut = std::str::from_utf8(sample).err().is_none_or(|error| error.error_len().is_none());
    !cut && !utf_8 && !sample.contains(&0) && high.copied().all(text)
}

/// The whole of a text, or nothing if it is not text of this encoding.
pub fn decode(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    encoding
        .decode_without_bom_handling_and_without_replacement(strip_mark(bytes, encoding))
        .map(std::borrow::Cow::into_owned)
}

fn strip_mark<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> &'a [u8] {
    match Encoding::for_bom(bytes) {
        Some((marked, length)) if marked == encoding => &bytes[length..],
        _ => bytes,
    }
}

/// The start of a text, as far as it can be decoded.
pub fn decode_start(sample: &[u8], encoding: &'static Encoding) -> Vec<u8> {
    let mut text = Vec::new();
    // What is no text ends the sample; the scan will say where it is.
    let _ = Decoding::new(sample, encoding).read_to_end(&mut text);
    text
}

/// Text in some encoding, read as UTF-8.
pub struct Decoding<R> {
    inner: R,
    decoder: Decoder,
    raw: Vec<u8>,
    /// Which of the raw bytes are not decoded yet.
    pending: std::ops::Range<usize>,
    text: Vec<u8>,
    given: usize,
    ended: bool,
    /// Whether what follows is no text.
    failed: bool,
}

impl<R: Read> Decoding<R> {
    /// The UTF-8 text of `inner`.
    pub fn new(inner: R, encoding: &'static Encoding) -> Decoding<R> {
        Decoding {
            inner,
            decoder: encoding.new_decoder_with_bom_removal(),
            raw: vec![0; BUFFER_BYTES],
            pending: 0..0,
            text: Vec::new(),
            given: 0,
            ended: false,
            failed: false,
        }
    }

    /// Decodes some more; nothing is left of what was given before.
    fn refill(&mut self) -> io::Result<()> {
        let mut last = false;
        if self.pending.is_empty() {
            let read = self.inner.read(&mut self.raw)?;
            self.pending = 0..read;
            last = read == 0;
        }
        self.text.resize(4 * BUFFER_BYTES, 0);
        let raw = &self.raw[self.pending.clone()];
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(raw, &mut self.text, last);
        self.pending.start += read;
        self.text.truncate(written);
        self.given = 0;
        self.failed = matches!(result, DecoderResult::Malformed(..));
        self.ended = last && result == DecoderResult::InputEmpty;
        Ok(())
    }
}

impl<R: Read> Read for Decoding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.ended {
            if self.failed {
                return Err(io::Error::from(io::ErrorKind::InvalidData));
            }
            self.refill()?;
        }
        let given = (&self.text[self.given..]).read(buffer)?;
        self.given += given;
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name,city\nJürgen,Köln\nZoë,“Łódź”\n";

    fn wide(text: &str, big: bool) -> Vec<u8> {
        let bytes = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    fn read(bytes: &[u8], encoding: &'static Encoding) -> io::Result<String> {
        let mut text = String::new();
        Decoding::new(bytes, encoding).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn marks_and_zeros_tell_utf_16() {
        for big in [false, true] {
            let encoding = if big { UTF_16BE } else { UTF_16LE };
            for text in [TEXT.to_owned(), format!("\u{feff}{TEXT}")] {
                let bytes = wide(&text, big);
                assert_eq!(detect(&bytes), encoding);
                assert_eq!(read(&bytes, encoding).unwrap(), TEXT);
                assert_eq!(decode(&bytes, encoding).as_deref(), Some(TEXT));
            }
        }
    }

    #[test]
    fn western_text_is_told_from_broken_utf_8() {
        assert_eq!(detect(b"name\nJ\xfcrgen\nStra\xdfe, \x80 5\n"), WINDOWS_1252);
        for utf_8 in [
            &b"name\nx\xff\n"[..],
            b"name\nJ\xc3\xbcrgen\nM\xfcller\n",
            b"plain",
            b"",
            "Łódź".as_bytes(),
            b"name\nJ\xc3",
            b"a\x81b\n",
            b"PK\x03\x04\0\0",
        ] {
            assert_eq!(detect(utf_8), UTF_8, "{utf_8:?}");
        }
        assert_eq!(read(b"J\xfcrgen \x80", WINDOWS_1252).unwrap(), "Jürgen €");
    }

    #[test]
    fn names_are_those_of_the_web() {
        assert_eq!((find("latin1").unwrap(), find("UTF-16LE").unwrap()), (WINDOWS_1252, UTF_16LE));
        assert!(find("klingon").unwrap_err().to_string().contains("windows-1252"));
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        assert_eq!(read(b"a\0b\0\x00\xd8", UTF_16LE).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(decode(b"a\0b\0\x00\xd8", UTF_16LE), None);
    }

    #[test]
    fn long_text_is_read_in_pieces() {
        for times in [0, 1, 100, 20_000] {
            let text = "aé€😀\n".repeat(times);
            assert_eq!(read(&wide(&text, true), UTF_16BE).unwrap(), text);
            assert_eq!(read(text.as_bytes(), UTF_8).unwrap(), text);
        }
    }

    #[test]
    fn any_bytes_are_text_or_none() {
        let mut seed = 1_u32;
        for length in 0..300 {
            let mut next = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as u8
            };
            let bytes: Vec<u8> = (0..length).map(|_| next()).collect();
            let encoding = detect(&bytes);
            assert_eq!(read(&bytes, encoding).ok(), decode(&bytes, encoding));
        }
    }
}
