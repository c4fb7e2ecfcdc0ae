//! Strongly connected components (Tarjan, *Depth-first search and linear graph algorithms*, 1972).

/// A directed graph whose arcs are listed one by one.
pub(super) trait Digraph {
    /// Number of nodes.
    fn nodes(&self) -> usize;

    /// Where to start with the arcs of any node.
    type Cursor: Copy + Default;

    /// The head of the arc at the cursor, which moves on; none after the last. Heads may repeat.
    fn next_arc(&self, node: u32, cursor: &mut Self::Cursor) -> Option<u32>;
}

/// The component of each node, numbered from 0. Linear in nodes and arcs; keeps its own stack, so
/// long paths do no harm.
pub(super) fn components<G: Digraph>(graph: &G) -> Vec<u32> {
    let mut search = DepthFirst {
        order: vec![UNSEEN; graph.nodes()],
        low: vec![0; graph.nodes()],
        component: vec![UNSEEN; graph.nodes()],
        open: Vec::new(),
        frames: Vec::new(),
        seen: 0,
        components: 0,
    };
    for node in 0..graph.nodes() as u32 {
        if search.order[node as usize] == UNSEEN {
            search.enter(node);
            search.explore(graph);
        }
    }
    search.component
}

const UNSEEN: u32 = u32::MAX;

struct DepthFirst<C> {
    /// When each node was first seen.
    order: Vec<u32>,
    /// The earliest open node that is known to be reachable from each.
    low: Vec<u32>,
    component: Vec<u32>,
    /// Nodes without a component yet, in the order of being seen.
    open: Vec<u32>,
    /// The path to the current node, with the arc that each has come to.
    frames: Vec<(u32, C)>,
    seen: u32,
    components: u32,
}

impl<C: Copy + Default> DepthFirst<C> {
    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.seen;
        self.low[node as usize] = self.seen;
        self.seen += 1;
        self.open.push(node);
        self.frames.push((node, C::default()));
    }

    fn explore<G: Digraph<Cursor = C>>(&mut self, graph: &G) {
        while let Some((node, cursor)) = self.frames.last_mut() {
            let node = *node;
            match graph.next_arc(node, cursor) {
                None => self.leave(node),
                Some(head) if self.order[head as usize] == UNSEEN => self.enter(head),
                Some(head) if self.component[head as usize] == UNSEEN => {
                    let order = self.order[head as usize];
                    self.lower(node, order);
                }
                Some(_) => {}
            }
        }
    }

    fn leave(&mut self, node: u32) {
        self.frames.pop();
        let low = self.low[node as usize];
        if let Some(&(parent, _)) = self.frames.last() {
            self.lower(parent, low);
        }
        if low == self.order[node as usize] {
            self.close(node);
        }
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = to.min(*low);
    }

    /// Makes the open nodes from `first` on a component.
    fn close(&mut self, first: u32) {
        while let Some(node) = self.open.pop() {
            self.component[node as usize] = self.components;
            if node == first {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    struct Lists(Vec<Vec<u32>>);

    impl Digraph for Lists {
        type Cursor = usize;

        fn nodes(&self) -> usize {
            self.0.len()
        }

        fn next_arc(&self, node: u32, cursor: &mut usize) -> Option<u32> {
            *cursor += 1;
            self.0[node as usize].get(*cursor - 1).copied()
        }
    }

    /// Which nodes can be reached from which, by squaring until nothing is new.
    fn reachable(graph: &Lists) -> Vec<Vec<bool>> {
        let n = graph.nodes();
        let mut reach: Vec<Vec<bool>> =
            (0..n).map(|i| (0..n).map(|j| i == j || graph.0[i].contains(&(j as u32))).collect()).collect();
        for via in 0..n {
            for i in 0..n {
                for j in 0..n {
                    reach[i][j] |= reach[i][via] && reach[via][j];
                }
            }
        }
        reach
    }

    #[test]
    fn nodes_that_reach_each_other_share_a_component() {
        let mut random = Random::new(1);
        let mut below = |end: u64| random.below(end);
        for _ in 0..300 {
            let n = 1 + below(12);
            let arcs = below(2 * n + 1);
            let mut graph = Lists(vec![Vec::new(); n as usize]);
            (0..arcs).for_each(|_| graph.0[below(n) as usize].push(below(n) as u32));
            let (of, reach) = (components(&graph), reachable(&graph));
            for i in 0..n as usize {
                for j in 0..n as usize {
                    assert_eq!(of[i] == of[j], reach[i][j] && reach[j][i], "{:?}", graph.0);
                }
            }
        }
    }

    #[test]
    fn a_long_cycle_needs_no_deep_stack() {
        let n = 1_000_000;
        let graph = Lists((0..n).map(|i| vec![(i + 1) % n]).collect());
        assert!(components(&graph).iter().all(|&component| component == 0));
    }
}
