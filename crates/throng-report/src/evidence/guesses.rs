//! What whoever finds a crowd learns of a secret: how often the most frequent value of the crowd is right.

use throng_engine::encode::Encoded;
use throng_engine::job::Role;

use super::TablePair;

/// What the crowds of a release tell of one sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// The column.
    pub column: String,
    /// The share of rows whose value is guessed right by the most frequent one of their crowd.
    pub with_crowds: f64,
    /// The same by the most frequent value of the whole release.
    pub without: f64,
    /// Crowds that all have one value.
    pub certain_crowds: u64,
    /// Their rows.
    pub certain_rows: u64,
    /// The share of rows that is guessed right in the original.
    pub before: f64,
    /// Rows of the original in crowds that all have one value, or are of one row.
    pub certain_rows_before: u64,
}

impl Guess {
    /// By how much crowds help to guess.
    pub fn gain(&self) -> f64 {
        self.with_crowds - self.without
    }
}

/// One for each sensitive column.
pub(super) fn find(pair: &TablePair) -> Vec<Guess> {
    let quasi = pair.prepared.quasi().len();
    let (before, after) = (CrowdTuples::new(&pair.before, quasi), CrowdTuples::new(&pair.after, quasi));
    let sensitive = pair.prepared.roles.with_role(Role::Sensitive).map(|(_, name)| name);
    let guess = |(column, name): (usize, &str)| {
        let (before, after) = (before.look_at(column), after.look_at(column));
        Guess {
            column: name.to_owned(),
            with_crowds: after.right,
            without: after.right_blindly,
            certain_crowds: after.certain_crowds,
            certain_rows: after.certain_rows,
            before: before.right,
            certain_rows_before: before.certain_rows,
        }
    };
    (quasi..).zip(sensitive).map(guess).collect()
}

/// The tuples of a table, those of each class together.
struct CrowdTuples<'p> {
    table: &'p Encoded,
    tuples: Vec<Vec<usize>>,
}

/// What crowds tell of a column.
struct Told {
    right: f64,
    right_blindly: f64,
    certain_crowds: u64,
    certain_rows: u64,
}

impl<'p> CrowdTuples<'p> {
    fn new(table: &'p Encoded, quasi: usize) -> CrowdTuples<'p> {
        let of = |tuple: usize| table.columns[..quasi].iter().map(move |codes| codes[tuple]);
        let mut order: Vec<usize> = (0..table.weights.len()).collect();
        order.sort_by(|&a, &b| of(a).cmp(of(b)).then(a.cmp(&b)));
        let tuples = order.chunk_by(|&a, &b| of(a).eq(of(b))).map(<[usize]>::to_vec).collect();
        CrowdTuples { table, tuples }
    }

    fn look_at(&self, column: usize) -> Told {
        let (codes, weights) = (&self.table.columns[column], &self.table.weights);
        let mut counts = vec![0u64; self.table.dictionaries[column].len()];
        let mut all = counts.clone();
        let (mut right, mut certain_crowds, mut certain_rows) = (0u64, 0, 0);
        for crowd in &self.tuples {
            let mut rows = 0u64;
            for &tuple in crowd {
                counts[codes[tuple] as usize] += u64::from(weights[tuple]);
                rows += u64::from(weights[tuple]);
            }
            let most = crowd.iter().map(|&tuple| counts[codes[tuple] as usize]).max().unwrap_or(0);
            right += most;
            if most == rows {
                certain_crowds += 1;
                certain_rows += rows;
            }
            for &tuple in crowd {
                let code = codes[tuple] as usize;
                all[code] += std::mem::take(&mut counts[code]);
            }
        }
        let rows = self.table.rows.max(1) as f64;
        let right_blindly = all.into_iter().max().unwrap_or(0) as f64 / rows;
        Told { right: right as f64 / rows, right_blindly, certain_crowds, certain_rows }
    }
}
