//! Tables of numbers, of categories and of values with a tree, each row with its places in their orders.

use throng::loss;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::random::Random;
use throng::requirement::Requirement;
use throng::table::Table;
use throng::taxonomy::{Taxonomy, ranges, sets};

/// What the values of a column are.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Numbers, ascending; shown as `low~high`.
    Numbers(Vec<u32>),
    /// So many categories, `a`, `b`, …; shown as `{a, b}`.
    Categories(usize),
    /// The labels of each leaf from the lowest level on, leaves of a value side by side.
    Tree(Vec<Vec<String>>),
}

#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub(super) kinds: Vec<Kind>,
    /// Sorted, as a table has its tuples.
    pub(super) rows: Vec<Vec<usize>>,
    pub(super) k: usize,
}

/// A tree of three levels: leaves in groups of one to three, these in halves, and all.
fn tree(random: &mut Random) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for group in 0..2 + random.index(3) {
        for _ in 0..1 + random.index(3) {
            let leaf = format!("l{:02}", lines.len());
            lines.push(vec![leaf, format!("group {group}"), format!("half {}", group / 2), "*".to_owned()]);
        }
    }
    lines
}

impl Sheet {
    /// Every column is of one of the kinds.
    pub(super) fn random(seed: u64, trees: bool) -> Sheet {
        let random = &mut Random::new(seed);
        let kind = |random: &mut Random| match random.index(if trees { 3 } else { 2 }) {
            0 => Kind::Numbers((0..3 + random.index(8) as u32).map(|x| x * x).collect()),
            1 => Kind::Categories(2 + random.index(5)),
            _ => Kind::Tree(tree(random)),
        };
        let kinds: Vec<Kind> = (0..1 + random.index(3)).map(|_| kind(random)).collect();
        let row = |random: &mut Random| kinds.iter().map(|kind| random.skewed_index(kind.values())).collect();
        let rows = (0..4 + random.index(36)).map(|_| row(random)).collect();
        Sheet::new(kinds, rows, 2 + random.index(4))
    }

    pub(super) fn new(kinds: Vec<Kind>, mut rows: Vec<Vec<usize>>, k: usize) -> Sheet {
        rows.sort_unstable();
        Sheet { kinds, rows, k }
    }

    pub(super) fn problem(&self) -> Problem {
        let taxonomies = self.kinds.iter().map(|kind| {
            let leaves: Vec<String> = (0..kind.values()).map(|place| kind.leaf(place)).collect();
            match kind {
                Kind::Numbers(_) => ranges(&leaves, None).expect("numbers"),
                Kind::Categories(_) => sets(&leaves, 100).expect("text"),
                Kind::Tree(lines) => Taxonomy::from_rows(lines).expect("a tree"),
            }
        });
        let attributes = taxonomies.enumerate().map(|(a, taxonomy)| (format!("column {a}"), taxonomy, 1.0));
        let rows: Vec<Vec<u32>> =
            self.rows.iter().map(|row| row.iter().map(|&place| place as u32).collect()).collect();
        let k = Requirement::new(KAnonymity { k: self.k as u64 });
        let table = Table::from_rows(self.kinds.len(), &rows);
        Problem::new(table, attributes.collect(), k, 0, loss::find("ncp").expect("registered"))
            .expect("valid")
    }

    /// The text of a row.
    pub(super) fn text(&self, row: usize) -> Vec<String> {
        self.kinds.iter().zip(&self.rows[row]).map(|(kind, &place)| kind.leaf(place)).collect()
    }
}

impl Kind {
    /// How many values it has.
    pub(super) fn values(&self) -> usize {
        match self {
            Kind::Numbers(numbers) => numbers.len(),
            Kind::Categories(values) => *values,
            Kind::Tree(lines) => lines.len(),
        }
    }

    pub(super) fn leaf(&self, place: usize) -> String {
        match self {
            Kind::Numbers(numbers) => numbers[place].to_string(),
            Kind::Categories(_) => char::from(b'a' + place as u8).to_string(),
            Kind::Tree(lines) => lines[place][0].clone(),
        }
    }

    /// What some places together are shown as; they are ascending.
    pub(super) fn shown(&self, places: &[usize]) -> String {
        let (first, last) = (places[0], places[places.len() - 1]);
        match self {
            _ if first == last => self.leaf(first),
            Kind::Numbers(_) => format!("{}~{}", self.leaf(first), self.leaf(last)),
            Kind::Categories(_) => {
                let members: Vec<String> = places.iter().map(|&place| self.leaf(place)).collect();
                format!("{{{}}}", members.join(", "))
            }
            Kind::Tree(lines) => {
                let common = |level: &usize| lines[first][*level] == lines[last][*level];
                let level = (0..lines[0].len()).find(common).expect("one root");
                lines[first][level].clone()
            }
        }
    }
}
