//! Whose values of a sensitive column the third adversary knows.

use throng::random::Random;
use throng::wording::{quoted, quoted_list};

use crate::error::{EngineError, Result};
use crate::wording::guess;

/// How much the third adversary knows: the values of some people in one sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownValues {
    /// The column.
    pub column: String,
    /// Of how many people.
    pub people: People,
    /// Decides who they are, with the numbers of the rows and with nothing else.
    pub seed: u64,
}

/// How many of the rows that have a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum People {
    /// A share of them, above 0 and at most 1: the nearest number of rows, but at least one.
    Share(f64),
    /// A number of rows, at least 1.
    Rows(u64),
}

const UNREADABLE: &str = "--known takes a column, and for how many people its value is known: a share \
    (COLUMN=0.1 or COLUMN=10%) above 0 and at most 1, or a number of rows (COLUMN=100, or 'COLUMN=1 row')";

impl KnownValues {
    /// Reads a flag: `diagnosis=0.1` and `diagnosis=10%` are shares, `diagnosis=100` and `diagnosis=1 row` numbers of
    /// rows.
    ///
    /// # Errors
    /// Anything else, and a bare 1, which may be meant for one row or for all.
    pub fn read(flag: &str, seed: u64) -> Result<KnownValues> {
        let (column, people) = flag.rsplit_once('=').ok_or_else(|| EngineError::bad(UNREADABLE))?;
        let (column, people) = (column.trim(), People::read(people.trim())?);
        if column.is_empty() {
            return Err(EngineError::bad(UNREADABLE));
        }
        Ok(KnownValues { column: column.to_owned(), people, seed })
    }

    /// The place of the column among the sensitive ones that are attacked.
    pub(super) fn place_in(&self, sensitive: &[String]) -> Result<usize> {
        sensitive.iter().position(|name| *name == self.column).ok_or_else(|| {
            let problem = (
                format!(
                    "--known: {} is not a sensitive column of this attack{}",
                    quoted(&self.column),
                    guess(&self.column, sensitive.iter().map(String::as_str))
                ),
                format!(
                    "the sensitive columns are {}",
                    if sensitive.is_empty() {
                        "named by --sensitive".to_owned()
                    } else {
                        quoted_list(sensitive)
                    }
                ),
            );
            EngineError::bad(problem).about_column(&self.column)
        })
    }

    /// Starts to draw from so many rows that have a value.
    pub(super) fn draw(&self, rows: u64) -> Result<Draw> {
        let wanted = match self.people {
            People::Share(share) => ((share * rows as f64).round() as u64).clamp(1, rows.max(1)),
            People::Rows(wanted) => wanted,
        };
        if wanted > rows {
            let problem = format!(
                "--known asks for the value of {} in {wanted} rows, but only {rows} have one",
                quoted(&self.column)
            );
            return Err(EngineError::bad(problem).about_column(&self.column));
        }
        Ok(Draw { seed: self.seed, wanted, left: rows })
    }
}

impl People {
    fn read(text: &str) -> Result<People> {
        let bad = || EngineError::bad(UNREADABLE);
        let number = text.strip_suffix("rows").or(text.strip_suffix("row")).map(str::trim_end);
        let rows = match number {
            Some(number) => Some(number.parse::<u64>().map_err(|_| bad())?),
            None if text == "1" => {
                return Err(EngineError::bad(
                    "--known of 1: is that one row ('1 row') or all of them (100%)?",
                ));
            }
            None => text.parse::<u64>().ok(),
        };
        if let Some(rows) = rows {
            return if rows == 0 { Err(bad()) } else { Ok(People::Rows(rows)) };
        }
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim_end().parse::<f64>().map(|percent| percent / 100.0),
            None => text.parse::<f64>(),
        };
        let share = share.ok().filter(|&share| share > 0.0 && share <= 1.0);
        share.map(People::Share).ok_or_else(bad)
    }
}

/// Draws a fixed number of rows in one pass over them, each set of so many as probable as any other (selection sampling,
/// Algorithm S in Knuth's *The Art of Computer Programming*, section 3.4.2).
#[derive(Clone, Debug)]
pub(super) struct Draw {
    seed: u64,
    /// Rows that are still to be drawn.
    wanted: u64,
    /// Rows that are still to come.
    left: u64,
}

impl Draw {
    /// Rows that are still to be drawn.
    pub(super) fn wanted(&self) -> u64 {
        self.wanted
    }

    /// Whether the row of this number, which comes next, is drawn.
    pub(super) fn takes(&mut self, row: u64) -> bool {
        let takes = Random::of_row(self.seed, row).below(self.left.max(1)) < self.wanted;
        self.left = self.left.saturating_sub(1);
        self.wanted -= u64::from(takes);
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flag: &str) -> Result<KnownValues> {
        KnownValues::read(flag, 1)
    }

    #[test]
    fn a_flag_says_how_many() {
        let people = |flag| read(flag).unwrap().people;
        assert_eq!(people("ill=0.1"), People::Share(0.1));
        assert_eq!((people("ill=1.0"), people("ill=100%")), (People::Share(1.0), People::Share(1.0)));
        assert_eq!((people("ill=25 %"), people("ill=7")), (People::Share(0.25), People::Rows(7)));
        assert_eq!((people("ill=1 row"), people("ill=20 rows")), (People::Rows(1), People::Rows(20)));
        assert_eq!(read("a=b=0.5").unwrap().column, "a=b");
        for bad in [
            "ill",
            "=0.1",
            "ill=",
            "ill=0",
            "ill=0.0",
            "ill=1.5",
            "ill=-1",
            "ill=NaN",
            "ill=0 rows",
            "ill=101%",
        ] {
            let problem = read(bad).unwrap_err().to_string();
            assert!(
                problem.starts_with("--known takes a column, and for how many people its value is known"),
                "{bad}: {problem}"
            );
        }
        assert!(read("ill=1").unwrap_err().to_string().contains("one row ('1 row') or all of them (100%)?"));
    }

    #[test]
    fn exactly_as_many_are_drawn_as_are_wanted() {
        let drawn = |flag: &str, seed: u64, rows: u64| -> Vec<u64> {
            let mut draw = KnownValues::read(flag, seed).unwrap().draw(rows).unwrap();
            (1..=rows).filter(|&row| draw.takes(row)).collect()
        };
        for seed in 0..50 {
            assert_eq!(drawn("ill=0.1", seed, 44).len(), 4, "seed {seed}");
            assert_eq!(drawn("ill=0.001", seed, 44).len(), 1, "seed {seed}: at least one");
            assert_eq!(drawn("ill=7", seed, 9).len(), 7, "seed {seed}");
            assert_eq!(drawn("ill=1.0", seed, 9), (1..=9).collect::<Vec<_>>(), "seed {seed}");
        }
        let mut times = [0u32; 10];
        (0..2000)
            .for_each(|seed| drawn("ill=3", seed, 10).iter().for_each(|row| times[*row as usize - 1] += 1));
        assert!(times.iter().all(|times| (500..700).contains(times)), "each row in three of ten: {times:?}");
        let problem = read("ill=10").unwrap().draw(9).unwrap_err().to_string();
        assert!(problem.contains("in 10 rows, but only 9 have one"), "{problem}");
        assert!(read("ill=0.5").unwrap().draw(0).is_err(), "nobody has a value");
    }

    #[test]
    fn a_column_that_is_not_sensitive_is_refused_with_the_nearest() {
        let problem =
            read("diagnosi=0.1").unwrap().place_in(&["diagnosis".to_owned()]).unwrap_err().to_string();
        assert!(
            problem.contains("'diagnosi' is not a sensitive column") && problem.contains("'diagnosis'"),
            "{problem}"
        );
    }
}
