//! docs/experiments/pbg-ea.md.

use serde_json::Value;

use super::{Page, data, has_written};
use crate::sandbox::Sandbox;

const SEEDS: u64 = 20;

fn found(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.throng(&format!("frontier adult.toml --quiet --json {line}")).done())
        .unwrap()
}

/// Adult with the hierarchies of the page; nothing where there is no data.
fn adult() -> Option<Sandbox> {
    let sandbox = Sandbox::empty();
    (data().is_some() && has_written(&sandbox, "pbg-ea/hierarchies.py")).then_some(sandbox)
}

/// As the page has small numbers: 1.2·10^-2.
fn power(number: f64) -> String {
    format!("{number:.1e}").replace('e', "·10^")
}

/// The line of k and GLM of Table 1(b): the front, and the means of CE and RR over 20 seeds.
#[test]
fn the_page_tells_how_much_of_a_front_is_found() {
    let Some(sandbox) = adult() else { return };
    let page = Page::read("pbg-ea");
    found(&sandbox, "--method exact --save whole.json");
    let (mut error, mut ratio) = (0.0, 0.0);
    for seed in 1..=SEEDS {
        let line = format!("--method pbg-ea --epsilon 1,1 --reference whole.json --seed {seed}");
        let quality = &found(&sandbox, &line)["quality"];
        error += quality["convergence_error"].as_f64().expect("CE") / SEEDS as f64;
        ratio += quality["representation_ratio"].as_f64().expect("RR") / SEEDS as f64;
        page.assert_tells(page.cell("sets", &["k, GLM"], "front"), quality["boxes"].as_f64().expect("boxes"));
    }
    let cell = page.cell("sets", &["k, GLM"], "`pbg-ea`: CE");
    assert!(cell.starts_with(&format!("{} (", power(error))), "{error}: {cell}");
    page.assert_tells(&page.cell("sets", &["k, GLM"], "`pbg-ea`: RR").replace('*', ""), ratio);
}

/// Local recodings beside the front.
#[test]
fn the_page_tells_what_local_recodings_lose() {
    let Some(sandbox) = adult() else { return };
    let page = Page::read("pbg-ea");
    for (table, objectives) in [("local-k", "k,glm"), ("local-l", "k,l,glm")] {
        let beside = found(&sandbox, &format!("--objectives {objectives} --local mondrian --k 50,100"));
        for point in beside["local"].as_array().expect("local recodings") {
            let line = ["`mondrian`", &point["k"].to_string()];
            let loss = point["values"]["glm"].as_f64().expect("a loss");
            page.assert_tells(&page.cell(table, &line, "GLM").replace(',', ""), loss);
        }
    }
}
