//! What a run says about itself.

use serde_json::Value;

use throng::loss::{self, Needs};
use throng_engine::report::{Outcome, Report};

use crate::hospital::{ROWS, hospital};
use crate::sandbox::Sandbox;

#[test]
fn every_field_is_sensible() {
    let (sandbox, job) = hospital(&[]);
    let report = sandbox.run(&job);
    assert_eq!((report.algorithm.as_str(), report.measure.as_str()), ("flash", "lm"));
    assert_eq!((report.outcome, report.optimal, report.rows), (Outcome::Released, true, ROWS));
    assert_eq!(report.max_suppressed_rows, ROWS / 50);
    assert!(report.achieved["k"].as_u64().unwrap() >= 5);
    assert_eq!(report.achieved["k"], report.measures["smallest_class"]);

    let names = ["birth_date", "sex", "zip", "nationality", "occupation", "admission_date"];
    let (levels, heights) = (report.levels.unwrap(), report.heights);
    assert!(levels.keys().eq(names) && heights.keys().eq(names));
    assert_eq!(heights.values().map(|h| h.as_u64().unwrap()).collect::<Vec<_>>(), [5, 1, 5, 3, 3, 4]);
    assert!(names.iter().all(|&name| levels[name].as_u64() <= heights[name].as_u64()));
    assert_eq!(report.search.lattice_nodes, 6 * 2 * 6 * 4 * 4 * 5);
    assert!((1..=5760).contains(&report.search.checked_nodes));
    assert!((1..=ROWS as usize).contains(&report.search.distinct_tuples));

    let seconds = report.seconds;
    let phases = [seconds.read, seconds.search, seconds.apply, seconds.verify, seconds.write];
    assert!(phases.iter().all(|&phase| phase > 0.0 && phase < 600.0), "{seconds:?}");
    assert!(report.peak_memory_bytes.is_none_or(|bytes| bytes > 1 << 20));
    assert_eq!(report.output, Some(sandbox.path("hospital-k5.csv").display().to_string()));
}

#[test]
fn a_report_can_be_read_back() {
    let (sandbox, job) = hospital(&[]);
    let report = sandbox.run(&job);
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
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
    let report = sandbox.run(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\nx = { role = 'quasi', hierarchy = 'x.csv' }\n\
         y = { role = 'quasi' }\n[privacy]\nk = 2\n",
    );
    assert_eq!(sandbox.text("out.csv"), "x,y\nab,1\nab,1\ncd,2\ncd,2\n");
    let value = |name: &str| report.measures[name].as_f64().unwrap();
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
    let report: Value = serde_json::from_str(&serde_json::to_string(&sandbox.run(&job)).unwrap()).unwrap();
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
    assert!(stable.iter().all(|key| report.get(key).is_some()));
    assert_eq!(report["outcome"], "released");
    let has = |object: &str, keys: &[&str]| keys.iter().all(|key| report[object].get(key).is_some());
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
    let report = sandbox.run(&format!(
        "input = 'in.csv'\noutput = 'out.csv'\n[columns]\n{columns}[privacy]\nk = 2\n[search]\nalgorithm = 'datafly'\n"
    ));
    assert_eq!(report.search.lattice_nodes, 201u128.pow(9));
    assert!(serde_json::to_string(&report).unwrap().contains(&201u128.pow(9).to_string()));
}
