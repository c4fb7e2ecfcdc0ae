//! Algorithms 3 to 6 of *k-Anonymization Revisited* as the paper has them, for tests: every
//! step looks at every record. Algorithms 3 and 4 treat identical records alike, so they are here by tuple;
//! Algorithms 5 and 6 go row by row.

use crate::algorithm::local::k_k::price::Prices;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::{Local, Parts};
use crate::taxonomy::ValueId;

/// A generalised record for each tuple.
pub(super) type Records = Vec<Vec<ValueId>>;

/// A released row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    tuple: usize,
    /// Rows of the same number are released alike. It decides ties.
    piece: usize,
    record: Vec<ValueId>,
}

/// The table, its prices and k.
pub(super) struct PrintedTable {
    prices: Prices,
    k: u64,
    originals: Records,
    weights: Vec<u64>,
}

impl PrintedTable {
    pub(super) fn new(problem: &Problem) -> PrintedTable {
        let weights = problem.table().weights().iter().map(|&w| u64::from(w)).collect();
        let prices = Prices::new(problem);
        let records = prices.records(problem);
        let originals = records.chunks(problem.table().attributes()).map(<[_]>::to_vec).collect();
        PrintedTable { prices, k: problem.requirements.k(), originals, weights }
    }

    /// The table as it is.
    pub(super) fn originals(&self) -> &Records {
        &self.originals
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
        self.prices.of_join(record, &self.originals[tuple]) - self.prices.price(record)
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

    /// Each row released as its tuple is.
    pub(super) fn rows(&self, records: &Records) -> Vec<Row> {
        let row = |tuple: usize| Row { tuple, piece: tuple, record: records[tuple].clone() };
        self.tuples().flat_map(|tuple| vec![row(tuple); self.weights[tuple] as usize]).collect()
    }

    /// Algorithm 5 by rows or by tuples, whichever costs less.
    pub(super) fn one_k(&self, records: &Records) -> Vec<Row> {
        let mut by_rows = self.rows(records);
        self.one_k_by_rows(&mut by_rows);
        let mut by_tuples = records.clone();
        self.one_k_by_tuples(&mut by_tuples);
        let by_tuples = self.rows(&by_tuples);
        let price = |rows: &[Row]| rows.iter().map(|row| i128::from(self.cost(&row.record))).sum::<i128>();
        if price(&by_tuples) < price(&by_rows) { by_tuples } else { by_rows }
    }

    /// To the letter.
    fn one_k_by_rows(&self, released: &mut [Row]) {
        for i in self.tuples() {
            let (reach, others): (Vec<usize>, Vec<usize>) =
                (0..released.len()).partition(|&j| self.covers(&released[j].record, i));
            let need = (self.k as usize).saturating_sub(reach.len());
            let key = |j: usize| (self.growth(&released[j].record, i), released[j].piece, j);
            let mut order: Vec<_> = others.into_iter().map(key).collect();
            order.sort_unstable();
            let chosen: Vec<usize> = order.into_iter().take(need).map(|(_, _, j)| j).collect();
            let pieces = chosen.chunk_by(|&a, &b| released[a].piece == released[b].piece);
            for alike in pieces.map(<[usize]>::to_vec).collect::<Vec<_>>() {
                self.generalise(released, &alike, &self.originals[i]);
            }
        }
    }

    /// Generalises some rows of a piece, which become one of their own if they are not all.
    fn generalise(&self, released: &mut [Row], rows: &[usize], other: &[ValueId]) {
        let piece = released[rows[0]].piece;
        let all = released.iter().filter(|row| row.piece == piece).count();
        let next = released.iter().map(|row| row.piece).max().expect("there are rows") + 1;
        for &row in rows {
            released[row].record = self.join(&released[row].record, other);
            released[row].piece = if rows.len() < all { next.max(self.originals.len()) } else { piece };
        }
    }

    fn one_k_by_tuples(&self, released: &mut Records) {
        for i in self.tuples() {
            let neighbours = self.tuples().filter(|&j| self.covers(&released[j], i));
            let rows = neighbours.map(|j| self.weights[j]).sum::<u64>();
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

    /// Algorithm 6, by a way to find the matches of a tuple's rows. Of identical records that one is
    /// generalised for which it costs least.
    pub(super) fn global(&self, released: &mut [Row], matches: impl Fn(&[Row], usize) -> Vec<usize>) {
        for i in self.tuples() {
            loop {
                let matches = matches(released, i);
                if matches.len() as u64 >= self.k {
                    break;
                }
                let others = self.neighbours(released, i).into_iter().filter(|j| !matches.contains(j));
                let others: Vec<usize> = others.map(|j| released[j].tuple).collect();
                let own: Vec<usize> = (0..released.len()).filter(|&row| released[row].tuple == i).collect();
                let steps = others.iter().flat_map(|&other| {
                    let step = |&row: &usize| {
                        (self.growth(&released[row].record, other), other, released[row].piece, row)
                    };
                    own.iter().map(step).collect::<Vec<_>>()
                });
                let (_, other, _, row) = steps.min().expect("k neighbours");
                self.generalise(released, &[row], &self.originals[other]);
            }
        }
    }

    /// The matches of R_i by Definition 4.6.
    pub(super) fn matches(&self, released: &[Row], i: usize) -> Vec<usize> {
        let neighbours = self.neighbours(released, i).into_iter();
        neighbours.filter(|&j| self.completes(released, i, j)).collect()
    }

    /// The matches of R_i as those neighbours from which records can move on to R̄_i.
    pub(super) fn matches_by_moves(&self, released: &[Row], i: usize) -> Vec<usize> {
        let mut moves = vec![false; self.originals.len()];
        moves[i] = true;
        let mut open = vec![i];
        while let Some(to) = open.pop() {
            for row in released.iter().filter(|row| row.tuple == to) {
                for from in self.tuples() {
                    if !moves[from] && self.covers(&row.record, from) {
                        moves[from] = true;
                        open.push(from);
                    }
                }
            }
        }
        self.neighbours(released, i).into_iter().filter(|&j| moves[released[j].tuple]).collect()
    }

    fn neighbours(&self, released: &[Row], i: usize) -> Vec<usize> {
        (0..released.len()).filter(|&j| self.covers(&released[j].record, i)).collect()
    }

    /// Whether R̄_j is a match of R_i: the other rows have a perfect matching without the two.
    fn completes(&self, released: &[Row], i: usize, j: usize) -> bool {
        let first = released.iter().position(|row| row.tuple == i).expect("a tuple has rows");
        let left: Vec<usize> = (0..released.len()).filter(|&row| row != first).collect();
        let right: Vec<usize> = (0..released.len()).filter(|&row| row != j).collect();
        let mut partner = vec![None; right.len()];
        (0..left.len()).all(|at| {
            let mut tried = vec![false; right.len()];
            self.augment(released, (&left, &right), at, &mut tried, &mut partner)
        })
    }

    fn augment(
        &self,
        released: &[Row],
        sides: (&[usize], &[usize]),
        at: usize,
        tried: &mut [bool],
        partner: &mut [Option<usize>],
    ) -> bool {
        for to in 0..sides.1.len() {
            if tried[to] || !self.covers(&released[sides.1[to]].record, released[sides.0[at]].tuple) {
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
        sets.map(|set| self.prices.price(&closure(set))).min().expect("the table has k rows")
    }

    /// What a record costs.
    pub(super) fn cost(&self, record: &[ValueId]) -> i64 {
        self.prices.price(record)
    }

    /// The recoding that releases some records.
    pub(super) fn local(&self, rows: &[Row]) -> Local {
        let mut order: Vec<&Row> = rows.iter().collect();
        order.sort_by_key(|row| (row.tuple, row.piece));
        let pieces: Vec<&[&Row]> = order.chunk_by(|a, b| a.piece == b.piece).collect();
        let records: Vec<ValueId> = pieces.iter().flat_map(|piece| piece[0].record.clone()).collect();
        let local = self.prices.local(&records, &|| Ok(())).unwrap();
        if pieces.len() == self.originals.len() {
            return local;
        }
        let mut parts = Parts::default();
        pieces.iter().for_each(|piece| parts.push(piece[0].tuple as u32, piece.len() as u32, false));
        local.in_parts(parts)
    }

    /// Whether a release has a notion.
    pub(super) fn holds(&self, notion: Notion, released: &[Row]) -> bool {
        let covered = |row: &Row| {
            let covered = self.tuples().filter(|&i| self.covers(&row.record, i));
            covered.map(|i| self.weights[i]).sum::<u64>()
        };
        match notion {
            Notion::K => unreachable!("none of the algorithms gives it"),
            Notion::KOne => released.iter().all(|row| covered(row) >= self.k),
            Notion::OneK => self.tuples().all(|i| self.neighbours(released, i).len() as u64 >= self.k),
            Notion::KK => self.holds(Notion::OneK, released) && self.holds(Notion::KOne, released),
            Notion::GlobalOneK => self.tuples().all(|i| self.matches(released, i).len() as u64 >= self.k),
        }
    }
}
