//! Hierarchies for columns that have none: built from the values and how often they occur.
//!
//! The values of a column fall into *strands*: what fits the column's [`Shape`] (numbers, dates,
//! codes), and what does not (`unknown` among the ages, a date in another spelling), which is
//! grouped like categories. Each strand gets levels of its own, the missing value stays by itself,
//! and all meet at `*`. So every column has a hierarchy, however odd its values are. A value that is
//! `*` in the data says nothing already: it stays `*` at every level.
//!
//! Equal input gives equal hierarchies: ties go to the more frequent value, then to the lesser text.

mod calendar;
mod categories;
mod characters;
mod co_occurrence;
mod dendrogram;
mod join;
mod ladder;
mod naming;
mod numbers;
mod round;
mod runs;
#[cfg(test)]
mod tests;

pub use co_occurrence::CoOccurrence;

use rustc_hash::FxHashMap;

use super::{ANY, Notation, Taxonomy, TaxonomyError};
use ladder::Ladder;
use naming::{GroupNaming, Naming};

/// What the values of a column are taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Numbers: ranges between round cuts that follow the distribution.
    Numbers,
    /// Dates: calendar units, as the span of the data demands.
    Dates {
        /// How the dates may be spelled: see [`Shape::Mixed`].
        formats: Vec<Option<String>>,
    },
    /// Numbers and dates, each as above, and other text among them.
    Mixed {
        /// How dates may be spelled, as in [`dates`](super::dates()); `None` is ISO 8601. Where
        /// several formats read a value, the one that reads the most values decides.
        formats: Vec<Option<String>>,
    },
    /// Codes such as ZIP: masked from the right.
    Characters,
    /// Anything else: merged by frequency and by what they occur together with.
    Categories,
}

/// A builder of hierarchies: see the [module](self).
///
/// ```
/// use throng::taxonomy::{Auto, Shape};
///
/// let ages = ["8", "17", "23", "24", "31", "38", "45", "62", "unknown", ""];
/// let taxonomy = Auto::new(Shape::Numbers, &[1; 10]).build(&ages)?;
/// let row = |leaf: usize| taxonomy.to_rows()[leaf].join(" → ");
/// assert_eq!(row(2), "23 → 20-29 → <30 → *");
/// assert_eq!(row(8), "unknown → unknown → unknown → *");
/// # Ok::<(), throng::taxonomy::TaxonomyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Auto<'a> {
    shape: Shape,
    rows: &'a [u64],
    co_occurrence: Option<&'a CoOccurrence>,
    max_levels: usize,
    labels: GroupNaming,
    rare: Option<&'a [bool]>,
    notation: Notation,
}

impl<'a> Auto<'a> {
    /// Levels between the leaves and `*`, where nothing else is said.
    pub const MAX_LEVELS: usize = 5;

    /// A builder for values of which each occurs in so many rows.
    pub fn new(shape: Shape, rows: &'a [u64]) -> Auto<'a> {
        Auto {
            shape,
            rows,
            co_occurrence: None,
            max_levels: Auto::MAX_LEVELS,
            labels: GroupNaming::Members,
            rare: None,
            notation: Notation::Plain,
        }
    }

    /// Also looks at what each value occurs together with; used for categories.
    #[must_use]
    pub fn with_co_occurrence(mut self, co_occurrence: &'a CoOccurrence) -> Auto<'a> {
        self.co_occurrence = Some(co_occurrence);
        self
    }

    /// Reads and writes numbers in this notation.
    #[must_use]
    pub fn with_notation(mut self, notation: Notation) -> Auto<'a> {
        self.notation = notation;
        self
    }

    /// At most so many levels between the leaves and `*`.
    #[must_use]
    pub fn with_max_levels(mut self, max_levels: usize) -> Auto<'a> {
        self.max_levels = max_levels;
        self
    }

    /// Labels groups of categories by number: where values are those of people, no label may show one.
    ///
    /// ```
    /// use throng::taxonomy::{Auto, Shape};
    ///
    /// let doctors = ["Koch, Greta", "Nowak, Jan", "Rossi, Ada", "Meier, Eva"];
    /// let taxonomy = Auto::new(Shape::Categories, &[9, 7, 2, 1]).with_numbered_groups().build(&doctors)?;
    /// assert_eq!(taxonomy.to_rows()[0][1], "group 1 of 2");
    /// # Ok::<(), throng::taxonomy::TaxonomyError>(())
    /// ```
    #[must_use]
    pub fn with_numbered_groups(mut self) -> Auto<'a> {
        self.labels = GroupNaming::Numbers;
        self
    }

    /// Keeps some values out of all labels of groups: those that are too few people's. A group is named by a member
    /// that may be shown, or by its number if it has none.
    ///
    /// ```
    /// use throng::taxonomy::{Auto, Shape};
    ///
    /// let jobs = ["nurse", "clerk", "astronaut", "hangman"];
    /// let rare = [false, false, true, true];
    /// let taxonomy = Auto::new(Shape::Categories, &[90, 70, 2, 1]).with_rare(&rare).build(&jobs)?;
    /// let rows = taxonomy.to_rows();
    /// let hangman = rows.iter().find(|row| row[0] == "hangman").unwrap();
    /// assert_eq!(hangman[1], "clerk +2 more");
    /// # Ok::<(), throng::taxonomy::TaxonomyError>(())
    /// ```
    #[must_use]
    pub fn with_rare(mut self, rare: &'a [bool]) -> Auto<'a> {
        self.rare = Some(rare);
        self
    }

    /// The hierarchy of distinct values, in the order of `rows`.
    ///
    /// Every value is a leaf, whatever it is; the height is at most the levels allowed plus one.
    ///
    /// # Errors
    /// If there is no value, a value comes twice, or a date format cannot be used.
    ///
    /// # Panics
    /// If `rows`, what is rare or the co-occurrence is not of as many values.
    pub fn build<S: AsRef<str>>(&self, values: &[S]) -> Result<Taxonomy, TaxonomyError> {
        let values: Vec<&str> = values.iter().map(S::as_ref).collect();
        assert_eq!(values.len(), self.rows.len(), "rows of each value");
        refuse_duplicates(&values)?;
        let says_something = |&value: &usize| !values[value].is_empty() && values[value] != ANY;
        let known: Vec<usize> = (0..values.len()).filter(says_something).collect();
        let (mut ladders, rest) = self.place(&values, known)?;
        if !rest.is_empty() {
            let alone = ladders.is_empty();
            let naming = Naming::new(self.labels, self.rare);
            let merged =
                categories::merge(&values, self.rows, rest, self.co_occurrence, self.max_levels, naming);
            ladders.push(if alone { merged } else { merged.rooted(&values, self.max_levels, naming) });
        }
        Ok(join::join(&values, &ladders)?.with_notation(self.notation))
    }

    /// The strands of what fits the shape, and the values that do not fit it.
    fn place(&self, values: &[&str], known: Vec<usize>) -> Result<(Vec<Ladder>, Vec<usize>), TaxonomyError> {
        let most = self.max_levels;
        let (mut ladders, rest) = match &self.shape {
            Shape::Numbers => one(numbers::range(values, self.rows, known, most, self.notation)),
            Shape::Dates { formats } => one(calendar::date(values, known, formats, most)?),
            Shape::Mixed { formats } => {
                let (numbers, rest) = numbers::range(values, self.rows, known, most, self.notation);
                let (dates, rest) = calendar::date(values, rest, formats, most)?;
                (vec![numbers, dates], rest)
            }
            Shape::Characters => (vec![characters::mask(values, known, most)], Vec::new()),
            Shape::Categories => (Vec::new(), known),
        };
        ladders.retain(|ladder| !ladder.leaves.is_empty());
        Ok((ladders, rest))
    }
}

fn one((ladder, rest): (Ladder, Vec<usize>)) -> (Vec<Ladder>, Vec<usize>) {
    (vec![ladder], rest)
}

fn refuse_duplicates(values: &[&str]) -> Result<(), TaxonomyError> {
    if values.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    for (index, value) in values.iter().enumerate() {
        if let Some(earlier) = seen.insert(value, index + 1) {
            return Err(TaxonomyError::DuplicateLeaf { row: index + 1, earlier });
        }
    }
    Ok(())
}
