//! `throng frontier`: the whole trade-off.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

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
    assert_eq!(csv.lines().next(), Some("k,sk,sl:illness,prec,suppressed,age,sex,zip"));
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
    is("--objectives k,cm", "it needs a target");
    is("--objectives k,l:ilness", "the table has no column 'ilness'");
}
