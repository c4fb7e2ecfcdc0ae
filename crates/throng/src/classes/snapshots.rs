//! Nodes from which many of the latest looks could have started.
//!
//! A look takes as long as it has classes to start with. Searches look at thousands of nodes that have much in common:
//! the classes of a few nodes below many of them are worth having.

use super::LevelCodes;
use crate::lattice::Node;

/// Nodes between two plans; the first plans come earlier.
const FIRST: usize = 32;
const MOST: usize = 256;

/// Groups of nodes that a plan tells apart.
const GROUPS: usize = 4;

/// A plan has a node for one in so many of a group, the next of them above the one before.
const PARTS: [usize; 3] = [2, 4, 8];

/// Losing no node is not worth more than losing this share.
const LITTLE: f64 = 0.02;

/// The latest nodes that were looked at from far below.
#[derive(Default)]
pub(super) struct NodeSnapshots {
    nodes: Vec<Node>,
    plans: u32,
}

impl NodeSnapshots {
    /// Takes note of a node; now and then, the nodes whose classes are worth having.
    pub(super) fn note(&mut self, node: Node, codes: &LevelCodes) -> Vec<Node> {
        self.nodes.push(node);
        if self.nodes.len() < MOST.min(FIRST << self.plans.min(8)) {
            return Vec::new();
        }
        self.plans += 1;
        plan(&std::mem::take(&mut self.nodes), codes)
    }
}

fn plan(nodes: &[Node], codes: &LevelCodes) -> Vec<Node> {
    let mut left: Vec<&Node> = nodes.iter().collect();
    let mut planned = Vec::new();
    for _ in 0..GROUPS {
        let mut group = left.clone();
        let mut milestone = Node::new(vec![0; codes.attributes()]);
        let first = planned.len();
        for part in PARTS {
            milestone = rise(milestone, &mut group, (left.len() / part).max(1), codes);
            planned.push(milestone.clone());
        }
        left.retain(|node| !planned[first].is_below_or_equal(node));
        if left.len() < FIRST {
            break;
        }
    }
    planned
}

/// Raises a node as long as so many of a group stay above it, by the step that gains most for those that it loses.
fn rise(mut milestone: Node, group: &mut Vec<&Node>, least: usize, codes: &LevelCodes) -> Node {
    loop {
        let worth = |a: usize| {
            let level = milestone.level(a);
            let left = group.iter().filter(|node| node.level(a) > level).count();
            let bits = |level: usize| (codes.values(a, level).len() as f64).log2();
            let lost = 1.0 - left as f64 / group.len() as f64;
            (left >= least).then(|| ((bits(level) - bits(level + 1)) / (lost + LITTLE), a))
        };
        let best =
            (0..codes.attributes()).filter_map(worth).max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
        let Some((_, a)) = best else { return milestone };
        milestone = milestone.with(a, milestone.level(a) + 1);
        group.retain(|node| node.level(a) >= milestone.level(a));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::large_problem;
    use super::*;

    #[test]
    fn many_nodes_are_above_each_milestone() {
        let codes = LevelCodes::new(&large_problem());
        let mut milestones = NodeSnapshots::default();
        let node = |at: usize| Node::new(if at.is_multiple_of(3) { vec![3, 0] } else { vec![1, 2] });
        let plans: Vec<Vec<Node>> = (0..FIRST).map(|at| milestones.note(node(at), &codes)).collect();
        let (last, before) = plans.split_last().unwrap();
        assert!(before.iter().all(Vec::is_empty));
        assert_eq!(last[0], node(1));
        assert!(last.iter().all(|planned| planned.is_below_or_equal(&node(0)) || *planned == node(1)));
        assert!(milestones.note(node(0), &codes).is_empty());
    }
}
