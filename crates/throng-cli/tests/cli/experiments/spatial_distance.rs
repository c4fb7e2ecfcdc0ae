//! Cells of figure 4 of the SpatialDistance paper, as printed and as improved.

use super::{Page, data, measured, repository};
use crate::sandbox::Sandbox;

const SEEDS: u32 = 8;

fn ncp(contender: &str, options: &str) -> f64 {
    let job = repository().join("docs/experiments/spatial-distance/adult.toml");
    let plus = if contender.contains(':') { '+' } else { ':' };
    let contender = format!("{contender}{plus}generalise=range-or-set:50");
    let compare = format!("{} --algorithms {contender} --measures ncp --k 10 --suppression 0", job.display());
    measured(&Sandbox::empty(), &format!("{compare} {options}"), "ncp")
}

#[test]
fn the_page_tells_what_is_found_on_adult() {
    if data().is_none() {
        return;
    }
    let page = Page::read("spatial-distance");
    for contender in ["spatial-distance:variant=printed", "mondrian:variant=printed+toolbox"] {
        // The first of its tables: 500 rows, the mean of all samples.
        let losses = (1..=SEEDS).map(|seed| ncp(contender, &format!("--rows 500 --seed {seed}")));
        let cell = page.cell("figure_four", &[&format!("`{contender}`, ranges and sets")], "10");
        page.assert_tells(cell, losses.sum::<f64>() / f64::from(SEEDS));
    }
    for contender in ["spatial-distance:variant=printed", "mondrian:variant=printed"] {
        page.assert_tells(page.cell("all_rows", &[&format!("`{contender}`")], "10"), ncp(contender, ""));
    }
    for contender in ["spatial-distance", "mondrian"] {
        page.assert_tells(page.cell("columns", &[&format!("`{contender}`")], "all"), ncp(contender, ""));
    }
}
