//! The archive that a written workbook is: the parts that it must have, one after the other, and nothing else.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;
use std::sync::Arc;

use flate2::read::DeflateDecoder;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::{CompressionMethod, ZipArchive};

use super::Unexpected;
use crate::format::reopen::BUFFER_BYTES;

const SHEET: &str = "xl/worksheets/sheet1.xml";
const STYLES: &str = "xl/styles.xml";
/// The parts of a workbook with one sheet, and how many bytes each may have; the sheet has as many as it needs.
const PARTS: [(&str, u64); 9] = [
    ("[Content_Types].xml", 4 << 10),
    ("_rels/.rels", 4 << 10),
    ("xl/_rels/workbook.xml.rels", 4 << 10),
    ("xl/theme/theme1.xml", 16 << 10),
    (STYLES, 8 << 10),
    ("xl/workbook.xml", 4 << 10),
    (SHEET, u64::MAX),
    ("docProps/core.xml", 4 << 10),
    ("docProps/app.xml", 4 << 10),
];
/// The texts of the parts that describe a workbook.
const TEXTS: [&str; 8] =
    ["2000-01-01T00:00:00Z", "Microsoft Excel", "0", "1", "false", "Worksheets", "release", "12.0000"];
/// What a record of the archive's directory takes besides the name.
const RECORD_BYTES: u64 = 46;
/// What the directory ends with.
const END_BYTES: u64 = 22;

/// A written workbook.
pub(super) struct Archive {
    pub(super) place: (u64, u64),
    pub(super) decimals: Arc<[usize]>,
    pub(super) file: Opened,
}

/// Its archive.
pub(super) struct Opened(ZipArchive<BufReader<File>>);

impl Opened {
    /// The text of the sheet; its end says whether that is what was written.
    pub(super) fn sheet(&mut self) -> Result<impl Read, Unexpected> {
        self.0.by_name(SHEET).map_err(|_| Unexpected)
    }
}

impl Archive {
    /// Opens a workbook, and looks at all of it but the sheet.
    pub(super) fn open(path: &Path) -> Result<Archive, Unexpected> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|_| Unexpected)?;
        if archive.len() != PARTS.len() || !archive.comment().is_empty() || archive.offset() != 0 {
            return Err(Unexpected);
        }
        let (mut next, mut directory) = (0, 0);
        let (mut place, mut decimals) = (None, None);
        for (at, (name, most_bytes)) in PARTS.into_iter().enumerate() {
            let mut part = archive.by_index(at).map_err(|_| Unexpected)?;
            let start = part.data_start().ok_or(Unexpected)?;
            let is_known = part.name().is_ok_and(|found| found == name) && part.header_start() == next;
            let is_plain = part.compression() == CompressionMethod::Deflated && part.comment().is_empty();
            // A header of 30 bytes, and the name.
            let is_tight = start == next + 30 + name.len() as u64
                && part.extra_data().is_none_or(|extra| extra.is_empty());
            if !is_known || !is_plain || !is_tight {
                return Err(Unexpected);
            }
            let (packed, unpacked, checksum) = (part.compressed_size(), part.size(), part.crc32());
            if name == SHEET {
                place = Some((start, packed));
            } else {
                let mut text = String::new();
                part.by_ref().take(most_bytes + 1).read_to_string(&mut text)?;
                if text.len() as u64 > most_bytes {
                    return Err(Unexpected);
                }
                refuse_texts(&text)?;
                if name == STYLES {
                    decimals = Some(read_decimals(&text)?);
                }
            }
            drop(part);
            next = start + packed + closing_bytes(path, start + packed, (packed, unpacked, checksum))?;
            directory += RECORD_BYTES + name.len() as u64;
        }
        if archive.central_directory_start() != next || next + directory + END_BYTES != bytes {
            return Err(Unexpected);
        }
        let (place, decimals) = (place.ok_or(Unexpected)?, decimals.ok_or(Unexpected)?);
        Ok(Archive { place, decimals, file: Opened(archive) })
    }
}

/// How many bytes close a part: its checksum and sizes once more, as a writer gives them that cannot go back.
fn closing_bytes(
    path: &Path,
    end: u64,
    (packed, unpacked, checksum): (u64, u64, u32),
) -> Result<u64, Unexpected> {
    const SIGNATURE: u32 = 0x0807_4b50;
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(end))?;
    let mut bytes = Vec::new();
    file.take(24).read_to_end(&mut bytes)?;
    let head = [SIGNATURE.to_le_bytes(), checksum.to_le_bytes()].concat();
    let short =
        [head.clone(), (packed as u32).to_le_bytes().to_vec(), (unpacked as u32).to_le_bytes().to_vec()]
            .concat();
    let long = [head, packed.to_le_bytes().to_vec(), unpacked.to_le_bytes().to_vec()].concat();
    let found = [long, short].into_iter().find(|closing| bytes.starts_with(closing));
    Ok(found.map_or(0, |closing| closing.len() as u64))
}

/// The sheet from its compressed bytes.
pub(super) fn unpack(
    path: &Path,
    (start, bytes): (u64, u64),
) -> std::io::Result<DeflateDecoder<BufReader<Take<File>>>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    Ok(DeflateDecoder::new(BufReader::with_capacity(BUFFER_BYTES, file.take(bytes))))
}

/// Refuses texts in a part that describes the workbook, but for those that all have.
fn refuse_texts(xml: &str) -> Result<(), Unexpected> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event()? {
            Event::Text(text) if !text.trim().is_empty() && !TEXTS.contains(&text.trim()) => {
                return Err(Unexpected);
            }
            Event::Comment(_) | Event::CData(_) | Event::PI(_) | Event::DocType(_) | Event::GeneralRef(_) => {
                return Err(Unexpected);
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// The decimals that each format of cells shows.
fn read_decimals(xml: &str) -> Result<Arc<[usize]>, Unexpected> {
    let mut reader = Reader::from_str(xml);
    let mut codes: Vec<(String, usize)> = vec![("0".to_owned(), 0), ("2".to_owned(), 2)];
    let (mut decimals, mut is_within) = (Vec::new(), false);
    loop {
        match reader.read_event()? {
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                "numFmt" => {
                    let code = attribute(&tag, "formatCode")?.ok_or(Unexpected)?;
                    let zeros =
                        code.strip_prefix("0.").filter(|zeros| zeros.bytes().all(|zero| zero == b'0'));
                    codes.push((
                        attribute(&tag, "numFmtId")?.ok_or(Unexpected)?,
                        zeros.ok_or(Unexpected)?.len(),
                    ));
                }
                "cellXfs" => is_within = true,
                "xf" if is_within => {
                    let id = attribute(&tag, "numFmtId")?.ok_or(Unexpected)?;
                    let code = codes.iter().find(|(known, _)| *known == id);
                    decimals.push(code.ok_or(Unexpected)?.1);
                }
                _ => {}
            },
            Event::End(tag) if tag.name().as_ref() == "cellXfs" => is_within = false,
            Event::Eof => return Ok(decimals.into()),
            _ => {}
        }
    }
}

/// An attribute that has no escapes.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, Unexpected> {
    let mut found = None;
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|_| Unexpected)?;
        if attribute.key.as_ref() == name {
            found = Some(attribute.value.into_owned());
        }
    }
    Ok(found)
}
