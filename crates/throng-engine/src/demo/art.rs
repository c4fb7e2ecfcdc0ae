//! The artificial data (ART) of Gionis, Mazza and Tassa, *k-Anonymization Revisited*, section VI.
//!
//! Six independent attributes, each with its distribution and its permissible subsets: the single
//! values, those listed here, and the whole set. All are quasi-identifiers; the paper's tables have
//! no other columns.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use throng::random::Random;

use super::{Dataset, NextStep};

/// One attribute: its values are a1, a2 and so on.
struct ArtColumn {
    name: &'static str,
    /// So many values with so many per cent of the rows each, one run after the other.
    shares: &'static [(u64, u64)],
    /// The subsets between the single values and the whole set, as their first and last values;
    /// each level refines the next, and a value that is in none stays as it is.
    levels: &'static [&'static [(u64, u64)]],
}

const ATTRIBUTES: [ArtColumn; 6] = [
    ArtColumn { name: "A1", shares: &[(1, 70), (1, 30)], levels: &[] },
    ArtColumn { name: "A2", shares: &[(2, 30), (2, 20)], levels: &[&[(1, 2), (3, 4)]] },
    ArtColumn { name: "A3", shares: &[(2, 25), (1, 40), (1, 10)], levels: &[&[(1, 2), (3, 4)]] },
    ArtColumn {
        name: "A4",
        shares: &[(6, 7), (10, 4), (9, 2)],
        levels: &[&[(1, 6), (7, 12), (13, 18), (19, 25)], &[(1, 12), (13, 25)]],
    },
    ArtColumn {
        name: "A5",
        shares: &[(10, 10)],
        levels: &[&[(1, 2), (3, 4), (6, 7), (8, 9)], &[(1, 5), (6, 10)]],
    },
    ArtColumn {
        name: "A6",
        shares: &[(2, 5), (1, 50), (1, 30), (1, 10)],
        levels: &[&[(1, 2), (4, 5)], &[(1, 2), (3, 5)]],
    },
];

impl ArtColumn {
    /// Number of values.
    fn values(&self) -> u64 {
        self.shares.iter().map(|(values, _)| values).sum()
    }

    /// A value, from 1; exact, because the shares are whole per cents.
    fn draw(&self, draws: &mut Random) -> u64 {
        let mut left = draws.below(100);
        let mut before = 0;
        for &(values, share) in self.shares {
            if left < values * share {
                return before + left / share + 1;
            }
            left -= values * share;
            before += values;
        }
        unreachable!("the shares make up the whole")
    }

    /// One line for each value: the value, the subset around it at each level, the whole.
    fn hierarchy(&self) -> String {
        let label = |value: u64, subsets: &[(u64, u64)]| {
            let around = subsets.iter().find(|&&(first, last)| (first..=last).contains(&value));
            around.map_or_else(|| format!("a{value}"), |(first, last)| format!("a{first}-a{last}"))
        };
        let line = |value: u64| {
            let subsets: String =
                self.levels.iter().map(|subsets| format!("{};", label(value, subsets))).collect();
            format!("a{value};{subsets}*\n")
        };
        (1..=self.values()).map(line).collect()
    }
}

/// The artificial data of *k-Anonymization Revisited*.
#[derive(Clone, Copy, Debug)]
pub struct Art;

impl Dataset for Art {
    fn name(&self) -> &'static str {
        "art"
    }

    fn rows_are(&self) -> &'static str {
        "artificial records like those of 'k-Anonymization Revisited'"
    }

    fn schema(&self) -> SchemaRef {
        let text = |attribute: &ArtColumn| Field::new(attribute.name, DataType::Utf8, false);
        Arc::new(Schema::new(ATTRIBUTES.iter().map(text).collect::<Vec<_>>()))
    }

    fn draw(&self, seed: u64, rows: Range<u64>) -> RecordBatch {
        let mut columns = ATTRIBUTES.map(|_| StringBuilder::new());
        for row in rows {
            let mut draws = Random::of_row(seed, row);
            for (attribute, column) in ATTRIBUTES.iter().zip(&mut columns) {
                column.append_value(format!("a{}", attribute.draw(&mut draws)));
            }
        }
        let columns = columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
        RecordBatch::try_new(self.schema(), columns.into())
            .expect("the columns are those of the schema and of one length")
    }

    fn hierarchies(&self) -> Vec<(&'static str, String)> {
        ATTRIBUTES.iter().map(|attribute| (attribute.name, attribute.hierarchy())).collect()
    }

    fn hierarchies_are(&self) -> &'static str {
        "the permissible subsets of each attribute, as in the paper"
    }

    fn job(&self) -> String {
        r#"# What each column is. Others may know all of them; the paper's tables have nothing else.
[columns]
A1 = { role = "quasi", hierarchy = "hierarchies/A1.csv" }
A2 = { role = "quasi", hierarchy = "hierarchies/A2.csv" }
A3 = { role = "quasi", hierarchy = "hierarchies/A3.csv" }
A4 = { role = "quasi", hierarchy = "hierarchies/A4.csv" }
A5 = { role = "quasi", hierarchy = "hierarchies/A5.csv" }
A6 = { role = "quasi", hierarchy = "hierarchies/A6.csv" }

# Everyone shares all quasi-identifiers with at least four others, and no row is left out.
[privacy]
k = 5
notion = "k"                  # or 1k, k1, kk, global-1k: what a crowd of k means

[search]
algorithm = "agglomerative"   # local recoding: each class is generalised separately
measure   = "entropy"         # the paper's first measure; its second is lm
distance  = 3                 # 1, 2, 3, 4 or "nergiz-clifton"
seed      = 1
"#
        .to_owned()
    }

    fn next_steps(&self) -> &'static [NextStep] {
        &[
            NextStep {
                question: "How exposed was the table, and what does the release guarantee?",
                commands: &["check @art.toml --input", "check @art.toml @art-k5.table"],
            },
            NextStep {
                question: "How much less does (k,k)-anonymity lose, and what can adversaries make of it?",
                commands: &[
                    "anonymize @art.toml --algorithm expansion --notion kk -o @art-kk5.table",
                    "attack @art.toml @art-kk5.table --notion kk --allow",
                ],
            },
            NextStep {
                question: "What do other algorithms find, and how fast?",
                commands: &[
                    "compare @art.toml --algorithms agglomerative,forest,sequential --k 5,10 --plots @plots",
                ],
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn values_are_as_frequent_as_in_the_paper() {
        const ROWS: u64 = 100_000;
        let a4 = [[0.07; 6].as_slice(), &[0.04; 10], &[0.02; 9]].concat();
        let expected: [&[f64]; 6] = [
            &[0.7, 0.3],
            &[0.3, 0.3, 0.2, 0.2],
            &[0.25, 0.25, 0.4, 0.1],
            &a4,
            &[0.1; 10],
            &[0.05, 0.05, 0.5, 0.3, 0.1],
        ];
        let mut counts = expected.map(|shares| vec![0u64; shares.len()]);
        for row in 0..ROWS {
            let mut draws = Random::of_row(1, row);
            for (attribute, counts) in ATTRIBUTES.iter().zip(&mut counts) {
                counts[attribute.draw(&mut draws) as usize - 1] += 1;
            }
        }
        for ((attribute, shares), counts) in ATTRIBUTES.iter().zip(expected).zip(counts) {
            for (value, (share, count)) in shares.iter().zip(counts).enumerate() {
                // Five standard deviations.
                let slack = 5.0 * (share * (1.0 - share) * ROWS as f64).sqrt();
                let far = (count as f64 - share * ROWS as f64).abs();
                assert!(far < slack, "{} a{}: {count} rows", attribute.name, value + 1);
            }
        }
    }

    #[test]
    fn attributes_are_drawn_independently() {
        const ROWS: u64 = 100_000;
        let both = (0..ROWS).filter(|&row| {
            let mut draws = Random::of_row(1, row);
            let values = ATTRIBUTES.each_ref().map(|attribute| attribute.draw(&mut draws));
            values[0] == 2 && values[5] == 3
        });
        let count = both.count() as f64;
        assert!((count - 0.3 * 0.5 * ROWS as f64).abs() < 600.0, "{count}");
    }

    #[test]
    fn subsets_are_those_of_the_paper() {
        let expected = [
            "",
            "a1-a2 a3-a4",
            "a1-a2 a3-a4",
            "a1-a6 a7-a12 a13-a18 a19-a25 a1-a12 a13-a25",
            "a1-a2 a3-a4 a6-a7 a8-a9 a1-a5 a6-a10",
            "a1-a2 a4-a5 a3-a5",
        ];
        for ((name, text), expected) in Art.hierarchies().into_iter().zip(expected) {
            let cells = || text.lines().flat_map(|line| line.split(';'));
            let subsets: BTreeSet<&str> = cells().filter(|cell| cell.contains('-')).collect();
            assert_eq!(subsets, expected.split_whitespace().collect(), "{name}");
        }
    }

    #[test]
    fn values_outside_all_subsets_stay_until_a_larger_one_has_them() {
        assert_eq!(ATTRIBUTES[0].hierarchy(), "a1;*\na2;*\n");
        let a5 = ATTRIBUTES[4].hierarchy();
        assert_eq!(a5.lines().nth(3), Some("a4;a3-a4;a1-a5;*"));
        assert_eq!(a5.lines().nth(4), Some("a5;a5;a1-a5;*"));
        assert_eq!(
            ATTRIBUTES[5].hierarchy(),
            "a1;a1-a2;a1-a2;*\na2;a1-a2;a1-a2;*\na3;a3;a3-a5;*\na4;a4-a5;a3-a5;*\na5;a4-a5;a3-a5;*\n"
        );
    }
}
