//! ART, Adult and CMC, each as rows of leaves and a taxonomy for every column.

#[path = "../../src/algorithm/local/art/facts.rs"]
mod facts;

use std::collections::BTreeMap;
use std::path::PathBuf;

use throng::random::Random;
use throng::table::Table;
use throng::taxonomy::{self, Taxonomy};

/// A table of rows, in an order.
pub(crate) struct Data {
    pub(crate) taxonomies: Vec<(String, Taxonomy)>,
    pub(crate) rows: Vec<Vec<u32>>,
}

impl Data {
    /// So many rows, drawn without putting back, in the order of the draw.
    pub(crate) fn sample(&self, rows: usize, random: &mut Random) -> Data {
        let mut all = self.rows.clone();
        for at in 0..rows {
            let other = at + below(random, (all.len() - at) as u64) as usize;
            all.swap(at, other);
        }
        all.truncate(rows);
        Data { taxonomies: self.taxonomies.clone(), rows: all }
    }

    /// One tuple a row, also where rows are identical.
    pub(crate) fn by_record(&self) -> Table {
        Table::new(columns(self.taxonomies.len(), &self.rows), vec![1; self.rows.len()])
    }

    /// Distinct tuples with their counts, in the order of their first rows.
    pub(crate) fn weighted(&self) -> Table {
        let mut places: BTreeMap<&[u32], usize> = BTreeMap::new();
        let (mut tuples, mut weights): (Vec<&Vec<u32>>, Vec<u32>) = (Vec::new(), Vec::new());
        for row in &self.rows {
            let place = *places.entry(row).or_insert(tuples.len());
            if place == tuples.len() {
                tuples.push(row);
                weights.push(0);
            }
            weights[place] += 1;
        }
        Table::new(columns(self.taxonomies.len(), &tuples), weights)
    }

    fn encode(taxonomies: Vec<(String, Taxonomy)>, rows: &[Vec<String>]) -> Data {
        let leaves = |taxonomy: &Taxonomy| -> BTreeMap<String, u32> {
            (0..taxonomy.leaf_total() as u32).map(|leaf| (taxonomy.label(leaf).to_owned(), leaf)).collect()
        };
        let leaves: Vec<_> = taxonomies.iter().map(|(_, taxonomy)| leaves(taxonomy)).collect();
        let row = |row: &Vec<String>| row.iter().zip(&leaves).map(|(cell, of)| of[cell]).collect();
        Data { rows: rows.iter().map(row).collect(), taxonomies }
    }
}

fn columns<R: AsRef<[u32]>>(attributes: usize, rows: &[R]) -> Vec<Vec<u32>> {
    (0..attributes).map(|a| rows.iter().map(|row| row.as_ref()[a]).collect()).collect()
}

/// The artificial data of *k-Anonymization Revisited* (section VI).
pub(crate) fn art(rows: usize, seed: u64) -> Data {
    let (shares, mut random) = (facts::shares(), Random::new(seed));
    let taxonomies = shares.iter().zip(facts::SUBSETS).enumerate();
    let taxonomies = taxonomies.map(|(a, (s, subsets))| (format!("A{}", a + 1), groups(s.len(), subsets)));
    let rows = (0..rows).map(|_| shares.iter().map(|shares| draw(&mut random, shares)).collect()).collect();
    Data { taxonomies: taxonomies.collect(), rows }
}

/// The values 1 to `values` under levels of groups; a value in no group stays by itself.
fn groups(values: usize, levels: &[&[(usize, usize)]]) -> Taxonomy {
    let row = |value: usize| {
        let above = levels.iter().map(|groups| {
            let group = groups.iter().find(|&&(first, last)| (first..=last).contains(&value));
            group.map_or_else(|| value.to_string(), |(first, last)| format!("{first}-{last}"))
        });
        [value.to_string()].into_iter().chain(above).chain(["*".to_owned()]).collect::<Vec<_>>()
    };
    Taxonomy::from_rows(&(1..=values).map(row).collect::<Vec<_>>()).expect("levels refine each other")
}

fn shared(file: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::fs::read_to_string(folder.join(file)).ok()
}

/// A file's columns and its rows, without the first columns.
fn cells(file: &str, skip: usize, take: usize) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let text = shared(file)?;
    let cells = |line: &str| line.split(';').skip(skip).take(take).map(str::to_owned).collect();
    let mut lines = text.lines().map(cells);
    Some((lines.next()?, lines.collect()))
}

/// All rows of Adult, nine columns with their hierarchies.
pub(crate) fn adult() -> Option<Data> {
    let (names, rows) = cells("adult/adult.csv", 0, 9)?;
    let read = |name: String| {
        let text = shared(&format!("adult/adult_hierarchy_{name}.csv"))?;
        Some((name, taxonomy::parse(&text).expect("a hierarchy")))
    };
    Some(Data::encode(names.into_iter().map(read).collect::<Option<_>>()?, &rows))
}

/// All rows of CMC without the number and the method.
///
/// There are hierarchies for three columns. Husband's education and standard of living have four
/// ranks as wife's education has, and get its hierarchy; what is left has only its values and
/// all of them.
pub(crate) fn cmc() -> Option<Data> {
    let (names, rows) = cells("cmc/cmc.csv", 1, 9)?;
    let taxonomy = |column: usize, name: &str| {
        let file = match name {
            "age" | "children" => name,
            "Weducation" | "Heducation" | "solindex" => "Weducation",
            _ => return Some(flat(rows.iter().map(|row| row[column].as_str()))),
        };
        let text = shared(&format!("cmc/cmc_hierarchy_{file}.csv"))?;
        Some(taxonomy::parse(&text).expect("a hierarchy"))
    };
    let taxonomies =
        names.iter().enumerate().map(|(column, name)| Some((name.clone(), taxonomy(column, name)?)));
    Some(Data::encode(taxonomies.collect::<Option<_>>()?, &rows))
}

fn flat<'a>(values: impl Iterator<Item = &'a str>) -> Taxonomy {
    let mut values: Vec<&str> = values.collect();
    values.sort_unstable();
    values.dedup();
    Taxonomy::flat(&values).expect("distinct values")
}

/// A number below `bound`.
fn below(random: &mut Random, bound: u64) -> u64 {
    random.bits() % bound
}

/// The number of a share, as often as the share says.
fn draw(random: &mut Random, shares: &[u64]) -> u32 {
    let mut left = below(random, shares.iter().sum());
    let chosen = shares.iter().position(|&share| {
        left < share || {
            left -= share;
            false
        }
    });
    chosen.expect("less than all shares") as u32
}
