//! A release: for each tuple, or part of one, and attribute a generalised value; or it is suppressed.

mod class_labels;

use rustc_hash::FxHashMap;

use crate::cut::Cut;
use crate::lattice::Node;
use crate::privacy::Whole;
use crate::problem::{Attribute, Problem};
use crate::recoding::{GoOn, Parts, Recoding};
use crate::run::Stop;
use crate::table::{Carried, Histogram, add_up};
use crate::tally::{ClassSizes, Tally};
use crate::taxonomy::{Leaves, Value, ValueId};

pub use class_labels::ClassLeaves;

/// Parts that are counted between two questions whether to go on.
const PARTS: usize = 1 << 16;

/// The table of generalised values that a recoding gives, by *parts*: a tuple is one, unless a local
/// recoding divides it. It owns all that it needs.
#[derive(Clone, Debug)]
pub struct Release {
    problem: Problem,
    recoding: Recoding,
    /// By part.
    suppressed: Vec<bool>,
    /// For each attribute, the values that the recoding made.
    made: Vec<Vec<Value>>,
}

impl Release {
    pub(crate) fn new(problem: &Problem, recoding: Recoding, suppressed: Vec<bool>) -> Release {
        let made = match &recoding {
            Recoding::FullDomain(_) | Recoding::Cut(_) => vec![Vec::new(); problem.attributes().len()],
            Recoding::Local(local) => {
                let attributes = problem.attributes().iter().enumerate();
                let describe = |(a, attribute): (usize, &Attribute)| {
                    let describe = |leaves| attribute.taxonomy.describe(leaves);
                    local.made(a).iter().map(describe).collect()
                };
                attributes.map(describe).collect()
            }
        };
        Release { problem: problem.clone(), recoding, suppressed, made }
    }

    /// The table that was released, and what was asked for.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The recoding that was applied.
    pub fn recoding(&self) -> &Recoding {
        &self.recoding
    }

    /// The levels, for full-domain recoding.
    pub fn node(&self) -> Option<&Node> {
        match &self.recoding {
            Recoding::FullDomain(node) => Some(node),
            _ => None,
        }
    }

    /// The cuts, for cut recoding.
    pub fn cuts(&self) -> Option<&[Cut]> {
        match &self.recoding {
            Recoding::Cut(cuts) => Some(cuts),
            _ => None,
        }
    }

    /// Whether tuples have generalised values of their own.
    pub fn is_local(&self) -> bool {
        matches!(self.recoding, Recoding::Local(_))
    }

    /// The value of every leaf of an attribute, if it is the same in the whole table: for all but local
    /// recoding.
    pub fn leaf_values(&self, attribute: usize) -> Option<&[ValueId]> {
        match &self.recoding {
            Recoding::FullDomain(node) => {
                let taxonomy = &self.problem.attributes()[attribute].taxonomy;
                Some(taxonomy.level_values(node.level(attribute)))
            }
            Recoding::Cut(cuts) => Some(cuts[attribute].leaf_values()),
            Recoding::Local(_) => None,
        }
    }

    fn divided(&self) -> Option<&Parts> {
        match &self.recoding {
            Recoding::Local(local) => local.parts(),
            _ => None,
        }
    }

    /// Number of parts; as many as tuples if none is divided.
    pub fn parts(&self) -> usize {
        self.suppressed.len()
    }

    /// The tuple that a part is of.
    pub fn tuple(&self, part: usize) -> usize {
        self.divided().map_or(part, |parts| parts.tuples()[part] as usize)
    }

    /// Rows of a part.
    pub fn rows(&self, part: usize) -> u32 {
        self.divided().map_or_else(|| self.problem.table().weights()[part], |parts| parts.rows()[part])
    }

    /// The original value of a part.
    pub fn leaf(&self, part: usize, attribute: usize) -> ValueId {
        self.problem.table().column(attribute)[self.tuple(part)]
    }

    /// Whether a part is left out.
    pub fn is_suppressed(&self, part: usize) -> bool {
        self.suppressed[part]
    }

    /// The generalised value of a part's attribute; a suppressed part has one, too.
    pub fn value(&self, part: usize, attribute: usize) -> ValueId {
        match &self.recoding {
            Recoding::FullDomain(node) => {
                let leaf = self.problem.table().column(attribute)[part];
                self.problem.attributes()[attribute].taxonomy.generalise(leaf, node.level(attribute))
            }
            Recoding::Cut(cuts) => cuts[attribute].value(self.problem.table().column(attribute)[part]),
            Recoding::Local(local) => local.column(attribute)[part],
        }
    }

    /// Calls `visit` with each code of a carried column, or of persons, that rows of a part have, and their
    /// number.
    ///
    /// # Panics
    /// If the part is of a divided tuple whose rows have different values: which of them the part has is
    /// not known. Who divides tuples tells such rows apart.
    pub fn for_each_value(&self, part: usize, column: &Carried, mut visit: impl FnMut(u32, u32)) {
        let (tuple, rows) = (self.tuple(part), self.rows(part));
        let values = column.of(tuple);
        if rows == self.problem.table().weights()[tuple] {
            return values.iter().for_each(|(code, rows)| visit(code, rows));
        }
        let mut values = values.iter();
        let (only, others) = (values.next(), values.next());
        let (code, _) = only.filter(|_| others.is_none()).expect("rows of a divided tuple have one value");
        visit(code, rows);
    }

    /// Whether it is known which values of a column the rows of each part have.
    fn has_values_of(&self, column: &Carried) -> bool {
        let is_whole = |part: usize| self.rows(part) == self.problem.table().weights()[self.tuple(part)];
        (0..self.parts()).all(|part| is_whole(part) || column.of(self.tuple(part)).distinct() == 1)
    }

    /// The whole that is released: what models compare classes with. A column of which it is not known which
    /// values the parts of a divided tuple have, and which no model looks at, counts as nothing.
    pub fn whole(&self) -> Whole {
        let released = || (0..self.parts()).filter(|&part| !self.suppressed[part]);
        let rows = released().map(|part| u64::from(self.rows(part))).sum();
        Whole::counting(self.problem.table(), rows, |column, rows| {
            let is_known = self.divided().is_none() || self.has_values_of(column);
            for part in released().filter(|_| is_known) {
                self.for_each_value(part, column, |code, of_part| rows[code as usize] += u64::from(of_part));
            }
        })
    }

    /// The generalised values of an attribute, in the order of their ids: those of its taxonomy,
    /// then those that the recoding made.
    pub fn values(&self, attribute: usize) -> impl Iterator<Item = &Value> {
        self.problem.attributes()[attribute].taxonomy.values().iter().chain(&self.made[attribute])
    }

    /// What the release shows for a value.
    pub fn label(&self, attribute: usize, value: ValueId) -> &str {
        let values = self.problem.attributes()[attribute].taxonomy.values();
        let at = value as usize;
        values.get(at).map_or_else(|| &self.made[attribute][at - values.len()].label, |value| &value.label)
    }

    /// The leaves that the recoding made values of, in the order of their ids.
    pub fn made(&self, attribute: usize) -> &[Leaves] {
        match &self.recoding {
            Recoding::FullDomain(_) | Recoding::Cut(_) => &[],
            Recoding::Local(local) => local.made(attribute),
        }
    }

    /// Whether a value covers a leaf.
    pub fn covers(&self, attribute: usize, value: ValueId, leaf: ValueId) -> bool {
        let taxonomy = &self.problem.attributes()[attribute].taxonomy;
        match (value as usize).checked_sub(taxonomy.values().len()) {
            None => taxonomy.covers(value, leaf),
            Some(made) => self.made(attribute)[made].contains(leaf),
        }
    }

    /// Rows left out.
    pub fn suppressed_rows(&self) -> u64 {
        let suppressed = (0..self.parts()).filter(|&part| self.suppressed[part]);
        suppressed.map(|part| u64::from(self.rows(part))).sum()
    }

    /// The same release without some more parts.
    pub(crate) fn with_suppressed(&self, parts: &[usize]) -> Release {
        let mut release = self.clone();
        parts.iter().for_each(|&part| release.suppressed[part] = true);
        release
    }

    /// The same release without some tuples.
    #[must_use]
    pub fn without_tuples(mut self, tuples: &[usize]) -> Release {
        let mut is_left_out = vec![false; self.problem.table().tuples()];
        tuples.iter().for_each(|&tuple| is_left_out[tuple] = true);
        let parts: Vec<usize> = (0..self.parts()).filter(|&part| is_left_out[self.tuple(part)]).collect();
        parts.into_iter().for_each(|part| self.suppressed[part] = true);
        self
    }

    /// The generalised tuples of parts that are suppressed, sorted.
    pub fn suppressed_classes(&self) -> Vec<Vec<ValueId>> {
        let attributes = self.problem.attributes().len();
        let dropped = (0..self.parts()).filter(|&part| self.suppressed[part]);
        let mut classes: Vec<Vec<ValueId>> =
            dropped.map(|part| (0..attributes).map(|a| self.value(part, a)).collect()).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// Counts for every measure. Classes are grouped anew, not taken from the search.
    pub fn tally(&self) -> Tally {
        self.tally_asking(&|| Ok(())).expect("nothing stops this")
    }

    /// The same, unless `go_on` stops it.
    pub(crate) fn tally_asking(&self, go_on: &GoOn<'_>) -> Result<Tally, Stop> {
        let attributes = self.problem.attributes();
        let mut cells: Vec<Vec<u64>> =
            (0..attributes.len()).map(|a| vec![0; self.values(a).count()]).collect();
        for (a, attribute) in attributes.iter().enumerate() {
            for part in 0..self.parts() {
                if part % PARTS == 0 {
                    go_on()?;
                }
                let value =
                    if self.suppressed[part] { attribute.taxonomy.root() } else { self.value(part, a) };
                cells[a][value as usize] += u64::from(self.rows(part));
            }
        }
        let all: Vec<usize> = (0..attributes.len()).collect();
        let released = (0..self.parts()).filter(|&part| !self.suppressed[part]);
        let mut sizes: Vec<u64> = Vec::new();
        let target = self.problem.target().filter(|target| self.has_values_of(target));
        let mut labels: Vec<Vec<(u32, u32)>> = Vec::new();
        self.number_classes(released, &all, |part, class| {
            let class = class as usize;
            sizes.resize(sizes.len().max(class + 1), 0);
            sizes[class] += u64::from(self.rows(part));
            if let Some(target) = target {
                labels.resize_with(sizes.len(), Vec::new);
                self.for_each_value(part, target, |code, rows| labels[class].push((code, rows)));
            }
            if part % PARTS == 0 { go_on() } else { Ok(()) }
        })?;
        let off_label = target.map(|target| {
            let most = |counts| target.most_frequent(Histogram::Listed(&add_up(counts)));
            sizes.iter().zip(labels).map(|(rows, counts)| rows - most(counts)).sum()
        });
        Ok(Tally {
            rows: self.problem.table().rows(),
            suppressed_rows: self.suppressed_rows(),
            cells,
            made: (0..attributes.len()).map(|a| self.made(a).to_vec()).collect(),
            sizes: ClassSizes { off_label, ..sizes.into_iter().collect() },
            level: self.node().map(Node::height),
        })
    }

    /// The number of each part's class over some attributes, and how many classes there are.
    pub(crate) fn group(&self, attributes: &[usize]) -> (Vec<u32>, usize) {
        let mut class_of = Vec::with_capacity(self.parts());
        let classes = self.number_classes(0..self.parts(), attributes, |_, class| {
            class_of.push(class);
            Ok(())
        });
        (class_of, classes.expect("nothing stops this"))
    }

    /// Hands each of some parts to `visit` with the number of its class over some attributes, and says
    /// how many classes there are. `visit` may stop it. Takes the room of the classes, not of the parts.
    fn number_classes(
        &self,
        parts: impl Iterator<Item = usize>,
        attributes: &[usize],
        mut visit: impl FnMut(usize, u32) -> Result<(), Stop>,
    ) -> Result<usize, Stop> {
        let mut numbers: FxHashMap<Vec<ValueId>, u32> = FxHashMap::default();
        let mut class = vec![0; attributes.len()];
        for part in parts {
            class.iter_mut().zip(attributes).for_each(|(value, &a)| *value = self.value(part, a));
            let number = numbers.get(&class).copied().unwrap_or_else(|| {
                let next = numbers.len() as u32;
                numbers.insert(class.clone(), next);
                next
            });
            visit(part, number)?;
        }
        Ok(numbers.len())
    }
}
