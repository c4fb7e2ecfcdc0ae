//! What is released as it is: people and typed text are refused or counted, and what tells rows apart is named.

use std::fmt::Write as _;

use serde_json::Value;

use crate::sandbox::Sandbox;

const GIVEN: [&str; 6] = ["Greta", "Jan", "Maria", "Anna", "Paul", "Ana"];
const FAMILY: [&str; 6] = ["Koch", "Nowak", "Rossi", "Weber", "Dupont", "Costa"];
const ILLS: [&str; 5] =
    ["Pneumonie", "Asthma bronchiale", "Fraktur des Femur", "Gicht", "Diabetes mellitus Typ 2"];
const SHORT: [&str; 4] = ["keine", "s. Akte", "Privatpatient", "Dolmetscher"];

fn name(row: usize) -> String {
    format!("{} {}", GIVEN[row % 6], FAMILY[row / 6 % 6])
}

/// 1,200 stays: a quarter of the diagnoses has a relative's name and number in it, every seventh remark is typed.
fn clinic() -> Sandbox {
    let mut text = String::from("Fallnummer;Geschlecht;Alter;Diagnosetext;Bemerkung\n");
    for row in 0..1_200 {
        let mut ill = ILLS[row * 7 % 5].to_owned();
        if row % 4 == 0 {
            write!(ill, ", Angehörige {} 0171 {}", name(row), 1_000_000 + row * 7_919).unwrap();
        }
        let remark = match row % 7 {
            0 => format!("kommt am Morgen des Tages {row} wieder"),
            _ => SHORT[row % 4].to_owned(),
        };
        let (sex, age) = (["m", "w"][row % 2], 20 + row * 13 % 60);
        writeln!(text, "{};{sex};{age};{ill};{remark}", 100_000 + row * 7_919 % 65_536).unwrap();
    }
    let sandbox = Sandbox::empty();
    sandbox.write("clinic.csv", text);
    sandbox
}

/// No message shows a cell.
fn refuse_cells(text: &str) {
    for part in GIVEN.iter().chain(&FAMILY).chain(&["Pneumonie", "example.org"]) {
        assert!(!text.contains(part), "{part}: {text}");
    }
    // A phone number begins a word; the digits of a run's seconds do not.
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '.');
    assert!(!words.any(|word| word.starts_with("0171")), "a phone number: {text}");
}

fn warnings(summary: &str) -> Vec<String> {
    refuse_cells(summary);
    let summary: Value = serde_json::from_str(summary).unwrap();
    let warnings = summary["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning.as_str().unwrap().to_owned()).collect()
}

/// People with names and addresses.
fn people() -> Sandbox {
    let mut text = String::from("who,mail,sex,city,score\n");
    for row in 0..60 {
        let (sex, city) = (["m", "f"][row % 2], ["Bonn", "Kiel", "New York"][row % 3]);
        writeln!(text, "{},u{row}@example.org,{sex},{city},{}", name(row), row % 4).unwrap();
    }
    let sandbox = Sandbox::empty();
    sandbox.write("people.csv", text);
    sandbox
}

#[test]
fn people_that_nobody_decided_about_are_refused() {
    let sandbox = people();
    let refused = sandbox.refused("anonymize people.csv --qi sex --rest other -k 5 --person none -o out.csv");
    assert!(refused.contains("columns 'who' (names of people), 'mail' (e-mail addresses)"), "{refused}");
    assert!(refused.contains("role = \"identifier\"") && refused.contains("role = \"other\""), "{refused}");
    assert!(!refused.contains("'city'") && !refused.contains("'score'"), "{refused}");
    refuse_cells(&refused);
    assert!(!sandbox.path("out.csv").exists());
    sandbox.write(
        "job.toml",
        "input = 'people.csv'\noutput = 'out.csv'\n[columns]\nsex = { role = 'quasi' }\nmail = { role = 'identifier' }\n\
         '*' = { role = 'other' }\n[privacy]\nk = 5\nperson = 'none'\n",
    );
    let refused = sandbox.refused("anonymize job.toml");
    assert!(refused.contains("column 'who' (names of people)") && !refused.contains("'mail'"), "{refused}");
    sandbox.throng("anonymize people.csv --qi sex --rest identifier -k 5 --person none -o out.csv").done();
    sandbox.refused("sql people.csv --qi sex --rest other -k 5 --person none");
}

#[test]
fn people_that_somebody_named_are_released_with_a_warning() {
    let sandbox = people();
    for role in ["other", "sensitive", "target"] {
        let told = sandbox.throng(&format!(
            "anonymize people.csv --qi sex --{role} who --other mail --rest other -k 5 --person none -o out.csv --json"
        ));
        let warnings = warnings(&told.done()).join("\n");
        let expected =
            "column 'who' would show who is in the table (names of people), and is released unchanged";
        assert!(warnings.contains(expected), "{role}: {warnings}");
        assert!(
            warnings.contains("column 'mail' would show who is in the table (e-mail addresses)"),
            "{warnings}"
        );
        assert!(sandbox.read("out.csv").contains("Greta Koch"));
    }
}

const CLINIC: &str =
    "anonymize clinic.csv --identifier Fallnummer --qi Geschlecht,Alter=auto -k 5 -o out.csv";

#[test]
fn text_that_people_typed_is_left_out_by_init() {
    let sandbox = clinic();
    sandbox.throng("init clinic.csv").done();
    let job = sandbox.read("clinic.toml");
    refuse_cells(&job);
    let typed = "# category: free text: some of its cells mention people\n#   note: its name suggests a special category of \
         personal data: health\nDiagnosetext = { role = \"identifier\" }";
    assert!(job.contains(typed), "{job}");
    let remark =
        "# category: free text may hold names or anything else\nBemerkung = { role = \"identifier\" }";
    assert!(job.contains(remark), "{job}");
    sandbox.throng("anonymize clinic.toml").done();
    assert!(!sandbox.read("clinic-anonymous.csv").contains("0171"));
}

#[test]
fn text_that_people_typed_is_refused_unless_the_job_keeps_it() {
    let sandbox = clinic();
    for (role, rest) in [("sensitive", "identifier"), ("target", "identifier"), ("other", "other")] {
        let refused = sandbox.refused(&format!("{CLINIC} --{role} Diagnosetext --rest {rest}"));
        assert!(refused.contains("'Diagnosetext' (some of its cells mention people)"), "{refused}");
        assert_eq!(
            refused.contains("'Bemerkung' (many of its values occur once)"),
            rest == "other",
            "{refused}"
        );
        assert!(refused.contains("text = \"keep\""), "{refused}");
        refuse_cells(&refused);
    }
    assert!(!sandbox.path("out.csv").exists());
    let told = sandbox
        .throng(&format!(
            "{CLINIC} --sensitive Diagnosetext --text Diagnosetext=keep --rest identifier --json"
        ))
        .done();
    let summary: Value = serde_json::from_str(&told).unwrap();
    let column =
        summary["columns"].as_array().unwrap().iter().find(|one| one["name"] == "Diagnosetext").unwrap();
    assert_eq!(column["mentions"], 300);
    let warnings = warnings(&told).join("\n");
    assert!(warnings.contains("300 of its cells mention people"), "{warnings}");
}

#[test]
fn the_report_says_how_many_cells_mention_people() {
    let sandbox = clinic();
    sandbox.write(
        "job.toml",
        "input = 'clinic.csv'\noutput = 'out.csv'\n[columns]\nGeschlecht = { role = 'quasi' }\n\
         Diagnosetext = { role = 'sensitive', text = 'keep' }\n'*' = { role = 'identifier' }\n\
         [privacy]\nk = 5\nperson = 'none'\n",
    );
    sandbox.throng("anonymize job.toml").done();
    sandbox.throng("report job.toml -o page.html").done();
    let page = sandbox.read("page.html");
    assert!(page.contains("300 cells mention people"), "{page}");
    let refused =
        sandbox.refused("anonymize clinic.csv --qi Alter --rest other --text Alter=keep -k 5 -o out.csv");
    assert!(
        refused.contains("'text' is only for the role sensitive or target or other, not quasi"),
        "{refused}"
    );
}

#[test]
fn a_typed_quasi_identifier_is_shown_by_numbers() {
    let sandbox = clinic();
    for way in ["Diagnosetext", "Diagnosetext=auto", "Bemerkung=auto"] {
        let told = sandbox
            .throng(&format!(
                "anonymize clinic.csv --qi {way},Geschlecht --rest identifier -k 5 --suppression 50% --person none \
                 -o out.csv --json"
            ))
            .done();
        refuse_cells(&told);
        let release = sandbox.read("out.csv");
        refuse_cells(&release);
        assert!(!release.contains("kommt am Morgen"), "{release}");
    }
}

#[test]
fn ordinary_tables_are_not_refused() {
    let sandbox = Sandbox::empty();
    for dataset in ["hospital", "art", "donors", "census"] {
        sandbox.throng(&format!("demo --dataset {dataset} --rows 1500 --dir {dataset}")).done();
    }
    let told =
        "anonymize hospital/hospital.csv --qi sex --identifier name --rest other -k 5 -o hospital-5.csv";
    sandbox.throng(told).done();
    let mut text = String::from("sex,city,drug,icd,text,answer,hash,day,job\n");
    let drugs = ["Metformin", "Ibuprofen 400 mg", "Salbutamol", "Insulin glargine"];
    let icds = [
        "Type 2 diabetes mellitus without complications",
        "Essential (primary) hypertension",
        "Morbus Crohn",
    ];
    for row in 0..400_usize {
        let rare = if row % 9 == 0 {
            format!("Other specified disorder of the joint {row}")
        } else {
            icds[row % 3].into()
        };
        writeln!(
            text,
            "{},{},{},J{:02}.{},\"{rare}\",{},{:016x},2024-{:02}-{:02},{}",
            ["f", "m"][row % 2],
            ["San Antonio", "New York", "St. Louis", "Bad Homburg"][row * 3 % 4],
            drugs[row * 5 % 4],
            row % 90,
            row % 10,
            ["Strongly agree", "Agree", "Neither", "Disagree"][row * 7 % 4],
            (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            1 + row % 12,
            1 + row % 28,
            ["Software Engineer", "Head Nurse", "Truck Driver"][row % 3]
        )
        .unwrap();
    }
    sandbox.write("t.csv", text.replace(",text,", ",diagnosis,"));
    sandbox.throng("anonymize t.csv --qi sex --rest other -k 5 -o t-out.csv").done();
    let real = [("adult/adult.csv", "sex"), ("cmc/cmc.csv", "age")];
    for (table, quasi) in real {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(table);
        let Ok(text) = std::fs::read_to_string(path) else {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no ../shared/data\n");
            continue;
        };
        sandbox.write("real.csv", text);
        let keys = if table.starts_with("cmc") { " --identifier ID" } else { "" };
        sandbox
            .throng(&format!(
                "anonymize real.csv --qi {quasi}{keys} --rest other -k 2 --suppression 1% -o by-{quasi}.csv"
            ))
            .done();
    }
}

/// Ages and salaries of a firm; the director earns most.
fn firm(order: impl Fn(usize) -> usize) -> Sandbox {
    let mut text = String::from("staff_no,sex,q1,q2,q3,q4,q5,q6,q7,salary\n");
    for at in 0..300 {
        let row = order(at);
        let answers: Vec<String> = (1..8).map(|q| (((row * 7_919) >> q) % 5).to_string()).collect();
        let salary = if row == 17 { 990_000 } else { 30_000 + row / 3 * 100 };
        writeln!(text, "{},{},{},{salary}", 5_000 + row, ["f", "m"][row % 2], answers.join(",")).unwrap();
    }
    let sandbox = Sandbox::empty();
    sandbox.write("firm.csv", text);
    sandbox
}

const FIRM: &str = "anonymize firm.csv --identifier staff_no --qi sex --sensitive salary --rest other -k 5 -o out.csv --json";

#[test]
fn an_order_that_tells_whose_a_row_is_is_warned_of() {
    let sandbox = firm(|at| at);
    let sorted =
        "rows keep the order of the input, which is sorted by 'staff_no' (identifier), 'salary' (sensitive)";
    let told = warnings(&sandbox.throng(FIRM).done());
    assert!(told.iter().any(|warning| warning.starts_with(sorted)), "{told:?}");
    assert!(!told.iter().any(|warning| warning.contains("the order alone can identify people")), "said once");
    let told = warnings(&sandbox.throng(&format!("{FIRM} --order shuffle")).done());
    assert!(!told.iter().any(|warning| warning.contains("the order of the input")), "{told:?}");
    let mixed = firm(|at| at * 7 % 300);
    let told = warnings(&mixed.throng(FIRM).done());
    assert!(told.iter().any(|warning| warning.contains("the order alone can identify people")), "{told:?}");
    sandbox.throng("init firm.csv").done();
    assert!(sandbox.read("firm.toml").contains("order = \"shuffle\" }"), "{}", sandbox.read("firm.toml"));
}

#[test]
fn extremes_and_what_is_unique_together_are_named_in_a_line_each() {
    let sandbox = firm(|at| at * 7 % 300);
    let told = warnings(&sandbox.throng(FIRM).done());
    let about = |what: &str| told.iter().filter(|warning| warning.contains(what)).count();
    assert_eq!(about("fewer than 5 rows have the lowest or highest number in 'salary'"), 1, "{told:?}");
    assert_eq!(about("8 kept columns together are unique in"), 1, "{told:?}");
    assert_eq!(about("'q1'"), 0, "{told:?}");
    let told = warnings(&sandbox.throng(&FIRM.replace("--identifier staff_no", "--other staff_no")).done());
    let shown = "column 'staff_no' would show who is in the table (by its name)";
    assert!(told.iter().any(|warning| warning.contains(shown)), "{told:?}");
    let table = sandbox.read("firm.csv").replace("staff_no", "level");
    sandbox.write("firm.csv", table);
    let told = warnings(
        &sandbox.throng(&FIRM.replace("--identifier staff_no", "").replace("out.csv", "levels.csv")).done(),
    );
    let unique = "nearly every row has a value of its own in 'level', which is released";
    assert!(told.iter().any(|warning| warning.starts_with(unique)), "{told:?}");
}

#[test]
fn tables_of_many_files_and_of_parquet_are_looked_at() {
    let sandbox = clinic();
    std::fs::create_dir(sandbox.path("parts")).unwrap();
    let all = sandbox.read("clinic.csv");
    let (header, rows) = all.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    for (part, rows) in rows.chunks(500).enumerate() {
        sandbox.write(&format!("parts/{part}.csv"), format!("{header}\n{}\n", rows.join("\n")));
    }
    let keeps = "--sensitive Diagnosetext --text Diagnosetext=keep --rest identifier";
    sandbox.throng(&format!("{} {keeps}", CLINIC.replace("out.csv", "out.parquet"))).done();
    for input in ["parts", "out.parquet"] {
        let own = if input == "parts" { "--identifier Fallnummer,Bemerkung" } else { "" };
        let run = format!(
            "anonymize {input} {own} --qi Geschlecht,Alter --sensitive Diagnosetext -k 2 --suppression 100% -o {input}-out.csv"
        );
        let refused = sandbox.refused(&format!("{run} --person none"));
        assert!(refused.contains("'Diagnosetext' (some of its cells mention people)"), "{refused}");
        let told = sandbox.throng(&format!("{run} --person none --text Diagnosetext=keep --json")).done();
        assert!(warnings(&told).iter().any(|one| one.contains("300 of its cells mention people")), "{told}");
    }
}

/// The highest salary is somebody's however salaries are spelled.
#[test]
fn extremes_are_seen_in_every_notation() {
    let spell = |cents: usize, thousands: &str, decimals: &str| {
        let (whole, rest) = (cents / 100, cents % 100);
        format!("{}{thousands}{:03}{decimals}{rest:02}", whole / 1000, whole % 1000)
    };
    for (thousands, decimals) in [(".", ","), (",", "."), ("'", "."), (" ", ","), ("", ",")] {
        let sandbox = Sandbox::empty();
        let mut text = String::from("age;pay\n");
        for row in 0..200 {
            let pay = spell(200_000 + row / 2 * 7_919 + row / 199 * 50_000_000, thousands, decimals);
            writeln!(text, "{};{pay}", 20 + row % 40).unwrap();
        }
        sandbox.write("pay.csv", text);
        let told =
            sandbox.throng("anonymize pay.csv --qi age=auto --sensitive pay -k 3 -o out.csv --json").done();
        let about = "fewer than 3 rows have the lowest or highest number in 'pay'";
        assert!(told.contains(about), "{thousands:?} {decimals:?}: {told}");
    }
}

/// What fewer than k rows have is in no label, whatever the algorithm.
#[test]
fn labels_never_quote_a_rare_value() {
    let sandbox = Sandbox::empty();
    let mut text = String::from("trade,sex\n");
    let common = ["nurse", "clerk", "cook, baker", "driver", "teacher"];
    for row in 0..600 {
        let trade = if row % 10 == 0 { format!("rare{row}") } else { format!("\"{}\"", common[row % 5]) };
        writeln!(text, "{trade},{}", ["f", "m"][row / 5 % 2]).unwrap();
    }
    sandbox.write("t.csv", text);
    for algorithm in ["flash", "ascent", "mondrian", "sequential", "forest"] {
        let run = format!(
            "anonymize t.csv --qi trade=auto,sex -k 5 --suppression 1% --person none --algorithm {algorithm} -o out.csv --json"
        );
        let told = sandbox.throng(&run).done();
        assert!(!told.contains("rare"), "{algorithm}: {told}");
        let release = sandbox.read("out.csv");
        assert!(!release.contains("rare"), "{algorithm}: {release}");
    }
    sandbox.throng("init t.csv").done();
    for line in sandbox.read("t-hierarchies/trade.csv").lines() {
        let (_, groups) = line.split_once(';').unwrap();
        assert!(!groups.contains("rare"), "{line}");
    }
}
