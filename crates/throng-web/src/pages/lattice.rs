//! Where a release stands among all ways to take each column to one step, as a picture.

use std::collections::BTreeSet;

use maud::{Markup, html};
use throng::random::Random;
use throng::wording::count_nodes;
use throng_engine::summary::Summary;

use crate::run::KeptByLevel;
use crate::words as w;

/// Dots that are drawn.
const MOST_DOTS: usize = 1200;

/// Dots of a row of the picture.
const MOST_WIDE: usize = 60;

/// Tries to find further nodes of a height.
const TRIES: usize = 4;

/// What is known of a node without looking at it: coarser than a release that holds is as safe, and keeps less; where the
/// release is proven best, what is finer does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Chosen,
    Coarser,
    Finer,
    Nothing,
}

/// All combinations of levels, by the names and the heights of the columns.
struct Lattice<'a> {
    names: Vec<&'a String>,
    heights: Vec<u64>,
    chosen: Vec<u64>,
    is_optimal: bool,
    kept: Option<&'a KeptByLevel>,
}

/// The picture; nothing for releases that have no levels.
pub(super) fn picture(report: &Summary, kept: Option<&KeptByLevel>) -> Option<Markup> {
    let lattice = Lattice {
        names: report.heights.keys().collect(),
        heights: numbers(&report.heights)?,
        chosen: numbers(report.levels.as_ref()?)?,
        is_optimal: report.optimal,
        kept,
    };
    if lattice.chosen.len() != lattice.heights.len() || lattice.heights.is_empty() {
        return None;
    }
    let is_small = report.search.lattice_nodes <= MOST_DOTS as u128;
    let rows = if is_small { lattice.all() } else { lattice.sampled() };
    let drawn: usize = rows.iter().map(Vec::len).sum();
    let note = (!is_small || (drawn as u128) < report.search.lattice_nodes)
        .then(|| w::sampled_lattice(drawn as u64, &count_nodes(report.search.lattice_nodes)));
    Some(lattice.draw(&rows, note))
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

impl Lattice<'_> {
    fn rows(&self) -> usize {
        self.heights.iter().sum::<u64>() as usize + 1
    }

    /// Every node, by its height; of wide rows every so many.
    fn all(&self) -> Vec<Vec<Vec<u64>>> {
        let mut rows = vec![Vec::new(); self.rows()];
        for node in nodes(&self.heights) {
            rows[node.iter().sum::<u64>() as usize].push(node);
        }
        for row in &mut rows {
            let every = row.len().div_ceil(MOST_WIDE);
            let mut at = 0;
            row.retain(|node| {
                at += 1;
                *node == self.chosen || (at - 1) % every == 0
            });
        }
        rows
    }

    /// The chosen node, all that are next to it, and some of each height: the same for the same lattice.
    fn sampled(&self) -> Vec<Vec<Vec<u64>>> {
        let mut rows = vec![BTreeSet::new(); self.rows()];
        let mut add = |node: Vec<u64>| rows[node.iter().sum::<u64>() as usize].insert(node);
        add(self.chosen.clone());
        for at in 0..self.chosen.len() {
            let step = |level: u64| {
                let mut node = self.chosen.clone();
                node[at] = level;
                node
            };
            self.chosen[at].checked_sub(1).map(|level| add(step(level)));
            (self.chosen[at] < self.heights[at]).then(|| add(step(self.chosen[at] + 1)));
        }
        let wide = (MOST_DOTS / self.rows()).clamp(3, MOST_WIDE);
        let mut random = Random::new(1);
        for height in 0..self.rows() {
            for _ in 0..TRIES * wide {
                if rows[height].len() >= wide {
                    break;
                }
                rows[height].insert(self.drawn(height, &mut random));
            }
        }
        rows.into_iter().map(|row| row.into_iter().collect()).collect()
    }

    /// Some node of a height.
    fn drawn(&self, height: usize, random: &mut Random) -> Vec<u64> {
        let mut node = vec![0; self.heights.len()];
        for _ in 0..height {
            let open: Vec<usize> = (0..node.len()).filter(|&at| node[at] < self.heights[at]).collect();
            node[open[random.bits() as usize % open.len()]] += 1;
        }
        node
    }

    fn known(&self, node: &[u64]) -> Known {
        let is_above = node.iter().zip(&self.chosen).all(|(a, b)| a >= b);
        let is_below = node.iter().zip(&self.chosen).all(|(a, b)| a <= b);
        match (is_above, is_below) {
            (true, true) => Known::Chosen,
            (true, false) => Known::Coarser,
            (false, true) if self.is_optimal => Known::Finer,
            _ => Known::Nothing,
        }
    }

    /// The share of the detail that a node keeps of all columns alike, before rows are left out.
    fn kept(&self, node: &[u64]) -> Option<f64> {
        let by_level = self.kept?;
        let each = self.names.iter().zip(node);
        let each = each.map(|(name, &level)| by_level.get(*name)?.get(level as usize).copied());
        let all = each.collect::<Option<Vec<f64>>>()?;
        Some(all.iter().sum::<f64>() / all.len() as f64)
    }

    fn told(&self, node: &[u64], known: Known) -> String {
        let levels = self.names.iter().zip(node).map(|(name, level)| format!("{name} {level}"));
        w::node(&levels.collect::<Vec<_>>().join(", "), self.kept(node), class(known))
    }

    fn draw(&self, rows: &[Vec<Vec<u64>>], note: Option<String>) -> Markup {
        let width = 640.0;
        let gap = (560.0 / rows.len() as f64).clamp(12.0, 26.0);
        let height = gap * rows.len() as f64;
        html! {
            figure.lattice data-points {
                svg viewBox=(format!("0 0 {width} {height:.0}")) role="img" aria-label=(w::LATTICE_LABEL) {
                    @for (level, row) in rows.iter().enumerate() { @for (at, node) in row.iter().enumerate() {
                        @let known = self.known(node);
                        @let x = width * (at as f64 + 0.5) / row.len() as f64;
                        @let y = height - gap * (level as f64 + 0.5);
                        @let r = if known == Known::Chosen { 8.0 } else { 2.0 + 3.5 * self.kept(node).unwrap_or(0.5) };
                        circle class={ "point " (class(known)) } cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(format!("{r:.1}")) {
                            title { (self.told(node, known)) }
                        }
                    } }
                }
                p.small.pointed data-pointed { (w::POINT) }
                figcaption.key {
                    @for (class, text) in &w::LATTICE_KEY {
                        span { svg.dot viewBox="0 0 12 12" aria-hidden="true" { circle class=(class) cx="6" cy="6" r="4" {} } (text) }
                    }
                    span { (w::LATTICE_SIZE) }
                }
                @if let Some(note) = note { p.small.dim { (note) } }
            }
        }
    }
}

fn class(known: Known) -> &'static str {
    match known {
        Known::Chosen => "chosen",
        Known::Coarser => "coarser",
        Known::Finer => "finer",
        Known::Nothing => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice<'a>(
        names: &'a [String],
        heights: &[u64],
        chosen: &[u64],
        kept: Option<&'a KeptByLevel>,
    ) -> Lattice<'a> {
        Lattice {
            names: names.iter().collect(),
            heights: heights.to_vec(),
            chosen: chosen.to_vec(),
            is_optimal: true,
            kept,
        }
    }

    #[test]
    fn a_lattice_has_all_nodes_and_says_only_what_is_known() {
        let names = ["a".to_owned(), "b".to_owned()];
        let proven = lattice(&names, &[1, 2], &[1, 1], None);
        assert_eq!(proven.all().concat().len(), 6);
        assert_eq!(proven.known(&[1, 2]), Known::Coarser);
        assert_eq!(proven.known(&[0, 1]), Known::Finer);
        assert_eq!(proven.known(&[0, 2]), Known::Nothing);
        assert_eq!(proven.known(&[1, 1]), Known::Chosen);
        let found = Lattice { is_optimal: false, ..proven };
        assert_eq!(found.known(&[0, 1]), Known::Nothing);
    }

    #[test]
    fn a_large_lattice_is_sampled_around_the_release() {
        let names: Vec<String> = (0..12).map(|at| at.to_string()).collect();
        let large = lattice(&names, &[5; 12], &[2; 12], None);
        let rows = large.sampled();
        assert_eq!(rows.len(), 61);
        assert!(rows.iter().all(|row| !row.is_empty() && row.len() <= MOST_WIDE));
        assert!(rows[24].contains(&large.chosen) && rows[23].len() >= 12 && rows[25].len() >= 12);
        for (height, row) in rows.iter().enumerate() {
            assert!(row.iter().all(|node| node.iter().sum::<u64>() as usize == height));
            assert!(row.iter().flatten().all(|level| *level <= 5));
        }
        assert_eq!(rows, large.sampled());
    }

    #[test]
    fn a_node_keeps_the_mean_of_its_columns() {
        let names = ["a".to_owned(), "b".to_owned()];
        let kept = KeptByLevel::from([("a".to_owned(), vec![1.0, 0.0]), ("b".to_owned(), vec![1.0, 0.5])]);
        let lattice = lattice(&names, &[1, 1], &[0, 1], Some(&kept));
        assert_eq!([[0, 0], [0, 1], [1, 1]].map(|node| lattice.kept(&node).unwrap()), [1.0, 0.75, 0.25]);
    }
}
