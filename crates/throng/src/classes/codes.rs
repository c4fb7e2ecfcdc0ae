//! Dense codes of the values of each level.

use crate::problem::Problem;
use crate::taxonomy::{Taxonomy, ValueId};

/// For each attribute, the values of every level numbered from 0, and how they map upwards.
///
/// One level above the hierarchy's own *drops* the attribute: it has a single code, the root.
/// Classes with some attributes dropped are the classes over the others.
pub(crate) struct LevelCodes {
    attributes: Vec<AttributeCodes>,
    rows: u64,
}

struct AttributeCodes {
    /// `values[level][code]`: the generalised value.
    values: Vec<Vec<ValueId>>,
    /// `up[from][to - from][code]`: the code at `to` of a code at `from`.
    up: Vec<Vec<Vec<u32>>>,
}

impl LevelCodes {
    pub(crate) fn new(problem: &Problem) -> LevelCodes {
        let attributes = problem.attributes().iter().map(|a| AttributeCodes::new(&a.taxonomy));
        LevelCodes { attributes: attributes.collect(), rows: problem.table().rows() }
    }

    /// Whether 32 bits can say the rows of any class of the table.
    pub(super) fn rows_are_few(&self) -> bool {
        self.rows <= u64::from(u32::MAX)
    }

    pub(crate) fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// The generalised value of each code at a level.
    pub(crate) fn values(&self, attribute: usize, level: usize) -> &[ValueId] {
        &self.attributes[attribute].values[level]
    }

    /// The code at level `to` of each code at level `from`, where `from ≤ to`.
    pub(crate) fn map(&self, attribute: usize, from: usize, to: usize) -> &[u32] {
        &self.attributes[attribute].up[from][to - from]
    }
}

impl AttributeCodes {
    fn new(taxonomy: &Taxonomy) -> AttributeCodes {
        let levels = taxonomy.height() + 2;
        let dropped = vec![taxonomy.root(); taxonomy.leaf_total()];
        // The code of each leaf at each level, numbered by first occurrence among the leaves;
        // at level 0 the code of a leaf is the leaf.
        let mut values: Vec<Vec<ValueId>> = Vec::with_capacity(levels);
        let mut leaf_codes: Vec<Vec<u32>> = Vec::with_capacity(levels);
        for level in 0..levels {
            let mut code_of = vec![u32::MAX; taxonomy.values().len()];
            let mut of_level = Vec::new();
            let at_level = if level + 1 < levels { taxonomy.level_values(level) } else { &dropped };
            let codes = at_level.iter().map(|&value| {
                let code = &mut code_of[value as usize];
                if *code == u32::MAX {
                    *code = of_level.len() as u32;
                    of_level.push(value);
                }
                *code
            });
            leaf_codes.push(codes.collect());
            values.push(of_level);
        }
        let up = (0..levels)
            .map(|from| (from..levels).map(|to| map_between(&leaf_codes, &values, from, to)).collect())
            .collect();
        AttributeCodes { values, up }
    }
}

fn map_between(leaf_codes: &[Vec<u32>], values: &[Vec<ValueId>], from: usize, to: usize) -> Vec<u32> {
    let mut map = vec![0; values[from].len()];
    for (&low, &high) in leaf_codes[from].iter().zip(&leaf_codes[to]) {
        map[low as usize] = high;
    }
    map
}
