//! What two adversaries learn from a release (section IV-A of *k-Anonymization Revisited*).
//!
//! Both know the quasi-identifiers of everybody and that a certain person is in the table. The
//! *first* links this person to every released row that is consistent with him: his neighbours.
//! The *second* also knows exactly who else is in the table. Every row must belong to somebody, so
//! she can rule out neighbours that would leave others without a row: what remains are his matches.
//! Either is certain of a sensitive value if all rows that she is left with have the same one.
//!
//! Linear in the size of the [consistency graph](crate::consistency).

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::consistency::{Consistency, Degrees};
use crate::notion::Notion;
use crate::release::Release;

/// A sensitive column: for each part of the release, how many of its rows have each value, as pairs
/// of a code for the value and a count.
pub type Histograms = Vec<Vec<(u32, u32)>>;

/// What both adversaries learn, and whether the release keeps its promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// By the first adversary: neighbours.
    pub neighbours: Links,
    /// By the second adversary: matches.
    pub matches: Links,
    /// The largest k of each notion.
    pub degrees: Degrees,
    /// The notion of a crowd that the problem's requirements claim, with its k.
    pub claim: (Notion, u64),
    /// Whether the release has this notion.
    pub holds: bool,
}

/// What one adversary can link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// For each part of the release, the released rows that she can link it to; 0 for a suppressed
    /// part, and for no other. Parts are tuples of the table, unless a recoding divides them.
    pub rows: Vec<u64>,
    /// How many original rows are linked to each number of released ones, without suppressed rows.
    pub distribution: BTreeMap<u64, u64>,
    /// For each sensitive column, the original rows whose value is certain.
    pub certain_rows: Vec<u64>,
}

impl Links {
    /// The fewest released rows that an original one is linked to; 0 if nothing is released.
    pub fn fewest(&self) -> u64 {
        self.distribution.keys().next().copied().unwrap_or(0)
    }

    /// Original rows that are linked to fewer than k released ones.
    pub fn rows_below(&self, k: u64) -> u64 {
        self.distribution.range(..k).map(|(_, rows)| rows).sum()
    }

    /// The parts with the fewest links, at most so many: fewest first, then by index.
    pub fn worst(&self, most: usize) -> Vec<usize> {
        let mut parts: Vec<usize> = (0..self.rows.len()).filter(|&part| self.rows[part] > 0).collect();
        let key = |&part: &usize| (self.rows[part], part);
        if most < parts.len() {
            parts.select_nth_unstable_by_key(most, key);
            parts.truncate(most);
        }
        parts.sort_unstable_by_key(key);
        parts
    }
}

/// Attacks a release as both adversaries would.
///
/// # Panics
/// As [`Consistency::new`]; or if a sensitive column has not one histogram for each part.
pub fn attack(release: &Release, sensitive: &[Histograms]) -> Attack {
    let weights: Vec<u32> = (0..release.parts()).map(|part| release.rows(part)).collect();
    assert!(sensitive.iter().all(|column| column.len() == weights.len()), "one histogram for each part");
    let graph = Consistency::new(release);
    let seen: Vec<Vec<Seen>> = sensitive.iter().map(|column| values_of_records(&graph, column)).collect();
    let links = |notion: Notion, certain: &dyn Fn(&[Seen]) -> u64| {
        let rows = graph.crowds(notion);
        let mut distribution = BTreeMap::new();
        for (&links, &weight) in rows.iter().zip(&weights).filter(|&(&links, _)| links > 0) {
            *distribution.entry(links).or_default() += u64::from(weight);
        }
        Links { rows, distribution, certain_rows: seen.iter().map(|seen| certain(seen)).collect() }
    };
    let neighbours =
        links(Notion::OneK, &|seen| certain_rows(&graph, &weights, seen, |place| graph.neighbours(place)));
    let matches =
        links(Notion::GlobalOneK, &|seen| certain_rows(&graph, &weights, seen, |place| graph.matches(place)));
    let requirements = &release.problem().requirements;
    let (degrees, claim) = (graph.degrees(), (requirements.notion(), requirements.k()));
    let holds = graph.places() == 0 || degrees.of(claim.0) >= claim.1;
    Attack { neighbours, matches, degrees, claim, holds }
}

/// The sensitive values of a set of rows, as far as certainty goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    /// No row with a value.
    #[default]
    Nothing,
    /// All have this one.
    Only(u32),
    /// Several values.
    Several,
}

impl Seen {
    fn join(self, other: Seen) -> Seen {
        match (self, other) {
            (Seen::Nothing, seen) | (seen, Seen::Nothing) => seen,
            (Seen::Only(a), Seen::Only(b)) if a == b => self,
            _ => Seen::Several,
        }
    }
}

/// What the rows of each released record show.
fn values_of_records(graph: &Consistency, column: &Histograms) -> Vec<Seen> {
    let mut seen = vec![Seen::default(); graph.records()];
    for place in 0..graph.places() {
        let record = &mut seen[graph.record(place) as usize];
        let values = column[graph.part(place)].iter().filter(|&&(_, rows)| rows > 0);
        *record = values.fold(*record, |seen, &(value, _)| seen.join(Seen::Only(value)));
    }
    seen
}

/// Original rows whose linked records all show one value.
fn certain_rows<I: Iterator<Item = u32>>(
    graph: &Consistency,
    weights: &[u32],
    seen: &[Seen],
    linked: impl Fn(usize) -> I + Sync,
) -> u64 {
    let is_certain = |place: usize| {
        let all = linked(place).fold(Seen::Nothing, |all, record| all.join(seen[record as usize]));
        matches!(all, Seen::Only(_))
    };
    let certain = (0..graph.places()).into_par_iter().filter(|&place| is_certain(place));
    certain.map(|place| u64::from(weights[graph.part(place)])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consistency::examples::{five_rows, with_suppressed_row};

    /// The rows of b and c need the only two records that cover b's second value. So the second
    /// adversary knows that d's row is not that of c, although it is consistent with d, too: the
    /// table is (2,2)-anonymous, and she links d to a single row and learns d's secret.
    #[test]
    fn the_second_adversary_succeeds_on_a_kk_table() {
        let problem = five_rows(Notion::KK);
        let release = problem.release();
        let secret = vec![vec![(7, 1), (8, 1)], vec![(7, 1)], vec![(8, 1)], vec![(7, 1)]];
        let found = attack(&release, &[secret]);
        assert_eq!(found.neighbours.rows, [4, 2, 2, 2]);
        assert_eq!(found.matches.rows, [2, 2, 2, 1]);
        assert_eq!(found.neighbours.distribution, BTreeMap::from([(2, 3), (4, 2)]));
        assert_eq!(found.matches.distribution, BTreeMap::from([(1, 1), (2, 4)]));
        assert_eq!([found.neighbours.certain_rows[0], found.matches.certain_rows[0]], [0, 1]);
        assert_eq!((found.matches.worst(2), found.matches.fewest()), (vec![3, 0], 1));
        assert_eq!((found.matches.rows_below(2), found.neighbours.worst(9)), (1, vec![1, 2, 3, 0]));
        assert!(found.holds, "it claims no more than (2,2)");
        let claims_more = five_rows(Notion::GlobalOneK);
        assert!(!attack(&claims_more.release(), &[]).holds);
    }

    #[test]
    fn equal_secrets_are_certain_however_large_the_crowd() {
        let problem = five_rows(Notion::KK);
        let same: Histograms = [2, 1, 1, 1].map(|rows| vec![(3, rows), (4, 0)]).to_vec();
        let unknown: Histograms = vec![Vec::new(); 4];
        let found = attack(&problem.release(), &[same, unknown]);
        assert_eq!(found.neighbours.certain_rows, [5, 0]);
        assert_eq!(found.matches.certain_rows, [5, 0]);
    }

    #[test]
    fn suppressed_rows_are_in_neither_table() {
        let problem = with_suppressed_row();
        let found = attack(&problem.release(), &[vec![vec![(0, 2)], vec![(1, 1)]]]);
        assert_eq!(found.neighbours.rows, [2, 0]);
        assert_eq!((found.neighbours.worst(5), found.neighbours.certain_rows[0]), (vec![0], 2));
        assert_eq!(found.matches.distribution, BTreeMap::from([(2, 2)]));
        assert!(found.holds);
    }
}
