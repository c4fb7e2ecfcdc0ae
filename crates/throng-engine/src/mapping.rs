//! What a release makes of each value or tuple of its table, without a word of how that is applied: whoever has a
//! table elsewhere can make the same rows of it by joins.
//!
//! It tells the original values of the quasi-identifiers, so it is as confidential as the table.

pub mod lists;
mod originals;
mod parts;
mod stored;

use rustc_hash::FxHashMap;

use throng::release::Release;

use crate::job::SuppressedRows;
use crate::prepare::{EncodedColumn, EncodedTable};
pub use originals::Original;
pub use parts::TupleParts;

/// What becomes of every row, by its quasi-identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The quasi-identifiers, in the order of the problem.
    pub columns: Vec<MappedColumn>,
    /// How rows are decided on.
    pub way: RowRule,
    /// Whether suppressed rows stay, with [`ANY`](throng::taxonomy::ANY) in every quasi-identifier.
    pub masks: bool,
    /// Rows that are suppressed.
    pub suppressed_rows: u64,
}

/// A quasi-identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedColumn {
    /// Its name.
    pub name: String,
    /// Its position in the input.
    pub column: usize,
    /// Every text that cells of the column have, with its code; sorted by text, each once.
    pub originals: Vec<Original>,
    /// What is shown; none where the release has no value.
    pub labels: Vec<Option<String>>,
    /// Whether cells are released as they were read, but that empty text becomes none.
    pub is_untouched: bool,
}

/// How rows are decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowRule {
    /// Each value of a column becomes the same in all rows: its code is that of its label.
    Values {
        /// Rows with these codes, one for each column, are suppressed; sorted.
        suppressed: Vec<Vec<u32>>,
    },
    /// Each tuple of codes, or part of one, has labels of its own.
    Tuples(TupleParts),
}

impl Mapping {
    /// What `release` makes of the table that was prepared; `suppressed` is what becomes of suppressed rows.
    pub fn from_release(prepared: &EncodedTable, release: &Release, suppressed: SuppressedRows) -> Mapping {
        let suppressed_rows = release.suppressed_rows();
        let masks = suppressed == SuppressedRows::Mask && suppressed_rows > 0;
        let shown: Vec<RowValues> =
            (0..prepared.attributes.len()).map(|a| RowValues::from_release(release, a)).collect();
        let way = match release.is_local() {
            true => RowRule::Tuples(TupleParts::from_release(release, &shown)),
            false => RowRule::Values { suppressed: suppressed_codes(release, &shown) },
        };
        let columns = prepared.attributes.iter().zip(shown).enumerate().map(|(a, (attribute, shown))| {
            let is_untouched = is_untouched(attribute, release, a, masks);
            let originals = originals::originals(attribute, release, a, &shown);
            MappedColumn {
                name: attribute.name.clone(),
                column: attribute.column,
                originals,
                labels: shown.labels,
                is_untouched,
            }
        });
        Mapping { columns: columns.collect(), way, masks, suppressed_rows }
    }
}

/// Whether the cells of an attribute are released as they were read; `masks` says whether rows are masked.
pub fn is_untouched(attribute: &EncodedColumn, release: &Release, index: usize, masks: bool) -> bool {
    let is_leaf = |of_leaf: &[u32]| (0..).zip(of_leaf).all(|(leaf, &value)| leaf == value);
    let is_changed = attribute.dictionary.is_coded() || attribute.is_hidden();
    release.leaf_values(index).is_some_and(is_leaf) && !masks && !is_changed
}

/// The generalised values of an attribute that rows have, numbered in the order of the tuples.
struct RowValues {
    numbers: FxHashMap<u32, u32>,
    labels: Vec<Option<String>>,
}

impl RowValues {
    fn from_release(release: &Release, attribute: usize) -> RowValues {
        let mut shown = RowValues { numbers: FxHashMap::default(), labels: Vec::new() };
        for part in (0..release.parts()).filter(|&part| release.rows(part) > 0) {
            let value = release.value(part, attribute);
            shown.numbers.entry(value).or_insert_with(|| {
                let label = release.label(attribute, value);
                shown.labels.push((!label.is_empty()).then(|| label.to_owned()));
                shown.labels.len() as u32 - 1
            });
        }
        shown
    }

    /// The number of a value that a row has.
    fn number(&self, value: u32) -> u32 {
        self.numbers[&value]
    }
}

fn suppressed_codes(release: &Release, shown: &[RowValues]) -> Vec<Vec<u32>> {
    let attributes = 0..shown.len();
    let code = |part: usize| attributes.clone().map(|a| shown[a].number(release.value(part, a))).collect();
    let suppressed = |part: &usize| release.is_suppressed(*part) && release.rows(*part) > 0;
    let mut classes: Vec<Vec<u32>> = (0..release.parts()).filter(suppressed).map(code).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

#[cfg(test)]
mod tests;
