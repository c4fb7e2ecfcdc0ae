//! What nodes above one must suppress at least, found without telling all their classes apart.
//!
//! Classes are counted by a hash of their keys, and those of one hash together: a class that is small by such a count
//! is small, and some that are small may be missed. So the rows of small classes are a lower bound, and nearly always
//! exact; it takes a fraction of the time of telling classes apart, and no room for them.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use super::grouping::hash;
use super::roll_up::RollUp;
use super::rolled::PIECE;
use super::{Grid, Key, Rules, Snapshot};
use crate::lattice::Node;
use crate::recoding::GoOn;
use crate::run::Stop;

/// What a node suppresses at least, and all below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtLeast {
    /// Rows; if they are more than may be, not all of them.
    pub(crate) suppressed_rows: u64,
    /// What that adds to the objective, if the rows may be suppressed.
    pub(crate) penalty: i128,
    /// Whether the node has far fewer classes than it was looked at from.
    pub(crate) is_far: bool,
}

/// Looks upwards from a node.
pub(crate) trait Outlook {
    /// Looks from a node further up from now on.
    fn rise(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<(), Stop>;

    /// What a node above suppresses at least.
    fn at_least(&self, node: &Node, go_on: &GoOn<'_>) -> Result<AtLeast, Stop>;

    /// The classes that it started from, if they are worth keeping.
    fn into_classes(self: Box<Self>) -> Option<Box<dyn Any + Send>>;
}

pub(super) struct Lookout<'r, K: Key> {
    rules: &'r Rules,
    least_rows: u64,
    source: Arc<Snapshot<K>>,
    /// What it started from, if that was made for it.
    own: Option<Arc<Snapshot<K>>>,
}

/// Sources of fewer classes are not worth shrinking, nor are those that would not become so many times smaller.
const LARGE: usize = 2048;
const FAR: usize = 3;

thread_local! {
    /// For reuse: clearing new pages takes as long as counting.
    static ROOM: RefCell<Room> = const { RefCell::new(Room { slots: Vec::new(), rows_of: Vec::new() }) };
}

struct Room {
    /// For each class of the source.
    slots: Vec<u32>,
    /// For each slot.
    rows_of: Vec<u32>,
}

impl<'r, K: Key> Lookout<'r, K> {
    pub(super) fn new(rules: &'r Rules, least_rows: u64, source: Arc<Snapshot<K>>) -> Self {
        Lookout { rules, least_rows, source, own: None }
    }

    /// Fills in a number for each class of the source, the same for those that are one class of the node.
    fn fill_slots(&self, node: &Node, bits: u32, slots: &mut Vec<u32>, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let grid = Grid::of_node(node);
        let fields = self.rules.fields.of_grid(&self.rules.codes, &grid);
        let roll_up =
            RollUp::new(&self.rules.codes, (&self.source.node, &self.source.fields), (&grid, &fields));
        slots.clear();
        slots.reserve(self.source.classes.len());
        for piece in self.source.classes.chunks(PIECE) {
            go_on()?;
            roll_up.for_each(piece, |key, _| slots.push((hash(key) >> (u64::BITS - bits)) as u32));
        }
        Ok(())
    }

    fn look(&self, node: &Node, room: &mut Room, go_on: &GoOn<'_>) -> Result<AtLeast, Stop> {
        let classes = &self.source.classes;
        // Several slots for a class: few share one.
        let bits = (classes.len() * 2).next_power_of_two().trailing_zeros().clamp(4, 31);
        let Room { slots, rows_of } = room;
        self.fill_slots(node, bits, slots, go_on)?;
        rows_of.clear();
        rows_of.resize(1 << bits, 0);
        let mut found = 0;
        for (&slot, (_, rows)) in slots.iter().zip(classes) {
            let of = &mut rows_of[slot as usize];
            found += usize::from(*of == 0);
            *of = of.saturating_add(u32::try_from(*rows).unwrap_or(u32::MAX));
        }
        go_on()?;
        // Slots of more rows than can be counted are taken for large, whatever is asked for.
        let least_rows = u32::try_from(self.least_rows).unwrap_or(u32::MAX);
        let is_small = |at: usize| rows_of[slots[at] as usize] < least_rows;
        let small = slots.iter().zip(classes).filter(|(slot, _)| rows_of[**slot as usize] < least_rows);
        let suppressed_rows = small.map(|(_, (_, rows))| *rows).sum();
        let refuted = suppressed_rows > self.rules.max_suppressed_rows;
        let penalty = if refuted || suppressed_rows == 0 { 0 } else { self.penalty(node, is_small) };
        Ok(AtLeast { suppressed_rows, penalty, is_far: found * FAR < classes.len() && classes.len() > LARGE })
    }

    /// What suppressing the rows of small slots adds.
    fn penalty(&self, node: &Node, is_small: impl Fn(usize) -> bool) -> i128 {
        let Some(costs) = self.rules.costs.of_levels(&self.rules.codes, &self.source.node, node) else {
            return 0;
        };
        let mut penalty = 0;
        for (at, (key, rows)) in self.source.classes.iter().enumerate() {
            if is_small(at) {
                let row: i64 =
                    self.source.fields.codes(key).zip(&costs.cells).map(|(code, of)| of[code as usize]).sum();
                penalty += (costs.suppressed_row - i128::from(row)) * i128::from(*rows);
            }
        }
        penalty
    }
}

impl<K: Key> Outlook for Lookout<'_, K> {
    fn rise(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<(), Stop> {
        self.source = Arc::new(self.rules.classes(&Grid::of_node(node), &self.source, false, go_on)?);
        self.own.get_or_insert_with(|| Arc::clone(&self.source));
        Ok(())
    }

    fn at_least(&self, node: &Node, go_on: &GoOn<'_>) -> Result<AtLeast, Stop> {
        ROOM.with_borrow_mut(|room| self.look(node, room, go_on))
    }

    fn into_classes(self: Box<Self>) -> Option<Box<dyn Any + Send>> {
        let own = self.own?;
        drop(self.source);
        Arc::into_inner(own).map(|snapshot| Box::new(snapshot) as Box<dyn Any + Send>)
    }
}
