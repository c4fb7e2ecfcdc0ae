//! Algorithms 3 to 6 of *k-Anonymization Revisited* as the paper has them, for tests: every
//! step looks at every record.

use crate::algorithm::local::k_k::price::Prices;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::Local;
use crate::taxonomy::ValueId;

/// A generalised record for each tuple.
pub(super) type Records = Vec<Vec<ValueId>>;

/// The table, its prices and k.
pub(super) struct Plain {
    prices: Prices,
    k: u64,
    originals: Records,
    weights: Vec<u64>,
}

impl Plain {
    pub(super) fn new(problem: &Problem) -> Plain {
        let weights = problem.table().weights().iter().map(|&w| u64::from(w)).collect();
        let prices = Prices::new(problem);
        let records = prices.records(problem);
        let originals = records.chunks(problem.table().attributes()).map(<[_]>::to_vec).collect();
        Plain { prices, k: problem.requirements.k(), originals, weights }
    }

    /// A release as records.
    pub(super) fn records(&self, local: &Local) -> Records {
        let record = |t: usize| self.prices.order().iter().map(|&a| local.column(a)[t]).collect();
        self.tuples().map(record).collect()
    }

    fn tuples(&self) -> std::ops::Range<usize> {
        0..self.originals.len()
    }

    fn covers(&self, record: &[ValueId], tuple: usize) -> bool {
        self.prices.covers(record, &self.originals[tuple])
    }

    fn join(&self, record: &[ValueId], other: &[ValueId]) -> Vec<ValueId> {
        let mut join = record.to_vec();
        self.prices.extend(&mut join, other);
        join
    }

    /// c(record + R_tuple) − c(record).
    fn growth(&self, record: &[ValueId], tuple: usize) -> i64 {
        self.prices.of_join(record, &self.originals[tuple]) - self.prices.of(record)
    }

    /// The first tuples of an order that have enough rows.
    fn first(&self, order: Vec<(i64, usize)>, need: u64) -> Vec<usize> {
        let mut order = order;
        order.sort_unstable();
        let mut rows = 0;
        let taken = order.into_iter().map(|(_, tuple)| tuple).take_while(|&tuple| {
            let before = rows;
            rows += self.weights[tuple];
            before < need
        });
        taken.collect()
    }

    /// Algorithm 3.
    pub(super) fn nearest(&self) -> Records {
        let release = |i: usize| {
            let others = self.tuples().filter(|&j| j != i);
            let order = others.map(|j| (self.growth(&self.originals[i], j), j)).collect();
            let nearest = self.first(order, self.k.saturating_sub(self.weights[i]));
            nearest
                .iter()
                .fold(self.originals[i].clone(), |closure, &j| self.join(&closure, &self.originals[j]))
        };
        self.tuples().map(release).collect()
    }

    /// Algorithm 4.
    pub(super) fn expansion(&self) -> Records {
        let release = |i: usize| {
            let (mut set, mut closure) = (vec![i], self.originals[i].clone());
            while set.iter().map(|&j| self.weights[j]).sum::<u64>() < self.k {
                let outside = self.tuples().filter(|j| !set.contains(j));
                let key = |&j: &usize| (self.growth(&closure, j), !self.covers(&closure, j), j);
                let next = outside.min_by_key(key).expect("the table has k rows");
                closure = self.join(&closure, &self.originals[next]);
                set.push(next);
            }
            closure
        };
        self.tuples().map(release).collect()
    }

    /// Algorithm 5.
    pub(super) fn one_k(&self, released: &mut Records) {
        for i in self.tuples() {
            let rows = self.neighbours(released, i).iter().map(|&j| self.weights[j]).sum::<u64>();
            if rows < self.k {
                let need = self.k - rows;
                let others = self.tuples().filter(|&j| !self.covers(&released[j], i));
                let price = |j: usize| match self.growth(&released[j], i) {
                    growth if growth > 0 => growth * self.weights[j].max(need) as i64 / need as i64,
                    growth => growth,
                };
                let mut chosen = self.first(others.map(|j| (price(j), j)).collect(), need);
                for j in chosen.clone().into_iter().rev() {
                    let others = chosen.iter().filter(|&&other| other != j);
                    if others.map(|&other| self.weights[other]).sum::<u64>() >= need {
                        chosen.retain(|&other| other != j);
                    }
                }
                for j in chosen {
                    released[j] = self.join(&released[j], &self.originals[i]);
                }
            }
        }
    }

    /// Algorithm 6, by a way to find the matches of a tuple.
    pub(super) fn global(&self, released: &mut Records, matches: impl Fn(&Records, usize) -> Vec<usize>) {
        for i in self.tuples() {
            loop {
                let matches = matches(released, i);
                if matches.iter().map(|&j| self.weights[j]).sum::<u64>() >= self.k {
                    break;
                }
                let others = self.neighbours(released, i).into_iter().filter(|j| !matches.contains(j));
                let cheapest = others.min_by_key(|&j| (self.growth(&released[i], j), j));
                let cheapest = cheapest.expect("k neighbours");
                released[i] = self.join(&released[i], &self.originals[cheapest]);
            }
        }
    }

    /// The matches of R_i by Definition 4.6.
    pub(super) fn matches(&self, released: &Records, i: usize) -> Vec<usize> {
        let neighbours = self.neighbours(released, i).into_iter();
        neighbours.filter(|&j| self.completes(released, i, j)).collect()
    }

    /// The matches of R_i as those neighbours from which records can move on to R̄_i.
    pub(super) fn matches_by_moves(&self, released: &Records, i: usize) -> Vec<usize> {
        let mut moves = vec![false; self.originals.len()];
        moves[i] = true;
        let mut open = vec![i];
        while let Some(to) = open.pop() {
            for from in self.tuples() {
                if !moves[from] && self.covers(&released[to], from) {
                    moves[from] = true;
                    open.push(from);
                }
            }
        }
        self.neighbours(released, i).into_iter().filter(|&j| moves[j]).collect()
    }

    fn neighbours(&self, released: &Records, i: usize) -> Vec<usize> {
        self.tuples().filter(|&j| self.covers(&released[j], i)).collect()
    }

    /// Whether R̄_j is a match of R_i: the other rows have a perfect matching without the two.
    fn completes(&self, released: &Records, i: usize, j: usize) -> bool {
        let rows_without = |out: usize| -> Vec<usize> {
            let rows = self.tuples().flat_map(|t| (0..self.weights[t]).map(move |copy| (t, copy)));
            rows.filter(|&row| row != (out, 0)).map(|(t, _)| t).collect()
        };
        let (left, right) = (rows_without(i), rows_without(j));
        let mut partner = vec![None; right.len()];
        (0..left.len()).all(|at| {
            let mut tried = vec![false; right.len()];
            self.augment(released, (&left, &right), at, &mut tried, &mut partner)
        })
    }

    fn augment(
        &self,
        released: &Records,
        sides: (&[usize], &[usize]),
        at: usize,
        tried: &mut [bool],
        partner: &mut [Option<usize>],
    ) -> bool {
        for to in 0..sides.1.len() {
            if tried[to] || !self.covers(&released[sides.1[to]], sides.0[at]) {
                continue;
            }
            tried[to] = true;
            if partner[to].is_none_or(|other| self.augment(released, sides, other, tried, partner)) {
                partner[to] = Some(at);
                return true;
            }
        }
        false
    }

    /// The least cost of a record that covers a tuple and enough others, among all sets of them.
    pub(super) fn optimum(&self, i: usize) -> i64 {
        let closure = |set: u32| {
            let members = self.tuples().filter(|j| set >> j & 1 == 1);
            members.fold(self.originals[i].clone(), |closure, j| self.join(&closure, &self.originals[j]))
        };
        let rows =
            |set: u32| self.tuples().filter(|j| set >> j & 1 == 1).map(|j| self.weights[j]).sum::<u64>();
        let sets = (0..1u32 << self.originals.len()).filter(|set| set >> i & 1 == 1 && rows(*set) >= self.k);
        sets.map(|set| self.prices.of(&closure(set))).min().expect("the table has k rows")
    }

    /// What a record costs.
    pub(super) fn cost(&self, record: &[ValueId]) -> i64 {
        self.prices.of(record)
    }

    /// The recoding that releases some records.
    pub(super) fn local(&self, records: &Records) -> Local {
        self.prices.local(&records.concat(), &|| Ok(())).unwrap()
    }

    /// Whether a release has a notion.
    pub(super) fn holds(&self, notion: Notion, released: &Records) -> bool {
        let rows = |tuples: Vec<usize>| tuples.iter().map(|&j| self.weights[j]).sum::<u64>() >= self.k;
        let covered = |j: usize| self.tuples().filter(|&i| self.covers(&released[j], i)).collect();
        match notion {
            Notion::K => unreachable!("none of the algorithms gives it"),
            Notion::KOne => self.tuples().all(|j| rows(covered(j))),
            Notion::OneK => self.tuples().all(|i| rows(self.neighbours(released, i))),
            Notion::KK => self.holds(Notion::OneK, released) && self.holds(Notion::KOne, released),
            Notion::GlobalOneK => self.tuples().all(|i| rows(self.matches(released, i))),
        }
    }
}
