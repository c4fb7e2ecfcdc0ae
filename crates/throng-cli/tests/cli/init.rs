//! `throng init`: from just a file to a release that can be checked.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::sandbox::{PEOPLE, Sandbox};

/// A table of some rows under a header; the cell of a row is made from its number.
fn table(header: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header}\n");
    (0..rows).for_each(|at| writeln!(text, "{}", row(at)).unwrap());
    text
}

/// Writes the table, runs `init`, `anonymize` and `check` on it; gives what the last two say.
fn release(sandbox: &Sandbox, name: &str, table: &str) -> (Value, Value) {
    sandbox.write(name, table);
    sandbox.run(&["init", name]).done();
    let job = Path::new(name).with_extension("toml");
    let job = job.to_str().unwrap();
    let json = |args: &[&str]| serde_json::from_str(&sandbox.run(args).done()).expect("one JSON object");
    let report: Value = json(&["anonymize", job, "--json"]);
    let check: Value = json(&["check", job, "--json"]);
    assert_eq!(report["outcome"], "released");
    let k = report["achieved"]["k"].as_u64().unwrap();
    assert!(k >= 5.min(report["rows"].as_u64().unwrap()), "{report}");
    assert!(check["k"].as_u64().unwrap() >= k, "{check}");
    (report, check)
}

#[test]
fn the_summary_says_what_was_written_decided_and_must_be_looked_at() {
    let sandbox = Sandbox::empty();
    let rows = |at: usize| {
        let sex = ["female", "male"][at % 2];
        format!(
            "Secret{at},{},{sex},{:05},{}",
            20 + at * 7 % 50,
            1000 + at * 37 % 300,
            ["flu", "gout"][at % 3 % 2]
        )
    };
    sandbox.write("people.csv", table("name,age,sex,zip,diagnosis", 120, rows));
    let text = sandbox.throng("init people.csv").done();
    insta::assert_snapshot!(text);
    insta::assert_snapshot!("the_job", sandbox.read("people.toml"));
    assert_eq!(sandbox.names(), ["people-hierarchies", "people.csv", "people.toml"]);
    for text in [text, sandbox.read("people.toml")] {
        assert!(!text.contains("Secret") && !text.contains("gout") && !text.contains("female"), "{text}");
    }
    let zip = sandbox.read("people-hierarchies/zip.csv");
    assert!(zip.lines().all(|line| line.starts_with('0') && line.ends_with(";*")), "{zip}");
    sandbox.throng("anonymize people.toml").done();
}

#[test]
fn nothing_is_overwritten_without_force() {
    let sandbox = Sandbox::new();
    sandbox.throng("init people.csv").done();
    let message = sandbox.refused("init people.csv");
    assert_eq!(message, "error: people.toml already exists; --force replaces it\n");

    std::fs::remove_file(sandbox.path("people.toml")).unwrap();
    let message = sandbox.refused("init people.csv");
    assert!(message.contains("people-hierarchies/") && message.contains("exists already"), "{message}");

    let age = sandbox.read("people-hierarchies/age.csv");
    sandbox.write("people-hierarchies/age.csv", "edited;*\n");
    sandbox.write("people.toml", "edited");
    let message = sandbox.refused("init people.csv --force");
    assert!(message.contains("people.toml: cannot write: nothing in the existing file shows"), "{message}");
    sandbox.write("people.toml", "# A job for throng, edited\n");
    sandbox.throng("init people.csv --force").done();
    assert_eq!(sandbox.read("people-hierarchies/age.csv"), age);
    sandbox.throng("anonymize people.toml").done();
}

#[test]
fn what_cannot_be_initialised_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.refused("init none.csv");
    sandbox.refused("init people.csv -o people.csv");
    sandbox.refused("init people.csv -o missing/people.toml");
    sandbox.write("empty.csv", "a,b\n");
    assert!(sandbox.refused("init empty.csv").contains("there are no data rows"));
    sandbox.write("one.csv", "a,b\n1,2\n");
    assert!(sandbox.refused("init one.csv").contains("there is only one row"));
    // A file in the way of the directory.
    sandbox.write("people-hierarchies", "mine");
    let ran = sandbox.throng("init people.csv");
    assert_ne!(ran.code, Some(0));
    assert!(!sandbox.path("people.toml").exists());
    assert_eq!(sandbox.read("people-hierarchies"), "mine");
}

#[test]
fn the_job_may_go_elsewhere() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("jobs")).unwrap();
    sandbox.throng("init people.csv -o jobs/release.toml").done();
    sandbox.throng("anonymize jobs/release.toml").done();
    assert!(sandbox.path("jobs/people-anonymous.csv").exists());
    assert!(sandbox.path("jobs/release-hierarchies/age.csv").exists());
    std::fs::create_dir(sandbox.path("data")).unwrap();
    sandbox.write("data/people.csv", PEOPLE);
    sandbox.throng("init data/people.csv -o below.toml").done();
    assert!(sandbox.read("below.toml").contains("input  = \"data/people.csv\""));
    sandbox.throng("anonymize below.toml").done();
}

#[test]
fn formats_and_dialects_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.throng("anonymize job.toml -o all.parquet --qi sex").done();
    sandbox.throng("init all.parquet").done();
    sandbox.throng("anonymize all.toml").done();
    assert!(sandbox.path("all-anonymous.parquet").exists());

    let rows: String = PEOPLE.lines().skip(1).map(|line| format!("{}\n", line.replace(',', "!"))).collect();
    sandbox.write("odd.txt", rows);
    sandbox.throng("init odd.txt --delimiter ! --no-header").done();
    assert!(sandbox.read("odd.toml").contains("[csv]\ndelimiter = \"!\"\nheader = false\n"));
    sandbox.throng("anonymize odd.toml").done();
    assert!(sandbox.read("odd-anonymous.csv").contains('!'));
}

#[test]
fn columns_that_tell_nothing() {
    let sandbox = Sandbox::empty();
    let rows = |at: usize| format!(",x,{}", 20 + at % 30);
    let (report, _) = release(&sandbox, "a.csv", &table("void,single,age", 90, rows));
    assert_eq!(report["levels"].as_object().unwrap().len(), 1, "only the age is generalised");
    // Nothing else to generalise: the table still has a quasi-identifier.
    release(&sandbox, "b.csv", &table("void,type", 9, |_| ",x".to_owned()));
    release(&sandbox, "c.csv", &table("notes", 9, |_| "\"\"".to_owned()));
    release(&sandbox, "few.csv", "age,sex\n31,f\n33,m\n");
}

/// Keys, dates and places are not released as they are for a word of something sensitive beside.
#[test]
fn nothing_that_tells_who_is_kept() {
    let sandbox = Sandbox::empty();
    let header = "age,surgery_date,loan_number,prescription_number,diagnosis_year,treatment_city,\
                  cancer_registry_no,blood_donor_card,drug_test_date,income,diagnosis";
    let day = |at: usize| format!("{}-{:02}-{:02}", 2000 + at % 20, 1 + at * 7 % 12, 1 + at * 11 % 28);
    let row = |at: usize| {
        let registry = if at.is_multiple_of(3) { format!("CR-{at:05}") } else { String::new() };
        let (city, illness) = (["Bonn", "Ulm"][at % 2], ["flu", "gout", "cold"][at % 3]);
        format!(
            "{},{},L{at:06},{},{},{city},{registry},BD{at},{},{}.5,{illness}",
            20 + at % 60,
            day(at),
            700_000 + 3 * at,
            1990 + at % 30,
            day(at * 13),
            20_000 + at * 37 % 9_001
        )
    };
    release(&sandbox, "t.csv", &table(header, 300, row));
    let job = sandbox.read("t.toml");
    for (names, role) in [
        ("loan_number prescription_number cancer_registry_no blood_donor_card", "identifier"),
        ("age surgery_date diagnosis_year treatment_city drug_test_date", "quasi"),
        ("income diagnosis", "sensitive"),
    ] {
        for name in names.split(' ') {
            assert!(job.contains(&format!("{name} = {{ role = \"{role}\"")), "{name}: {job}");
        }
    }
    let exposed = "#   released as it is; 100.0 % of the rows have a value that no other row has\nincome = ";
    assert!(job.contains(exposed), "{job}");
    assert!(job.contains("#   released as it is; no row has a value of its own\ndiagnosis = "), "{job}");
    let text = sandbox.throng("init t.csv --force").done();
    assert!(text.contains("column income: released unchanged, and unique in 100 % of the rows\n"), "{text}");
    assert!(!text.contains("column diagnosis: released"), "{text}");
}

/// When all should be left out, no value is released, however many rows share one.
#[test]
fn tables_of_nothing_but_identifiers() {
    let sandbox = Sandbox::empty();
    let names = |at: usize| format!("Person {},{at:09}", at / 20);
    for (file, text) in [
        ("names.csv", table("name", 60, |at| format!("Person {at}"))),
        ("both.csv", table("name,ssn", 60, names)),
        ("most.csv", table("name", 100, |at| format!("Person {}", at / 99))),
        ("codes.csv", "code,key\nx,p\ny,q\nz,r\n".to_owned()),
    ] {
        release(&sandbox, file, &text);
        let output = sandbox.read(&file.replace(".csv", "-anonymous.csv"));
        let rows = text.lines().count() - 1;
        assert_eq!(output.lines().skip(1).filter(|line| *line == "*").count(), rows, "{output}");
        let job = sandbox.read(&file.replace(".csv", ".toml"));
        assert!(job.contains("but a job needs a quasi-identifier: only * is released"), "{job}");
        assert!(!sandbox.path(&file.replace(".csv", "-hierarchies")).exists());
    }
    // One value everywhere would be released as it is.
    sandbox.write("one.csv", table("name", 60, |_| "Ann Miller".to_owned()));
    let message = sandbox.refused("init one.csv");
    assert!(message.contains("every column should be left out") && !message.contains("Ann"), "{message}");
}

/// Row names of other programs, and a comma too many.
#[test]
fn columns_without_a_name() {
    let sandbox = Sandbox::empty();
    let row = |at: usize| format!("{at},{},{}", 20 + at % 40, ["m", "f"][at % 2]);
    release(&sandbox, "rows.csv", &table(",age,sex", 120, row));
    assert!(sandbox.read("rows.toml").contains("column_1 = { role = \"identifier\" }"));
    release(&sandbox, "comma.csv", &table("age,sex,", 120, |at| format!("{},{},", 20 + at % 40, at % 2)));
    assert!(sandbox.read("comma-anonymous.csv").starts_with("age,sex,column_3\n"));
    assert!(sandbox.throng("profile comma.csv").done().contains("column_3"));
    let flags = "--qi age --qi sex --rest identifier -k 2 -o out.csv";
    sandbox.throng(&format!("anonymize rows.csv {flags}")).done();
    sandbox.throng("check rows.csv --qi column_1").done();

    sandbox.write("doubt.csv", "Bonn,,m\nUlm,x,m\nKiel,y,f\n");
    let message = sandbox.refused("init doubt.csv");
    assert!(message.contains("column 2 has no name; the first row may be data"), "{message}");
    sandbox.throng("init doubt.csv --no-header").done();
    sandbox.throng("anonymize doubt.toml").done();
    sandbox.write("twice.csv", "a,b,a\n1,2,3\n");
    assert!(!sandbox.refused("init twice.csv").contains("header"));
}

/// A person's cells are no names of columns.
#[test]
fn a_first_row_that_may_be_a_person_is_asked_about() {
    let sandbox = Sandbox::empty();
    let person =
        |at: usize| format!("Person{at},{},{}", ["Bonn", "Ulm"][at % 2], ["flu", "gout"][at / 2 % 2]);
    sandbox.write("doubt.csv", table("Greta Koch,Hamburg,asthma", 60, person));
    for command in ["init doubt.csv", "profile doubt.csv", "check doubt.csv"] {
        let message = sandbox.refused(command);
        assert!(message.contains("--header") && message.contains("--no-header"), "{message}");
        assert!(!message.contains("Koch") && !message.contains("Hamburg"), "{message}");
    }
    sandbox.throng("init doubt.csv --no-header").done();
    sandbox.throng("anonymize doubt.toml").done();
    assert!(!sandbox.read("doubt-anonymous.csv").contains("Koch"));
    // Who names a column has told.
    let flags = "--qi Hamburg --rest identifier -k 2 -o out.csv";
    sandbox.throng(&format!("anonymize doubt.csv {flags}")).done();
}

/// Files of programs that say the delimiter in a line of its own.
#[test]
fn a_line_that_says_the_delimiter_is_no_row() {
    let sandbox = Sandbox::empty();
    let row = |at: usize| format!("{};{}", 20 + at % 10, ["m", "f"][at % 2]);
    sandbox.write("excel.csv", format!("sep=;\n{}", table("age;sex", 60, row)));
    sandbox.throng("anonymize excel.csv --qi age,sex -k 2 -o out.csv").done();
    let output = sandbox.read("out.csv");
    assert!(output.starts_with("age;sex\n") && output.lines().count() == 61, "{output}");
}

/// What is said about rows that are left out is true of the search.
#[test]
fn rows_that_are_left_out() {
    let sandbox = Sandbox::empty();
    let small = |at: usize| format!("{},{}", 20 + at % 40, at % 2);
    sandbox.write("small.csv", table("age,sex", 120, small));
    let text = sandbox.throng("init small.csv").done();
    assert!(text.contains("at most 2 % of them left out; search by auto\n"), "{text}");
    assert!(sandbox.read("small.toml").contains("# Up to this share of the rows may be left out"));

    let header: Vec<String> = (0..12).map(|at| format!("x{at}")).collect();
    let row =
        |at: usize| (0..12).map(|c| ((at * (c + 3)) % (50 + c)).to_string()).collect::<Vec<_>>().join(",");
    sandbox.write("wide.csv", table(&header.join(","), 300, row));
    let text = sandbox.throng("init wide.csv").done();
    assert!(text.contains("at most 2 % of them left out; search by sequential\n"), "{text}");
    assert!(sandbox.read("wide.toml").contains("# Up to this share of the rows may be left out"));
    let report = sandbox.throng("anonymize wide.toml --json").done();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report["suppressed_rows"].as_u64() <= Some(6), "{report}");
}

/// Both ways of writing in one column are text, and the summary says what would help.
#[test]
fn numbers_with_commas() {
    let sandbox = Sandbox::empty();
    let row = |at: usize| format!("{},{};{}", 50 + at % 40, at % 10, ["m", "f"][at % 2]);
    release(&sandbox, "t.csv", &table("weight;sex", 60, row));
    let said = sandbox.throng("init t.csv --force").done();
    assert!(said.contains("weight  quasi  decimal comma  'weight' in its name"), "{said}");
    assert!(!said.contains("numbers with a comma"), "{said}");
    let row =
        |at: usize| format!("{}{}{};{}", 50 + at % 40, [",", "."][at % 2], at % 10, ["m", "f"][at / 2 % 2]);
    sandbox.write("t.csv", table("weight;sex", 60, row));
    let said = sandbox.throng("init t.csv --force").done();
    let note = "column weight: 30 cells are numbers with a comma: read as text; with a point they would be";
    assert!(said.contains(note), "{said}");
}

#[test]
fn times_of_day() {
    let sandbox = Sandbox::empty();
    let time = |at: usize| format!("{:02}:{:02}:{:02}", at * 7 % 24, at * 11 % 60, at * 13 % 60);
    let hierarchy = as_quasi(&sandbox, &table("seen", 400, time), "seen");
    assert!(line(&hierarchy, "00:00:00").contains(";00:*****;"), "{hierarchy}");
}

/// Columns that the job should generalise, however odd they are.
fn as_quasi(sandbox: &Sandbox, table: &str, column: &str) -> String {
    sandbox.write("odd.csv", table);
    let _ = std::fs::remove_file(sandbox.path("odd-anonymous.csv"));
    sandbox.throng("init odd.csv --force").done();
    let (job, hierarchy) = (sandbox.read("odd.toml"), format!("odd-hierarchies/{column}.csv"));
    assert!(
        job.contains(&format!("{column} = {{ role = \"quasi\", hierarchy = \"{hierarchy}\" }}")),
        "{job}"
    );
    let report = sandbox.throng("anonymize odd.toml --json").done();
    assert!(report.contains("\"outcome\": \"released\""), "{report}");
    sandbox.throng("check odd.toml --require 5").done();
    sandbox.throng(&format!("hierarchy show {hierarchy}")).done();
    sandbox.read(&hierarchy)
}

fn line<'a>(hierarchy: &'a str, value: &str) -> &'a str {
    hierarchy.lines().find(|line| line.starts_with(&format!("{value};"))).unwrap()
}

#[test]
fn numbers_with_words_among_them() {
    let sandbox = Sandbox::empty();
    let age = |at: usize| match at % 20 {
        3 => "unknown".to_owned(),
        7 => "NaN".to_owned(),
        11 => "-inf".to_owned(),
        _ => (at as i64 % 40 - 10).to_string(),
    };
    let hierarchy = as_quasi(&sandbox, &table("age", 400, age), "age");
    assert!(line(&hierarchy, "-10").contains("<"), "{hierarchy}");
    assert!(line(&hierarchy, "unknown").contains("unknown"), "{hierarchy}");
    assert!(line(&hierarchy, "NaN").ends_with("\"{-inf, NaN, unknown}\";*"), "{hierarchy}");
}

#[test]
fn dates_in_two_formats() {
    let sandbox = Sandbox::empty();
    let born = |at: usize| {
        let (day, month, year) = (1 + at % 28, 1 + at % 12, 1960 + at % 40);
        if at.is_multiple_of(3) {
            format!("{year}-{month:02}-{day:02}")
        } else {
            format!("{day:02}.{month:02}.{year}")
        }
    };
    let hierarchy = as_quasi(&sandbox, &table("born", 500, born), "born");
    assert!(hierarchy.lines().all(|line| line.contains("0s;*")), "{hierarchy}");
}

#[test]
fn codes_keep_their_zeros() {
    let sandbox = Sandbox::empty();
    let hierarchy = as_quasi(&sandbox, &table("zip", 300, |at| format!("{:05}", at % 60 * 7)), "zip");
    assert_eq!(line(&hierarchy, "00007").split(';').nth(1), Some("0000*"));
    assert!(!hierarchy.contains("<"), "{hierarchy}");
}

/// Sets refuse such values, as nobody could tell them from a set; hierarchies do not.
#[test]
fn values_that_look_like_sets() {
    let sandbox = Sandbox::empty();
    let json = |at: usize| format!("\"{{\"\"a\"\": {}, \"\"b\"\": [{}]}}\",{}", at % 7, at % 2, 20 + at % 40);
    let json = table("payload,age", 300, json);
    let hierarchy = as_quasi(&sandbox, &json, "payload");
    assert_eq!(hierarchy.lines().count(), 14);
    let job = sandbox.read("odd.toml");
    assert!(job.contains("#   note: 300 cells look like sets ({…})"), "{job}");
    let message = sandbox.refused("anonymize odd.toml --qi payload=set --algorithm mondrian");
    assert!(message.contains("row 1, column 'payload'"), "{message}");

    // Values that are spelled like the groups that are built of them.
    let tags = ["{a}", "{b}", "\"{{a}, {b}}\"", "\"{a, b}\"", "*", "a +2 more", "{}"];
    let tagged = table("tag,job", 420, |at| format!("{},{}", tags[at % 7], tags[at * at % 7]));
    as_quasi(&sandbox, &tagged, "tag");
    release(&sandbox, "only.csv", &table("payload", 60, |at| format!("{{{at}}}")));
    let long = |at: usize| format!("\"{{\n\"\"a\"\": {at}\n}}\",{}", at % 9);
    release(&sandbox, "long.csv", &table("payload,age", 200, long));
}

#[test]
fn a_hundred_thousand_categories() {
    let sandbox = Sandbox::empty();
    let town = |at: usize| format!("town of {},{}", at % 100_000, 20 + at % 60);
    let hierarchy = as_quasi(&sandbox, &table("town,age", 210_000, town), "town");
    assert_eq!(hierarchy.lines().count(), 100_000);
}

#[test]
fn names_and_values_that_are_hard_to_write_down() {
    let sandbox = Sandbox::empty();
    let header = "\"a.b \"\"c\"\"\",Größe 🎂,\"x\nz\",con,CON,*,#";
    let cell =
        |at: usize| ["\";\"", "\"a \"\"b\"\"\"", "\" , \"", "\"l\n\"", "[]", "*", "\"{a, b}\"", ""][at % 8];
    let row = |at: usize| {
        let (a, b, c) = (cell(at), cell(at / 8), cell(at / 3));
        format!("{a},{b},{},{c},{},star,{}", 1.5 * (at % 9) as f64, at % 4, at % 3)
    };
    release(&sandbox, "it's hard.csv", &table(header, 240, row));
    let files = std::fs::read_dir(sandbox.path("it's hard-hierarchies")).unwrap();
    let mut files: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(
        files,
        ["Größe__.csv", "_.csv", "a_b__c_.csv", "column_CON-2.csv", "column_con.csv", "x_z.csv"]
    );
}

#[test]
fn the_demo_table_and_wide_tables() {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 3000 --dir demo").done();
    sandbox.write("hospital.csv", sandbox.read("demo/hospital.csv"));
    sandbox.throng("init hospital.csv").done();
    sandbox.throng("anonymize hospital.toml").done();
    sandbox.throng("check hospital.toml --require 5").done();

    let header: Vec<String> = (0..60).map(|at| format!("x{at}")).collect();
    let row =
        |at: usize| (0..60).map(|c| ((at * (c + 3)) % (5 + c)).to_string()).collect::<Vec<_>>().join(",");
    release(&sandbox, "wide.csv", &table(&header.join(","), 500, row));
    // Somebody decides that all of them are known to others.
    let job = sandbox.read("wide.toml").replace("role = \"identifier\"", "role = \"quasi\"");
    sandbox.write("wide.toml", job);
    sandbox.throng("anonymize wide.toml").done();
}

/// k rows of one patient are no crowd: the job counts patients, and no class holds fewer than k of them.
#[test]
fn patients_with_several_stays_are_counted_once() {
    let sandbox = Sandbox::empty();
    let stay = |at: usize| {
        let patient = at % 120;
        let ward = ["A", "B", "C"][at % 7 % 3];
        format!(
            "P{patient:03},{},{},{ward},{}",
            ["f", "m"][patient % 2],
            1930 + patient * 7 % 60,
            ["flu", "gout"][(at / 120 + at) % 2]
        )
    };
    sandbox.write("stays.csv", table("patient_id,sex,birth_year,ward,diagnosis", 420, stay));
    let profile = sandbox.throng("profile stays.csv").done();
    let line = "  patient_id  120 people  sex, birth_year the same in all rows of each\n";
    assert!(profile.contains(line), "{profile}");
    let text = sandbox.throng("init stays.csv").done();
    assert!(text.contains("k = 5 for 420 rows of 120 people, by patient_id;"), "{text}");
    let job = sandbox.read("stays.toml");
    assert!(job.contains("\nperson      = \"patient_id\"\n"), "{job}");

    // The release has no patients; they are counted by the order of the rows, which stays.
    let report = sandbox.throng("anonymize stays.toml --suppression 0.0 --order keep --json").done();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report["achieved"]["k"].as_u64().unwrap() >= 5, "{report}");
    let release = sandbox.read("stays-anonymous.csv");
    let mut patients = std::collections::BTreeMap::<&str, std::collections::BTreeSet<usize>>::new();
    for (at, line) in release.lines().skip(1).enumerate() {
        let class = line.rsplit_once(',').unwrap().0;
        patients.entry(class).or_default().insert(at % 120);
    }
    assert_eq!(release.lines().count(), 421);
    assert!(patients.values().all(|patients| patients.len() >= 5), "{patients:?}");
}

/// A job and its hierarchies show values of the table, so nobody may read them who may not read that, whatever
/// the system gives new files.
#[cfg(unix)]
#[test]
fn files_made_of_a_table_have_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 100 --dir demo").done();
    let table = sandbox.path("demo/hospital.csv");
    std::fs::set_permissions(&table, std::fs::Permissions::from_mode(0o600)).unwrap();
    let commands = [
        "umask 0; \"$0\" -q init demo/hospital.csv -o made.toml",
        "umask 0; \"$0\" -q hierarchy build --from demo/hospital.csv --column sex --auto -o sex.csv",
    ];
    for command in commands {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command, env!("CARGO_BIN_EXE_throng")]).current_dir(sandbox.dir());
        let done = shell.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let hierarchies = std::fs::read_dir(sandbox.path("made-hierarchies")).unwrap();
    let mut made: Vec<_> = hierarchies.map(|entry| entry.unwrap().path()).collect();
    assert!(!made.is_empty());
    made.extend(["made.toml", "sex.csv"].map(|name| sandbox.path(name)));
    made.iter().for_each(|path| assert_eq!(mode(path), 0o600, "{}", path.display()));
}
