//! Algorithms 1 to 6 of *k-Anonymization Revisited* and the forest algorithm, word by word over records.
//!
//! A value is a set of original values (a mask of bits), an attribute its collection of permissible sets, and a closure
//! the least of them that has all that it must. Nothing here is shared with the searches.

use std::cell::Cell;
use std::cmp::Ordering;

/// An original record: the number of a value for each attribute.
pub(super) type Record = Vec<usize>;
/// A generalised record: a set of values for each attribute.
pub(super) type Generalised = Vec<u32>;

/// Ā_j of the paper, and how many records have each value.
pub(super) struct Attribute {
    pub(super) permissible: Vec<u32>,
    pub(super) counts: Vec<usize>,
}

impl Attribute {
    fn closure(&self, of: u32) -> u32 {
        let covers = |set: &&u32| **set & of == of;
        *self
            .permissible
            .iter()
            .filter(covers)
            .min_by_key(|set| set.count_ones())
            .expect("the whole set is one")
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cost {
    Lm,
    Entropy,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Distance {
    One,
    Two,
    Three,
    Four(f64),
    NergizClifton,
}

/// D of the paper, with its measure.
pub(super) struct Table {
    pub(super) attributes: Vec<Attribute>,
    pub(super) records: Vec<Record>,
    pub(super) cost: Cost,
    /// Whether something was decided between what is the same but for rounding.
    pub(super) rounding_decided: Cell<bool>,
}

const ROUNDING: f64 = 1e-9;

impl Table {
    pub(super) fn ids(&self) -> std::ops::Range<usize> {
        0..self.records.len()
    }

    fn closure(&self, of: &Generalised) -> Generalised {
        self.attributes.iter().zip(of).map(|(attribute, &set)| attribute.closure(set)).collect()
    }

    pub(super) fn single(&self, record: usize) -> Generalised {
        self.closure(&self.records[record].iter().map(|&value| 1 << value).collect())
    }

    /// The closure of some records.
    fn closure_of(&self, records: &[usize]) -> Generalised {
        let together = |a: usize| records.iter().fold(0, |set, &record| set | 1 << self.records[record][a]);
        self.closure(&(0..self.attributes.len()).map(together).collect())
    }

    /// R + R̄.
    pub(super) fn plus(&self, record: usize, generalised: &Generalised) -> Generalised {
        let with = |(value, set): (&usize, &u32)| set | 1 << value;
        self.closure(&self.records[record].iter().zip(generalised).map(with).collect())
    }

    pub(super) fn consistent(&self, record: usize, generalised: &Generalised) -> bool {
        self.records[record].iter().zip(generalised).all(|(value, set)| set >> value & 1 == 1)
    }

    /// c(R̄): equation 3 or 4 for one record.
    pub(super) fn c(&self, generalised: &Generalised) -> f64 {
        let r = self.attributes.len() as f64;
        self.attributes.iter().zip(generalised).map(|(attribute, &set)| self.cell(attribute, set) / r).sum()
    }

    fn cell(&self, attribute: &Attribute, set: u32) -> f64 {
        let members = || (0..attribute.counts.len()).filter(move |value| set >> value & 1 == 1);
        match self.cost {
            Cost::Lm => f64::from(set.count_ones() - 1) / (attribute.counts.len() as f64 - 1.0),
            Cost::Entropy => {
                let all = members().map(|value| attribute.counts[value]).sum::<usize>() as f64;
                let shares = members().map(|value| attribute.counts[value] as f64 / all);
                shares.filter(|&p| p > 0.0).map(|p| -p * p.log2()).sum()
            }
        }
    }

    /// d(S).
    fn d(&self, records: &[usize]) -> f64 {
        self.c(&self.closure_of(records))
    }

    /// Π(D, g(D)).
    pub(super) fn loss(&self, released: &[Generalised]) -> f64 {
        released.iter().map(|record| self.c(record)).sum::<f64>() / released.len() as f64
    }

    /// The first of the least by value and then by rule; `of` has all candidates.
    pub(super) fn least<K: Ord + Clone>(&self, of: impl Iterator<Item = (f64, K)>) -> K {
        self.first(of.collect(), 1).remove(0)
    }

    /// The least so many, in order.
    fn first<K: Ord + Clone>(&self, mut of: Vec<(f64, K)>, count: usize) -> Vec<K> {
        of.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        for pair in of.windows(2) {
            let near = pair[1].0 - pair[0].0;
            let decides = near > 0.0 && near < ROUNDING;
            self.rounding_decided.set(self.rounding_decided.get() || decides);
        }
        of.into_iter().take(count).map(|(_, key)| key).collect()
    }

    /// dist(A, B) by equations 8 to 11; of the asymmetric distance d(A ∪ B) − d(B).
    fn dist(&self, distance: Distance, a: &[usize], b: &[usize]) -> f64 {
        let mut union = [a, b].concat();
        union.sort_unstable();
        union.dedup();
        let (da, db, du, size) = (self.d(a), self.d(b), self.d(&union), union.len() as f64);
        match distance {
            Distance::One => size * du - a.len() as f64 * da - b.len() as f64 * db,
            Distance::Two => du - da - db,
            Distance::Three => (du - da - db) / size.ln(),
            Distance::Four(epsilon) => du / (da + db + epsilon),
            Distance::NergizClifton => du - db,
        }
    }

    /// Between two clusters that may be merged: of the asymmetric distance the lesser direction.
    fn between(&self, distance: Distance, a: &[usize], b: &[usize]) -> f64 {
        self.dist(distance, a, b).min(self.dist(distance, b, a))
    }

    /// Algorithm 1, with `modified` Algorithm 2. The closest pair is the one whose newer cluster came first.
    pub(super) fn agglomerative(&self, k: usize, distance: Distance, modified: bool) -> Vec<Generalised> {
        // γ̂ and γ; clusters in the order in which they came to be.
        let mut open: Vec<(usize, Vec<usize>)> = self.ids().map(|record| (record, vec![record])).collect();
        let (mut done, mut next): (Vec<Vec<usize>>, usize) = (Vec::new(), open.len());
        while open.len() > 1 {
            let pairs = (0..open.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
            let (j, i) =
                self.least(pairs.map(|(i, j)| (self.between(distance, &open[i].1, &open[j].1), (j, i))));
            let newer = open.remove(j).1;
            let mut merged = open.remove(i).1;
            merged.extend(newer);
            merged.sort_unstable();
            let number = next;
            next += 1;
            if merged.len() < k {
                open.push((number, merged));
                continue;
            }
            while modified && merged.len() > k {
                let rest = |at: usize| -> Vec<usize> {
                    let others = (0..merged.len()).filter(|&other| other != at);
                    others.map(|other| merged[other]).collect()
                };
                let farthest = (0..merged.len()).map(|at| (-self.dist(distance, &merged, &rest(at)), at));
                let removed = merged.remove(self.least(farthest));
                open.push((next, vec![removed]));
                next += 1;
            }
            done.push(merged);
        }
        for (_, left) in open {
            for record in left {
                let clusters = (0..done.len()).map(|at| (self.dist(distance, &[record], &done[at]), at));
                let nearest = self.least(clusters);
                done[nearest].push(record);
            }
        }
        self.released(&done)
    }

    /// Every record replaced by the closure of its cluster.
    fn released(&self, clusters: &[Vec<usize>]) -> Vec<Generalised> {
        let mut released = vec![Vec::new(); self.records.len()];
        for cluster in clusters {
            cluster.iter().for_each(|&record| released[record] = self.closure_of(cluster));
        }
        released
    }

    /// What the optimal (k,1)-anonymisation loses, by all sets of k − 1 other records.
    pub(super) fn optimum(&self, k: usize) -> f64 {
        let sets: Vec<Vec<usize>> = (0..1usize << self.records.len())
            .filter(|set| set.count_ones() as usize == k)
            .map(|set| self.ids().filter(|record| set >> record & 1 == 1).collect())
            .collect();
        let costs: Vec<f64> = sets.iter().map(|set| self.d(set)).collect();
        let least = |record: usize| {
            let around = sets.iter().zip(&costs).filter(|(set, _)| set.contains(&record));
            around.map(|(_, &cost)| cost).fold(f64::INFINITY, f64::min)
        };
        self.ids().map(least).sum::<f64>() / self.records.len() as f64
    }

    /// Algorithm 3.
    pub(super) fn nearest(&self, k: usize) -> Vec<Generalised> {
        let release = |i: usize| {
            let others = self.ids().filter(|&j| j != i).map(|j| (self.d(&[i, j]), j));
            let mut set = self.first(others.collect(), k - 1);
            set.push(i);
            self.closure_of(&set)
        };
        self.ids().map(release).collect()
    }

    /// Algorithm 4; of records that add the same, those that the closure has already come first.
    pub(super) fn expansion(&self, k: usize) -> Vec<Generalised> {
        let release = |i: usize| {
            let mut set = vec![i];
            while set.len() < k {
                let (before, closure) = (self.d(&set), self.closure_of(&set));
                let with = |j: usize| self.d(&[&set[..], &[j]].concat()) - before;
                let outside = self.ids().filter(|j| !set.contains(j));
                let next = outside.map(|j| (with(j), (!self.consistent(j, &closure), j)));
                let joins = self.least(next).1;
                set.push(joins);
            }
            self.closure_of(&set)
        };
        self.ids().map(release).collect()
    }

    /// Algorithm 5.
    pub(super) fn one_k(&self, k: usize, mut released: Vec<Generalised>) -> Vec<Generalised> {
        for i in self.ids() {
            let reached = self.ids().filter(|&j| self.consistent(i, &released[j])).count();
            if reached < k {
                let others = self.ids().filter(|&j| !self.consistent(i, &released[j]));
                let growth = |j: usize| self.c(&self.plus(i, &released[j])) - self.c(&released[j]);
                for j in self.first(others.map(|j| (growth(j), j)).collect(), k - reached) {
                    released[j] = self.plus(i, &released[j]);
                }
            }
        }
        released
    }

    /// Algorithm 6, and how many steps each record took.
    pub(super) fn global(&self, k: usize, mut released: Vec<Generalised>) -> (Vec<Generalised>, Vec<usize>) {
        let mut steps = vec![0; self.records.len()];
        for i in self.ids() {
            let neighbours: Vec<usize> = self.ids().filter(|&j| self.consistent(i, &released[j])).collect();
            loop {
                let (matches, others): (Vec<usize>, Vec<usize>) =
                    neighbours.iter().partition(|&&j| self.is_match(&released, i, j));
                if matches.len() >= k {
                    break;
                }
                let growth = |h: usize| self.c(&self.plus(h, &released[i])) - self.c(&released[i]);
                let h = self.least(others.into_iter().map(|h| (growth(h), h)));
                released[i] = self.plus(h, &released[i]);
                steps[i] += 1;
            }
        }
        (released, steps)
    }

    /// Definition 4.6: the edge may be completed to a perfect matching.
    pub(super) fn is_match(&self, released: &[Generalised], i: usize, j: usize) -> bool {
        let mut partner = vec![None; released.len()];
        let mut others = self.ids().filter(|&record| record != i);
        others.all(|record| self.place(released, record, j, &mut vec![false; released.len()], &mut partner))
    }

    fn place(
        &self,
        released: &[Generalised],
        record: usize,
        taken: usize,
        tried: &mut Vec<bool>,
        partner: &mut Vec<Option<usize>>,
    ) -> bool {
        for j in (0..released.len()).filter(|&j| j != taken) {
            if tried[j] || !self.consistent(record, &released[j]) {
                continue;
            }
            tried[j] = true;
            if partner[j].is_none_or(|other| self.place(released, other, taken, tried, partner)) {
                partner[j] = Some(record);
                return true;
            }
        }
        false
    }

    /// The forest algorithm: trees by the invariant of one edge out of each vertex, then parts of k to
    /// max(2k − 1, 3k − 5) records.
    pub(super) fn forest(&self, k: usize) -> Vec<Generalised> {
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for record in self.ids() {
            loop {
                let tree = component(&edges, record, &[]);
                if tree.len() >= k {
                    break;
                }
                let u = *tree
                    .iter()
                    .find(|&&u| edges.iter().all(|edge| edge.0 != u))
                    .expect("one has no edge out");
                let outside = self.ids().filter(|v| !tree.contains(v));
                edges.push((u, self.least(outside.map(|v| (self.d(&[u, v]), v)))));
            }
        }
        let mut parts = Vec::new();
        for record in self.ids() {
            let tree = component(&edges, record, &[]);
            if tree.iter().min() == Some(&record) {
                decompose(&edges, tree, record, k, &mut parts);
            }
        }
        self.released(&parts)
    }
}

/// What a vertex is linked with when others are taken away.
fn component(edges: &[(usize, usize)], start: usize, without: &[usize]) -> Vec<usize> {
    let mut found = vec![start];
    let mut next = 0;
    while let Some(&vertex) = found.get(next) {
        for &(a, b) in edges {
            for (one, other) in [(a, b), (b, a)] {
                if one == vertex && !found.contains(&other) && !without.contains(&other) {
                    found.push(other);
                }
            }
        }
        next += 1;
    }
    found
}

/// Divides a tree that is too large; `start` is where the vertex to divide it at is looked for.
fn decompose(
    edges: &[(usize, usize)],
    tree: Vec<usize>,
    start: usize,
    k: usize,
    parts: &mut Vec<Vec<usize>>,
) {
    if tree.len() <= (2 * k - 1).max((3 * k).saturating_sub(5)) {
        return parts.push(tree);
    }
    let ends: Vec<usize> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
    let gone: Vec<usize> = ends.into_iter().filter(|vertex| !tree.contains(vertex)).collect();
    let mut vertex = start;
    loop {
        let without = [&gone[..], &[vertex]].concat();
        let near = tree.iter().filter(|&&v| edges.contains(&(v, vertex)) || edges.contains(&(vertex, v)));
        let mut branches: Vec<(usize, Vec<usize>)> =
            near.map(|&v| (v, component(edges, v, &without))).collect();
        branches.sort_by(|a, b| match b.1.len().cmp(&a.1.len()) {
            Ordering::Equal => a.0.cmp(&b.0),
            other => other,
        });
        let largest = branches[0].1.len();
        if tree.len() - largest < k {
            vertex = branches[0].0;
        } else if largest >= k {
            let (root, branch) = branches.swap_remove(0);
            let rest = tree.iter().copied().filter(|v| !branch.contains(v)).collect();
            decompose(edges, branch, root, k, parts);
            return decompose(edges, rest, start, k, parts);
        } else {
            return gather(edges, tree, vertex, branches, k, parts);
        }
    }
}

/// All branches of a vertex are small: some of them together are a part, without the vertex if the rest can do without
/// them.
fn gather(
    edges: &[(usize, usize)],
    tree: Vec<usize>,
    vertex: usize,
    branches: Vec<(usize, Vec<usize>)>,
    k: usize,
    parts: &mut Vec<Vec<usize>>,
) {
    for with in [false, true] {
        let mut part = if with { vec![vertex] } else { Vec::new() };
        let mut more = branches.iter();
        while part.len() < k {
            let Some((_, branch)) = more.next() else { break };
            part.extend(branch);
        }
        if part.len() >= k && tree.len() - part.len() >= k {
            let rest: Vec<usize> = tree.iter().copied().filter(|v| !part.contains(v)).collect();
            parts.push(part);
            return if with { parts.push(rest) } else { decompose(edges, rest, vertex, k, parts) };
        }
    }
    parts.push(tree);
}
