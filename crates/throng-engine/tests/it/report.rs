//! What a run says about itself.

use serde_json::Value;

use throng::loss::{self, Needs};
use throng_engine::summary::{RunOutcome, Summary};

use crate::hospital::{ROWS, hospital};
use crate::sandbox::Sandbox;

#[test]
fn every_field_is_sensible() {
    let (sandbox, job) = hospital(&[]);
    let summary = sandbox.run(&job);
    assert_eq!((summary.algorithm.as_str(), summary.measure.as_str()), ("flash", "lm"));
    assert_eq!((summary.outcome, summary.optimal, summary.rows), (RunOutcome::Released, true, ROWS));
    assert_eq!(summary.max_suppressed_rows, ROWS / 50);
    assert!(summary.achieved["k"].as_u64().unwrap() >= 5);
    assert_eq!(summary.achieved["k"], summary.measures["smallest_class"]);

    let names = ["birth_date", "sex", "zip", "nationality", "occupation", "admission_date"];
    let (levels, heights) = (summary.levels.unwrap(), summary.heights);
    assert!(levels.keys().eq(names) && heights.keys().eq(names));
    assert_eq!(heights.values().map(|h| h.as_u64().unwrap()).collect::<Vec<_>>(), [5, 1, 5, 3, 3, 4]);
    assert!(names.iter().all(|&name| levels[name].as_u64() <= heights[name].as_u64()));
    assert_eq!(summary.search.lattice_nodes, 6 * 2 * 6 * 4 * 4 * 5);
    assert!((1..=5760).contains(&summary.search.checked_nodes));
    assert!((1..=ROWS as usize).contains(&summary.search.distinct_tuples));

    let seconds = summary.seconds;
    let phases = [seconds.read, seconds.search, seconds.apply, seconds.verify, seconds.write];
    assert!(phases.iter().all(|&phase| phase > 0.0 && phase < 600.0), "{seconds:?}");
    assert!(summary.peak_memory_bytes.is_none_or(|bytes| bytes > 1 << 20));
    assert_eq!(summary.output, Some(sandbox.path("hospital-k5.csv").display().to_string()));
}

#[test]
fn a_report_can_be_read_back() {
    let (sandbox, job) = hospital(&[]);
    let summary = sandbox.run(&job);
    let text = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), summary);
}

#[test]
fn every_measure_is_reported() {
    let (sandbox, job) = hospital(&[]);
    let measures = sandbox.run(&job).measures;
    // The job has no target.
    assert!(!measures.contains_key("cm"));
    for measure in loss::measures().iter().filter(|measure| measure.needs() == Needs::Nothing) {
        assert!(measures.get(measure.name()).is_some_and(Value::is_number), "{}", measure.name());
    }
    let value = |name: &str| measures[name].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&value("lm")) && (0.0..=1.0).contains(&value("prec")));
    let cells = ROWS as f64 * 6.0;
    assert!((value("iloss_per_cell") - value("iloss") / cells).abs() < 1e-12);
}

/// Four rows of two classes; a is generalised by hand.
#[test]
fn measures_of_a_small_release() {
    let sandbox = Sandbox::with(&[
        ("in.csv", "x,y\na,1\nb,1\nc,2\nd,2\n"),
        ("x.csv", "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n"),
    ]);
    let summary = sandbox.run(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nx = { role = 'quasi', hierarchy = 'x.csv' }\n\
         y = { role = 'quasi' }\n[privacy]\nk = 2\n",
    );
    assert_eq!(sandbox.text("out.csv"), "x,y\nab,1\nab,1\ncd,2\ncd,2\n");
    let value = |name: &str| summary.measures[name].as_f64().unwrap();
    // Each of the four cells of x loses 1 of 3 steps (lm), 1 of 4 leaves (iloss), one bit (entropy).
    assert!((value("lm") - 1.0 / 6.0).abs() < 1e-9);
    assert!((value("iloss") - 1.0).abs() < 1e-9 && (value("iloss_per_cell") - 0.125).abs() < 1e-9);
    assert!((value("entropy") - 0.5).abs() < 1e-9);
    assert!((value("prec") - 0.75).abs() < 1e-9);
    assert_eq!((value("dm"), value("classes"), value("aecs")), (8.0, 2.0, 1.0));
}

#[test]
fn scripts_find_what_they_need() {
    let (sandbox, job) = hospital(&[]);
    let summary: Value = serde_json::from_str(&serde_json::to_string(&sandbox.run(&job)).unwrap()).unwrap();
    let stable = [
        "algorithm",
        "outcome",
        "optimal",
        "rows",
        "suppressed_rows",
        "achieved",
        "levels",
        "measures",
        "search",
        "seconds",
        "peak_memory_bytes",
    ];
    assert!(stable.iter().all(|key| summary.get(key).is_some()));
    assert_eq!(summary["outcome"], "released");
    let has = |object: &str, keys: &[&str]| keys.iter().all(|key| summary[object].get(key).is_some());
    assert!(has("search", &["lattice_nodes", "checked_nodes"]));
    assert!(has("seconds", &["read", "search", "apply", "verify", "write"]));
    assert!(has("measures", &["iloss", "lm", "entropy", "ncp", "dm", "prec", "glm", "aecs", "classes"]));
}

/// More nodes than 64 bits can count, in a search that visits few of them.
#[test]
fn a_huge_lattice_is_reported_in_full() {
    let names: Vec<String> = (0..9).map(|column| format!("x{column}")).collect();
    let row = vec!["a".repeat(200); 9].join(",");
    let sandbox = Sandbox::with(&[("in.csv", &format!("{}\n{row}\n{row}\n", names.join(",")))]);
    let columns: String = names
        .iter()
        .map(|name| format!("{name} = {{ role = 'quasi', hierarchy = {{ mask = 'right' }} }}\n"))
        .collect();
    let summary = sandbox.run(&format!(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\n{columns}[privacy]\nk = 2\n[search]\nalgorithm = 'datafly'\n"
    ));
    assert_eq!(summary.search.lattice_nodes, 201u128.pow(9));
    assert!(serde_json::to_string(&summary).unwrap().contains(&201u128.pow(9).to_string()));
}

/// Counted from the text of both tables: what is exact, a range, a set, at a level, or nothing.
#[test]
fn the_cells_of_each_column_are_those_of_the_file() {
    let rows: String = (0..60)
        .map(|row| {
            format!(
                "n{row},{},{:03},{},{}\n",
                20 + row * 7 % 41,
                row * 37 % 200,
                ["f", "m"][row % 2],
                row % 3
            )
        })
        .collect();
    let sandbox = Sandbox::with(&[("in.csv", &format!("name,age,zip,sex,ill\n{rows}"))]);
    for suppressed in ["drop", "mask"] {
        let summary = sandbox.run(&format!(
            "input = 'in.csv'\noutput = {{ path = 'out.csv', suppressed = '{suppressed}' }}\n[columns]\n\
             name = {{ role = 'identifier' }}\nage = {{ role = 'quasi', generalise = 'range' }}\n\
             zip = {{ role = 'quasi', hierarchy = {{ mask = 'right' }} }}\n\
             sex = {{ role = 'quasi', generalise = 'set' }}\nill = {{ role = 'sensitive' }}\n\
             [privacy]\nk = 4\nsuppression = 0.1\n[search]\nalgorithm = 'mondrian'\n"
        ));
        let table = sandbox.table("out.csv");
        let share = |column: &str, is: &dyn Fn(&str) -> bool| {
            let cells = table.column(column);
            cells.iter().filter(|cell| is(cell)).count() as f64 / cells.len() as f64
        };
        let of = |name: &str| {
            let column = summary.columns.iter().find(|column| column.name == name).unwrap();
            column.cells.clone().unwrap()
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{suppressed}: {a} is not {b}");
        let age = of("age");
        close(age.ranges.map_or(0.0, |made| made.share), share("age", &|cell| cell.contains('~')));
        close(age.exact, share("age", &|cell| cell.parse::<u32>().is_ok()));
        let width = |cell: &&str| {
            cell.split_once('~').map(|(a, b)| b.parse::<f64>().unwrap() - a.parse::<f64>().unwrap())
        };
        let widest = table.column("age").iter().filter_map(width).fold(0.0, f64::max);
        assert_eq!(age.ranges.map_or(0.0, |made| made.greatest_size), widest);
        let zip = of("zip");
        for level in 1..3 {
            let stars = |cell: &str| cell.len() == 3 && cell.matches('*').count() == level;
            close(zip.levels.get(&level).copied().unwrap_or(0.0), share("zip", &stars));
        }
        close(zip.any, share("zip", &|cell| cell == "*" || cell == "***"));
        close(of("sex").sets.map_or(0.0, |made| made.share), share("sex", &|cell| cell.starts_with('{')));
        let parts: f64 = ["age", "zip", "sex"].iter().filter_map(|name| of(name).loss_share).sum();
        close(parts, 1.0);
        assert_eq!(
            summary.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(),
            table_names()
        );
    }
}

fn table_names() -> [&'static str; 5] {
    ["name", "age", "zip", "sex", "ill"]
}

#[test]
fn the_summary_knows_its_files() {
    use std::fmt::Write;
    let sandbox = Sandbox::with(&[("in.csv", "age,ill\n1,a\n1,b\n2,a\n2,c\n")]);
    let summary = sandbox.run(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nage = { role = 'quasi' }\nill = { role = 'other' }\n\
         [privacy]\nk = 2\n",
    );
    let hash = |name: &str| {
        use sha2::Digest;
        sha2::Sha256::digest(sandbox.bytes(name)).iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    };
    let origin = &summary.provenance;
    assert_eq!(origin.input_sha256, Some(hash("in.csv")));
    assert_eq!(origin.output_sha256, Some(hash("out.csv")));
    assert!(origin.date.parse::<jiff::Timestamp>().is_ok() && origin.date.ends_with('Z'), "{}", origin.date);
}
