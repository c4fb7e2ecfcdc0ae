//! What looks like people is never shown, even where it is to be a quasi-identifier.

use serde_json::Value;

use crate::sandbox::Sandbox;

const FIRST: [&str; 6] = ["Greta", "Jan", "Maria", "Anna", "Paul", "Ana"];
const LAST: [&str; 6] = ["Koch", "Nowak", "Rossi", "Weber", "Dupont", "Costa"];

/// Stays of 36 people by their names, of whom each has five; a third of all rows is of the six first.
fn stays() -> Sandbox {
    let mut text = String::from("Patientenname;alter;ort;befund\n");
    for row in 0..180_usize {
        let person = if row % 3 == 0 { row % 6 } else { row % 36 };
        let name = format!("{}, {}", LAST[person / 6], FIRST[person % 6]);
        let (age, town) = (20 + 3 * (person % 8), ["Bonn", "Kiel", "Ulm"][person % 3]);
        text.push_str(&format!("{name};{age};{town};{}\n", ["flu", "gout", "cold"][row % 3]));
    }
    let sandbox = Sandbox::empty();
    sandbox.write("stays.csv", text);
    sandbox
}

/// Refuses a text with a part of a name in it.
fn refuse_names(text: &str, context: &str) {
    for name in FIRST.iter().chain(&LAST) {
        // A town has letters of a name in it, a report words: only whole words count.
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        assert!(!words.any(|word| word == *name), "{context} shows {name}:\n{text}");
    }
}

const FLAGS: &str = "--rest other -k 8 --suppression 20% --person none -o out.csv";

const FULL_DOMAIN: [&str; 4] = ["flash", "ola", "datafly", "samarati"];
const CUT: [&str; 1] = ["ascent"];
const LOCAL: [&str; 5] = ["mondrian", "sequential", "agglomerative", "forest", "spatial-distance"];

/// Anonymizes the stays, and returns the summary; neither that nor the release shows a name.
fn release(sandbox: &Sandbox, way: &str, algorithm: &str) -> Value {
    let context = format!("{algorithm}, {way}");
    let run = sandbox.throng(&format!(
        "anonymize stays.csv --qi {way},alter=auto,ort {FLAGS} --algorithm {algorithm} --json"
    ));
    refuse_names(&run.stderr, &context);
    let summary = run.done();
    refuse_names(&summary, &context);
    refuse_names(&sandbox.read("out.csv"), &context);
    serde_json::from_str(&summary).unwrap()
}

#[test]
fn names_are_shown_nowhere_whatever_the_algorithm_and_the_way() {
    let (mut exact, mut sets) = (0, 0);
    let ways = ["Patientenname", "Patientenname=auto", "Patientenname=set"];
    for algorithm in FULL_DOMAIN.iter().chain(&CUT).chain(&LOCAL) {
        for way in ways.iter().filter(|way| LOCAL.contains(algorithm) || !way.ends_with("set")) {
            let (sandbox, context) = (stays(), format!("{algorithm}, {way}"));
            let summary = release(&sandbox, way, algorithm);
            let cells = |column: usize| &summary["columns"][column]["cells"];
            assert_eq!(
                (&cells(0)["numbered"], &cells(1)["numbered"]),
                (&true.into(), &false.into()),
                "{context}"
            );
            let warnings = summary["warnings"].to_string();
            assert!(
                warnings.contains("'Patientenname' seems to name people: its values are released as numbers")
            );
            exact += u32::from(cells(0)["exact"].as_f64().unwrap() > 0.0);
            sets += u32::from(sandbox.read("out.csv").contains("{value "));
            let checked =
                sandbox.throng("check out.csv --qi Patientenname,alter,ort -k 8 --person none --json").done();
            refuse_names(&checked, &context);
            let checked: Value = serde_json::from_str(&checked).unwrap();
            assert_eq!(checked["k"], summary["achieved"]["k"], "{context}");
        }
    }
    assert!(exact > 5 && sets > 0, "numbers stand for exact cells, and are in sets: {exact}, {sets}");
}

/// The table, the job and the program are the same: who has them all cannot find out which number is whose.
#[test]
fn numbers_of_people_are_drawn_anew() {
    for way in ["Patientenname", "Patientenname=auto", "Patientenname=set"] {
        let sandbox = stays();
        let mut releases = Vec::new();
        for _ in 0..2 {
            release(&sandbox, way, "mondrian");
            releases.push(sandbox.read("out.csv"));
        }
        assert_ne!(releases[0], releases[1], "{way}");
        // What numbers have no order for is the same.
        let without_numbers = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split_once(';').unwrap().1.to_owned()).collect()
        };
        if way == "Patientenname" {
            assert_eq!(without_numbers(&releases[0]), without_numbers(&releases[1]));
        }
    }
}

#[test]
fn what_reads_a_release_and_its_table_shows_no_name() {
    for (way, algorithm) in
        [("", "flash"), ("hierarchy = { auto = true }, ", "sequential"), ("generalise = 'set', ", "forest")]
    {
        let sandbox = stays();
        sandbox.write(
            "job.toml",
            format!(
                "input = 'stays.csv'\noutput = 'out.csv'\n[columns]\nPatientenname = {{ {way}role = 'quasi' }}\n\
                 alter = {{ role = 'quasi', hierarchy = {{ auto = true }} }}\nort = {{ role = 'quasi' }}\n\
                 befund = {{ role = 'sensitive' }}\n[privacy]\nk = 3\nsuppression = 0.2\nperson = 'none'\n\
                 [search]\nalgorithm = '{algorithm}'\n"
            ),
        );
        let told = sandbox.throng("anonymize job.toml --report page.html --log log.txt");
        refuse_names(&told.stderr, algorithm);
        refuse_names(&told.done(), algorithm);
        for command in
            ["check job.toml", "check job.toml out.csv", "attack job.toml --allow", "report job.toml"]
        {
            let ran = sandbox.throng(command);
            refuse_names(&ran.stderr, command);
            refuse_names(&ran.done(), command);
        }
        let compared = sandbox.throng("compare job.toml --algorithms forest:generalise=range-or-set");
        refuse_names(&compared.done(), "compare");
        for file in sandbox.names().iter().filter(|name| *name != "stays.csv") {
            refuse_names(&sandbox.read(file), file);
        }
    }
}

/// Numbers, sets of them and groups are read by those who have the table and the release, but not the numbers.
#[test]
fn numbers_are_understood_by_who_compares() {
    let kinds =
        [("", "value "), ("hierarchy = { auto = true }, ", "group "), ("generalise = 'set', ", "{value ")];
    for (way, shown) in kinds {
        let sandbox = stays();
        sandbox.write(
            "job.toml",
            format!(
                "input = 'stays.csv'\noutput = 'out.csv'\n[columns]\nPatientenname = {{ {way}role = 'quasi' }}\n\
                 alter = {{ role = 'quasi', hierarchy = {{ auto = true }} }}\nort = {{ role = 'quasi' }}\n\
                 befund = {{ role = 'other' }}\n[privacy]\nk = 12\nperson = 'none'\n\
                 [search]\nalgorithm = 'sequential'\n"
            ),
        );
        let summary: Value =
            serde_json::from_str(&sandbox.throng("anonymize job.toml --json").done()).unwrap();
        assert!(sandbox.read("out.csv").contains(shown), "{way}");
        // Row by row: nothing is left out.
        let checked: Value =
            serde_json::from_str(&sandbox.throng("check job.toml out.csv --json").done()).unwrap();
        assert_eq!(checked["degrees"]["k"], summary["achieved"]["k"], "{way}");
        // An adversary who does not know the numbers finds no fewer rows than there are in a class.
        let attacked: Value =
            serde_json::from_str(&sandbox.throng("attack job.toml --allow --json").done()).unwrap();
        assert_eq!((&attacked["stray_rows"], &attacked["left_out_rows"]), (&0.into(), &0.into()), "{way}");
        assert!(attacked["neighbours"]["fewest"].as_u64().unwrap() >= 12, "{way}");
        sandbox.throng("report job.toml").done();
    }
}

#[test]
fn who_writes_a_hierarchy_is_warned_that_names_are_released() {
    let sandbox = stays();
    let names: std::collections::BTreeSet<String> = sandbox
        .read("stays.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(';').next().unwrap().to_owned())
        .collect();
    let text: String = names.iter().map(|name| format!("{name};{};*\n", &name[..1])).collect();
    sandbox.write("names.csv", text);
    let told = sandbox
        .throng(&format!("anonymize stays.csv --qi Patientenname=names.csv,ort {FLAGS} --json"))
        .done();
    let told: Value = serde_json::from_str(&told).unwrap();
    let warnings = told["warnings"].to_string();
    assert!(
        warnings.contains("'Patientenname' seems to name people, and the hierarchy is your own"),
        "{warnings}"
    );
    assert!(warnings.contains("released exactly"), "{warnings}");
    assert_eq!(told["columns"][0]["cells"]["numbered"], false);
}

#[test]
fn what_would_show_names_without_a_rule_is_refused() {
    let sandbox = stays();
    let refused = sandbox.refused(&format!("anonymize stays.csv --qi Patientenname=prefix,ort {FLAGS}"));
    assert!(refused.contains("column 'Patientenname': its values look as if they name people"), "{refused}");
    assert!(refused.contains("generalise = \"set\""), "{refused}");
    refuse_names(&refused, "the refusal");
    assert!(!sandbox.path("out.csv").exists());
}

#[test]
fn a_release_of_others_that_shows_names_is_read() {
    let sandbox = stays();
    sandbox.write("theirs.csv", sandbox.read("stays.csv").replace(";Bonn;", ";*;"));
    let attacked =
        sandbox.throng("attack stays.csv theirs.csv --qi Patientenname,alter,ort --sensitive befund --json");
    assert_eq!(attacked.code, Some(1), "{}", attacked.stderr);
    let checked = sandbox.throng("check stays.csv theirs.csv --qi Patientenname,alter,ort --json");
    refuse_names(&checked.done(), "check");
}
