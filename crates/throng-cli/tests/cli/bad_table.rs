//! Tables and hierarchies that cannot be read: the message has the row and the column, never a cell.

use crate::sandbox::{AGE, PEOPLE, Sandbox};

/// The message for the small job over another table.
fn with_table(table: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("people.csv", table);
    sandbox.refused("anonymize job.toml")
}

/// The message for the small job with another hierarchy of ages.
fn with_hierarchy(text: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("age.csv", text);
    sandbox.refused("anonymize job.toml")
}

#[test]
fn a_table_has_rows() {
    assert_eq!(with_table(""), "error: people.csv: the file is empty\n");
    let header = PEOPLE.lines().next().unwrap();
    assert_eq!(with_table(header), "error: people.csv: there are no data rows\n");
    assert_eq!(with_table(format!("{header}\n")), "error: people.csv: there are no data rows\n");
}

#[test]
fn every_row_has_every_cell() {
    let short = PEOPLE.replace("Dan Secretname,36,", "Dan Secretname,");
    assert_eq!(with_table(short), "error: people.csv: row 4: 4 cells, expected 5 cells\n");
    let long = PEOPLE.replace("Dan Secretname,36,", "Dan Secretname,36,36,");
    assert_eq!(with_table(long), "error: people.csv: row 4: 6 cells, expected 5 cells\n");
}

#[test]
fn every_column_has_a_name_of_its_own() {
    let message = with_table(PEOPLE.replacen("zip", "sex", 1));
    assert!(message.starts_with("error: people.csv: columns 3 and 4 have the same name"), "{message}");
}

#[test]
fn text_is_utf_8() {
    let mut bytes = PEOPLE.as_bytes().to_vec();
    let at = PEOPLE.find("22345").unwrap();
    bytes[at] = 0xff;
    assert_eq!(
        with_table(&bytes),
        "error: people.csv: row 5, column 'zip': this is not UTF-8 text; give the encoding with --encoding \
            NAME, or convert the file to UTF-8\n"
    );
    let at = PEOPLE.find("gout").unwrap();
    let mut bytes = PEOPLE.as_bytes().to_vec();
    bytes[at] = 0xff;
    let message = with_table(&bytes);
    assert!(message.contains("row 4, column 'illness'"), "an untouched column is looked at too: {message}");
}

#[test]
fn every_value_is_in_its_hierarchy() {
    assert_eq!(
        with_table(PEOPLE.replace(",36,", ",Secret36,")),
        "error: people.csv: row 4, column 'age': the value is not in the hierarchy age.csv \
         (1 value of the column is missing there); add a line for each value\n"
    );
    let message = with_hierarchy(AGE.lines().skip(2).map(|line| format!("{line}\n")).collect::<String>());
    assert!(message.starts_with("error: people.csv: row 1, column 'age'"), "{message}");
    assert!(message.contains("2 values of the column are missing there"), "{message}");
}

#[test]
fn a_value_fits_the_builder_of_its_hierarchy() {
    let sandbox = Sandbox::new();
    sandbox.write("people.csv", PEOPLE.replace(",36,", ",Secret36,"));
    let line =
        "anonymize people.csv --qi age=intervals:5,10 --identifier name --rest other -k 2 -o release.csv";
    let refused = sandbox.refused(line);
    let start = "error: people.csv: row 4, column 'age': the value is not a finite number of at most 36 digits; if it";
    assert!(refused.starts_with(start) && refused.contains("--unknown COLUMN=top"), "{refused}");
}

#[test]
fn a_word_among_decimal_commas_is_named_by_its_row() {
    let sandbox = Sandbox::empty();
    let rows: String = (0..40).map(|row| format!("{},{};x\n", 20 + row % 7, row % 10)).collect();
    sandbox.write("people.csv", format!("bmi;note\n{rows}Secret unknown;x\n{rows}"));
    let line = "anonymize people.csv --qi bmi=intervals:5,10 --other note -k 5 -o release.csv";
    let refused = sandbox.refused(line);
    assert!(
        refused.starts_with("error: people.csv: row 41, column 'bmi': the value is not a finite number"),
        "{refused}"
    );
    sandbox.throng(&format!("{line} --unknown bmi=top --suppression 2%")).done();
    assert!(sandbox.read("release.csv").contains("[20; 25)"));
    let profile = sandbox.throng("profile people.csv").done();
    assert!(profile.contains("numbers, but 1 of 81 cells is not a number"), "{profile}");
}

#[test]
fn a_hierarchy_is_a_tree() {
    let message = with_hierarchy(AGE.replace("36;35-39;30-39", "36;35-39;Secret"));
    assert!(message.starts_with("error: age.csv: line 4: column 3 differs from that of line 3"), "{message}");
    assert!(message.contains("each level must be a coarsening of the one below"), "{message}");
    let message = with_hierarchy(AGE.replace("36;35-39;30-39;*", "36;35-39;*"));
    assert!(message.starts_with("error: age.csv: line 3: 3 columns where the first has 4"), "{message}");
    let message = with_hierarchy(AGE.replace("36;35-39", "38;30-34"));
    assert!(
        message.starts_with("error: age.csv: line 4: its first column repeats that of line 3"),
        "{message}"
    );
    let message = with_hierarchy(b"31;\xff;*\n");
    assert_eq!(message, "error: age.csv: line 1: the hierarchy is not UTF-8 text\n");
}

#[test]
fn damaged_files_are_no_failures_of_the_machine() {
    let sandbox = Sandbox::new();
    sandbox.write("people.parquet", "PAR1 and then nothing");
    let message = sandbox.refused("anonymize people.parquet --qi age --rest other -k 2 -o release.csv");
    assert!(message.contains("the end of this Parquet file is missing: it was cut short"), "{message}");
    std::fs::create_dir(sandbox.path("folder.csv")).unwrap();
    let message = sandbox.refused("anonymize folder.csv --qi age --rest other -k 2 -o release.csv");
    assert!(message.starts_with("error: folder.csv: there is no data file in this directory"), "{message}");
}
