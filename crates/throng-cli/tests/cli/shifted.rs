//! Dates that are kept, but moved by one random number of days a person.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use crate::sandbox::Sandbox;

const PATIENTS: u32 = 200;

/// Three visits of each patient, some days apart, with the day on which the patient was discharged.
fn visits() -> String {
    let mut text = "patient,ward,came,left\n".to_owned();
    for visit in 0..3u32 {
        for patient in 0..PATIENTS {
            let (month, day) = (1 + 3 * visit + patient % 3, 1 + patient % 20);
            let left = day + 1 + (patient + visit) % 7;
            let ward = ["north", "south"][(patient % 2) as usize];
            writeln!(text, "P{patient},{ward},2023-{month:02}-{day:02}T08:30,2023-{month:02}-{left:02}")
                .unwrap();
        }
    }
    text
}

fn sandbox(person: &str, left: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("visits.csv", visits());
    sandbox.write("job.toml", job("visits.csv", "out.csv", person, left));
    sandbox
}

fn job(input: &str, output: &str, person: &str, left: &str) -> String {
    format!(
        "input = \"{input}\"\noutput = {{ path = \"{output}\", order = \"keep\" }}\n[columns]\n\
         patient = {{ role = \"identifier\" }}\nward = {{ role = \"quasi\" }}\n\
         came = {{ role = \"other\", shift_days = 60 }}\nleft = {{ role = \"other\", {left} }}\n\
         [privacy]\nk = 2\n{person}\n"
    )
}

/// Days since an epoch of the two dates of each row.
fn days(text: &str) -> Vec<[i64; 2]> {
    let day = |cell: &str| {
        let part = |range: std::ops::Range<usize>| cell[range].parse::<i64>().unwrap();
        let (year, month, day) = (part(0..4), part(5..7), part(8..10));
        // Howard Hinnant's count of days.
        let year = if month <= 2 { year - 1 } else { year };
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [day(cells[cells.len() - 2]), day(cells[cells.len() - 1])]
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn a_person_moves_by_one_number_and_intervals_survive() {
    let sandbox = sandbox("person = \"patient\"", "shift_days = 60");
    let found: Value = serde_json::from_str(&sandbox.throng("anonymize job.toml --json").done()).unwrap();
    let release = sandbox.read("out.csv");
    let shifts: Vec<[i64; 2]> = days(&visits())
        .iter()
        .zip(days(&release))
        .map(|(before, after)| [after[0] - before[0], after[1] - before[1]])
        .collect();
    let mut of_person: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    for (row, shifts) in shifts.iter().enumerate() {
        of_person.entry(row % PATIENTS as usize).or_default().extend(shifts);
    }
    assert!(of_person.values().all(|shifts| shifts.len() == 1), "{of_person:?}");
    let all: BTreeSet<i64> = of_person.values().flatten().copied().collect();
    assert!(all.len() > 60 && all.iter().all(|days| days.abs() <= 60), "{all:?}");
    assert!(release.lines().skip(1).all(|line| line.contains("T08:30,")), "times of day stay");
    // Drawn anew each time.
    sandbox.throng("anonymize job.toml --replace -o again.csv").done();
    assert_ne!(sandbox.read("again.csv"), release);
    let column =
        |name: &str| found["columns"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
    assert_eq!(column("came").unwrap()["shift_days"], 60);
    let warnings = found["warnings"].to_string();
    assert!(warnings.contains("intervals between them are exact"), "{warnings}");
}

#[test]
fn the_report_says_what_stays_linkable() {
    let sandbox = sandbox("person = \"patient\"", "shift_days = 60");
    let text = sandbox.throng("anonymize job.toml --report report.html").done();
    assert!(text.contains("kept, dates moved by at most 60 days"), "{text}");
    let page = sandbox.read("report.html");
    assert!(page.contains("anyone who knows one of them can undo it"), "{page}");
    let report = sandbox.throng("report job.toml out.csv -o again.html");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
}

#[test]
fn rows_without_persons_move_by_themselves_and_formats_are_kept() {
    let sandbox = sandbox("person = \"none\"", "shift_days = 60, date_format = \"%d.%m.%Y\"");
    let german: String = visits()
        .lines()
        .enumerate()
        .map(|(at, line)| match line.rsplit_once(',') {
            Some((rest, date)) if at > 0 => {
                format!("{at}{rest},{}.{}.{}\n", &date[8..10], &date[5..7], &date[..4])
            }
            _ => format!("{line}\n"),
        })
        .collect();
    sandbox.write("visits.csv", &german);
    sandbox.throng("anonymize job.toml").done();
    let release = sandbox.read("out.csv");
    let left = release.lines().nth(1).unwrap().rsplit(',').next().unwrap();
    assert!(left.len() == 10 && left.as_bytes()[2] == b'.' && left.as_bytes()[5] == b'.', "{left}");
    let iso: String = release
        .lines()
        .enumerate()
        .map(|(at, line)| match line.rsplit_once(',') {
            Some((rest, date)) if at > 0 => {
                format!("{rest},{}-{}-{}\n", &date[6..10], &date[3..5], &date[..2])
            }
            _ => format!("{line}\n"),
        })
        .collect();
    assert_moved_row_by_row(&days(&visits()), &days(&iso), 60);
}

/// Both dates of a row move by one number of days, and rows by several.
fn assert_moved_row_by_row(before: &[[i64; 2]], after: &[[i64; 2]], most: i64) {
    assert_eq!(before.len(), after.len());
    let mut all = BTreeSet::new();
    for (row, (before, after)) in before.iter().zip(after).enumerate() {
        assert_eq!(after[0] - before[0], after[1] - before[1], "row {row}");
        all.insert(after[0] - before[0]);
    }
    assert!(all.len() > 60 && all.iter().all(|days| days.abs() <= most), "{all:?}");
}

#[test]
fn dates_that_are_text_in_parquet_are_moved_too() {
    let sandbox = sandbox("person = \"patient\"", "shift_days = 60");
    // A Parquet file whose dates are text keeps them as text.
    let keep = job("visits.csv", "visits.parquet", "person = \"patient\"", "shift_days = 60");
    sandbox.write("first.toml", keep);
    sandbox.throng("anonymize first.toml").done();
    let again = job("visits.parquet", "twice.csv", "person = \"none\"", "shift_days = 60");
    sandbox.write("second.toml", again.replace("patient = { role = \"identifier\" }\n", ""));
    sandbox.throng("anonymize second.toml").done();
    assert_moved_row_by_row(&days(&visits()), &days(&sandbox.read("twice.csv")), 120);
}

#[test]
fn what_cannot_be_moved_is_refused() {
    let refused = |person: &str, left: &str| {
        let ran = sandbox(person, left).throng("anonymize job.toml");
        assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    let nobody = refused("", "shift_days = 60");
    assert!(nobody.contains("does not say whose a row is") && nobody.contains("person"), "{nobody}");
    let rest = sandbox("", "shift_days = 60");
    let text = rest
        .read("job.toml")
        .replace("left = {", "\"*\" = {")
        .replace("came = { role = \"other\", shift_days = 60 }", "");
    rest.write("job.toml", text);
    let nobody = rest.throng("anonymize job.toml").stderr;
    assert!(nobody.contains("does not say whose a row is") && !nobody.contains("'*'"), "{nobody}");
    let text = rest.read("job.toml").replace("k = 2", "k = 2\nperson = \"patient\"");
    rest.write("job.toml", text);
    let sql = rest.throng("sql job.toml --dialect postgres").stderr;
    assert!(sql.contains("all other columns: SQL cannot write"), "{sql}");
    let told = rest.throng("anonymize job.toml --json").done();
    assert!(told.contains("the dates of a person in 'came', 'left' are moved"), "{told}");
    let uneven = refused("person = \"patient\"", "shift_days = 30");
    assert!(uneven.contains("column 'left'") && uneven.contains("60 for column 'came'"), "{uneven}");
    let none = refused("person = \"patient\"", "shift_days = 0");
    assert!(none.contains("shift_days is 0; it must be a whole number of days from 1 to 36525"), "{none}");
    let alone = refused("person = \"patient\"", "date_format = \"%Y\"");
    assert!(alone.contains("'date_format' is how the dates"), "{alone}");
    let both = refused("person = \"patient\"", "shift_days = 60, top = 3");
    assert!(both.contains("shift_days is for dates"), "{both}");
    let format = refused("person = \"patient\"", "shift_days = 60, date_format = \"%d.%m.%Y\"");
    assert!(
        format.contains("column 'left'") && format.contains("a cell is neither a date nor empty"),
        "{format}"
    );
    assert!(!format.contains("2023-"), "{format}");
    let told = sandbox("person = \"patient\"", "shift_days = 60");
    let mut lines: Vec<String> = visits().lines().map(str::to_owned).collect();
    lines[7] += " 9 Ann Secretname";
    told.write("visits.csv", lines.join("\n") + "\n");
    let text = told.throng("anonymize job.toml");
    assert!(text.code == Some(2) && !told.names().contains(&"out.csv".to_owned()), "{}", text.stderr);
    assert!(text.stderr.contains("column 'left'") && text.stderr.contains("neither a date nor empty"));
    assert!(text.stderr.contains("visits.csv:8") || text.stderr.contains("row 7"), "{}", text.stderr);
    assert!(!text.stderr.contains("Ann"), "{}", text.stderr);
}

/// Whoever knows who came first can undo the shift of a table in the order of arrival.
#[test]
fn a_table_sorted_by_moved_dates_is_warned_of() {
    let sandbox = sandbox("person = \"patient\"", "shift_days = 60");
    let mut text = "patient,ward,came,left\n".to_owned();
    for row in 0..56 {
        let (month, day) = (1 + row / 28, 1 + row % 28);
        writeln!(
            text,
            "P{},north,2023-{month:02}-{day:02},2023-{:02}-01",
            100 + row * 37 % 56,
            3 + row * 5 % 7
        )
        .unwrap();
    }
    sandbox.write("visits.csv", text);
    let told = sandbox.throng("anonymize job.toml --json --report report.html").done();
    assert!(told.contains("which is sorted by 'came' (other)"), "{told}");
    assert!(sandbox.read("report.html").contains("which is sorted by"));
}
