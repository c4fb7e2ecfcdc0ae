//! Which original rows and which released ones could belong together: the graph behind the notions
//! of *k-Anonymization Revisited* (Gionis, Mazza and Tassa), judged independently of any search.
//!
//! An original tuple and a released record are *consistent* if every released value covers the
//! original one (Definition 3.3). Values are compared by label, as a reader of the release would:
//! a label that stands for several values covers the leaves of all of them. Suppressed rows are in
//! neither table.
//!
//! **Weights.** The graph of the paper joins rows; here equal released records are one node with
//! a number of rows, and so are the tuples of the table, or the parts that a tuple is released in. All
//! counts are in rows. The tuples need not be distinct: rows that are equal but released differently may
//! be two tuples.
//!
//! **Neighbours.** Distinct released records are in a trie, one level an attribute. The labels that
//! may stand for a leaf are those from it to the root, so a tuple descends from each node to at
//! most height + 1 children; sorted tuples share the walk for their common attributes. Ranges and
//! sets overlap, so in an attribute that has them every child is asked whether it covers the leaf. With n
//! tuples, m records, r attributes and e consistent pairs of tuple and record, sorting takes
//! O(r(n log n + m log m)) and the walks O(v log m), where v counts the nodes that agree with a
//! tuple in a prefix of the attributes. These are ordered by how many pairs agree, so that v is not
//! far from e; at worst it is r·n·m, when nearly all pairs are consistent up to the last attribute.
//! Memory is O(r(n + m) + e).
//!
//! **Matches** (Definition 4.6). The identity is a perfect matching, so an edge (R_i, R̄_j) is in
//! some perfect matching if and only if it is on an alternating cycle, i.e. if i and j are in one
//! strongly connected component of the graph with an arc i → j for each edge. Rows with one released
//! record always are; so the nodes are the distinct records, with an arc from each to all that are
//! consistent with one of its rows, and Tarjan's algorithm needs O(n + m + e).

mod components;
mod crossed;
#[cfg(test)]
pub(crate) mod examples;
mod labels;
mod matching;
mod reading;
mod records;
#[cfg(test)]
mod tests;
mod trie;
mod values;

use std::sync::OnceLock;

use components::{Digraph, components};
pub use crossed::{Crossed, Released};
use labels::LeafLabels;
pub(crate) use labels::number_labels;
use rayon::prelude::*;
pub use reading::Reading;
use records::{Lists, Records, by_selectivity};

use crate::notion::Notion;
use crate::release::Release;

/// The largest k for which a release has each notion; 0 if nothing is released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Degrees {
    /// k-anonymity: rows in the smallest class.
    pub k: u64,
    /// (1,k)-anonymity: fewest released rows that are consistent with an original one.
    pub one_k: u64,
    /// (k,1)-anonymity: fewest original rows that are consistent with a released one.
    pub k_one: u64,
    /// (k,k)-anonymity: the lesser of the two.
    pub kk: u64,
    /// Global (1,k)-anonymity: fewest matches of an original row.
    pub global_one_k: u64,
}

impl Degrees {
    /// The largest k for a notion.
    pub fn degree(&self, notion: Notion) -> u64 {
        match notion {
            Notion::K => self.k,
            Notion::OneK => self.one_k,
            Notion::KOne => self.k_one,
            Notion::KK => self.kk,
            Notion::GlobalOneK => self.global_one_k,
        }
    }
}

/// The largest k for which a release has each notion.
///
/// # Panics
/// As [`Consistency::new`].
pub fn degrees(release: &Release) -> Degrees {
    Consistency::new(release).degrees()
}

/// A tuple and an attribute whose released value does not cover the original one, if there is any.
pub fn find_uncovered(release: &Release) -> Option<(usize, usize)> {
    let attributes = release.problem().attributes().len();
    let labels: Vec<LeafLabels> = (0..attributes).map(|a| LeafLabels::new(release, a)).collect();
    let covers = |part: usize, a: usize| {
        labels[a].stands_for(labels[a].label(release.value(part, a)), release.leaf(part, a))
    };
    let released = (0..release.parts()).filter(|&part| !release.is_suppressed(part));
    let mut cells = released.flat_map(|part| (0..attributes).map(move |a| (part, a)));
    let uncovered = cells.find(|&(part, a)| !covers(part, a));
    uncovered.map(|(part, a)| (release.tuple(part), a))
}

/// The consistency graph of a release: see the [module](self).
pub struct Consistency {
    /// Rows of each part of the release.
    weights: Vec<u32>,
    /// The parts that are released; places below are indices into this.
    parts: Vec<u32>,
    /// The released record at each place.
    record_of: Vec<u32>,
    /// Rows of each released record.
    record_rows: Vec<u64>,
    /// The records that are consistent with the tuple at each place.
    edges: Lists,
    /// The strongly connected component of each record, once asked for.
    components: OnceLock<Vec<u32>>,
}

impl Consistency {
    /// Builds the graph.
    ///
    /// # Panics
    /// If a released value does not cover its original one ([`find_uncovered`] says where).
    pub fn new(release: &Release) -> Consistency {
        let parts: Vec<u32> =
            (0..release.parts() as u32).filter(|&part| !release.is_suppressed(part as usize)).collect();
        let at = |place: usize| parts[place] as usize;
        let labels: Vec<LeafLabels> =
            (0..release.problem().attributes().len()).map(|a| LeafLabels::new(release, a)).collect();
        let released =
            |labels: &[LeafLabels], place: usize, a: usize| labels[a].label(release.value(at(place), a));
        let places = 0..parts.len();
        let order = by_selectivity(
            &labels,
            |a| places.clone().map(move |place| release.leaf(at(place), a)),
            |a| places.clone().map(|place| released(&labels, place, a)).collect::<Vec<_>>().into_iter(),
        );
        let rows = |place: usize| u64::from(release.rows(at(place)));
        let records = Records::new(labels, order, parts.len(), released, rows);
        let edges = records.consistent(parts.len(), |place, a| release.leaf(at(place), a));
        let Records { of_part: record_of, rows: record_rows, .. } = records;
        let own = |(place, record): (usize, &u32)| edges.list(place).binary_search(record).is_ok();
        assert!(record_of.iter().enumerate().all(own), "every released value covers its original one");
        let components = OnceLock::new();
        let weights = (0..release.parts()).map(|part| release.rows(part)).collect();
        Consistency { weights, parts, record_of, record_rows, edges, components }
    }

    /// For each part the rows of the crowd that a notion sees it in; 0 if it is suppressed.
    ///
    /// A release has the notion for k if and only if no released part has a crowd of fewer than k.
    pub fn crowds(&self, notion: Notion) -> Vec<u64> {
        match notion {
            Notion::K => self.by_part(|place| self.record_rows[self.record_of[place] as usize]),
            Notion::OneK => self.by_part(|place| self.rows_of(self.neighbours(place))),
            Notion::KOne => {
                let covered = self.covered();
                self.by_part(|place| covered[self.record_of[place] as usize])
            }
            Notion::KK => {
                let pairs = self.crowds(Notion::OneK).into_iter().zip(self.crowds(Notion::KOne));
                pairs.map(|(neighbours, covered)| neighbours.min(covered)).collect()
            }
            Notion::GlobalOneK => self.by_part(|place| self.rows_of(self.matches(place))),
        }
    }

    /// The largest k of each notion.
    pub fn degrees(&self) -> Degrees {
        let [k, one_k, k_one, global_one_k] =
            [Notion::K, Notion::OneK, Notion::KOne, Notion::GlobalOneK].map(|n| least(&self.crowds(n)));
        Degrees { k, one_k, k_one, kk: one_k.min(k_one), global_one_k }
    }

    /// The number of parts that are released.
    pub(crate) fn places(&self) -> usize {
        self.parts.len()
    }

    /// The part at a place.
    pub(crate) fn part(&self, place: usize) -> usize {
        self.parts[place] as usize
    }

    /// The number of distinct released records.
    pub(crate) fn records(&self) -> usize {
        self.record_rows.len()
    }

    /// The records that are consistent with the tuple at a place.
    pub(crate) fn neighbours(&self, place: usize) -> impl Iterator<Item = u32> {
        self.edges.list(place).iter().copied()
    }

    /// Those of them that belong to the tuple in some perfect matching.
    pub(crate) fn matches(&self, place: usize) -> impl Iterator<Item = u32> {
        let of = self.components.get_or_init(|| components(&Orientation::new(self)));
        let own = of[self.record_of[place] as usize];
        self.neighbours(place).filter(move |&record| of[record as usize] == own)
    }

    fn rows_of(&self, records: impl Iterator<Item = u32>) -> u64 {
        records.map(|record| self.record_rows[record as usize]).sum()
    }

    /// Original rows that are consistent with each record.
    fn covered(&self) -> Vec<u64> {
        let mut covered = vec![0; self.records()];
        for place in 0..self.places() {
            let rows = u64::from(self.weights[self.part(place)]);
            self.neighbours(place).for_each(|record| covered[record as usize] += rows);
        }
        covered
    }

    fn by_part(&self, count: impl Fn(usize) -> u64 + Sync + Send) -> Vec<u64> {
        let counts: Vec<u64> = (0..self.places()).into_par_iter().map(count).collect();
        let mut by_part = vec![0; self.weights.len()];
        self.parts.iter().zip(counts).for_each(|(&part, count)| by_part[part as usize] = count);
        by_part
    }
}

/// The least crowd of a released tuple; 0 if there is none. A released tuple's crowd is never
/// empty: the tuple itself is in it.
pub(crate) fn least(crowds: &[u64]) -> u64 {
    crowds.iter().copied().filter(|&crowd| crowd > 0).min().unwrap_or(0)
}

/// The graph of records, oriented by the identity matching: an arc from a record leads to all that
/// are consistent with one of the tuples that it was released for.
struct Orientation<'g> {
    graph: &'g Consistency,
    /// `places[starts[record]..starts[record + 1]]` were released as the record.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl<'g> Orientation<'g> {
    fn new(graph: &'g Consistency) -> Orientation<'g> {
        let mut starts = vec![0u32; graph.records() + 1];
        graph.record_of.iter().for_each(|&record| starts[record as usize + 1] += 1);
        for record in 0..graph.records() {
            starts[record + 1] += starts[record];
        }
        let mut next = starts.clone();
        let mut places = vec![0; graph.places()];
        for (place, &record) in graph.record_of.iter().enumerate() {
            places[next[record as usize] as usize] = place as u32;
            next[record as usize] += 1;
        }
        Orientation { graph, starts, places }
    }
}

impl Digraph for Orientation<'_> {
    /// How many of the record's places are done, and how many arcs of the next.
    type Cursor = (u32, u32);

    fn nodes(&self) -> usize {
        self.graph.records()
    }

    fn next_arc(&self, record: u32, (place, arc): &mut (u32, u32)) -> Option<u32> {
        let record = record as usize;
        let places = &self.places[self.starts[record] as usize..self.starts[record + 1] as usize];
        while let Some(&at) = places.get(*place as usize) {
            if let Some(&head) = self.graph.edges.list(at as usize).get(*arc as usize) {
                *arc += 1;
                return Some(head);
            }
            (*place, *arc) = (*place + 1, 0);
        }
        None
    }
}
