//! Flags that say how a table is spelled.

use crate::sandbox::Sandbox;

const FLAGS: &str = "--rest identifier -k 2 --algorithm flash -o out.csv";

fn cells(sandbox: &Sandbox) -> Vec<String> {
    sandbox.read("out.csv").lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn decimals_dates_and_unknown_values() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "t.csv",
        "cost;born\n1,234;03/02/2024\n5,678;04/02/2024\n1,235;03/05/2023\n5,679;01/01/2023\n",
    );
    let message = sandbox.refused(&format!("anonymize t.csv --qi cost=intervals:10 {FLAGS}"));
    assert!(message.contains("column 'cost'") && message.contains("--decimal"), "{message}");
    sandbox.throng(&format!("anonymize t.csv --qi cost=intervals:1 --decimal , {FLAGS}")).done();
    assert_eq!(cells(&sandbox), ["\"[1; 2)\"", "\"[5; 6)\"", "\"[1; 2)\"", "\"[5; 6)\""]);

    let dates = format!("anonymize t.csv --qi born=dates:year {FLAGS}");
    let message = sandbox.refused(&dates);
    assert!(message.contains("column 'born'") && message.contains("--date-format"), "{message}");
    sandbox.throng(&format!("{dates} --date-format born=%d/%m/%Y")).done();
    assert_eq!(cells(&sandbox), ["2024", "2024", "2023", "2023"]);
    let message = sandbox.refused(&format!("{dates} --date-format sex=%d"));
    assert!(message.contains("--date-format needs COLUMN=VALUE"), "{message}");

    sandbox.write("born.csv", "03/02/2024;2024;*\n04/02/2024;2024;*\n");
    let file = format!("anonymize t.csv --qi born=born.csv {FLAGS}");
    assert!(sandbox.refused(&file).contains("row 3, column 'born'"));
    sandbox.throng(&format!("{file} --unknown born=top")).done();
    assert_eq!(cells(&sandbox), ["2024", "2024", "*", "*"]);
    assert!(sandbox.refused(&format!("{file} --unknown born=best")).contains("error, top"));
}

#[test]
fn text_of_other_encodings_is_released_as_utf_8() {
    let sandbox = Sandbox::empty();
    let text = "name,city\nx,Köln\ny,Köln\n";
    sandbox.write("t.csv", text.chars().map(|c| u8::try_from(c).unwrap()).collect::<Vec<u8>>());
    sandbox.throng(&format!("anonymize t.csv --qi city {FLAGS}")).done();
    assert_eq!(cells(&sandbox), ["Köln", "Köln"]);
    sandbox.throng(&format!("anonymize t.csv --qi city --encoding windows-1252 {FLAGS}")).done();
    assert_eq!(cells(&sandbox), ["Köln", "Köln"]);
    let message = sandbox.refused(&format!("anonymize t.csv --qi city --encoding utf-8 {FLAGS}"));
    assert!(message.contains("row 1, column 'city': this is not UTF-8 text"), "{message}");
    assert!(sandbox.refused("profile t.csv --encoding klingon").contains("unknown encoding"));
}

#[test]
fn a_release_has_the_encoding_that_was_asked_for_and_is_read_back_in_it() {
    let sandbox = Sandbox::empty();
    sandbox.write("t.csv", "name,city\nx,Köln\ny,Köln\nz,Köln\n");
    for encoding in ["windows-1252", "utf-16le", "utf-16be", "macintosh"] {
        let line = format!("anonymize t.csv --qi city --output-encoding {encoding} {FLAGS}");
        sandbox.throng(&line).done();
        let bytes = std::fs::read(sandbox.path("out.csv")).unwrap();
        assert!(std::str::from_utf8(&bytes).is_err(), "{encoding}");
        let check = sandbox.throng(&format!("check out.csv --qi city --encoding {encoding} --json")).done();
        assert!(check.contains("\"k\":3") || check.contains("\"k\": 3"), "{encoding}: {check}");
    }
    sandbox.write("t.csv", "name,city\nx,Łódź\ny,Łódź\n");
    let line = format!("anonymize t.csv --qi city --output-encoding windows-1252 {FLAGS}");
    let before = sandbox.names();
    let ran = sandbox.throng(&line);
    assert_eq!((ran.code, sandbox.names()), (Some(2), before));
    assert!(ran.stderr.contains("characters that windows-1252 does not have"), "{}", ran.stderr);
    let line = "anonymize t.csv --qi city -k 2 --rest identifier --output-encoding latin1 -o o.parquet";
    assert!(sandbox.refused(line).contains("a Parquet file has no encoding"));
}

#[test]
fn the_separator_of_a_hierarchy_can_be_said() {
    let sandbox = Sandbox::empty();
    sandbox.write("t.csv", "name,job\na,nurse;ward\nb,nurse;ward\nc,cook;hall\nd,cook;hall\n");
    // Under either separator every line has as many labels, and none ends in *.
    sandbox.write("job.csv", "nurse;ward,staff\ncook;hall,staff\n");
    let line = format!("anonymize t.csv --qi job=job.csv --person none {FLAGS}");
    sandbox.refused(&line);
    sandbox.throng(&format!("{line} --hierarchy-separator ,")).done();
    assert_eq!(cells(&sandbox), ["nurse;ward", "nurse;ward", "cook;hall", "cook;hall"]);
    let message = sandbox.refused(&format!("{line} --hierarchy-separator x"));
    assert!(message.contains("the separator of a hierarchy is ';', ',' or a tab"), "{message}");
    let columns = "job = { role = 'quasi', hierarchy = { file = 'job.csv', separator = ',' } }\n\
                   name = { role = 'identifier' }\n";
    let job = format!("input = 't.csv'\noutput = 'out.csv'\n[columns]\n{columns}[privacy]\nk = 2\n");
    sandbox.write("job.toml", job);
    sandbox.throng("anonymize job.toml").done();
    assert_eq!(cells(&sandbox), ["nurse;ward", "nurse;ward", "cook;hall", "cook;hall"]);
}
