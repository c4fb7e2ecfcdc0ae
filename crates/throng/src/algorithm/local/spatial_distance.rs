//! SpatialDistance: classes around centre points, by distances that need no taxonomies.
//!
//! **Citation.** M. R. Sarrafi Aghdam and N. Sonehara, *On Enhancing Data Utility in
//! k-Anonymization for Data without Hierarchical Taxonomies*, 2013.
//!
//! **Idea.** The first remaining tuple takes the tuple nearest to itself, and then those nearest to the
//! centre of what it has gathered, until they may be released: until they have k rows. The distance of two
//! numbers is their difference as a share of the range. Categories are nearer the more alike their
//! frequencies are among tuples that share the other categories, and count for less the more values their
//! attribute has. The last tuples, too few for a class of their own, each join the class with the nearest
//! centre.
//!
//! **Guarantee.** Every class may be released; with k-anonymity every other notion of a crowd holds, too.
//! Classes have k rows then where no two records are identical, and printed always, but for those that the last
//! tuples join.
//!
//! **Complexity.** O(n²) for n tuples at worst: each is taken once, after a search among the others.
//! The search is exact, by branch and bound over a [trie](code_tree::CodeTree) in the order in which
//! distances are summed, so that it mostly sees few of them; contingency tables are counted in
//! another trie, of the categories, from which the tuples of a class are taken when it is full.
//! Memory is linear.
//!
//! **Deviations.** *Improved*, identical records are one tuple with a count and are gathered together; in the end
//! those that a class can spare [go](super::peel) to a class of their like, which loses nothing. *Printed*, every
//! record is gathered by itself, and classes stay as they are. Models other than k-anonymity decide by what a class
//! holds; if the last tuples spoil one, it is [mended](super::mend), or printed, nothing is released. Where
//! the paper is silent, in both variants:
//! * *Which attributes are numbers:* those of which all values but missing ones are numbers or
//!   dates, unless they generalise to sets. A missing number is at distance 1 from a number, and 0
//!   from a centre without any; means leave it out.
//! * *Order* (step 1): by the attribute with the most values that occur, numbers or not, the first
//!   of several; text in the order of its characters; then the order of the tuples, which the
//!   engine sorts by their values: not that of the file. Ties between distances go to the first
//!   tuple in this order, ties between classes to the first class.
//! * *Cardinalities*, hence the order of the attributes, are those of the whole table, with ties
//!   in the order of the columns; only the counts are updated, and only as a class is completed.
//! * *Row of the contingency table:* that of the centre has the tuples whose values in the
//!   attributes before are all among the centre's. While it has fewer than k rows, 'other rows'
//!   are those that differ in the last of these attributes, then in the one before, …: at last
//!   all are considered.
//! * *Similar:* shares of the same row are compared as exact integers. Values equally similar to the
//!   first tuple's have the same distance; those that no tuple has any more have none.
//! * *First distances:* where no attribute has fewer values, 1 takes the place of the least
//!   distance there; where the one before defines none, the least so far does. Distances too
//!   small for a double are 0.
//! * *Centre:* the 'sum of all the distinct values' is their set. A value of the set is at
//!   distance 0; another is as similar to the set as to the nearest value in it.
//! * *Exactly k rows left* (step 3 says 'more than k', step 4 'fewer'): they are a class.
//! * *Tuples that are left over* measure their distances by the contingency tables of the whole
//!   table, because what remains has too few rows; they join one after the other, and centres
//!   move. A centre is as far as the nearest of its values.

mod centre;
mod code_tree;
mod contingency;
mod left_over;
mod remaining;
mod similarity;
mod space;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod transcription;

use super::admissible::{Admissibility, Contents};
use super::closures;
use super::finish::{propose, propose_as_they_are};
use super::pieces::{Piece, records, unite};
use crate::algorithm::variant::{VARIANT, Variant};
use crate::algorithm::{Algorithm, BLOCK_ROWS, Entry, Family, Guarantee, Serves};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::table::Table;
use centre::Centre;
use contingency::Contingency;
use remaining::Remaining;
use space::Space;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "spatial-distance",
    summary: "gathers the nearest tuples around centre points, by distances that need no taxonomies",
    citation: "Sarrafi Aghdam and Sonehara 2013",
    deviations: &[
        "Keeps identical records together.",
        "At the end, moves records that a class can spare to a class of identical records, which costs \
            nothing.",
        "Merges classes that the last records cause to fail a model other than k-anonymity.",
    ],
    family: Family::Local,
    serves: Serves::OfTable,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, BLOCK_ROWS],
    build: |settings| Box::new(SpatialDistance { variant: Variant::from_settings(settings) }),
};

struct SpatialDistance {
    variant: Variant,
}

impl Algorithm for SpatialDistance {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let (admissibility, table) = (Admissibility::new(problem), problem.table());
        let pieces = match self.variant {
            Variant::Improved => tuples(table),
            Variant::Printed => records(table, &admissibility),
        };
        let classes = partition(problem, pieces, run)?;
        match self.variant {
            _ if classes.is_empty() => Ok(()),
            Variant::Improved => propose(problem, &closures(problem), &admissibility, classes, run),
            Variant::Printed => propose_as_they_are(problem, &admissibility, &classes, run),
        }
    }
}

/// Each tuple as a piece.
fn tuples(table: &Table) -> Vec<Piece> {
    (0..).zip(table.weights()).map(|(tuple, &rows)| Piece { tuple, rows }).collect()
}

/// The pieces of each class; none if the table has fewer than k rows.
fn partition(problem: &Problem, pieces: Vec<Piece>, run: &Run<'_>) -> Result<Vec<Vec<Piece>>, Stop> {
    let admissibility = Admissibility::new(problem);
    let k = admissibility.least_rows();
    if problem.table().rows() < k {
        return Ok(Vec::new());
    }
    run.expect(pieces.len() as u64);
    let space = Space::new(problem, pieces, run)?;
    let mut search = Gathering::new(problem.table(), &space, &admissibility, run)?;
    let (mut classes, left) = search.form_classes(run)?;
    match classes.is_empty() {
        true => classes.push(left),
        false => left_over::join(&space, k, left, &mut classes, run)?,
    }
    let of_class = |class: Vec<u32>| {
        let mut pieces: Vec<Piece> = class.into_iter().map(|place| space.piece(place)).collect();
        // Places of one tuple can only be neighbours where each is a record.
        if space.len() > problem.table().tuples() {
            unite(&mut pieces);
        }
        pieces
    };
    Ok(classes.into_iter().map(of_class).collect())
}

/// The state of a search; tuples are named by their places in the order of step 1.
struct Gathering<'s> {
    table: &'s Table,
    space: &'s Space,
    admissibility: &'s Admissibility,
    k: u64,
    /// The tuples that are left, T of the paper.
    nearest: Remaining<'s>,
    /// Those that were left when the class was begun, by their categories.
    contingency: Contingency<'s>,
    centre: Centre,
}

impl<'s> Gathering<'s> {
    fn new(
        table: &'s Table,
        space: &'s Space,
        admissibility: &'s Admissibility,
        run: &Run<'_>,
    ) -> Result<Gathering<'s>, Stop> {
        let (nearest, contingency) = (Remaining::new(space, run)?, Contingency::new(space, run)?);
        let (k, centre) = (admissibility.least_rows(), Centre::new(space));
        Ok(Gathering { table, space, admissibility, k, nearest, contingency, centre })
    }

    /// Forms classes (step 3) until fewer than k rows are left, or what is left makes none; and what is left.
    fn form_classes(&mut self, run: &Run<'_>) -> Result<(Vec<Vec<u32>>, Vec<u32>), Stop> {
        let mut classes = Vec::new();
        while self.contingency.rows() >= self.k {
            let (class, is_ripe) = self.form_class(run)?;
            if !is_ripe {
                return Ok((classes, class));
            }
            class.iter().for_each(|&place| self.contingency.remove(place));
            run.advance(class.len() as u64);
            classes.push(class);
        }
        Ok((classes, self.nearest.left()))
    }

    /// The first tuple, and the nearest to the centre until they may be released: until there are k rows.
    /// Whether they may at last.
    fn form_class(&mut self, run: &Run<'_>) -> Result<(Vec<u32>, bool), Stop> {
        self.centre.clear();
        let (mut class, mut contents) = (Vec::new(), Contents::default());
        let mut next = self.nearest.first();
        loop {
            run.go_on()?;
            class.push(next);
            self.nearest.remove(next);
            self.centre.add(self.space, next);
            let Piece { tuple, rows } = self.space.piece(next);
            contents.add(&self.admissibility.contents(self.table, tuple, rows));
            let is_ripe = self.admissibility.is_ripe(&contents);
            if is_ripe || self.centre.rows() == self.contingency.rows() {
                return Ok((class, is_ripe));
            }
            self.contingency.define_distances(&self.centre, self.k);
            next = self.nearest.find(&self.centre, self.contingency.distances());
        }
    }
}
