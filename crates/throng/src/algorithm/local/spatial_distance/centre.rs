//! Centre points of classes.

use super::space::Space;

/// The mean of each number and the set of each category (t_c of the paper).
#[derive(Clone)]
pub(super) struct Centre {
    rows: u64,
    numbers: Vec<Mean>,
    values: Vec<Values>,
}

#[derive(Clone, Default)]
struct Mean {
    sum: f64,
    rows: u64,
}

/// Distinct values of an attribute.
#[derive(Clone)]
pub(super) struct Values {
    has: Vec<bool>,
    list: Vec<u32>,
}

impl Centre {
    /// The centre of nothing.
    pub(super) fn new(space: &Space) -> Centre {
        let none = |values| Values { has: vec![false; values], list: Vec::new() };
        let values = space.categories.iter().map(|attribute| none(attribute.values)).collect();
        Centre { rows: 0, numbers: vec![Mean::default(); space.numbers.len()], values }
    }

    /// Takes a tuple in.
    pub(super) fn add(&mut self, space: &Space, place: u32) {
        let rows = u64::from(space.rows(place));
        self.rows += rows;
        for (mean, attribute) in self.numbers.iter_mut().zip(&space.numbers) {
            if let Some(x) = attribute.position(attribute.codes[place as usize]) {
                mean.sum += x * rows as f64;
                mean.rows += rows;
            }
        }
        for (values, attribute) in self.values.iter_mut().zip(&space.categories) {
            values.insert(attribute.codes[place as usize]);
        }
    }

    /// Makes it the centre of nothing again.
    pub(super) fn clear(&mut self) {
        self.rows = 0;
        self.numbers.fill(Mean::default());
        for values in &mut self.values {
            values.list.iter().for_each(|&value| values.has[value as usize] = false);
            values.list.clear();
        }
    }

    /// The rows of its tuples.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The mean of a number; none if it is missing from all tuples.
    pub(super) fn mean(&self, attribute: usize) -> Option<f64> {
        let Mean { sum, rows } = self.numbers[attribute];
        (rows > 0).then(|| sum / rows as f64)
    }

    /// The distinct values of a category.
    pub(super) fn values(&self, attribute: usize) -> &Values {
        &self.values[attribute]
    }
}

impl Values {
    fn insert(&mut self, value: u32) {
        if !std::mem::replace(&mut self.has[value as usize], true) {
            self.list.push(value);
        }
    }

    /// Whether a value is among them.
    pub(super) fn has(&self, value: u32) -> bool {
        self.has[value as usize]
    }

    /// The values, in no order that matters.
    pub(super) fn list(&self) -> &[u32] {
        &self.list
    }
}
