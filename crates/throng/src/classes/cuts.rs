//! Classes of cuts, counted one from another.
//!
//! Keys hold codes of [`Trees`], whose place is the same for every cut. So a value moves to its parent by
//! a look-up in one field, and classes of a coarser cut are those of a finer one, of which some are merged.

use super::classes_of_tuples;
use super::grouping::Grouping;
use super::judge::{Judge, Violations};
use super::rolled::PIECE;
use super::values::ClassValues;
use super::{Fields, Key, Snapshot};
use crate::cut::{Raised, Trees};
use crate::problem::Problem;
use crate::stop::{GoOn, Stop};
use crate::taxonomy::ValueId;

/// What is seen of the classes of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Classes: the distinct rows of the generalised table.
    pub(crate) classes: u64,
    /// Those that a requirement refuses.
    pub(crate) violating: u64,
    /// Whether the others may be released without them.
    pub(crate) admissible: bool,
}

impl Look {
    /// Classes that are released, if any may be.
    pub(crate) fn released(self) -> u64 {
        self.classes - self.violating
    }
}

/// Counts cuts of a problem.
pub(crate) trait CountCuts: Send + Sync {
    /// Counts the classes of a cut, for others to be counted from.
    fn open<'c>(&'c self, cut: &Raised, go_on: &GoOn<'_>) -> Result<Box<dyn Opened + 'c>, Stop>;

    /// Makes cuts finer step by step; none unless each class is judged by its rows alone.
    fn refine<'c>(&'c self) -> Option<Box<dyn Refine + 'c>>;
}

/// The tuples of a cut that satisfies all requirements without suppression, and is made finer.
pub(crate) trait Refine: Send {
    /// Starts from such a cut.
    fn start(&mut self, cut: &Raised, go_on: &GoOn<'_>) -> Result<(), Stop>;

    /// Splits a value, which gives the cut `into`, if that satisfies all requirements, too. Looks only at the
    /// tuples that have the value.
    fn split(
        &mut self,
        attribute: usize,
        value: ValueId,
        into: &Raised,
        go_on: &GoOn<'_>,
    ) -> Result<bool, Stop>;
}

/// The classes of a cut.
pub(crate) trait Opened: Sync {
    /// What is seen of them.
    fn look(&self) -> Look;

    /// How many there are, tuples of the population among them.
    fn len(&self) -> usize;

    /// The values, of an attribute, of the classes that are at [fault](Judge::violations), or of all classes;
    /// ascending.
    fn values(&self, attribute: usize, of_all: bool) -> Vec<ValueId>;

    /// What would be seen if all below some inner values of an attribute moved there.
    fn raise(&self, attribute: usize, to: &[ValueId], go_on: &GoOn<'_>) -> Result<Look, Stop>;
}

/// The counter for a problem, with keys as wide as its trees need.
pub(crate) fn cut_counter<'t>(
    problem: &Problem,
    trees: &'t Trees,
    go_on: &GoOn<'_>,
) -> Result<Box<dyn CountCuts + 't>, Stop> {
    let fields = Fields::of_table((0..trees.attributes()).map(|a| trees.codes(a)));
    Ok(match fields.words() {
        1 => Box::new(CutCounter::<[u64; 1]>::new(problem, trees, fields, go_on)?),
        2 => Box::new(CutCounter::<[u64; 2]>::new(problem, trees, fields, go_on)?),
        3 | 4 => Box::new(CutCounter::<[u64; 4]>::new(problem, trees, fields, go_on)?),
        5..=8 => Box::new(CutCounter::<[u64; 8]>::new(problem, trees, fields, go_on)?),
        9..=32 => Box::new(CutCounter::<[u64; 32]>::new(problem, trees, fields, go_on)?),
        _ => Box::new(CutCounter::<Box<[u64]>>::new(problem, trees, fields, go_on)?),
    })
}

struct CutCounter<'t, K: Key> {
    trees: &'t Trees,
    judge: Judge,
    table: Snapshot<K>,
    max_suppressed_rows: u64,
}

/// A field of a key, and what becomes of each code in it.
struct CodeMap {
    word: usize,
    shift: u32,
    mask: u64,
    to: Vec<u64>,
}

impl CodeMap {
    #[inline]
    fn apply<K: Key>(&self, key: &mut K) {
        let word = key.word_mut(self.word);
        let code = (*word >> self.shift) & self.mask;
        *word = (*word & !(self.mask << self.shift)) | self.to[code as usize];
    }
}

impl<'t, K: Key> CutCounter<'t, K> {
    fn new(problem: &Problem, trees: &'t Trees, fields: Fields, go_on: &GoOn<'_>) -> Result<Self, Stop> {
        let classes = classes_of_tuples(problem, &fields, |a, leaf| trees.code(a, leaf), go_on)?;
        let judge = Judge::new(problem);
        let values = judge
            .looks_at_values()
            .then(|| ClassValues::of_table(problem.shared_table(), &problem.looked_at()));
        let node = problem.lattice().raw();
        let table = Snapshot::new(node, fields, classes, values);
        Ok(CutCounter { trees, judge, table, max_suppressed_rows: problem.max_suppressed_rows })
    }

    fn map(&self, attribute: usize, codes: impl Fn(&mut [u32])) -> CodeMap {
        let mut to: Vec<u32> = (0..self.trees.codes(attribute) as u32).collect();
        codes(&mut to);
        let field = self.table.fields.all()[attribute];
        CodeMap {
            word: field.word,
            shift: field.shift,
            mask: super::fields::mask(field.bits),
            to: to.into_iter().map(|code| u64::from(code) << field.shift).collect(),
        }
    }

    /// What becomes of leaves in a cut.
    fn map_leaves(&self, attribute: usize, cut: &Raised) -> CodeMap {
        let trees = self.trees;
        self.map(attribute, |to| {
            for &leaf in trees.occurring(attribute) {
                let value = trees.value(cut, attribute, leaf);
                to[trees.code(attribute, leaf) as usize] = trees.code(attribute, value);
            }
        })
    }

    /// The classes that others become.
    fn roll_up(&self, from: &Snapshot<K>, maps: &[CodeMap], go_on: &GoOn<'_>) -> Result<Snapshot<K>, Stop> {
        let mut grouping = Grouping::new(from.classes.len());
        let mut group_of: Vec<u32> = Vec::new();
        for piece in from.classes.chunks(PIECE) {
            go_on()?;
            let grouped = piece.iter().map(|(key, rows)| {
                let mut key = key.clone();
                maps.iter().for_each(|map| map.apply(&mut key));
                grouping.add(&key, *rows)
            });
            if from.values.is_some() { group_of.extend(grouped) } else { grouped.for_each(drop) }
        }
        go_on()?;
        let classes = grouping.finish();
        let values = from.values.as_ref().map(|values| values.roll_up(&group_of, classes.len()));
        Ok(Snapshot::new(from.node.clone(), from.fields.clone(), classes, values))
    }

    fn look(&self, classes: &[(K, u64)], violations: &Violations) -> Look {
        let look = Sums::add_up(classes, &violations.refused).look(self.max_suppressed_rows);
        Look { admissible: look.admissible && violations.mendable, ..look }
    }
}

/// Sums over classes with rows.
#[derive(Clone, Copy, Default)]
struct Sums {
    classes: u64,
    violating: u64,
    suppressed_rows: u64,
}

impl Sums {
    fn add_up<K: Key>(classes: &[(K, u64)], refused: &[bool]) -> Sums {
        let mut sums = Sums::default();
        let occurring = classes.iter().zip(refused).filter(|((_, rows), _)| *rows > 0);
        for ((_, rows), &refused) in occurring {
            sums.classes += 1;
            sums.violating += u64::from(refused);
            sums.suppressed_rows += if refused { *rows } else { 0 };
        }
        sums
    }

    fn add(&mut self, rows: u64, least: u64) {
        let small = u64::from(rows < least);
        self.classes += 1;
        self.violating += small;
        self.suppressed_rows += small * rows;
    }

    fn remove(&mut self, rows: u64, least: u64) {
        let small = u64::from(rows < least);
        self.classes -= 1;
        self.violating -= small;
        self.suppressed_rows -= small * rows;
    }

    fn look(self, max_suppressed_rows: u64) -> Look {
        let admissible = self.suppressed_rows <= max_suppressed_rows;
        Look { classes: self.classes, violating: self.violating, admissible }
    }
}

impl<K: Key> CountCuts for CutCounter<'_, K> {
    fn open<'c>(&'c self, cut: &Raised, go_on: &GoOn<'_>) -> Result<Box<dyn Opened + 'c>, Stop> {
        let maps: Vec<CodeMap> = (0..self.trees.attributes()).map(|a| self.map_leaves(a, cut)).collect();
        let snapshot = self.roll_up(&self.table, &maps, go_on)?;
        go_on()?;
        let violations = self.judge.violations(&snapshot);
        let sums = Sums::add_up(&snapshot.classes, &violations.refused);
        Ok(Box::new(OpenCut { counter: self, cut: cut.clone(), snapshot, violations, sums }))
    }

    fn refine<'c>(&'c self) -> Option<Box<dyn Refine + 'c>> {
        let by_rows = self.judge.judges_classes_by_rows();
        by_rows.then(|| Box::new(Tuples { counter: self, keys: Vec::new() }) as Box<dyn Refine + 'c>)
    }
}

/// The class of each tuple in a cut.
struct Tuples<'c, 't, K: Key> {
    counter: &'c CutCounter<'t, K>,
    keys: Vec<K>,
}

impl<K: Key> Refine for Tuples<'_, '_, K> {
    fn start(&mut self, cut: &Raised, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let counter = self.counter;
        let maps: Vec<CodeMap> =
            (0..counter.trees.attributes()).map(|a| counter.map_leaves(a, cut)).collect();
        self.keys.clear();
        for tuples in counter.table.classes.chunks(PIECE) {
            go_on()?;
            self.keys.extend(tuples.iter().map(|(key, _)| {
                let mut key = key.clone();
                maps.iter().for_each(|map| map.apply(&mut key));
                key
            }));
        }
        Ok(())
    }

    fn split(
        &mut self,
        attribute: usize,
        value: ValueId,
        into: &Raised,
        go_on: &GoOn<'_>,
    ) -> Result<bool, Stop> {
        let counter = self.counter;
        let CodeMap { word, shift, mask, to } = counter.map_leaves(attribute, into);
        let code = u64::from(counter.trees.code(attribute, value));
        let mut changed: Vec<(u32, K)> = Vec::new();
        let mut grouping = Grouping::new(self.keys.len());
        for ((key, (leaves, rows)), tuple) in self.keys.iter().zip(&counter.table.classes).zip(0..) {
            if (tuple as usize).is_multiple_of(PIECE) {
                go_on()?;
            }
            if (key.word(word) >> shift) & mask == code {
                let mut key = key.clone();
                let to = to[((leaves.word(word) >> shift) & mask) as usize];
                *key.word_mut(word) = (key.word(word) & !(mask << shift)) | to;
                grouping.add(&key, *rows);
                changed.push((tuple, key));
            }
        }
        let holds = counter.judge.holds_over(attribute, &grouping.finish(), &counter.table.fields);
        if holds {
            changed.into_iter().for_each(|(tuple, key)| self.keys[tuple as usize] = key);
        }
        Ok(holds)
    }
}

struct OpenCut<'c, 't, K: Key> {
    counter: &'c CutCounter<'t, K>,
    cut: Raised,
    snapshot: Snapshot<K>,
    violations: Violations,
    sums: Sums,
}

impl<K: Key> OpenCut<'_, '_, K> {
    /// The codes of an attribute of the classes that are at fault, or of all.
    fn has_code(&self, attribute: usize, of_all: bool) -> Vec<bool> {
        let judge = &self.counter.judge;
        let mut has = vec![false; self.counter.trees.codes(attribute)];
        let field = self.snapshot.fields.all()[attribute];
        let code =
            |key: &K| ((key.word(field.word) >> field.shift) & super::fields::mask(field.bits)) as usize;
        if of_all {
            self.snapshot.classes.iter().for_each(|(key, _)| has[code(key)] = true);
            return has;
        }
        let over = self.violations.at_fault.iter().enumerate();
        let over = over.filter(|&(number, _)| judge.shield(number).is_none_or(|of| of.contains(&attribute)));
        for (_, at_fault) in over {
            let at_fault = self.snapshot.classes.iter().zip(at_fault).filter(|(_, at_fault)| **at_fault);
            at_fault.for_each(|((key, _), _)| has[code(key)] = true);
        }
        has
    }
}

impl<K: Key> OpenCut<'_, '_, K> {
    /// What would be seen if some codes changed, where classes must have so many rows: classes of other codes
    /// stay what they are.
    fn look_at_changed(&self, map: &CodeMap, least: u64, go_on: &GoOn<'_>) -> Result<Look, Stop> {
        let is_changed = |code: u64| map.to[code as usize] != code << map.shift;
        let mut sums = self.sums;
        let mut grouping = Grouping::new(self.snapshot.classes.len());
        for piece in self.snapshot.classes.chunks(PIECE) {
            go_on()?;
            for (key, rows) in piece {
                if is_changed((key.word(map.word) >> map.shift) & map.mask) {
                    let mut key = key.clone();
                    sums.remove(*rows, least);
                    map.apply(&mut key);
                    grouping.add(&key, *rows);
                }
            }
        }
        grouping.finish().iter().for_each(|(_, rows)| sums.add(*rows, least));
        Ok(sums.look(self.counter.max_suppressed_rows))
    }
}

impl<K: Key> Opened for OpenCut<'_, '_, K> {
    fn look(&self) -> Look {
        self.counter.look(&self.snapshot.classes, &self.violations)
    }

    fn len(&self) -> usize {
        self.snapshot.classes.len()
    }

    fn values(&self, attribute: usize, of_all: bool) -> Vec<ValueId> {
        let trees = self.counter.trees;
        let has = self.has_code(attribute, of_all);
        let values = trees.occurring(attribute).iter().map(|&leaf| trees.value(&self.cut, attribute, leaf));
        let mut values: Vec<ValueId> =
            values.filter(|&value| has[trees.code(attribute, value) as usize]).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn raise(&self, attribute: usize, to: &[ValueId], go_on: &GoOn<'_>) -> Result<Look, Stop> {
        let trees = self.counter.trees;
        let mut raised = self.cut.clone();
        to.iter().for_each(|&value| trees.raise(&mut raised, attribute, value));
        let map = self.counter.map(attribute, |codes| {
            for &leaf in trees.occurring(attribute) {
                let [low, high] = [&self.cut, &raised].map(|cut| trees.value(cut, attribute, leaf));
                codes[trees.code(attribute, low) as usize] = trees.code(attribute, high);
            }
        });
        if let Some(least) = self.counter.judge.least_rows() {
            return self.look_at_changed(&map, least, go_on);
        }
        let snapshot = self.counter.roll_up(&self.snapshot, &[map], go_on)?;
        go_on()?;
        let violations = self.counter.judge.violations(&snapshot);
        Ok(self.counter.look(&snapshot.classes, &violations))
    }
}
