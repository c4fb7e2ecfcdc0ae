//! Classes over a shield, linked by the values of the cut: the TIPS structure of the paper.
//!
//! A class is a range of tuples; each knows, for each attribute, the smallest part that dividing its value
//! would leave. A value's link lists the classes that have it. So a step visits the tuples of the classes
//! that have the value which is divided, and no others.

use super::slots::CutValues;
use crate::run::Stop;
use crate::stop::GoOn;

/// Tuples between two questions whether to go on.
const TUPLES: usize = 1 << 15;

/// The classes over a shield.
pub(super) struct ShieldClasses {
    pub(super) attributes: Vec<usize>,
    /// How many requirements are over the shield.
    pub(super) requirements: u32,
    /// Rows that a class must have; 0 if nothing is known of that.
    least_rows: u64,
    /// All tuples that have rows, those of a class one after the other.
    order: Vec<u32>,
    classes: Vec<Class>,
    /// By class and attribute of the shield.
    looks: Vec<Look>,
    /// Bits that numbers of rows in them lack at their end: 0 unless the table has more rows than 32 bits can say.
    dropped_bits: u32,
    /// By slot.
    links: Vec<Link>,
    /// Rows of classes that are too small.
    pub(super) too_small: u64,
    /// Classes that are new or have lost tuples, and are not looked at yet.
    touched: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Class {
    start: u32,
    end: u32,
    rows: u64,
}

/// What dividing a value does to a class.
#[derive(Clone, Copy)]
struct Look {
    slot: u32,
    /// Rows that the class loses down to its smallest part; of the next and of this the first 32 bits, where there
    /// may be more.
    drop: u32,
    /// Rows of parts that are too small.
    too_small: u32,
}

/// The classes that have a value.
#[derive(Clone, Default)]
struct Link {
    classes: Vec<u32>,
    too_small: u64,
    /// The largest drop.
    drop: u32,
    /// Whether that may be less by now.
    stale: bool,
}

impl ShieldClasses {
    /// The classes of the top levels.
    pub(super) fn new(
        slots: &CutValues<'_>,
        attributes: Vec<usize>,
        least_rows: u64,
        go_on: &GoOn<'_>,
    ) -> Result<ShieldClasses, Stop> {
        let table = slots.problem.table();
        let occurring = (0..table.tuples() as u32).filter(|&tuple| table.weights()[tuple as usize] > 0);
        let mut order: Vec<u32> = occurring.collect();
        let slot = |tuple: u32, a: usize| slots.range(a, table.column(a)[tuple as usize]).0;
        let key = |&tuple: &u32| attributes.iter().map(|&a| slot(tuple, a)).collect::<Vec<u32>>();
        // Nearly always each hierarchy has one value at the top, and there is a single class.
        if slots.all.len() > slots.problem.attributes().len() {
            order.sort_by_cached_key(key);
        }
        let mut partition = ShieldClasses {
            requirements: 0,
            least_rows,
            classes: Vec::new(),
            looks: Vec::new(),
            links: vec![Link::default(); slots.all.len()],
            dropped_bits: (u64::BITS - table.rows().leading_zeros()).saturating_sub(u32::BITS),
            too_small: 0,
            touched: Vec::new(),
            order: Vec::new(),
            attributes,
        };
        let mut start = 0;
        for class in
            order.chunk_by(|a, b| partition.attributes.iter().all(|&at| slot(*a, at) == slot(*b, at)))
        {
            let rows = class.iter().map(|&tuple| u64::from(table.weights()[tuple as usize])).sum();
            let end = start + class.len() as u32;
            partition.touched.push(partition.classes.len() as u32);
            partition.classes.push(Class { start, end, rows });
            partition.too_small += partition.if_too_small(rows);
            start = end;
        }
        partition.order = order;
        partition.look(slots, None, go_on)?;
        Ok(partition)
    }

    fn if_too_small(&self, rows: u64) -> u64 {
        if rows < self.least_rows { rows } else { 0 }
    }

    /// The largest drop of a class that dividing a value leads to.
    pub(super) fn drop(&self, slot: u32) -> u64 {
        u64::from(self.links[slot as usize].drop) << self.dropped_bits
    }

    /// By how many rows the smallest class becomes smaller when a value is divided: A(VID) − A_v(VID) of 2005.
    pub(super) fn least_drop(&self, slots: &CutValues<'_>, slot: u32) -> u64 {
        let (attribute, width) = (slots.all[slot as usize].attribute, self.attributes.len());
        let at =
            self.attributes.iter().position(|&of| of == attribute).expect("the shield has the attribute");
        let (mut before, mut after) = (u64::MAX, u64::MAX);
        for (class, looks) in self.classes.iter().zip(self.looks.chunks_exact(width)) {
            let look = looks[at];
            let drop = if look.slot == slot { u64::from(look.drop) << self.dropped_bits } else { 0 };
            before = before.min(class.rows);
            after = after.min(class.rows - drop);
        }
        before - after
    }

    /// Rows of classes that are too small once a value is divided.
    pub(super) fn too_small_with(&self, slot: u32) -> u64 {
        // A value of another attribute is not linked.
        self.too_small + self.links.get(slot as usize).map_or(0, |link| link.too_small)
    }

    /// Divides the classes that have a value between its children; [`look`](Self::look) at them must follow.
    pub(super) fn divide(&mut self, slots: &CutValues<'_>, slot: u32) {
        let table = slots.problem.table();
        let (attribute, children) = {
            let slot = &slots.all[slot as usize];
            (slot.attribute, slot.children.len())
        };
        let child = |tuple: u32| slots.range(attribute, table.column(attribute)[tuple as usize]).1 as usize;
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); children];
        for class in std::mem::take(&mut self.links[slot as usize].classes) {
            self.forget(class as usize);
            let Class { start, end, rows } = self.classes[class as usize];
            let tuples = &mut self.order[start as usize..end as usize];
            tuples.iter().for_each(|&tuple| parts[child(tuple)].push(tuple));
            let mut at = 0;
            let was_large = self.if_too_small(rows) == 0;
            for part in parts.iter_mut().filter(|part| !part.is_empty()) {
                let begin = start + at as u32;
                self.order[begin as usize..begin as usize + part.len()].copy_from_slice(part);
                at += part.len();
                let rows = part.iter().map(|&tuple| u64::from(table.weights()[tuple as usize])).sum();
                let of_part = Class { start: begin, end: start + at as u32, rows };
                // The first part has the class's own number.
                let number = if begin == start { class } else { self.classes.len() as u32 };
                self.classes.resize(self.classes.len().max(number as usize + 1), of_part);
                self.classes[number as usize] = of_part;
                self.too_small += if was_large { self.if_too_small(rows) } else { 0 };
                self.touched.push(number);
                part.clear();
            }
        }
    }

    /// Takes what a class adds to the links out of them.
    fn forget(&mut self, class: usize) {
        let width = self.attributes.len();
        for look in &self.looks[class * width..][..width] {
            let link = &mut self.links[look.slot as usize];
            link.too_small -= u64::from(look.too_small) << self.dropped_bits;
            link.stale |= look.drop == link.drop && look.drop > 0;
        }
    }

    /// Looks at the classes that were touched, now that `divided` is no value of the cut any more.
    pub(super) fn look(
        &mut self,
        slots: &CutValues<'_>,
        divided: Option<u32>,
        go_on: &GoOn<'_>,
    ) -> Result<(), Stop> {
        let width = self.attributes.len();
        let own = divided.map(|slot| slots.all[slot as usize].attribute);
        let known = self.looks.len() / width;
        let none = Look { slot: u32::MAX, drop: 0, too_small: 0 };
        self.looks.resize(self.classes.len() * width, none);
        self.links.resize(slots.all.len(), Link::default());
        let (mut counts, mut seen) = (Vec::new(), 0);
        for class in std::mem::take(&mut self.touched) {
            seen += width * (self.classes[class as usize].end - self.classes[class as usize].start) as usize;
            if seen > TUPLES {
                go_on()?;
                seen = 0;
            }
            for at in 0..width {
                let look = self.look_at(slots, class as usize, at, &mut counts);
                self.looks[class as usize * width + at] = look;
                let link = &mut self.links[look.slot as usize];
                if class as usize >= known || own == Some(self.attributes[at]) {
                    link.classes.push(class);
                }
                link.too_small += u64::from(look.too_small) << self.dropped_bits;
                link.drop = link.drop.max(look.drop);
            }
        }
        self.refresh(slots);
        Ok(())
    }

    /// What dividing its value in an attribute does to a class.
    fn look_at(&self, slots: &CutValues<'_>, class: usize, at: usize, counts: &mut Vec<u64>) -> Look {
        let (table, attribute) = (slots.problem.table(), self.attributes[at]);
        let Class { start, end, rows } = self.classes[class];
        let tuples = &self.order[start as usize..end as usize];
        let (leaves, weights) = (table.column(attribute), table.weights());
        let slot = slots.range(attribute, leaves[tuples[0] as usize]).0;
        let children = slots.all[slot as usize].children.len();
        let none = Look { slot, drop: 0, too_small: 0 };
        if !slots.all[slot as usize].open || self.if_too_small(rows) > 0 {
            return none;
        }
        counts.clear();
        counts.resize(children, 0);
        for &tuple in tuples {
            counts[slots.range(attribute, leaves[tuple as usize]).1 as usize] +=
                u64::from(weights[tuple as usize]);
        }
        let occurring = counts.iter().filter(|&&rows| rows > 0);
        let smallest = occurring.clone().min().copied().unwrap_or(rows);
        let too_small: u64 = occurring.map(|&rows| self.if_too_small(rows)).sum();
        let bits = self.dropped_bits;
        // No class counts as large that is not.
        let too_small = too_small.div_ceil(1 << bits) as u32;
        Look { slot, drop: ((rows - smallest) >> bits) as u32, too_small }
    }

    /// Finds the largest drop of links that lost theirs.
    fn refresh(&mut self, slots: &CutValues<'_>) {
        let width = self.attributes.len();
        let place = |attribute| self.attributes.iter().position(|&a| a == attribute);
        for (slot, link) in self.links.iter_mut().enumerate().filter(|(_, link)| link.stale) {
            let at = place(slots.all[slot].attribute).expect("linked classes have the attribute");
            let drops = link.classes.iter().map(|&class| self.looks[class as usize * width + at].drop);
            link.drop = drops.max().unwrap_or(0);
            link.stale = false;
        }
    }

    /// The tuples of classes that are too small.
    pub(super) fn small_tuples(&self) -> impl Iterator<Item = u32> + '_ {
        let small = self.classes.iter().filter(|class| self.if_too_small(class.rows) > 0);
        small.flat_map(|class| self.order[class.start as usize..class.end as usize].iter().copied())
    }
}
