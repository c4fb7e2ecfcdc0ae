//! Workbooks of Excel, as people have them.

use std::fs::File;
use std::io::Read;

use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};

use crate::sandbox::{PEOPLE, Sandbox};

/// A table as an office keeps it: a title above it, totals below it, and another sheet.
fn office(sandbox: &Sandbox) {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("People").unwrap();
    sheet.merge_range(0, 0, 0, 5, "Patients of the ward", &Format::new().set_bold()).unwrap();
    let date = Format::new().set_num_format("dd.mm.yyyy");
    for (row, line) in (2..).zip(PEOPLE.lines()) {
        for (column, cell) in (0..).zip(line.split(',')) {
            match cell.parse::<f64>() {
                Ok(number) => sheet.write_number(row, column, number).unwrap(),
                Err(_) => sheet.write_string(row, column, cell).unwrap(),
            };
        }
        match row {
            2 => drop(sheet.write_string(2, 5, "seen").unwrap()),
            row => {
                let seen = ExcelDateTime::from_ymd(2024, 3, row as u8).unwrap();
                sheet.write_datetime_with_format(row, 5, &seen, &date).unwrap();
            }
        }
    }
    sheet.write_string(12, 0, "Total").unwrap().write_number(12, 1, 320).unwrap();
    let codes = book.add_worksheet().set_name("Codes").unwrap();
    codes.write_string(0, 0, "code").unwrap().write_string(1, 0, "x").unwrap();
    book.save(sandbox.path("office.xlsx")).unwrap();
}

/// All bytes of a workbook's parts.
fn unpack(sandbox: &Sandbox, name: &str) -> String {
    let mut archive = zip::ZipArchive::new(File::open(sandbox.path(name)).unwrap()).unwrap();
    let mut text = String::new();
    for at in 0..archive.len() {
        archive.by_index(at).unwrap().read_to_string(&mut text).unwrap();
    }
    text
}

#[test]
fn from_a_workbook_to_a_release_and_its_check() {
    let sandbox = Sandbox::empty();
    office(&sandbox);
    let asked = sandbox.refused("profile office.xlsx");
    assert!(
        asked.contains("2 sheets with cells, 'People', 'Codes'") && asked.contains("--sheet NAME"),
        "{asked}"
    );
    let unknown = sandbox.refused("profile office.xlsx --sheet Peopel");
    assert!(unknown.contains("did you mean 'People'?"), "{unknown}");
    let totals = sandbox.refused("profile office.xlsx --sheet People");
    assert!(totals.contains("(row 13 of the sheet)") && totals.contains("--totals drop"), "{totals}");
    assert!(!totals.contains("320"), "{totals}");

    let said = "--sheet People --totals drop";
    let profile = sandbox.throng(&format!("profile office.xlsx {said}")).done();
    assert!(profile.contains("8 rows, 6 columns") && profile.contains("date %Y-%m-%d"), "{profile}");
    assert!(!profile.contains("Patients of the ward"), "{profile}");

    sandbox.throng(&format!("init office.xlsx {said}")).done();
    let job = sandbox.read("office.toml");
    assert!(job.contains("[xlsx]\nsheet = \"People\"\ntotals = \"drop\"\n"), "{job}");
    sandbox.throng("anonymize office.toml").done();
    let check = sandbox.throng("check office.toml").done();
    assert!(check.contains("office-anonymous.xlsx"), "{check}");
    assert!(!unpack(&sandbox, "office-anonymous.xlsx").contains("Secretname"));
}

#[test]
fn a_release_is_the_same_table_in_every_format() {
    let sandbox = Sandbox::new();
    let flags = "--qi age --qi sex --qi zip=mask:right --identifier name --sensitive illness -k 2";
    sandbox.throng(&format!("anonymize people.csv {flags} -o plain.csv")).done();
    sandbox.throng(&format!("anonymize people.csv {flags} -o out.xlsx")).done();
    sandbox.throng(&format!("anonymize people.csv {flags} -o again.xlsx")).done();
    assert!(
        std::fs::read(sandbox.path("out.xlsx")).unwrap()
            == std::fs::read(sandbox.path("again.xlsx")).unwrap()
    );
    sandbox.throng("anonymize out.xlsx --qi age,sex,zip --sensitive illness -k 2 -o back.csv").done();
    assert_eq!(sandbox.read("back.csv"), sandbox.read("plain.csv"));
    let k = |table: &str| sandbox.throng(&format!("check {table} --qi age,sex,zip --json")).done();
    let k = |table| serde_json::from_str::<serde_json::Value>(&k(table)).unwrap()["k"].clone();
    assert_eq!(k("out.xlsx"), k("plain.csv"));
}

/// What is suppressed is nowhere in the file, not even where no cell shows it.
#[test]
fn suppressed_values_leave_no_mark() {
    let sandbox = Sandbox::empty();
    let mut table = String::from("age,town,illness\n");
    for row in 0..300 {
        table.push_str(&format!("{},Ulm,flu\n", 20 + row % 3));
    }
    // As many as a masked row needs beside it.
    (0..6).for_each(|row| table.push_str(&format!("{},MARKEDTOWN{row},MARKEDILLNESS\n", 91 + row)));
    sandbox.write("people.csv", table);
    for suppressed in ["drop", "mask"] {
        let flags = format!("--qi age,town --other illness -k 5 --suppression 6 --suppressed {suppressed}");
        let ran = sandbox.throng(&format!("anonymize people.csv {flags} -o {suppressed}.xlsx"));
        ran.done();
        let all = unpack(&sandbox, &format!("{suppressed}.xlsx"));
        assert!(
            all.contains("Ulm") && !all.contains("MARKEDTOWN") && !all.contains("<v>91<"),
            "{suppressed}"
        );
        assert_eq!(
            all.contains("MARKEDILLNESS"),
            suppressed == "mask",
            "what is kept of masked rows is there"
        );
    }
}

#[test]
fn other_workbooks_and_damaged_ones_are_bad_input() {
    let sandbox = Sandbox::empty();
    let compound = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    sandbox.write("old.xls", [&compound[..], &[0; 600]].concat());
    assert!(sandbox.refused("profile old.xls").contains("save it as .xlsx"));
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    sandbox.write("secret.xlsx", [&compound[..], &[0; 600], &name[..]].concat());
    assert!(sandbox.refused("profile secret.xlsx").contains("protected by a password"));
    office(&sandbox);
    let whole = std::fs::read(sandbox.path("office.xlsx")).unwrap();
    sandbox.write("cut.xlsx", &whole[..whole.len() / 2]);
    assert!(sandbox.refused("profile cut.xlsx").contains("damaged or cut short"));
    sandbox.write("a.csv", "a,b\n1,2\n");
    assert!(sandbox.refused("profile a.csv --sheet People").contains("this is not a workbook"));
    assert!(sandbox.refused("profile a.csv --totals sum").contains("drop"));
}

#[test]
fn delimited_text_as_excel_writes_it() {
    let sandbox = Sandbox::empty();
    let rows: String = PEOPLE.lines().map(|line| line.replace(',', ";") + "\r\n").collect();
    let table = format!("\u{feff}sep=;\r\nPatients of the ward;;;;\r\n{rows};;;;\r\n;;;;\r\n");
    sandbox.write("people.csv", &table);
    let profile = sandbox.throng("profile people.csv --skip 1").done();
    assert!(profile.contains("8 rows, 5 columns"), "{profile}");
    let flags = "--qi age --qi sex --qi zip=mask:right --identifier name --sensitive illness -k 2";
    sandbox.throng(&format!("anonymize people.csv --skip 1 {flags} -o out.csv")).done();
    let release = sandbox.read("out.csv");
    assert!(release.starts_with("\u{feff}age;sex;zip;illness\n"), "{release}");
    assert_eq!(release.lines().count(), 9);
    sandbox.write("totals.csv", "age,visits\n31,5\n33,6\nTotal,11\n");
    assert!(sandbox.refused("profile totals.csv").contains("the last row looks like a total"));
    assert!(sandbox.throng("profile totals.csv --totals drop").done().contains("2 rows"));
    sandbox.write("none.csv", "age,visits\n31,5\n31,6\n33,6\n33,7\n");
    let anonymize = |file: &str| {
        let ran = sandbox.throng(&format!(
            "anonymize {file} --qi age --sensitive visits -k 2 -o {file}.out.csv --totals drop"
        ));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout + &ran.stderr
    };
    assert!(anonymize("none.csv").contains("totals = \"drop\" has no effect"));
    sandbox.write("some.csv", "age,visits\n31,5\n31,6\n33,6\n33,7\nTotal,24\n");
    assert!(!anonymize("some.csv").contains("has no effect"));
    assert!(sandbox.throng("profile totals.csv --totals keep").done().contains("3 rows"));
}

/// Excel takes 5-9 of delimited text for a day in September.
#[test]
fn ranges_in_words_are_no_dates() {
    let sandbox = Sandbox::empty();
    sandbox.write("people.csv", "age,visits\n7,1\n8,1\n9,2\n12,1\n11,3\n");
    let job = "input = 'people.csv'\noutput = 'release.csv'\nprivacy.k = 2\n[columns]\nvisits = { role = 'other' }\n\
               age = { role = 'quasi', hierarchy = { intervals = [5, 10], ranges = 'words' } }\n";
    sandbox.write("job.toml", job);
    sandbox.throng("anonymize job.toml").done();
    let release = sandbox.read("release.csv");
    assert_eq!(release, "age,visits\n5 to 9,1\n5 to 9,1\n5 to 9,2\n10 to 14,1\n10 to 14,3\n");
    sandbox.throng("check job.toml").done();
    sandbox.throng("attack job.toml").done();
    sandbox.write("job.toml", job.replace("'words'", "'word'"));
    assert!(sandbox.refused("anonymize job.toml").contains("did you mean 'words'?"));
}
