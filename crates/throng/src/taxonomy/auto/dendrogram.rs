//! Merges groups two by two: the alike and the rare first.
//!
//! The cost of a merger is Ward's, |A||B|/(|A|+|B|) · (‖a − b‖² + c): what it adds to the spread
//! around the profiles. The constant makes up for profiles that say nothing; then mergers depend on
//! the rows alone, and groups stay balanced.

/// Groups of a kind that can be merged.
pub(super) struct Dendrogram {
    /// Which two are merged, in order; the first of a pair stands for both from then on.
    mergers: Vec<(usize, usize)>,
    items: usize,
}

/// How much two groups of equal profiles are apart, for the sake of balance.
const BALANCE: f64 = 0.05;

impl Dendrogram {
    /// Merges items of so many rows each, at these points, until one is left.
    ///
    /// Time is quadratic in the items on average, memory quadratic.
    pub(super) fn grow(rows: &[u64], points: &[Vec<f64>]) -> Dendrogram {
        let items = rows.len();
        let mut merging = Merging::new(rows, points);
        let mut mergers = Vec::with_capacity(items.saturating_sub(1));
        while mergers.len() + 1 < items {
            let (a, b) = merging.nearest_pair();
            merging.merge(a, b);
            mergers.push((a, b));
        }
        Dendrogram { mergers, items }
    }

    /// The group of each item when so many groups are left, numbered by their first items.
    pub(super) fn cut(&self, groups: usize) -> Vec<u32> {
        let mut head: Vec<usize> = (0..self.items).collect();
        for &(a, b) in &self.mergers[..self.items.saturating_sub(groups.max(1))] {
            head[b] = a;
        }
        // A pair's first item is the lesser, and is merged away only later: heads go downwards.
        let mut number = vec![u32::MAX; self.items];
        let mut next = 0;
        for item in 0..self.items {
            if head[item] == item {
                number[item] = next;
                next += 1;
            } else {
                number[item] = number[head[item]];
            }
        }
        number
    }
}

struct Merging {
    weights: Vec<f64>,
    /// Squared distances of all pairs, both ways.
    apart: Vec<f64>,
    alive: Vec<usize>,
    /// The cheapest partner of each living item among those after it, and its cost.
    nearest: Vec<(f64, usize)>,
}

impl Merging {
    fn new(rows: &[u64], points: &[Vec<f64>]) -> Merging {
        let items = rows.len();
        let mut apart = vec![0.0; items * items];
        for a in 0..items {
            for b in a + 1..items {
                let distance = points[a].iter().zip(&points[b]).map(|(a, b)| (a - b) * (a - b)).sum();
                apart[a * items + b] = distance;
                apart[b * items + a] = distance;
            }
        }
        let weights = rows.iter().map(|&rows| rows.max(1) as f64).collect();
        let mut merging = Merging { weights, apart, alive: (0..items).collect(), nearest: Vec::new() };
        merging.nearest = (0..items).map(|item| merging.nearest_after(item)).collect();
        merging
    }

    fn cost(&self, a: usize, b: usize) -> f64 {
        let (a_rows, b_rows) = (self.weights[a], self.weights[b]);
        a_rows * b_rows / (a_rows + b_rows) * (self.apart[a * self.weights.len() + b] + BALANCE)
    }

    fn nearest_after(&self, item: usize) -> (f64, usize) {
        let after = self.alive.partition_point(|&other| other <= item);
        let costs = self.alive[after..].iter().map(|&other| (self.cost(item, other), other));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, item))
    }

    fn nearest_pair(&self) -> (usize, usize) {
        let costs = self.alive.iter().map(|&item| (self.nearest[item].0, item));
        let (_, item) = costs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("two items are left");
        (item, self.nearest[item].1)
    }

    /// Puts `b` into `a`, whose point becomes the centre of both.
    fn merge(&mut self, a: usize, b: usize) {
        let items = self.weights.len();
        self.alive.retain(|&item| item != b);
        let (a_share, b_share) = (
            self.weights[a] / (self.weights[a] + self.weights[b]),
            self.weights[b] / (self.weights[a] + self.weights[b]),
        );
        let between = self.apart[a * items + b];
        for at in 0..self.alive.len() {
            let other = self.alive[at];
            let (from_a, from_b) = (self.apart[a * items + other], self.apart[b * items + other]);
            // The distance from a centre, after Lance and Williams; rounding must not make it negative.
            let distance = (a_share * from_a + b_share * from_b - a_share * b_share * between).max(0.0);
            self.apart[a * items + other] = distance;
            self.apart[other * items + a] = distance;
        }
        self.apart[a * items + a] = 0.0;
        self.weights[a] += self.weights[b];
        self.refresh(a, b);
    }

    /// Finds the partners anew that the merger of `b` into `a` may have changed.
    fn refresh(&mut self, a: usize, b: usize) {
        for at in 0..self.alive.len() {
            let item = self.alive[at];
            let partner = self.nearest[item].1;
            if item == a || partner == a || partner == b {
                self.nearest[item] = self.nearest_after(item);
            } else if item < a {
                let cost = self.cost(item, a);
                let known = self.nearest[item];
                if cost < known.0 || (cost == known.0 && a < known.1) {
                    self.nearest[item] = (cost, a);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(x: f64) -> Vec<f64> {
        vec![x]
    }

    #[test]
    fn alike_items_go_together() {
        let points = [0.0, 10.0, 0.1, 10.1, 5.0].map(point);
        let tree = Dendrogram::grow(&[5; 5], &points);
        assert_eq!(tree.cut(3), [0, 1, 0, 1, 2]);
        assert_eq!(tree.cut(5), [0, 1, 2, 3, 4]);
        assert_eq!(tree.cut(1), [0; 5]);
        assert_eq!(tree.cut(0), [0; 5]);
    }

    #[test]
    fn without_profiles_the_rare_go_first() {
        let points = vec![Vec::new(); 4];
        let tree = Dendrogram::grow(&[100, 1, 50, 1], &points);
        assert_eq!(tree.cut(3), [0, 1, 2, 1]);
        assert_eq!(tree.cut(2), [0, 1, 1, 1]);
    }

    #[test]
    fn nothing_and_one_are_fine() {
        assert_eq!(Dendrogram::grow(&[], &[]).cut(1), []);
        assert_eq!(Dendrogram::grow(&[3], &[vec![]]).cut(4), [0]);
    }

    proptest! {
        /// Every merger is the cheapest pair, searched for plainly.
        #[test]
        fn mergers_are_the_cheapest(
            items in proptest::collection::vec((1_u64..50, 0.0..1.0_f64, 0.0..1.0_f64), 2..14),
        ) {
            let rows: Vec<u64> = items.iter().map(|item| item.0).collect();
            let points: Vec<Vec<f64>> = items.iter().map(|item| vec![item.1, item.2]).collect();
            let tree = Dendrogram::grow(&rows, &points);
            let mut groups: Vec<Option<(f64, Vec<f64>)>> =
                rows.iter().zip(&points).map(|(&rows, point)| Some((rows as f64, point.clone()))).collect();
            for &(a, b) in &tree.mergers {
                let cost = |x: usize, y: usize| {
                    let ((m, p), (n, q)) = (groups[x].as_ref()?, groups[y].as_ref()?);
                    let apart: f64 = p.iter().zip(q).map(|(p, q)| (p - q).powi(2)).sum();
                    Some(m * n / (m + n) * (apart + BALANCE))
                };
                let all = (0..rows.len()).flat_map(|x| (x + 1..rows.len()).map(move |y| (x, y)));
                let least = all.filter_map(|(x, y)| cost(x, y)).fold(f64::INFINITY, f64::min);
                prop_assert!((cost(a, b).unwrap() - least).abs() < 1e-9);
                let (m, p) = groups[a].take().unwrap();
                let (n, q) = groups[b].take().unwrap();
                let centre = p.iter().zip(&q).map(|(p, q)| (m * p + n * q) / (m + n)).collect();
                groups[a] = Some((m + n, centre));
            }
        }

        #[test]
        fn cuts_nest(rows in proptest::collection::vec(1_u64..50, 1..30)) {
            let points: Vec<Vec<f64>> = rows.iter().map(|&rows| vec![(rows % 7) as f64]).collect();
            let tree = Dendrogram::grow(&rows, &points);
            for groups in 1..rows.len() {
                let (coarse, fine) = (tree.cut(groups), tree.cut(groups + 1));
                prop_assert_eq!(*coarse.iter().max().unwrap() as usize + 1, groups);
                for a in 0..rows.len() {
                    for b in 0..a {
                        prop_assert!(fine[a] != fine[b] || coarse[a] == coarse[b]);
                    }
                }
            }
        }
    }
}
