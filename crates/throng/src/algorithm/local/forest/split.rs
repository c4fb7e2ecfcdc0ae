//! The second half of the forest algorithm: trees that are too large become classes.

use std::cmp::Reverse;

use super::ASK;
use crate::run::{Run, Stop};

/// The classes of a forest.
pub(super) fn split(
    weights: &[u32],
    k: u64,
    edges: &[(u32, u32)],
    run: &Run<'_>,
) -> Result<Vec<Vec<u32>>, Stop> {
    let mut forest = Rooted::new(weights, k, edges, run)?;
    let mut ask = 0;
    while let Some(root) = forest.roots.pop() {
        if u32::is_multiple_of(ask, ASK) {
            run.go_on()?;
        }
        ask += 1;
        forest.split_tree(root);
    }
    Ok(forest.classes)
}

/// A forest with a root for each tree, in the course of being split.
struct Rooted {
    k: u64,
    weights: Vec<u64>,
    parents: Vec<u32>,
    children: Vec<Vec<u32>>,
    /// Rows of the subtree of each vertex.
    rows: Vec<u64>,
    /// Roots of the trees that are still to be looked at.
    roots: Vec<u32>,
    classes: Vec<Vec<u32>>,
}

impl Rooted {
    /// Each tree has its smallest vertex as its root.
    fn new(weights: &[u32], k: u64, edges: &[(u32, u32)], run: &Run<'_>) -> Result<Rooted, Stop> {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); weights.len()];
        for &(a, b) in edges {
            around[a as usize].push(b);
            around[b as usize].push(a);
        }
        let weights: Vec<u64> = weights.iter().map(|&weight| u64::from(weight)).collect();
        let mut parents = vec![u32::MAX; weights.len()];
        let mut rows = weights.clone();
        let mut roots = Vec::new();
        run.go_on()?;
        for root in 0..weights.len() as u32 {
            if root.is_multiple_of(ASK) {
                run.go_on()?;
            }
            if parents[root as usize] != u32::MAX {
                continue;
            }
            roots.push(root);
            parents[root as usize] = root;
            let order = descend(root, &mut around, &mut parents);
            for &vertex in order[1..].iter().rev() {
                rows[parents[vertex as usize] as usize] += rows[vertex as usize];
            }
        }
        Ok(Rooted { k, weights, parents, children: around, rows, roots, classes: Vec::new() })
    }

    fn most_rows(&self) -> u64 {
        (2 * self.k - 1).max((3 * self.k).saturating_sub(5))
    }

    /// Takes parts off a tree until the rest is small enough.
    fn split_tree(&mut self, root: u32) {
        let mut vertex = root;
        while self.rows[root as usize] > self.most_rows() {
            let rows = self.rows[root as usize];
            match self.largest_child(vertex) {
                Some((child, below)) if rows - below < self.k => vertex = child,
                Some((child, below)) if below >= self.k => self.detach(child),
                _ => return self.divide(root, vertex),
            }
        }
        self.emit(&[root]);
    }

    /// The child with the most rows below it, and these.
    fn largest_child(&self, vertex: u32) -> Option<(u32, u64)> {
        let children = self.children[vertex as usize].iter().copied();
        let largest = children.max_by_key(|&child| (self.rows[child as usize], Reverse(child)))?;
        Some((largest, self.rows[largest as usize]))
    }

    /// The fewest first branches with at least so many rows together: how many, and their rows.
    fn prefix(&self, branches: &[u32], least: u64) -> Option<(usize, u64)> {
        let sums = branches.iter().scan(0, |sum, &by| {
            *sum += self.rows[by as usize];
            Some(*sum)
        });
        std::iter::once(0).chain(sums).enumerate().find(|&(_, rows)| rows >= least)
    }

    /// Makes a subtree a tree of its own, to be looked at later.
    fn detach(&mut self, vertex: u32) {
        let rows = self.rows[vertex as usize];
        let mut at = vertex;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
            self.rows[at as usize] -= rows;
        }
        let parent = self.parents[vertex as usize];
        self.children[parent as usize].retain(|&child| child != vertex);
        self.parents[vertex as usize] = vertex;
        self.roots.push(vertex);
    }

    /// Divides a tree at a vertex all of whose branches have fewer than k rows.
    ///
    /// The first branches that have k rows together, largest first, become a class as long as the
    /// rest is too large and keeps k rows; the vertex stays with the rest. When it would not, the
    /// vertex goes with the first branches that have k rows with it, and if that is not possible
    /// either, all is one class.
    fn divide(&mut self, root: u32, vertex: u32) {
        self.turn(root, vertex);
        let mut branches = std::mem::take(&mut self.children[vertex as usize]);
        branches.sort_unstable_by_key(|&by| (Reverse(self.rows[by as usize]), by));
        let mut branches = &branches[..];
        let mut total = self.rows[vertex as usize];
        while total > self.most_rows() {
            let Some((count, rows)) = self.prefix(branches, self.k) else { break };
            if total - rows < self.k {
                break;
            }
            self.emit(&branches[..count]);
            branches = &branches[count..];
            total -= rows;
        }
        let own = self.weights[vertex as usize];
        let with = self.prefix(branches, self.k.saturating_sub(own));
        if let Some((count, rows)) = with.filter(|_| total > self.most_rows())
            && total - rows - own >= self.k
        {
            self.emit(&branches[count..]);
            branches = &branches[..count];
        }
        self.emit(&[&[vertex], branches].concat());
    }

    /// Makes another vertex of a tree its root.
    fn turn(&mut self, root: u32, vertex: u32) {
        let mut path = vec![vertex];
        while *path.last().expect("not empty") != root {
            path.push(self.parents[*path.last().expect("not empty") as usize]);
        }
        for pair in path.windows(2).rev() {
            let (below, above) = (pair[0], pair[1]);
            let total = self.rows[above as usize];
            self.children[above as usize].retain(|&child| child != below);
            self.rows[above as usize] = total - self.rows[below as usize];
            self.children[below as usize].push(above);
            self.parents[above as usize] = below;
            self.rows[below as usize] = total;
        }
        self.parents[vertex as usize] = vertex;
    }

    /// Makes the vertices of subtrees a class.
    fn emit(&mut self, tops: &[u32]) {
        let mut class = tops.to_vec();
        let mut next = 0;
        while next < class.len() {
            class.extend(&self.children[class[next] as usize]);
            next += 1;
        }
        class.sort_unstable();
        self.classes.push(class);
    }
}

/// The vertices of a tree from its root down; takes each vertex's parent off its neighbours.
pub(super) fn descend(root: u32, around: &mut [Vec<u32>], parents: &mut [u32]) -> Vec<u32> {
    let mut order = vec![root];
    let mut next = 0;
    while next < order.len() {
        let vertex = order[next];
        let parent = parents[vertex as usize];
        around[vertex as usize].retain(|&other| other != parent);
        for &child in &around[vertex as usize] {
            parents[child as usize] = vertex;
            order.push(child);
        }
        next += 1;
    }
    order
}
