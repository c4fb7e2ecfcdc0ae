//! Where a release stands among all ways to take each column to one step, as a picture.

use maud::{Markup, html};
use throng_engine::summary::Summary;

use crate::words as w;

/// Dots that are drawn.
const MOST_DOTS: u128 = 1500;

/// Dots of a row of the picture.
const MOST_WIDE: usize = 60;

/// What is known of a node without looking at it: coarser than a release that holds is as safe, and keeps less; where the
/// release is proven best, what is finer does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Chosen,
    Coarser,
    Finer,
    Nothing,
}

/// The picture; nothing for releases that have no levels, or where there are too many to draw.
pub(super) fn picture(report: &Summary) -> Option<Markup> {
    let chosen = numbers(report.levels.as_ref()?)?;
    let heights = numbers(&report.heights)?;
    if report.search.lattice_nodes > MOST_DOTS || chosen.len() != heights.len() {
        return None;
    }
    let mut rows: Vec<Vec<(Vec<u64>, Known)>> = Vec::new();
    for node in nodes(&heights) {
        let height = node.iter().sum::<u64>() as usize;
        rows.resize_with(rows.len().max(height + 1), Vec::new);
        let known = known(&node, &chosen, report.optimal);
        rows[height].push((node, known));
    }
    rows.iter_mut().for_each(sample);
    Some(draw(&rows))
}

fn numbers(map: &serde_json::Map<String, serde_json::Value>) -> Option<Vec<u64>> {
    map.values().map(serde_json::Value::as_u64).collect()
}

fn nodes(heights: &[u64]) -> Vec<Vec<u64>> {
    heights.iter().fold(vec![Vec::new()], |nodes, &height| {
        let further = |node: Vec<u64>| (0..=height).map(move |level| [node.as_slice(), &[level]].concat());
        nodes.into_iter().flat_map(further).collect()
    })
}

fn known(node: &[u64], chosen: &[u64], optimal: bool) -> Known {
    let is_above = node.iter().zip(chosen).all(|(a, b)| a >= b);
    let is_below = node.iter().zip(chosen).all(|(a, b)| a <= b);
    match (is_above, is_below) {
        (true, true) => Known::Chosen,
        (true, false) => Known::Coarser,
        (false, true) if optimal => Known::Finer,
        _ => Known::Nothing,
    }
}

/// Keeps the chosen node, and every so many of the others.
fn sample(row: &mut Vec<(Vec<u64>, Known)>) {
    let every = row.len().div_ceil(MOST_WIDE);
    let mut at = 0;
    row.retain(|(_, known)| {
        at += 1;
        *known == Known::Chosen || (at - 1) % every == 0
    });
}

fn draw(rows: &[Vec<(Vec<u64>, Known)>]) -> Markup {
    let (width, gap) = (640.0, 26.0);
    let height = gap * rows.len() as f64;
    let class = |known: Known| match known {
        Known::Chosen => "chosen",
        Known::Coarser => "coarser",
        Known::Finer => "finer",
        Known::Nothing => "unknown",
    };
    html! {
        figure.lattice {
            svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(w::LATTICE_LABEL) {
                @for (level, row) in rows.iter().enumerate() { @for (at, (node, known)) in row.iter().enumerate() {
                    @let x = width * (at as f64 + 0.5) / row.len() as f64;
                    @let y = height - gap * (level as f64 + 0.5);
                    circle class=(class(*known)) cx=(format!("{x:.1}")) cy=(format!("{y:.1}"))
                        r=(if *known == Known::Chosen { "8" } else { "4" }) {
                        title { (node.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")) }
                    }
                } }
            }
            figcaption.key {
                @for (class, text) in &w::LATTICE_KEY {
                    span { svg.dot viewBox="0 0 12 12" aria-hidden="true" { circle class=(class) cx="6" cy="6" r="4" {} } (text) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_has_all_nodes_and_says_only_what_is_known() {
        let all = nodes(&[1, 2]);
        assert_eq!(all.len(), 6);
        assert_eq!(known(&[1, 2], &[1, 1], true), Known::Coarser);
        assert_eq!(known(&[0, 1], &[1, 1], true), Known::Finer);
        assert_eq!(known(&[0, 1], &[1, 1], false), Known::Nothing);
        assert_eq!(known(&[0, 2], &[1, 1], true), Known::Nothing);
        assert_eq!(known(&[1, 1], &[1, 1], true), Known::Chosen);
    }
}
