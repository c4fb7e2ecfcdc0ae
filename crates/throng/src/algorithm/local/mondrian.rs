//! Mondrian: multidimensional partitioning from the top down.
//!
//! **Citation.** K. LeFevre, D. J. DeWitt and R. Ramakrishnan, *Mondrian Multidimensional
//! K-Anonymity*, ICDE 2006.
//!
//! **Idea.** The table is one part. A part is cut along its widest attribute, at the median of a
//! number or at the children of a value in a taxonomy, if every piece may be released, as those of k
//! rows; if not, along the next widest. Parts that cannot be cut any further are the classes.
//!
//! **Guarantee.** Every class may be released; with k-anonymity every other notion of a crowd holds, too.
//! In the strict mode no two parts overlap: on some attribute they have no value in common; in the relaxed
//! one they may. No part has an allowable cut.
//!
//! **Complexity.** O(n·a·depth) for n tuples and a attributes, where the depth is about
//! log(n / k); sorting adds a factor of log n for parts whose numbers are few and far between.
//! Parts are cut in place within one array of the tuples: memory is linear.
//!
//! **Deviations.** With `variant = "printed"` the cuts are those of 2006: [see there](printed). What follows
//! describes the *improved* variant, and the printed one wherever the two do not differ. *Median:* of all
//! cuts of an attribute the one nearest to half of the rows, the lower of two; the paper's cut above the
//! median may be empty where another is allowable.
//! *Width:* of a range, its share of the table's range; of a set or a value in a taxonomy, its
//! share of the table's values or of the taxonomy's leaves (which is what NCP charges). Ties go to the
//! first attribute. *Categories with a taxonomy*, which the paper has for numbers only in its
//! experiments: the cut is at the children of the lowest value that covers the part, and each child
//! is a piece. The paper would allow it only if every child had k rows, so that a single missing
//! cell, or one rare value, kept its column whole. Here children with fewer go together into one
//! piece, and while that lacks rows, the smallest of the others goes with it. If just one child has k
//! rows, and the rest not even together, other attributes are tried first, and then that child's
//! children are cut apart, of which the smallest goes with the rest. The piece is cut on like any
//! part; what remains of it shows the lowest value that covers its records, which may cover those of
//! other classes, too, though the parts are disjoint. *Categories without a taxonomy* are put in order
//! of frequency, most frequent first, and cut like numbers: frequent values end in small sets, and
//! large sets concern few rows. *Missing* numbers are cut off first wherever they and the rest have k
//! rows.
//! *Relaxed* cuts of numbers send tuples of the median's value to either side, by their order in
//! the table; in a taxonomy, the only child that has k rows lends tuples to the rest. Identical
//! records are one tuple and stay together in a cut. *In the end*, in both modes, records that a part can
//! spare [go](super::peel) to a class of their like, which loses nothing. *Other models* than k-anonymity
//! allow a cut if they allow every piece; of the cuts of a number only the one at the median is looked at.
//! Children that may not be released go together, with the smallest others while that helps; what still
//! fails is [mended](super::mend).

mod allow;
mod axis;
mod children;
mod cut;
mod printed;
mod records;
#[cfg(test)]
mod tests;

use super::admissible::Admissibility;
use super::closures;
use super::finish::propose;
use super::pieces::whole;
use crate::algorithm::variant::{VARIANT, Variant};
use crate::algorithm::{
    Algorithm, BLOCK_ROWS, Entry, Family, Guarantee, Serves, Setting, SettingKind, SettingValue,
};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::table::Table;
use axis::CutAxis;
use cut::{RegionCut, Scratch};
use printed::Printed;
use records::{RankRecords, Region};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "mondrian",
    summary: "cuts the table in two along its widest attribute as long as every part keeps k rows",
    citation: "LeFevre, DeWitt and Ramakrishnan 2006",
    deviations: &[
        "Cuts numbers where the halves are most even, not always just above the median.",
        "Joins children of a hierarchy value that have fewer than k rows; the printed algorithm does not \
            allow such a cut.",
        "Orders categories without a hierarchy by frequency, not in their own order.",
        "Cuts off missing numbers first.",
        "At the end, moves records that a class can spare to a class of identical records, which costs \
            nothing, and merges classes that fail a model other than k-anonymity.",
    ],
    family: Family::Local,
    serves: Serves::OfTable,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, BLOCK_ROWS, RELAXED, TOOLBOX],
    build: |settings| {
        Box::new(Mondrian {
            relaxed: settings.flag(&RELAXED),
            printed: (Variant::from_settings(settings) == Variant::Printed)
                .then(|| Printed { relaxed: settings.flag(&RELAXED), toolbox: settings.flag(&TOOLBOX) }),
        })
    },
};

/// Whether the printed variant is that of a program which others have measured.
const TOOLBOX: Setting = Setting {
    name: "toolbox",
    help: "Cuts and labels as the UTD anonymization toolbox does: treats every attribute as a code, and \
        releases regions",
    kind: SettingKind::Flag,
    default: Some(SettingValue::Flag(false)),
    only_with: Some((&VARIANT, SettingValue::Choice("printed"))),
};

/// Whether parts may share the records in which they meet.
const RELAXED: Setting = Setting {
    name: "relaxed",
    help: "Lets parts overlap",
    kind: SettingKind::Flag,
    default: Some(SettingValue::Flag(false)),
    only_with: None,
};

/// Tuples of a part that is worth a task of its own.
const TASK: usize = 1 << 12;

/// Least tuples of a part that takes long enough to ask whether to go on.
const ASK: usize = 1 << 8;

/// Tuples in classes that are worth a report.
const REPORT: u64 = 1 << 10;

struct Mondrian {
    relaxed: bool,
    printed: Option<Printed>,
}

impl Algorithm for Mondrian {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        if problem.table().rows() < problem.requirements.k() {
            return Ok(());
        }
        if let Some(printed) = self.printed {
            return printed.search(problem, run);
        }
        let classes = partition(problem, self.relaxed, run)?;
        let classes = whole(problem.table(), &classes);
        propose(problem, &closures(problem), &Admissibility::new(problem), classes, run)
    }
}

/// The tuples of each class.
fn partition(problem: &Problem, relaxed: bool, run: &Run<'_>) -> Result<Vec<Vec<u32>>, Stop> {
    run.go_on()?;
    run.expect(problem.table().tuples() as u64);
    let axes = problem.derived(|| problem.attributes().iter().map(CutAxis::new).collect::<Vec<CutAxis>>());
    let mut records = RankRecords::new(problem.table(), &axes);
    let admissibility = Admissibility::new(problem);
    let search = Cutting {
        axes: &axes,
        k: admissibility.least_rows(),
        admissibility: &admissibility,
        table: problem.table(),
        relaxed,
        run,
    };
    search.divide(records.whole(), &mut Scratch::new(&axes))?;
    run.advance_to(problem.table().tuples() as u64);
    Ok(records.into_classes())
}

/// What every part is cut by.
struct Cutting<'s, 'p> {
    axes: &'s [CutAxis],
    k: u64,
    admissibility: &'s Admissibility,
    table: &'s Table,
    relaxed: bool,
    run: &'s Run<'p>,
}

impl Cutting<'_, '_> {
    /// Cuts a part until nothing can be cut any more.
    fn divide(&self, mut part: Region<'_>, scratch: &mut Scratch) -> Result<(), Stop> {
        match scratch.choose(&part, self)? {
            None => {
                part.close();
                scratch.closed += part.len() as u64;
                if scratch.closed >= REPORT {
                    self.run.advance(std::mem::take(&mut scratch.closed));
                }
                Ok(())
            }
            Some(RegionCut::Between { axis, rank, tuple }) => {
                let below = |record: &[u32]| (record[axis], part_tuple(record)) < (rank, tuple);
                let (left, right) = part.split(below, self.run)?;
                self.each(left, right, scratch, Self::divide, Self::divide)
            }
            Some(RegionCut::Children { axis, node, pool }) => {
                let children = self.axes[axis].children(node);
                let divide = |search: &Self, part: Region<'_>, scratch: &mut Scratch| {
                    search.divide_children(part, axis, children.starts, scratch)
                };
                if pool.is_empty() {
                    return divide(self, part, scratch);
                }
                let pooled = |record: &[u32]| pool.contains(children.child(record[axis]), part_tuple(record));
                let (pooled, rest) = part.split(pooled, self.run)?;
                self.each(pooled, rest, scratch, Self::divide, divide)
            }
        }
    }

    /// Whether to go on, for parts that take long enough to ask.
    fn go_on(&self, part: &Region<'_>) -> Result<(), Stop> {
        if part.len() < ASK { Ok(()) } else { self.run.go_on() }
    }

    /// Cuts a part at all of the starts, then each piece.
    fn divide_children(
        &self,
        part: Region<'_>,
        axis: usize,
        starts: &[u32],
        scratch: &mut Scratch,
    ) -> Result<(), Stop> {
        if part.len() == 0 {
            return Ok(());
        }
        let Some(&start) = starts.get(starts.len() / 2) else { return self.divide(part, scratch) };
        let (lower, upper) = (&starts[..starts.len() / 2], &starts[starts.len() / 2 + 1..]);
        let (left, right) = part.split(|record| record[axis] < start, self.run)?;
        self.each(
            left,
            right,
            scratch,
            |search, part, scratch| search.divide_children(part, axis, lower, scratch),
            |search, part, scratch| search.divide_children(part, axis, upper, scratch),
        )
    }

    /// Goes on with two parts, side by side if both are large.
    fn each<'r>(
        &self,
        left: Region<'r>,
        right: Region<'r>,
        scratch: &mut Scratch,
        first: impl FnOnce(&Self, Region<'r>, &mut Scratch) -> Result<(), Stop> + Send,
        second: impl FnOnce(&Self, Region<'r>, &mut Scratch) -> Result<(), Stop> + Send,
    ) -> Result<(), Stop> {
        if left.len().min(right.len()) < TASK {
            first(self, left, scratch)?;
            return second(self, right, scratch);
        }
        let (left, right) =
            rayon::join(|| first(self, left, scratch), || second(self, right, &mut Scratch::new(self.axes)));
        left.and(right)
    }
}

/// The number of a record's tuple.
fn part_tuple(record: &[u32]) -> u32 {
    record[record.len() - 1]
}
