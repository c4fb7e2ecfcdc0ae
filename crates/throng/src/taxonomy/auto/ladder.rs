//! The levels of one strand.

/// Some values of a column in the order of their leaves, and coarser and coarser groups of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ladder {
    /// Indices of the values.
    pub(super) leaves: Vec<usize>,
    /// The finest first; each is a coarsening of the one before.
    pub(super) levels: Vec<LeafPartition>,
    /// Where each leaf lies on a line, if the strand has one that its text does not show.
    pub(super) positions: Option<Vec<f64>>,
}

/// A partition of the leaves.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeafPartition {
    /// The group of each leaf; groups are 0, 1, … and none is empty.
    pub(super) groups: Vec<u32>,
    /// The label of each group.
    pub(super) labels: Vec<String>,
}

impl LeafPartition {
    /// The groups of leaves that have equal labels, in order of appearance.
    pub(super) fn of_labels(labels: Vec<String>) -> LeafPartition {
        let mut id_of = rustc_hash::FxHashMap::default();
        let mut level = LeafPartition { groups: Vec::with_capacity(labels.len()), labels: Vec::new() };
        for label in labels {
            let group = *id_of.entry(label.clone()).or_insert(level.labels.len() as u32);
            if group as usize == level.labels.len() {
                level.labels.push(label);
            }
            level.groups.push(group);
        }
        level
    }

    /// Number of groups.
    pub(super) fn size(&self) -> usize {
        self.labels.len()
    }
}

/// Which of some partitions make good levels: at most `max_levels`, each with at most three quarters
/// of the groups of the one below, and none of a single group.
///
/// `sizes` are the numbers of groups, the finest partition first, over so many leaves. If there are
/// too many, those are taken whose sizes shrink most evenly.
pub(super) fn choose(sizes: &[usize], leaves: usize, max_levels: usize) -> Vec<usize> {
    let mut fit: Vec<usize> = Vec::new();
    for (at, &size) in sizes.iter().enumerate() {
        let below = fit.last().map_or(leaves, |&last| sizes[last]);
        // A level that merges hardly anything only makes the lattice taller.
        if size > 1 && 4 * size <= 3 * below {
            fit.push(at);
        }
    }
    if fit.len() <= max_levels {
        return fit;
    }
    let targets = (1..=max_levels).map(|rung| {
        let share = 1.0 - rung as f64 / (max_levels + 1) as f64;
        (leaves as f64).ln() * share
    });
    let mut chosen: Vec<usize> = Vec::new();
    for target in targets {
        let off = |at: usize| ((sizes[at] as f64).ln() - target).abs();
        let after = chosen.last().map_or(0, |&last| last + 1);
        let nearest =
            fit.iter().copied().filter(|&at| at >= after).min_by(|&a, &b| off(a).total_cmp(&off(b)));
        chosen.extend(nearest);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_labels_are_one_group() {
        let level = LeafPartition::of_labels(["b", "a", "b"].map(String::from).to_vec());
        assert_eq!((level.groups.clone(), level.size()), (vec![0, 1, 0], 2));
        assert_eq!(level.labels, ["b", "a"]);
    }

    #[test]
    fn levels_that_merge_nothing_or_everything_are_left_out() {
        assert_eq!(choose(&[10, 10, 6, 6, 2, 1], 10, 5), [2, 4]);
        assert_eq!(choose(&[95, 76, 75], 100, 5), [2]);
        assert_eq!(choose(&[2], 2, 5), []);
        assert_eq!(choose(&[], 2, 5), []);
    }

    #[test]
    fn too_many_levels_are_thinned_out_evenly() {
        let sizes: Vec<usize> = (1..10).rev().map(|power| 1 << power).collect();
        let chosen = choose(&sizes, 1024, 2);
        // About 1024^(2/3) and 1024^(1/3) groups.
        assert_eq!(chosen.iter().map(|&at| sizes[at]).collect::<Vec<_>>(), [128, 8]);
        assert_eq!(choose(&sizes, 1024, 0), []);
        assert_eq!(choose(&sizes, 1024, 9).len(), 9);
        for most in 0..9 {
            let chosen = choose(&sizes, 1024, most);
            assert!(chosen.len() <= most && chosen.is_sorted_by(|a, b| a < b));
        }
    }
}
