//! What a workbook is made of, looked at before anything in it is believed.
//!
//! A workbook is a zip archive of XML. Its reader holds lists of texts and styles in memory, so each part is unpacked once
//! and measured first: no file can make this process take more memory than its own size gives reason for.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::Event;
use zip::ZipArchive;
use zip::result::ZipError;

use super::super::COMPOUND_MAGIC;
use super::{damaged, explain_io};
use crate::error::{EngineError, Result};
use crate::input::foreign::guard;
use crate::input::limits::{ROW_BYTES, most_decompressed};
use crate::input::named::NamedFile;
use crate::input::source::bad;

/// Parts of a workbook, at most.
const MOST_PARTS: usize = 10_000;
/// Bytes of the parts that describe a workbook and are no sheets or texts, at most.
const MOST_DESCRIPTION_BYTES: u64 = 64 << 20;
/// Tags in them, at most: a style of some bytes takes up some hundreds in memory.
const MOST_DESCRIPTION_TAGS: u64 = 1 << 20;
/// What a text takes up in memory besides its bytes.
const TEXT_BYTES: u64 = 32;

const HOLDS_TOO_MUCH: (&str, &str) = (
    "this workbook unpacks to more than 1 GiB and more than 1,000 times its own size, which no real table does",
    "if this one does, save the sheet as CSV",
);

/// Refuses a file that is no workbook, or claims more than there is reason for.
pub(super) fn check(named: &NamedFile, file_bytes: u64) -> Result<()> {
    let (path, mut file) = (named.name.as_path(), open(named)?);
    refuse_compound(path, &mut file)?;
    let archive = guard(|| ZipArchive::new(file)).ok_or_else(|| damaged(path))?;
    let mut archive = archive.map_err(|error| explain(path, error))?;
    refuse_others(path, &archive)?;
    let mut total = Measure::default();
    let mut description = Measure::default();
    for at in 0..archive.len() {
        let part = guard(|| archive.by_index(at).and_then(|part| Ok((kind_of(&part.name()?), part))));
        let (kind, part) = part.ok_or_else(|| damaged(path))?.map_err(|error| explain(path, error))?;
        let measured = match kind {
            Kind::Other => continue,
            _ => measure(path, BufReader::new(part), kind, most_decompressed(file_bytes) - total.bytes)?,
        };
        total.bytes += measured.bytes;
        match kind {
            Kind::Texts if measured.bytes + measured.tags * TEXT_BYTES > most_decompressed(file_bytes) => {
                return Err(bad(path, HOLDS_TOO_MUCH));
            }
            Kind::Description => description.add(measured),
            _ => {}
        }
    }
    if description.bytes > MOST_DESCRIPTION_BYTES || description.tags > MOST_DESCRIPTION_TAGS {
        return Err(bad(path, "the styles and settings of this workbook are larger than those of any table"));
    }
    Ok(())
}

/// What a part is, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sheet,
    Texts,
    Description,
    /// Pictures and programs: nobody reads them.
    Other,
}

fn kind_of(name: &str) -> Kind {
    let name = name.replace('\\', "/").to_lowercase();
    match () {
        () if name.ends_with("sharedstrings.xml") => Kind::Texts,
        () if name.ends_with("styles.xml") => Kind::Description,
        () if name.contains("worksheets/") && name.ends_with(".xml") => Kind::Sheet,
        () if name.ends_with(".xml") || name.ends_with(".rels") => Kind::Description,
        () if name.contains("media/") || name.ends_with(".bin") || name.ends_with('/') => Kind::Other,
        // Whatever a workbook says its sheets are called.
        () => Kind::Description,
    }
}

/// What a part holds.
#[derive(Clone, Copy, Default)]
struct Measure {
    bytes: u64,
    tags: u64,
}

impl Measure {
    fn add(&mut self, other: Measure) {
        self.bytes += other.bytes;
        self.tags += other.tags;
    }
}

/// Unpacks a part, up to a number of bytes. Its checksum is looked at, too.
fn measure(path: &Path, mut part: impl Read, kind: Kind, most_bytes: u64) -> Result<Measure> {
    let mut start = Vec::new();
    let mut measured = Measure::default();
    let mut run = 0;
    let mut chunk = vec![0; 64 << 10];
    loop {
        let read = guard(|| part.read(&mut chunk)).ok_or_else(|| damaged(path))?;
        let read = match read {
            Ok(0) => break,
            Ok(read) => &chunk[..read],
            Err(cause) => return Err(explain_io(path, &cause)),
        };
        measured.bytes += read.len() as u64;
        if measured.bytes > most_bytes {
            return Err(bad(path, HOLDS_TOO_MUCH));
        }
        if start.len() < 64 << 10 {
            start.extend_from_slice(read);
        }
        let mut before = 0;
        for tag in memchr::memchr_iter(b'<', read) {
            refuse_long(path, run + tag - before)?;
            (measured.tags, run, before) = (measured.tags + 1, 0, tag);
        }
        run += read.len() - before;
        refuse_long(path, run)?;
    }
    if kind == Kind::Texts {
        refuse_claim(path, &start, measured.tags)?;
    }
    Ok(measured)
}

/// Refuses text, or a tag, without end.
fn refuse_long(path: &Path, bytes: usize) -> Result<()> {
    match bytes > ROW_BYTES {
        true => Err(bad(path, "a cell of this workbook holds more than 64 MiB, which Excel does not allow")),
        false => Ok(()),
    }
}

/// Refuses a list of texts that claims to have more of them than tags: its reader would make room for all.
fn refuse_claim(path: &Path, start: &[u8], tags: u64) -> Result<()> {
    let mut xml = Reader::from_reader(start);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let claimed = match guard(|| xml.read_event_into(&mut buffer)) {
            Some(Ok(Event::Start(tag) | Event::Empty(tag))) => {
                let mut named = tag.attributes();
                let counts = named.with_checks(false).flatten();
                let count = counts.into_iter().find(|count| count.key.as_ref() == "uniqueCount");
                count.map(|count| count.value.trim().parse::<u64>().unwrap_or(u64::MAX))
            }
            Some(Ok(Event::Eof)) | Some(Err(_)) | None => return Err(damaged(path)),
            Some(Ok(_)) => continue,
        };
        return match claimed.is_some_and(|claimed| claimed > tags) {
            true => Err(damaged(path)),
            false => Ok(()),
        };
    }
}

pub(super) fn open(file: &NamedFile) -> Result<BufReader<File>> {
    let opened = file.open().map_err(|cause| explain_io(&file.name, &cause))?;
    Ok(BufReader::new(opened))
}

/// Says what to do about older workbooks, and those with a password.
fn refuse_compound(path: &Path, file: &mut BufReader<File>) -> Result<()> {
    let failed = |cause: io::Error| explain_io(path, &cause);
    let mut start = Vec::new();
    file.take(COMPOUND_MAGIC.len() as u64).read_to_end(&mut start).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    if start != COMPOUND_MAGIC {
        return Ok(());
    }
    let problem = match is_encrypted(file).map_err(failed)? {
        true => (
            "this workbook is protected by a password",
            "open it in Excel, remove the password (File > Info > Protect Workbook > Encrypt with \
             Password) and save it again",
        ),
        false => (
            "this is a workbook in the format of Excel before 2007 (.xls)",
            "open it in Excel or LibreOffice and save it as .xlsx, or as CSV",
        ),
    };
    Err(bad(path, problem))
}

/// Whether a compound file has a part that is encrypted, by the name that its directory gives it.
fn is_encrypted(file: &mut impl Read) -> io::Result<bool> {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let find = memchr::memmem::Finder::new(&name);
    let mut held = Vec::new();
    loop {
        let overlap = held.len().min(name.len());
        held.drain(..held.len() - overlap);
        if file.by_ref().take(64 << 10).read_to_end(&mut held)? == 0 {
            return Ok(false);
        }
        if find.find(&held).is_some() {
            return Ok(true);
        }
    }
}

/// Says what to do about archives that are no workbooks.
fn refuse_others<R: Read + Seek>(path: &Path, archive: &ZipArchive<R>) -> Result<()> {
    if archive.len() > MOST_PARTS {
        return Err(bad(path, "this is a zip archive with a great many files, not a workbook"));
    }
    let names: Vec<String> =
        archive.file_names().flatten().map(|name| name.replace('\\', "/").to_lowercase()).collect();
    let has = |end: &str| names.iter().any(|name| name.ends_with(end));
    if has("workbook.bin") {
        let problem = ("this is a binary workbook (.xlsb)", "open it in Excel and save it as .xlsx");
        return Err(bad(path, problem));
    }
    if has("_rels/.rels") {
        return Ok(());
    }
    Err(match names.iter().any(|name| name == "mimetype") && has("content.xml") {
        true => {
            let problem = (
                "this is an OpenDocument sheet (.ods)",
                "open it in LibreOffice and save it as .xlsx, or as CSV",
            );
            bad(path, problem)
        }
        false => bad(path, ("this is a zip archive, but not a workbook", "unpack it first")),
    })
}

fn explain(path: &Path, error: ZipError) -> EngineError {
    match error {
        ZipError::Io(cause) => explain_io(path, &cause),
        _ => damaged(path),
    }
}
