//! Mondrian as printed, and as the UTD anonymization toolbox has it.
//!
//! *Printed.* Figure 3 of the paper: the widest dimension on which the cut at the median is allowable, by the share of
//! the range of its values; of equals the first. In the strict mode rows up to the median go to one side and the
//! others to the other; in the relaxed one rows with the median go to either, so that the sides are even, the first
//! having the odd one. The median is the least value up to which half of the rows lie. A cut is allowable if both
//! sides may be released, as those of k rows. Categories without a hierarchy are codes in the order of their text, as
//! the paper wants an order of each domain. Values of a hierarchy are cut at the children of the lowest value that
//! covers the part, if every child that occurs may be released; their width is the share of the leaves. Missing
//! numbers come before all others, and are as far from them as the whole range. Rows show the range, the set or the
//! lowest value of their class.
//!
//! *Toolbox.* Every attribute is a code, a hierarchy's in the order in which what is below a value is together, and is
//! cut at its median or not at all. The widest is that of the widest region, which is what the cuts leave of the
//! domain; and the region is what rows show, not what the class holds.

use crate::algorithm::local::admissible::{Admissibility, Contents};
use crate::algorithm::local::finish::{is_admissible, propose_as_they_are};
use crate::algorithm::local::pieces::{Piece, unite};
use crate::problem::Problem;
use crate::recoding::{Local, Parts};
use crate::run::{Run, Stop};
use crate::taxonomy::{Closure, ValueId};

use super::axis::{AxisCut, CutAxis};

/// The algorithm and its modes.
#[derive(Clone, Copy)]
pub(super) struct Printed {
    pub(super) relaxed: bool,
    pub(super) toolbox: bool,
}

/// Some rows, and on each axis the ranks that the cuts leave to them.
struct Part {
    pieces: Vec<Piece>,
    region: Vec<(u32, u32)>,
}

/// What parts are cut by.
struct PrintedCutting<'p> {
    printed: Printed,
    problem: &'p Problem,
    axes: Vec<CutAxis>,
    admissibility: Admissibility,
}

impl Printed {
    pub(super) fn search(self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let (table, admissibility) = (problem.table(), Admissibility::new(problem));
        let axes: Vec<CutAxis> =
            problem.attributes().iter().map(|attribute| CutAxis::in_order(attribute, self.toolbox)).collect();
        let piece = |(tuple, &rows): (u32, &u32)| Piece { tuple, rows };
        let pieces: Vec<Piece> =
            (0..).zip(table.weights()).map(piece).filter(|piece| piece.rows > 0).collect();
        let leaves = |a: usize| 0..problem.attributes()[a].taxonomy.leaf_total() as ValueId;
        let last = |a: usize| leaves(a).map(|leaf| axes[a].rank(leaf)).max().unwrap_or(0);
        let region = (0..axes.len()).map(|a| (0, last(a))).collect();
        let search = PrintedCutting { printed: self, problem, axes, admissibility };
        if !search.is_ripe(&pieces) {
            return Ok(());
        }
        run.expect(pieces.len() as u64);
        let mut classes = Vec::new();
        search.anonymise(Part { pieces, region }, &mut classes, run)?;
        classes.iter_mut().for_each(|class| unite(&mut class.pieces));
        if self.toolbox {
            return search.propose_regions(&classes, run);
        }
        let classes: Vec<Vec<Piece>> = classes.into_iter().map(|class| class.pieces).collect();
        propose_as_they_are(problem, &search.admissibility, &classes, run)
    }
}

impl PrintedCutting<'_> {
    /// Cuts a part as long as there is an allowable cut.
    fn anonymise(&self, part: Part, classes: &mut Vec<Part>, run: &Run<'_>) -> Result<(), Stop> {
        run.go_on()?;
        let allowable = |sides: &Vec<Part>| sides.iter().all(|side| self.is_ripe(&side.pieces));
        let dimensions = self.by_width(&part).into_iter();
        let cut = dimensions.map(|a| self.cut(&part, a)).find(allowable);
        let Some(sides) = cut else {
            run.advance(part.pieces.len() as u64);
            classes.push(part);
            return Ok(());
        };
        sides.into_iter().try_for_each(|side| self.anonymise(side, classes, run))
    }

    fn is_ripe(&self, pieces: &[Piece]) -> bool {
        let mut contents = Contents::default();
        let one = |piece: &Piece| self.admissibility.contents(self.problem.table(), piece.tuple, piece.rows);
        pieces.iter().for_each(|piece| contents.add(&one(piece)));
        !pieces.is_empty() && self.admissibility.is_ripe(&contents)
    }

    fn rank(&self, a: usize, piece: &Piece) -> u32 {
        self.axes[a].rank(self.problem.table().column(a)[piece.tuple as usize])
    }

    /// The least and the greatest rank of a part's rows.
    fn extent(&self, part: &Part, a: usize) -> (u32, u32) {
        let ranks = || part.pieces.iter().map(|piece| self.rank(a, piece));
        (ranks().min().expect("parts have rows"), ranks().max().expect("parts have rows"))
    }

    /// The dimensions on which a part has several values, the widest first.
    fn by_width(&self, part: &Part) -> Vec<usize> {
        let mut widths: Vec<(f64, usize)> = Vec::new();
        for (a, axis) in self.axes.iter().enumerate() {
            let (least, most) = self.extent(part, a);
            let (from, to) = if self.printed.toolbox { part.region[a] } else { (least, most) };
            if least < most {
                widths.push((axis.width(from, to, 0), a));
            }
        }
        widths.sort_by(|(x, _), (y, _)| y.total_cmp(x));
        widths.into_iter().map(|(_, a)| a).collect()
    }

    fn cut(&self, part: &Part, a: usize) -> Vec<Part> {
        let (least, most) = self.extent(part, a);
        match self.axes[a].way(least, most) {
            AxisCut::Children(value) => self.cut_at_children(part, a, value),
            AxisCut::Between { .. } if self.printed.relaxed => self.cut_evenly(part, a),
            AxisCut::Between { .. } => self.cut_above_median(part, a),
        }
    }

    /// The pieces of a part by their ranks.
    fn sorted(&self, part: &Part, a: usize) -> Vec<Piece> {
        let mut pieces = part.pieces.clone();
        pieces.sort_by_key(|piece| (self.rank(a, piece), piece.tuple));
        pieces
    }

    /// Rows up to the median, and the others.
    fn cut_above_median(&self, part: &Part, a: usize) -> Vec<Part> {
        let pieces = self.sorted(part, a);
        let half = self.rank(a, &pieces[middle(&pieces)]);
        let (low, high) = pieces.split_at(pieces.partition_point(|piece| self.rank(a, piece) <= half));
        [(low, (part.region[a].0, half)), (high, (half + 1, part.region[a].1))]
            .map(|(side, within)| part.with(side.to_vec(), a, within))
            .into()
    }

    /// The first half of the rows, and the second. A tuple that may not be divided is in the first.
    fn cut_evenly(&self, part: &Part, a: usize) -> Vec<Part> {
        let mut low = self.sorted(part, a);
        let middle = middle(&low);
        let half = self.rank(a, &low[middle]);
        let mut high = low.split_off(middle + 1);
        let (all, in_low) = (rows(&low) + rows(&high), rows(&low));
        let last = low.last_mut().expect("the median");
        let spare = (in_low - all.div_ceil(2)) as u32;
        if spare > 0 && self.admissibility.may_divide(self.problem.table(), last.tuple) {
            last.rows -= spare;
            high.insert(0, Piece { tuple: last.tuple, rows: spare });
        }
        let from = high.first().map_or(half, |piece| self.rank(a, piece).min(half + 1));
        vec![part.with(low, a, (part.region[a].0, half)), part.with(high, a, (from, part.region[a].1))]
    }

    /// Rows of each child of a value.
    fn cut_at_children(&self, part: &Part, a: usize, value: ValueId) -> Vec<Part> {
        let children = self.axes[a].children(value);
        let child = |piece: &Piece| children.child(self.rank(a, piece));
        let pieces = self.sorted(part, a);
        let sides = pieces.chunk_by(|x, y| child(x) == child(y));
        sides.map(|side| part.with(side.to_vec(), a, part.region[a])).collect()
    }

    /// Proposes classes whose rows show their regions.
    fn propose_regions(&self, classes: &[Part], run: &mut Run<'_>) -> Result<(), Stop> {
        let mut pieces: Vec<(u32, u32, u32)> = Vec::new();
        for (number, class) in (0..).zip(classes) {
            pieces.extend(class.pieces.iter().map(|piece| (piece.tuple, number, piece.rows)));
        }
        pieces.sort_unstable();
        let mut parts = Parts::default();
        pieces.iter().for_each(|&(tuple, _, rows)| parts.push(tuple, rows, false));
        let own: Vec<u32> = pieces.iter().map(|&(_, class, _)| class).collect();
        let regions = |a: usize| {
            run.unless_cancelled()?;
            Ok((classes.iter().map(|class| self.region(a, class.region[a])).collect(), own.clone()))
        };
        let local = Local::from_closures(self.problem, regions)?;
        let divided = pieces.len() > self.problem.table().tuples();
        let local = if divided { local.in_parts(parts) } else { local };
        if is_admissible(self.problem, &local) {
            run.propose(local);
        }
        Ok(())
    }

    /// The value, range or set of some ranks.
    fn region(&self, a: usize, (from, to): (u32, u32)) -> Closure {
        let taxonomy = &self.problem.attributes()[a].taxonomy;
        let leaves = 0..taxonomy.leaf_total() as ValueId;
        taxonomy.close(leaves.filter(|&leaf| (from..=to).contains(&self.axes[a].rank(leaf))))
    }
}

impl Part {
    /// Some of its rows, to which so many ranks of an axis are left.
    fn with(&self, pieces: Vec<Piece>, a: usize, within: (u32, u32)) -> Part {
        let mut region = self.region.clone();
        region[a] = within;
        Part { pieces, region }
    }
}

fn rows(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| u64::from(piece.rows)).sum()
}

/// Of sorted pieces, the first up to which half of the rows lie.
fn middle(pieces: &[Piece]) -> usize {
    let (all, mut before) = (rows(pieces), 0);
    let reaches_half = |piece: &Piece| {
        before += u64::from(piece.rows);
        2 * before >= all
    };
    pieces.iter().position(reaches_half).expect("all rows are half at least")
}
