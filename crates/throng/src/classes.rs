//! Equivalence classes of a node: the hot path of every full-domain search.
//!
//! The class of a tuple is a packed key: for each attribute the code of its value at the
//! node's level, in a bit field that the layout fixes once for all levels. So a set of classes
//! has the same form as the table, and a coarser node is *rolled up* from the smallest set of
//! classes below it instead of from the table: each field of the key goes through a look-up
//! table from level to level, neighbouring small fields through one table together.

mod codes;
mod costs;
mod grouping;
mod keys;
mod roll_up;

use std::any::Any;

use crate::lattice::Node;
use crate::problem::Problem;
use crate::tally::ClassSizes;

pub(crate) use codes::LevelCodes;
pub(crate) use costs::{Cost, Costs};
use grouping::{DenseCounts, Grouping};
use keys::Layout;
use roll_up::RollUp;

/// What counting the classes of a node found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    /// Rows in classes that the requirement does not allow.
    pub(crate) suppressed_rows: u64,
    /// Sizes of the allowed classes.
    pub(crate) kept: ClassSizes,
    /// Sizes of all classes.
    pub(crate) all: ClassSizes,
    /// The objective, where it was asked for and the rows suppressed are within the limit.
    pub(crate) cost: Option<Cost>,
    /// The largest k that the node reaches within the suppression limit, where it was asked for.
    pub(crate) anonymity: Option<u64>,
}

/// The distinct classes of one node, kept to roll coarser nodes up from.
pub(crate) struct Snapshot<const W: usize> {
    node: Node,
    layout: Layout,
    classes: Vec<(Key<W>, u32)>,
    /// Order of keeping.
    born: u64,
}

pub(crate) type Key<const W: usize> = [u64; W];

/// Counts classes of nodes.
///
/// Counting is a pure function of the node; which snapshot it starts from only decides how
/// long it takes. Snapshots are added by [`keep`](CountClasses::keep), between counts.
pub(crate) trait CountClasses: Send + Sync {
    /// Counts the classes of several nodes, on all cores of the current pool.
    fn count(&mut self, nodes: &[Node], want: Want) -> Vec<Counted>;

    /// Keeps the classes of a counted node, if later counts would gain by it.
    fn keep(&mut self, counted: Counted);

    /// For each tuple of the table, whether its class at `node` is not allowed.
    fn suppressed_tuples(&self, node: &Node) -> Vec<bool>;
}

/// What a count must find out beyond the judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Want {
    /// The objective; not defined for a node that drops an attribute.
    pub(crate) cost: bool,
    /// The largest k within the suppression limit.
    pub(crate) anonymity: bool,
}

/// A count and, opaque, the classes that it was made from.
pub(crate) struct Counted {
    pub(crate) count: Count,
    classes: Option<Box<dyn Any + Send>>,
}

/// The counter for a problem, with keys as wide as its table needs.
pub(crate) fn counter<'p>(problem: &'p Problem) -> Box<dyn CountClasses + 'p> {
    let codes = LevelCodes::new(problem);
    let layout = Layout::of_table(&codes);
    match layout.words() {
        1 => Box::new(Counter::<1>::new(problem, codes, layout)),
        2 => Box::new(Counter::<2>::new(problem, codes, layout)),
        3 | 4 => Box::new(Counter::<4>::new(problem, codes, layout)),
        5..=8 => Box::new(Counter::<8>::new(problem, codes, layout)),
        9..=32 => Box::new(Counter::<32>::new(problem, codes, layout)),
        // 2,048 bits: a thousand attributes of four values. Problem has no use for more.
        words => panic!("class keys of {words} words; at most 32 are supported"),
    }
}

/// A roll-up from fewer classes than this takes no longer than finding a better source.
const LARGE_SOURCE: usize = 4096;

/// Nodes with a large source that are counted before a common source is prepared.
const FAR_NODES: usize = 4;

struct Counter<'p, const W: usize> {
    problem: &'p Problem,
    codes: LevelCodes,
    /// The fields of the table.
    layout: Layout,
    costs: Costs,
    /// By number of classes, smallest first; the table itself is the last.
    snapshots: Vec<Snapshot<W>>,
    /// Classes that may still be kept in snapshots.
    room: usize,
    /// Snapshots kept so far.
    births: u64,
    /// The meet of the latest nodes whose source was large, and how many they are.
    far: Option<(Node, usize)>,
}

impl<'p, const W: usize> Counter<'p, W> {
    fn new(problem: &'p Problem, codes: LevelCodes, layout: Layout) -> Self {
        let table = problem.table();
        let classes = (0..table.tuples())
            .map(|tuple| {
                let leaves = (0..table.attributes()).map(|a| table.column(a)[tuple]);
                (layout.pack(leaves), table.weights()[tuple])
            })
            .collect();
        let base = Snapshot { node: problem.lattice().bottom(), layout: layout.clone(), classes, born: 0 };
        let costs = Costs::new(problem, &codes);
        let room = 2 * table.tuples() + (1 << 20);
        Counter { problem, codes, layout, costs, snapshots: vec![base], room, births: 0, far: None }
    }

    /// The smallest set of classes that `node` can be rolled up from.
    fn source(&self, node: &Node) -> &Snapshot<W> {
        self.snapshots
            .iter()
            .find(|snapshot| snapshot.node.is_below_or_equal(node))
            .expect("every node is above the table")
    }

    /// The classes of a node, and how many its source had.
    fn classes(&self, node: &Node) -> (Snapshot<W>, usize) {
        let source = self.source(node);
        let layout = self.layout.of_node(&self.codes, node);
        let roll_up = RollUp::new(&self.codes, (&source.node, &source.layout), (node, &layout));
        let classes = match layout.bits_of_one_word() {
            // Few keys can occur: count them by their place.
            Some(bits) if source.classes.len() >> bits.saturating_sub(1) > 0 => {
                let mut counts = DenseCounts::new(bits);
                roll_up.for_each(&source.classes, |key, rows| counts.add(key, rows));
                counts.finish()
            }
            _ => {
                let mut grouping = Grouping::new(source.classes.len());
                roll_up.for_each(&source.classes, |key, rows| _ = grouping.add(key, rows));
                grouping.finish()
            }
        };
        (Snapshot { node: node.clone(), layout, classes, born: 0 }, source.classes.len())
    }

    /// Prepares a common source for nodes that would else be rolled up from a large one, each by
    /// itself: the classes of their meet, if they are far fewer.
    fn approach(&mut self, node: &Node) {
        let source = self.source(node);
        if source.classes.len() < LARGE_SOURCE {
            return;
        }
        let source_node = source.node.clone();
        let (meet, count) = match self.far.take() {
            Some((far, count)) => (far.meet(node), count + 1),
            None => (node.clone(), 1),
        };
        if count < FAR_NODES || meet == source_node {
            self.far = Some((meet, count));
            return;
        }
        let (snapshot, source) = self.classes(&meet);
        if snapshot.classes.len() * 2 <= source {
            self.insert(snapshot);
        }
    }

    /// Keeps a snapshot, in the place of the oldest ones if there is no room.
    fn insert(&mut self, mut snapshot: Snapshot<W>) {
        snapshot.classes.shrink_to_fit();
        while self.room < snapshot.classes.len() {
            let kept = &self.snapshots[..self.snapshots.len() - 1];
            let Some(oldest) = (0..kept.len()).min_by_key(|&at| kept[at].born) else { return };
            self.room += self.snapshots.remove(oldest).classes.len();
        }
        self.room -= snapshot.classes.len();
        self.births += 1;
        snapshot.born = self.births;
        let at = self.snapshots[..self.snapshots.len() - 1]
            .partition_point(|other| other.classes.len() <= snapshot.classes.len());
        self.snapshots.insert(at, snapshot);
    }

    fn judge(&self, snapshot: &Snapshot<W>, want: Want) -> Count {
        let Snapshot { node, layout, classes, .. } = snapshot;
        let model = &*self.problem.requirement.model;
        let least = model.least_rows();
        let allowed = |rows: u32| match least {
            Some(least) => u64::from(rows) >= least,
            None => model.holds(&crate::privacy::Class { rows: u64::from(rows) }),
        };
        let mut kept = ClassSizes::default();
        let mut all = ClassSizes::default();
        for &(_, rows) in classes {
            all.add(u64::from(rows));
            if allowed(rows) {
                kept.add(u64::from(rows));
            }
        }
        let suppressed_rows = all.rows - kept.rows;
        let within = suppressed_rows <= self.problem.max_suppressed_rows;
        let cost = (within && want.cost).then(|| {
            let dropped = classes.iter().filter(|&&(_, rows)| !allowed(rows));
            self.costs.of(node, &kept, dropped.map(|(key, rows)| (layout.codes(key), *rows)))
        });
        let anonymity = want.anonymity.then(|| anonymity(classes, self.problem.max_suppressed_rows));
        Count { suppressed_rows, kept, all, cost, anonymity }
    }
}

impl<const W: usize> CountClasses for Counter<'_, W> {
    fn count(&mut self, nodes: &[Node], want: Want) -> Vec<Counted> {
        nodes.iter().for_each(|node| self.approach(node));
        let this = &*self;
        let one = |node: &Node| {
            let (snapshot, source) = this.classes(node);
            let count = this.judge(&snapshot, want);
            // Not worth keeping unless later roll-ups get much shorter.
            let keep = snapshot.classes.len() * 4 <= source * 3;
            Counted { count, classes: keep.then(|| Box::new(snapshot) as Box<dyn Any + Send>) }
        };
        match nodes {
            [] => Vec::new(),
            [only] => vec![one(only)],
            many => {
                use rayon::prelude::*;
                many.par_iter().map(one).collect()
            }
        }
    }

    fn keep(&mut self, counted: Counted) {
        if let Some(classes) = counted.classes {
            self.insert(*classes.downcast::<Snapshot<W>>().expect("counted by this counter"));
        }
    }

    fn suppressed_tuples(&self, node: &Node) -> Vec<bool> {
        let model = &*self.problem.requirement.model;
        let table = self.snapshots.last().expect("the table is the last snapshot");
        let layout = self.layout.of_node(&self.codes, node);
        let mut grouping = Grouping::new(table.classes.len());
        let mut class_of = Vec::with_capacity(table.classes.len());
        RollUp::new(&self.codes, (&table.node, &table.layout), (node, &layout))
            .for_each(&table.classes, |key, rows| class_of.push(grouping.add(key, rows)));
        let classes = grouping.finish();
        let unsafe_class: Vec<bool> = classes
            .iter()
            .map(|&(_, rows)| !model.holds(&crate::privacy::Class { rows: u64::from(rows) }))
            .collect();
        class_of.into_iter().map(|class| unsafe_class[class as usize]).collect()
    }
}

/// The largest k such that at most `max_suppressed_rows` rows are in classes smaller than k;
/// if all rows may be suppressed, the size of the largest class.
fn anonymity<const W: usize>(classes: &[(Key<W>, u32)], max_suppressed_rows: u64) -> u64 {
    let mut sizes: Vec<u32> = classes.iter().map(|&(_, rows)| rows).collect();
    sizes.sort_unstable();
    let mut suppressed = 0;
    for &rows in &sizes {
        suppressed += u64::from(rows);
        if suppressed > max_suppressed_rows {
            return u64::from(rows);
        }
    }
    sizes.last().map_or(0, |&rows| u64::from(rows))
}
