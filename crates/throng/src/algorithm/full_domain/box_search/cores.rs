//! What checks have found out about all nodes below one.

use crate::lattice::Level;

/// Nodes with one more level, each of which says that nothing at or below it is worth looking at.
///
/// Which of them are above a given node is asked for every box; a bit for each node, attribute and level answers it
/// for 64 nodes at a time.
pub(super) struct Cores {
    /// One after the other.
    levels: Vec<Level>,
    attributes: usize,
    len: usize,
    /// `at_least[attribute][level]`: a bit for each node whose level is no less.
    at_least: Vec<Vec<Vec<u64>>>,
}

impl Cores {
    pub(super) fn new(heights: impl Iterator<Item = Level>) -> Cores {
        let at_least: Vec<Vec<Vec<u64>>> =
            heights.map(|height| vec![Vec::new(); usize::from(height) + 1]).collect();
        Cores { levels: Vec::new(), attributes: at_least.len(), len: 0, at_least }
    }

    pub(super) fn levels(&self, core: usize) -> &[Level] {
        &self.levels[core * self.attributes..][..self.attributes]
    }

    /// Adds a node, unless there is one above it.
    pub(super) fn add(&mut self, levels: &[Level]) {
        if self.is_below_any(levels) {
            return;
        }
        let (word, bit) = (self.len / 64, self.len % 64);
        for (of, &level) in self.at_least.iter_mut().zip(levels) {
            for (number, words) in of.iter_mut().enumerate() {
                words.resize(word + 1, 0);
                words[word] |= u64::from(number <= usize::from(level)) << bit;
            }
        }
        self.levels.extend_from_slice(levels);
        self.len += 1;
    }

    /// Whether there is a node above the given one, or the same.
    pub(super) fn is_below_any(&self, levels: &[Level]) -> bool {
        self.above(levels).next().is_some()
    }

    /// The nodes that are above the given one, or the same.
    pub(super) fn above<'a>(&'a self, levels: &[Level]) -> impl Iterator<Item = usize> + 'a {
        // All are at least at level 0.
        let raised = self.at_least.iter().zip(levels).filter(|(_, level)| **level > 0);
        let columns: Vec<&[u64]> = raised.map(|(of, &level)| of[usize::from(level)].as_slice()).collect();
        let len = self.len;
        (0..len.div_ceil(64)).flat_map(move |word| {
            let known = if len - word * 64 >= 64 { u64::MAX } else { (1 << (len - word * 64)) - 1 };
            let mut bits = columns.iter().fold(known, |bits, column| bits & column[word]);
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    word * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn above_is_what_comparing_levels_finds() {
        let heights: [Level; 4] = [3, 1, 4, 2];
        let mut random = Random::new(5);
        let mut draw = || heights.map(|height| random.index(usize::from(height) + 1) as Level);
        let mut cores = Cores::new(heights.into_iter());
        let mut all: Vec<[Level; 4]> = Vec::new();
        for _ in 0..12 {
            let levels = draw();
            cores.add(&levels);
            all.push(levels);
        }
        let (mut below, mut not) = (0, 0);
        for _ in 0..200 {
            let node = draw();
            let is_above = |levels: &[Level]| levels.iter().zip(node).all(|(a, b)| *a >= b);
            assert!(cores.above(&node).all(|core| is_above(cores.levels(core))));
            let expected = all.iter().any(|levels| is_above(levels));
            assert_eq!(cores.is_below_any(&node), expected);
            *if expected { &mut below } else { &mut not } += 1;
        }
        assert!(below > 20 && not > 20, "{below} {not}");
    }
}
