//! Cells of the comparison on Adult beside *Data privacy with heuristic anonymisation*, as printed and as improved.

use super::{Page, data, measured, repository};
use crate::sandbox::Sandbox;

/// What `throng compare` finds at k = 5, beside the page's cell, which begins with lm.
fn compare(page: &Page, table: &str, contender: &str, column: &str) {
    let job = repository().join("docs/experiments/heuristic-min/adult.toml");
    let compare = format!("{} --algorithms {contender} --k 5 --suppression 0", job.display());
    let cell = page.cell(table, &[&format!("`{contender}`")], column);
    let (lm, _) = cell.split_once(',').unwrap_or((cell, ""));
    page.assert_tells(lm, measured(&Sandbox::empty(), &compare, "lm"));
}

#[test]
fn the_page_tells_what_is_found_on_adult() {
    if data().is_none() {
        return;
    }
    let page = Page::read("heuristic-min");
    for contender in ["top-down-specialization", "bottom-up-generalization"] {
        compare(&page, "printed", contender, "5");
        for follows in ["original", "arca-hewett"] {
            compare(&page, "printed", &format!("{contender}:variant=printed+follows={follows}"), "5");
        }
    }
    // The first of its tables has k = 5.
    for contender in ["flash", "samarati", "mondrian"] {
        compare(&page, "none", contender, "lm");
    }
}
