//! What nodes above one must suppress at least, found without telling all their classes apart.
//!
//! Classes are counted by a hash of their keys, and those of one hash together: a class that is small by such a count
//! is small, and some that are small may be missed. So the rows of small classes are a lower bound, and nearly always
//! exact; it takes a fraction of the time of telling classes apart, and no room for them.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use super::hashes::Hashes;
use super::{Counter, Grid, Key, Rules, Snapshot};
use crate::lattice::Node;
use crate::stop::{GoOn, Stop};

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
pub(crate) trait UpwardBounds {
    /// Looks from a node further up from now on.
    fn rise(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<(), Stop>;

    /// What a node above suppresses at least.
    fn at_least(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<AtLeast, Stop>;

    /// What it has met that makes later ones shorter.
    fn finish(self: Box<Self>) -> Met;
}

/// What an outlook has met.
#[derive(Default)]
pub(crate) struct Met {
    /// Classes that it made, opaque.
    pub(super) classes: Option<Box<dyn Any + Send>>,
    /// The node of these, if there were far more classes to make them from.
    pub(super) far: Option<Node>,
}

pub(super) struct Lookout<'c, K: Key> {
    counter: &'c Counter<K>,
    least_rows: u64,
    source: Arc<Snapshot<K>>,
    /// The first classes that it made.
    own: Option<Arc<Snapshot<K>>>,
    /// The node of these, if there were far more classes to make them from.
    far: Option<Node>,
    /// Of the classes of the source, over the node that was looked at last.
    hashes: Hashes,
}

/// Sources of fewer classes are not worth shrinking, nor are those that would not become so many times smaller.
const LARGE: usize = 2048;
const FAR: usize = 8;

/// Sources of more classes are so large that it is worth having others ready.
const MANY: usize = 8192;

thread_local! {
    /// For reuse: clearing new pages takes as long as counting.
    static SPARE: RefCell<Vec<Hashes>> = const { RefCell::new(Vec::new()) };
    static NARROW: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static WIDE: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Counts rows, up to some number.
trait Count: Copy + Default + PartialOrd {
    fn from_rows(rows: u64) -> Self;
    fn plus(self, other: Self) -> Self;

    /// The sum of those that are less than a number, and how many are not 0.
    fn sum_below(counts: &[Self], most: Self) -> (u64, usize);
}

impl Count for u8 {
    fn from_rows(rows: u64) -> u8 {
        rows.min(u64::from(u8::MAX)) as u8
    }

    fn plus(self, other: u8) -> u8 {
        self.saturating_add(other)
    }

    fn sum_below(counts: &[u8], most: u8) -> (u64, usize) {
        // By so many that sums fit in two bytes: 8 of these are added at a time.
        let some = |(sum, others): (u64, usize), counts: &[u8]| {
            let small: u16 =
                counts.iter().map(|&count| if count < most { u16::from(count) } else { 0 }).sum();
            let taken: u16 = counts.iter().map(|&count| u16::from(count > 0)).sum();
            (sum + u64::from(small), others + usize::from(taken))
        };
        counts.chunks(256).fold((0, 0), some)
    }
}

impl Count for u64 {
    fn from_rows(rows: u64) -> u64 {
        rows
    }

    fn plus(self, other: u64) -> u64 {
        self + other
    }

    fn sum_below(counts: &[u64], most: u64) -> (u64, usize) {
        let small = counts.iter().filter(|&&count| count < most).sum();
        (small, counts.iter().filter(|&&count| count > 0).count())
    }
}

/// Classes of a source over a node.
struct Slots<'a, C> {
    hashes: &'a [u32],
    /// Of a hash only its first bits count.
    shift: u32,
    rows_of: &'a mut Vec<C>,
    least_rows: C,
}

impl<'a, C: Count> Slots<'a, C> {
    fn new(hashes: &'a [u32], rows: &[u32], least_rows: u64, rows_of: &'a mut Vec<C>) -> Slots<'a, C> {
        // Several slots for a class: few share one.
        let bits = (hashes.len() * 4).next_power_of_two().trailing_zeros().clamp(4, 31);
        let shift = u32::BITS - bits;
        rows_of.clear();
        rows_of.resize(1 << bits, C::default());
        for (hash, &rows) in hashes.iter().zip(rows) {
            let of = &mut rows_of[(hash >> shift) as usize];
            *of = of.plus(C::from_rows(u64::from(rows)));
        }
        Slots { hashes, shift, rows_of, least_rows: C::from_rows(least_rows) }
    }

    fn is_small(&self, at: usize) -> bool {
        self.rows_of[(self.hashes[at] >> self.shift) as usize] < self.least_rows
    }

    /// Rows of small classes, and how many slots have any.
    fn small_rows(&self) -> (u64, usize) {
        C::sum_below(self.rows_of, self.least_rows)
    }
}

impl<'c, K: Key> Lookout<'c, K> {
    pub(super) fn new(counter: &'c Counter<K>, least_rows: u64, source: Arc<Snapshot<K>>) -> Self {
        let hashes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        Lookout { counter, least_rows, source, own: None, far: None, hashes }
    }

    /// Looks from the smallest set of classes that there is for a node, if it is much smaller.
    fn approach(&mut self, node: &Node) {
        let is_below = self.source.node.is_below_or_equal(node);
        if is_below && self.source.classes.len() < LARGE {
            return;
        }
        let best = self.counter.source(node);
        if !is_below || best.classes.len() * 3 < self.source.classes.len() * 2 {
            self.source = Arc::clone(best);
        }
    }

    fn look<C: Count>(&mut self, node: &Node, room: &mut Vec<C>, go_on: &GoOn<'_>) -> Result<AtLeast, Stop> {
        self.approach(node);
        let Lookout { counter, least_rows, source, hashes, .. } = self;
        let rules = &counter.rules;
        let rows = &source.columns().rows;
        go_on()?;
        let hashes = hashes.over(node, &rules.codes, source);
        go_on()?;
        let slots = Slots::new(hashes, rows, *least_rows, room);
        go_on()?;
        let (suppressed_rows, taken) = slots.small_rows();
        let refuted = suppressed_rows > rules.max_suppressed_rows;
        let is_far = rows.len() > LARGE && taken * FAR < rows.len();
        let penalty = if refuted || suppressed_rows == 0 {
            0
        } else {
            penalty(rules, source, node, |at| slots.is_small(at))
        };
        Ok(AtLeast { suppressed_rows, penalty, is_far })
    }
}

/// What suppressing the rows of some classes of a source adds to a node.
fn penalty<K: Key>(
    rules: &Rules,
    source: &Snapshot<K>,
    node: &Node,
    is_small: impl Fn(usize) -> bool,
) -> i128 {
    let Some(costs) = rules.costs.of_levels(&rules.codes, &source.node, node) else {
        return 0;
    };
    let mut penalty = 0;
    for (at, (key, rows)) in source.classes.iter().enumerate() {
        if is_small(at) {
            let row: i64 =
                source.fields.codes(key).zip(&costs.cells).map(|(code, of)| of[code as usize]).sum();
            penalty += (costs.suppressed_row - i128::from(row)) * i128::from(*rows);
        }
    }
    penalty
}

impl<K: Key> UpwardBounds for Lookout<'_, K> {
    fn rise(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let risen = self.counter.rules.classes(&Grid::of_node(node), &self.source, false, go_on)?;
        if self.own.is_none() && self.source.classes.len() > MANY {
            self.far = Some(node.clone());
        }
        self.source = Arc::new(risen);
        self.own.get_or_insert_with(|| Arc::clone(&self.source));
        Ok(())
    }

    fn at_least(&mut self, node: &Node, go_on: &GoOn<'_>) -> Result<AtLeast, Stop> {
        if self.least_rows <= u64::from(u8::MAX) {
            NARROW.with_borrow_mut(|room| self.look(node, room, go_on))
        } else {
            WIDE.with_borrow_mut(|room| self.look(node, room, go_on))
        }
    }

    fn finish(mut self: Box<Self>) -> Met {
        SPARE.with_borrow_mut(|spare| spare.push(std::mem::take(&mut self.hashes)));
        drop(self.source);
        let own = self.own.and_then(Arc::into_inner);
        Met { classes: own.map(|snapshot| Box::new(snapshot) as Box<dyn Any + Send>), far: self.far }
    }
}
