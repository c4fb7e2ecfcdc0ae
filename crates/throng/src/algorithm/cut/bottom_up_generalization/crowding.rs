//! Classes over a shield, and how much moves would crowd them.
//!
//! A row is as crowded as its class is large, up to what the requirement asks for. For each attribute the
//! classes that one move would make one are a *group*. Both are found by keys: a sum of one term for each
//! attribute, so that the key of a class whose value has moved is found by a difference. What a move gains is
//! kept as a sum over its groups; a move that is made changes only the groups of its own classes. As long as
//! there are very many classes, it is the sum over a sample of the groups, by their keys.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Moves;
use crate::problem::Problem;
use crate::random::{Random, mix};
use crate::run::Stop;
use crate::stop::GoOn;
use crate::taxonomy::ValueId;

/// Classes that are visited between two questions whether to go on.
const CLASSES: usize = 1 << 14;

/// Classes beyond which some of the groups are enough to compare moves by.
const MANY: usize = 1 << 16;

/// Classes whose groups are changed side by side.
const SIDE_BY_SIDE: usize = 1 << 10;

/// Above this nothing is gained by a larger class; so sums fit in 64 bits.
const MOST: u64 = 1 << 31;

/// The classes over a shield.
pub(super) struct Crowding {
    attributes: Vec<usize>,
    /// Units of rows that a class should have at least.
    wanted: u64,
    /// A unit is two to the power of this: 1 unless the table has more rows than 32 bits can say.
    unit_bits: u32,
    /// Smaller classes are too small, where the requirement asks for rows.
    least_rows: u64,
    /// Whether the requirement asks for rows and nothing else.
    is_size: bool,
    all_rows: u64,
    classes: Vec<Class>,
    /// By class and attribute of the shield.
    values: Vec<ValueId>,
    by_key: FxHashMap<u128, u32>,
    /// By attribute of the shield.
    columns: Vec<AttributeCrowding>,
    short_rows: u64,
    /// Classes that are left.
    left: usize,
    /// One of two to the power of this groups counts.
    sampled_bits: u32,
}

#[derive(Clone, Copy)]
struct Class {
    key: u128,
    /// None if it has become part of another.
    rows: u64,
}

/// What is known of one attribute.
struct AttributeCrowding {
    /// By value: its part of a key, and the part of a key of the move that it takes part in.
    terms: Vec<(u128, u128)>,
    /// By value, the classes that have it; some may be gone.
    links: Vec<Vec<u32>>,
    groups: FxHashMap<u128, MergedClasses>,
    /// By move, how crowded rows would become by it.
    gains: Vec<u64>,
}

/// Classes that a move would make one.
#[derive(Clone, Copy, Default)]
struct MergedClasses {
    rows: u64,
    crowdedness: u64,
}

impl Crowding {
    pub(super) fn new(
        problem: &Problem,
        trees: &[Moves],
        attributes: Vec<usize>,
        least_rows: Option<u64>,
        go_on: &GoOn<'_>,
    ) -> Result<Crowding, Stop> {
        let table = problem.table();
        let unit_bits = (u64::BITS - table.rows().leading_zeros()).saturating_sub(u32::BITS);
        let mut crowding = Crowding {
            least_rows: least_rows.unwrap_or(MOST),
            wanted: least_rows.map_or(MOST, |rows| rows.div_ceil(1 << unit_bits)).min(MOST),
            unit_bits,
            is_size: least_rows.is_some(),
            all_rows: table.rows(),
            classes: Vec::new(),
            values: Vec::new(),
            by_key: FxHashMap::default(),
            columns: columns(problem, trees, &attributes),
            short_rows: 0,
            left: 0,
            sampled_bits: 0,
            attributes,
        };
        for tuple in (0..table.tuples()).filter(|&tuple| table.weights()[tuple] > 0) {
            if tuple % CLASSES == 0 {
                go_on()?;
            }
            let leaves = crowding.attributes.iter().map(|&a| table.column(a)[tuple]);
            let leaves: Vec<ValueId> = leaves.collect();
            crowding.add(&leaves, table.weights()[tuple].into());
        }
        let all: Vec<u32> = (0..crowding.classes.len() as u32).collect();
        crowding.left = all.len();
        crowding.group_all(trees, go_on)?;
        crowding.short_rows =
            all.iter().map(|&class| crowding.short(crowding.classes[class as usize].rows)).sum();
        Ok(crowding)
    }

    /// How many halvings leave few enough groups.
    fn wanted_bits(&self) -> u32 {
        (self.left / MANY).checked_ilog2().unwrap_or(0)
    }

    /// Groups all classes anew.
    fn group_all(&mut self, trees: &[Moves], go_on: &GoOn<'_>) -> Result<(), Stop> {
        self.sampled_bits = self.wanted_bits();
        for column in &mut self.columns {
            column.groups.clear();
            column.gains.fill(0);
        }
        let left = |class: &u32| self.classes[*class as usize].rows > 0;
        let left: Vec<u32> = (0..self.classes.len() as u32).filter(left).collect();
        self.regroup(trees, &left, true, go_on)
    }

    fn add(&mut self, leaves: &[ValueId], rows: u64) {
        let terms = self.columns.iter().zip(leaves).map(|(column, &leaf)| column.terms[leaf as usize].0);
        let key = terms.fold(0u128, u128::wrapping_add);
        let next = self.classes.len() as u32;
        let class = *self.by_key.entry(key).or_insert(next);
        if class < next {
            self.classes[class as usize].rows += rows;
            return;
        }
        self.classes.push(Class { key, rows });
        self.values.extend(leaves);
        self.columns
            .iter_mut()
            .zip(leaves)
            .for_each(|(column, &leaf)| column.links[leaf as usize].push(class));
    }

    /// Rows of classes that are smaller than asked for; 0 if no size is asked for.
    pub(super) fn short_rows(&self) -> u64 {
        if self.is_size { self.short_rows } else { 0 }
    }

    /// Whether the requirement does not hold; where more than sizes decides, it may be any.
    pub(super) fn is_violated(&self, by_size: bool) -> bool {
        !by_size || self.short_rows > 0
    }

    fn short(&self, rows: u64) -> u64 {
        if rows < self.least_rows { rows } else { 0 }
    }

    /// How many rows the class of a row grows by, on average, if a move of an attribute is made; none if the
    /// shield does not have the attribute.
    pub(super) fn gain(&self, a: usize, number: u32) -> Option<f64> {
        let at = self.attributes.iter().position(|&of| of == a)?;
        let scale = f64::from(1u32 << self.sampled_bits) * f64::from(1u32 << self.unit_bits).powi(2);
        let rows = self.columns[at].gains[number as usize] as f64 * scale;
        Some(rows / self.all_rows as f64)
    }

    /// Makes a move.
    pub(super) fn generalise(
        &mut self,
        trees: &[Moves],
        a: usize,
        number: u32,
        go_on: &GoOn<'_>,
    ) -> Result<(), Stop> {
        let Some(at) = self.attributes.iter().position(|&of| of == a) else { return Ok(()) };
        let of = &trees[a].moves[number as usize];
        let links =
            of.children.iter().flat_map(|&child| std::mem::take(&mut self.columns[at].links[child as usize]));
        let links: Vec<u32> = links.collect();
        let touched: Vec<u32> =
            links.into_iter().filter(|&class| self.classes[class as usize].rows > 0).collect();
        go_on()?;
        self.regroup(trees, &touched, false, go_on)?;
        go_on()?;
        let left = self.move_to(&touched, at, of.value);
        self.regroup(trees, &left, true, go_on)?;
        self.columns[at].links[of.value as usize] = left;
        if self.wanted_bits() < self.sampled_bits {
            go_on()?;
            self.group_all(trees, go_on)?;
        }
        Ok(())
    }

    /// Gives classes another value in an attribute; those that are left when equal ones are one.
    fn move_to(&mut self, touched: &[u32], at: usize, value: ValueId) -> Vec<u32> {
        let width = self.attributes.len();
        let mut left = Vec::new();
        for &class in touched {
            let Class { key, rows } = self.classes[class as usize];
            self.short_rows -= self.short(rows);
            self.by_key.remove(&key);
            let old = std::mem::replace(&mut self.values[class as usize * width + at], value);
            let terms = &self.columns[at].terms;
            let key = key.wrapping_sub(terms[old as usize].0).wrapping_add(terms[value as usize].0);
            let into = *self.by_key.entry(key).or_insert(class);
            if into == class {
                self.classes[class as usize].key = key;
                left.push(class);
            } else {
                self.classes[into as usize].rows += rows;
                self.classes[class as usize].rows = 0;
            }
        }
        self.left -= touched.len() - left.len();
        self.short_rows +=
            left.iter().map(|&class| self.short(self.classes[class as usize].rows)).sum::<u64>();
        left
    }

    /// Puts classes into the groups of every attribute, or takes them out.
    fn regroup(&mut self, trees: &[Moves], touched: &[u32], put: bool, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let (width, wanted, bits) = (self.attributes.len(), self.wanted, self.sampled_bits);
        let unit = 1 << self.unit_bits;
        let (classes, values, attributes) = (&self.classes, &self.values, &self.attributes);
        let one = |(at, column): (usize, &mut AttributeCrowding)| {
            for (place, &class) in touched.iter().enumerate() {
                if place % CLASSES == 0 {
                    go_on()?;
                }
                let value = values[class as usize * width + at];
                let Some(number) = trees[attributes[at]].of_child[value as usize] else { continue };
                let Class { key, rows } = classes[class as usize];
                let (own, of_move) = column.terms[value as usize];
                let key = key.wrapping_sub(own).wrapping_add(of_move);
                if bits > 0 && mix(key as u64 ^ (key >> 64) as u64) >> (u64::BITS - bits) != 0 {
                    continue;
                }
                column.change(key, number, rows.div_ceil(unit), wanted, put);
            }
            Ok(())
        };
        if touched.len() < SIDE_BY_SIDE {
            self.columns.iter_mut().enumerate().try_for_each(one)
        } else {
            self.columns.par_iter_mut().enumerate().try_for_each(one)
        }
    }
}

impl AttributeCrowding {
    fn change(&mut self, key: u128, number: u32, rows: u64, wanted: u64, put: bool) {
        let group = self.groups.entry(key).or_default();
        let gain = |group: &MergedClasses| crowdedness(group.rows, wanted) - group.crowdedness;
        let before = gain(group);
        if put {
            group.rows += rows;
            group.crowdedness += crowdedness(rows, wanted);
        } else {
            group.rows -= rows;
            group.crowdedness -= crowdedness(rows, wanted);
        }
        let gains = &mut self.gains[number as usize];
        *gains = *gains + gain(group) - before;
        if group.rows == 0 {
            self.groups.remove(&key);
        }
    }
}

/// The sum over the rows of a class of how crowded each is.
fn crowdedness(rows: u64, wanted: u64) -> u64 {
    rows * rows.min(wanted)
}

/// Columns with terms that make keys of different classes different: bit fields, where 128 bits are enough for
/// them, else numbers so long that no two sums of them are equal.
fn columns(problem: &Problem, trees: &[Moves], attributes: &[usize]) -> Vec<AttributeCrowding> {
    let values = |a: usize| problem.attributes()[a].taxonomy.values().len();
    // A value, or a move in its place.
    let bits = |a: usize| usize::BITS - (values(a) + trees[a].moves.len()).leading_zeros();
    let fits = attributes.iter().map(|&a| bits(a)).sum::<u32>() <= u128::BITS;
    let random = &mut Random::new(1);
    let mut shift = 0;
    let column = |&a: &usize| {
        let mut term = |place: usize| match fits {
            true => (place as u128) << shift,
            false => (u128::from(random.bits()) << 64) | u128::from(random.bits()),
        };
        let of_value: Vec<u128> = (0..values(a)).map(&mut term).collect();
        let of_move: Vec<u128> = (0..trees[a].moves.len()).map(|at| term(values(a) + at)).collect();
        let own_move = |value: usize| trees[a].of_child[value].map_or(0, |number| of_move[number as usize]);
        let terms = of_value.iter().enumerate().map(|(value, &term)| (term, own_move(value))).collect();
        shift += bits(a);
        AttributeCrowding {
            terms,
            links: vec![Vec::new(); values(a)],
            groups: FxHashMap::default(),
            gains: vec![0; trees[a].moves.len()],
        }
    };
    attributes.iter().map(column).collect()
}
