//! Equivalence classes of a node or a cut: the hot path of every full-domain search.
//!
//! The class of a tuple is a packed key: for each attribute the code of its value at the
//! node's level, in a bit field whose word is fixed once for all levels. So a set of classes
//! has the same form as the table, and a coarser node is *rolled up* from the smallest set of
//! classes below it instead of from the table: each field of the key goes through a look-up
//! table from level to level, neighbouring small fields through one table together. Where a
//! requirement looks at sensitive values, classes carry their [counts](values) along.

mod codes;
mod costs;
mod cuts;
mod fields;
mod grid;
mod grouping;
mod hashes;
mod judge;
mod key;
mod partitions;
mod roll_up;
mod rolled;
mod rules;
mod sample;
mod snapshot;
mod snapshots;
mod sweep;
mod upward_bounds;
mod values;
mod visitor;
mod workers;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::lattice::{Lattice, Node};
use crate::problem::Problem;
use crate::stop::{GoOn, Stop};
use crate::tally::ClassSizes;

pub(crate) use codes::LevelCodes;
pub(crate) use costs::{Cost, Costs, ValueCosts, cost_of_release};
pub(crate) use cuts::{CountCuts, Look, Opened, Refine, cut_counter};
use fields::Fields;
pub(crate) use grid::Grid;
use grouping::Grouping;
use judge::Judge;
pub(crate) use judge::reachable_size;
use key::Key;
use roll_up::RollUp;
use rolled::{PIECE, group_members};
use rules::{Part, Rules, Task, soon_done};
pub(crate) use snapshot::Snapshot;
use snapshot::classes_of_tuples;
use snapshots::NodeSnapshots;
use sweep::Sweep;
pub(crate) use sweep::{Pace, TakeSeen};
use upward_bounds::Lookout;
pub(crate) use upward_bounds::{AtLeast, Met, UpwardBounds};
use values::ClassValues;
pub(crate) use visitor::{ClassVisitor, NodeClasses, NodeView};
use workers::WorkerPool;

/// What counting the classes of a grid found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassCount {
    /// Whether it may be released: the rows that must be suppressed are within the limit.
    pub(crate) admissible: bool,
    /// Whether no finer grid may be released, either.
    pub(crate) refutes_below: bool,
    /// Rows in classes that a requirement does not allow.
    pub(crate) suppressed_rows: u64,
    /// Sizes of the allowed classes.
    pub(crate) kept: ClassSizes,
    /// Sizes of all classes.
    pub(crate) all: ClassSizes,
    /// What the allowed classes achieve, by requirement.
    pub(crate) degrees: Vec<f64>,
    /// The objective, where it was asked for and the grid is admissible.
    pub(crate) cost: Option<Cost>,
    /// By requirement the best degree that can be reached within the suppression limit, where it was
    /// asked for.
    pub(crate) reach: Option<Vec<f64>>,
}

/// Counts classes of grids.
///
/// Counting is a pure function of the grid; which snapshot it starts from only decides how
/// long it takes. Snapshots are added by [`keep`](CountClasses::keep), between counts.
pub(crate) trait CountClasses: Send + Sync {
    /// Counts the classes of several grids, on all cores of the current pool.
    fn count(&mut self, grids: Vec<Grid>, want: Want, go_on: &GoOn<'_>) -> Result<Vec<Counted>, Stop>;

    /// Counts the classes of several nodes, and has each looked at.
    fn look(
        &mut self,
        nodes: &[Node],
        visitor: &Arc<dyn ClassVisitor>,
        go_on: &GoOn<'_>,
    ) -> Result<Vec<Counted>, Stop>;

    /// Counts the classes of all nodes of a lattice, on all cores, and has each looked at; ends when it may not
    /// go on.
    fn sweep(&self, lattice: &Lattice, visitor: &dyn ClassVisitor, pace: Pace<'_>, take: TakeSeen<'_>);

    /// A look at the nodes above one; none if more than the sizes of classes decides what is suppressed.
    fn upward_bounds<'c>(&'c self, from: &Node) -> Option<Box<dyn UpwardBounds + 'c>>;

    /// Keeps what an outlook has met that makes later ones shorter.
    fn learn(&mut self, met: Met, go_on: &GoOn<'_>) -> Result<(), Stop>;

    /// Keeps the classes of a counted node, if later counts would gain by it.
    fn keep(&mut self, counted: Counted);

    /// For each tuple of the table, whether its class is not allowed.
    fn suppressed_tuples(&self, grid: &Grid, go_on: &GoOn<'_>) -> Result<Vec<bool>, Stop>;
}

/// What a count must find out beyond the judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Want {
    /// The objective; not defined for a node that drops an attribute.
    pub(crate) cost: bool,
    /// The best degrees within the suppression limit.
    pub(crate) reach: bool,
    /// All of what is refused, also of a grid that may not be released; else enough to know that.
    pub(crate) exact: bool,
}

/// What was found and, opaque, the classes that it was found in.
pub(crate) struct Counted {
    pub(crate) found: ClassCount,
    /// What a visitor saw, if there was one.
    pub(crate) seen: Option<NodeView>,
    classes: Option<Box<dyn Any + Send>>,
}

/// The counter for a problem, with keys as wide as its table needs.
pub(crate) fn counter(problem: &Problem, go_on: &GoOn<'_>) -> Result<Box<dyn CountClasses>, Stop> {
    let codes = LevelCodes::new(problem);
    let fields = Fields::of_table((0..codes.attributes()).map(|a| codes.values(a, 0).len()));
    Ok(match fields.words() {
        1 => Box::new(Counter::<[u64; 1]>::new(problem, codes, fields, go_on)?),
        2 => Box::new(Counter::<[u64; 2]>::new(problem, codes, fields, go_on)?),
        3 | 4 => Box::new(Counter::<[u64; 4]>::new(problem, codes, fields, go_on)?),
        5..=8 => Box::new(Counter::<[u64; 8]>::new(problem, codes, fields, go_on)?),
        9..=32 => Box::new(Counter::<[u64; 32]>::new(problem, codes, fields, go_on)?),
        _ => Box::new(Counter::<Box<[u64]>>::new(problem, codes, fields, go_on)?),
    })
}

/// A roll-up from fewer classes than this takes no longer than finding a better source.
const LARGE_SOURCE: usize = 4096;

/// Classes from which on counting several nodes is shared between threads; handing over a task
/// takes longer than counting fewer.
const PARALLEL_WORK: usize = 800;

/// Memory for the classes of nodes that are kept, beyond half of that of the table itself.
const ROOM_BYTES: usize = 64 << 20;

/// Nodes with a large source that are counted before a common source is prepared.
const FAR_NODES: usize = 4;

/// Telling half the classes of a larger source apart takes as long as ten samples of it, so a common source must be far
/// smaller.
const HUGE_SOURCE: usize = 64 * PIECE;

/// Threads that are of use for the few nodes that a search checks at a time.
const MAX_WORKERS: usize = 4;

struct Counter<K: Key> {
    rules: Arc<Rules>,
    /// By number of classes, smallest first; the table itself is the last.
    snapshots: Vec<Arc<Snapshot<K>>>,
    /// Classes that may still be kept in snapshots.
    room: usize,
    /// Uses of snapshots so far.
    uses: AtomicU64,
    /// The meet of the latest nodes whose source was large, and how many they are.
    far: Option<(Node, usize)>,
    milestones: NodeSnapshots,
    /// Made by the first count that can use it.
    workers: Option<WorkerPool>,
}

impl<K: Key> Counter<K> {
    fn new(problem: &Problem, codes: LevelCodes, fields: Fields, go_on: &GoOn<'_>) -> Result<Self, Stop> {
        let classes = classes_of_tuples(problem, &fields, |_, leaf| leaf, go_on)?;
        let costs = Costs::new(problem, &codes);
        let judge = Judge::new(problem);
        let values = judge
            .looks_at_values()
            .then(|| ClassValues::of_table(problem.shared_table(), &problem.looked_at()));
        let base = Snapshot::new(problem.lattice().raw(), fields.clone(), classes, values);
        let room = base.size() / 2 + ROOM_BYTES / K::class_bytes(fields.words());
        let rules = Rules { codes, fields, costs, judge, max_suppressed_rows: problem.max_suppressed_rows };
        let snapshots = vec![Arc::new(base)];
        Ok(Counter {
            rules: Arc::new(rules),
            snapshots,
            room,
            uses: AtomicU64::default(),
            far: None,
            milestones: NodeSnapshots::default(),
            workers: None,
        })
    }

    /// The smallest set of classes that `node` can be rolled up from.
    fn source(&self, node: &Node) -> &Arc<Snapshot<K>> {
        let smallest = self.snapshots.iter().find(|snapshot| snapshot.node.is_below_or_equal(node));
        let smallest = smallest.expect("every node is above the table");
        self.mark(smallest);
        smallest
    }

    fn mark(&self, snapshot: &Snapshot<K>) {
        snapshot.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// As many threads as the current pool has, up to what a search can use.
    fn workers(&mut self) -> &mut WorkerPool {
        self.workers.get_or_insert_with(|| WorkerPool::new(rayon::current_num_threads().min(MAX_WORKERS)))
    }

    fn count_with(
        &mut self,
        grids: Vec<Grid>,
        want: Want,
        visitor: Option<&Arc<dyn ClassVisitor>>,
        go_on: &GoOn<'_>,
    ) -> Result<Vec<Counted>, Stop> {
        grids.iter().try_for_each(|grid| self.approach(grid.floor(), go_on))?;
        let source = |grid: &Grid| Arc::clone(self.source(grid.floor()));
        let task = |grid: Grid| Task { source: source(&grid), grid, want, visitor: visitor.map(Arc::clone) };
        let mut tasks: Vec<Task<K>> = grids.into_iter().map(task).collect();
        let rules = Arc::clone(&self.rules);
        let work: usize = tasks.iter().map(|task| task.source.classes.len()).sum();
        // A large source is shared between all cores by itself.
        let large = tasks.iter().any(|task| task.source.classes.len() > 2 * PIECE);
        if large || work < PARALLEL_WORK {
            return tasks.iter().map(|task| rules.count_asking(task, go_on)).collect();
        }
        let mut counted = Vec::with_capacity(tasks.len());
        while !tasks.is_empty() {
            go_on()?;
            let rest = tasks.split_off(soon_done(&tasks));
            counted.extend(self.workers().map(&rules, std::mem::replace(&mut tasks, rest), Rules::count));
        }
        Ok(counted)
    }

    /// Keeps the classes of a node for the nodes above it, if they are fewer than those that there are for it.
    fn prepare(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let source = Arc::clone(self.source(node));
        if source.classes.len() >= LARGE_SOURCE && source.node != *node {
            let snapshot = self.classes_by_halves(node, &source, go_on)?;
            if snapshot.classes.len() * 4 <= source.classes.len() * 3 {
                self.insert(snapshot);
            }
        }
        Ok(())
    }

    /// Prepares a common source for nodes that would else be rolled up from a large one, each by
    /// itself: the classes of their meet, if they are far fewer.
    fn approach(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let source = self.source(node);
        if source.classes.len() < LARGE_SOURCE {
            return Ok(());
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
            return Ok(());
        }
        let meet_source = Arc::clone(self.source(&meet));
        let share = if meet_source.classes.len() > HUGE_SOURCE { 4 } else { 2 };
        let most = meet_source.classes.len() / share;
        let too_many = |classes: Option<usize>| classes.is_some_and(|classes| classes > most);
        if meet_source.node == meet || too_many(self.rules.about_classes(&meet, &meet_source, go_on)?) {
            return Ok(());
        }
        let snapshot = self.classes_by_halves(&meet, &meet_source, go_on)?;
        if snapshot.classes.len() <= most {
            self.insert(snapshot);
        }
        Ok(())
    }

    /// The classes of one node, by two threads. Halves whatever the number of threads: the order of
    /// the classes must not depend on it.
    fn classes_by_halves(
        &mut self,
        node: &Node,
        source: &Arc<Snapshot<K>>,
        go_on: &GoOn<'_>,
    ) -> Result<Snapshot<K>, Stop> {
        let len = source.classes.len();
        let grid = Grid::of_node(node);
        if !(LARGE_SOURCE..=2 * PIECE).contains(&len) || source.values.is_some() {
            return self.rules.classes(&grid, source, true, go_on);
        }
        go_on()?;
        let part = |range| Part { grid: grid.clone(), source: Arc::clone(source), range };
        let parts = vec![part(0..len / 2), part(len / 2..len)];
        let rules = Arc::clone(&self.rules);
        let halves = self.workers().map(&rules, parts, Rules::classes_of_part);
        let mut merged = Grouping::new(len);
        halves.iter().flatten().for_each(|(key, rows)| _ = merged.add(key, *rows));
        let fields = rules.fields.of_grid(&rules.codes, &grid);
        Ok(Snapshot::new(node.clone(), fields, merged.finish(), None))
    }

    fn keep_classes(&mut self, classes: Box<dyn Any + Send>) {
        self.insert(*classes.downcast::<Snapshot<K>>().expect("counted by this counter"));
    }

    /// Keeps a snapshot, in the place of those that were not used for longest if there is no room.
    fn insert(&mut self, mut snapshot: Snapshot<K>) {
        snapshot.classes.shrink_to_fit();
        while self.room < snapshot.size() {
            let kept = &self.snapshots[..self.snapshots.len() - 1];
            let used = |&at: &usize| kept[at].used.load(Ordering::Relaxed);
            let Some(oldest) = (0..kept.len()).min_by_key(used) else { return };
            self.room += self.snapshots.remove(oldest).size();
        }
        self.room -= snapshot.size();
        self.mark(&snapshot);
        let at = self.snapshots[..self.snapshots.len() - 1]
            .partition_point(|other| other.classes.len() <= snapshot.classes.len());
        self.snapshots.insert(at, Arc::new(snapshot));
    }
}

impl<K: Key> CountClasses for Counter<K> {
    fn count(&mut self, grids: Vec<Grid>, want: Want, go_on: &GoOn<'_>) -> Result<Vec<Counted>, Stop> {
        self.count_with(grids, want, None, go_on)
    }

    fn look(
        &mut self,
        nodes: &[Node],
        visitor: &Arc<dyn ClassVisitor>,
        go_on: &GoOn<'_>,
    ) -> Result<Vec<Counted>, Stop> {
        let want = Want { exact: true, ..Want::default() };
        self.count_with(nodes.iter().map(Grid::of_node).collect(), want, Some(visitor), go_on)
    }

    fn sweep(&self, lattice: &Lattice, visitor: &dyn ClassVisitor, pace: Pace<'_>, take: TakeSeen<'_>) {
        let table = self.snapshots.last().expect("the table is the last snapshot");
        Sweep::new(&self.rules, lattice, visitor, pace).run(table, take);
    }

    fn upward_bounds<'c>(&'c self, from: &Node) -> Option<Box<dyn UpwardBounds + 'c>> {
        let judge = &self.rules.judge;
        // Rows of a class are cut off at so many where they are looked at.
        let fits = |&rows: &u64| rows <= u64::from(u32::MAX) && !judge.looks_at_values();
        let least_rows = judge.least_rows().filter(fits)?;
        Some(Box::new(Lookout::new(self, least_rows, Arc::clone(self.source(from)))))
    }

    fn learn(&mut self, met: Met, go_on: &GoOn<'_>) -> Result<(), Stop> {
        if let Some(classes) = met.classes {
            self.keep_classes(classes);
        }
        let Some(node) = met.far else { return Ok(()) };
        let rules = Arc::clone(&self.rules);
        self.milestones.note(node, &rules.codes).iter().try_for_each(|node| self.prepare(node, go_on))
    }

    fn keep(&mut self, counted: Counted) {
        if let Some(classes) = counted.classes {
            self.keep_classes(classes);
        }
    }

    fn suppressed_tuples(&self, grid: &Grid, go_on: &GoOn<'_>) -> Result<Vec<bool>, Stop> {
        let Rules { codes, fields, judge, .. } = &*self.rules;
        let table = self.snapshots.last().expect("the table is the last snapshot");
        let fields = fields.of_grid(codes, grid);
        let roll_up = RollUp::new(codes, (&table.node, &table.fields), (grid, &fields));
        let (classes, class_of) = group_members(&roll_up, &table.classes, go_on)?;
        go_on()?;
        let values = table.values.as_ref().map(|values| values.roll_up(&class_of, classes.len()));
        let snapshot = Snapshot::new(grid.floor().clone(), fields, classes, values);
        go_on()?;
        let refused = judge.judge(&snapshot, true).refused;
        let is_refused: Vec<bool> =
            snapshot.classes.iter().enumerate().map(|(at, (_, rows))| refused.is(at, *rows)).collect();
        Ok(class_of.into_iter().map(|class| is_refused[class as usize]).collect())
    }
}

#[cfg(test)]
mod tests;
