//! The attacks themselves, each on the people of one table.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use throng::random::Random;

use super::meaning::Meanings;
use super::nearest::{Distances, draw};
use super::rates::Rate;
use super::tables::{Rows, ThreeTables};

/// The most columns that a question about a released row has: what singles out with more is chance.
const MOST_ASKED: usize = 3;

/// People of a table who are attacked, by their tuples.
pub(super) struct People<'t> {
    tables: &'t ThreeTables,
    rows: &'t Rows,
    tuples: Vec<usize>,
    distances: Distances,
    seed: u64,
}

impl<'t> People<'t> {
    /// So many people of a table, or all; the seed decides who.
    pub(super) fn draw(
        tables: &'t ThreeTables,
        rows: &'t Rows,
        meanings: &[Meanings<'_>],
        most: u64,
        seed: u64,
    ) -> People<'t> {
        let (total, random) = (rows.total(), &mut Random::new(seed));
        let numbers: Vec<u64> = if total <= most {
            (0..total).collect()
        } else {
            // Floyd's way to draw without putting back.
            let mut drawn = FxHashSet::default();
            for last in total - most..total {
                let number = random.below(last + 1);
                if !drawn.insert(number) {
                    drawn.insert(last);
                }
            }
            let mut drawn: Vec<u64> = drawn.into_iter().collect();
            drawn.sort_unstable();
            drawn
        };
        let tuples: Vec<usize> = numbers.into_iter().map(|row| rows.tuple_of(row)).collect();
        let distances = Distances::measure(rows, &tuples, meanings);
        People { tables, rows, tuples, distances, seed }
    }

    /// How often an attack succeeds on them; it says nothing of those whom it cannot be made on.
    fn rate(&self, succeeds: impl Fn(usize, &mut Random) -> Option<bool> + Sync) -> Rate {
        let attack = |(number, &tuple): (usize, &usize)| {
            succeeds(tuple, &mut Random::of_row(self.seed, number as u64))
        };
        let found: Vec<Option<bool>> = self.tuples.par_iter().enumerate().map(attack).collect();
        let made: Vec<bool> = found.into_iter().flatten().collect();
        let successes = made.iter().filter(|&&success| success).count();
        Rate::new(successes as f64, made.len() as u64)
    }

    /// *Linkability.* Somebody has two files, each with half of what is known of a person, and asks which released row
    /// each is nearest to; if it is the same one, the two files are linked through the release.
    pub(super) fn link(&self, halves: &[Vec<usize>; 2]) -> Rate {
        let columns = self.tables.columns();
        self.rate(|tuple, random| {
            let target = self.distances.target(self.rows, tuple, columns);
            let [one, other] = halves.each_ref().map(|half| {
                let (nearest, _) = target.nearest(self.tables, half);
                (!nearest.is_empty()).then(|| draw(&self.tables.released, &nearest, random))
            });
            Some(one.is_some() && one == other)
        })
    }

    /// *Inference.* Somebody knows all quasi-identifiers of a person, and guesses what most of the nearest released rows
    /// have in a sensitive column.
    pub(super) fn infer(&self, column: usize) -> Rate {
        let quasi: Vec<usize> = (0..self.tables.quasi).collect();
        self.rate(|tuple, _| {
            let own = self.tables.compared(column, self.rows.text(column, tuple));
            if own.is_empty() {
                return None;
            }
            let target = self.distances.target(self.rows, tuple, self.tables.columns());
            let (nearest, _) = target.nearest(self.tables, &quasi);
            let released = &self.tables.released;
            let mut rows: FxHashMap<_, u64> = FxHashMap::default();
            for near in nearest {
                let value = self.tables.compared(column, released.text(column, near));
                if !value.is_empty() {
                    *rows.entry(value).or_default() += u64::from(released.encoded.weights[near]);
                }
            }
            // Of equally frequent values the first by its text.
            let guess = rows.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
            Some(guess.is_some_and(|(value, _)| value == own))
        })
    }

    /// *Membership.* Somebody knows everything of a person that is released, and says that they are in the table if a
    /// released row may be theirs.
    pub(super) fn find_member(&self) -> Rate {
        let all: Vec<usize> = (0..self.tables.columns()).collect();
        self.rate(|tuple, _| {
            let target = self.distances.target(self.rows, tuple, all.len());
            let (nearest, distance) = target.nearest(self.tables, &all);
            Some(!nearest.is_empty() && distance == 0.0)
        })
    }
}

/// What a question asks of a person: for each column, one of its released labels.
type Question = Vec<(usize, u32)>;

/// *Singling out.* Somebody makes questions of the cells of a released row, up to three of them. One succeeds if it is true
/// of exactly one person of the original. In a control group of another size, it is the chance with which it would be,
/// were the group as large: of a share q of the group, n·q·(1 − q)^(n − 1).
pub(super) fn single_out(
    tables: &ThreeTables,
    meanings: &[Meanings<'_>],
    attacks: u64,
    seed: u64,
) -> (Rate, Rate) {
    let questions = questions(tables, attacks, seed);
    let (originals, controls) = (tables.original.total(), tables.control.total());
    let success = |rows: &Rows, question: &Question| {
        let true_of = true_of(rows, meanings, question);
        if rows.total() == originals {
            return f64::from(true_of == 1);
        }
        let (n, share) = (originals as f64, true_of as f64 / controls as f64);
        n * share * (1.0 - share).powf(n - 1.0)
    };
    let rate = |rows: &Rows| {
        let each: Vec<f64> = questions.par_iter().map(|question| success(rows, question)).collect();
        Rate::new(each.iter().sum(), questions.len() as u64)
    };
    (rate(&tables.original), rate(&tables.control))
}

/// Different questions about released rows that are drawn.
fn questions(tables: &ThreeTables, attacks: u64, seed: u64) -> Vec<Question> {
    let (released, random) = (&tables.released, &mut Random::new(seed));
    let (mut asked, mut questions) = (FxHashSet::default(), Vec::new());
    if released.total() == 0 {
        return questions;
    }
    let mut columns: Vec<usize> = (0..tables.columns()).collect();
    // Of few different rows few different questions can be made.
    for _ in 0..attacks.saturating_mul(4) {
        let tuple = released.tuple_of(random.below(released.total()));
        random.shuffle(&mut columns);
        let mut about = columns[..columns.len().min(MOST_ASKED)].to_vec();
        about.sort_unstable();
        let question: Question =
            about.into_iter().map(|column| (column, released.code(column, tuple))).collect();
        if asked.insert(question.clone()) {
            questions.push(question);
        }
        if questions.len() as u64 == attacks {
            break;
        }
    }
    questions
}

/// Rows of which a question is true.
fn true_of(rows: &Rows, meanings: &[Meanings<'_>], question: &Question) -> u64 {
    let holds: Vec<(usize, Vec<bool>)> = question
        .iter()
        .map(|&(column, label)| {
            let values = rows.encoded.dictionaries[column].values();
            (column, values.map(|value| meanings[column].covers(label, value)).collect())
        })
        .collect();
    let is_true =
        |tuple: &usize| holds.iter().all(|(column, holds)| holds[rows.code(*column, *tuple) as usize]);
    let tuples = (0..rows.tuples()).filter(is_true);
    tuples.map(|tuple| u64::from(rows.encoded.weights[tuple])).sum()
}
