//! Files that are damaged, or made to harm.

use std::io::Write;

use super::*;
use crate::input::totals::Totals;

/// A workbook whose parts are these besides what each needs.
fn made(parts: &[(&str, &[u8])]) -> tempfile::TempPath {
    let path = tempfile::Builder::new().suffix(".xlsx").tempfile().unwrap().into_temp_path();
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let usual: [(&str, &[u8]); 4] = [
        ("_rels/.rels", br#"<Relationships><Relationship Id="1" Type="x/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#),
        ("xl/workbook.xml", br#"<workbook><sheets><sheet name="t" sheetId="1" r:id="1"/></sheets></workbook>"#),
        ("xl/worksheets/sheet1.xml", br#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>"#),
    ];
    let all = usual.iter().filter(|(name, _)| parts.iter().all(|(other, _)| other != name)).chain(parts);
    for (name, bytes) in all {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
    path
}

fn sheet(rows: &str) -> Vec<u8> {
    format!("<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>{rows}</sheetData></worksheet>")
        .into_bytes()
}

const TEXTS: &[u8] = b"<sst uniqueCount=\"1\"><si><t>name</t></si></sst>";

#[test]
fn claims_are_not_believed() {
    assert_eq!(lines(&made(&[("xl/sharedStrings.xml", TEXTS)]), &said()), ["name"]);
    let claimed = b"<sst uniqueCount=\"99999999999\"><si><t>name</t></si></sst>";
    assert!(refusal(&made(&[("xl/sharedStrings.xml", claimed)]), &said()).contains("damaged"));
    let few = made(&[(
        "xl/worksheets/sheet1.xml",
        &sheet(
            "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>age</v></c></row><row r=\"1048576\"><c r=\"A1048576\"><v>7</v></c></row>",
        ),
    )]);
    assert_eq!(lines(&few, &said()), ["age", "7"], "what is between has no rows");
    for place in ["A1048577", "XFE2", "A9999999999", "ZZZZZZZZZZ1", "A0", "7", ""] {
        let beyond = sheet(&format!("<row><c r=\"A1\"><v>1</v></c><c r=\"{place}\"><v>1</v></c></row>"));
        refusal(&made(&[("xl/worksheets/sheet1.xml", &beyond)]), &said());
    }
    let order =
        sheet("<row r=\"2\"><c r=\"A2\"><v>1</v></c></row><row r=\"1\"><c r=\"A1\"><v>1</v></c></row>");
    assert!(refusal(&made(&[("xl/worksheets/sheet1.xml", &order)]), &said()).contains("not in order"));
}

#[test]
fn a_small_file_cannot_hold_very_much() {
    // A gigabyte of spaces is a megabyte of a zip archive.
    let path = tempfile::Builder::new().suffix(".xlsx").tempfile().unwrap().into_temp_path();
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    archive.start_file("_rels/.rels", zip::write::SimpleFileOptions::default()).unwrap();
    let spaces = vec![b' '; 1 << 20];
    (0..80).for_each(|_| archive.write_all(&spaces).unwrap());
    archive.finish().unwrap();
    assert!(refusal(&path, &said()).contains("more than 64 MiB"));
    let styles = [b"<styleSheet><cellXfs>".to_vec(), b"<xf/>".repeat((1 << 20) + 1)].concat();
    assert!(refusal(&made(&[("xl/styles.xml", &styles)]), &said()).contains("styles and settings"));
}

#[test]
fn merged_cells_have_a_limit() {
    let mut rows = String::from("<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"XFD1\"><v>1</v></c></row>");
    (2..9000).for_each(|row| rows.push_str(&format!("<row r=\"{row}\"><c r=\"B{row}\"><v>2</v></c></row>")));
    let merged = |region: &str| {
        let xml = format!(
            "<worksheet><sheetData>{rows}</sheetData><mergeCells><mergeCell ref=\"{region}\"/></mergeCells></worksheet>"
        );
        let all = made(&[("xl/worksheets/sheet1.xml", xml.as_bytes())]);
        read(&all, &DialectOverrides { header: Some(false), totals: Some(Totals::Keep), ..said() })
    };
    assert_eq!(merged("A2:A3").unwrap().1.len(), 8999);
    assert!(merged("A1:XFD1048576").unwrap_err().to_string().contains("more merged cells than any table"));
}

#[test]
fn other_files_say_what_to_do() {
    let of = |bytes: &[u8]| {
        let path = tempfile::Builder::new().suffix(".xlsx").tempfile().unwrap().into_temp_path();
        std::fs::write(&path, bytes).unwrap();
        refusal(&path, &said())
    };
    let protected: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(of(&[COMPOUND_MAGIC, &[0; 70_000], &protected[..]].concat()).contains("protected by a password"));
    assert!(of(&[COMPOUND_MAGIC, &[0; 600]].concat()).contains("(.xls)"));
    assert!(of(b"PK\x03\x04\0\0").contains("damaged"));
    assert!(of(b"name,age\nAnn,31\n").contains("damaged"), "its name says what it is");
    let ods = made(&[("mimetype", b"x"), ("content.xml", b"<x/>")]);
    assert!(!refusal(&ods, &said()).is_empty());
    let archive = |names: &[&str]| {
        let path = tempfile::Builder::new().suffix(".zip").tempfile().unwrap().into_temp_path();
        let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        names
            .iter()
            .for_each(|name| archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap());
        archive.finish().unwrap();
        refusal(&path, &said())
    };
    assert!(archive(&["mimetype", "content.xml"]).contains("(.ods)"));
    assert!(archive(&["_rels/.rels", "xl/workbook.bin"]).contains("(.xlsb)"));
    assert!(archive(&["people.csv"]).contains("unpack it first"));
}
