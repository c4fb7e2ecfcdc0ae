//! `throng compare` on small demos.

use std::fs;

use serde_json::Value;

use crate::sandbox::Sandbox;

fn demo() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.throng("demo --rows 300 --dir demo").done();
    sandbox
}

/// The lines of a CSV as cells; none of ours has quotes.
fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

/// Whether tags nest and close; enough for files that have neither comments nor CDATA.
fn is_well_formed(svg: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let Some(length) = rest[start..].find('>') else { return false };
        let tag = &rest[start + 1..start + length];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("");
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        if tag.matches('"').count() % 2 == 1 {
            return false;
        }
        rest = &rest[start + length + 1..];
    }
    open.is_empty()
}

#[test]
fn text_has_a_row_for_every_algorithm_and_k() {
    let text = demo().throng("compare demo/hospital.toml --k 10,2,2 --repeat 1").done();
    assert!(text.starts_with("300 rows, "), "{text}");
    let table = text.split("By k, with").nth(1).expect("a table");
    for algorithm in ["datafly", "improved-greedy", "samarati", "flash"] {
        let start = format!("  {algorithm} ");
        let ks: Vec<&str> = table
            .lines()
            .filter(|line| line.starts_with(&start))
            .map(|line| line.split_whitespace().nth(1).unwrap())
            .collect();
        assert_eq!(ks, ["2", "10"], "{algorithm}: {text}");
    }
    assert!(text.contains("birth_date (5)"), "{text}");
}

#[test]
fn csv_and_json_say_the_same() {
    let sandbox = demo();
    let line =
        "compare demo/hospital.toml --algorithms datafly,flash --k 3 --qi-counts 2..4 --qi-k 4 --repeat 1";
    let csv = sandbox.throng(&format!("{line} --format csv")).done();
    let json: Value = serde_json::from_str(&sandbox.throng(&format!("{line} --format json")).done()).unwrap();
    let rows = cells(&csv);
    assert_eq!(rows.len(), 1 + 2 + 3 * 2);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).expect("a column");
    let trials: Vec<&Value> =
        ["by_k", "by_quasi_count"].iter().flat_map(|key| json[key].as_array().unwrap()).collect();
    for (row, trial) in rows[1..].iter().zip(trials) {
        for name in ["contender", "algorithm", "notion", "outcome"] {
            assert_eq!(row[column(name)], trial[name].as_str().unwrap());
        }
        for name in ["k", "quasi_identifiers", "lattice_nodes", "checked_nodes", "optimal"] {
            assert_eq!(row[column(name)], trial[name].to_string());
        }
        let found = &trial["found"];
        assert_eq!(row[column("achieved_k")], found["achieved_k"].to_string());
        assert!(found["achieved_k"].as_u64() >= trial["k"].as_u64());
        let lm: f64 = row[column("lm")].parse().unwrap();
        assert_eq!(Some(lm), found["measures"]["lm"].as_f64());
        assert_eq!(row[column("levels")].split(' ').count(), found["levels"].as_object().unwrap().len());
    }
}

#[test]
fn plots_are_well_formed_and_named_by_what_they_show() {
    let sandbox = demo();
    let line =
        "compare demo/hospital.toml --k 2,5 --qi-counts 2..3 --repeat 1 --plots plots/here -o table.csv";
    let ran = sandbox.throng(line);
    assert!(ran.stderr.contains("wrote table.csv"), "{}", ran.stderr);
    assert_eq!(ran.done(), "");
    assert!(sandbox.read("table.csv").starts_with("sweep,minimised,contender,algorithm,"));
    let mut names: Vec<String> = fs::read_dir(sandbox.path("plots/here"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "level.svg",
        "loss-iloss.svg",
        "loss-lm.svg",
        "nodes-by-quasi-identifiers.svg",
        "nodes.svg",
        "time-by-quasi-identifiers.svg",
        "time.svg",
    ];
    assert_eq!(names, expected);
    for name in names {
        let svg = sandbox.read(&format!("plots/here/{name}"));
        assert!(svg.starts_with("<svg ") && is_well_formed(&svg), "{name}: {svg}");
        for algorithm in ["datafly", "improved-greedy", "samarati", "flash"] {
            assert!(svg.contains(&format!(">{algorithm}<")), "{name} lacks {algorithm}");
        }
    }
}

const VARIANTS: &str = "compare demo/hospital.toml --k 3,6 --repeat 1 --suppression 0 --rows 200 \
    --measures lm,entropy --algorithms \
    agglomerative:distance=1,agglomerative:distance=3+shrink,forest,expansion:notion=kk";

#[test]
fn variants_and_measures_have_lines_of_their_own_and_a_best() {
    let sandbox = demo();
    let text = sandbox.throng(VARIANTS).done();
    assert!(text.starts_with("200 rows, "), "{text}");
    for measure in ["lm", "entropy"] {
        let title = format!("By k, with all 6 quasi-identifiers, minimising {measure}\n");
        assert!(text.contains(&title), "{text}");
    }
    let losses = text.split("\nLoss (lm)\n").nth(1).expect("a summary").split("\n\n");
    let (variants, best) = (losses.clone().next().unwrap(), losses.clone().nth(1).unwrap());
    let sum =
        |line: &str| -> f64 { line.split_whitespace().filter_map(|cell| cell.parse::<f64>().ok()).sum() };
    let least = variants.lines().filter(|line| line.starts_with("  agglomerative")).map(sum);
    let least = least.fold(f64::INFINITY, f64::min);
    let words: Vec<&str> = best.split_whitespace().take(2).collect();
    assert!(words[0] == "best(agglomerative)" && words[1].starts_with("agglomerative:"), "{text}");
    assert!((sum(best.lines().next().unwrap()) - least).abs() < 1e-9, "{text}");
    // Nothing here has levels or nodes, and only one contender has neighbours.
    assert!(!text.contains("lattice") && text.contains(" neighbours "), "{text}");
}

#[test]
fn csv_says_which_variant_is_the_best_and_how_large_the_crowds_are() {
    let csv = demo().throng(&format!("{VARIANTS} --format csv")).done();
    let rows = cells(&csv);
    assert_eq!(rows.len(), 1 + 2 * 2 * 4);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).expect("a column");
    let (contender, minimised) = (column("contender"), column("minimised"));
    for measure in ["lm", "entropy"] {
        let best: Vec<&str> = rows[1..]
            .iter()
            .filter(|row| row[minimised] == measure && row[column("best")] == "best(agglomerative)")
            .map(|row| row[contender])
            .collect();
        assert_eq!(best.len(), 2, "one line for each k: {csv}");
        assert!(best[0] == best[1] && best[0].starts_with("agglomerative:"), "{csv}");
    }
    for row in &rows[1..] {
        let degree = row[column("degree")].parse::<u64>().ok();
        assert_eq!(degree.is_some(), row[contender] == "expansion:notion=kk", "{csv}");
        assert!(degree.is_none_or(|degree| degree >= row[column("k")].parse().unwrap()), "{csv}");
    }
}

#[test]
fn several_measures_have_plots_of_their_own() {
    let sandbox = demo();
    sandbox.throng(&format!("{VARIANTS} --plots plots -o table.json")).done();
    for name in ["loss-lm", "best-lm", "loss-entropy", "best-entropy", "time-minimising-lm"] {
        let svg = sandbox.read(&format!("plots/{name}.svg"));
        assert!(is_well_formed(&svg) && svg.contains(">forest<"), "{name}: {svg}");
        assert_eq!(svg.contains(">best(agglomerative)<"), name.starts_with("best"), "{name}: {svg}");
    }
    assert!(!sandbox.path("plots/nodes-minimising-lm.svg").exists());
}

const WITH_AND_WITHOUT: &str = "compare demo/hospital.toml --k 3,6 --repeat 1 --suppression 0 --measure ncp \
    --algorithms datafly,mondrian:relaxed,mondrian:relaxed+generalise=range-or-set:50";

#[test]
fn one_comparison_has_algorithms_with_and_without_hierarchies() {
    let sandbox = demo();
    let text = sandbox.throng(&format!("{WITH_AND_WITHOUT} --plots plots")).done();
    let ways = "without hierarchies: birth_date (range), sex (set), zip (set), nationality (set), \
                occupation (set), admission_date (range)\n";
    assert!(text.contains(ways), "{text}");
    let settings = text.split("Settings in force\n").nth(1).expect("a section").split("\n\n").next().unwrap();
    let settings: Vec<Vec<&str>> = settings.lines().map(|line| line.split_whitespace().collect()).collect();
    let open = "mondrian:relaxed+generalise=range-or-set:50";
    assert_eq!(
        settings,
        [
            vec!["mondrian:relaxed", "variant=improved", "relaxed=true"],
            vec![open, "variant=improved", "relaxed=true", "generalise=range-or-set:50"]
        ]
    );
    let svg = sandbox.read("plots/utility-ncp.svg");
    assert!(is_well_formed(&svg) && svg.contains(&format!(">{open}<")), "{svg}");
    assert!(svg.contains("300 rows, 6 quasi-identifiers"), "{svg}");
    let csv = sandbox.throng(&format!("{WITH_AND_WITHOUT} --format csv")).done();
    let rows = cells(&csv);
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).expect("a column");
    let of = |contender: &str| rows.iter().find(|row| row[column("contender")] == contender).unwrap();
    assert_eq!(of("datafly")[column("settings")], "");
    assert_eq!(of(open)[column("settings")], "variant=improved relaxed=true generalise=range-or-set:50");
    let ncp = |contender: &str| of(contender)[column("ncp")].parse::<f64>().unwrap();
    assert!(ncp(open) < ncp("mondrian:relaxed"), "exact ranges and sets lose less: {csv}");
}

#[test]
fn blocks_of_the_job_are_named_where_they_are_in_force() {
    let sandbox = demo();
    let job = sandbox.read("demo/hospital.toml") + "block_rows = 60\n";
    sandbox.write("demo/blocks.toml", job);
    let line = "compare demo/blocks.toml --k 5 --repeat 1 --suppression 0 --algorithms flash,forest";
    let text = sandbox.throng(line).done();
    let table = text.split("By k, with").nth(1).expect("a table");
    let of = |name: &str| table.lines().find(|line| line.trim_start().starts_with(name)).expect(name);
    assert!(of("forest ").contains(" of ≤ 60 ") && !of("flash ").contains('≤'), "{text}");
    let json: Value = serde_json::from_str(&sandbox.throng(&format!("{line} --format json")).done()).unwrap();
    let settings = |at: usize| &json["by_k"][at]["settings"];
    assert_eq!(*settings(0), serde_json::json!({}));
    assert_eq!(settings(1)["block_rows"], 60);
    assert!(settings(1)["blocks"].as_u64() >= Some(5), "{json}");
}

#[test]
fn samples_depend_on_the_seed_alone() {
    let sandbox = demo();
    let csv = |flags: &str| {
        let line = "compare demo/hospital.toml --algorithms datafly --k 5 --repeat 1 --format csv";
        let csv = sandbox.throng(&format!("{line} {flags}")).done();
        let rows = cells(&csv);
        let lm = rows[0].iter().position(|cell| *cell == "entropy").expect("a column");
        rows[1][lm].to_owned()
    };
    assert_eq!(csv("--rows 100 --seed 4"), csv("--seed 4 --rows 100"));
    assert_ne!(csv("--rows 100 --seed 4"), csv("--rows 100 --seed 5"));
    assert_eq!(csv("--rows 300"), csv(""));
}

#[test]
fn a_broken_svg_is_not_well_formed() {
    assert!(is_well_formed("<svg a=\"1\"><g><path/></g></svg>"));
    for broken in ["<svg><g></svg>", "<svg>", "<svg></svg></g>", "<svg a=\"1></svg>", "<svg"] {
        assert!(!is_well_formed(broken), "{broken}");
    }
}

#[test]
fn nothing_is_released() {
    let sandbox = Sandbox::new();
    let before = sandbox.names();
    sandbox.throng("compare job.toml --k 2 --repeat 1").done();
    assert_eq!(sandbox.names(), before);
}

#[test]
fn what_cannot_be_had_is_a_row_that_says_so() {
    let sandbox = Sandbox::new();
    // Without its last column, the hierarchy ends in two values of four people each.
    let open_ended: String =
        sandbox.read("age.csv").lines().map(|line| format!("{}\n", line.trim_end_matches(";*"))).collect();
    sandbox.write("age.csv", open_ended);
    let line = "compare job.toml --algorithms flash,datafly --k 4,5 --repeat 1 --format csv";
    let csv = sandbox.throng(line).done();
    let rows = cells(&csv);
    let column = rows[0].iter().position(|cell| *cell == "outcome").expect("a column");
    let outcomes: Vec<&str> = rows[1..].iter().map(|row| row[column]).collect();
    assert_eq!(outcomes, ["found", "found", "infeasible", "infeasible"], "{csv}");
    let text = sandbox.throng(&line.replace("csv", "text")).done();
    assert_eq!(text.matches("infeasible: k is at most 4").count(), 2, "{text}");
    let stopped = sandbox.throng("compare job.toml --k 2 --time-limit 0.000000001").done();
    assert_eq!(stopped.matches("stopped: time limit").count(), 4, "{stopped}");
}

#[test]
fn bad_requests_are_explained() {
    let sandbox = Sandbox::new();
    let unknown = sandbox.refused("compare job.toml --algorithms flash,samarti");
    assert!(unknown.contains("unknown algorithm 'samarti'; did you mean 'samarati'?"), "{unknown}");
    assert!(sandbox.refused("compare job.toml --measure ilos").contains("did you mean 'iloss'?"));
    let setting = sandbox.refused("compare job.toml --algorithms agglomerative:distanc=3");
    assert!(setting.contains("unknown setting 'distanc'; did you mean 'distance'?"), "{setting}");
    let unused = sandbox.refused("compare job.toml --k 2 --algorithms flash,forest:distance=4");
    assert!(unused.contains("'forest' does not use 'distance'; agglomerative and sequential do"), "{unused}");
    let whole = sandbox.refused("compare job.toml --k 2 --algorithms incognito:generalise=range-or-set");
    assert!(whole.contains("cannot be used with 'incognito', which recodes whole columns"), "{whole}");
    let way = sandbox.refused("compare job.toml --k 2 --algorithms mondrian:generalise=range-and-set");
    assert!(way.contains("unknown way to generalise 'range-and-set'; did you mean 'range-or-set'?"), "{way}");
    let notion = sandbox.refused("compare job.toml --algorithms expansion --k 2");
    assert!(notion.contains("'expansion' does not give k-anonymity"), "{notion}");
    assert!(sandbox.refused("compare job.toml --measures lm,entrop").contains("did you mean 'entropy'?"));
    assert!(sandbox.refused("compare job.toml --k 2 --rows 0").contains("rows is 0"));
    assert!(sandbox.refused("compare people.csv").contains("needs a job file (.toml)"));
    assert!(sandbox.refused("compare missing.toml").contains("no such job file"));
    assert!(sandbox.refused("compare job.toml --k 2,9").contains("k = 9 is more than the 8 rows"));
    let all = sandbox.throng("compare job.toml --repeat 1 --format csv --algorithms flash").done();
    let rows = cells(&all);
    let k = rows[0].iter().position(|&name| name == "k").unwrap();
    assert_eq!(rows[1..].iter().map(|row| row[k]).collect::<Vec<_>>(), ["2", "5"], "{all}");
    let one = "compare job.toml --k 3 --qi-counts 2..3 --repeat 1 --format csv --algorithms flash";
    let one = sandbox.throng(one).done();
    assert!(cells(&one).len() == 4 && cells(&one)[1..].iter().all(|row| row[k] == "3"), "{one}");
    assert!(sandbox.refused("compare job.toml --k 1").contains("k is 1; it must be at least 2"));
    assert!(sandbox.refused("compare job.toml --k 2 --repeat 0").contains("repeat is 0"));
    let counts = sandbox.refused("compare job.toml --k 2 --qi-k 2 --qi-counts 2..4");
    assert!(counts.contains("both must lie between 1 and 3, the number in the job"), "{counts}");
    assert!(sandbox.refused("compare job.toml --qi-counts 3-8").contains("must be like 3..8"));
    assert!(sandbox.refused("compare job.toml --suppression 1.5").contains("suppression is 1.5"));
    assert!(sandbox.refused("compare job.toml --k 2 --time-limit 0").contains("time_limit is 0"));
    assert!(sandbox.refused("compare job.toml --k 2 -o .").contains("error: "));
    for own in ["people.csv", "age.csv", "job.toml"] {
        let refused = sandbox.refused(&format!("compare job.toml --k 2 -o {own}"));
        assert!(refused.contains("is the input"), "{refused}");
    }
}
