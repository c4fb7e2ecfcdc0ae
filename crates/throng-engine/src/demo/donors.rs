//! Donors to a charity: made to have the shape of the table that the Improved Greedy paper takes from the KDD Cup of
//! 1998, which is not free to pass on.
//!
//! The five quasi-identifiers of the paper with hierarchies of its heights: age (4), gender (3), income (4),
//! cluster (4) and domain (3), a lattice of 2,000 nodes. Nothing is taken from the data of the cup: what is frequent
//! here, and what goes with what, is made up.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use throng::random::Random;

use super::weighted::Weighted;
use super::{Dataset, NextStep};

const COLUMNS: [&str; 6] = ["age", "gender", "income", "cluster", "domain", "gift"];

const AGES: std::ops::RangeInclusive<u64> = 18..=98;
const CLUSTERS: u64 = 53;
/// Kinds of neighbourhoods, and how many ranks of wealth each has.
const DOMAINS: [(char, u64); 5] = [('U', 4), ('C', 3), ('S', 3), ('T', 3), ('R', 3)];

/// Donors to a charity.
#[derive(Clone, Copy, Debug)]
pub struct Donors;

/// One donor.
struct Donor {
    age: u64,
    gender: &'static str,
    /// From 1 to 7; none if it is not known.
    income: Option<u64>,
    cluster: u64,
    domain: String,
    gift: u64,
}

impl Donor {
    /// A neighbourhood first; wealth and age go with it, give or take.
    fn draw(random: &mut Random) -> Donor {
        // The first clusters are common, the last rare.
        let cluster = 1 + random.below(CLUSTERS).min(random.below(CLUSTERS + 12)).min(CLUSTERS - 1);
        let wealth = 1.0 - cluster as f64 / CLUSTERS as f64;
        let kind = ((cluster - 1) * DOMAINS.len() as u64 / CLUSTERS) as usize;
        // One in ten lives where few of the cluster do.
        let kind = if random.once_in(10) { random.index(DOMAINS.len()) } else { kind };
        let (letter, ranks) = DOMAINS[kind];
        let rank = 1 + (((1.0 - wealth) * ranks as f64) as u64 + random.below(2)).min(ranks - 1);
        let age = AGES.start() + random.below(50) + random.below(1 + AGES.end() - AGES.start() - 49);
        let genders = Weighted::new([54.0, 39.0, 4.0, 0.3, 2.7]);
        let gender = ["female", "male", "joint", "company", "unknown"][genders.draw(random)];
        let income = (wealth * 5.0) as u64 + random.below(3);
        let income = (!random.once_in(5)).then_some(1 + income.min(6));
        let gift = 5 + random.below(20) * random.below(6);
        Donor { age, gender, income, cluster, domain: format!("{letter}{rank}"), gift }
    }

    fn cells(&self) -> [String; 6] {
        let income = self.income.map_or("unknown".to_owned(), |income| income.to_string());
        [
            self.age.to_string(),
            self.gender.to_owned(),
            income,
            self.cluster.to_string(),
            self.domain.clone(),
            self.gift.to_string(),
        ]
    }
}

/// One line for each value, from what it is at each level below the top.
fn hierarchy(lines: impl Iterator<Item = Vec<String>>) -> String {
    lines.map(|levels| format!("{};*\n", levels.join(";"))).collect()
}

/// The range of so many that a number is in, counted from `first`.
fn range(number: u64, first: u64, width: u64) -> String {
    let start = first + (number - first) / width * width;
    format!("{start}-{}", start + width - 1)
}

fn ages() -> String {
    let widths = [5, 10, 30];
    hierarchy(AGES.map(|age| {
        let ranges = widths.iter().map(|&width| range(age, 0, width));
        std::iter::once(age.to_string()).chain(ranges).collect()
    }))
}

fn genders() -> String {
    let levels = [
        ["female", "a person", "known"],
        ["male", "a person", "known"],
        ["joint", "several", "known"],
        ["company", "several", "known"],
        ["unknown", "unknown", "unknown"],
    ];
    hierarchy(levels.iter().map(|levels| levels.map(str::to_owned).to_vec()))
}

fn incomes() -> String {
    let known = (1..=7u64).map(|income| {
        let third = if income <= 4 { "1-4" } else { "5-7" };
        let pair = if income == 7 { "7".to_owned() } else { range(income, 1, 2) };
        vec![income.to_string(), pair, third.to_owned(), "known".to_owned()]
    });
    hierarchy(known.chain([vec!["unknown".to_owned(); 4]]))
}

fn clusters() -> String {
    hierarchy((1..=CLUSTERS).map(|cluster| {
        let ranges = [4, 12, 24].map(|width| range(cluster, 1, width));
        std::iter::once(cluster.to_string()).chain(ranges).collect()
    }))
}

fn domains() -> String {
    let domains = DOMAINS.iter().flat_map(|&(letter, ranks)| (1..=ranks).map(move |rank| (letter, rank)));
    hierarchy(domains.map(|(letter, rank)| {
        let place = if ['T', 'R'].contains(&letter) { "country" } else { "city" };
        vec![format!("{letter}{rank}"), letter.to_string(), place.to_owned()]
    }))
}

impl Dataset for Donors {
    fn name(&self) -> &'static str {
        "donors"
    }

    fn rows_are(&self) -> &'static str {
        "synthetic donors to a charity"
    }

    fn schema(&self) -> SchemaRef {
        let text = |name: &&str| Field::new(*name, DataType::Utf8, false);
        Arc::new(Schema::new(COLUMNS.iter().map(text).collect::<Vec<_>>()))
    }

    fn draw(&self, seed: u64, rows: Range<u64>) -> RecordBatch {
        let mut columns = COLUMNS.map(|_| StringBuilder::new());
        for row in rows {
            let donor = Donor::draw(&mut Random::of_row(seed, row));
            columns.iter_mut().zip(donor.cells()).for_each(|(column, cell)| column.append_value(cell));
        }
        let columns = columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
        RecordBatch::try_new(self.schema(), columns.into())
            .expect("the columns are those of the schema and of one length")
    }

    fn hierarchies(&self) -> Vec<(&'static str, String)> {
        COLUMNS.into_iter().zip([ages(), genders(), incomes(), clusters(), domains()]).collect()
    }

    fn hierarchies_are(&self) -> &'static str {
        "hierarchies of the same heights as in the Improved Greedy paper"
    }

    fn job(&self) -> String {
        r#"# What each column is. The five that others may know are those of the Improved Greedy paper.
[columns]
age     = { role = "quasi", hierarchy = "hierarchies/age.csv" }
gender  = { role = "quasi", hierarchy = "hierarchies/gender.csv" }
income  = { role = "quasi", hierarchy = "hierarchies/income.csv" }
cluster = { role = "quasi", hierarchy = "hierarchies/cluster.csv" }
domain  = { role = "quasi", hierarchy = "hierarchies/domain.csv" }
gift    = { role = "sensitive" }

# Everyone shares all quasi-identifiers with at least four others; up to 1 % of the rows may be left out.
[privacy]
k           = 5
suppression = 0.01

[search]
algorithm = "improved-greedy"
measure   = "iloss"
"#
        .into()
    }

    fn next_steps(&self) -> &'static [NextStep] {
        &[
            NextStep {
                question: "How exposed was the table, and what does the release guarantee?",
                commands: &["check @donors.toml --input", "check @donors.toml @donors-k5.table"],
            },
            NextStep {
                question: "What do other algorithms find, and how fast?",
                commands: &[
                    "compare @donors.toml --algorithms datafly,improved-greedy,samarati,flash --k 5,10 --plots @plots",
                ],
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use throng::taxonomy;

    use super::*;

    #[test]
    fn hierarchies_have_the_heights_of_the_paper_and_all_values() {
        let donors: Vec<Donor> = (0..20_000).map(|row| Donor::draw(&mut Random::of_row(1, row))).collect();
        let heights = [4, 3, 4, 4, 3];
        for (column, ((name, text), height)) in Donors.hierarchies().into_iter().zip(heights).enumerate() {
            let taxonomy = taxonomy::parse(&text).unwrap();
            assert_eq!(taxonomy.height(), height, "{name}");
            let leaves: BTreeSet<&str> =
                (0..taxonomy.leaf_total() as u32).map(|leaf| taxonomy.label(leaf)).collect();
            let all = donors.iter().map(|donor| donor.cells()[column].clone());
            assert!(all.into_iter().all(|value| leaves.contains(value.as_str())), "{name}");
        }
    }

    #[test]
    fn wealth_goes_with_the_neighbourhood() {
        let donors = (0..20_000).map(|row| Donor::draw(&mut Random::of_row(1, row)));
        let known: Vec<(u64, u64)> =
            donors.filter_map(|donor| Some((donor.cluster, donor.income?))).collect();
        let mean = |rich: bool| {
            let of = known.iter().filter(|(cluster, _)| (*cluster <= 10) == rich).map(|(_, income)| *income);
            of.clone().sum::<u64>() as f64 / of.count() as f64
        };
        assert!(mean(true) > mean(false) + 1.0, "{} {}", mean(true), mean(false));
    }
}
