//! `throng frontier`: the whole trade-off.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, stable};

fn found(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(line).done()).unwrap()
}

fn ks(found: &Value) -> Vec<u64> {
    found["front"].as_array().unwrap().iter().map(|point| point["values"]["k"].as_u64().unwrap()).collect()
}

#[test]
fn the_front_of_a_small_table() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.throng("frontier job.toml").done());
    let front = found(&sandbox, "frontier job.toml --objectives k,lm --json");
    assert_eq!((&front["method"], &front["complete"]), (&json!("exact"), &json!(true)));
    assert_eq!(front["evaluated_nodes"], front["lattice_nodes"]);
    let ks = ks(&front);
    assert!(ks.windows(2).all(|pair| pair[0] > pair[1]) && ks[0] == 8, "{ks:?}");
    let losses: Vec<f64> =
        front["front"].as_array().unwrap().iter().map(|p| p["values"]["lm"].as_f64().unwrap()).collect();
    assert!(losses.windows(2).all(|pair| pair[0] > pair[1]), "{losses:?}");

    // Each point is what the optimal search finds for its k.
    for (k, loss) in ks.iter().zip(&losses).filter(|(k, _)| **k > 1) {
        let report = found(&sandbox, &format!("anonymize job.toml -k {k} --json"));
        assert!((report["measures"]["lm"].as_f64().unwrap() - loss).abs() < 1e-8, "k = {k}");
    }
    assert!(!sandbox.names().iter().any(|name| name == "front.csv"));
}

#[test]
fn three_objectives_boxes_and_the_evolutionary_search() {
    let sandbox = Sandbox::new();
    let whole = found(&sandbox, "frontier job.toml --objectives k,l,glm --json");
    let evolved = found(&sandbox, "frontier job.toml --objectives k,l,glm --method pbg-ea --json");
    assert_eq!((&evolved["method"], &evolved["complete"]), (&json!("pbg-ea"), &json!(false)));
    assert_eq!(evolved["front"].as_array().unwrap().len(), whole["front"].as_array().unwrap().len());
    let boxed = found(&sandbox, "frontier job.toml --objectives k,l,glm --epsilon 4,2,8 --json");
    assert!(boxed["front"].as_array().unwrap().len() < whole["front"].as_array().unwrap().len());
    let csv = sandbox.throng("frontier job.toml --objectives k,sk,sl:illness,prec --csv").done();
    assert_eq!(csv.lines().next(), Some("number,k,sk,sl:illness,prec,suppressed,age,sex,zip"));
}

#[test]
fn a_walk_along_the_front_finds_it_too() {
    let sandbox = Sandbox::new();
    let whole = found(&sandbox, "frontier job.toml --json");
    let walked = found(&sandbox, "frontier job.toml --method front-walk --json");
    assert_eq!((&walked["method"], &walked["complete"]), (&json!("front-walk"), &json!(false)));
    assert_eq!(ks(&walked), ks(&whole));
    let few = found(&sandbox, "frontier job.toml --method front-walk --nodes 7 --json");
    assert_eq!(few["evaluated_nodes"], 7);
    // The same seed gives the same front, whatever the number of threads.
    let line = "frontier job.toml --method front-walk --nodes 20 --seed 5 --json --threads";
    assert_eq!(found(&sandbox, &format!("{line} 1")), found(&sandbox, &format!("{line} 3")));
}

#[test]
fn the_degree_of_every_model_is_an_objective() {
    let sandbox = Sandbox::new();
    let models = "entropy-l,recursive-cl:illness+l=2,p-sensitive,alpha-k,t-closeness:illness+distance=equal,\
                  beta-likeness+enhanced=true,delta-disclosure,distinct-l:illness,average-risk,max-risk";
    let front = found(&sandbox, &format!("frontier job.toml --objectives k,lm,l,{models} --json"));
    let points = front["front"].as_array().unwrap();
    assert!(!points.is_empty());
    for point in points {
        let of = |name: &str| point["values"][name].as_f64().unwrap_or_else(|| panic!("{name}: {point}"));
        assert_eq!((of("l"), of("l")), (of("distinct-l:illness"), of("p-sensitive")));
        assert!(of("entropy-l") <= of("l") + 1e-9 && of("entropy-l") >= 1.0, "{point}");
        assert!((of("max-risk") - 1.0 / of("k")).abs() < 1e-8, "{point}");
        assert!(of("average-risk") <= of("max-risk") + 1e-9);
    }
    // What `anonymize` says of a release is what the front says of its node.
    let front = found(&sandbox, "frontier job.toml --objectives k,t-closeness,lm --json");
    let point = front["front"].as_array().unwrap().iter().find(|point| point["k"] == 2).unwrap();
    let levels: Vec<String> = point["levels"].as_object().unwrap().values().map(Value::to_string).collect();
    let line = "anonymize job.toml --json --require t-closeness:t=1,column=illness --node";
    let report = found(&sandbox, &format!("{line} {}", levels.join(",")));
    let released =
        report["requirements"].as_array().unwrap().iter().find(|one| one["model"] == "t-closeness");
    let released = released.unwrap_or_else(|| panic!("{report}"))["degree"].as_f64().unwrap();
    assert!((released - point["values"]["t-closeness"].as_f64().unwrap()).abs() < 1e-8);
}

#[test]
fn levels_are_released_if_they_satisfy_the_job() {
    let sandbox = Sandbox::new();
    let report = found(&sandbox, "anonymize job.toml --node 2,0,3 --json");
    assert_eq!((&report["algorithm"], &report["optimal"]), (&json!("node"), &json!(false)));
    assert_eq!(report["outcome"], "released");
    assert_eq!(report["levels"], json!({ "age": 2, "sex": 0, "zip": 3 }));
    assert!(sandbox.read("release.csv").contains("30-39"));
    let named = found(&sandbox, "anonymize job.toml --node zip=3,age=2,sex=0 --json");
    assert_eq!(named["levels"], report["levels"]);
    let text = sandbox.throng("anonymize job.toml --node 2,0,3").done();
    insta::assert_snapshot!(without_seconds(&stable(&text)));

    std::fs::remove_file(sandbox.path("release.csv")).unwrap();
    let refused = sandbox.throng("anonymize job.toml --node 1,0,0");
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    insta::assert_snapshot!(refused.stdout);
    let refused =
        sandbox.throng("anonymize job.toml --node 2,0,3 --require distinct-l:l=3,column=illness --json");
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(!sandbox.names().contains(&"release.csv".to_owned()));
}

#[test]
fn levels_are_in_the_order_of_the_job_whatever_that_of_the_table() {
    let sandbox = Sandbox::new();
    let zip = "zip     = { role = \"quasi\", hierarchy = { mask = \"right\" } }\n";
    let job = crate::sandbox::JOB.replace(zip, "").replace("[columns]\n", &format!("[columns]\n{zip}"));
    sandbox.write("job.toml", job);
    let csv = sandbox.throng("frontier job.toml --csv --save front.json").done();
    assert_eq!(csv.lines().next(), Some("number,k,glm,suppressed,zip,age,sex"));
    let report = found(&sandbox, "anonymize job.toml --node 3,2,0 --json");
    assert_eq!(report["levels"], json!({ "age": 2, "sex": 0, "zip": 3 }));
    let refused = sandbox.refused("anonymize job.toml --node 2,0,3");
    assert!(refused.contains("column 'sex' has no level 3; its highest is 1"), "{refused}");
    // What was saved knows its columns by name.
    sandbox.write("job.toml", crate::sandbox::JOB);
    sandbox.throng("anonymize job.toml --frontier front.json --pick 2").done();
}

/// The text of a report without the times and the memory.
fn without_seconds(text: &str) -> String {
    let mut sections: Vec<&str> = text.split("\n\n").collect();
    sections.retain(|section| !section.starts_with("Seconds"));
    sections.join("\n\n")
}

#[test]
fn a_point_of_a_saved_front_is_released_with_its_own_k() {
    let sandbox = Sandbox::new();
    let front = found(&sandbox, "frontier job.toml --save front.json --json");
    assert_eq!(serde_json::from_str::<Value>(&sandbox.read("front.json")).unwrap(), front);
    for (at, point) in front["front"].as_array().unwrap().iter().enumerate() {
        assert_eq!(point["number"], at + 1);
        let line = format!("anonymize job.toml --frontier front.json --pick {} --json", at + 1);
        if point["k"] == 1 {
            assert!(sandbox.refused(&line).contains("hides nobody"));
            continue;
        }
        let report = found(&sandbox, &line);
        assert_eq!((&report["levels"], &report["algorithm"]), (&point["levels"], &json!("node")));
        assert_eq!((&report["requirement"]["k"], &report["achieved"]["k"]), (&point["k"], &point["k"]));
        assert_eq!(report["suppressed_rows"], point["suppressed_rows"]);
        assert!(
            (report["measures"]["glm"].as_f64().unwrap() - point["values"]["glm"].as_f64().unwrap()).abs()
                < 1e-8
        );
    }
    // The top has k = 8.
    let refused = sandbox.throng("anonymize job.toml --frontier front.json --pick 2 -k 8");
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
}

#[test]
fn a_front_of_another_job_is_refused_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.throng("frontier job.toml --save front.json").done();
    let is = |line: &str, expected: &str| {
        let refused = sandbox.refused(&format!("anonymize job.toml {line}"));
        assert!(refused.contains(expected), "{refused}");
        assert!(!sandbox.names().contains(&"release.csv".to_owned()));
    };
    is("--frontier front.json --pick 99", "the frontier has no point 99; its points are numbered from 1 to");
    is("--frontier front.json --pick 0", "the frontier has no point 0");
    is("--frontier front.json --pick 2 --suppression 1row", "the frontier belongs to a different job");
    is("--frontier front.json --pick 2 --qi age", "the frontier belongs to a different job");
    is("--frontier people.csv --pick 2", "this is not a saved frontier");
    is("--frontier none.json --pick 2", "no such frontier");
    is("--pick 2", "--frontier");
    is("--frontier front.json", "--pick");
    is("--frontier front.json --pick 2 --node 1,1,1", "cannot be used with");
    is(
        "--node 1,1",
        "the node has 2 levels; there must be one for each of the 3 quasi-identifiers: age, sex, zip",
    );
    is("--node 1,2,1", "column 'sex' has no level 2; its highest is 1");
    is("--node age=1,sexx=0,zip=1", "there is no quasi-identifier 'sexx' (did you mean 'sex'?)");
    is("--node age=1,zip=1", "the node has 2 levels");
    is("--node age=1,age=1,zip=1", "is given twice");
    is("--node 1,x,1", "is not a level");
    is("--node 1,-1,1", "is not a level");
    // Another table of the same columns.
    sandbox.write("people.csv", crate::sandbox::PEOPLE.replace("12345,flu", "12346,flu"));
    is("--frontier front.json --pick 2", "the frontier belongs to a different job");
    // The order of rows and the sensitive column are nothing to it.
    let mut lines: Vec<String> =
        crate::sandbox::PEOPLE.replace(",cold", ",gout").lines().map(str::to_owned).collect();
    lines[1..].reverse();
    sandbox.write("people.csv", lines.join("\n") + "\n");
    sandbox.throng("anonymize job.toml --frontier front.json --pick 2").done();
}

#[test]
fn local_recodings_stand_beside_the_front() {
    let sandbox = Sandbox::new();
    let line = "frontier job.toml --objectives k,l,lm --local sequential,mondrian --k 2,4";
    let front = found(&sandbox, &format!("{line} --json"));
    let local = front["local"].as_array().unwrap();
    let asked: Vec<(&str, u64)> = local
        .iter()
        .map(|point| (point["algorithm"].as_str().unwrap(), point["k"].as_u64().unwrap()))
        .collect();
    assert_eq!(asked, [("sequential", 2), ("sequential", 4), ("mondrian", 2), ("mondrian", 4)]);
    for point in local {
        let k = point["k"].as_u64().unwrap();
        let of = |name: &str| point["values"][name].as_f64().unwrap();
        assert!(of("k") >= k as f64 && of("l") >= 1.0, "{point}");
        let better = front["front"].as_array().unwrap().iter().any(|node| {
            let node = |name: &str| node["values"][name].as_f64().unwrap();
            let as_good = node("k") >= of("k") && node("l") >= of("l") && node("lm") <= of("lm");
            as_good && (node("k") > of("k") || node("l") > of("l") || node("lm") < of("lm"))
        });
        assert_eq!(point["dominated"], better, "{point}");
    }
    insta::assert_snapshot!(sandbox.throng(line).done());
    let csv = sandbox.throng(&format!("{line} --csv")).done();
    assert_eq!(csv.lines().next(), Some("number,k,l,lm,suppressed,age,sex,zip,local,asked_k,dominated"));
    assert_eq!(csv.lines().count(), 1 + front["front"].as_array().unwrap().len() + 4);
    assert!(csv.lines().all(|line| line.matches(',').count() == 10), "{csv}");
    // Not every measure is defined for them.
    let of_level = found(&sandbox, "frontier job.toml --objectives k,level --local mondrian --k 2 --json");
    assert_eq!(of_level["local"][0]["dominated"], Value::Null);
}

#[test]
fn a_front_is_measured_against_a_reference() {
    let sandbox = Sandbox::new();
    let whole = found(&sandbox, "frontier job.toml --save whole.json --reference exact --json");
    let nodes = whole["front"].as_array().unwrap().len();
    let all = json!({
        "reference": "exact", "reference_complete": true, "reference_nodes": nodes, "boxes": nodes,
        "convergence_error": 0, "representation_ratio": 1, "hypervolume": 1,
    });
    assert_eq!(whole["quality"], all);
    let line = "frontier job.toml --method pbg-ea --population 2 --generations 0 --json --reference";
    let few = found(&sandbox, &format!("{line} whole.json"));
    assert_eq!(few, found(&sandbox, &format!("{line} exact")));
    assert_eq!(few["settings"]["population"], 2);
    // Bottom and top are on every front, and nothing else was looked at.
    let ratio = few["quality"]["representation_ratio"].as_f64().unwrap();
    assert!((ratio - 2.0 / nodes as f64).abs() < 1e-8, "{ratio}");
    assert_eq!(few["quality"]["convergence_error"], 0);
    assert!(few["quality"]["hypervolume"].as_f64().unwrap() < 0.5, "{few}");
    let text = sandbox.throng("frontier job.toml --method front-walk --reference whole.json").done();
    assert!(text.contains("convergence error 0.000000, representation ratio 1.000000"), "{text}");
    let is = |line: &str, expected: &str| {
        let refused = sandbox.refused(&format!("frontier job.toml {line}"));
        assert!(refused.contains(expected), "{refused}");
    };
    is("--reference none.json", "no such frontier");
    is("--reference whole.json --suppression 1row", "the reference is the front of a different job");
    is("--reference whole.json --objectives k,lm", "the reference has no values for all of k, lm");
}

#[test]
fn pbg_ea_is_told_by_the_job_and_by_flags() {
    let sandbox = Sandbox::new();
    let told = |line: &str| {
        found(&sandbox, &format!("frontier job.toml --method pbg-ea --json {line}"))["settings"].clone()
    };
    let job =
        |text: &str| sandbox.write("job.toml", format!("{}\n[frontier]\n{text}\n", crate::sandbox::JOB));
    job("generations = 7\ncrossover = 0.5");
    assert_eq!(
        told("--crossover 1"),
        json!({ "population": 25, "generations": 7, "crossover": 1, "mutation": 1.0 / 3.0 })
    );
    let refused = sandbox.refused("frontier job.toml --method exact --population 9");
    assert!(refused.contains("population can only be used with the method pbg-ea"), "{refused}");
    let refused = sandbox.refused("frontier job.toml --method pbg-ea --mutation 2");
    assert!(refused.contains("mutation is 2; it must be a number from 0 to 1"), "{refused}");
    job("populaton = 9");
    let refused = sandbox.refused("frontier job.toml");
    assert!(refused.contains("did you mean 'population'?"), "{refused}");
}

/// The spread index of the paper, record by record from the numbers that are shown.
#[test]
fn nodes_are_compared_record_by_record() {
    let sandbox = Sandbox::new();
    let front = found(&sandbox, "frontier job.toml --objectives sk,sl:illness,lm --spread --json");
    let points = front["front"].as_array().unwrap();
    for name in ["sk", "sl:illness"] {
        let spread = &front["spread"][name];
        for (at, point) in points.iter().enumerate() {
            let records = spread["records"][at].as_array().unwrap();
            let sum: u64 = records.iter().map(|of| of[0].as_u64().unwrap() * of[1].as_u64().unwrap()).sum();
            assert_eq!(point["values"][name].as_u64(), Some(sum), "{point}");
            for other in 0..points.len() {
                let over = |a: usize, b: usize| spread["over"][a][b].as_i64().unwrap();
                let sums = |at: usize| points[at]["values"][name].as_i64().unwrap();
                assert_eq!(over(at, other) - over(other, at), sums(at) - sums(other));
            }
        }
    }
    let refused = sandbox.refused("frontier job.toml --objectives prec,lm --spread --json");
    assert!(refused.contains("--spread compares by k, sk, l and sl"), "{refused}");
}

#[test]
fn without_time_the_front_so_far_is_shown() {
    let sandbox = Sandbox::new();
    for method in ["exact", "pbg-ea", "front-walk"] {
        let line = format!("frontier job.toml --method {method} --time-limit 0.000000001 --json");
        let front = found(&sandbox, &line);
        assert_eq!((&front["complete"], &front["front"]), (&json!(false), &json!([])), "{method}");
    }
}

#[test]
fn bad_objectives_are_explained() {
    let sandbox = Sandbox::new();
    let is = |line: &str, expected: &str| {
        let refused = sandbox.refused(&format!("frontier job.toml {line}"));
        assert!(refused.contains(expected), "{refused}");
    };
    is("--objectives k", "at least two objectives");
    is("--objectives k,glmm", "there is no objective 'glmm' (did you mean 'glm'?)");
    is("--objectives k,k", "is given twice");
    is("--objectives k,glm --epsilon 5", "epsilon has 1 sides");
    is("--objectives k,glm --epsilon 5,0", "each must be above 0");
    is("--objectives k,glm --epsilon -5,1", "each must be above 0");
    is("--objectives k,glm --local expansion", "'expansion' does not give k-anonymity");
    is("--objectives k,cm", "it needs a target");
    is("--objectives k,l:ilness", "the table has no column 'ilness' (did you mean 'illness'?)");
    is("--objectives k,l:age", "the objective 'l:age': column 'age' has the role 'quasi'");
    is("--objectives k:age,glm", "'k' does not take a column");
    is("--objectives k,glm+x=1", "'glm' takes no keys");
    is("--objectives k,k-map", "it looks at a population");
    is("--objectives k,max-risk+population=a.csv", "it looks at a population");
    is("--objectives k,entropy-l+l=3", "'l' is what nodes are compared by");
    is("--objectives k,recursive-cl", "recursive-cl needs l");
    is("--objectives k,t-closeness+distence=equal", "unknown key 'distence'; did you mean 'distance'?");
    is("--objectives k,t-closeness+distance", "'distance' is not of the form KEY=VALUE");
    is("--objectives k,t-closeness+distance=ordered", "the column has no order");
    is("--objectives k,glm --local flash", "'flash' is not a local algorithm");
    is("--objectives k,glm --local mondrain", "did you mean 'mondrian'");
    is("--objectives k,glm --local mondrian --k 9", "k = 9 is more than the 8 rows");
    is("--objectives k,glm --k 9", "--local");
    is("--objectives k,glm --nodes 5 --method exact", "can only be used with the method front-walk");
    is("--objectives k,glm --nodes 0", "nodes is 0");
    is("--objectives k,glm --save people.csv", "people.csv");
    sandbox.write(
        "job.toml",
        crate::sandbox::JOB.replace("illness = { role = \"sensitive\" }", "illness = { role = \"other\" }"),
    );
    is("--objectives k,l", "it needs a sensitive column; the job has none");
}
