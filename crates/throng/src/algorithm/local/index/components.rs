//! Strongly connected components of a graph that only gains edges.

use crate::run::Stop;
use crate::stop::GoOn;

/// The components of a directed graph, and the edges between them.
pub(in crate::algorithm::local) struct Components {
    /// Union-find: a node's parent, or itself.
    parents: Vec<u32>,
    /// By way and the node that stands for a component: where its edges lead. May hold
    /// repetitions and edges that have become inner ones.
    edges: [Vec<Vec<u32>>; 2],
    /// By way: the search that last met a node.
    met: [Vec<u32>; 2],
    search: u32,
}

/// Along edges, or against them.
const ALONG: usize = 0;
const AGAINST: usize = 1;

/// Nodes between two questions whether to go on.
const ASK: usize = 1 << 13;

impl Components {
    /// The components of a graph, by lists of the heads of each node's edges.
    pub(in crate::algorithm::local) fn new(heads: &[Vec<u32>], go_on: &GoOn<'_>) -> Result<Components, Stop> {
        let none = || vec![Vec::new(); heads.len()];
        let never = || vec![0; heads.len()];
        let mut components = Components {
            parents: strongly_connected(heads, go_on)?,
            edges: [none(), none()],
            met: [never(), never()],
            search: 0,
        };
        for (tail, heads) in heads.iter().enumerate() {
            if tail % ASK == 0 {
                go_on()?;
            }
            heads.iter().for_each(|&head| components.add(tail as u32, head));
        }
        Ok(components)
    }

    /// The node that stands for a node's component.
    pub(in crate::algorithm::local) fn find(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[node as usize];
            self.parents[node as usize] = self.parents[above as usize];
            node = above;
        }
        node
    }

    /// Adds an edge, without a look at the cycles that it closes.
    fn add(&mut self, tail: u32, head: u32) {
        let (from, to) = (self.find(tail), self.find(head));
        if from != to {
            self.edges[ALONG][from as usize].push(to);
            self.edges[AGAINST][to as usize].push(from);
        }
    }

    /// Adds edges to one node and merges the components that they connect strongly.
    pub(in crate::algorithm::local) fn add_all(&mut self, tails: &[u32], head: u32) {
        tails.iter().for_each(|&tail| self.add(tail, head));
        let whole = self.find(head);
        for part in self.cycle(whole) {
            if part == whole {
                continue;
            }
            self.parents[part as usize] = whole;
            for lists in &mut self.edges {
                let moved = std::mem::take(&mut lists[part as usize]);
                lists[whole as usize].extend(moved);
            }
        }
    }

    /// The components that a component reaches and is reached from.
    ///
    /// Both ways are searched by turns until one of them is through, so that the costlier way
    /// costs no more than the cheaper; then the other way, but only among what that one met.
    fn cycle(&mut self, start: u32) -> Vec<u32> {
        self.search += 1;
        let mut reached = [vec![start], vec![start]];
        let (mut next, mut work) = ([0, 0], [0, 0]);
        let through = loop {
            let way = if work[AGAINST] < work[ALONG] { AGAINST } else { ALONG };
            let Some(&node) = reached[way].get(next[way]) else { break way };
            next[way] += 1;
            work[way] += 1 + self.visit(node, way, None, &mut reached[way]);
        };
        let within = self.search;
        self.search += 1;
        let (mut cycle, mut next) = (vec![start], 0);
        while let Some(&node) = cycle.get(next) {
            next += 1;
            self.visit(node, 1 - through, Some(within), &mut cycle);
        }
        cycle
    }

    /// Appends the components one edge away that were not met before; how many edges there are.
    /// `within` is a search the other way, which must have met them.
    fn visit(&mut self, node: u32, way: usize, within: Option<u32>, reached: &mut Vec<u32>) -> usize {
        let mut edges = std::mem::take(&mut self.edges[way][node as usize]);
        edges.iter_mut().for_each(|other| *other = self.find(*other));
        edges.sort_unstable();
        edges.dedup();
        edges.retain(|&other| other != node);
        self.met[way][node as usize] = self.search;
        for &other in &edges {
            let at = other as usize;
            let passes = within.is_none_or(|search| self.met[1 - way][at] == search);
            if passes && self.met[way][at] != self.search {
                self.met[way][at] = self.search;
                reached.push(other);
            }
        }
        let count = edges.len();
        self.edges[way][node as usize] = edges;
        count
    }
}

const NEW: u32 = u32::MAX;

/// For each node one of its component (Tarjan's algorithm, with a stack of its own).
fn strongly_connected(heads: &[Vec<u32>], go_on: &GoOn<'_>) -> Result<Vec<u32>, Stop> {
    let mut tarjan = Tarjan {
        number: vec![NEW; heads.len()],
        low: vec![NEW; heads.len()],
        component: vec![NEW; heads.len()],
        open: Vec::new(),
        path: Vec::new(),
        numbered: 0,
    };
    for node in 0..heads.len() as u32 {
        if tarjan.number[node as usize] == NEW {
            tarjan.explore(heads, node, go_on)?;
        }
    }
    Ok(tarjan.component)
}

struct Tarjan {
    /// When a node was first met.
    number: Vec<u32>,
    /// Least number of an open node that a node is known to reach.
    low: Vec<u32>,
    component: Vec<u32>,
    /// Nodes without a component, in the order they were met.
    open: Vec<u32>,
    /// Nodes from the start to where the search is, each with the edges already followed.
    path: Vec<(u32, usize)>,
    numbered: u32,
}

impl Tarjan {
    fn explore(&mut self, heads: &[Vec<u32>], start: u32, go_on: &GoOn<'_>) -> Result<(), Stop> {
        self.meet(start);
        while let Some((node, followed)) = self.path.last_mut() {
            let node = *node as usize;
            let Some(&head) = heads[node].get(*followed) else {
                self.leave(node);
                if node.is_multiple_of(ASK) {
                    go_on()?;
                }
                continue;
            };
            *followed += 1;
            if self.number[head as usize] == NEW {
                self.meet(head);
            } else if self.component[head as usize] == NEW {
                self.low[node] = self.low[node].min(self.number[head as usize]);
            }
        }
        Ok(())
    }

    fn meet(&mut self, node: u32) {
        self.number[node as usize] = self.numbered;
        self.low[node as usize] = self.numbered;
        self.numbered += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn leave(&mut self, node: usize) {
        self.path.pop();
        if let Some(&(before, _)) = self.path.last() {
            self.low[before as usize] = self.low[before as usize].min(self.low[node]);
        }
        if self.low[node] < self.number[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member as usize] = node as u32;
            if member as usize == node {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NODES: usize = 12;

    /// Which nodes reach which, by Warshall's algorithm.
    fn reaches(heads: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let mut reaches: Vec<Vec<bool>> = (0..NODES)
            .map(|a| (0..NODES).map(|b| a == b || heads[a].contains(&(b as u32))).collect())
            .collect();
        for through in 0..NODES {
            for from in 0..NODES {
                for to in 0..NODES {
                    reaches[from][to] |= reaches[from][through] && reaches[through][to];
                }
            }
        }
        reaches
    }

    fn assert_components(components: &mut Components, heads: &[Vec<u32>]) {
        let reaches = reaches(heads);
        for (a, from_a) in reaches.iter().enumerate() {
            for (b, from_b) in reaches.iter().enumerate() {
                let together = components.find(a as u32) == components.find(b as u32);
                assert_eq!(together, from_a[b] && from_b[a], "{a} {b}");
            }
        }
    }

    proptest! {
        #[test]
        fn components_follow_the_edges(
            edges in prop::collection::vec((0..NODES, 0..NODES as u32), 0..14),
            added in prop::collection::vec((prop::collection::vec(0..NODES as u32, 1..3), 0..NODES as u32), 0..12),
        ) {
            let mut heads = vec![Vec::new(); NODES];
            edges.iter().for_each(|&(tail, head)| heads[tail].push(head));
            let mut components = Components::new(&heads, &|| Ok(())).unwrap();
            assert_components(&mut components, &heads);
            for (tails, head) in added {
                tails.iter().for_each(|&tail| heads[tail as usize].push(head));
                components.add_all(&tails, head);
                assert_components(&mut components, &heads);
            }
        }
    }
}
