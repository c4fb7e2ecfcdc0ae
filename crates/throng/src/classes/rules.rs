//! What counting goes by, and one count: the classes of a grid, and what is found of them.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::judge::{ClassJudgement, Judge};
use super::rolled::{PIECE, group, group_all, group_members};
use super::sample::{about_classes, more_small_rows};
use super::visitor::SeenSnapshot;
use super::{
    ClassCount, ClassVisitor, Costs, Counted, Fields, Grid, Key, LevelCodes, MAX_WORKERS, RollUp, Snapshot,
    Want,
};
use crate::lattice::Node;
use crate::stop::{GoOn, Stop};
use crate::tally::ClassSizes;

/// What counting goes by; the same for every grid.
pub(super) struct Rules {
    pub(super) codes: LevelCodes,
    /// The fields of the table.
    pub(super) fields: Fields,
    pub(super) costs: Costs,
    pub(super) judge: Judge,
    pub(super) max_suppressed_rows: u64,
}

/// A grid to count, and the classes that it is rolled up from.
pub(super) struct Task<K: Key> {
    pub(super) grid: Grid,
    pub(super) source: Arc<Snapshot<K>>,
    pub(super) want: Want,
    pub(super) visitor: Option<Arc<dyn ClassVisitor>>,
}

/// A part of the classes of a source, to be rolled up to a node.
pub(super) struct Part<K: Key> {
    pub(super) grid: Grid,
    pub(super) source: Arc<Snapshot<K>>,
    pub(super) range: Range<usize>,
}

impl Rules {
    /// The classes of a grid, rolled up from those of a source; without their values if there are too many
    /// small ones anyway.
    pub(super) fn classes<K: Key>(
        &self,
        grid: &Grid,
        source: &Snapshot<K>,
        exact: bool,
        go_on: &GoOn<'_>,
    ) -> Result<Snapshot<K>, Stop> {
        let fields = self.fields.of_grid(&self.codes, grid);
        let roll_up = RollUp::new(&self.codes, (&source.node, &source.fields), (grid, &fields));
        let (classes, values) = match &source.values {
            None => (group_all(&roll_up, &fields, &source.classes, go_on)?, None),
            Some(values) => {
                let (classes, class_of) = group_members(&roll_up, &source.classes, go_on)?;
                let needed = exact || !self.judge.is_refuted_by_size(&classes);
                go_on()?;
                let values = needed.then(|| values.roll_up(&class_of, classes.len()));
                (classes, values)
            }
        };
        Ok(Snapshot::new(grid.floor().clone(), fields, classes, values))
    }

    pub(super) fn classes_of_part<K: Key>(&self, part: &Part<K>) -> Vec<(K, u64)> {
        let Part { grid, source, range } = part;
        let fields = self.fields.of_grid(&self.codes, grid);
        let roll_up = RollUp::new(&self.codes, (&source.node, &source.fields), (grid, &fields));
        group(&roll_up, &fields, &source.classes[range.clone()])
    }

    /// Counts a grid whose source is not large.
    pub(super) fn count<K: Key>(&self, task: &Task<K>) -> Counted {
        self.count_asking(task, &|| Ok(())).expect("nothing stops this count")
    }

    pub(super) fn count_asking<K: Key>(&self, task: &Task<K>, go_on: &GoOn<'_>) -> Result<Counted, Stop> {
        go_on()?;
        if let Some(suppressed_rows) = self.refute_by_some(task, go_on)? {
            let found = self.refuted(suppressed_rows, ClassSizes::default());
            return Ok(Counted { found, seen: None, classes: None });
        }
        let snapshot = self.classes(&task.grid, &task.source, task.want.exact, go_on)?;
        if snapshot.values.is_none() && task.source.values.is_some() {
            let rows = snapshot.classes.iter().map(|(_, rows)| *rows).filter(|&rows| rows > 0);
            let found = self.refuted(self.judge.rows_of_small(&snapshot.classes), rows.collect());
            return Ok(Counted { found, seen: None, classes: None });
        }
        go_on()?;
        let found = self.find(&task.grid, &snapshot, task.want);
        go_on()?;
        let seen = task.visitor.as_ref().map(|visitor| {
            visitor
                .see(task.grid.floor(), &SeenSnapshot { rules: self, grid: &task.grid, snapshot: &snapshot })
        });
        // Not worth keeping unless later roll-ups get much shorter.
        let shorter = snapshot.classes.len() * 4 <= task.source.classes.len() * 3;
        let keep = shorter && task.grid.node().is_some();
        Ok(Counted { found, seen, classes: keep.then(|| Box::new(snapshot) as Box<dyn Any + Send>) })
    }

    /// Rows of small classes of a node, if some of its classes have more than may be suppressed.
    fn refute_by_some<K: Key>(&self, task: &Task<K>, go_on: &GoOn<'_>) -> Result<Option<u64>, Stop> {
        let Task { grid, source, want, visitor } = task;
        // Of what is asked for, all but the judgement takes all classes.
        let takes_all = want.exact || want.reach || visitor.is_some() || self.costs.has_floor();
        if takes_all || grid.node().is_none() || self.judge.at_least() <= 1 {
            return Ok(None);
        }
        let Some(roll_up) = self.roll_up_many(grid, source) else { return Ok(None) };
        more_small_rows(&roll_up, &source.classes, (self.judge.at_least(), self.max_suppressed_rows), go_on)
    }

    /// About how many classes a node has, if that takes far less time than counting them.
    pub(super) fn about_classes<K: Key>(
        &self,
        node: &Node,
        source: &Snapshot<K>,
        go_on: &GoOn<'_>,
    ) -> Result<Option<usize>, Stop> {
        let roll_up = self.roll_up_many(&Grid::of_node(node), source);
        roll_up.map(|roll_up| about_classes(&roll_up, &source.classes, go_on)).transpose()
    }

    /// What rolls very many classes up to keys that are not just counted by their place.
    fn roll_up_many<K: Key>(&self, grid: &Grid, source: &Snapshot<K>) -> Option<RollUp> {
        if source.classes.len() <= 2 * PIECE {
            return None;
        }
        let fields = self.fields.of_grid(&self.codes, grid);
        let is_hashed = fields.bits_by_place(PIECE).is_none();
        is_hashed.then(|| RollUp::new(&self.codes, (&source.node, &source.fields), (grid, &fields)))
    }

    /// What is found of a grid that has too many rows in small classes.
    fn refuted(&self, suppressed_rows: u64, all: ClassSizes) -> ClassCount {
        ClassCount {
            admissible: false,
            refutes_below: true,
            suppressed_rows,
            kept: ClassSizes::default(),
            all,
            degrees: self.judge.safest(),
            cost: None,
            reach: None,
        }
    }

    pub(super) fn find<K: Key>(&self, grid: &Grid, snapshot: &Snapshot<K>, want: Want) -> ClassCount {
        let Snapshot { fields, classes, .. } = snapshot;
        let ClassJudgement { kept, all, degrees, mendable, below, refused } =
            self.judge.judge(snapshot, want.exact);
        let suppressed_rows = all.rows - kept.rows;
        let admissible = mendable && suppressed_rows.max(below) <= self.max_suppressed_rows;
        let cost = (admissible && want.cost).then(|| {
            let dropped = classes.iter().enumerate().filter(|(at, (_, rows))| refused.is(*at, *rows));
            let dropped = dropped.map(|(_, (key, rows))| (fields.codes(key), *rows));
            self.costs.cost(&self.codes, grid, &kept, dropped)
        });
        let reach = want.reach.then(|| self.judge.reach(snapshot, self.max_suppressed_rows));
        let refutes_below = below > self.max_suppressed_rows;
        ClassCount { admissible, refutes_below, suppressed_rows, kept, all, degrees, cost, reach }
    }
}

/// How many of some tasks are done before the search may stop: as many as there are workers, or all that are small.
pub(super) fn soon_done<K: Key>(tasks: &[Task<K>]) -> usize {
    let mut work = 0;
    let is_small = |task: &&Task<K>| {
        work += task.source.classes.len();
        work <= 2 * PIECE
    };
    tasks.iter().take_while(is_small).count().max(MAX_WORKERS).min(tasks.len())
}
