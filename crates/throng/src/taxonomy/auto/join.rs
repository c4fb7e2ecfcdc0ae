//! Puts the strands of a column under one root, with labels that tell all values apart.

use rustc_hash::FxHashMap;

use super::ladder::{Ladder, LeafPartition};
use crate::taxonomy::{ANY, Taxonomy, TaxonomyError, TreeBuilder};

/// The hierarchy over all strands, and over `*` and the missing value, if these occur.
///
/// A strand with fewer levels than another reaches its coarsest groups earlier and keeps them.
pub(super) fn join(values: &[&str], ladders: &[Ladder]) -> Result<Taxonomy, TaxonomyError> {
    let mut leaves: Vec<&str> = ladders.iter().flat_map(|l| &l.leaves).map(|&value| values[value]).collect();
    leaves.extend([ANY, ""].into_iter().filter(|value| values.contains(value)));
    let mut tree = TreeBuilder::leaves(leaves.iter().copied());
    let height = ladders.iter().map(|ladder| ladder.levels.len()).max().unwrap_or(0);
    let mut labels = JoinedLabels::new(&leaves);
    for level in 0..height {
        let mut start = 0;
        for ladder in ladders {
            if let Some(level) = ladder.levels.get(level) {
                labels.climb(start, level);
            }
            start += ladder.leaves.len();
        }
        tree.push_level(labels.current.iter().map(|&id| labels.texts[id as usize].as_str()))?;
    }
    tree.push_top();
    Ok(place(tree.finish(), ladders))
}

/// Gives leaves their places on the line that their strand has, if there is but one strand.
fn place(taxonomy: Taxonomy, ladders: &[Ladder]) -> Taxonomy {
    let [Ladder { positions: Some(line), .. }] = ladders else {
        return taxonomy;
    };
    let mut positions: Vec<Option<f64>> = line.iter().map(|&x| Some(x)).collect();
    positions.resize(taxonomy.leaf_total(), None);
    taxonomy.with_positions(&positions)
}

/// The label of each leaf at the level at hand; no two values have the same.
struct JoinedLabels {
    texts: Vec<String>,
    /// The label of each leaf.
    current: Vec<u32>,
    /// For each label, a leaf that it covers.
    used: FxHashMap<String, usize>,
}

impl JoinedLabels {
    fn new(leaves: &[&str]) -> JoinedLabels {
        let texts: Vec<String> = leaves.iter().map(|leaf| (*leaf).to_owned()).collect();
        let used = texts.iter().cloned().zip(0..).collect();
        JoinedLabels { texts, current: (0..leaves.len() as u32).collect(), used }
    }

    /// Takes a strand, whose leaves begin at `start`, up to its next level.
    fn climb(&mut self, start: usize, level: &LeafPartition) {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); level.size()];
        for (at, &group) in level.groups.iter().enumerate() {
            members[group as usize].push(start + at);
        }
        for (members, label) in members.iter().zip(&level.labels) {
            let id = self.claim(label, members);
            members.iter().for_each(|&leaf| self.current[leaf] = id);
        }
    }

    /// A label for these leaves: the one wanted, unless it means something else already.
    ///
    /// A label may pass from a value to a coarser one (`3` to the range of `3` and `3.0`).
    fn claim(&mut self, wanted: &str, members: &[usize]) -> u32 {
        let free = |label: &str| match self.used.get(label) {
            Some(leaf) => members.binary_search(leaf).is_ok(),
            None => true,
        };
        let free = |label: &str| label != ANY && free(label);
        let label = match free(wanted) {
            true => wanted.to_owned(),
            false => {
                let other = (2..).map(|number| format!("{wanted} ({number})")).find(|label| free(label));
                other.expect("there is always a further number")
            }
        };
        self.used.insert(label.clone(), members[0]);
        self.texts.push(label);
        self.texts.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::tests::{assert_topped, level_labels};

    fn ladder(leaves: &[usize], levels: &[&[&str]]) -> Ladder {
        let level = |labels: &&[&str]| {
            LeafPartition::of_labels(labels.iter().map(|label| (*label).to_owned()).collect())
        };
        Ladder { leaves: leaves.to_vec(), levels: levels.iter().map(level).collect(), positions: None }
    }

    #[test]
    fn a_short_strand_keeps_its_top() {
        let values = ["1", "", "2", "x", "y"];
        let strands =
            [ladder(&[0, 2], &[&["<2", ">=2"], &["<9", "<9"]]), ladder(&[3, 4], &[&["{x, y}", "{x, y}"]])];
        let taxonomy = join(&values, &strands).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 2), ["<9", "<9", "{x, y}", "{x, y}", ""]);
    }

    #[test]
    fn labels_never_mean_two_things() {
        let values = ["1", "2", "<9", "a"];
        let strands = [ladder(&[0, 1], &[&["<9", "<9"]]), ladder(&[2, 3], &[&["*", "*"]])];
        let taxonomy = join(&values, &strands).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 1), ["<9 (2)", "<9 (2)", "* (2)", "* (2)"]);
    }

    #[test]
    fn what_says_nothing_stays_by_itself() {
        let values = ["", "a", "*", "b"];
        let taxonomy = join(&values, &[ladder(&[1, 3], &[&["{a, b}", "{a, b}"]])]).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 0), ["a", "b", "*", ""]);
        assert_eq!(level_labels(&taxonomy, 1), ["{a, b}", "{a, b}", "*", ""]);
        assert_eq!(taxonomy.generalise(2, 1), 2);
    }

    #[test]
    fn a_label_may_pass_on() {
        let taxonomy = join(&["3", "3.0", "4"], &[ladder(&[0, 1, 2], &[&["3", "3", "4"]])]).unwrap();
        assert_topped(&taxonomy);
        assert_eq!(level_labels(&taxonomy, 1), ["3", "3", "4"]);
    }

    #[test]
    fn nothing_but_missing_values_is_a_column_too() {
        let taxonomy = join(&[""], &[]).unwrap();
        assert_topped(&taxonomy);
        assert_eq!((taxonomy.height(), taxonomy.missing()), (1, Some(0)));
    }
}
