//! A wide synthetic table in the shape of census microdata: up to 64 quasi-identifiers.
//!
//! The first ten columns have the most values and levels, as the key variables of a census do; the later ones are
//! mostly questions with a usual answer. A person is drawn first: whether she works, is new in the country or ails,
//! and a few hidden traits. Who is not asked gives the usual answer; else it follows a trait, is the usual one, or is
//! anything. So columns are skewed and correlated, as those of a census are.

mod columns;

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use throng::random::Random;

use super::{Dataset, NextStep};
use columns::{CensusColumn, QUESTIONS, Talkative};

/// Synthetic answers of a census, with the first so many of its questions.
#[derive(Clone, Copy, Debug)]
pub struct Census {
    columns: usize,
}

/// For each number of columns, one dataset.
static CENSUSES: [Census; Census::MAX_COLUMNS] = {
    let mut all = [Census { columns: 0 }; Census::MAX_COLUMNS];
    let mut at = 0;
    while at < all.len() {
        all[at].columns = at + 1;
        at += 1;
    }
    all
};

impl Census {
    /// Questions that there are.
    pub const MAX_COLUMNS: usize = QUESTIONS.len();

    /// The usual one: thirty questions.
    pub const USUAL: Census = Census { columns: 30 };

    fn questions(&self) -> &'static [CensusColumn] {
        &QUESTIONS[..self.columns]
    }
}

/// What a person's answers follow.
pub(super) struct Person {
    /// Each from 0 to below 1.
    traits: [f64; 5],
    works: bool,
    is_new: bool,
    ails: bool,
}

impl Person {
    fn draw(draws: &mut Random) -> Person {
        let [age, older, place, luck, origin, home] = [(); 6].map(|()| draws.unit());
        // Fewer are very old.
        let age = if age > 0.7 { age.min(0.7 + 0.3 * older) } else { age };
        let [job, move_in, illness] = [(); 3].map(|()| draws.unit());
        let near = |a: f64, b: f64, share: f64| a * share + b * (1.0 - share);
        Person {
            traits: [
                age,
                place * place,
                near(luck, 1.0 - (2.0 * age - 1.0).abs(), 0.5),
                origin * origin,
                near(home, age, 0.5),
            ],
            works: (0.18..0.66).contains(&age) && job < 0.75,
            is_new: move_in < 0.1,
            ails: illness < 0.04 + 0.3 * age * age,
        }
    }

    /// Whether a question is one for this person.
    fn is_asked(&self, asked: Talkative) -> bool {
        match asked {
            Talkative::Everyone => true,
            Talkative::Workers => self.works,
            Talkative::Newcomers => self.is_new,
            Talkative::Ailing => self.ails,
        }
    }
}

impl Dataset for Census {
    fn name(&self) -> &'static str {
        "census"
    }

    fn rows_are(&self) -> &'static str {
        "synthetic answers to a census with many questions"
    }

    fn schema(&self) -> SchemaRef {
        let text = |column: &CensusColumn| Field::new(column.name, DataType::Utf8, false);
        Arc::new(Schema::new(self.questions().iter().map(text).collect::<Vec<_>>()))
    }

    fn draw(&self, seed: u64, rows: Range<u64>) -> RecordBatch {
        let mut columns: Vec<StringBuilder> = self.questions().iter().map(|_| StringBuilder::new()).collect();
        for row in rows {
            let mut draws = Random::of_row(seed, row);
            let person = Person::draw(&mut draws);
            for (question, column) in self.questions().iter().zip(&mut columns) {
                column.append_value(question.label(question.draw(&person, &mut draws)));
            }
        }
        let columns = columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect();
        RecordBatch::try_new(self.schema(), columns)
            .expect("the columns are those of the schema and of one length")
    }

    fn hierarchies(&self) -> Vec<(&'static str, String)> {
        self.questions().iter().map(|question| (question.name, question.hierarchy())).collect()
    }

    fn hierarchies_are(&self) -> &'static str {
        "how each answer is generalised"
    }

    fn job(&self) -> String {
        let line = |question: &CensusColumn| {
            let name = question.name;
            format!("{name:<18} = {{ role = \"quasi\", hierarchy = \"hierarchies/{name}.csv\" }}\n")
        };
        let columns: String = self.questions().iter().map(line).collect();
        format!(
            r#"# What each column is. Others may know every answer.
[columns]
{columns}
# Everyone shares all quasi-identifiers with at least four others;
# up to 5 % of the rows may be left out for that.
[privacy]
k = 5
suppression = 0.05

[search]
algorithm  = "auto"   # for many columns, the best that can be found in time
measure    = "lm"
time_limit = 10
seed       = 1
"#
        )
    }

    fn next_steps(&self) -> &'static [NextStep] {
        &[
            NextStep {
                question: "Recoding each class by itself loses far less:",
                commands: &["anonymize @census.toml --algorithm sequential -o @census-local.table"],
            },
            NextStep {
                question: "How exposed was the table, and how exposed is the release?",
                commands: &["check @census.toml --input", "check @census.toml"],
            },
        ]
    }

    fn with_columns(&self, columns: usize) -> Option<&'static dyn Dataset> {
        CENSUSES.get(columns.checked_sub(1)?).map(|census| census as &dyn Dataset)
    }

    fn max_columns(&self) -> Option<usize> {
        Some(Census::MAX_COLUMNS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of the lattice of the first so many columns.
    fn nodes(columns: usize) -> u64 {
        QUESTIONS[..columns].iter().map(|question| question.levels() as u64).product()
    }

    #[test]
    fn lattices_are_as_large_as_those_of_a_census() {
        assert_eq!((nodes(10), nodes(15), nodes(20)), (1_152_000, 184_320_000, 8_847_360_000));
    }

    #[test]
    fn columns_follow_the_same_person() {
        // Of two columns that follow one trait, one tells something about the other.
        let (a, b) = (&QUESTIONS[0], QUESTIONS.iter().find(|question| question.name == "school").unwrap());
        let mut joint = [[0f64; 2]; 2];
        for row in 0..20_000 {
            let mut draws = Random::of_row(1, row);
            let person = Person::draw(&mut draws);
            let is_young = a.draw(&person, &mut draws) < 25;
            let is_usual = b.draw(&person, &mut draws) == 0;
            joint[usize::from(is_young)][usize::from(is_usual)] += 1.0;
        }
        let share = |of: [f64; 2]| of[1] / (of[0] + of[1]);
        assert!((share(joint[0]) - share(joint[1])).abs() > 0.1, "{joint:?}");
    }

    #[test]
    fn hierarchies_have_all_answers_and_one_root() {
        for question in &QUESTIONS {
            let text = question.hierarchy();
            assert_eq!(text.lines().count(), question.answers, "{}", question.name);
            let width = |line: &str| line.split(';').count();
            assert!(text.lines().all(|line| width(line) == question.levels() && line.ends_with(";*")));
        }
    }
}
