//! One attribute's generalised values as a tree with levels.
//!
//! Level 0 holds the *leaves* (the domain of the attribute); each further level is a
//! coarsening of the one below. Every generalised value has an id into one list, so that
//! a measure is a cost per id and a release is a table of ids, whatever the recoding.
//!
//! Where there is no tree worth the name, local recoding generalises to ranges or sets of leaves
//! (see [`Scheme`]); a release has these on its list after the values of the tree.

mod auto;
mod coding;
mod dates;
mod decimal;
mod error;
mod groups;
mod intervals;
mod joins;
mod kept;
mod labels;
mod line;
mod mask;
mod notation;
mod parse;
mod places;
mod preorder;
mod ranges;
mod scheme;
mod sets;
#[cfg(test)]
mod tests;
mod tree;
mod usual;

pub use auto::{Auto, CoOccurrence, Shape};
pub use coding::Coding;
pub use dates::{DateUnit, dates};
pub use error::TaxonomyError;
pub use groups::{Group, groups};
pub use intervals::{intervals, intervals_in, intervals_in_words};
pub(crate) use joins::Joins;
pub use kept::kept;
pub use mask::{MaskSide, mask, mask_to, prefixes};
pub use notation::{Ambiguous, Notation};
pub use parse::{SEPARATORS, lines, parse, parse_separated, repeated_lines, to_text};
pub(crate) use places::Places;
pub(crate) use preorder::{Span, preorder};
pub use ranges::{coded_ranges, ranges, ranges_in};
pub use scheme::{BETWEEN, Closure, Leaves, Scheme};
pub use sets::{MAX_MEMBERS, MOST_MEMBERS, sets};

use rustc_hash::FxHashMap;
use tree::TreeBuilder;

/// The label of the value that stands for the whole domain, where no file says otherwise.
pub const ANY: &str = "*";

/// Index of a generalised value in its taxonomy.
pub type ValueId = u32;

/// A closed range of numbers or dates that a generalised value spans.
///
/// Both ends are distances from the least leaf of the attribute, which floating-point numbers hold
/// better than the numbers themselves; those of dates are in days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// From the least leaf to the beginning of the range.
    pub min: f64,
    /// From the least leaf to the end of the range.
    pub max: f64,
}

impl Extent {
    /// Length of the range.
    pub fn span(self) -> f64 {
        self.max - self.min
    }

    fn join(self, other: Extent) -> Extent {
        Extent { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// A value of the tree: a leaf, or a set of leaves under one label.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What the release shows.
    pub label: String,
    /// Number of leaves below (1 for a leaf).
    pub leaf_count: u32,
    /// The next coarser value; the root is its own parent.
    pub parent: ValueId,
    /// Lowest level at which the value stands.
    pub level: usize,
    /// Range of the leaves, when all leaves of the taxonomy are numbers or all are dates.
    pub extent: Option<Extent>,
}

/// A generalisation hierarchy: see the [module](self).
///
/// Invariants: leaf `i` has id `i`; `level_values(0)[i] == i`; two leaves that share a value
/// at some level share one at every higher level; the root covers every leaf. A value that a
/// file repeats from one level to the next (an unbalanced tree) keeps one id.
///
/// ```
/// use throng::taxonomy::Taxonomy;
/// let sex = Taxonomy::from_rows(&[["male", "*"], ["female", "*"]])?;
/// assert_eq!((sex.height(), sex.leaf_total()), (1, 2));
/// assert_eq!(sex.label(sex.generalise(0, 1)), "*");
/// # Ok::<(), throng::taxonomy::TaxonomyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Taxonomy {
    values: Vec<Value>,
    /// `levels[l][leaf]` is the value of `leaf` at level `l`.
    levels: Vec<Vec<ValueId>>,
    root: ValueId,
    /// The leaf that stands for a missing cell, if there is one.
    missing: Option<ValueId>,
    scheme: Scheme,
    /// Which leaves are equal, if they generalise to ranges.
    places: Places,
}

impl Taxonomy {
    /// Builds the tree from one row per leaf: `[leaf, level 1, …, top]`.
    ///
    /// Errors name rows counted from 1.
    pub fn from_rows<R: AsRef<[S]>, S: AsRef<str>>(rows: &[R]) -> Result<Taxonomy, TaxonomyError> {
        let Some(first) = rows.first() else {
            return Err(TaxonomyError::Empty);
        };
        let width = first.as_ref().len();
        if width == 0 {
            return Err(TaxonomyError::Empty);
        }
        let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
        for (index, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != width {
                return Err(TaxonomyError::Ragged { row: index + 1, found: row.len(), expected: width });
            }
            if let Some(earlier) = seen.insert(row[0].as_ref(), index + 1) {
                return Err(TaxonomyError::DuplicateLeaf { row: index + 1, earlier });
            }
        }
        let mut tree = TreeBuilder::leaves(rows.iter().map(|row| row.as_ref()[0].as_ref()));
        for level in 1..width {
            tree.push_level(rows.iter().map(|row| row.as_ref()[level].as_ref()))?;
        }
        Ok(tree.finish())
    }

    /// Leaves and one value for all of them: what an attribute without a hierarchy gets.
    pub fn flat<S: AsRef<str>>(leaves: &[S]) -> Result<Taxonomy, TaxonomyError> {
        let rows: Vec<[&str; 2]> = leaves.iter().map(|leaf| [leaf.as_ref(), ANY]).collect();
        Taxonomy::from_rows(&rows)
    }

    /// Number of levels above the leaves: the `h_i` of the papers.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// Number of leaves: the `|D_A|` of the papers.
    pub fn leaf_total(&self) -> usize {
        self.levels[0].len()
    }

    /// All generalised values; the id is the index.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// What the release shows for a value.
    pub fn label(&self, id: ValueId) -> &str {
        &self.values[id as usize].label
    }

    /// The value that covers the whole domain; a suppressed cell has this value.
    pub fn root(&self) -> ValueId {
        self.root
    }

    /// The leaf for missing cells, if the taxonomy has one.
    pub fn missing(&self) -> Option<ValueId> {
        self.missing
    }

    /// The value of a leaf at a level.
    pub fn generalise(&self, leaf: ValueId, level: usize) -> ValueId {
        self.levels[level][leaf as usize]
    }

    /// The value of every leaf at a level.
    pub fn level_values(&self, level: usize) -> &[ValueId] {
        &self.levels[level]
    }

    /// Number of distinct values at a level.
    pub fn level_size(&self, level: usize) -> usize {
        let mut ids = self.levels[level].clone();
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    }

    /// A value and all above it, up to the root.
    pub fn ancestors(&self, value: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        let above = |&at: &ValueId| Some(self.values[at as usize].parent).filter(|&parent| parent != at);
        std::iter::successors(Some(value), above)
    }

    /// Whether `ancestor` is `value` or lies above it.
    pub fn covers(&self, ancestor: ValueId, value: ValueId) -> bool {
        self.ancestors(value).any(|at| at == ancestor)
    }

    /// The lowest value that covers both.
    pub fn lowest_common_ancestor(&self, a: ValueId, b: ValueId) -> ValueId {
        let mut at = a;
        while !self.covers(at, b) {
            at = self.values[at as usize].parent;
        }
        at
    }

    /// The range of all leaves, when all are numbers or all are dates.
    pub fn extent(&self) -> Option<Extent> {
        self.values[self.root as usize].extent
    }

    /// One row per leaf, `[leaf, level 1, …, top]`: the inverse of [`Taxonomy::from_rows`].
    pub fn to_rows(&self) -> Vec<Vec<&str>> {
        (0..self.leaf_total())
            .map(|leaf| self.levels.iter().map(|level| self.label(level[leaf])).collect())
            .collect()
    }

    /// Adds a leaf for missing cells, with the empty label, unless there is one already.
    ///
    /// It stays by itself up to the level of the root, so a missing cell is never merged with a
    /// known value below the top. The one exception is a level that shows other leaves as empty
    /// too: nobody could tell them apart there, so from that level on they go together.
    #[must_use]
    pub fn with_missing(self) -> Taxonomy {
        if self.missing.is_some() {
            return self;
        }
        let mut positions = self.positions();
        let own = self.missing_row();
        let mut rows = self.to_rows();
        rows.push(own);
        positions.push(None);
        Taxonomy::from_rows(&rows)
            .expect("a new leaf that is alone or follows another leaf upwards splits no value")
            .with_positions(&positions)
            .with_scheme(self.scheme)
            .with_places(self.places)
    }

    /// Adds a leaf that is shown as the root at every level, unless there is one already.
    #[must_use]
    pub fn with_top_leaf(self) -> Taxonomy {
        let label = self.label(self.root);
        if self.values[..self.leaf_total()].iter().any(|leaf| leaf.label == label) {
            return self;
        }
        let mut positions = self.positions();
        let mut rows = self.to_rows();
        rows.push(vec![label; self.levels.len()]);
        positions.push(None);
        Taxonomy::from_rows(&rows)
            .expect("a leaf that is alone or joins the root splits no value")
            .with_positions(&positions)
            .with_scheme(self.scheme)
            .with_places(self.places)
    }

    /// The same values; if no level has others than the leaves, with one where only the root is. A hierarchy that says
    /// nothing of them is then as good as [none](Self::flat).
    #[must_use]
    pub fn with_top_level(mut self) -> Taxonomy {
        let top = self.levels.last().expect("level 0 exists");
        if self.leaf_total() > 1 && *top == self.levels[0] {
            self.levels.push(vec![self.root; self.leaf_total()]);
        }
        self
    }

    /// The labels of a missing leaf at each level.
    fn missing_row(&self) -> Vec<&str> {
        let root_is_group = (self.root as usize) >= self.leaf_total();
        let mut follows: Option<usize> = None;
        let labels = self.levels.iter().map(|ids| {
            let top = root_is_group && ids[0] == self.root;
            follows = follows.or_else(|| ids.iter().position(|&id| top || self.label(id).is_empty()));
            follows.map_or("", |leaf| self.label(ids[leaf]))
        });
        labels.collect()
    }

    /// Where each leaf lies on its line; `None` for missing, or when leaves are text.
    fn positions(&self) -> Vec<Option<f64>> {
        self.values[..self.leaf_total()].iter().map(|leaf| leaf.extent.map(|e| e.min)).collect()
    }

    /// The same values, where leaves that are numbers of a notation lie on a line, too.
    ///
    /// Leaves that have places keep them; codes, of which values above are masks, get none.
    #[must_use]
    pub fn with_notation(self, notation: Notation) -> Taxonomy {
        let leaves = self.values[..self.leaf_total()].iter().map(|leaf| leaf.label.as_str());
        let masked = self.values[self.leaf_total()..].iter().any(|value| tree::is_mask(&value.label));
        if notation == Notation::Plain || masked || self.extent().is_some() {
            return self;
        }
        let positions = line::find_numbers(leaves, notation);
        match positions {
            Some(positions) => self.with_positions(&positions),
            None => self,
        }
    }

    /// Replaces the places that leaves have by their looks (see [`line`]): one position per leaf,
    /// `None` for a leaf without one.
    pub(crate) fn with_positions(mut self, positions: &[Option<f64>]) -> Taxonomy {
        debug_assert_eq!(positions.len(), self.leaf_total());
        self.values.iter_mut().for_each(|value| value.extent = None);
        for (leaf, position) in positions.iter().enumerate() {
            let Some(x) = *position else { continue };
            let point = Extent { min: x, max: x };
            let above = self.levels.iter().map(|ids| ids[leaf]).chain([self.root]);
            for id in above {
                let extent = &mut self.values[id as usize].extent;
                *extent = Some(extent.map_or(point, |e| e.join(point)));
            }
        }
        self
    }
}

/// A finite decimal number, as spelled in data.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|x| x.is_finite())
}
