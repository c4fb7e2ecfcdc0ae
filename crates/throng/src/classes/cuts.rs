//! Classes of cuts, counted one from another.
//!
//! Keys hold codes of [`Trees`], whose place is the same for every cut. So a value moves to its parent by
//! a look-up in one field, and classes of a coarser cut are those of a finer one, of which some are merged.

use super::grouping::Grouping;
use super::judge::{Judge, Violations};
use super::values::ClassValues;
use super::{Fields, Key, Snapshot};
use crate::cut::{Raised, Trees};
use crate::problem::Problem;
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
    fn open<'c>(&'c self, cut: &Raised) -> Box<dyn Opened + 'c>;
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
    fn raise(&self, attribute: usize, to: &[ValueId]) -> Look;
}

/// The counter for a problem, with keys as wide as its trees need.
pub(crate) fn cut_counter<'t>(problem: &Problem, trees: &'t Trees) -> Box<dyn CountCuts + 't> {
    let fields = Fields::of_table((0..trees.attributes()).map(|a| trees.codes(a)));
    match fields.words() {
        1 => Box::new(CutCounter::<1>::new(problem, trees, fields)),
        2 => Box::new(CutCounter::<2>::new(problem, trees, fields)),
        3 | 4 => Box::new(CutCounter::<4>::new(problem, trees, fields)),
        5..=8 => Box::new(CutCounter::<8>::new(problem, trees, fields)),
        9..=32 => Box::new(CutCounter::<32>::new(problem, trees, fields)),
        // A tree has less than twice as many codes as leaves, so a field at most twice as many bits.
        33..=96 => Box::new(CutCounter::<96>::new(problem, trees, fields)),
        words => unreachable!("leaves of at most 32 words have no codes of {words}"),
    }
}

struct CutCounter<'t, const W: usize> {
    trees: &'t Trees,
    judge: Judge,
    table: Snapshot<W>,
    max_suppressed_rows: u64,
}

/// A field of a key, and what becomes of each code in it.
struct Map {
    word: usize,
    shift: u32,
    mask: u64,
    to: Vec<u64>,
}

impl Map {
    #[inline]
    fn apply<const W: usize>(&self, key: &mut Key<W>) {
        let word = &mut key[self.word % W];
        let code = (*word >> self.shift) & self.mask;
        *word = (*word & !(self.mask << self.shift)) | self.to[code as usize];
    }
}

impl<'t, const W: usize> CutCounter<'t, W> {
    fn new(problem: &Problem, trees: &'t Trees, fields: Fields) -> Self {
        let table = problem.table();
        let key = |tuple: usize| {
            let code = |a: usize| trees.code(a, table.column(a)[tuple]);
            (fields.pack((0..table.attributes()).map(code)), table.weights()[tuple])
        };
        let classes = (0..table.tuples()).map(key).collect();
        let judge = Judge::new(problem);
        let values = judge.looks_at_values().then(|| ClassValues::of_table(problem.shared_table()));
        let node = problem.lattice().bottom();
        let table = Snapshot { node, fields, classes, values, born: 0 };
        CutCounter { trees, judge, table, max_suppressed_rows: problem.max_suppressed_rows }
    }

    fn map(&self, attribute: usize, codes: impl Fn(&mut [u32])) -> Map {
        let mut to: Vec<u32> = (0..self.trees.codes(attribute) as u32).collect();
        codes(&mut to);
        let field = self.table.fields.all()[attribute];
        Map {
            word: field.word,
            shift: field.shift,
            mask: super::fields::mask(field.bits),
            to: to.into_iter().map(|code| u64::from(code) << field.shift).collect(),
        }
    }

    /// The classes that others become.
    fn roll_up(&self, from: &Snapshot<W>, maps: &[Map]) -> Snapshot<W> {
        let mut grouping = Grouping::new(from.classes.len());
        let mapped = from.classes.iter().map(|&(mut key, rows)| {
            maps.iter().for_each(|map| map.apply(&mut key));
            (key, rows)
        });
        let values = match &from.values {
            None => {
                mapped.for_each(|(key, rows)| _ = grouping.add(key, rows));
                None
            }
            Some(values) => {
                let group_of: Vec<u32> = mapped.map(|(key, rows)| grouping.add(key, rows)).collect();
                Some((values, group_of))
            }
        };
        let classes = grouping.finish();
        let values = values.map(|(values, group_of)| values.roll_up(&group_of, classes.len()));
        Snapshot { node: from.node.clone(), fields: from.fields.clone(), classes, values, born: 0 }
    }

    fn look(&self, classes: &[(Key<W>, u32)], violations: &Violations) -> Look {
        let mut look = Look { classes: 0, violating: 0, admissible: violations.mendable };
        let mut suppressed_rows = 0;
        for (&(_, rows), &refused) in
            classes.iter().zip(&violations.refused).filter(|((_, rows), _)| *rows > 0)
        {
            look.classes += 1;
            look.violating += u64::from(refused);
            suppressed_rows += if refused { u64::from(rows) } else { 0 };
        }
        look.admissible &= suppressed_rows <= self.max_suppressed_rows;
        look
    }
}

impl<const W: usize> CountCuts for CutCounter<'_, W> {
    fn open<'c>(&'c self, cut: &Raised) -> Box<dyn Opened + 'c> {
        let trees = self.trees;
        let map = |a: usize| {
            self.map(a, |to| {
                for &leaf in trees.occurring(a) {
                    to[trees.code(a, leaf) as usize] = trees.code(a, trees.value(cut, a, leaf));
                }
            })
        };
        let maps: Vec<Map> = (0..trees.attributes()).map(map).collect();
        let snapshot = self.roll_up(&self.table, &maps);
        let violations = self.judge.violations(&snapshot);
        Box::new(OpenCut { counter: self, cut: cut.clone(), snapshot, violations })
    }
}

struct OpenCut<'c, 't, const W: usize> {
    counter: &'c CutCounter<'t, W>,
    cut: Raised,
    snapshot: Snapshot<W>,
    violations: Violations,
}

impl<const W: usize> OpenCut<'_, '_, W> {
    /// The codes of an attribute of the classes that are at fault, or of all.
    fn has_code(&self, attribute: usize, of_all: bool) -> Vec<bool> {
        let judge = &self.counter.judge;
        let mut has = vec![false; self.counter.trees.codes(attribute)];
        let field = self.snapshot.fields.all()[attribute];
        let code =
            |key: &Key<W>| ((key[field.word] >> field.shift) & super::fields::mask(field.bits)) as usize;
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

impl<const W: usize> Opened for OpenCut<'_, '_, W> {
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

    fn raise(&self, attribute: usize, to: &[ValueId]) -> Look {
        let trees = self.counter.trees;
        let mut raised = self.cut.clone();
        to.iter().for_each(|&value| trees.raise(&mut raised, attribute, value));
        let map = self.counter.map(attribute, |codes| {
            for &leaf in trees.occurring(attribute) {
                let [low, high] = [&self.cut, &raised].map(|cut| trees.value(cut, attribute, leaf));
                codes[trees.code(attribute, low) as usize] = trees.code(attribute, high);
            }
        });
        let snapshot = self.counter.roll_up(&self.snapshot, &[map]);
        let violations = self.counter.judge.violations(&snapshot);
        self.counter.look(&snapshot.classes, &violations)
    }
}
