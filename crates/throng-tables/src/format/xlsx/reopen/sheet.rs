//! The XML of a written sheet: rows without gaps, cells in order, and nothing else.

use std::io::{BufReader, Read};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Unexpected;
use super::archive::attribute;
use crate::format::reopen::BUFFER_BYTES;

/// What a sheet has besides its rows.
const FRAME: [&str; 8] =
    ["worksheet", "dimension", "sheetViews", "sheetView", "sheetFormatPr", "sheetData", "pageMargins", "row"];
/// Characters of an attribute, at most: each is a place, a number or the name of a namespace.
const ATTRIBUTE_BYTES: usize = 80;

/// A cell, and its text unless it is empty.
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) text: Option<String>,
}

/// Reads a sheet row by row.
pub(super) struct SheetReader<R: Read> {
    xml: Reader<BufReader<R>>,
    buffer: Vec<u8>,
    decimals: Arc<[usize]>,
    rows: u64,
}

/// What a cell holds, by its attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Boolean,
    /// A number with at least so many decimals.
    Number(usize),
}

impl<R: Read> SheetReader<R> {
    pub(super) fn new(text: R, decimals: Arc<[usize]>) -> SheetReader<R> {
        let mut xml = Reader::from_reader(BufReader::with_capacity(BUFFER_BYTES, text));
        xml.config_mut().expand_empty_elements = true;
        SheetReader { xml, buffer: Vec::new(), decimals, rows: 0 }
    }

    /// What is left of the text.
    pub(super) fn into_inner(self) -> impl Read {
        self.xml.into_inner()
    }

    /// The cells of the next row; says whether there is one. At the end all of the sheet was looked at.
    pub(super) fn next_row(&mut self, cells: &mut Vec<Cell>) -> Result<bool, Unexpected> {
        cells.clear();
        let mut is_within = false;
        loop {
            self.buffer.clear();
            match self.xml.read_event_into(&mut self.buffer)? {
                Event::Start(tag) if tag.name().as_ref() == "c" && is_within => {
                    let (column, kind) = place(&tag, self.rows, &self.decimals)?;
                    if cells.last().is_some_and(|last| last.column >= column) {
                        return Err(Unexpected);
                    }
                    let text = self.read_cell(kind)?;
                    cells.push(Cell { column, text });
                }
                Event::Start(tag) if FRAME.contains(&tag.name().as_ref()) && !is_within => {
                    refuse_long(&tag)?;
                    if tag.name().as_ref() == "row" {
                        self.rows += 1;
                        is_within = attribute(&tag, "r")?.is_some_and(|row| row == self.rows.to_string());
                        if !is_within {
                            return Err(Unexpected);
                        }
                    }
                }
                Event::End(tag) if tag.name().as_ref() == "row" => return Ok(true),
                Event::End(_) | Event::Decl(_) => {}
                Event::Text(text) if text.trim().is_empty() => {}
                Event::Eof if !is_within => return Ok(false),
                _ => return Err(Unexpected),
            }
        }
    }

    /// What is between the tags of a cell.
    fn read_cell(&mut self, kind: Kind) -> Result<Option<String>, Unexpected> {
        let (mut text, mut has_text, mut is_kept) = (String::new(), false, false);
        // The tags that are open: `is` and `t` around a text, `v` around all else.
        let mut open: Vec<&str> = Vec::new();
        loop {
            self.buffer.clear();
            match self.xml.read_event_into(&mut self.buffer)? {
                Event::Start(tag) => {
                    let name = match (tag.name().as_ref(), kind, &open[..]) {
                        ("is", Kind::Text, []) if !has_text => "is",
                        ("t", Kind::Text, ["is"]) if !has_text => "t",
                        ("v", Kind::Boolean | Kind::Number(_), []) if !has_text => "v",
                        _ => return Err(Unexpected),
                    };
                    is_kept = attribute(&tag, "xml:space")?.is_some_and(|space| space == "preserve");
                    has_text |= name != "is";
                    open.push(name);
                }
                Event::Text(part) if matches!(open.last(), Some(&("t" | "v"))) => {
                    text.push_str(&part.xml10_content())
                }
                Event::GeneralRef(name) if open.last() == Some(&"t") => text.push(character(&name)?),
                Event::End(tag) if tag.name().as_ref() == "c" => break,
                Event::End(_) => drop(open.pop()),
                _ => return Err(Unexpected),
            }
        }
        if !has_text {
            return Ok(None);
        }
        match kind {
            Kind::Text if is_kept => Ok(Some(unescape(&text))),
            // As everybody else sees it.
            Kind::Text => Ok(Some(unescape(text.trim_matches([' ', '\t', '\r', '\n'])))),
            Kind::Boolean => match text.as_str() {
                "1" => Ok(Some("true".to_owned())),
                "0" => Ok(Some("false".to_owned())),
                _ => Err(Unexpected),
            },
            Kind::Number(decimals) => spell(text, decimals).map(Some),
        }
    }
}

/// The column of a cell, which must be in the row at hand, and what it holds.
fn place(tag: &BytesStart<'_>, row: u64, decimals: &[usize]) -> Result<(usize, Kind), Unexpected> {
    refuse_long(tag)?;
    let reference = attribute(tag, "r")?.ok_or(Unexpected)?;
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase).count();
    let (letters, number) = reference.split_at(letters);
    if letters.is_empty() || letters.len() > 3 || number != row.to_string() {
        return Err(Unexpected);
    }
    let column = letters.bytes().fold(0, |column, letter| 26 * column + usize::from(letter - b'A') + 1) - 1;
    let format =
        attribute(tag, "s")?.map_or(Ok(0), |style| style.parse::<usize>()).map_err(|_| Unexpected)?;
    let shown = *decimals.get(format).ok_or(Unexpected)?;
    let kind = match attribute(tag, "t")?.as_deref() {
        Some("inlineStr") => Kind::Text,
        Some("b") => Kind::Boolean,
        None => Kind::Number(shown),
        Some(_) => return Err(Unexpected),
    };
    Ok((column, kind))
}

fn refuse_long(tag: &BytesStart<'_>) -> Result<(), Unexpected> {
    for attribute in tag.attributes() {
        if attribute.map_err(|_| Unexpected)?.value.len() > ATTRIBUTE_BYTES {
            return Err(Unexpected);
        }
    }
    Ok(())
}

/// A number as its format shows it.
fn spell(mut number: String, decimals: usize) -> Result<String, Unexpected> {
    if number.parse::<f64>().is_err() {
        return Err(Unexpected);
    }
    let own = match number.split_once('.') {
        Some((_, own)) => own.len(),
        None => {
            if decimals > 0 {
                number.push('.');
            }
            0
        }
    };
    number.extend(std::iter::repeat_n('0', decimals.saturating_sub(own)));
    Ok(number)
}

/// What a name such as `lt` or `#10` stands for.
fn character(name: &str) -> Result<char, Unexpected> {
    match name {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(Unexpected),
    }
}

/// A text with its characters in the place of their numbers: `_x000D_` is a carriage return.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        plain.push_str(&rest[..at]);
        let number = rest.get(at + 2..at + 6).filter(|_| rest[at + 6..].starts_with('_'));
        let character = number
            .filter(|number| number.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|number| u32::from_str_radix(number, 16).ok())
            .and_then(char::from_u32);
        match character {
            Some(character) => {
                plain.push(character);
                rest = &rest[at + 7..];
            }
            None => {
                plain.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_characters_are_characters() {
        assert_eq!(unescape("a_x000D_b_x005F_x0041_"), "a\rb_x0041_");
        assert_eq!(unescape("_x_x00_xZZZZ_ _x0041"), "_x_x00_xZZZZ_ _x0041");
    }

    #[test]
    fn numbers_are_shown_with_their_decimals() {
        let of = |number: &str, decimals| spell(number.to_owned(), decimals).unwrap();
        assert_eq!(
            (of("1", 0), of("1", 2), of("1.5", 2), of("-1.25", 1)),
            ("1".into(), "1.00".into(), "1.50".into(), "-1.25".into())
        );
        assert!(spell("=1".to_owned(), 0).is_err());
    }
}
