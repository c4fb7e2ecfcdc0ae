//! The order of the rows of a release.

use crate::hospital::{ROWS, hospital};
use crate::sandbox::Sandbox;
use crate::table::{Table, read_parquet};

/// The sandbox, and the names of releases in the order of the input, shuffled twice by a seed, and by chance.
fn releases(name: &str) -> (Sandbox, [String; 4]) {
    let (sandbox, job) = hospital(&[]);
    let of = |prefix: &str, order: &str| {
        let output = format!("{prefix}-{name}");
        let options = format!("{{ path = \"{output}\", order = \"{order}\" }}");
        let job = job.replace("\"hospital-k5.csv\"", &options);
        let summary = sandbox.run(&job);
        let warns = |what: &str| summary.warnings.iter().any(|warning| warning.contains(what));
        assert_eq!(warns("rows keep the order"), order == "keep", "{:?}", summary.warnings);
        assert_eq!(
            warns("who knows the seed can undo the shuffling"),
            order.contains(':'),
            "{:?}",
            summary.warnings
        );
        output
    };
    let names = [of("kept", "keep"), of("a", "shuffle:1"), of("b", "shuffle:1"), of("c", "shuffle")];
    (sandbox, names)
}

fn assert_shuffled(sandbox: &Sandbox, names: &[String; 4], read: impl Fn(&str) -> Table) {
    let [kept, first, again, other] = names;
    assert_eq!(sandbox.bytes(first), sandbox.bytes(again));
    assert_ne!(sandbox.bytes(first), sandbox.bytes(other));
    let [kept, first, other] = [kept, first, other].map(|name| read(name));
    let records =
        |table: &Table| table.column("record").iter().map(|r| r.parse().unwrap()).collect::<Vec<u64>>();
    assert!(records(&kept).is_sorted());
    for shuffled in [first, other] {
        assert_no_trace_of_the_order(&records(&shuffled));
        assert_eq!(shuffled.sorted(), kept.clone().sorted());
    }
}

/// About half of the neighbours are in order, and rows are as far from their place as chance has it.
fn assert_no_trace_of_the_order(records: &[u64]) {
    let rising = records.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64;
    assert!((rising / records.len() as f64 - 0.5).abs() < 0.05, "{rising} of {}", records.len());
    let moved = records.iter().zip(1..).map(|(&record, place)| record.abs_diff(place)).sum::<u64>();
    let share = moved as f64 / records.len() as f64 / ROWS as f64;
    assert!((share - 1.0 / 3.0).abs() < 0.05, "{share}");
}

#[test]
fn text_is_shuffled_by_the_seed() {
    let (sandbox, names) = releases("out.csv");
    assert_shuffled(&sandbox, &names, |name| sandbox.table(name));
}

#[test]
fn parquet_is_shuffled_by_the_seed() {
    let (sandbox, names) = releases("out.parquet");
    assert_shuffled(&sandbox, &names, |name| Table::from_batch(&read_parquet(&sandbox.path(name))));
}

/// The order of the input must leave no trace in a release that is sorted: the same people in another order give the same
/// bytes. What names rows by their place is left out.
fn assert_sorted(name: &str, read: impl Fn(&Sandbox, &str) -> Table) {
    let (sandbox, job) = hospital(&[]);
    let text = sandbox.text("hospital.csv");
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let run = |rows: &[&str], order: &str, output: &str| {
        std::fs::write(sandbox.path("hospital.csv"), format!("{header}\n{}\n", rows.join("\n"))).unwrap();
        let options = format!("{{ path = \"{output}\", order = \"{order}\" }}");
        let job = job.replace("\"hospital-k5.csv\"", &options);
        let job = job.replace("record = { role = \"other\" }", "record = { role = \"identifier\" }");
        let report = sandbox.run(&job);
        assert!(
            report.warnings.iter().all(|one| !one.contains("order") || order == "keep"),
            "{:?}",
            report.warnings
        );
        output.to_owned()
    };
    let kept = run(&rows, "keep", &format!("kept-{name}"));
    let sorted = run(&rows, "sort", &format!("sorted-{name}"));
    let backwards: Vec<&str> = rows.iter().rev().copied().collect();
    let again = run(&backwards, "sort", &format!("again-{name}"));
    let other: Vec<&str> = (0..rows.len()).map(|at| rows[at * 7919 % rows.len()]).collect();
    let other = run(&other, "sort", &format!("other-{name}"));
    assert_eq!(sandbox.bytes(&sorted), sandbox.bytes(&again));
    assert_eq!(sandbox.bytes(&sorted), sandbox.bytes(&other));
    let [kept, sorted] = [kept, sorted].map(|name| read(&sandbox, &name));
    assert_ne!(kept.rows, sorted.rows);
    assert!(sorted.rows.is_sorted());
    assert_eq!(kept.sorted(), sorted.sorted());
}

#[test]
fn sorted_text_tells_nothing_of_the_order_of_the_input() {
    assert_sorted("out.csv", |sandbox, name| sandbox.table(name));
}

#[test]
fn two_runs_and_two_tables_of_the_same_codes_have_orders_of_their_own() {
    let (sandbox, job) = hospital(&[]);
    let run = |output: &str| {
        let options = format!("{{ path = \"{output}\", order = \"shuffle\" }}");
        sandbox.run(&job.replace("\"hospital-k5.csv\"", &options));
        sandbox.bytes(output)
    };
    assert_ne!(run("one.csv"), run("two.csv"));
}

/// In each group three rows are identical, of which one is generalised with a fourth. Who knows the quasi-identifiers of
/// everybody, the job and the program must not be able to compute which.
#[test]
fn nobody_can_compute_which_of_identical_rows_is_in_which_class() {
    let groups = 0..24;
    let hierarchy: String = groups.clone().map(|g| format!("a{g};g{g};*\nb{g};g{g};*\n")).collect();
    let rows = groups.flat_map(|g| [format!("a{g}"), format!("a{g}"), format!("a{g}"), format!("b{g}")]);
    let rows: String = rows.enumerate().map(|(id, value)| format!("{value},{id}\n")).collect();
    let sandbox = Sandbox::with(&[("in.csv", &format!("v,id\n{rows}")), ("v.csv", &hierarchy)]);
    let run = |order: &str| {
        sandbox.run(&format!(
            "input = 'in.csv'\noutput = {{ path = 'out.csv', order = '{order}' }}\n[columns]\n\
             v = {{ role = 'quasi', hierarchy = 'v.csv' }}\nid = {{ role = 'other' }}\n\
             [privacy]\nk = 2\n[search]\nalgorithm = 'agglomerative'\n"
        ));
        sandbox.table("out.csv").sorted()
    };
    assert_ne!(run("shuffle"), run("shuffle"));
    assert_ne!(run("sort"), run("sort"));
    // What can be repeated is the same.
    assert_eq!(run("shuffle:7"), run("shuffle:7"));
    assert_eq!(run("shuffle:7"), run("keep"));
}

#[test]
fn nothing_but_the_release_is_left_of_a_shuffle() {
    let (sandbox, names) = releases("out.csv.gz");
    let mut expected = vec!["hierarchies", "hospital.csv", "hospital.toml"];
    expected.extend(names.iter().map(String::as_str));
    expected.sort_unstable();
    assert_eq!(sandbox.names(), expected);
}
