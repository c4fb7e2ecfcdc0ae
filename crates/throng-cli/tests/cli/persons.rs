//! Tables with several rows of one person: k rows of one person are not a crowd.

use std::fmt::Write as _;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Discharges of 60 patients, of whom each has one to four; the number of a patient is in the first column.
fn discharges(header: &str) -> Sandbox {
    let mut text = format!("{header}\n");
    for stay in 0..4_u32 {
        for patient in (0..60_u32).filter(|patient| patient % 4 >= stay) {
            let (year, month) = (1930 + patient * 37 % 70, 1 + patient * 5 % 12);
            let (sex, zip) =
                (if patient * patient % 7 < 3 { "f" } else { "m" }, 10_000 + patient * 613 % 900);
            let (day, illness) =
                (1 + (patient + 9 * stay) % 28, ["flu", "gout", "cold"][((patient + stay) % 3) as usize]);
            writeln!(
                text,
                "P{:05},{year}-{month:02}-17,{sex},{zip},2024-0{}-{day:02},{illness}",
                patient * 7919 % 99_991,
                1 + stay
            )
            .unwrap();
        }
    }
    let sandbox = Sandbox::empty();
    sandbox.write("stays.csv", text);
    sandbox
}

const HEADER: &str = "patient_id,birth_date,sex,zip,discharged,illness";
const FLAGS: &str = "anonymize stays.csv --qi birth_date=auto,sex,zip=auto --identifier patient_id --rest other -k 3 \
                     --algorithm mondrian -o out.csv";

#[test]
fn an_identifier_that_repeats_is_asked_back() {
    let sandbox = discharges(HEADER);
    let refused = sandbox.refused(FLAGS);
    assert!(
        refused.contains("column 'patient_id' is an identifier, and 45 of its values are in several rows"),
        "{refused}"
    );
    assert!(
        refused.contains("person = \"patient_id\"") && refused.contains("person = \"none\""),
        "{refused}"
    );
    assert!(!refused.contains("P0"), "{refused}");
    assert!(!sandbox.path("out.csv").exists());
    sandbox.write(
        "job.toml",
        "input = 'stays.csv'\noutput = 'out.csv'\n[columns]\npatient_id = { role = 'identifier' }\n\
         sex = { role = 'quasi' }\n'*' = { role = 'other' }\n[privacy]\nk = 3\n",
    );
    let compared = sandbox.refused("compare job.toml");
    assert!(compared.contains("in several rows"), "what cannot be released is not compared: {compared}");
}

#[test]
fn either_answer_is_taken() {
    let sandbox = discharges(HEADER);
    sandbox.throng(&format!("{FLAGS} --person none")).done();
    let by_rows = sandbox.throng(&format!("{FLAGS} --person none --json")).done();
    let by_rows: Value = serde_json::from_str(&by_rows).unwrap();
    assert_eq!(by_rows["person"], Value::Null);
    let by_persons = sandbox.throng(&format!("{FLAGS} --person patient_id --json")).done();
    let by_persons: Value = serde_json::from_str(&by_persons).unwrap();
    assert_eq!(by_persons["person"], "patient_id");
    assert!(by_persons["achieved"]["k"].as_u64().unwrap() >= 3);
}

#[test]
fn none_is_no_column() {
    let sandbox = discharges("none,birth_date,sex,zip,discharged,illness");
    let flags = FLAGS.replace("patient_id", "none");
    let refused = sandbox.refused(&format!("{flags} --person none"));
    assert!(refused.contains("the table has a column 'none'") && refused.contains("rename"), "{refused}");
    let refused = sandbox.refused("check stays.csv --qi sex --person none");
    assert!(refused.contains("the table has a column 'none'"), "{refused}");
}

/// Whatever the number of a patient is called.
#[test]
fn init_counts_persons_and_the_release_has_enough_in_each_class() {
    for name in ["patient_id", "Fallnr", "kennz", "x"] {
        let sandbox = discharges(&HEADER.replace("patient_id", name));
        sandbox.throng("init stays.csv").done();
        let job = sandbox.read("stays.toml");
        assert!(job.contains(&format!("person      = \"{name}\"")), "{name}: {job}");
        sandbox.throng("anonymize stays.toml").done();
    }
}

#[test]
fn check_finds_the_column_of_persons_unless_it_is_told() {
    for name in ["patient_id", "kennz"] {
        let sandbox = discharges(&HEADER.replace("patient_id", name));
        let text = sandbox.throng("check stays.csv --qi sex,zip").done();
        assert!(text.contains(&format!("column '{name}' seems to identify people")), "{text}");
        let found = sandbox.throng("check stays.csv --qi sex,zip --json").done();
        let found: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(found["person_columns"][0]["column"], name);
        for said in [name, "none"] {
            let text = sandbox.throng(&format!("check stays.csv --qi sex,zip --person {said}")).done();
            assert!(!text.contains("seems to identify people"), "{text}");
        }
    }
}

/// Several pieces of a person's rows in one cluster are spared once: the search took one of them twice, and panicked.
#[test]
fn what_a_cluster_can_spare_it_spares_once() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "in.csv",
        "pid,age,town,dx\np0,53,Bonn,flu\np2,20,Kiel,flu\np2,20,Kiel,hiv\np2,20,Kiel,gout\np0,53,Bonn,cold\n\
         p0,53,Bonn,hiv\np1,26,Kiel,gout\np0,53,Bonn,hiv\n",
    );
    sandbox.write("town.csv", "Bonn;west;*\nKiel;north;*\nUlm;south;*\n");
    sandbox
        .throng(
            "anonymize in.csv --identifier pid --qi age=auto,town=town.csv --sensitive dx -k 2 --person pid \
         --algorithm sequential -o out.csv --report report.html --what-if 5",
        )
        .done();
}
