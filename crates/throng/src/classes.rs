//! Equivalence classes of a node: the hot path of every full-domain search.
//!
//! The class of a tuple is a packed key: for each attribute the code of its value at the
//! node's level, in a bit field that the layout fixes once for all levels. So a set of classes
//! has the same form as the table, and a coarser node is *rolled up* from the smallest set of
//! classes below it instead of from the table: each field of the key goes through a look-up
//! table from level to level, neighbouring small fields through one table together.

mod codes;
mod costs;
mod crew;
mod grouping;
mod keys;
mod roll_up;

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::lattice::Node;
use crate::privacy::PrivacyModel;
use crate::problem::Problem;
use crate::tally::ClassSizes;

pub(crate) use codes::LevelCodes;
pub(crate) use costs::{Cost, Costs};
use crew::Crew;
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

/// Most words of a class key: 2,048 bits are a thousand attributes of four values.
pub(crate) const MAX_KEY_WORDS: usize = 32;

/// Words of a class key over attributes with so many leaves each.
pub(crate) fn key_words(leaves: impl Iterator<Item = usize>) -> usize {
    Layout::of_table(leaves).words()
}

/// The counter for a problem, with keys as wide as its table needs.
pub(crate) fn counter<'p>(problem: &'p Problem) -> Box<dyn CountClasses + 'p> {
    let codes = LevelCodes::new(problem);
    let layout = Layout::of_table((0..codes.attributes()).map(|a| codes.values(a, 0).len()));
    match layout.words() {
        1 => Box::new(Counter::<1>::new(problem, codes, layout)),
        2 => Box::new(Counter::<2>::new(problem, codes, layout)),
        3 | 4 => Box::new(Counter::<4>::new(problem, codes, layout)),
        5..=8 => Box::new(Counter::<8>::new(problem, codes, layout)),
        9..=MAX_KEY_WORDS => Box::new(Counter::<MAX_KEY_WORDS>::new(problem, codes, layout)),
        words => unreachable!("Problem refuses keys of {words} words"),
    }
}

/// A roll-up from fewer classes than this takes no longer than finding a better source.
const LARGE_SOURCE: usize = 4096;

/// Classes that are grouped at a time; a larger source is grouped on all cores.
const PIECE: usize = 1 << 17;

/// Classes from which on counting several nodes is shared between threads; handing over a task
/// takes longer than counting fewer.
const PARALLEL_WORK: usize = 800;

/// Pieces that are grouped before they are merged.
const PIECES_AT_A_TIME: usize = 16;

/// Nodes with a large source that are counted before a common source is prepared.
const FAR_NODES: usize = 4;

/// Threads that are of use for the few nodes that a search checks at a time.
const MAX_HANDS: usize = 4;

struct Counter<'p, const W: usize> {
    problem: &'p Problem,
    rules: Arc<Rules>,
    /// By number of classes, smallest first; the table itself is the last.
    snapshots: Vec<Arc<Snapshot<W>>>,
    /// Classes that may still be kept in snapshots.
    room: usize,
    /// Snapshots kept so far.
    births: u64,
    /// The meet of the latest nodes whose source was large, and how many they are.
    far: Option<(Node, usize)>,
    /// Made by the first count that can use it.
    crew: Option<Crew>,
}

/// What counting goes by; the same for every node.
struct Rules {
    codes: LevelCodes,
    /// The fields of the table.
    layout: Layout,
    costs: Costs,
    model: Arc<dyn PrivacyModel>,
    max_suppressed_rows: u64,
}

/// A node to count, and the classes that it is rolled up from.
struct Task<const W: usize> {
    node: Node,
    source: Arc<Snapshot<W>>,
    want: Want,
}

/// A part of the classes of a source, to be rolled up to a node.
struct Part<const W: usize> {
    node: Node,
    source: Arc<Snapshot<W>>,
    range: Range<usize>,
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
        let room = table.tuples() / 2 + (1 << 20);
        let model = Arc::clone(&problem.requirement.model);
        let rules = Rules { codes, layout, costs, model, max_suppressed_rows: problem.max_suppressed_rows };
        let snapshots = vec![Arc::new(base)];
        Counter { problem, rules: Arc::new(rules), snapshots, room, births: 0, far: None, crew: None }
    }

    /// The smallest set of classes that `node` can be rolled up from.
    fn source(&self, node: &Node) -> &Arc<Snapshot<W>> {
        self.snapshots
            .iter()
            .find(|snapshot| snapshot.node.is_below_or_equal(node))
            .expect("every node is above the table")
    }

    /// As many threads as the current pool has, up to what a search can use.
    fn crew(&mut self) -> &mut Crew {
        self.crew.get_or_insert_with(|| Crew::new(rayon::current_num_threads().min(MAX_HANDS)))
    }

    /// Prepares a common source for nodes that would else be rolled up from a large one, each by
    /// itself: the classes of their meet, if they are far fewer.
    fn approach(&mut self, node: &Node) {
        let source = self.source(node);
        if source.classes.len() < LARGE_SOURCE {
            return;
        }
        let source = Arc::clone(source);
        let (meet, count) = match self.far.take() {
            Some((far, count)) => (far.meet(node), count + 1),
            None => (node.clone(), 1),
        };
        // A pass over millions of classes is worth avoiding at once.
        let enough = if source.classes.len() > 8 * PIECE { 2 } else { FAR_NODES };
        if count < enough || meet == source.node {
            self.far = Some((meet, count));
            return;
        }
        let meet_source = Arc::clone(self.source(&meet));
        let snapshot = self.classes_by_halves(&meet, &meet_source);
        if snapshot.classes.len() * 2 <= meet_source.classes.len() {
            self.insert(snapshot);
        }
    }

    /// The classes of one node, by two threads. Halves whatever the number of threads: the order of
    /// the classes must not depend on it.
    fn classes_by_halves(&mut self, node: &Node, source: &Arc<Snapshot<W>>) -> Snapshot<W> {
        let len = source.classes.len();
        if !(LARGE_SOURCE..=2 * PIECE).contains(&len) {
            return self.rules.classes(node, source);
        }
        let part = |range| Part { node: node.clone(), source: Arc::clone(source), range };
        let parts = vec![part(0..len / 2), part(len / 2..len)];
        let rules = Arc::clone(&self.rules);
        let halves = self.crew().map(&rules, parts, Rules::classes_of_part);
        let mut merged = Grouping::new(len);
        halves.iter().flatten().for_each(|&(key, rows)| _ = merged.add(key, rows));
        let layout = rules.layout.of_node(&rules.codes, node);
        Snapshot { node: node.clone(), layout, classes: merged.finish(), born: 0 }
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
        self.snapshots.insert(at, Arc::new(snapshot));
    }
}

impl Rules {
    /// The classes of a node, rolled up from those of a source.
    fn classes<const W: usize>(&self, node: &Node, source: &Snapshot<W>) -> Snapshot<W> {
        let layout = self.layout.of_node(&self.codes, node);
        let roll_up = RollUp::new(&self.codes, (&source.node, &source.layout), (node, &layout));
        let classes = if source.classes.len() > 2 * PIECE {
            // Pieces of a fixed size, whatever the number of cores, merged in order; some at a
            // time, so that they never hold all classes twice.
            let mut merged = Grouping::new(PIECE);
            for pieces in source.classes.chunks(PIECES_AT_A_TIME * PIECE) {
                let pieces: Vec<Vec<(Key<W>, u32)>> =
                    pieces.par_chunks(PIECE).map(|piece| group(&roll_up, &layout, piece)).collect();
                pieces.iter().flatten().for_each(|&(key, rows)| _ = merged.add(key, rows));
            }
            merged.finish()
        } else {
            group(&roll_up, &layout, &source.classes)
        };
        Snapshot { node: node.clone(), layout, classes, born: 0 }
    }

    fn classes_of_part<const W: usize>(&self, part: &Part<W>) -> Vec<(Key<W>, u32)> {
        let Part { node, source, range } = part;
        let layout = self.layout.of_node(&self.codes, node);
        let roll_up = RollUp::new(&self.codes, (&source.node, &source.layout), (node, &layout));
        group(&roll_up, &layout, &source.classes[range.clone()])
    }

    fn count<const W: usize>(&self, task: &Task<W>) -> Counted {
        let snapshot = self.classes(&task.node, &task.source);
        let count = self.judge(&snapshot, task.want);
        // Not worth keeping unless later roll-ups get much shorter.
        let keep = snapshot.classes.len() * 4 <= task.source.classes.len() * 3;
        Counted { count, classes: keep.then(|| Box::new(snapshot) as Box<dyn Any + Send>) }
    }

    fn judge<const W: usize>(&self, snapshot: &Snapshot<W>, want: Want) -> Count {
        let Snapshot { node, layout, classes, .. } = snapshot;
        let least = self.model.least_rows();
        let allowed = |rows: u32| match least {
            Some(least) => u64::from(rows) >= least,
            None => self.model.holds(&crate::privacy::Class { rows: u64::from(rows) }),
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
        let within = suppressed_rows <= self.max_suppressed_rows;
        let cost = (within && want.cost).then(|| {
            let dropped = classes.iter().filter(|&&(_, rows)| !allowed(rows));
            self.costs.of(node, &kept, dropped.map(|(key, rows)| (layout.codes(key), *rows)))
        });
        let anonymity = want.anonymity.then(|| anonymity(classes, self.max_suppressed_rows));
        Count { suppressed_rows, kept, all, cost, anonymity }
    }
}

impl<const W: usize> CountClasses for Counter<'_, W> {
    fn count(&mut self, nodes: &[Node], want: Want) -> Vec<Counted> {
        nodes.iter().for_each(|node| self.approach(node));
        let task = |node: &Node| Task { node: node.clone(), source: Arc::clone(self.source(node)), want };
        let tasks: Vec<Task<W>> = nodes.iter().map(task).collect();
        let rules = Arc::clone(&self.rules);
        let work: usize = tasks.iter().map(|task| task.source.classes.len()).sum();
        // A large source is shared between all cores by itself.
        let large = tasks.iter().any(|task| task.source.classes.len() > 2 * PIECE);
        if large || work < PARALLEL_WORK {
            return tasks.iter().map(|task| rules.count(task)).collect();
        }
        self.crew().map(&rules, tasks, Rules::count)
    }

    fn keep(&mut self, counted: Counted) {
        if let Some(classes) = counted.classes {
            self.insert(*classes.downcast::<Snapshot<W>>().expect("counted by this counter"));
        }
    }

    fn suppressed_tuples(&self, node: &Node) -> Vec<bool> {
        let Rules { codes, layout, .. } = &*self.rules;
        let model = &*self.problem.requirement.model;
        let table = self.snapshots.last().expect("the table is the last snapshot");
        let layout = layout.of_node(codes, node);
        let mut grouping = Grouping::new(table.classes.len());
        let mut class_of = Vec::with_capacity(table.classes.len());
        RollUp::new(codes, (&table.node, &table.layout), (node, &layout))
            .for_each(&table.classes, |key, rows| class_of.push(grouping.add(key, rows)));
        let classes = grouping.finish();
        let unsafe_class: Vec<bool> = classes
            .iter()
            .map(|&(_, rows)| !model.holds(&crate::privacy::Class { rows: u64::from(rows) }))
            .collect();
        class_of.into_iter().map(|class| unsafe_class[class as usize]).collect()
    }
}

/// Rolls classes up and groups them.
fn group<const W: usize>(roll_up: &RollUp, layout: &Layout, classes: &[(Key<W>, u32)]) -> Vec<(Key<W>, u32)> {
    match layout.bits_of_one_word() {
        // Few keys can occur: count them by their place.
        Some(bits) if classes.len() >> bits.saturating_sub(1) > 0 => {
            let mut counts = DenseCounts::new(bits);
            roll_up.for_each(classes, |key, rows| counts.add(key, rows));
            counts.finish()
        }
        _ => {
            let mut grouping = Grouping::new(classes.len());
            roll_up.for_each(classes, |key, rows| _ = grouping.add(key, rows));
            grouping.finish()
        }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    /// A tree over `leaves` numbers whose level l groups by `base`^l.
    fn tree(leaves: usize, base: usize) -> Taxonomy {
        let row = |leaf: usize| {
            vec![
                leaf.to_string(),
                format!("{}x", leaf / base),
                format!("{}y", leaf / base / base),
                "*".into(),
            ]
        };
        Taxonomy::from_rows(&(0..leaves).map(row).collect::<Vec<_>>()).unwrap()
    }

    /// More tuples than are grouped in one piece, with a field wider than a chunk.
    fn large_problem() -> Problem {
        let (wide, narrow) = (6_000u32, 60u32);
        let rows: Vec<[u32; 2]> = (0..wide)
            .flat_map(|a| (0..narrow).filter(move |b| (a * 7 + b) % 9 != 0).map(move |b| [a, b]))
            .collect();
        assert!(rows.len() > 2 * PIECE);
        let attributes = vec![("wide".into(), tree(6_000, 20), 1.0), ("narrow".into(), tree(60, 5), 1.0)];
        let requirement = Requirement::new(KAnonymity { k: 89 });
        let lm = loss::find("lm").unwrap();
        Problem::new(Table::from_rows(2, &rows), attributes, requirement, 1_000_000, lm).unwrap()
    }

    fn naive(problem: &Problem, node: &Node) -> ClassSizes {
        let table = problem.table();
        let mut classes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for tuple in 0..table.tuples() {
            let value =
                |a: usize| problem.attributes()[a].taxonomy.generalise(table.column(a)[tuple], node.level(a));
            *classes.entry((0..2).map(value).collect()).or_default() += u64::from(table.weights()[tuple]);
        }
        classes.into_values().collect()
    }

    #[test]
    fn pieces_and_roll_ups_count_like_a_single_pass() {
        let problem = large_problem();
        let mut counter = counter(&problem);
        // From the table in pieces, hashed and by place, and rolled up from what was kept.
        for levels in [[0, 0], [1, 0], [1, 1], [0, 2], [2, 1], [2, 2], [3, 0], [3, 3], [1, 2]] {
            let node = Node::new(levels.to_vec());
            let counted = counter.count(std::slice::from_ref(&node), Want { cost: true, anonymity: true });
            let count = counted.into_iter().next().unwrap();
            assert_eq!(count.count.all, naive(&problem, &node), "{node}");
            assert_eq!(count.count.suppressed_rows, count.count.all.rows - count.count.kept.rows);
            counter.keep(count);
        }
    }

    #[test]
    fn suppressed_tuples_are_those_of_small_classes() {
        let problem = large_problem();
        let node = Node::new(vec![1, 1]);
        let mut counter = counter(&problem);
        let suppressed = counter.suppressed_tuples(&node);
        let rows = suppressed.iter().filter(|s| **s).count() as u64;
        let counted = counter.count(&[node], Want::default());
        assert_eq!(rows, counted[0].count.suppressed_rows);
        assert!(rows > 0 && rows < problem.table().rows());
    }
}
